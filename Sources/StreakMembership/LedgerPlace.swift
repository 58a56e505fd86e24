import StreakWire

/// The certificates a ledger's operations publish. A certificate is the account's own word, so it holds whether or not
/// the operation that carries it counts.
struct IntroductionIndex: Sendable {
    struct Introduction: Sendable {
        let certificate: DeviceCertificate
        let node: LedgerNode
    }

    private(set) var byDevice: [DeviceID: [Introduction]] = [:]
    private(set) var byUser: [UserID: [Introduction]] = [:]
    /// The `revoke-device` operations of an account.
    private(set) var revocations: [UserID: [LedgerNode]] = [:]

    /// Takes note of what an operation says of devices.
    mutating func add(_ node: LedgerNode) {
        if case .revokeDevice(let revocation) = node.body { revocations[revocation.user, default: []].append(node) }
        guard let certificate = node.body.introducedCertificate else { return }
        let introduction = Introduction(certificate: certificate, node: node)
        byDevice[certificate.device, default: []].append(introduction)
        byUser[certificate.user, default: []].append(introduction)
    }

    /// Of several accounts that claim one device, which only a device that lies can have, the one published by the
    /// smallest hash.
    func user(of device: DeviceID) -> UserID? {
        byDevice[device]?.min { $0.node.id < $1.node.id }?.certificate.user
    }
}

/// Where an operation goes, and what its ancestors say of it. Everything here is the same on every node.
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

    private func isAncestor(_ node: LedgerNode) -> Bool {
        node.lane < clock.count && Int(clock[node.lane]) >= node.position
    }

    /// Refuses what no node may take, and tells whose device the author is.
    ///
    /// - Parameter isVerified: whether the signatures within are known to be good.
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
            let isOfAccount =
                introductions.byDevice[revocation.cut.device]?.contains {
                    $0.certificate.user == user && isAncestor($0.node)
                } ?? false
            guard revocation.user == user, isOfAccount, isVerified || revocation.isValid(in: group) else {
                throw .invalidRevocation
            }
        case .invite, .setRole, .transfer, .remove, .leave, .rename, .settings:
            break
        }
        return user
    }

    private func author(of operation: LedgerOperation) throws(LedgerError) -> UserID {
        let known = introductions.byDevice[operation.author]?.filter { isAncestor($0.node) } ?? []
        if let first = known.min(by: { $0.node.id < $1.node.id }) { return first.certificate.user }
        // A device the account key certified may publish itself, so that a restored account can come back.
        if case .addDevice(let certificate) = operation.body, certificate.device == operation.author,
            certificate.isIssuedByAccount
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
        var devices: Set<DeviceID> = []
        for known in introductions.byUser[certificate.user] ?? [] where isAncestor(known.node) {
            devices.insert(known.certificate.device)
        }
        for node in introductions.revocations[certificate.user] ?? [] where isAncestor(node) {
            for cut in node.body.cuts { devices.remove(cut.device) }
        }
        devices.insert(certificate.device)
        guard devices.count <= ProtocolLimits.maximumDevicesPerUser else { throw .tooManyDevices(certificate.user) }
    }
}
