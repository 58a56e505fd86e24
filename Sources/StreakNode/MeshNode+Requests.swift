import StreakEngine
import StreakMembership
import StreakWire

extension MeshNode {
    /// Answers one request. Throws `NodeFailure`.
    public func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
        do {
            try request.checkArguments()
            if let guest, Request.name != .guest { return try await answer(request, by: guest) }
            if configuration.isGuest, Request.name.isForHost { throw NodeFailure.guestPlaying(name: ownName) }
            return try await request.answer(on: self)
        } catch {
            throw NodeFailure(storage: error)
        }
    }
}

extension ProfileRequest {
    public func answer(on node: isolated MeshNode) async throws -> ProfileReport {
        switch self {
        case .whoami: node.profile()
        case .rename(let name): try await node.rename(to: name)
        }
    }
}

extension RecoveryKeyRequest {
    public func answer(on node: isolated MeshNode) async throws -> RecoveryKeyReport {
        try node.recoveryKey()
    }
}

extension RecoveryRequest {
    public func answer(on node: isolated MeshNode) async throws -> RecoveryReport {
        switch self {
        case .confirm(let key): try node.confirmRecoveryKey(key)
        }
    }
}

extension BackupRequest {
    public func answer(on node: isolated MeshNode) async throws -> BackupReport {
        switch self {
        case .write(let file, let passphrase): try await node.backup(to: file, passphrase: passphrase)
        }
    }
}

extension DeviceRequest {
    public func answer(on node: isolated MeshNode) async throws -> DeviceListReport {
        switch self {
        case .list: node.deviceList()
        case .revoke(let device, let key): try await node.revokeDevice(device, key: key)
        }
    }
}

extension DeviceLinkRequest {
    public func answer(on node: isolated MeshNode) async throws -> DeviceLinkReport {
        try await node.deviceLink()
    }
}

extension FriendshipRequest {
    public func answer(on node: isolated MeshNode) async throws -> FriendsReport {
        switch self {
        case .list: break
        case .answer(let isAnswering): try await node.answerToCode(isAnswering)
        case .add(let code): try await node.addFriend(code)
        case .cancel(let code): try await node.execute(.cancelFriend(Argument.friendCode(code)))
        case .approve(let user): try await node.approveFriend(user)
        case .decline(let user): try await node.execute(.declineFriend(node.asker(user)))
        case .block(let user): try await node.blockFriend(user)
        case .unblock(let user): try await node.unblockFriend(user)
        case .remove(let user): try await node.removeFriend(user)
        case .rejoin(let group): try await node.execute(.acceptReturn(node.offeredReturn(group)))
        case .dismiss(let group): try await node.execute(.declineReturn(node.offeredReturn(group)))
        }
        return try await node.friendsReport()
    }
}

extension GroupListRequest {
    public func answer(on node: isolated MeshNode) async throws -> GroupListReport {
        GroupListReport(groups: node.sharedGroups.map { node.groupReport($0) })
    }
}

extension GroupRequest {
    public func answer(on node: isolated MeshNode) async throws -> GroupReport {
        switch self {
        case .create(let title): try await node.createGroup(title: title)
        case .find(let selector): try node.findGroup(selector)
        case .use(let selector): try await node.useGroup(selector)
        case .leave(let selector, let erasing): try await node.leaveGroup(selector, erasing: erasing)
        case .rename(let selector, let title): try await node.renameGroup(node.group(selector), to: title)
        case .transfer(let selector, let user): try await node.transfer(node.group(selector), to: user)
        case .heir(let selector, let user): try await node.nameHeir(user, of: node.group(selector))
        case .takeOver(let selector): try await node.takeOver(node.group(selector))
        }
    }
}

extension GroupSettingsRequest {
    public func answer(on node: isolated MeshNode) async throws -> GroupSettingsReport {
        switch self {
        case .show(let selector): node.settingsReport(of: try node.group(selector))
        case .change(let selector, let change): try await node.changeSettings(of: node.group(selector), change)
        case .ownRules(let change): try await node.ownRules(changed: change)
        }
    }
}

