import StreakEngine
import StreakMembership
import StreakWire

// The method of a service that answers each request, in the order of `RequestName`.

extension ProfileRequest {
    public func answer(on node: isolated MeshNode) async throws -> ProfileReport {
        let account = node.services.account
        return switch self {
        case .whoami: account.profile()
        case .rename(let name): try await account.rename(to: name)
        }
    }
}

extension RecoveryKeyRequest {
    public func answer(on node: isolated MeshNode) async throws -> RecoveryKeyReport {
        try node.services.account.recoveryKey()
    }
}

extension RecoveryRequest {
    public func answer(on node: isolated MeshNode) async throws -> RecoveryReport {
        switch self {
        case .confirm(let key): try node.services.account.confirmRecoveryKey(key)
        }
    }
}

extension BackupRequest {
    public func answer(on node: isolated MeshNode) async throws -> BackupReport {
        switch self {
        case .write(let file, let passphrase): try await node.services.account.backup(to: file, passphrase: passphrase)
        }
    }
}

extension DeviceRequest {
    public func answer(on node: isolated MeshNode) async throws -> DeviceListReport {
        let account = node.services.account
        return switch self {
        case .list: account.deviceList()
        case .rename(let device, let name): try await account.renameDevice(device, to: name)
        case .revoke(let device, let key): try await account.revokeDevice(device, key: key)
        }
    }
}

extension DeviceLinkRequest {
    public func answer(on node: isolated MeshNode) async throws -> DeviceLinkReport {
        try await node.services.account.deviceLink()
    }
}

extension FriendshipRequest {
    public func answer(on node: isolated MeshNode) async throws -> FriendsReport {
        let friends = node.services.friends
        switch self {
        case .list: break
        case .answer(let isAnswering): try await friends.answerToCode(isAnswering)
        case .add(let code): try await friends.addFriend(code)
        case .cancel(let code): try await node.loop.execute(.cancelFriend(Argument.friendCode(code)))
        case .approve(let user): try await friends.approveFriend(user)
        case .decline(let user): try await node.loop.execute(.declineFriend(friends.asker(user)))
        case .block(let user): try await friends.blockFriend(user)
        case .unblock(let user): try await friends.unblockFriend(user)
        case .remove(let user): try await friends.removeFriend(user)
        case .rejoin(let group): try await node.loop.execute(.acceptReturn(friends.offeredReturn(group)))
        case .dismiss(let group): try await node.loop.execute(.declineReturn(friends.offeredReturn(group)))
        }
        return try await friends.friendsReport()
    }
}

extension GroupListRequest {
    public func answer(on node: isolated MeshNode) async throws -> GroupListReport {
        let active = node.core.activeGroup
        return GroupListReport(groups: node.core.sharedGroups.map { node.core.groupReport($0, active: active) })
    }
}

extension GroupRequest {
    public func answer(on node: isolated MeshNode) async throws -> GroupReport {
        let groups = node.services.groups
        return switch self {
        case .create(let title): try await groups.createGroup(title: title)
        case .find(let selector): try groups.findGroup(selector)
        case .use(let selector): try await groups.useGroup(selector)
        case .leave(let selector, let erasing): try await groups.leaveGroup(selector, erasing: erasing)
        case .rename(let selector, let title): try await groups.renameGroup(node.core.group(selector), to: title)
        case .transfer(let selector, let user): try await groups.transfer(node.core.group(selector), to: user)
        case .heir(let selector, let user): try await groups.nameHeir(user, of: node.core.group(selector))
        case .takeOver(let selector): try await groups.takeOver(node.core.group(selector))
        }
    }
}

extension GroupSettingsRequest {
    public func answer(on node: isolated MeshNode) async throws -> GroupSettingsReport {
        let groups = node.services.groups
        return switch self {
        case .show(let selector): groups.settingsReport(of: try node.core.group(selector))
        case .change(let selector, let change): try await groups.changeSettings(of: node.core.group(selector), change)
        case .ownRules(let change): try await groups.ownRules(changed: change)
        }
    }
}

extension MemberRequest {
    public func answer(on node: isolated MeshNode) async throws -> MembersReport {
        let groups = node.services.groups
        return switch self {
        case .list(let selector): try await groups.members(of: node.core.group(selector))
        case .promote(let selector, let user):
            try await groups.setRole(of: user, to: .admin, in: node.core.group(selector))
        case .demote(let selector, let user):
            try await groups.setRole(of: user, to: .member, in: node.core.group(selector))
        case .remove(let selector, let user, let keepsInvites):
            try await groups.removeMember(user, from: node.core.group(selector), keepingInvites: keepsInvites)
        }
    }
}

