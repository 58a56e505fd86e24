import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Who is in a group, who waits to be admitted, and who was in it.
extension Groups {
    func members(of group: GroupID) async throws -> MembersReport {
        let named = (core.engine.state(of: group)?.members.map(\.user) ?? []).filter {
            !core.isAnonymous($0, in: group)
        }
        await people.computeCodes(of: named)
        let names = core.names(in: group)
        guard let state = core.engine.state(of: group) else { throw NodeFailure.noGroup() }
        let linked = core.engine.linkedDevices
        let reports = state.members.map { member in
            report(of: member, in: group, state, names, linked.filter { member.devices.contains($0.device) })
        }
        return MembersReport(
            group: group.description, title: core.title(of: group),
            members: reports.sorted { ($0.me ? 0 : 1, $0.name, $0.user) < ($1.me ? 0 : 1, $1.name, $1.user) },
            waiting: try await joinRequests(of: group),
            former: state.removedUsers.map { former($0, in: group, state, names) }
        )
    }

    private func report(
        of member: GroupState.Member, in group: GroupID, _ state: GroupState, _ names: [UserID: String],
        _ linked: [MeshEngine.LinkedDevice]
    ) -> MemberReport {
        let isMe = member.user == core.identity.user
        let profile = core.profile(of: member.user, in: group)
        let isAnonymous = profile?.isAnonymous ?? false
        let isSilent = !isMe && (profile?.isLastSeenHidden ?? false)
        let isReached = !linked.isEmpty || core.isOnline(member.user, in: group)
        let seen = isReached ? core.clock.wallTime.seconds : core.lastSeen(member.user, in: group)
        let told = isSilent || isAnonymous || isMe ? nil : newestWhereabouts(of: member.devices)
        return MemberReport(
            user: core.shownID(of: member.user, in: group), name: names[member.user] ?? "", role: member.role.word,
            me: isMe,
            online: isMe ? core.isServing : isReached && !isSilent,
            lastSeen: isSilent ? nil : seen.map { Timestamp(seconds: $0).text },
            behind: isMe ? 0 : isSilent ? nil : behind(member.devices, in: group, linked),
            via: isSilent || !isReached || isMe ? nil : linked.first?.via.word ?? "member",
            by: isSilent || !linked.isEmpty ? nil : core.relay(to: member.devices, in: group, names),
            code: isAnonymous ? nil : core.knownCode(of: member.user),
            devices: isAnonymous ? 0 : member.devices.count, anonymous: isAnonymous, hidden: profile?.isHidden ?? false,
            region: profile.flatMap { $0.region.isEmpty ? nil : $0.region },
            since: Timestamp(seconds: member.admittedAt).text, admittedBy: names[member.admitter],
            invite: member.invite?.description, heir: state.heir == member.user,
            path: isSilent || isAnonymous || isMe ? nil : linked.first?.path.rawValue,
            linkedSince: isSilent || isMe ? nil : linked.map(\.openedAt).min().map(core.timeText),
            toldAt: told.map { Timestamp(seconds: core.clock.wallTime.seconds - $0.age.components.seconds).text },
            toldInNote: told.map { core.engine.wasFoundByNotice($0.device) } ?? false,
            looking: !isMe && !isReached && member.devices.contains(where: core.engine.isLookingFor))
    }

    /// Which of a member's devices has last said where it is, and how long ago.
    private func newestWhereabouts(of devices: [DeviceID]) -> (device: DeviceID, age: Duration)? {
        devices.compactMap { device in
            core.engine.whereabouts(of: device, at: core.clock.now).map { (device: device, age: $0.age) }
        }.min { ($0.age, $0.device) < ($1.age, $1.device) }
    }

    /// How many records the most up-to-date of a member's devices lacks; nil if none has reported.
    private func behind(_ devices: [DeviceID], in group: GroupID, _ linked: [MeshEngine.LinkedDevice]) -> Int? {
        if linked.contains(where: { $0.agreeing.contains(group) }) { return 0 }
        return devices.compactMap { core.engine.behind($0, in: group) }.min()
    }

