import Foundation
import HTTPTypes
import Hummingbird
import StreakGames
import StreakNode

/// The pages. They ask the node and show its answers.
struct Site: Sendable {
    let node: any NodeCalling
    /// Makes the account; nil if there is one already.
    let accounts: (any AccountMaking)?
    let hub: ChangeHub
    let sessions: SessionStore
    let templates: Templates
    let address: BoundAddress
    /// Seconds since 1970.
    let now: @Sendable () -> Int64

    init(
        node: any NodeCalling, accounts: (any AccountMaking)?, hub: ChangeHub, sessions: SessionStore,
        templates: Templates, address: BoundAddress,
        now: @escaping @Sendable () -> Int64
    ) {
        self.node = node
        self.accounts = accounts
        self.hub = hub
        self.sessions = sessions
        self.templates = templates
        self.address = address
        self.now = now
    }

    /// The tabs of the navigation bar, and the pages of numbers, which have no tab.
    enum NavigationTab: String, CaseIterable { case today, board, activity, numbers, history, friends, profile }

    /// What every page shows around its content.
    struct Frame: Sendable {
        var profile: ProfileReport
        var groups: [GroupReport]
        var status: StatusReport
        /// How much the bell shows. A guest has none.
        var news = 0

        /// The group that pages show unless their URL names another.
        var active: GroupReport? { groups.first { $0.active && $0.isCurrent } ?? groups.first(where: \.isCurrent) }
        /// The groups that this user is in.
        var current: [GroupReport] { groups.filter(\.isCurrent) }
        /// Shown in place of a group's title.
        var lonelyText: String { groups.isEmpty ? "No friends yet" : "You are in no group now" }
        /// The name of the guest who plays now. Friends, machines and settings are closed meanwhile.
        var guest: String? { status.guest }
        /// Whether the account has shut this machine out. Only what it keeps can be looked at then.
        var isShutOut: Bool { status.shutOut }

        /// The group named by a URL, or the active one.
        func group(_ fields: FormFields) -> String? { fields["group"] ?? active?.id }

        /// The report of the group named by a URL, or of the active one. Throws `NodeFailure.unknownGroup` or
        /// `.noGroup`.
        func report(_ fields: FormFields) throws -> GroupReport {
            if let id = fields["group"] {
                guard let found = groups.first(where: { $0.id == id }) else { throw NodeFailure.unknownGroup(id) }
                return found
            }
            guard let active else { throw NodeFailure.noGroup() }
            return active
        }
    }

    /// Asks the node for what every page shows.
    ///
    /// - Parameter staysOpen: Whether the page can also be looked at on a machine that is shut out.
    /// - Throws: `NodeFailure.machineShutOut` if it cannot.
    func frame(staysOpen: Bool = false) async throws -> Frame {
        async let profile = node.call(ProfileRequest.whoami)
        async let groups = node.call(GroupListRequest.all)
        async let status = node.call(StatusRequest.status)
        var frame = try await Frame(profile: profile, groups: groups.groups, status: status)
        if frame.isShutOut, !staysOpen { throw NodeFailure.machineShutOut }
        if frame.guest == nil { frame.news = try await node.call(NotificationRequest.count).fresh }
        return frame
    }

    // MARK: Rendering

    struct NavView: Sendable {
        var label: String
        var href: String
        var icon: String
        var current: Bool
    }

    struct GroupChoice: Sendable {
        var id: String
        var title: String
        var note: String
        var chosen: Bool
    }

    /// A group that this user is no longer in, shown until the user takes it off the list.
    struct EndingView: Sendable {
        var id: String
        var text: String
    }

    struct LayoutView: Sendable {
        var title: String
        var nav: [NavView]
        var myAvatar: AvatarView
        var myName: String
        var chip: StatusView
        var bell: BellView
        var choices: [GroupChoice]
        var groupName: String
        var hasGroups: Bool
        var guest: String?
        var isShutOut: Bool
        var endings: [EndingView]
        /// Whether to remind of the recovery key.
        var reminds: Bool
        /// A group in which nobody’s machine is always on.
        var withoutAlwaysOn: String?
        var flash: Flash?
        var problem: FailureView?
        var backTo: String
        /// Where live parts are fetched from if the page's own address is a form's.
        var liveAddress: String?
        var content: String
        var page: any Sendable
    }