extension AdmissionRequest {
    public func answer(on node: isolated MeshNode) async throws -> JoinRequestsReport {
        let groups = node.services.groups
        return switch self {
        case .list(let selector):
            JoinRequestsReport(requests: try await groups.joinRequests(of: selector.map { try node.core.group($0) }))
        case .approve(let id): try await groups.answerJoinRequest(id, admitting: true)
        case .deny(let id): try await groups.answerJoinRequest(id, admitting: false)
        }
    }
}

extension AnnulmentRequest {
    public func answer(on node: isolated MeshNode) async throws -> AnnulmentsReport {
        switch self {
        case .list(let selector): try await node.services.groups.annulments(of: node.core.group(selector))
        case .annul(let selector, let id): try await node.services.groups.annul(id, in: node.core.group(selector))
        }
    }
}

extension PersonRequest {
    public func answer(on node: isolated MeshNode) async throws -> PersonReport {
        let people = node.services.people
        switch self {
        case .member(let selector, let user):
            let group = try node.core.group(selector)
            return try await people.person(people.member(user, of: group), in: group)
        case .friend(let user):
            let pair = try await people.friendGroups(user)[0]
            return await people.person(pair.friend, in: pair.group)
        case .known(let user): return await people.report(try await people.knownPerson(user))
        }
    }
}

extension InviteRequest {
    public func answer(on node: isolated MeshNode) async throws -> InviteReport {
        let groups = node.services.groups
        return switch self {
        case .create(let selector, let uses, let lifetime, let needsApproval):
            try await groups.invite(
                to: node.core.group(selector), uses: uses, lifetime: lifetime, needsApproval: needsApproval)
        case .friends: try await groups.inviteFriends()
        }
    }
}

extension InviteListRequest {
    public func answer(on node: isolated MeshNode) async throws -> InviteListReport {
        let groups = node.services.groups
        return switch self {
        case .list(let selector): InviteListReport(invites: groups.inviteReports(of: try node.core.group(selector)))
        case .revoke(let id): try await groups.revokeInvite(id)
        }
    }
}

extension LinkRequest {
    public func answer(on node: isolated MeshNode) async throws -> InvitePreview {
        switch self {
        case .inspect(let link): try node.services.groups.inspect(link)
        }
    }
}

extension JoinRequest {
    public func answer(on node: isolated MeshNode) async throws -> JoinReport {
        switch self {
        case .join(let link, let timeout, let history):
            try await node.services.groups.join(link, timeout: timeout, history: history)
        }
    }
}

extension PrivacyRequest {
    public func answer(on node: isolated MeshNode) async throws -> PrivacyReport {
        let groups = node.services.groups
        return switch self {
        case .show(let selector): groups.privacyReport(of: try node.core.group(selector))
        case .change(let selector, let change): try await groups.changePrivacy(of: node.core.group(selector), change)
        case .stopSharing(let selector): try await groups.stopSharing(in: node.core.group(selector))
        case .resumeSharing(let selector, let history):
            try await groups.resumeSharing(in: node.core.group(selector), history: history)
        }
    }
}

extension GuestRequest {
    public func answer(on node: isolated MeshNode) async throws -> GuestReport {
        switch self {
        case .status: try await node.services.guest.status()
        case .start(let name): try await node.services.guest.start(named: name)
        case .stop(let ending): try await node.services.guest.stop(ending)
        }
    }
}

extension ScoreRequest {
    public func answer(on node: isolated MeshNode) async throws -> AddReport {
        let results = node.services.results
        return switch self {
        case .add(let text, let date, let replace, let groups, let sharingOnly):
            try await results.add(text, date: date, replacing: replace, groups: groups, sharingOnly: sharingOnly)
        case .preview(let text, let date): try results.preview(text, date: date)
        case .record(let game, let score, let isCompleted, let seconds, let date, let groups, let replace):
            try await results.record(
                game, score: score, isCompleted: isCompleted, seconds: seconds, date: date, groups: groups,
                replacing: replace)
        case .publish(let game, let date, let puzzle, let groups):
            try await results.publish(game, date: date, puzzle: puzzle, groups: groups)
        case .delete(let game, let date, let puzzle): try await results.delete(game, date: date, puzzle: puzzle)
        }
    }
}

extension UndoRequest {
    public func answer(on node: isolated MeshNode) async throws -> UndoReport {
        try await node.services.results.undo()
    }
}

extension ResultsRequest {
    public func answer(on node: isolated MeshNode) async throws -> ResultsReport {
        switch self {
        case .list(let game, let from, let to): try node.services.results.results(game: game, from: from, to: to)
        }
    }
}

extension StatusRequest {
    public func answer(on node: isolated MeshNode) async throws -> StatusReport {
        let health = node.services.health
        return switch self {
        case .status: health.status()
        case .sync: try await health.synchronise()
        }
    }
}

