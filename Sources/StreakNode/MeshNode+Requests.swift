import StreakEngine
import StreakMembership
import StreakWire

extension MeshNode {
    /// Answers one request. Throws `NodeFailure`.
    public func call<Report: Codable & Sendable>(
        _ request: NodeRequest, returning type: Report.Type
    ) async throws -> Report {
        let report: any Sendable
        do {
            try request.checkArguments()
            report = try await answer(request)
        } catch {
            throw NodeFailure(storage: error)
        }
        guard let report = report as? Report else {
            throw NodeFailure.invalidRequest("the answer is no \(type)")
        }
        return report
    }

    private func answer(_ request: NodeRequest) async throws -> any Sendable {
        if let guest { return try await answer(request, for: guest) }
        return switch request {
        case .profile(let request): try await answer(request)
        case .account(let request): try await answer(request)
        case .device(let request): try await answer(request)
        case .friend(let request): try await answer(request)
        case .group(let request): try await answer(request)
        case .member(let request): try await answer(request)
        case .person(let request): try await answer(request)
        case .invite(let request): try await answer(request)
        case .privacy(let request): try await answer(request)
        case .guest(let request): try await answer(request)
        case .score(let request): try await answer(request)
        case .board(let request): try board(request)
        case .insight(let request): try await answer(request)
        case .reminder(let request): try await answer(request)
        case .game(let request): try await answer(request)
        case .exchange(let request): try await answer(request)
        case .network(let request): try await answer(request)
        }
    }

    private func answer(_ request: ProfileRequest) async throws -> any Sendable {
        switch request {
        case .whoami: profile()
        case .rename(let name): try await rename(to: name)
        }
    }

    private func answer(_ request: AccountRequest) async throws -> any Sendable {
        switch request {
        case .showRecoveryKey: try recoveryKey()
        case .confirmRecoveryKey(let key): try confirmRecoveryKey(key)
        case .backup(let file, let passphrase): try await backup(to: file, passphrase: passphrase)
        }
    }

    private func answer(_ request: DeviceRequest) async throws -> any Sendable {
        switch request {
        case .list: deviceList()
        case .revoke(let device, let key): try await revokeDevice(device, key: key)
        case .link: try await deviceLink()
        }
    }

    private func answer(_ request: FriendshipRequest) async throws -> FriendsReport {
        switch request {
        case .list: break
        case .answer(let isAnswering): try await answerToCode(isAnswering)
        case .add(let code): try await addFriend(code)
        case .cancel(let code): try await execute(.cancelFriend(Argument.friendCode(code)))
        case .approve(let user): try await approveFriend(user)
        case .decline(let user): try await execute(.declineFriend(asker(user)))
        case .block(let user): try await blockFriend(user)
        case .unblock(let user): try await unblockFriend(user)
        case .remove(let user): try await removeFriend(user)
        case .rejoin(let group): try await execute(.acceptReturn(offeredReturn(group)))
        case .dismiss(let group): try await execute(.declineReturn(offeredReturn(group)))
        }
        return try await friendsReport()
    }

    private func answer(_ request: GroupRequest) async throws -> any Sendable {
        switch request {
        case .list: GroupListReport(groups: sharedGroups.map(groupReport))
        case .create(let title): try await createGroup(title: title)
        case .find(let selector): try findGroup(selector)
        case .use(let selector): try await useGroup(selector)
        case .leave(let selector, let erasing): try await leaveGroup(selector, erasing: erasing)
        case .rename(let selector, let title): try await renameGroup(group(selector), to: title)
        case .settings(let selector): settingsReport(of: try group(selector))
        case .changeSettings(let selector, let change): try await changeSettings(of: group(selector), change)
        case .ownRules(let change): try await ownRules(changed: change)
        case .transfer(let selector, let user): try await transfer(group(selector), to: user)
        case .heir(let selector, let user): try await nameHeir(user, of: group(selector))
        case .takeOver(let selector): try await takeOver(group(selector))
        }
    }

    private func answer(_ request: MemberRequest) async throws -> any Sendable {
        switch request {
        case .list(let selector): try await members(of: group(selector))
        case .promote(let selector, let user): try await setRole(of: user, to: .admin, in: group(selector))
        case .demote(let selector, let user): try await setRole(of: user, to: .member, in: group(selector))
        case .remove(let selector, let user, let keepsInvites):
            try await removeMember(user, from: group(selector), keepingInvites: keepsInvites)
        case .requests(let selector):
            JoinRequestsReport(requests: try await joinRequests(of: selector.map { try group($0) }))
        case .approve(let id): try await answerJoinRequest(id, admitting: true)
        case .deny(let id): try await answerJoinRequest(id, admitting: false)
        }
    }

    private func answer(_ request: InviteRequest) async throws -> any Sendable {
        switch request {
        case .create(let selector, let uses, let lifetime, let needsApproval):
            try await invite(to: group(selector), uses: uses, lifetime: lifetime, needsApproval: needsApproval)
        case .friends: try await inviteFriends()
        case .list(let selector): InviteListReport(invites: inviteReports(of: try group(selector)))
        case .revoke(let id): try await revokeInvite(id)
        case .inspect(let link): try inspect(link)
        case .join(let link, let timeout, let history): try await join(link, timeout: timeout, history: history)
        }
    }

    private func answer(_ request: PrivacyRequest) async throws -> any Sendable {
        switch request {
        case .show(let selector): privacyReport(of: try group(selector))
        case .change(let selector, let change): try await changePrivacy(of: group(selector), change)
        case .stopSharing(let selector): try await stopSharing(in: group(selector))
        case .resumeSharing(let selector, let history): try await resumeSharing(in: group(selector), history: history)
        }
    }

    private func answer(_ request: GuestRequest) async throws -> any Sendable {
        switch request {
        case .status: try await guestStatus()
        case .start(let name): try await startGuest(named: name)
        case .stop(let ending): try await stopGuest(ending)
        }
    }

    private func answer(_ request: ScoreRequest) async throws -> any Sendable {
        switch request {
        case .add(let text, let date, let replace, let groups, let sharingOnly):
            try await add(text, date: date, replacing: replace, groups: groups, sharingOnly: sharingOnly)
        case .preview(let text, let date): try preview(text, date: date)
        case .record(let game, let score, let isCompleted, let seconds, let date, let groups, let replace):
            try await record(
                game, score: score, isCompleted: isCompleted, seconds: seconds, date: date, groups: groups,
                replacing: replace)
        case .publish(let game, let date, let puzzle, let groups):
            try await publish(game, date: date, puzzle: puzzle, groups: groups)
        case .delete(let game, let date, let puzzle): try await delete(game, date: date, puzzle: puzzle)
        case .undo: try await undo()
        case .results(let game, let from, let to): try results(game: game, from: from, to: to)
        case .games: try games(search: nil, category: nil, favouritesOnly: false, group: nil)
        }
    }

    private func answer(_ request: NetworkRequest) async throws -> any Sendable {
        switch request {
        case .status: status()
        case .clock: clockReport()
        case .repairClock(let isForced): try await repairClock(isForced: isForced)
        case .sync: try await synchronise()
        }
    }
}