    /// A whole page, or only the parts of it that change.
    func page(
        _ tab: NavigationTab, _ template: String, title: String, _ view: any Sendable, _ frame: Frame, _ visit: Visit,
        status: HTTPResponse.Status = .ok, refusal: Refusal? = nil
    ) -> Response {
        let shown =
            visit.fields["group"].flatMap { name in frame.groups.first { $0.id.hasPrefix(name) } } ?? frame.active
        let flash = visit.isFragment ? nil : sessions.takeFlash(for: visit.session)
        let labels: [NavigationTab: (String, String)] = [
            .today: (frame.isShutOut ? "What now" : "Today", "/today"), .board: ("Boards", "/board"),
            .activity: ("Activity", "/activity"), .numbers: ("Numbers", "/numbers"), .history: ("History", "/history"),
            .friends: ("Friends", "/friends"), .profile: ("Profile", "/profile"),
        ]
        let tabs = frame.isShutOut ? [.today, .history] : NavigationTab.allCases
        let nav = tabs.compactMap { each in
            labels[each].map { NavView(label: $0.0, href: $0.1, icon: each.rawValue, current: each == tab) }
        }
        let layout = LayoutView(
            title: title, nav: nav, myAvatar: AvatarView(user: frame.profile.user, name: frame.profile.name),
            myName: frame.profile.name, chip: statusView(frame),
            bell: BellView(frame.news),
            choices: frame.current.map {
                GroupChoice(id: $0.id, title: $0.title, note: $0.membersText, chosen: $0.id == shown?.id)
            },
            groupName: shown?.title ?? "No group", hasGroups: !frame.groups.isEmpty, guest: frame.guest,
            isShutOut: frame.isShutOut,
            endings: frame.groups.compactMap { group in
                group.standingText.map { EndingView(id: group.id, text: $0) }
            },
            reminds: !frame.profile.recoveryConfirmed && !visit.path.hasPrefix("/recovery"),
            withoutAlwaysOn: frame.status.internet.advice ? frame.status.internet.withoutAlwaysOn.first : nil,
            flash: flash, problem: refusal?.view ?? flash?.problem, backTo: visit.back,
            liveAddress: visit.isForm ? visit.back : nil, content: template, page: view)
        return .html(
            templates.render(visit.isFragment ? "fragment" : "layout", layout), status: refusal?.status ?? status)
    }

    func statusView(_ frame: Frame) -> StatusView {
        guard !frame.isShutOut else {
            return StatusView(kind: "offline", label: "Shut out", detail: "This machine gets and sends nothing")
        }
        let online = frame.status.peers.filter { $0.state == "linked" }.count
        let peers = [online == 1 ? "1 machine linked" : "\(online) machines linked", frame.status.heardText(at: now())]
            .compactMap(\.self).joined(separator: ", ")
        let synced = frame.status.lastSync.flatMap { Timestamp($0) }.map {
            "in sync \($0.relativeText(to: now()))"
        }
        switch frame.status.state {
        case "live": return StatusView(kind: "live", label: "Live", detail: "\(peers), everything in sync")
        case "syncing":
            if let group = frame.status.groups.first(where: { $0.total != nil }), let total = group.total, total > 0 {
                // The boards show only part of the history until the sync ends.
                let (held, all) = (ResultView.grouped(group.records), ResultView.grouped(total))
                return StatusView(
                    kind: "syncing", label: "Partial, \(min(99, group.records * 100 / total)) %",
                    detail: "\(held) of \(all) entries of \(group.title) are here, the newest first")
            }
            return StatusView(kind: "syncing", label: "Syncing", detail: synced.map { "\(peers), \($0)" } ?? peers)
        case "silent":
            let heard = frame.status.heardText(at: now()) ?? "not heard"
            return StatusView(
                kind: "offline", label: "Silent",
                detail: "No friend's machine answers, \(heard)")
        case "local only":
            return StatusView(
                kind: "local", label: "Local only", detail: "\(frame.lonelyText); results stay on this machine")
        default:
            let detail = synced ?? "not in sync since this node started"
            return StatusView(kind: "offline", label: "Offline", detail: "No friend reachable, \(detail)")
        }
    }

    /// The viewer's day.
    var today: PuzzleDay { .onThisMachine(at: now()) }

    func catalogue() async throws -> GamesReport { try await node.call(GamesRequest.list()) }

    // MARK: Routes

    typealias Handler = @Sendable (Visit) async throws -> Response

    func addRoutes(to router: Router<WebContext>) {
        addEntrance(to: router)
        addEvents(to: router)
        addPages(to: router)
        addForms(to: router)
        addInterface(to: router)
    }

