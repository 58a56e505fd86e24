import Foundation
import HTTPTypes
import Hummingbird
import StreakGames
import StreakNode
import Synchronization

/// The pages: asks the node, shows the answers.
struct Site: Sendable {
    let node: any NodeCalling
    let hub: ChangeHub
    let sessions: SessionStore
    let templates: Templates
    let address: BoundAddress
    /// Seconds since 1970.
    let now: @Sendable () -> Int64
    private let lastSync = LastSync()

    init(
        node: any NodeCalling, hub: ChangeHub, sessions: SessionStore, templates: Templates, address: BoundAddress,
        now: @escaping @Sendable () -> Int64
    ) {
        self.node = node
        self.hub = hub
        self.sessions = sessions
        self.templates = templates
        self.address = address
        self.now = now
    }

    /// The rooms of the page (product-rules, H10).
    enum Room: String, CaseIterable { case today, board, history, friends, profile }

    /// What every page shows around its content.
    struct Frame: Sendable {
        var profile: ProfileReport
        var groups: [GroupReport]
        var status: StatusReport

        /// The group that pages are about, unless their URL names another.
        var active: GroupReport? { groups.first(where: \.active) ?? groups.first(where: \.isCurrent) }
        var titles: [String: String] { Dictionary(groups.map { ($0.id, $0.title) }) { first, _ in first } }

        /// The group of a URL, or the active one.
        func group(_ fields: FormFields) -> String? { fields["group"] ?? active?.id }
    }

