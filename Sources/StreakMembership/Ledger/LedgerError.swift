public import StreakWire

/// Why a ledger refused an operation, or refused to draft one. The ledger is unchanged.
///
/// Except for `tooManyPending` and the errors of drafting, all depend only on the operation and its ancestors, so every
/// node refuses the same operations. From a peer: drop the operation, and close the link after repeated offences.
public enum LedgerError: Error, Equatable, Sendable {
    /// The bytes are not an operation.
    case malformed(WireError)
    /// The first operation is not a valid `found`, or a second `found` was offered.
    case notFounding
    /// The operation is of another group.
    case wrongGroup(GroupID)
    /// The author did not make this signature over these bytes.
    case invalidSignature
    /// `previous` is not the author's operation with the number before.
    case brokenChain
    /// The device has used up its 1,000 numbers, or 8,000 operations with forks, and can do nothing more in this group.
    /// Or it begins another branch although it, or the group, has too many.
    case tooManyOperations(DeviceID)
    /// 1,024 operations wait for ancestors. Offer it again once they have arrived.
    case tooManyPending
    /// No ancestor publishes a certificate of the author's device.
    case unknownAuthor(DeviceID)
    /// A signature in a certificate's chain is wrong, or an added device belongs to another account than its author.
    case invalidCertificate
    /// The proof of an admission does not match that invite's key, this group, these keys and this handshake.
    case invalidProof
    /// The named invite is not an ancestor of the operation.
    case unknownInvite(OperationID)
    /// The account key did not sign the revocation, its author is not one of the account's devices, or it revokes, for
    /// this group only, a device that nobody here knows.
    case invalidRevocation
    /// A cut names an operation that is not an ancestor, or is another device's.
    case invalidCut(DeviceID)
    /// The group is a private one, which has exactly one member for good.
    case privateGroup
    /// The account has eight live devices among the ancestors.
    case tooManyDevices(UserID)
    /// The operation would be larger than 8,192 bytes.
    case tooLarge(size: Int)
    /// The operation is well-formed but would not count. Thrown only when drafting: received ones are kept and ignored.
    case refused(Refusal)
}

/// Why an operation does not count.
public enum Refusal: Error, Equatable, Sendable {
    /// The author's account is not a member at the operation's parents.
    case authorNotMember
    /// The author was removed or left, and the operation is past the cut.
    case authorRemoved(by: OperationID)
    /// The author's device, or one that certified it, was revoked.
    case authorRevoked(by: OperationID)
    /// Only the owner may do this.
    case needsOwner
    /// Only the owner and admins may do this.
    case needsAdmin
    /// The settings do not let the author invite.
    case invitingNotAllowed
    /// An admin cannot remove or change an admin or the owner.
    case targetIsProtected
    /// The named user is not, or never was, a member.
    case targetNotMember
    /// The named device is not a current one of this account.
    case unknownDevice(DeviceID)
    /// Members leave; they do not remove themselves.
    case targetIsAuthor
    /// An owner must transfer the group before leaving.
    case ownerCannotLeave
    /// The author is neither the owner nor a named heir taking over, or another transfer won.
    case transferDoesNotStand
    /// The named operation is not an invite, or is one that does not count.
    case unknownInvite
    case inviteRevoked(by: OperationID)
    case inviteUsedUp(maximumUses: UInt32)
    /// By the admitter's clock. `expiresAt` in seconds since 1970.
    case inviteExpired(expiresAt: Int64)
    /// The invite needs approval: the owner or an admin has to admit. A member may record a `request`.
    case needsApproval
    /// Only the owner, admins and the inviter may revoke an invite.
    case notOwnInvite
    /// The newcomer was removed by an operation that is not an ancestor of the invite.
    case newcomerRemoved(by: OperationID)
    case alreadyMember(UserID)
    /// The newcomer has left since it signed this claim. To come back it must sign a new one.
    case claimSpent(by: OperationID)
    /// The certificate's chain contains a revoked device.
    case certificateRevoked(by: OperationID)
    /// The group has 1,000 members.
    case tooManyMembers
    /// The author's account has this many live invites in the group.
    case tooManyInvites(limit: Int)
    /// Empty, longer than 60 characters or 240 bytes, or with a control character.
    case invalidTitle
    /// More than 90 days ahead, or past.
    case invalidExpiry
}
