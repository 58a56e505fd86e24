@testable import StreakNode

/// The fake node's answers about members, friends, machines, privacy and guests.
extension FakeNode {
    static let friendUser = user(20)
    static let askerUser = user(21)
    static let blockedUser = user(22)
    static let laptop = user(41)
    static let key = "K7Q2-M9XD-R4TV-BN3H-J8W5-C1ZY-PA06-EGFS-K7Q2-M9XD-R4TV-BN3H-J8W5-C1ZY"

    func answer(_ request: MemberRequest) -> MembersReport {
        switch request {
        case .remove(_, let user, _): removing(user, from: members)
        case .list, .promote, .demote: members
        }
    }

    private func removing(_ user: String, from report: MembersReport) -> MembersReport {
        var report = report
        report.members.removeAll { $0.user == user }
        return report
    }

    var waiting: [JoinRequestReport] {
        guard scenario == .full || scenario == .outsider || scenario == .hostile else { return [] }
        return [
            JoinRequestReport(
                id: "77aa", group: Self.group, title: title, user: Self.user(23), code: "2M9X-7K3M-42WD",
                invite: "a1b2c3", takenBy: name(0)),
            JoinRequestReport(
                id: "88bb", group: Self.group, title: title, user: Self.user(22), code: nil, invite: "a1b2c3",
                takenBy: name(0), denied: true),
        ]
    }

    var former: [FormerMemberReport] {
        guard scenario != .silent else { return [] }
        return [
            FormerMemberReport(user: Self.user(24), name: name(24), reason: "left", erased: true),
            FormerMemberReport(
                user: Self.user(25), name: name(25), reason: "removed", erased: false,
                ended: "2026-11-19T10:00:00Z", endedBy: name(0)),
        ]
    }

    private var takeover: GroupSettingsReport.Takeover? {
        switch scenario {
        case .outsider: .asHeir
        case .hostile: .back
        default: nil
        }
    }

    var settings: GroupSettingsReport {
        GroupSettingsReport(
            group: Self.group, title: title, invites: "admins", spoilerGuard: true,
            heir: scenario == .silent ? nil : name(2), takeover: takeover)
    }

    func privacy(of group: String?) -> PrivacyReport {
        let isAlias = scenario == .outsider
        return PrivacyReport(
            group: group ?? Self.group, title: groups.first { $0.id == group }?.title ?? title, anonymous: isAlias,
            name: isAlias ? "Player#A1B2" : name(1), user: isAlias ? Self.user(60) : Self.user(1),
            alias: scenario == .hostile ? Self.script : nil, hidden: isAlias,
            region: scenario == .hostile ? Self.script : isAlias ? "FR" : nil, lastSeen: !isAlias, sharing: !isAlias,
            unshared: isAlias ? ["mini", "strands"] : [], published: 1_204,
            heldBack: isAlias ? 31 : scenario == .unconfirmed ? 2 : 0)
    }

