import StreakWire

/// The certificates published by a ledger's operations. A certificate is signed by the account, so it is valid whether
/// or not the operation that carries it counts.
struct IntroductionIndex: Sendable {
    struct Introduction: Sendable {
        let certificate: DeviceCertificate
        let node: LedgerNode
    }

    private struct DeviceOfUser: Hashable, Sendable {
        let device: DeviceID
        let user: UserID
    }

    private(set) var byDevice: [DeviceID: [Introduction]] = [:]
    private(set) var byUser: [UserID: [Introduction]] = [:]
    /// The `revoke-device` operations of an account.
    private(set) var revocations: [UserID: [LedgerNode]] = [:]
    // Indexed for the check made for each new operation: whether any of these is an ancestor.
    private var known: [UserID: NodeSet] = [:]
    private var published: [DeviceOfUser: NodeSet] = [:]
    private var revoked: [DeviceOfUser: NodeSet] = [:]
    /// In order of arrival.
    private var devices: [UserID: [DeviceID]] = [:]
    private var accounts: [DeviceID: [UserID]] = [:]

    /// Records what an operation says about devices.
    mutating func add(_ node: LedgerNode) {
        if case .revokeDevice(let revocation) = node.body {
            revocations[revocation.user, default: []].append(node)
            let key = DeviceOfUser(device: revocation.cut.device, user: revocation.user)
            revoked[key, default: NodeSet()].insert(node)
        }
        guard let certificate = node.body.introducedCertificate else { return }
        let introduction = Introduction(certificate: certificate, node: node)
        byDevice[certificate.device, default: []].append(introduction)
        byUser[certificate.user, default: []].append(introduction)
        let key = DeviceOfUser(device: certificate.device, user: certificate.user)
        if published[key] == nil {
            devices[certificate.user, default: []].append(certificate.device)
            accounts[certificate.device, default: []].append(certificate.user)
        }
        published[key, default: NodeSet()].insert(node)
        known[certificate.user, default: NodeSet()].insert(node)
    }

    /// The operations that publish a device's certificates for an account.
    func publications(of device: DeviceID, for user: UserID) -> [Introduction] {
        (byDevice[device] ?? []).filter { $0.certificate.user == user }
    }

    /// Whether the ancestors in a clock publish a certificate of the account.
    func isKnown(_ user: UserID, within clock: [UInt16]) -> Bool { known[user]?.hasMember(within: clock) ?? false }

    /// Whether the ancestors in a clock publish a certificate of the device for the account.
    func isPublished(_ device: DeviceID, for user: UserID, within clock: [UInt16]) -> Bool {
        published[DeviceOfUser(device: device, user: user)]?.hasMember(within: clock) ?? false
    }

    /// The account of a device, by certificates among the ancestors in a clock. If several accounts claim it, the one
    /// published by the smallest hash.
    func user(of device: DeviceID, within clock: [UInt16]) -> UserID? {
        let claiming = (accounts[device] ?? []).filter { isPublished(device, for: $0, within: clock) }
        guard claiming.count > 1 else { return claiming.first }
        let known = (byDevice[device] ?? []).filter { $0.node.isWithin(clock) }
        return known.min { $0.node.id < $1.node.id }?.certificate.user
    }

    /// The devices of an account that are certified and not revoked among the ancestors in a clock.
    func liveDevices(of user: UserID, within clock: [UInt16]) -> [DeviceID] {
        (devices[user] ?? []).filter { device in
            isPublished(device, for: user, within: clock)
                && !(revoked[DeviceOfUser(device: device, user: user)]?.hasMember(within: clock) ?? false)
        }
    }

    /// The account of a device. If several accounts claim it, which only a lying device can cause, the one published by
    /// the smallest hash.
    func user(of device: DeviceID) -> UserID? {
        byDevice[device]?.min { $0.node.id < $1.node.id }?.certificate.user
    }
}

