import StreakNode

/// The JSON interface under `/api/v1` (docs/api.md): the node's reports as they are.
extension Site {
    /// Every address. docs/api.md lists the same (tested).
    static let interface: [InterfaceRoute] =
        accountRoutes + groupRoutes + friendRoutes + resultRoutes + talkRoutes + messageRoutes + challengeRoutes
        + gameRoutes
        + numberRoutes + shareRoutes
        + exchangeRoutes

    private static let group = InterfaceKey.text("group")
    private static let user = InterfaceKey.text("user")
    private static let game = InterfaceKey.text("game")
    private static let date = InterfaceKey.text("date", limit: 32)
    private static let from = InterfaceKey.text("from", limit: 32)
    private static let to = InterfaceKey.text("to", limit: 32)
    private static let member = InterfaceKey.text("member")
    private static let plots = InterfaceKey.flag("plots")
    private static let range = InterfaceKey.text("range", limit: 32)
    private static let history = InterfaceKey.text("history", limit: 16)
    private static let puzzle = InterfaceKey.number("puzzle", 0...Int(Int32.max))
    private static let title = InterfaceKey.text("title", limit: 1_024)

    // MARK: Oneself, one's machines, the node

    private static let accountRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "whoami") { _ in ProfileRequest.whoami },
        InterfaceRoute(.post, "rename", takes: [.text("name", limit: 1_024).required]) {
            ProfileRequest.rename(name: $0.required("name"))
        },
        InterfaceRoute(.get, "status") { _ in StatusRequest.status },
        InterfaceRoute(.post, "sync") { _ in StatusRequest.sync },
        InterfaceRoute(.get, "doctor", takes: [.text("friend")]) { DoctorRequest.look(friend: $0.text("friend")) },
        InterfaceRoute(.get, "internet") { _ in InternetRequest.show },
        InterfaceRoute(.post, "internet", takes: [.text("setting", limit: 16), .flag("letters"), .flag("advice")]) {
            InternetRequest.change($0.text("setting"), letters: $0.flag("letters"), advice: $0.flag("advice"))
        },
        InterfaceRoute(.get, "clock") { _ in ClockRequest.show },
        InterfaceRoute(.post, "clock/repair", takes: [.flag("force")]) {
            ClockRequest.repair(isForced: $0.flag("force") ?? false)
        },
        InterfaceRoute(.get, "devices") { _ in DeviceRequest.list },
        InterfaceRoute(.post, "devices/link") { _ in DeviceLinkRequest.make },
        InterfaceRoute(
            .post, "devices/rename", takes: [.text("device").required, .text("name", limit: 1_024).required]
        ) {
            DeviceRequest.rename(device: $0.required("device"), name: $0.required("name"))
        },
        InterfaceRoute(
            .post, "devices/revoke", takes: [.text("device").required, .text("key")]
        ) { DeviceRequest.revoke(device: $0.required("device"), key: $0.text("key")) },
        InterfaceRoute(.post, "recovery/show") { _ in RecoveryKeyRequest.show },
        InterfaceRoute(.post, "recovery/confirm", takes: [.text("key").required]) {
            RecoveryRequest.confirm(key: $0.required("key"))
        },
        InterfaceRoute(
            .post, "backup", takes: [.text("file", limit: 1_024).required, .text("passphrase", limit: 4_096).required]
        ) { BackupRequest.write(file: try path($0.required("file")), passphrase: $0.required("passphrase")) },
        InterfaceRoute(.get, "guest") { _ in GuestRequest.status },
        InterfaceRoute(.post, "guest/start", takes: [.text("name", limit: 1_024).required]) {
            GuestRequest.start(name: $0.required("name"))
        },
        InterfaceRoute(
            .post, "guest/stop", takes: [.text("ending").required, .text("file", limit: 1_024)]
        ) { GuestRequest.stop(try ending($0)) },
        InterfaceRoute(.get, "notifications") { _ in NotificationRequest.show },
        InterfaceRoute(
            .post, "notifications", takes: [.texts("on"), .texts("off"), .text("quiet", limit: 16), .flag("desktop")]
        ) {
            NotificationRequest.change(
                NotificationChange(
                    on: $0.texts("on") ?? [], off: $0.texts("off") ?? [], quiet: $0.text("quiet"),
                    desktop: $0.flag("desktop")))
        },
        InterfaceRoute(.get, "reminders", takes: [plots]) {
            ReminderRequest.show(plots: $0.isSet("plots"))
        },
        InterfaceRoute(
            .post, "reminders",
            takes: [
                .flag("on"), .flag("smart"), .text("time", limit: 16), .text("quiet", limit: 16), .flag("desktop"),
                .texts("include"), .texts("exclude"),
            ]
        ) {
            ReminderRequest.change(
                ReminderChange(
                    on: $0.flag("on"), smart: $0.flag("smart"), time: $0.text("time"), quiet: $0.text("quiet"),
                    desktop: $0.flag("desktop"), include: $0.texts("include") ?? [],
                    exclude: $0.texts("exclude") ?? []))
        },
    ]

    private static func ending(_ document: InterfaceDocument) throws -> GuestEnding {
        switch document.required("ending") {
        case "keep": return .keep
        case "discard": return .discard
        case "export":
            guard let file = document.text("file") else { throw InterfaceFault(message: "“file” is missing.") }
            return .export(file: try path(file))
        default: throw InterfaceFault(message: "“ending” is keep, export or discard.")
        }
    }

    /// How much of the past is published: days back from today, 0 for today only, nil for everything.
    private static func days(_ document: InterfaceDocument) throws -> Int? {
        let text = document.text("history") ?? "today"
        switch text {
        case "today": return 0
        case "all": return nil
        default:
            guard text.last == "d", let days = Int(text.dropLast()), (1...36_500).contains(days) else {
                throw InterfaceFault(message: "“history” is today, all, or a number of days such as 30d.")
            }
            return days
        }
    }

    // MARK: Groups

    /// The rules of a board, shared by a group's settings and this user's own.
    private static let rules: [InterfaceKey] = [
        .text("missedDay", limit: 16), .flag("freezes"), .number("archiveDays", 0...36_500),
    ]

    private static let groupRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "groups") { _ in GroupListRequest.all },
        InterfaceRoute(.post, "groups", takes: [title.required]) {
            GroupRequest.create(title: $0.required("title"))
        },
        InterfaceRoute(.post, "groups/use", takes: [group.required]) {
            GroupRequest.use(group: $0.required("group"))
        },
        InterfaceRoute(.post, "groups/rename", takes: [group, title.required]) {
            GroupRequest.rename(group: $0.text("group"), title: $0.required("title"))
        },
        InterfaceRoute(.post, "groups/leave", takes: [group.required, .flag("erase")]) {
            GroupRequest.leave(group: $0.required("group"), erasing: $0.isSet("erase"))
        },
        InterfaceRoute(.post, "groups/transfer", takes: [group, user.required]) {
            GroupRequest.transfer(group: $0.text("group"), user: $0.required("user"))
        },
        InterfaceRoute(.post, "groups/heir", takes: [group, user]) {
            GroupRequest.heir(group: $0.text("group"), user: $0.text("user"))
        },
        InterfaceRoute(.post, "groups/take-over", takes: [group]) {
            GroupRequest.takeOver(group: $0.text("group"))
        },
        InterfaceRoute(.get, "groups/settings", takes: [group]) {
            GroupSettingsRequest.show(group: $0.text("group"))
        },
        InterfaceRoute(
            .post, "groups/settings",
            takes: [group, .text("invites", limit: 16), .flag("spoilerGuard")] + rules
        ) {
            GroupSettingsRequest.change(
                group: $0.text("group"),
                GroupSettingsChange(
                    invites: $0.text("invites"), spoilerGuard: $0.flag("spoilerGuard"),
                    missedDay: $0.text("missedDay"), freezes: $0.flag("freezes"),
                    archiveDays: $0.number("archiveDays")))
        },
        InterfaceRoute(.get, "rules") { _ in GroupSettingsRequest.ownRules(GroupSettingsChange()) },
        InterfaceRoute(.post, "rules", takes: rules) {
            GroupSettingsRequest.ownRules(
                GroupSettingsChange(
                    missedDay: $0.text("missedDay"), freezes: $0.flag("freezes"),
                    archiveDays: $0.number("archiveDays")))
        },
        InterfaceRoute(.get, "members", takes: [group]) { MemberRequest.list(group: $0.text("group")) },
        InterfaceRoute(.post, "members/promote", takes: [group, user.required]) {
            MemberRequest.promote(group: $0.text("group"), user: $0.required("user"))
        },
        InterfaceRoute(.post, "members/demote", takes: [group, user.required]) {
            MemberRequest.demote(group: $0.text("group"), user: $0.required("user"))
        },
        InterfaceRoute(
            .post, "members/remove", takes: [group, user.required, .flag("keepInvites")]
        ) {
            MemberRequest.remove(
                group: $0.text("group"), user: $0.required("user"), keepingInvites: $0.flag("keepInvites") ?? false)
        },
        InterfaceRoute(.get, "removals", takes: [group]) {
            AnnulmentRequest.list(group: $0.text("group"))
        },
        InterfaceRoute(.post, "removals/annul", takes: [group, .text("id").required]) {
            AnnulmentRequest.annul(group: $0.text("group"), id: $0.required("id"))
        },
        InterfaceRoute(.get, "requests", takes: [group]) {
            AdmissionRequest.list(group: $0.text("group"))
        },
        InterfaceRoute(.post, "requests/approve", takes: [.text("id").required]) {
            AdmissionRequest.approve(id: $0.required("id"))
        },
        InterfaceRoute(.post, "requests/deny", takes: [.text("id").required]) {
            AdmissionRequest.deny(id: $0.required("id"))
        },
        InterfaceRoute(.get, "privacy", takes: [group]) {
            PrivacyRequest.show(group: $0.text("group"))
        },
        InterfaceRoute(
            .post, "privacy",
            takes: [
                group, .flag("anonymous"), .text("alias", limit: 1_024), .flag("hidden"), .text("region"),
                .flag("lastSeen"), .texts("share"), .texts("unshare"),
            ]
        ) {
            PrivacyRequest.change(
                group: $0.text("group"),
                PrivacyChange(
                    anonymous: $0.flag("anonymous"), alias: $0.text("alias"), hidden: $0.flag("hidden"),
                    region: $0.text("region"), lastSeen: $0.flag("lastSeen"), share: $0.texts("share") ?? [],
                    unshare: $0.texts("unshare") ?? []))
        },
        InterfaceRoute(.post, "sharing/stop", takes: [group]) {
            PrivacyRequest.stopSharing(group: $0.text("group"))
        },
        InterfaceRoute(.post, "sharing/resume", takes: [group, history]) {
            PrivacyRequest.resumeSharing(group: $0.text("group"), history: try days($0))
        },
    ]

    // MARK: Invites and friends

    private static let friendRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "invites", takes: [group]) {
            InviteListRequest.list(group: $0.text("group"))
        },
        InterfaceRoute(
            .post, "invite",
            takes: [group, .number("uses", 0...1_000_000), .number("lifetime", 60...(90 * 86_400)), .flag("approval")]
        ) {
            InviteRequest.create(
                group: $0.text("group"), uses: $0.number("uses") ?? 1,
                lifetime: Int64($0.number("lifetime") ?? 7 * 86_400), needsApproval: $0.isSet("approval"))
        },
        InterfaceRoute(.post, "invite/friends") { _ in InviteRequest.friends },
        InterfaceRoute(.post, "invite/revoke", takes: [.text("id").required]) {
            InviteListRequest.revoke(id: $0.required("id"))
        },
        InterfaceRoute(.post, "inspect", takes: [.text("link", limit: 4_096).required]) {
            LinkRequest.inspect(link: $0.required("link"))
        },
        InterfaceRoute(
            .post, "join", takes: [.text("link", limit: 4_096).required, .number("timeout", 1...300), history]
        ) {
            JoinRequest.join(
                link: $0.required("link"), timeout: Int64($0.number("timeout") ?? 30), history: try days($0))
        },
        InterfaceRoute(.get, "friends") { _ in FriendshipRequest.list },
        InterfaceRoute(.post, "friends/answer", takes: [.flag("on").required]) {
            FriendshipRequest.answer($0.isSet("on"))
        },
        InterfaceRoute(.post, "friends/add", takes: [.text("code").required]) {
            FriendshipRequest.add(code: $0.required("code"))
        },
        InterfaceRoute(.post, "friends/cancel", takes: [.text("code").required]) {
            FriendshipRequest.cancel(code: $0.required("code"))
        },
        InterfaceRoute(.post, "friends/approve", takes: [user.required]) {
            FriendshipRequest.approve(user: $0.required("user"))
        },
        InterfaceRoute(.post, "friends/decline", takes: [user.required]) {
            FriendshipRequest.decline(user: $0.required("user"))
        },
        InterfaceRoute(.post, "friends/block", takes: [user.required]) {
            FriendshipRequest.block(user: $0.required("user"))
        },
        InterfaceRoute(.post, "friends/unblock", takes: [user.required]) {
            FriendshipRequest.unblock(user: $0.required("user"))
        },
        InterfaceRoute(.post, "friends/remove", takes: [user.required]) {
            FriendshipRequest.remove(user: $0.required("user"))
        },
        InterfaceRoute(.post, "friends/rejoin", takes: [group.required]) {
            FriendshipRequest.rejoin(group: $0.required("group"))
        },
        InterfaceRoute(.post, "friends/dismiss", takes: [group.required]) {
            FriendshipRequest.dismiss(group: $0.required("group"))
        },
    ]

    // MARK: Results and boards

    private static let pasted = InterfaceKey.text("text", limit: WebLimit.bodySize).required

    /// Where a result goes: nil for every group that shares its game.
    private static func targets(_ document: InterfaceDocument) throws -> [String]? {
        guard document.isSet("private") else { return document.texts("groups") }
        guard document.texts("groups") == nil else {
            throw InterfaceFault(message: "A result is private, or goes to “groups”; not both.")
        }
        return []
    }

    private static let resultRoutes: [InterfaceRoute] = [
        InterfaceRoute(
            .post, "add", takes: [pasted, date, .flag("replace"), .texts("groups"), .flag("private")]
        ) {
            ScoreRequest.add(
                text: $0.required("text"), date: $0.text("date"), replace: $0.isSet("replace"),
                groups: try targets($0))
        },
        InterfaceRoute(.post, "preview", takes: [pasted, date]) {
            ScoreRequest.preview(text: $0.required("text"), date: $0.text("date"))
        },
        InterfaceRoute(
            .post, "record",
            takes: [
                game.required, .number("score", 0...Int(Int32.max)), .flag("completed"),
                .number("seconds", 0...359_999),
                date, .flag("replace"), .texts("groups"), .flag("private"),
            ]
        ) {
            ScoreRequest.record(
                game: $0.required("game"), score: $0.number("score"), isCompleted: $0.flag("completed") ?? true,
                seconds: $0.number("seconds"), date: $0.text("date"), groups: try targets($0),
                replace: $0.isSet("replace"))
        },
        InterfaceRoute(
            .post, "publish", takes: [game.required, date.required, puzzle, .texts("groups")]
        ) {
            ScoreRequest.publish(
                game: $0.required("game"), date: $0.required("date"), puzzle: $0.number("puzzle"),
                groups: $0.texts("groups"))
        },
        InterfaceRoute(.post, "delete", takes: [game.required, date.required, puzzle]) {
            ScoreRequest.delete(game: $0.required("game"), date: $0.required("date"), puzzle: $0.number("puzzle"))
        },
        InterfaceRoute(.post, "undo") { _ in UndoRequest.last },
        InterfaceRoute(.get, "results", takes: [game, from, to]) {
            ResultsRequest.list(game: $0.text("game"), from: $0.text("from"), to: $0.text("to"))
        },
        InterfaceRoute(
            .get, "board",
            takes: [
                group, .text("groups", limit: 8), game, range, date, .text("metric", limit: 64), .flag("reveal"),
                .text("region"), .flag("nearby"), .number("top", 1...1_000), .number("offset", 0...1_000_000),
            ], board),
    ]

    private static func board(_ document: InterfaceDocument) throws -> BoardRequest {
        if let groups = document.text("groups"), groups != "all" {
            throw InterfaceFault(message: "“groups” is all; a single one is named by “group”.")
        }
        return BoardRequest(
            group: document.text("group"), game: document.text("game"), range: document.text("range"),
            date: document.text("date"), metric: document.text("metric"), reveal: document.isSet("reveal"),
            everyGroup: document.text("groups") != nil, region: document.text("region"),
            nearby: document.isSet("nearby"), limit: document.number("top"), offset: document.number("offset"))
    }

    // MARK: Reactions and comments

    private static let memberResult: [InterfaceKey] = [user, game.required, date, puzzle, group]
    private static let comment = InterfaceKey.text("comment", limit: 64).required
    private static let said = InterfaceKey.text("text", limit: 4_096).required

    private static func result(_ document: InterfaceDocument) -> ResultReference {
        ResultReference(
            user: document.text("user"), game: document.required("game"), date: document.text("date"),
            puzzle: document.number("puzzle"), group: document.text("group"))
    }

    private static let talkRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "talk", takes: memberResult) { TalkRequest.show(result($0)) },
        InterfaceRoute(.post, "react", takes: memberResult + [.text("emoji", limit: 64)]) {
            TalkRequest.react(result($0), emoji: $0.text("emoji"))
        },
        InterfaceRoute(.post, "comments", takes: memberResult + [said]) {
            TalkRequest.comment(result($0), text: $0.required("text"))
        },
        InterfaceRoute(.post, "comments/edit", takes: [comment, said, group]) {
            TalkRequest.edit(comment: $0.required("comment"), text: $0.required("text"), group: $0.text("group"))
        },
        InterfaceRoute(.post, "comments/delete", takes: [comment, group]) {
            TalkRequest.delete(comment: $0.required("comment"), group: $0.text("group"))
        },
        InterfaceRoute(.post, "comments/hide", takes: [comment, .flag("hidden").required, group]) {
            TalkRequest.hide(
                comment: $0.required("comment"), isHidden: $0.isSet("hidden"), group: $0.text("group"))
        },
        InterfaceRoute(.get, "feed", takes: [group, .number("top", 1...500)]) {
            FeedRequest.show(group: $0.text("group"), limit: $0.number("top"))
        },
        InterfaceRoute(.post, "feed/look", takes: [group, .number("top", 1...500)]) {
            FeedRequest.look(group: $0.text("group"), limit: $0.number("top"))
        },
        InterfaceRoute(.get, "muted", takes: [group]) { MuteRequest.list(group: $0.text("group")) },
        InterfaceRoute(.post, "mute", takes: [user.required, .flag("muted").required, group]) {
            $0.isSet("muted")
                ? MuteRequest.mute(user: $0.required("user"), group: $0.text("group"))
                : MuteRequest.unmute(user: $0.required("user"), group: $0.text("group"))
        },
    ]

    // MARK: Messages and members

    private static let message = InterfaceKey.text("message", limit: 64).required

    private static let messageRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "player", takes: [user, group]) {
            PlayerRequest.show(user: $0.text("user"), group: $0.text("group"))
        },
        InterfaceRoute(.get, "messages", takes: [user]) {
            $0.text("user").map { MessageRequest.show(user: $0) } ?? MessageRequest.list
        },
        InterfaceRoute(.post, "messages", takes: [user.required, said]) {
            MessageRequest.write(user: $0.required("user"), text: $0.required("text"))
        },
        InterfaceRoute(.post, "messages/look", takes: [user.required]) {
            MessageRequest.look(user: $0.required("user"))
        },
        InterfaceRoute(.post, "messages/edit", takes: [message, said]) {
            MessageRequest.edit(message: $0.required("message"), text: $0.required("text"))
        },
        InterfaceRoute(.post, "messages/delete", takes: [message]) {
            MessageRequest.delete(message: $0.required("message"))
        },
    ]

    // MARK: Challenges

    private static let challenge = InterfaceKey.text("challenge", limit: 64).required

    private static let challengeRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "challenges", takes: [group, .text("against")]) {
            ChallengeRequest.list(group: $0.text("group"), against: $0.text("against"))
        },
        InterfaceRoute(.get, "challenges/rivals", takes: [game.required, date, puzzle, group]) {
            ChallengeRequest.look(result($0))
        },
        InterfaceRoute(
            .post, "challenges",
            takes: [
                game.required, date, puzzle, group, .text("to"), .text("until", limit: 32), .text("first", limit: 64),
            ]
        ) {
            ChallengeRequest.make(
                result($0), to: $0.text("to"), until: $0.text("until"), first: $0.text("first"))
        },
        InterfaceRoute(.post, "challenges/answer", takes: [challenge, .flag("accept").required, group]) {
            ChallengeRequest.answer(
                challenge: $0.required("challenge"), accepts: $0.isSet("accept"), group: $0.text("group"))
        },
        InterfaceRoute(.post, "challenges/withdraw", takes: [challenge, group]) {
            ChallengeRequest.withdraw(challenge: $0.required("challenge"), group: $0.text("group"))
        },
    ]

    // MARK: Games

    private static let definition: [InterfaceKey] = [
        .text("id"), .text("name").required, .text("icon", limit: 64), .text("model", limit: 32).required,
        .number("maximum", 0...Int(Int32.max)), .number("best", 0...Int(Int32.max)), .text("unit"),
        .text("cadence", limit: 16), .text("aggregation", limit: 16), .text("pattern", limit: 2_048),
    ]

    private static func form(_ document: InterfaceDocument) -> GameForm {
        GameForm(
            id: document.text("id"), name: document.required("name"), icon: document.text("icon") ?? "🎯",
            model: document.required("model"), maximum: document.number("maximum"), best: document.number("best"),
            unit: document.text("unit"), cadence: document.text("cadence"), aggregation: document.text("aggregation"),
            pattern: document.text("pattern"))
    }

    private static let gameRoutes: [InterfaceRoute] = [
        InterfaceRoute(
            .get, "games", takes: [.text("search"), .text("category", limit: 64), .flag("favourites"), group]
        ) {
            GamesRequest.list(
                search: $0.text("search"), category: $0.text("category"),
                favouritesOnly: $0.isSet("favourites"), group: $0.text("group"))
        },
        InterfaceRoute(
            .post, "games/favourite", takes: [game.required, .flag("favourite").required]
        ) { GameRequest.setFavourite(game: $0.required("game"), isFavourite: $0.isSet("favourite")) },
        InterfaceRoute(.post, "games/define", takes: [group] + definition) {
            GameRequest.define(form($0), group: $0.text("group"))
        },
        InterfaceRoute(
            .post, "games/test", takes: [pasted] + definition.filter { $0.name != "id" }
        ) { PatternRequest.test(form($0), text: $0.required("text")) },
        InterfaceRoute(.post, "games/remove", takes: [game.required, group]) {
            GamesRequest.remove(game: $0.required("game"), group: $0.text("group"))
        },
    ]

    // MARK: Numbers

    private static let numberRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "streaks", takes: [date, group, member]) {
            StreaksRequest.show(date: $0.text("date"), group: $0.text("group"), member: $0.text("member"))
        },
        InterfaceRoute(.get, "stats", takes: [game, range, date, group, member, plots]) {
            StatisticsRequest.show(
                game: $0.text("game"), range: $0.text("range"), date: $0.text("date"), group: $0.text("group"),
                member: $0.text("member"), plots: $0.isSet("plots"))
        },
        InterfaceRoute(.get, "achievements", takes: [group, member]) {
            AchievementsRequest.show(group: $0.text("group"), member: $0.text("member"))
        },
        InterfaceRoute(.post, "achievements/celebrate") { _ in AchievementsRequest.celebrate },
        InterfaceRoute(.get, "recap", takes: [.text("week", limit: 32), group]) {
            RecapRequest.show(date: $0.text("week"), group: $0.text("group"))
        },
        InterfaceRoute(.get, "versus", takes: [user.required, game, range, date, group, plots]) {
            VersusRequest.show(
                user: $0.required("user"), game: $0.text("game"), range: $0.text("range"), date: $0.text("date"),
                group: $0.text("group"), plots: $0.isSet("plots"))
        },
        InterfaceRoute(.get, "champions", takes: [.text("period", limit: 16), game, group]) {
            ChampionsRequest.show(period: $0.text("period") ?? "week", game: $0.text("game"), group: $0.text("group"))
        },
        InterfaceRoute(.get, "event", takes: [date, group]) {
            EventRequest.show(date: $0.text("date"), group: $0.text("group"))
        },
        InterfaceRoute(.post, "event/choose", takes: [.text("rule", limit: 32).required, game, group]) {
            EventRequest.choose(rule: $0.required("rule"), game: $0.text("game"), group: $0.text("group"))
        },
        InterfaceRoute(.post, "event/withdraw", takes: [group]) { EventRequest.withdraw(group: $0.text("group")) },
    ]

    // MARK: Sharing with anybody

    private static let style: [InterfaceKey] = [
        .flag("picture"), .text("look", limit: 16), .text("shape", limit: 16),
    ]

    /// The picture that a query asks for.
    private static func style(_ document: InterfaceDocument) -> PictureStyle? {
        let style = PictureStyle(look: document.text("look"), shape: document.text("shape"))
        return document.isSet("picture") || style != PictureStyle() ? style : nil
    }

    private static let shareRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "share", takes: [game.required, date] + style) {
            ShareRequest.result(game: $0.required("game"), date: $0.text("date"), picture: style($0))
        },
        InterfaceRoute(.get, "share/streak", takes: [game] + style) {
            ShareRequest.streak(game: $0.text("game"), picture: style($0))
        },
        InterfaceRoute(.get, "share/week", takes: [.text("week", limit: 32), group, .flag("alone")] + style) {
            ShareRequest.week(
                date: $0.text("week"), group: $0.text("group"), isAlone: $0.isSet("alone"), picture: style($0))
        },
        InterfaceRoute(.get, "share/achievement", takes: [.text("achievement", limit: 64)] + style) {
            ShareRequest.achievement($0.text("achievement"), picture: style($0))
        },
        InterfaceRoute(.get, "templates") { _ in ShareTemplateRequest.list },
        InterfaceRoute(
            .post, "templates", takes: [.text("kind", limit: 32).required, .text("text", limit: 2_048)]
        ) { ShareTemplateRequest.change(kind: $0.required("kind"), text: $0.text("text")) },
    ]

    // MARK: Files

    private static let file = InterfaceKey.text("text", limit: WebLimit.uploadSize).required
    private static let options: [InterfaceKey] = [
        .flag("preview"), .flag("replace"), .flag("skipBad"), .text("dates", limit: 16), game,
    ]

    private static func options(_ document: InterfaceDocument) -> ImportOptions {
        ImportOptions(
            isPreview: document.isSet("preview"), replaces: document.isSet("replace"), dates: document.text("dates"),
            game: document.text("game"), skipsBad: document.isSet("skipBad"))
    }

    private static let exchangeRoutes: [InterfaceRoute] = [
        InterfaceRoute(.get, "export", takes: [.text("format", limit: 8).required, game, from, to]) {
            ExportRequest.export(
                format: $0.required("format"), game: $0.text("game"), from: $0.text("from"), to: $0.text("to"))
        },
        InterfaceRoute(.post, "import", takes: [file] + options, bodyLimit: WebLimit.uploadSize) {
            ImportRequest.load(.text($0.required("text")), options($0))
        },
        InterfaceRoute(
            .post, "import/chat", takes: [file, .text("sender", limit: 1_024)] + options,
            bodyLimit: WebLimit.uploadSize
        ) { ImportRequest.loadChat(.text($0.required("text")), sender: $0.text("sender"), options($0)) },
        InterfaceRoute(.post, "import/senders", takes: [file], bodyLimit: WebLimit.uploadSize) {
            ChatRequest.inspect(.text($0.required("text")))
        },
    ]
}