    private static let pages: [(path: String, handler: @Sendable (Site) -> Handler)] = [
        ("/", { _ in { _ in .seeOther("/today") } }), ("/today", Site.showToday), ("/board", Site.showBoard),
        ("/games", Site.showGames), ("/player", Site.showPlayer), ("/result", Site.showTalk),
        ("/activity", Site.showActivity), ("/messages", Site.showMessages), ("/challenges", Site.showChallenges),
        ("/history", Site.showHistory),
        ("/record", Site.showRecord), ("/share", Site.showShare), ("/friends", Site.showFriends),
        ("/friends/codes", { site in { try await site.showCodes($0) } }), ("/group", Site.showGroup),
        ("/leave", Site.showLeave), ("/invite", Site.showInvite),
        ("/join", { site in { try await site.showJoin($0) } }),
        ("/privacy", Site.showPrivacy), ("/profile", Site.showProfile), ("/guest", Site.showGuest),
        ("/recovery", { site in { try await site.showRecovery($0) } }),
        ("/connection", Site.showConnection),
        ("/devices", { site in { try await site.showDevices($0) } }),
        ("/backup", { site in { try await site.showBackup($0) } }), ("/numbers", Site.showNumbers),
        ("/streaks", Site.showStreaks), ("/achievements", Site.showAchievements), ("/recap", Site.showRecap),
        ("/picture", Site.showPicture), ("/picture/image.svg", Site.showPictureImage),
        ("/templates", Site.showTemplates), ("/champions", Site.showChampions), ("/event", Site.showEvent),
        ("/game", Site.showGame),
        ("/games/define", Site.showDefine),
        ("/exchange", Site.showExchange), ("/export", { site in { try await site.exportResults($0) } }),
        ("/reminders", Site.showReminders), ("/notifications", Site.showNotifications), ("/rules", Site.showRules),
        ("/open", Site.openLink),
        ("/welcome", { site in { try await site.showWelcome($0) } }),
    ]

    /// All forms of the page.
    static let forms: [Form] =
        todayForms + friendForms + codeForms + inviteForms + groupForms + privacyForms + accountForms + guestForms
        + gameForms + talkForms + messageForms + challengeForms + eventForms + exchangeForms + numberForms
        + pictureForms
        + welcomeForms
        + [Form("/sign-out", Site.signOut)]

    private func addPages(to router: Router<WebContext>) {
        for page in Self.pages {
            let handler = page.handler(self)
            router.get(RouterPath(page.path)) { request, context in
                let visit = try await Visit(request, context)
                do {
                    return try await handler(visit)
                } catch NodeFailure.noAccount where accounts != nil {
                    return .seeOther("/welcome")
                } catch NodeFailure.machineShutOut {
                    return .seeOther("/today")
                } catch let failure as NodeFailure {
                    return try await showFailure(failure, visit)
                }
            }
        }
    }

    private func addForms(to router: Router<WebContext>) {
        for form in Self.forms {
            let act = form.act(self)
            router.post(RouterPath(form.path)) { request, context in
                let visit = try await Visit(request, context)
                let refusal: Refusal
                do {
                    return try await act(visit)
                } catch NodeFailure.machineShutOut {
                    return .seeOther("/today")
                } catch let failure as NodeFailure {
                    refusal = Refusal(failure)
                } catch let fault as FormFault {
                    refusal = fault.refusal
                }
                if let again = form.again { return try await again(self, visit, refusal) }
                sessions.leave(Flash(text: "", problem: refusal.view), for: visit.session)
                return .seeOther(visit.back)
            }
        }
    }

    /// A page for a failure, with the usual frame if the node can provide it.
    private func showFailure(_ failure: NodeFailure, _ visit: Visit) async throws -> Response {
        let paths: [NavigationTab: [String]] = [
            .board: ["board", "game", "games", "champions", "event", "result", "react", "comment"],
            .activity: ["activity", "challenges", "challenge"],
            .numbers: ["numbers", "streaks", "achievements", "recap", "picture"],
            .history: ["history", "record", "share", "exchange", "export"],
            .friends: ["friends", "player", "messages", "message", "group", "leave", "invite", "join"],
            .profile: [
                "profile", "privacy", "guest", "recovery", "devices", "connection", "backup", "reminders",
                "notifications", "templates", "rules",
            ],
        ]
        let word = visit.path.split(separator: "/").first.map(String.init) ?? ""
        let tab = NavigationTab.allCases.first { paths[$0]?.contains(word) ?? false } ?? .today
        let frame = try await frame(staysOpen: true)
        return page(
            tab, "failure", title: "That did not work", FailureView(failure), frame, visit, status: failure.httpStatus)
    }

    /// Redirects to a page that shows `text` once.
    func say(_ text: String, canUndo: Bool = false, then path: String, _ visit: Visit) -> Response {
        sessions.leave(Flash(text: text, canUndo: canUndo), for: visit.session)
        return .seeOther(path)
    }
}

extension GroupReport {
    /// Whether this user may admit and remove members.
    var isDeciding: Bool { role == "owner" || role == "admin" }
    /// “1 member”, “7 members”.
    var membersText: String { members == 1 ? "1 member" : "\(members) members" }
}
