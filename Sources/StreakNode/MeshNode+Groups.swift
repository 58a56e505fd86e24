import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Who and with whom: the profile, groups, members and invites.
extension MeshNode {
    // MARK: Profile

    func profile() -> ProfileReport {
        ProfileReport(
            user: identity.user.description, device: identity.device.description, name: ownName,
            friendCode: text(of: Self.friendCodeSetting) ?? "")
    }

    var ownName: String { text(of: Self.nameSetting) ?? "" }

    private func text(of setting: String) -> String? {
        engine.setting(setting).map { String(decoding: $0, as: UTF8.self) }
    }

    func rename(to name: String) async throws -> ProfileReport {
        guard let name = DisplayText.validated(name, maximumLength: ProtocolLimits.maximumNameLength) else {
            throw NodeFailure.invalidName(limit: ProtocolLimits.maximumNameLength)
        }
        let drafts: [RecordDraft] = [.profile(Profile(name: name))]
        try await execute(
            .write(sharedGroups.filter(engine.isMember).map { ($0, drafts) }),
            with: .keepSetting(name: Self.nameSetting, value: Array(name.utf8)))
        return profile()
    }

    // MARK: Groups

    /// The group of one user in which this user's devices keep their own results.
    var privateGroup: GroupID? { engine.setting(Self.privateGroupSetting).flatMap { GroupID($0) } }

    /// Groups shared with others, in the order of their titles.
    var sharedGroups: [GroupID] {
        engine.groupIDs.filter { $0 != privateGroup }.sorted { left, right in
            let titles = (engine.state(of: left)?.title ?? "", engine.state(of: right)?.title ?? "")
            return titles.0 == titles.1 ? left < right : titles.0 < titles.1
        }
    }

    /// The group that commands mean which name none.
    var activeGroup: GroupID? {
        let kept = engine.setting(Self.activeGroupSetting).flatMap { GroupID($0) }
        if let kept, engine.isMember(of: kept) { return kept }
        return sharedGroups.first(where: engine.isMember)
    }

    /// The group that a title, an ID or a prefix of either names; the active one for nil.
    func group(_ selector: String?) throws -> GroupID {
        guard let selector, !selector.isEmpty else {
            guard let active = activeGroup else { throw NodeFailure.noGroup }
            return active
        }
        let wanted = selector.lowercased()
        func titled(_ test: (String) -> Bool) -> [GroupID] {
            sharedGroups.filter { test((engine.state(of: $0)?.title ?? "").lowercased()) }
        }
        let candidates = [
            sharedGroups.filter { $0.description == wanted }, titled { $0 == wanted },
            sharedGroups.filter { $0.description.hasPrefix(wanted) }, titled { $0.hasPrefix(wanted) },
        ]
        guard let found = candidates.first(where: { !$0.isEmpty }) else { throw NodeFailure.unknownGroup(selector) }
        guard found.count == 1 else {
            throw NodeFailure.ambiguousGroup(
                selector,
                candidates: found.map { "\(engine.state(of: $0)?.title ?? "") (\($0.description.prefix(8)))" })
        }
        return found[0]
    }

    func groupReport(_ group: GroupID) -> GroupReport {
        let state = engine.state(of: group)
        return GroupReport(
            id: group.description, title: state?.title ?? "", role: roleWord(in: group),
            members: state?.members.count ?? 0, active: group == activeGroup)
    }

    private func roleWord(in group: GroupID) -> String {
        guard let state = engine.state(of: group) else { return "removed" }
        if let role = state.role(of: identity.user) { return role.word }
        return state.removedUsers.first { $0.user == identity.user }?.hasLeft ?? false ? "left" : "removed"
    }

    func createGroup(title: String) async throws -> GroupReport {
        guard let title = DisplayText.validated(title, maximumLength: ProtocolLimits.maximumTitleLength) else {
            throw NodeFailure.invalidTitle(limit: ProtocolLimits.maximumTitleLength)
        }
        guard case .group(let group) = try await execute(.foundGroup(title: title)) else {
            throw NodeFailure.storageFailed("no group was made")
        }
        try await introduce(to: group, history: 0)
        return groupReport(group)
    }