/// The place of an operation in the graph, and what its ancestors say about it. The same on every node.
struct LedgerPlace {
    let parents: [LedgerNode]
    let introductions: IntroductionIndex
    /// See `LedgerNode.clock`.
    let clock: [UInt16]
    let depth: Int

    init(parents: [LedgerNode], introductions: IntroductionIndex) {
        self.parents = parents
        self.introductions = introductions
        depth = (parents.map(\.depth).max() ?? -1) + 1
        let laneCount = parents.map { max($0.clock.count, $0.lane + 1) }.max() ?? 0
        var clock = [UInt16](repeating: 0, count: laneCount)
        for parent in parents {
            for (lane, position) in parent.clock.enumerated() { clock[lane] = max(clock[lane], position) }
            clock[parent.lane] = max(clock[parent.lane], UInt16(clamping: parent.position))
        }
        self.clock = clock
    }

    private func isAncestor(_ node: LedgerNode) -> Bool { node.isWithin(clock) }

    /// Throws for operations that no node may accept, and returns the author's account.
    ///
    /// - Parameter isVerified: whether all signatures in it were verified before.
    func validate(
        _ signed: SignedOperation, in group: GroupID, nodes: [OperationID: LedgerNode], isVerified: Bool
    ) throws(LedgerError) -> UserID {
        let operation = signed.operation
        let user = try author(of: operation)
        for cut in operation.body.cuts where cut.lastOperation != .none {
            guard let last = nodes[cut.lastOperation], isAncestor(last), last.device == cut.device else {
                throw .invalidCut(cut.device)
            }
        }
        switch operation.body {
        case .found:
            throw .notFounding
        case .revokeInvite(let invite):
            _ = try terms(of: invite, nodes)
        case .request(let claim), .admit(let claim):
            let terms = try terms(of: claim.invite, nodes)
            guard isVerified || claim.certificate.isValid() else { throw .invalidCertificate }
            guard
                isVerified
                    || claim.proof.isValid(inviteKey: terms.publicKey, group: group, certificate: claim.certificate)
            else { throw .invalidProof }
            try checkDeviceLimit(claim.certificate)
        case .addDevice(let certificate):
            guard certificate.user == user, isVerified || certificate.isValid() else { throw .invalidCertificate }
            try checkDeviceLimit(certificate)
        case .revokeDevice(let revocation):
            // A revocation for every group is valid even if nobody here knows the device.
            let isOfAccount =
                revocation.scope == .everyGroup
                || introductions.isPublished(revocation.cut.device, for: user, within: clock)
            guard revocation.user == user, isOfAccount, isVerified || revocation.isValid(in: group) else {
                throw .invalidRevocation
            }
        case .invite, .setRole, .transfer, .remove, .leave, .rename, .settings:
            break
        }
        return user
    }

    private func author(of operation: LedgerOperation) throws(LedgerError) -> UserID {
        if let user = introductions.user(of: operation.author, within: clock) { return user }
        // A device certified by the account key may publish itself, so that a restored account can come back. Only if
        // the ledger knows the account already: otherwise any number of strangers could enter.
        if case .addDevice(let certificate) = operation.body, certificate.device == operation.author,
            certificate.isIssuedByAccount, introductions.isKnown(certificate.user, within: clock)
        {
            return certificate.user
        }
        throw .unknownAuthor(operation.author)
    }

    private func terms(
        of invite: OperationID, _ nodes: [OperationID: LedgerNode]
    ) throws(LedgerError) -> InviteTerms {
        guard let node = nodes[invite], isAncestor(node), case .invite(let terms) = node.body else {
            throw .unknownInvite(invite)
        }
        return terms
    }

    private func checkDeviceLimit(_ certificate: DeviceCertificate) throws(LedgerError) {
        let others = introductions.liveDevices(of: certificate.user, within: clock).count {
            $0 != certificate.device && $0 != certificate.user.asDevice
        }
        guard others < ProtocolLimits.maximumDevicesPerUser else { throw .tooManyDevices(certificate.user) }
    }
}
