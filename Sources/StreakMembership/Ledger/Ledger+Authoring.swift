public import StreakCrypto
public import StreakWire

/// Drafts operations. A draft is not inserted: store the operation, then `insert` it.
extension Ledger {
    /// How far ahead an invite may expire: 90 days, in seconds.
    public static let maximumInviteLifetime: Int64 = 90 * 86_400

    /// How many of a device's operations are kept for those by which its account gets out: leaving, shutting a device
    /// out, and bringing another one in.
    static let reservedOperations: UInt64 = 8
    private static let endingKinds: Set<OperationBody.Kind> = [.leave, .revokeDevice, .addDevice]

    /// Founds a group whose only member is the founder.
    ///
    /// - Parameters:
    ///   - isPair: whether it is for two friends by code.
    ///   - time: seconds since 1970.
    /// - Throws: `refused(.invalidTitle)`.
    public static func found(
        title: String, settings: GroupSettings = GroupSettings(), isPair: Bool = false, identity: DeviceIdentity,
        accessKey: AccessKey,
        at time: Int64, entropy: inout some EntropySource
    ) throws(LedgerError) -> SignedOperation {
        try checkTitle(title)
        guard let nonce = Bytes16(entropy.bytes(16)) else {
            preconditionFailure("an entropy source returned another number of bytes than asked for")
        }
        let founding = Founding(
            title: title, certificate: identity.certificate, settings: settings, isPair: isPair,
            accessKeyHash: accessKey.hash, nonce: nonce)
        let operation = LedgerOperation(
            group: GroupID(bytes: .zero), author: identity.device, number: 1, previous: .none, parents: [],
            time: time, body: .found(founding))
        return try SignedOperation(signing: operation, with: identity.signingKey)
    }

    /// Signs an operation that would count.
    ///
    /// - Parameter time: seconds since 1970.
    /// - Throws: `refused` with the reason, `unknownAuthor`, or an error of `insert`.
    public func draft(
        _ body: OperationBody, by identity: DeviceIdentity, at time: Int64
    ) throws(LedgerError) -> SignedOperation {
        try checkLimits(of: body, by: identity.user, at: time)
        let operation = try sign(body, by: identity, at: time)
        var trial = self
        _ = try trial.insert(operation)
        if let refusal = trial.refusal(of: operation.id) { throw .refused(refusal) }
        return operation
    }

    private func sign(
        _ body: OperationBody, by identity: DeviceIdentity, at time: Int64
    ) throws(LedgerError) -> SignedOperation {
        let end = chainEnd(of: identity.device)
        let number = (end?.number ?? 0) + 1
        let reserved = Self.endingKinds.contains(body.kind) ? 0 : Self.reservedOperations
        guard number <= ProtocolLimits.maximumOperationsPerDevice - reserved else {
            throw .tooManyOperations(identity.device)
        }
        let operation = LedgerOperation(
            group: group, author: identity.device, number: number, previous: end?.id ?? .none,
            parents: parents(of: body, by: identity, after: end),
            time: time, body: body)
        return try SignedOperation(signing: operation, with: identity.signingKey)
    }

    /// The parents of a new operation: its author's previous operation, those that its cuts name, and the heads of
    /// everything that must be known. If there are too many, the next operation names the rest.
    private func parents(
        of body: OperationBody, by identity: DeviceIdentity, after end: LedgerNode?
    ) -> [OperationID] {
        var required = Set(body.cuts.map(\.lastOperation) + (end.map { [$0.id] } ?? []))
        // Some ancestor must show whose device the author is, and that a revoked device belongs to the account.
        for device in [identity.device] + (body.kind == .revokeDevice ? body.cuts.map(\.device) : []) {
            var published = (introductions.byDevice[device] ?? []).filter { $0.certificate.user == identity.user }
            if published.isEmpty, device == identity.device { published = introductions.byUser[identity.user] ?? [] }
            if let first = published.map(\.node).min(by: LedgerNode.inOrder) { required.insert(first.id) }
        }
        var needed: [LedgerNode] = []
        var others: [LedgerNode] = []
        for node in nodes.reversed() where required.contains(node.id) {
            if node === end || !needed.contains(where: { node.isAncestor(of: $0) }) { needed.append(node) }
        }
        for node in nodes.reversed() where mustBeKnown(node) && !needed.contains(where: { $0 === node }) {
            if !(needed + others).contains(where: { node.isAncestor(of: $0) }) { others.append(node) }
        }
        others.sort { $0.id < $1.id }
        // Required parents come first, and the author's previous operation even if others follow it.
        let first = (end.map { [$0] } ?? []) + needed.filter { $0 !== end }
        let named = (first + others).prefix(LedgerOperation.maximumParents)
        return named.filter { node in node === end || !named.contains { node.isAncestor(of: $0) } }.map(\.id).sorted()
    }

