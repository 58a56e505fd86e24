import StreakCrypto
public import StreakWire

/// Joining, from both sides.
extension Ledger {
    /// The responder's side: admits a newcomer. The caller has compared `claim.proof.handshakeHash` with the link's.
    ///
    /// - Parameter time: the admitter's clock, in seconds since 1970; it decides whether the invite has expired.
    /// - Throws: `refused` with one of `unknownInvite`, `inviteExpired`, `inviteRevoked`, `inviteUsedUp`,
    ///   `needsApproval`, `alreadyMember`, `newcomerRemoved`, `certificateRevoked`, `tooManyMembers`, or a reason why
    ///   the author is not a member; `unknownInvite`, `invalidCertificate`, `invalidProof`, `tooManyDevices`.
    public func admission(
        of claim: JoinClaim, by identity: DeviceIdentity, at time: Int64
    ) throws(LedgerError) -> SignedOperation {
        try checkClaim(claim, at: time)
        return try draft(.admit(claim), by: identity, at: time)
    }

    /// As `admission(of:by:at:)`, on a link with this handshake hash.
    ///
    /// - Throws: also `invalidProof` if the proof is of another handshake.
    public func admission(
        of claim: JoinClaim, overHandshake handshakeHash: [UInt8], by identity: DeviceIdentity, at time: Int64
    ) throws(LedgerError) -> SignedOperation {
        guard claim.proof.handshakeHash == handshakeHash else { throw .invalidProof }
        return try admission(of: claim, by: identity, at: time)
    }

    /// Records a newcomer's request under an invite that needs approval. Throws as `admission(of:by:at:)`.
    public func request(
        of claim: JoinClaim, by identity: DeviceIdentity, at time: Int64
    ) throws(LedgerError) -> SignedOperation {
        try checkClaim(claim, at: time)
        return try draft(.request(claim), by: identity, at: time)
    }

    private func checkClaim(_ claim: JoinClaim, at time: Int64) throws(LedgerError) {
        guard let invite = state.invite(claim.invite) else { throw .refused(.unknownInvite) }
        guard time < invite.expiresAt else { throw .refused(.inviteExpired(expiresAt: invite.expiresAt)) }
        guard !state.isMember(claim.certificate.user) else {
            throw .refused(.alreadyMember(claim.certificate.user))
        }
    }

    /// The newcomer's side, before it publishes anything. Checks that this ledger has *its* invite, and that the link's
    /// author and the responder are members. Otherwise anybody who knows the invite's PSK could show an old ledger.
    ///
    /// - Parameter identity: the newcomer's own once it is admitted; nil before.
    public func verifyInvitation(
        link: InviteLink, admittedBy responder: DeviceID, admitting newcomer: DeviceID? = nil
    ) throws(InvitationError) {
        guard link.group == group else { throw .otherGroup(group) }
        guard let invite = state.invite(publicKey: link.secrets.inviteKey.publicKey) else { throw .inviteMissing }
        guard invite.author == link.inviter else { throw .inviteOfAnother(invite.author) }
        guard !invite.isRevoked else { throw .inviteRevoked }
        guard state.isCurrentMember(device: link.inviter) else { throw .inviterNotMember }
        guard state.isCurrentMember(device: responder) else { throw .responderNotMember }
        guard let newcomer else { return }
        guard state.isCurrentMember(device: newcomer) else { throw .newcomerNotMember }
    }
}

/// Why a ledger received over an invite link is not the promised one. Publish nothing, and try another member.
public enum InvitationError: Error, Equatable, Sendable {
    /// The group is not the link's.
    case otherGroup(GroupID)
    /// The ledger lacks the invite, or the invite does not count; the ledger may be old.
    case inviteMissing
    /// Another device signed the invite than the link.
    case inviteOfAnother(DeviceID)
    case inviteRevoked
    /// The link's author has been removed.
    case inviterNotMember
    /// The responder is not a member.
    case responderNotMember
    /// The ledger has no admission of this device.
    case newcomerNotMember
}