extension MemberRequest {
    public func answer(on node: isolated MeshNode) async throws -> MembersReport {
        switch self {
        case .list(let selector): try await node.members(of: node.group(selector))
        case .promote(let selector, let user): try await node.setRole(of: user, to: .admin, in: node.group(selector))
        case .demote(let selector, let user): try await node.setRole(of: user, to: .member, in: node.group(selector))
        case .remove(let selector, let user, let keepsInvites):
            try await node.removeMember(user, from: node.group(selector), keepingInvites: keepsInvites)
        }
    }
}

extension AdmissionRequest {
    public func answer(on node: isolated MeshNode) async throws -> JoinRequestsReport {
        switch self {
        case .list(let selector):
            JoinRequestsReport(requests: try await node.joinRequests(of: selector.map { try node.group($0) }))
        case .approve(let id): try await node.answerJoinRequest(id, admitting: true)
        case .deny(let id): try await node.answerJoinRequest(id, admitting: false)
        }
    }
}

extension InviteRequest {
    public func answer(on node: isolated MeshNode) async throws -> InviteReport {
        switch self {
        case .create(let selector, let uses, let lifetime, let needsApproval):
            try await node.invite(
                to: node.group(selector), uses: uses, lifetime: lifetime, needsApproval: needsApproval)
        case .friends: try await node.inviteFriends()
        }
    }
}

extension InviteListRequest {
    public func answer(on node: isolated MeshNode) async throws -> InviteListReport {
        switch self {
        case .list(let selector): InviteListReport(invites: node.inviteReports(of: try node.group(selector)))
        case .revoke(let id): try await node.revokeInvite(id)
        }
    }
}

extension LinkRequest {
    public func answer(on node: isolated MeshNode) async throws -> InvitePreview {
        switch self {
        case .inspect(let link): try node.inspect(link)
        }
    }
}

extension JoinRequest {
    public func answer(on node: isolated MeshNode) async throws -> JoinReport {
        switch self {
        case .join(let link, let timeout, let history): try await node.join(link, timeout: timeout, history: history)
        }
    }
}

extension PrivacyRequest {
    public func answer(on node: isolated MeshNode) async throws -> PrivacyReport {
        switch self {
        case .show(let selector): node.privacyReport(of: try node.group(selector))
        case .change(let selector, let change): try await node.changePrivacy(of: node.group(selector), change)
        case .stopSharing(let selector): try await node.stopSharing(in: node.group(selector))
        case .resumeSharing(let selector, let history):
            try await node.resumeSharing(in: node.group(selector), history: history)
        }
    }
}

extension ScoreRequest {
    public func answer(on node: isolated MeshNode) async throws -> AddReport {
        switch self {
        case .add(let text, let date, let replace, let groups, let sharingOnly):
            try await node.add(text, date: date, replacing: replace, groups: groups, sharingOnly: sharingOnly)
        case .preview(let text, let date): try node.preview(text, date: date)
        case .record(let game, let score, let isCompleted, let seconds, let date, let groups, let replace):
            try await node.record(
                game, score: score, isCompleted: isCompleted, seconds: seconds, date: date, groups: groups,
                replacing: replace)
        case .publish(let game, let date, let puzzle, let groups):
            try await node.publish(game, date: date, puzzle: puzzle, groups: groups)
        case .delete(let game, let date, let puzzle): try await node.delete(game, date: date, puzzle: puzzle)
        }
    }
}

extension UndoRequest {
    public func answer(on node: isolated MeshNode) async throws -> UndoReport {
        try await node.undo()
    }
}

extension ResultsRequest {
    public func answer(on node: isolated MeshNode) async throws -> ResultsReport {
        switch self {
        case .list(let game, let from, let to): try node.results(game: game, from: from, to: to)
        }
    }
}

extension BoardRequest {
    public func answer(on node: isolated MeshNode) async throws -> BoardReport {
        try node.board(self)
    }
}

extension StatusRequest {
    public func answer(on node: isolated MeshNode) async throws -> StatusReport {
        switch self {
        case .status: node.status()
        case .sync: try await node.synchronise()
        }
    }
}

extension ClockRequest {
    public func answer(on node: isolated MeshNode) async throws -> ClockReport {
        switch self {
        case .show: node.clockReport()
        case .repair(let isForced): try await node.repairClock(isForced: isForced)
        }
    }
}
