import StreakWire

/// Pass 0: operations made void by the accounts' revocations.
extension Resolver {

    func collectRevocations() {
        // In a private group a revocation for every group is only passed on. Its author may not know the group's
        // machines, and it would void all the device did. Members shut the device out themselves (Protocol/friends.md
        // §7).
        let isPrivate = nodes[0].user.asDevice == nodes[0].device
        for node in nodes {
            guard case .revokeDevice(let revocation) = node.body, !isPrivate || revocation.scope == .group else {
                continue
            }
            let key = DeviceOfUser(device: revocation.cut.device, user: node.user)
            revocations[key, default: Revoked(least: node)].add(node, keeping: revocation.keptLinks)
        }
        revokedBy = Array(repeating: nil, count: nodes.count)
        guard !revocations.isEmpty else { return }
        var known: [DeviceOfUser: DeviceStanding] = [:]
        for node in nodes {
            let key = DeviceOfUser(device: node.device, user: node.user)
            let standing = known[key] ?? standing(of: key)
            known[key] = standing
            revokedBy[node.index] = findRevocation(of: node, standing)
        }
    }

    struct DeviceOfUser: Hashable {
        let device: DeviceID
        let user: UserID
    }

    /// All that an account says about one revoked device.
    struct Revoked {
        private(set) var nodes: [LedgerNode] = []
        /// The revocation with the smallest hash.
        private(set) var least: LedgerNode
        /// Links signed by the device that any revocation keeps.
        private(set) var keptLinks: Set<Bytes32> = []

        init(least: LedgerNode) { self.least = least }

        mutating func add(_ node: LedgerNode, keeping links: [Bytes32]) {
            nodes.append(node)
            if node.id < least.id { least = node }
            keptLinks.formUnion(links)
        }
    }

    /// What is the same for all operations of a device.
    private struct DeviceStanding {
        /// The revocation in force, and the last operation it keeps.
        let revocation: LedgerNode?
        let last: LedgerNode?
        /// Operations that publish its unbroken certificates; nil if none is broken.
        var sound: NodeSet?
        /// Operations that publish certificates broken by the same revocation.
        var broken: [(by: LedgerNode, published: NodeSet)] = []
    }

    private func standing(of key: DeviceOfUser) -> DeviceStanding {
        let revocation = ownRevocation(of: key.device, user: key.user)
        var standing = DeviceStanding(
            revocation: revocation, last: revocation.flatMap { lastOperation(of: key.device, in: $0) })
        var sound = NodeSet()
        for published in introductions.publications(of: key.device, for: key.user) {
            guard let revoked = self.revocation(breaking: published.certificate) else {
                sound.insert(published.node)
                continue
            }
            if let index = standing.broken.firstIndex(where: { $0.by === revoked }) {
                standing.broken[index].published.insert(published.node)
            } else {
                standing.broken.append((revoked, NodeSet([published.node])))
            }
        }
        if !standing.broken.isEmpty { standing.sound = sound }
        return standing
    }

    /// The revocation that makes an operation void.
    func revocation(of node: LedgerNode) -> LedgerNode? { revokedBy[node.index] }

    private func findRevocation(of node: LedgerNode, _ standing: DeviceStanding) -> LedgerNode? {
        // The founding always counts: without it there is no group.
        if node === nodes[0] { return nil }
        if let revocation = standing.revocation, node !== revocation,
            !(standing.last.map { node.isInChain(to: $0) } ?? false)
        {
            return revocation
        }
        // The account itself certifies a founder, or a device that publishes itself.
        guard let sound = standing.sound, !sound.hasMember(upTo: node) else { return nil }
        return standing.broken.filter { $0.published.hasMember(upTo: node) }.map(\.by).min { $0.id < $1.id }
    }

    func revoked(_ device: DeviceID, of user: UserID) -> Revoked? {
        revocations[DeviceOfUser(device: device, user: user)]
    }

    /// The revocation of the device itself that is in force.
    func ownRevocation(of device: DeviceID, user: UserID) -> LedgerNode? {
        let cuttings = revoked(device, of: user)?.nodes.map { Cutting(node: $0, rank: 0) } ?? []
        return effective(cuttings, for: device)?.node
    }

    /// A revocation of a device in a certificate's chain, unless the account keeps the link that the device signed.
    ///
    /// When the certificate was published does not matter: the device's holder can publish it so that it appears to
    /// precede the revocation.
    func revocation(breaking certificate: DeviceCertificate) -> LedgerNode? {
        for issuer in certificate.issuers {
            guard let revoked = revoked(issuer, of: certificate.user) else { continue }
            if let link = certificate.linkName(after: issuer), revoked.keptLinks.contains(link) { continue }
            return revoked.least
        }
        return nil
    }
}
