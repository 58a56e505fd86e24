public import StreakCrypto
public import StreakWire

/// Who was let in by an admission that does not count: by a removed member that had not heard of it, or under an invite that
/// was revoked unseen.
extension Ledger {
    /// The operation that keeps a device out which somebody let in, and which has no place by all that is known here; nil where
    /// nobody did, or nothing else says why. With what is before it, it shows the device the same. O(operations).
    public func exclusion(of linkKey: AgreementPublicKey) -> OperationID? {
        guard state.device(linkKey: linkKey) == nil else { return nil }
        let admissions = nodes.filter { node in
            guard case .admit(let claim) = node.body else { return false }
            return claim.certificate.linkKey == linkKey
        }
        guard let latest = admissions.max(by: LedgerNode.inOrder) else { return nil }
        return cause(of: latest)
    }

    /// What makes an operation count for nothing: of a chain of those that rest on each other what is at its beginning.
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
                // Who let it in was let in by nobody who counts.
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
