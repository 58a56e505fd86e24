public import StreakWire

/// An admin's removal that the owner can annul, by demoting the admin with a cut before it, and the consequences.
public struct Annulment: Sendable, Equatable {
    public let removal: OperationID
    /// The removed user.
    public let user: UserID
    /// The admin who removed them, and would become a plain member.
    public let author: UserID
    /// When the removal was made, by its author's clock; seconds since 1970, for display only.
    public let time: Int64
    /// How many other operations would no longer count: those that needed an admin, made by the same device after the
    /// removal, and those that depend on them.
    public let voided: Int
    /// The group's state after the annulment.
    public let state: GroupState
}

extension Ledger {
    /// Only this many removals, the newest, are examined; each costs a resolution.
    static let maximumAnnulments = 32

    /// The body that annuls a removal: a demotion of its author with a cut before it. Nil if the operation is not a
    /// removal.
    public func annulment(of removal: OperationID) -> OperationBody? {
        guard let node = nodeByID[removal], case .remove = node.body else { return nil }
        let cuts = cuts(of: node.user) { _ in [] }.map { cut in
            guard cut.device == node.device else { return cut }
            return DeviceCut(device: cut.device, lastOperation: node.signed.operation.previous, feeds: [])
        }
        return .setRole(RoleChange(user: node.user, change: .member, cuts: cuts))
    }

    /// The removals that keep somebody out and that this owner can annul, newest first; empty for anybody else. Each is
    /// tried out: an earlier demotion may have left a removal in force, and a former member cannot be demoted.
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
            // A removal whose annulment would be refused is not listed.
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
