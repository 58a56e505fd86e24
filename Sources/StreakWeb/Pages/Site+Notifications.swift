import Hummingbird
import StreakNode

/// What this user is told at once.
struct NotificationsView: Sendable {
    struct Item: Sendable {
        var kind: String
        var label: String
        var detail: String
        var on: Bool
    }

    var kinds: [Item]
    var quietFrom: String
    var quietTo: String
    var desktop: Bool
    var command: String?
    var todayText: String
    var remindersText: String
}

/// The bell at the top of every page.
struct BellView: Sendable {
    var count: Int
    var hasCount: Bool
    /// At most “99+”.
    var countText: String
    /// As screen readers say it.
    var text: String

    init(_ count: Int) {
        (self.count, hasCount) = (count, count > 0)
        countText = count > 99 ? "99+" : "\(count)"
        text = count == 0 ? "Nothing new" : count == 1 ? "1 new thing" : "\(count) new things"
    }
}

extension Site {
    func showNotifications(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let report = try await node.call(NotificationRequest.show)
        let quiet = report.quiet?.split(separator: "-").map(String.init) ?? []
        let view = NotificationsView(
            kinds: report.kinds.map { each in
                let (label, detail) = Self.words(for: each.kind)
                return NotificationsView.Item(kind: each.kind, label: label, detail: detail, on: each.on)
            },
            quietFrom: quiet.first ?? "", quietTo: quiet.count == 2 ? quiet[1] : "", desktop: report.desktop,
            command: report.command.flatMap { $0.isEmpty ? nil : $0 },
            todayText: "\(report.shownToday) of \(report.most) today",
            remindersText: report.reminders ? "On" : "Off")
        return page(.profile, "notifications", title: "Notifications", view, frame, visit)
    }

    private static func words(for kind: String) -> (label: String, detail: String) {
        switch kind {
        case "challenge": ("Challenges", "A friend challenges you")
        case "message": ("Messages", "A friend writes to you; their words are on the page Messages only")
        case "answer": ("Answers", "A friend answers your challenge, or a challenge of yours ends")
        case "beaten": ("Beaten results", "A friend beats your result after you")
        case "ending": ("Events that end", "Six hours are left of the weekly event")
        case "climbed": ("Climbs", "You climbed on last week’s board")
        case "started": ("Events that begin", "A new weekly event is on")
        default: (kind, "")
        }
    }

    /// A form has all kinds: those that are not ticked are switched off.
    func changeNotifications(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        let known = try await node.call(NotificationRequest.show).kinds.map(\.kind)
        let quiet: String =
            switch (fields["quietFrom"], fields["quietTo"]) {
            case (nil, nil): ""
            case (let from, let to): "\(from ?? "")-\(to ?? "")"
            }
        let change = NotificationChange(
            on: known.filter { fields.isSet("kind-\($0)") }, off: known.filter { !fields.isSet("kind-\($0)") },
            quiet: quiet, desktop: fields.isSet("desktop"))
        _ = try await node.call(NotificationRequest.change(change))
        return say("Saved.", then: visit.back, visit)
    }
}