extension DoctorRequest {
    public func answer(on node: isolated MeshNode) async throws -> DoctorReport {
        switch self {
        case .look(let friend): try await node.services.doctor.look(for: friend)
        }
    }
}

extension InternetRequest {
    public func answer(on node: isolated MeshNode) async throws -> InternetReport {
        let internet = node.services.internet
        return switch self {
        case .show: internet.report()
        case .change(let setting, let letters, let advice):
            try await internet.change(to: setting, letters: letters, advice: advice)
        }
    }
}

extension ClockRequest {
    public func answer(on node: isolated MeshNode) async throws -> ClockReport {
        let health = node.services.health
        return switch self {
        case .show: health.clockReport()
        case .repair(let isForced): try await health.repairClock(isForced: isForced)
        }
    }
}

extension BoardRequest {
    public func answer(on node: isolated MeshNode) async throws -> BoardReport {
        try node.services.boards.board(self)
    }
}

extension StatisticsRequest {
    public func answer(on node: isolated MeshNode) async throws -> StatisticsReport {
        let boards = node.services.boards
        return switch self {
        case .show(let game, let range, let date, let group, let member, let plots):
            try await boards.statistics(
                game: game, range: range, date: date, boards.subject(member, in: group), drawn: plots)
        }
    }
}

extension StreaksRequest {
    public func answer(on node: isolated MeshNode) async throws -> StreaksReport {
        let boards = node.services.boards
        return switch self {
        case .show(let date, let group, let member):
            try await boards.streaks(date: date, boards.subject(member, in: group))
        }
    }
}

extension AchievementsRequest {
    public func answer(on node: isolated MeshNode) async throws -> AchievementsReport {
        let boards = node.services.boards
        return switch self {
        case .show(let group, let member): try await boards.achievements(of: boards.subject(member, in: group))
        case .celebrate: try await boards.celebrate()
        }
    }
}

extension RecapRequest {
    public func answer(on node: isolated MeshNode) async throws -> RecapReport {
        let boards = node.services.boards
        return switch self {
        case .show(let date, let group): try boards.recap(date: date, group: group)
        }
    }
}

extension VersusRequest {
    public func answer(on node: isolated MeshNode) async throws -> VersusReport {
        let boards = node.services.boards
        return switch self {
        case .show(let user, let game, let range, let date, let group, let plots):
            try await boards.versus(user, game: game, range: range, date: date, group: group, drawn: plots)
        }
    }
}

extension ChampionsRequest {
    public func answer(on node: isolated MeshNode) async throws -> ChampionsReport {
        let boards = node.services.boards
        return switch self {
        case .show(let period, let game, let group): try boards.champions(period, game: game, group: group)
        }
    }
}

extension EventRequest {
    public func answer(on node: isolated MeshNode) async throws -> EventReport {
        let events = node.services.events
        switch self {
        case .show(let date, let group): return try events.show(date: date, in: node.core.group(group))
        case .choose(let rule, let game, let group):
            let plan = try events.plan(Argument.eventRule(rule), game: game)
            return try await events.choose(plan, in: node.core.group(group))
        case .withdraw(let group): return try await events.choose(nil, in: node.core.group(group))
        }
    }
}

extension ShareRequest {
    public func answer(on node: isolated MeshNode) async throws -> ShareReport {
        try node.services.boards.share(self)
    }
}

extension ShareTemplateRequest {
    public func answer(on node: isolated MeshNode) async throws -> ShareTemplatesReport {
        let boards = node.services.boards
        return switch self {
        case .list: boards.templates()
        case .change(let kind, let text): try await boards.changeTemplate(kind, text: text)
        }
    }
}

extension ReminderRequest {
    public func answer(on node: isolated MeshNode) async throws -> RemindersReport {
        let reminders = node.services.reminders
        switch self {
        case .show(let plots): return reminders.report(drawn: plots)
        case .change(let change):
            try await reminders.change(change)
            return reminders.report(drawn: false)
        }
    }
}

extension GamesRequest {
    public func answer(on node: isolated MeshNode) async throws -> GamesReport {
        switch self {
        case .list(let search, let category, let favouritesOnly, let group):
            try node.services.games.games(
                search: search, category: category, favouritesOnly: favouritesOnly, group: group)
        case .remove(let game, let group): try await node.services.games.remove(game, group: group)
        }
    }
}

extension GameRequest {
    public func answer(on node: isolated MeshNode) async throws -> GameReport {
        switch self {
        case .show(let game, let group): try node.services.games.show(game, group: group)
        case .setFavourite(let game, let isFavourite): try await node.services.games.setFavourite(game, isFavourite)
        case .define(let form, let group): try await node.services.games.define(form, group: group)
        }
    }
}