    /// Whether a new operation must name this one among its ancestors. It must if the operation counts, or if it adds
    /// or revokes a device, which holds even if the operation does not count.
    private func mustBeKnown(_ node: LedgerNode) -> Bool {
        if resolution.refusals[node.index] == nil { return true }
        switch node.body {
        case .addDevice, .revokeDevice: return state.device(node.device) != nil
        case .found, .invite, .revokeInvite, .request, .admit, .setRole, .transfer, .remove, .leave, .rename, .settings:
            return false
        }
    }

    /// Checks made only when an operation is drafted, never when one is received: the expiry against the clock, lengths
    /// in characters, and operations that would change nothing.
    private func checkLimits(of body: OperationBody, by author: UserID, at time: Int64) throws(LedgerError) {
        switch body {
        case .rename(let title):
            try Self.checkTitle(title)
        case .invite(let terms):
            guard terms.expiresAt > time, terms.expiresAt - time <= Self.maximumInviteLifetime else {
                throw .refused(.invalidExpiry)
            }
            let limit = state.maximumLiveInvites(of: author)
            let live = state.invites.count { $0.inviter == author && $0.isLive(at: time) }
            guard live < limit else { throw .refused(.tooManyInvites(limit: limit)) }
        case .remove(let removal):
            guard state.isMember(removal.user) else { throw .refused(.targetNotMember) }
        case .setRole(let change):
            guard state.isMember(change.user) else { throw .refused(.targetNotMember) }
        case .transfer(let transfer):
            guard state.isMember(transfer.newOwner) else { throw .refused(.targetNotMember) }
        case .revokeDevice(let revocation):
            let device = revocation.cut.device
            guard state.isCurrentMember(device: device) || lacks(revocation) else {
                throw .refused(.unknownDevice(device))
            }
        case .found, .revokeInvite, .request, .admit, .addDevice, .leave, .settings:
            break
        }
    }

    /// 1–60 characters, at most 240 bytes, that show something, without control characters or marks that change the
    /// writing direction.
    static func checkTitle(_ title: String) throws(LedgerError) {
        let isControl = { (scalar: Unicode.Scalar) -> Bool in
            switch scalar.value {
            case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
            default: false
            }
        }
        guard title.isVisible, title.count <= ProtocolLimits.maximumTitleLength,
            title.utf8.count <= maximumTitleSize, !title.unicodeScalars.contains(where: isControl)
        else { throw .refused(.invalidTitle) }
    }

    /// Cuts that keep all known operations of a user's devices, except those that the account has revoked.
    ///
    /// - Parameter feeds: the last accepted record of each of a device's feeds.
    public func cuts(of user: UserID, feeds: (DeviceID) -> [FeedCut]) -> [DeviceCut] {
        let devices = Set((introductions.byUser[user] ?? []).map(\.certificate.device)).sorted()
        return DeviceCut.fitting(
            devices.map { device in
                DeviceCut(
                    device: device, lastOperation: lastUnrevoked(of: device)?.id ?? .none, feeds: feeds(device))
            })
    }

    /// The last operation of a device's chain that the account has not revoked. A cut that named a revoked one would
    /// bring it back under a later revocation that keeps more of the chain.
    private func lastUnrevoked(of device: DeviceID) -> LedgerNode? {
        var last = chainEnd(of: device)
        while let end = last {
            if case .authorRevoked = resolution.refusals[end.index] {
                last = end.previous
            } else if case .revokeDevice(let revocation) = end.body, revocation.cut.device == device {
                last = end.previous
            } else {
                break
            }
        }
        return last
    }
}
