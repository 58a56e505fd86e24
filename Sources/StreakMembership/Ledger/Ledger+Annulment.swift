public import StreakWire

/// An admin's removal that the owner can take back, by demoting the admin with a cut before it, and what comes of that.
public struct Annulment: Sendable, Equatable {
    public let removal: OperationID
    /// Whom it removed.
    public let user: UserID
    /// The admin whose it is, and who becomes a plain member.
    public let author: UserID
    /// Of the removal, by its author's clock; seconds since 1970, shown only.
    public let time: Int64
    /// How many other operations count no more: those that needed an admin, of the same device and after the removal, and
    /// what rests on them.
    public let voided: Int
    /// The group as it is then.
    public let state: GroupState
}

extension Ledger {
    /// So many removals are looked at, the newest; each costs a resolution.
    static let maximumAnnulments = 32

    /// The demotion of a removal's author with a cut before it; nil for what is no removal.
    public func annulment(of removal: OperationID) -> OperationBody? {
        guard let node = nodeByID[removal], case .remove = node.body else { return nil }
        let cuts = cuts(of: node.user) { _ in [] }.map { cut in
            guard cut.device == node.device else { return cut }
            return DeviceCut(device: cut.device, lastOperation: node.signed.operation.previous, feeds: [])
        }
        return .setRole(RoleChange(user: node.user, change: .member, cuts: cuts))
    }

    /// The removals that keep somebody out and that the owner can annul, newest first; none for anybody else. Each is tried:
    /// one stays where an earlier demotion left it to its author, and nobody is demoted who is in no more.
    ///
    /// - Parameter time: seconds since 1970.
    public func annulments(by identity: DeviceIdentity, at time: Int64) -> [Annulment] {
        guard state.owner == identity.user else { return [] }
        let out = Set(state.removedUsers.map(\.user))
        let removals = nodes.filter { node in
            guard let user = node.target else { return false }
            return out.contains(user) && node.user != identity.user && resolution.refusals[node.index] == nil
        }
        return removals.sorted(by: LedgerNode.inOrder).suffix(Self.maximumAnnulments).reversed().compactMap {
            trial(of: $0, by: identity, at: time)
        }
    }

    private func trial(of removal: LedgerNode, by identity: DeviceIdentity, at time: Int64) -> Annulment? {
        guard let user = removal.target, let body = annulment(of: removal.id) else { return nil }
        var after = self
        do {
            _ = try after.insert(draft(body, by: identity, at: time))
        } catch {
            // What would be refused is not offered.
            return nil
        }
        guard after.refusal(of: removal.id) != nil else { return nil }
        let voided = nodes.count { node in
            node !== removal && resolution.refusals[node.index] == nil && after.refusal(of: node.id) != nil
        }
        return Annulment(
            removal: removal.id, user: user, author: removal.user, time: removal.signed.operation.time, voided: voided,
            state: after.state)
    }
}