    /// Makes a group the active one and tells it who this user is, with as much of the history as it chose: the results of
    /// `history` days back from today, nil for all.
    private func introduce(to group: GroupID, history: Int?) async throws {
        let from = history.map { clock.today.adding(days: -min(max($0, 0), Self.longestHistory)) }
        let own = ownResults().filter { result in from.map { result.day >= $0 } ?? true }
        let drafts: [RecordDraft] = [.profile(Profile(name: ownName))] + own.map { .score($0) }
        try await execute(
            .write([(group, drafts)]), with: .keepSetting(name: Self.activeGroupSetting, value: group.bytes.array))
    }

    /// A hundred years, in days.
    private static let longestHistory = 36_525

    /// Tells every group this user's name that does not know it: a process that ended between joining and introducing
    /// itself makes up for it at the next start.
    func introduceWhereUnknown() {
        let drafts: [RecordDraft] = [.profile(Profile(name: ownName))]
        let unknown = sharedGroups.filter { engine.isMember(of: $0) && views[$0]?.names[identity.user] != ownName }
        guard !unknown.isEmpty else { return }
        feed(.command(takeCommandID(), .write(unknown.map { ($0, drafts) })))
        process()
    }

    func useGroup(_ selector: String) async throws -> GroupReport {
        let group = try group(selector)
        try await execute(.keepSetting(name: Self.activeGroupSetting, value: group.bytes.array))
        return groupReport(group)
    }

    func leaveGroup(_ selector: String, erasing: Bool) async throws -> GroupReport {
        let group = try group(selector)
        let title = engine.state(of: group)?.title ?? ""
        guard engine.isMember(of: group) else { throw NodeFailure.notMember(title: title) }
        if let state = engine.state(of: group), state.members.count == 1, state.owner == identity.user {
            // Nobody else is in it: there is nobody to tell, and nothing to hand over.
            let report = GroupReport(id: group.description, title: title, role: "left", members: 0, active: false)
            try await execute(.forgetGroup(group))
            views[group] = nil
            inbox.publish(.groupsChanged)
            return report
        }
        do {
            try await execute(.leave(group, erasing: erasing))
        } catch NodeFailure.ownerCannotLeave {
            throw NodeFailure.ownerCannotLeave(title: title)
        }
        await settle(waitingForLinks: true)
        return groupReport(group)
    }

    // MARK: Members

    func members(of group: GroupID) -> MembersReport {
        let state = engine.state(of: group)
        let linked = engine.linkedDevices
        let reports = (state?.members ?? []).map { member in
            memberReport(member, in: group, linked: linked.filter { member.devices.contains($0.device) })
        }
        return MembersReport(
            group: group.description, title: state?.title ?? "",
            members: reports.sorted { ($0.me ? 0 : 1, $0.name, $0.user) < ($1.me ? 0 : 1, $1.name, $1.user) })
    }

    private func memberReport(
        _ member: GroupState.Member, in group: GroupID, linked: [MeshEngine.LinkedDevice]
    ) -> MemberReport {
        let isMe = member.user == identity.user
        let agrees = linked.contains { $0.agreeing.contains(group) }
        let seen = linked.isEmpty ? views[group]?.lastSeen[member.user] : clock.wallTime.seconds
        return MemberReport(
            user: member.user.description, name: name(of: member.user, in: group), role: member.role.word, me: isMe,
            online: isMe ? network != nil : !linked.isEmpty, lastSeen: seen.map(Timestamp.text),
            behind: isMe || agrees ? 0 : nil, via: linked.first?.via.word,
            code: isMe ? text(of: Self.friendCodeSetting) : nil, devices: member.devices.count)
    }

    /// What a user is called in a group; the start of the ID until the profile has arrived. Equal names get four
    /// characters of the friend code (product-rules 40).
    func name(of user: UserID, in group: GroupID) -> String {
        let name = plainName(of: user, in: group)
        guard let members = engine.state(of: group)?.members else { return name }
        let folded = name.lowercased()
        let isShared = members.contains { $0.user != user && plainName(of: $0.user, in: group).lowercased() == folded }
        return isShared ? "\(name) (\(codeStart(of: user)))" : name
    }

    private func plainName(of user: UserID, in group: GroupID) -> String {
        if user == identity.user { return ownName }
        return views[group]?.names[user] ?? "Player#\(user.description.prefix(4).uppercased())"
    }