    var friends: FriendsReport {
        guard scenario != .silent, scenario != .lonely else {
            return FriendsReport(
                code: "7K2M-9QXD-R4TV", answering: scenario == .lonely, friends: [], sent: [], received: [], blocked: []
            )
        }
        let until = "2026-11-28T09:30:00Z"
        return FriendsReport(
            code: "7K2M-9QXD-R4TV", answering: scenario != .outsider,
            friends: [
                FriendReport(
                    user: Self.friendUser, name: name(4), code: "9XDR-4TV7-K2MQ", online: true, group: Self.group,
                    title: "Ben and \(name(4))"),
                FriendReport(
                    user: Self.user(26), name: "Player#C3D4", code: nil, online: false, group: Self.user(51),
                    title: "Lunch", pair: false),
            ],
            sent: [
                SentFriendReport(code: "4TV7-K2M9-QXDR", state: "looking", asked: "2026-11-21T09:00:00Z", until: until),
                SentFriendReport(code: "XDR4-TV7K-2M9Q", state: "pending", asked: "2026-11-21T09:00:00Z", until: until),
                SentFriendReport(code: "M9QX-DR4T-V7K2", state: "joining", asked: "2026-11-21T09:00:00Z", until: until),
                SentFriendReport(
                    code: "V7K2-M9QX-DR4T", state: "declined", asked: "2026-11-21T09:00:00Z", until: until),
            ],
            received: [
                ReceivedFriendReport(
                    user: Self.askerUser, name: name(3), code: "QXDR-4TV7-K2M9", state: "pending",
                    asked: "2026-11-21T09:10:00Z"),
                ReceivedFriendReport(
                    user: Self.user(27), name: name(5), code: "DR4T-V7K2-M9QX", state: "approved",
                    asked: "2026-11-20T09:10:00Z"),
            ],
            blocked: [BlockedReport(user: Self.blockedUser, code: nil, name: "Gil")],
            returns: [
                ReturnReport(
                    group: Self.user(55), title: scenario == .hostile ? Self.script : "Breakfast club", members: 4,
                    friend: Self.friendUser, code: "9XDR-4TV7-K2MQ", offered: "2026-11-21T09:10:00Z"),
                ReturnReport(
                    group: Self.user(56), title: "Two of us", members: 1, friend: Self.user(26), code: nil,
                    offered: "2026-11-20T09:10:00Z"),
            ])
    }

    /// Nil for other requests.
    func answerAboutAccount(_ request: any NodeRequest) throws -> (any Sendable)? {
        switch request {
        case is RecoveryKeyRequest:
            guard scenario == .unconfirmed || scenario == .newcomer else { throw NodeFailure.recoveryKeyNeeded }
            return RecoveryKeyReport(user: Self.user(1), key: Self.key)
        case RecoveryRequest.confirm(let key) as RecoveryRequest:
            guard key == Self.key else {
                throw NodeFailure.invalidRecoveryKey(reason: "it has 3 symbols instead of 56")
            }
            return RecoveryReport(recoveryConfirmed: true)
        case BackupRequest.write(let file, let passphrase) as BackupRequest:
            guard passphrase.count >= 8 else { throw NodeFailure.weakPassphrase(minimum: 8) }
            return BackupReport(file: file, bytes: 2_400_000)
        case is DeviceRequest:
            return DeviceListReport(devices: [
                DeviceReport(
                    device: Self.user(40), this: true, state: "current", online: true, certifiedBy: "account",
                    origin: "account"),
                DeviceReport(
                    device: Self.laptop, name: scenario == .hostile ? Self.script : "laptop", this: false,
                    state: "current", online: false,
                    lastSeen: "2026-11-19T09:30:00Z", certifiedBy: Self.user(40), origin: "device",
                    sharesPrivate: scenario != .unconfirmed),
                DeviceReport(
                    device: Self.user(42), this: false, state: "revoked", online: false, certifiedBy: "account",
                    origin: "recoveryKey"),
            ])
        case is DeviceLinkRequest:
            let payload = String(repeating: "K7Q2M9XDR4TVBN3HJ8W5C1ZYPA06EGFS", count: 14).prefix(440)
            return DeviceLinkReport(link: "streakmesh://device/\(payload)", expires: "2026-11-21T09:40:00Z")
        default: return nil
        }
    }

    func answer(_ request: GuestRequest) -> GuestReport {
        switch request {
        case .status:
            GuestReport(
                active: scenario == .guest, name: scenario == .guest || scenario == .unconfirmed ? guestName : nil,
                results: scenario == .guest ? 2 : scenario == .unconfirmed ? 3 : 0)
        case .start(let name): GuestReport(active: true, name: name, results: 0)
        case .stop(.export(let file)): GuestReport(active: false, name: guestName, results: 0, file: file)
        case .stop: GuestReport(active: false, name: guestName, results: 2)
        }
    }

