import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Letting others in.
extension Admission {
    mutating func receivedJoinRequest(certificate: [UInt8], proof: [UInt8], over link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link], case .invite(let group, let invite) = session.label,
            let replica = core.groups[group], core.isCurrentMember(of: group)
        else { return }
        // The private group admits devices only, by device links.
        guard !core.isPrivate(group) else { return refuseJoin(.unknownInvite, over: link, core: &core) }
        // A machine that the account has shut out may still be in this group. By its invites this one lets nobody in.
        if let inviter = replica.state.invite(invite).flatMap({ replica.state.device($0.author) }),
            inviter.user == core.identity.user, core.isForeign(inviter)
        {
            return refuseJoin(.revoked, over: link, core: &core)
        }
        let claim: JoinClaim
        do {
            var reader = WireReader(proof)
            claim = JoinClaim(
                invite: invite, certificate: try DeviceCertificate(decoding: certificate),
                proof: try JoinProof(from: &reader))
            try reader.finish()
        } catch {
            return refuseJoin(.invalidProof, over: link, core: &core)
        }
        guard claim.proof.handshakeHash == Self.binding(of: session), claim.certificate.linkKey == session.key else {
            return refuseJoin(.invalidProof, over: link, core: &core)
        }
        if let device = replica.state.device(linkKey: session.key), device.isCurrent,
            device.device == claim.certificate.device
        {
            // The welcome of an earlier attempt was lost, or the owner or an admin has approved since. The handshake
            // has proven the link key, so this is the member.
            return welcomeAgain(to: group, over: link, core: &core)
        }
        if isOwnNewDevice(claim, of: replica, core: core) { return welcomeAgain(to: group, over: link, core: &core) }
        answer(claim, in: group, over: link, core: &core)
    }

    /// Whether a newcomer is another device of a member, certified by the account key itself. Such a device needs no
    /// admission, publishes itself, and uses up no invite.
    private func isOwnNewDevice(_ claim: JoinClaim, of replica: GroupReplica, core: EngineCore) -> Bool {
        let certificate = claim.certificate
        guard certificate.isIssuedByAccount, certificate.isValid(), replica.state.isMember(certificate.user),
            !core.isPrivate(replica.id), !core.isRevokedAnywhere(certificate),
            replica.state.device(certificate.device) == nil, let invite = replica.state.invite(claim.invite)
        else { return false }
        return claim.proof.isValid(inviteKey: invite.publicKey, group: replica.id, certificate: certificate)
    }

    /// Admits a newcomer, or records its request if the owner or an admin has to decide.
    private mutating func answer(_ claim: JoinClaim, in group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let replica = core.groups[group] else { return }
        // The rest of the chain is reserved for what only this device can do; a link passed around must not use it up.
        guard
            (replica.ledger.tips.filter { $0.device == core.identity.device }.map(\.number).max() ?? 0)
                < Self.maximumAdmittingNumber
        else { return refuseJoin(.other, over: link, core: &core) }
        let needsApproval = replica.state.invite(claim.invite)?.needsApproval ?? false
        if needsApproval {
            let requests = replica.state.requests
            guard !core.isDenied(claim, in: group) else { return refuseJoin(.denied, over: link, core: &core) }
            let asked = requests.first { $0.claim.certificate == claim.certificate && $0.claim.invite == claim.invite }
            if asked != nil { return refuseJoin(.awaitingApproval, over: link, core: &core) }
            // Requests cost places in this device's own chain.
            guard requests.count < Self.maximumRequests else { return refuseJoin(.groupFull, over: link, core: &core) }
        }
        do {
            let operation =
                needsApproval
                ? try replica.ledger.request(of: claim, by: core.identity, at: core.wall.seconds)
                : try replica.ledger.admission(of: claim, by: core.identity, at: core.wall.seconds)
            var change = DurableChange()
            let added = try core.insert(operation, in: group, change: &change)
            let answer: Work =
                needsApproval ? .refuseJoin(link, .awaitingApproval) : .welcome(link, group)
            core.ledgerChanged(group, change: change, then: [answer, .passOnOperations(group, added, except: link)])
        } catch {
            // A removal also ended the invite by which the newcomer came. The removal is the better reason.
            let invite = replica.state.invite(claim.invite)
            let isRemoved = replica.state.removedUsers.contains { $0.user == claim.certificate.user && !$0.hasLeft }
            let cameBy = invite?.admitted.contains(claim.certificate.user) ?? false
            let refusal = JoinRefusal(error)
            refuseJoin(refusal == .revoked && isRemoved && cameBy ? .removed : refusal, over: link, core: &core)
        }
    }

    /// Open requests that one group may have at a time.
    static let maximumRequests = 64

    /// From this number on, a device's own chain admits nobody. Another member does.
    static let maximumAdmittingNumber: UInt64 = 800

    mutating func refuseJoin(_ reason: JoinRefusal, over link: LinkID, core: inout EngineCore) {
        core.send(.joinRefused(reason), over: link)
    }

    /// Hands a newcomer the keys and the ledger.
    mutating func welcome(to group: GroupID, over link: LinkID, core: inout EngineCore) {
        handOver(group, over: link, core: &core)
        core.post(.greet(link))
    }

    /// The same for a device that uses up no invite by it.
    private mutating func welcomeAgain(to group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard core.charge(.ledgerCopies, over: link) else { return refuseJoin(.other, over: link, core: &core) }
        welcome(to: group, over: link, core: &core)
    }
}
