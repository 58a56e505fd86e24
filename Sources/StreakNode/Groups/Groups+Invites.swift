import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Links that let others in, and joining by one.
extension Groups {
    func invite(
        to group: GroupID, uses: Int, lifetime: Int64, needsApproval: Bool = false
    ) async throws -> InviteReport {
        try Argument.checkInvite(uses: uses, lifetime: lifetime)
        try core.checkMembership(of: group)
        let outcome: CommandOutcome
        do {
            outcome = try await loop.execute(
                .invite(group, uses: UInt32(uses), lifetime: lifetime, needsApproval: needsApproval))
        } catch NodeFailure.notAllowed(let action, _) {
            let isOwners = core.engine.state(of: group)?.settings.whoMayInvite == .owner
            throw NodeFailure.notAllowed(action: action, reason: isOwners ? .needsOwner : .needsAdmin)
        }
        guard case .invite(let id, _) = outcome, let invite = core.engine.state(of: group)?.invite(id) else {
            throw NodeFailure.storageFailed("no invite was made")
        }
        return report(of: invite, in: group, named: core.names(in: group))
    }

    /// A link in one step: founds a group if there is none, and makes an invite if none is live.
    func inviteFriends() async throws -> InviteReport {
        if core.activeGroup == nil { _ = try await createGroup(title: "Friends") }
        let group = try core.group(nil)
        if let live = inviteReports(of: group).first(where: { !$0.link.isEmpty }) { return live }
        return try await invite(to: group, uses: 1, lifetime: 7 * 86_400)
    }

    /// A group's live invites, whichever member made them, and overused ones. Only invites kept here have their link.
    func inviteReports(of group: GroupID) -> [InviteReport] {
        guard let state = core.engine.state(of: group) else { return [] }
        let names = core.names(in: group)
        let now = core.clock.wallTime.seconds
        let shown = state.invites.filter { $0.isLive(at: now) || $0.isOverused && now < $0.expiresAt && !$0.isRevoked }
        return shown.map { report(of: $0, in: group, named: names) }
            .sorted { ($0.expires, $0.id) > ($1.expires, $1.id) }
    }

    private func report(
        of invite: GroupState.Invite, in group: GroupID, named names: [UserID: String]
    ) -> InviteReport {
        InviteReport(
            link: core.engine.link(ofInvite: invite.id, in: group) ?? "", id: invite.id.description,
            expires: Timestamp(seconds: invite.expiresAt).text,
            uses: invite.maximumUses == 0 ? nil : Int(invite.maximumUses), used: invite.used,
            group: group.description, title: core.title(of: group), approval: invite.needsApproval,
            overused: invite.isOverused, author: names[invite.inviter], mine: invite.inviter == core.identity.user)
    }

    func revokeInvite(_ id: String) async throws -> InviteListReport {
        for group in core.sharedGroups {
            let matches = (core.engine.state(of: group)?.invites ?? []).filter {
                !$0.isRevoked && !id.isEmpty && $0.id.description.hasPrefix(id.lowercased())
            }
            guard let invite = matches.first else { continue }
            guard matches.count == 1 else { throw NodeFailure.unknownInvite(id) }
            try await loop.execute(.revokeInvite(group, invite.id))
            return InviteListReport(invites: inviteReports(of: group))
        }
        throw NodeFailure.unknownInvite(id)
    }

    func inspect(_ text: String) throws -> InvitePreview {
        let link = try InviteLink.read(text, for: .join)
        return InvitePreview(
            group: link.group.description, title: DisplayText.shownTitle(link.title), inviter: link.inviter.description,
            expires: Timestamp(seconds: link.expiresAt).text, expired: link.isExpired(at: core.clock.wallTime.seconds),
            alreadyMember: core.engine.isMember(of: link.group))
    }

    func join(_ text: String, timeout: Int64, history: Int?) async throws -> JoinReport {
        let link = try InviteLink.read(text, for: .join)
        guard !link.isExpired(at: core.clock.wallTime.seconds) else {
            throw NodeFailure.expired(link, at: core.clock)
        }
        do {
            try await loop.execute(.join(link, timeout: .seconds(max(1, min(timeout, 3_600)))))
        } catch NodeFailure.linkExpired {
            throw NodeFailure.expired(link, at: core.clock)
        } catch NodeFailure.approvalNeeded {
            throw NodeFailure.approvalNeeded(title: DisplayText.shownTitle(link.title))
        }
        try await introduce(to: link.group, history: history)
        await loop.settle()
        let state = core.engine.state(of: link.group)
        return JoinReport(
            group: link.group.description,
            title: state.map { _ in core.title(of: link.group) } ?? DisplayText.shownTitle(link.title),
            members: state?.members.count ?? 0)
    }
}

extension InviteLink {
    /// Reads the link in a text, for one purpose.
    static func read(_ text: String, for purpose: Purpose) throws -> InviteLink {
        do {
            return try InviteLink(parsing: text, purpose: purpose)
        } catch {
            guard error == .notALink, let other = InviteLink.purpose(of: text), other != purpose else {
                throw NodeFailure(error)
            }
            throw other == .device ? NodeFailure.linkForDevice : .linkForGroup
        }
    }
}

extension NodeFailure {
    /// The failure of an expired link, with this machine's clock: the clock may be the one that is wrong.
    static func expired(_ link: InviteLink, at clock: SystemClock) -> NodeFailure {
        .linkExpired(at: Timestamp(seconds: link.expiresAt).text, now: Timestamp(seconds: clock.wallTime.seconds).text)
    }
}
