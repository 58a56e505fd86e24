import Hummingbird
import StreakNode

/// What happened in this user's groups.
struct ActivityView: Sendable {
    struct Line: Sendable {
        var avatar: AvatarView
        var icon: String
        var name: String
        var me: Bool
        var text: String
        /// The result or the player that it is about.
        var href: String
        var note: String
        var fresh: Bool
        /// Somebody else's page, for what that person achieved.
        var playerHref: String?
    }

    var heading: String
    var scopes: [TabView]
    var freshText: String?
    var lines: [Line]
    var hasLines: Bool
    var restText: String?
    /// Nil without a group.
    var challengesHref: String?
    /// “Messages, 2 new”; nil without a friend to write to.
    var messagesText: String?
}

extension Site {
    private static let activityEntries = 100

    /// To open the whole page is to look. What was new before is marked.
    func showActivity(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = visit.fields["group"]
        let report = try await node.call(FeedRequest.show(group: group, limit: Self.activityEntries))
        if !visit.isFragment, report.fresh > 0 {
            _ = try await node.call(FeedRequest.look(group: group, limit: 1))
        }
        let messages = try await node.call(MessageRequest.list)
        let fresh = messages.friends.reduce(0) { $0 + $1.fresh }
        let everybody = TabView(label: "All groups", href: "/activity", current: group == nil)
        let rest = report.total - report.entries.count
        let view = ActivityView(
            heading: "Activity",
            scopes: frame.current.count < 2
                ? []
                : [everybody]
                    + frame.current.map {
                        TabView(
                            label: $0.title, href: PageLink("/activity").adding("group", $0.id).text,
                            current: $0.id == group)
                    },
            freshText: report.fresh == 0
                ? nil : report.fresh == 1 ? "1 new since you looked" : "\(report.fresh) new since you looked",
            lines: report.entries.map { line($0, namesGroup: group == nil && frame.current.count > 1) },
            hasLines: !report.entries.isEmpty, restText: rest > 0 ? "and \(rest) older" : nil,
            challengesHref: frame.current.isEmpty ? nil : PageLink("/challenges").adding("group", group).text,
            messagesText: messages.friends.isEmpty ? nil : fresh == 0 ? "Messages" : "Messages, \(fresh) new")
        return page(.activity, "activity", title: "Activity", view, frame, visit)
    }

    private func line(_ entry: FeedEntryReport, namesGroup: Bool) -> ActivityView.Line {
        let when = Timestamp(entry.at)?.relativeText(to: now()) ?? entry.at
        let event = ["event", "eventEnding", "eventWon"].contains(entry.kind) ? "/event" : nil
        let isOfWeek = entry.kind == "champion" || entry.kind == "climbed"
        let player = PageLink(event ?? (isOfWeek ? "/champions" : "/player"))
            .adding("group", entry.group).adding("user", entry.user.isEmpty || event != nil ? nil : entry.user)
        // What is said is about this user's own result.
        let owner = entry.kind == "reaction" || entry.kind == "comment" ? nil : entry.user
        let result = entry.game.map {
            PageLink("/result").adding("group", entry.group).adding("user", owner).adding("game", $0)
                .adding("date", entry.day).adding("puzzle", entry.puzzle.map(String.init))
        }
        let message = entry.kind == "message" ? PageLink("/messages").adding("user", entry.user) : nil
        let isChallenge = ["challenge", "accepted", "declined", "outcome"].contains(entry.kind)
        let challenges = PageLink("/challenges").adding("group", entry.group)
        let isAchieved = ["result", "results", "best", "beaten", "unlock", "milestone"].contains(entry.kind)
        return ActivityView.Line(
            avatar: AvatarView(user: entry.user, name: entry.name), icon: entry.icon, name: entry.name, me: entry.me,
            text: entry.text, href: (isChallenge ? challenges : message ?? result ?? player).text,
            note: namesGroup ? "\(when) · \(entry.title)" : when, fresh: entry.fresh,
            playerHref: isAchieved && !entry.me ? player.text : nil)
    }
}
