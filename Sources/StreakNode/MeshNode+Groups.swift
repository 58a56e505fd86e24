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
        _ = try await execute(.keepSetting(name: Self.nameSetting, value: Array(name.utf8)))
        let drafts: [RecordDraft] = [.profile(Profile(name: name))]
        _ = try await execute(.write(sharedGroups.filter(engine.isMember).map { ($0, drafts) }))
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
        if let kept, sharedGroups.contains(kept) { return kept }
        return sharedGroups.first(where: engine.isMember) ?? sharedGroups.first
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

    /// What a new member tells a group first: the profile, and as much of its history as it chose.
    private func introduce(to group: GroupID, history: Int?) async throws {
        _ = try await execute(.keepSetting(name: Self.activeGroupSetting, value: group.bytes.array))
        let from = history.map { clock.today.adding(days: -$0) }
        let own = ownResults().filter { from == nil || $0.day >= clock.today.adding(days: -(history ?? 0)) }
        let drafts: [RecordDraft] = [.profile(Profile(name: ownName))] + own.map { .score($0) }
        _ = try await execute(.write([(group, drafts)]))
    }

    func useGroup(_ selector: String) async throws -> GroupReport {
        let group = try group(selector)
        _ = try await execute(.keepSetting(name: Self.activeGroupSetting, value: group.bytes.array))
        return groupReport(group)
    }

    func leaveGroup(_ selector: String, erasing: Bool) async throws -> GroupReport {
        let group = try group(selector)
        let title = engine.state(of: group)?.title ?? ""
        guard engine.isMember(of: group) else { throw NodeFailure.notMember(title: title) }
        do {
            _ = try await execute(.leave(group, erasing: erasing))
        } catch NodeFailure.ownerCannotLeave {
            throw NodeFailure.ownerCannotLeave(title: title)
        }
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
            behind: isMe || agrees ? 0 : nil, via: linked.first?.via.word, code: nil, devices: member.devices.count)
    }

    /// What a user is called in a group; the start of the ID until the profile has arrived.
    func name(of user: UserID, in group: GroupID) -> String {
        if user == identity.user { return ownName }
        return views[group]?.names[user] ?? "Player#\(user.description.prefix(4).uppercased())"
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
        guard case .invite(let id, _) = outcome, let report = inviteReports(of: group).first(where: { $0.id == id.description })
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
            _ = try await execute(.revokeInvite(group, invite.id))
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
            _ = try await execute(.join(link, timeout: .seconds(max(1, min(timeout, 3_600)))))
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
