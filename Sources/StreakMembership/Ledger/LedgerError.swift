public import StreakWire

/// Why a ledger refused an operation, or to make one. Nothing is changed by a refused one.
///
/// All but `tooManyPending` and the cases of drafting depend only on the operation and its ancestors, so every node
/// refuses the same operations. From a peer: drop it, and the link after repeated offence.
public enum LedgerError: Error, Equatable, Sendable {
    /// The bytes are not an operation.
    case malformed(WireError)
    /// The first operation is no valid `found`, or a further `found` was offered.
    case notFounding
    /// The operation is of another group.
    case wrongGroup(GroupID)
    /// The signature is not the author's over these bytes.
    case invalidSignature
    /// `previous` is not the author's operation of the number before.
    case brokenChain
    /// The device has had its 1,000 numbers, or 8,000 operations with forks: it can do nothing more in this group. Or it begins
    /// another branch where it, or the group, has too many.
    case tooManyOperations(DeviceID)
    /// 1,024 operations wait for ancestors. Offer it again once they have come.
    case tooManyPending
    /// No ancestor publishes a certificate of the author's device.
    case unknownAuthor(DeviceID)
    /// A signature in a certificate's chain is wrong, or a device added is of another account than its author.
    case invalidCertificate
    /// The proof of an admission is not by that invite's key over this group, these keys and this handshake.
    case invalidProof
    /// The invite named is no ancestor of the operation.
    case unknownInvite(OperationID)
    /// A revocation is not signed by the account key, not by one of the account's devices, or, for this group alone, of a device
    /// that nobody here knows.
    case invalidRevocation
    /// A cut names an operation that is no ancestor or not that device's.
    case invalidCut(DeviceID)
    /// The group is an account's private one: it has one member for good.
    case privateGroup
    /// The account has eight live devices among the ancestors.
    case tooManyDevices(UserID)
    /// The operation would have this many bytes, more than 8,192.
    case tooLarge(size: Int)
    /// The operation is well-formed but would not count. Only when drafting: what others sign is kept and ignored.
    case refused(Refusal)
}

/// Why an operation does not count.
public enum Refusal: Error, Equatable, Sendable {
    /// The author's account is no member at the operation's parents.
    case authorNotMember
    /// The author was removed (or left), and the operation is past the cut that made.
    case authorRemoved(by: OperationID)
    /// The author's device was revoked, or was certified by one that was.
    case authorRevoked(by: OperationID)
    /// Only the owner may.
    case needsOwner
    /// Only owner and admins may.
    case needsAdmin
    /// The settings do not let the author invite.
    case invitingNotAllowed
    /// An admin may not touch an admin or the owner.
    case targetIsProtected
    /// The user named is not, or was never, a member.
    case targetNotMember
    /// The device named is not a current one of this account.
    case unknownDevice(DeviceID)
    /// One leaves, one does not remove oneself.
    case targetIsAuthor
    /// An owner transfers the group before leaving.
    case ownerCannotLeave
    /// The author is neither the owner nor a named heir taking over, or another transfer stands instead.
    case transferDoesNotStand
    /// The operation named is no invite, or one that does not count.
    case unknownInvite
    case inviteRevoked(by: OperationID)
    case inviteUsedUp(maximumUses: UInt32)
    /// By the admitter's clock. `expiresAt` in seconds since 1970.
    case inviteExpired(expiresAt: Int64)
    /// Owner or an admin has to admit under this invite; a `request` may be put down.
    case needsApproval
    /// Only owner, admins and the inviter may revoke an invite.
    case notOwnInvite
    /// The newcomer was removed by an operation that the invite does not come after.
    case newcomerRemoved(by: OperationID)
    case alreadyMember(UserID)
    /// The newcomer has left since it signed this claim: who comes back asks anew.
    case claimSpent(by: OperationID)
    /// The certificate leads through a device that was revoked.
    case certificateRevoked(by: OperationID)
    /// The group has 1,000 members.
    case tooManyMembers
    /// The author's account has this many live invites in the group.
    case tooManyInvites(limit: Int)
    /// More than 60 characters or 240 bytes, nothing, or a control character.
    case invalidTitle
    /// More than 90 days ahead, or past.
    case invalidExpiry
}