    func answer(_ request: AnnulmentRequest) -> AnnulmentsReport {
        let removal = AnnulmentReport(
            id: "5a5a", removed: PersonReport(user: Self.user(60), name: "Hugo"),
            admin: PersonReport(user: Self.user(2), name: name(2), code: "7K3M-9QXT-42WJ"), at: "2026-11-18T09:30:00Z",
            returning: [name(3)], newTitle: title, voided: 2)
        var report = AnnulmentsReport(group: Self.group, title: title, removals: [removal])
        if case .annul = request { (report.removals, report.annulled) = ([], removal) }
        return report
    }

    var guestName: String { "Zoë" }

    /// The answer while a guest plays; nil if it is the usual one.
    func answerForGuest(_ request: any NodeRequest) throws -> (any Sendable)? {
        if type(of: request).name.isForHost { throw NodeFailure.guestPlaying(name: guestName) }
        guard request is ProfileRequest else { return nil }
        return ProfileReport(
            user: Self.user(70), device: Self.user(71), name: guestName, friendCode: "0000-0000-0000",
            recoveryConfirmed: true)
    }
}

extension FakeNode {
    /// Somebody is missing, the router does not help, and names of friends are in the evidence.
    var diagnosis: DoctorReport {
        let friend = scenario == .hostile ? Self.script : "Béla"
        return DoctorReport(
            findings: [
                DoctorFinding(.routerRefuses, "The router answered: not authorised."),
                DoctorFinding(.friendUnheard, "\(friend) was last heard 3 days ago."),
            ],
            checks: [
                DoctorCheck(subject: "node", evidence: "The node is running."),
                DoctorCheck(subject: "network", evidence: "This machine’s addresses: 192.168.1.20, 2001:db8::20."),
            ], isSomebodyMissing: scenario != .pair)
    }
}

extension NodeRequest {
    /// Whether it changes nothing.
    var isQuestion: Bool {
        switch self {
        case ProfileRequest.whoami as ProfileRequest, DeviceRequest.list as DeviceRequest,
            FriendshipRequest.list as FriendshipRequest, GroupRequest.find as GroupRequest,
            GroupSettingsRequest.show as GroupSettingsRequest, MemberRequest.list as MemberRequest,
            AdmissionRequest.list as AdmissionRequest, AnnulmentRequest.list as AnnulmentRequest,
            InviteListRequest.list as InviteListRequest,
            PrivacyRequest.show as PrivacyRequest, GuestRequest.status as GuestRequest,
            ScoreRequest.preview as ScoreRequest, StatusRequest.status as StatusRequest,
            InternetRequest.show as InternetRequest,
            ClockRequest.show as ClockRequest, ReminderRequest.show as ReminderRequest,
            NotificationRequest.show as NotificationRequest, NotificationRequest.count as NotificationRequest,
            GamesRequest.list as GamesRequest, AchievementsRequest.show as AchievementsRequest,
            is GroupListRequest, is DoctorRequest, is PersonRequest, is LinkRequest, is ResultsRequest, is BoardRequest,
            is PatternRequest, is ExportRequest, is ChatRequest, is StatisticsRequest, is StreaksRequest,
            FeedRequest.show as FeedRequest, TalkRequest.show as TalkRequest, ChallengeRequest.list as ChallengeRequest,
            ChallengeRequest.look as ChallengeRequest, MuteRequest.list as MuteRequest,
            MessageRequest.list as MessageRequest, MessageRequest.show as MessageRequest, is PlayerRequest,
            is RecapRequest, is VersusRequest, is ChampionsRequest, EventRequest.show as EventRequest,
            is ShareRequest, ShareTemplateRequest.list as ShareTemplateRequest:
            true
        case GroupSettingsRequest.ownRules(let change) as GroupSettingsRequest: change == GroupSettingsChange()
        case ImportRequest.load(_, let options) as ImportRequest,
            ImportRequest.loadChat(_, _, let options) as ImportRequest:
            options.isPreview
        default: false
        }
    }
}
