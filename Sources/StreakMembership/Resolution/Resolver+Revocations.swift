import StreakWire

/// Pass 0: what the accounts' own words about their devices make void.
extension Resolver {

    func collectRevocations() {
        // In a private group the word for every group stands to be passed on: who spoke it may not have met the machines that are
        // there, and it would take away all that the device did. Its holders shut the device out (Protocol/friends.md §7).
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

    /// All that an account says of one device it gave up.
    struct Revoked {
        private(set) var nodes: [LedgerNode] = []
        /// Of the smallest hash.
        private(set) var least: LedgerNode
        /// Links signed by the device that stay good by any of them.
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
        /// The revocation that holds, and the last operation it leaves.
        let revocation: LedgerNode?
        let last: LedgerNode?
        /// Where its certificates are published that nothing breaks; nil if nothing breaks any.
        var sound: NodeSet?
        /// Where those are published that the same revocation breaks.
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

    /// The revocation that makes an operation count for nothing.
    func revocation(of node: LedgerNode) -> LedgerNode? { revokedBy[node.index] }

    private func findRevocation(of node: LedgerNode, _ standing: DeviceStanding) -> LedgerNode? {
        // The founding always counts: without it there is no group.
        if node === nodes[0] { return nil }
        if let revocation = standing.revocation, node !== revocation,
            !(standing.last.map { node.isInChain(to: $0) } ?? false)
        {
            return revocation
        }
        // A founder, or a device that publishes itself, is certified by the account.
        guard let sound = standing.sound, !sound.hasMember(upTo: node) else { return nil }
        return standing.broken.filter { $0.published.hasMember(upTo: node) }.map(\.by).min { $0.id < $1.id }
    }

    func revoked(_ device: DeviceID, of user: UserID) -> Revoked? {
        revocations[DeviceOfUser(device: device, user: user)]
    }

    /// The revocation of a device itself that holds.
    func ownRevocation(of device: DeviceID, user: UserID) -> LedgerNode? {
        let cuttings = revoked(device, of: user)?.nodes.map { Cutting(node: $0, rank: 0) } ?? []
        return effective(cuttings, for: device)?.node
    }

    /// A revocation of a device that a certificate leads through, unless the account keeps the link that the device signed.
    ///
    /// Where a certificate is published says nothing: whoever has the device can publish it before a copy of the account's
    /// word.
    func revocation(breaking certificate: DeviceCertificate) -> LedgerNode? {
        for issuer in certificate.issuers {
            guard let revoked = revoked(issuer, of: certificate.user) else { continue }
            if let link = certificate.linkName(after: issuer), revoked.keptLinks.contains(link) { continue }
            return revoked.least
        }
        return nil
    }
}