    private func former(
        _ former: GroupState.FormerMember, in group: GroupID, _ state: GroupState, _ names: [UserID: String]
    ) -> FormerMemberReport {
        let origin = core.engine.origin(of: former.removedBy, in: group)
        return FormerMemberReport(
            user: core.shownID(of: former.user, in: group), name: names[former.user] ?? "",
            reason: former.hasLeft ? "left" : "removed", erased: state.isErased(former.user),
            ended: origin.map { Timestamp(seconds: $0.time).text },
            endedBy: former.hasLeft ? nil : origin.flatMap { names[$0.user] })
    }

    func setRole(of selector: String, to role: GroupState.Role, in group: GroupID) async throws -> MembersReport {
        let user = try await people.member(selector, of: group)
        let action = role == .admin ? "promote a member" : "demote an admin"
        guard user != core.identity.user || core.engine.state(of: group)?.owner != user else {
            throw owning(user, in: group, action: action)
        }
        guard core.engine.state(of: group)?.role(of: user) != role else {
            throw NodeFailure.alreadyRole(name: core.name(of: user, in: group), role: role.word)
        }
        try await decide(.setRole(group, user, role == .admin ? .admin : .member), in: group, action: action)
        return try await members(of: group)
    }

    func removeMember(
        _ selector: String, from group: GroupID, keepingInvites: Bool
    ) async throws -> MembersReport {
        let action = "remove this member"
        let user = try await people.member(selector, of: group)
        guard user != core.identity.user else { throw NodeFailure.notAllowed(action: action, reason: .leaves) }
        guard user != core.engine.state(of: group)?.owner else {
            throw NodeFailure.notAllowed(action: action, reason: .ownerStays)
        }
        let reports = inviteReports(of: group)
        try await decide(.remove(group, user, keepingOthersInvites: keepingInvites), in: group, action: action)
        let ended = Set((core.engine.state(of: group)?.invites ?? []).filter(\.isRevoked).map(\.id.description))
        var report = try await members(of: group)
        report.endedInvites = reports.filter { ended.contains($0.id) }
        return report
    }

    // MARK: Newcomers who wait

    /// The open requests of a group; of all groups, if it is nil.
    func joinRequests(of group: GroupID?) async throws -> [JoinRequestReport] {
        let groups = group.map { [$0] } ?? core.sharedGroups.filter(core.engine.isMember)
        await people.computeCodes(of: groups.flatMap(core.engine.openRequests).map(\.claim.certificate.user))
        return groups.flatMap { group in
            let names = core.names(in: group)
            return core.engine.openRequests(in: group).map { request in
                let user = request.claim.certificate.user
                return JoinRequestReport(
                    id: request.id.description, group: group.description, title: core.title(of: group),
                    user: user.description, code: core.knownCode(of: user), invite: request.claim.invite.description,
                    takenBy: names[request.responder] ?? "", denied: core.engine.isDenied(request.claim, in: group))
            }
        }
    }

    func answerJoinRequest(_ id: String, admitting: Bool) async throws -> JoinRequestsReport {
        let wanted = id.lowercased()
        let found = core.sharedGroups.filter(core.engine.isMember).flatMap { group in
            core.engine.openRequests(in: group).map(\.id).filter { !wanted.isEmpty && $0.description.hasPrefix(wanted) }
                .map { (group, $0) }
        }
        guard let (group, request) = found.first, found.count == 1 else { throw NodeFailure.unknownRequest(id) }
        try await decide(
            admitting ? .admit(group, request: request) : .denyRequest(group, request: request), in: group,
            action: admitting ? "let somebody in" : "turn somebody down")
        return JoinRequestsReport(requests: try await joinRequests(of: nil))
    }
}