    func frame() async throws -> Frame {
        async let profile = node.call(.profile(.whoami), returning: ProfileReport.self)
        async let groups = node.call(.group(.list), returning: GroupListReport.self)
        async let status = node.call(.network(.status), returning: StatusReport.self)
        let frame = try await Frame(profile: profile, groups: groups.groups, status: status)
        if frame.status.state == "live" { lastSync.set(now()) }
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

    struct LayoutView: Sendable {
        var title: String
        var nav: [NavView]
        var myAvatar: AvatarView
        var myName: String
        var chip: StatusView
        var choices: [GroupChoice]
        var groupName: String
        var hasGroups: Bool
        var flash: Flash?
        var problem: FailureView?
        var backTo: String
        var content: String
        var page: any Sendable
    }

    /// A whole page, or only the parts of it that change.
    func page(
        _ room: Room, _ template: String, title: String, _ view: any Sendable, _ frame: Frame, _ visit: Visit,
        status: HTTPResponse.Status = .ok, problem: FailureView? = nil
    ) -> Response {
        let shown =
            visit.fields["group"].flatMap { name in frame.groups.first { $0.id.hasPrefix(name) } } ?? frame.active
        let flash = visit.isFragment ? nil : sessions.takeFlash(for: visit.session)
        let labels: [Room: (String, String)] = [
            .today: ("Today", "/today"), .board: ("Boards", "/board"), .history: ("History", "/history"),
            .friends: ("Friends", "/friends"), .profile: ("Profile", "/profile"),
        ]
        let nav = Room.allCases.compactMap { each in
            labels[each].map { NavView(label: $0.0, href: $0.1, icon: each.rawValue, current: each == room) }
        }
        let layout = LayoutView(
            title: title, nav: nav, myAvatar: AvatarView(user: frame.profile.user, name: frame.profile.name),
            myName: frame.profile.name, chip: statusView(frame),
            choices: frame.groups.filter(\.isCurrent).map {
                GroupChoice(
                    id: $0.id, title: $0.title, note: $0.members == 1 ? "1 member" : "\($0.members) members",
                    chosen: $0.id == shown?.id)
            },
            groupName: shown?.title ?? "No group yet", hasGroups: !frame.groups.isEmpty, flash: flash,
            problem: problem ?? flash?.problem, backTo: visit.back, content: template, page: view)
        return .html(templates.render(visit.isFragment ? "fragment" : "layout", layout), status: status)
    }

    func statusView(_ frame: Frame) -> StatusView {
        let online = frame.status.peers.filter { $0.state == "linked" }.count
        let peers = online == 1 ? "1 device linked" : "\(online) devices linked"
        let synced = lastSync.value.map { "in sync \(Timestamp(seconds: $0).relativeText(to: now()))" }
        switch frame.status.state {
        case "live": return StatusView(kind: "live", label: "Live", detail: "\(peers), everything in sync")
        case "syncing":
            return StatusView(kind: "syncing", label: "Syncing", detail: synced.map { "\(peers), \($0)" } ?? peers)
        case "local only":
            return StatusView(kind: "local", label: "Local only", detail: "No group yet; results stay on this machine")
        default:
            let detail = synced ?? "not in sync since this node started"
            return StatusView(kind: "offline", label: "Offline", detail: "No friend reachable, \(detail)")
        }
    }

    /// The viewer's day.
    var today: PuzzleDay {
        let instant = now()
        let offset = TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
        let local = instant + Int64(offset)
        return PuzzleDay(daysSinceEpoch: Int(local >= 0 ? local / 86_400 : (local - 86_399) / 86_400))
    }

    func catalogue() async throws -> GamesReport { try await node.call(.score(.games), returning: GamesReport.self) }

    // MARK: Routes

    typealias Handler = @Sendable (Visit) async throws -> Response

    func addRoutes(to router: Router<WebContext>) {
        addEntrance(to: router)
        addEvents(to: router)
        addPages(to: router)
        addForms(to: router)
        addInterface(to: router)
    }

    private func addPages(to router: Router<WebContext>) {
        let pages: [(RouterPath, Handler)] = [
            ("/", { _ in .seeOther("/today") }), ("/today", showToday), ("/board", showBoard), ("/games", showGames),
            ("/player", showPlayer), ("/history", showHistory), ("/record", showRecord), ("/friends", showFriends),
            ("/invite", showInvite), ("/join", { try await showJoin($0) }), ("/leave", showLeave),
            ("/profile", showProfile),
        ]
        for (path, handler) in pages {
            router.get(path) { request, context in
                let visit = try await Visit(request, context)
                do {
                    return try await handler(visit)
                } catch let failure as NodeFailure {
                    return try await showFailure(failure, visit)
                }
            }
        }
    }

    private func addForms(to router: Router<WebContext>) {
        let forms: [(RouterPath, Handler)] = [
            ("/add", add), ("/preview", preview), ("/record", record), ("/delete", delete), ("/undo", undo),
            ("/rename", rename), ("/groups/create", createGroup), ("/groups/use", useGroup),
            ("/groups/leave", leaveGroup), ("/invite", invite), ("/invite/friends", inviteFriends),
            ("/invite/revoke", revokeInvite), ("/join/look", lookAtLink), ("/join", join), ("/sync", synchronise),
            ("/sign-out", signOut),
        ]
        for (path, handler) in forms {
            router.post(path) { request, context in
                let visit = try await Visit(request, context)
                do {
                    return try await handler(visit)
                } catch let failure as NodeFailure {
                    // Nothing was done: say why where the form was.
                    sessions.leave(Flash(text: "", problem: FailureView(failure)), for: visit.session)
                    return .seeOther(visit.back)
                }
            }
        }
    }

    /// A page that could not be made, inside the frame where there is one.
    private func showFailure(_ failure: NodeFailure, _ visit: Visit) async throws -> Response {
        let room = Room.allCases.first { visit.path == "/\($0.rawValue)" } ?? .today
        return page(
            room, "failure", title: "That did not work", FailureView(failure), try await frame(), visit,
            status: failure.httpStatus)
    }

    /// Says something on the next page and goes there.
    func say(_ text: String, canUndo: Bool = false, then path: String, _ visit: Visit) -> Response {
        sessions.leave(Flash(text: text, canUndo: canUndo), for: visit.session)
        return .seeOther(path)
    }
}

/// When everything was last seen to be in sync.
private final class LastSync: Sendable {
    private let state = Mutex<Int64?>(nil)

    var value: Int64? { state.withLock { $0 } }

    func set(_ seconds: Int64) { state.withLock { $0 = seconds } }
}

extension GroupReport {
    /// Whether this user is still in.
    var isCurrent: Bool { role != "left" && role != "removed" }
}
