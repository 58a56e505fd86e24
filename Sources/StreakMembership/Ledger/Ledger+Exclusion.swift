public import StreakCrypto
public import StreakWire

/// Finds users whose admission does not count: the admitter had been removed without knowing it, or the invite had been
/// revoked unseen.
extension Ledger {
    /// The operation that excludes a device which somebody admitted but which has no place by the known operations. Nil
    /// if nobody admitted it, or if no other operation is the reason. With its ancestors it proves the exclusion to the
    /// device. O(operations).
    public func exclusion(of linkKey: AgreementPublicKey) -> OperationID? {
        guard state.device(linkKey: linkKey) == nil else { return nil }
        let admissions = nodes.filter { node in
            guard case .admit(let claim) = node.body else { return false }
            return claim.certificate.linkKey == linkKey
        }
        guard let latest = admissions.max(by: LedgerNode.inOrder) else { return nil }
        return cause(of: latest)
    }

    /// The reason, as an operation, why another does not count. If operations that do not count depend on each other, the
    /// first of them.
    private func cause(of node: LedgerNode) -> OperationID? {
        var next: LedgerNode? = node
        var seen: Set<OperationID> = []
        while let node = next, seen.insert(node.id).inserted {
            switch resolution.refusals[node.index] {
            case .authorRemoved(let by), .authorRevoked(let by), .inviteRevoked(let by), .newcomerRemoved(let by),
                .claimSpent(let by), .certificateRevoked(let by):
                return by
            case .unknownInvite:
                next = node.body.joinClaim.flatMap { nodeByID[$0.invite] }
            case .authorNotMember:
                // The admitter itself was admitted by an operation that does not count.
                next = (introductions.byUser[node.user] ?? []).map(\.node).max(by: LedgerNode.inOrder)
            case nil, .needsOwner, .needsAdmin, .invitingNotAllowed, .targetIsProtected, .targetNotMember,
                .unknownDevice, .targetIsAuthor, .ownerCannotLeave, .transferDoesNotStand, .inviteUsedUp,
                .inviteExpired, .needsApproval, .notOwnInvite, .alreadyMember, .tooManyMembers, .tooManyInvites,
                .invalidTitle, .invalidExpiry:
                return nil
            }
        }
        return nil
    }
}