extension PatternRequest {
    public func answer(on node: isolated MeshNode) async throws -> PatternReport {
        switch self {
        case .test(let form, let text): try node.services.games.test(form, text: text)
        }
    }
}

extension ExportRequest {
    public func answer(on node: isolated MeshNode) async throws -> ExportReport {
        switch self {
        case .export(let format, let game, let from, let to, let file):
            try node.services.results.export(format: format, game: game, from: from, to: to, file: file)
        }
    }
}

extension ImportRequest {
    public func answer(on node: isolated MeshNode) async throws -> ImportReport {
        switch self {
        case .load(let source, let options): try await node.services.results.load(source, options)
        case .loadChat(let source, let sender, let options):
            try await node.services.results.loadChat(source, sender: sender, options)
        }
    }
}

extension ChatRequest {
    public func answer(on node: isolated MeshNode) async throws -> ChatReport {
        switch self {
        case .inspect(let source): try node.services.results.inspectChat(source)
        }
    }
}

extension TalkRequest {
    public func answer(on node: isolated MeshNode) async throws -> TalkReport {
        let talk = node.services.talk
        return switch self {
        case .show(let result): try await talk.show(result)
        case .react(let result, let emoji): try await talk.react(to: result, with: emoji)
        case .comment(let result, let text): try await talk.comment(on: result, text)
        case .edit(let comment, let text, let group): try await talk.edit(comment, text, in: group)
        case .delete(let comment, let group): try await talk.delete(comment, in: group)
        case .hide(let comment, let isHidden, let group): try await talk.hide(comment, isHidden, in: group)
        }
    }
}

extension MuteRequest {
    public func answer(on node: isolated MeshNode) async throws -> MutedReport {
        let talk = node.services.talk
        return switch self {
        case .list(let group): talk.muted(in: try node.core.group(group))
        case .mute(let user, let group): try await talk.mute(user, true, in: node.core.group(group))
        case .unmute(let user, let group): try await talk.mute(user, false, in: node.core.group(group))
        }
    }
}

extension NotificationRequest {
    public func answer(on node: isolated MeshNode) async throws -> NotificationsReport {
        let notifications = node.services.notifications
        switch self {
        case .show: break
        case .count: return notifications.report(notices: 0)
        case .change(let change): try await notifications.change(change)
        }
        return notifications.report()
    }
}

extension FeedRequest {
    public func answer(on node: isolated MeshNode) async throws -> FeedReport {
        let activity = node.services.activity
        return switch self {
        case .show(let group, let limit): try activity.feed(of: group, limit: limit)
        case .look(let group, let limit): try await activity.look(at: group, limit: limit)
        }
    }
}

extension ChallengeRequest {
    public func answer(on node: isolated MeshNode) async throws -> ChallengesReport {
        let challenges = node.services.challenges
        return switch self {
        case .list(let group, let friend): try await challenges.list(group, against: friend)
        case .look(let result): try await challenges.look(at: result)
        case .make(let result, let friend, let lastDay, let first):
            try await challenges.make(result, to: friend, until: lastDay, givingBack: first)
        case .answer(let challenge, let accepts, let group):
            try await challenges.answer(challenge, accepts: accepts, in: group)
        case .withdraw(let challenge, let group): try await challenges.withdraw(challenge, in: group)
        }
    }
}

extension MessageRequest {
    public func answer(on node: isolated MeshNode) async throws -> MessagesReport {
        let messages = node.services.messages
        return switch self {
        case .list: messages.list()
        case .show(let user): try await messages.show(user)
        case .look(let user): try await messages.look(at: user)
        case .write(let user, let text): try await messages.write(to: user, text)
        case .edit(let message, let text): try await messages.edit(message, text)
        case .delete(let message): try await messages.delete(message)
        }
    }
}

extension PlayerRequest {
    public func answer(on node: isolated MeshNode) async throws -> PlayerReport {
        let selector: String?
        let title: String?
        switch self {
        case .show(let user, let group): (selector, title) = (user, group)
        }
        let (core, services) = (node.core, node.services)
        let group = try core.group(title)
        var user = core.identity.user
        if let selector { user = try await services.people.member(selector, of: group) }
        let shown = core.shownID(of: user, in: group)
        let numbers = try services.boards.numbers(of: user, in: group)
        let challenges = try await services.challenges.list(group.description, against: nil)
        let tally = challenges.tallies.first { $0.user == shown }
        return PlayerReport(
            group: group.description, title: core.title(of: group), user: shown, name: core.name(of: user, in: group),
            me: user == core.identity.user, online: core.isShownOnline(user, in: group), numbers: numbers,
            won: tally?.won ?? 0, lost: tally?.lost ?? 0, drawn: tally?.drawn ?? 0,
            correspondent: services.messages.correspondent(user, in: group))
    }
}