    /// The first group of a user's friend code. A slow hash, so it is made once for each of the few it is needed for.
    private func codeStart(of user: UserID) -> String {
        if let known = codeStarts[user] { return known }
        // Without memory for the hash the ID's start has to do.
        let start = (try? FriendCode(of: user)).map { String($0.description.prefix(4)) }
        codeStarts[user] = start ?? String(user.description.prefix(4).uppercased())
        return codeStarts[user] ?? ""
    }

    // MARK: Invites

    func invite(to group: GroupID, uses: Int, lifetime: Int64) async throws -> InviteReport {
        guard (0...1_000_000).contains(uses) else {
            throw NodeFailure.invalidInvite(reason: "the number of uses is 1 to 1,000,000, or 0 for unlimited")
        }
        guard (1...Ledger.maximumInviteLifetime).contains(lifetime) else {
            throw NodeFailure.invalidInvite(reason: "an invite lasts at most 90 days")
        }
        guard engine.isMember(of: group) else {
            throw NodeFailure.notMember(title: engine.state(of: group)?.title ?? "")
        }
        let outcome = try await execute(.invite(group, uses: UInt32(uses), lifetime: lifetime))
        guard case .invite(let id, _) = outcome,
            let report = inviteReports(of: group).first(where: { $0.id == id.description })
        else { throw NodeFailure.storageFailed("no invite was made") }
        return report
    }

    /// One step to a link: a group where there is none, the live invite where there is one (B8).
    func inviteFriends() async throws -> InviteReport {
        if activeGroup == nil { _ = try await createGroup(title: "Friends") }
        let group = try group(nil)
        if let live = inviteReports(of: group).first { return live }
        return try await invite(to: group, uses: 1, lifetime: 7 * 86_400)
    }

    /// The live invites whose links this node keeps.
    func inviteReports(of group: GroupID) -> [InviteReport] {
        guard let state = engine.state(of: group) else { return [] }
        return state.invites.filter { $0.isLive(at: clock.wallTime.seconds) }.compactMap { invite in
            guard let link = engine.link(ofInvite: invite.id, in: group) else { return nil }
            return InviteReport(
                link: link, id: invite.id.description, expires: Timestamp.text(invite.expiresAt),
                uses: invite.maximumUses == 0 ? nil : Int(invite.maximumUses), used: invite.used,
                group: group.description, title: state.title)
        }.sorted { ($0.expires, $0.id) > ($1.expires, $1.id) }
    }

    func revokeInvite(_ id: String) async throws -> InviteListReport {
        for group in sharedGroups {
            let matches = (engine.state(of: group)?.invites ?? []).filter {
                !$0.isRevoked && !id.isEmpty && $0.id.description.hasPrefix(id.lowercased())
            }
            guard let invite = matches.first else { continue }
            guard matches.count == 1 else { throw NodeFailure.unknownInvite(id) }
            try await execute(.revokeInvite(group, invite.id))
            return InviteListReport(invites: inviteReports(of: group))
        }
        throw NodeFailure.unknownInvite(id)
    }

    func inspect(_ text: String) throws -> InvitePreview {
        let link: InviteLink
        do { link = try InviteLink(parsing: text) } catch { throw NodeFailure(error) }
        return InvitePreview(
            group: link.group.description, title: link.title, inviter: link.inviter.description,
            expires: Timestamp.text(link.expiresAt), expired: link.isExpired(at: clock.wallTime.seconds),
            alreadyMember: engine.isMember(of: link.group))
    }

    func join(_ text: String, timeout: Int64, history: Int?) async throws -> JoinReport {
        let link: InviteLink
        do { link = try InviteLink(parsing: text) } catch { throw NodeFailure(error) }
        guard !link.isExpired(at: clock.wallTime.seconds) else {
            throw NodeFailure.linkExpired(at: Timestamp.text(link.expiresAt))
        }
        do {
            try await execute(.join(link, timeout: .seconds(max(1, min(timeout, 3_600)))))
        } catch NodeFailure.linkExpired {
            throw NodeFailure.linkExpired(at: Timestamp.text(link.expiresAt))
        }
        try await introduce(to: link.group, history: history)
        await settle()
        let state = engine.state(of: link.group)
        return JoinReport(
            group: link.group.description, title: state?.title ?? link.title, members: state?.members.count ?? 0)
    }
}

extension GroupState.Role {
    /// The word for people and scripts.
    var word: String {
        switch self {
        case .owner: "owner"
        case .admin: "admin"
        case .member: "member"
        }
    }
}
