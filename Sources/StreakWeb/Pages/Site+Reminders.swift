import Hummingbird
import StreakGames
import StreakNode

/// When this node reminds its user of streaks at risk.
struct RemindersView: Sendable {
    struct Item: Sendable {
        var id: String
        var icon: String
        var name: String
    }

    var on: Bool
    var smart: Bool
    var stateText: String
    var fixedTime: String
    var quietFrom: String
    var quietTo: String
    var habitText: String
    var desktop: Bool
    var command: String?
    var nextText: String?
    var text: String?
    var excluded: [Item]
    var hasExcluded: Bool
    var games: [OptionView]
    var hasGames: Bool
    var plots: [PlotView]
}

extension Site {
    func showReminders(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let report = try await node.call(ReminderRequest.show(plots: true))
        let games = try await catalogue().games
        let played = try await node.call(StreaksRequest.show(date: nil, group: nil))
        let quiet = report.quiet?.split(separator: "-").map(String.init) ?? []
        let view = RemindersView(
            on: report.on, smart: report.smart,
            stateText: report.on
                ? report.smart && report.window != nil
                    ? "On, at \(report.time) by your habit" : "On, at \(report.fixedTime)" : "Off",
            fixedTime: report.fixedTime, quietFrom: quiet.first ?? "",
            quietTo: quiet.count == 2 ? quiet[1] : "",
            habitText: report.window.map {
                "You play most from \($0.replacing("-", with: " to ")): \(report.coverage ?? 0) % of your results."
            } ?? "Too few results of the last 30 days to know your habit.",
            desktop: report.desktop, command: report.command.flatMap { $0.isEmpty ? nil : $0 },
            nextText: report.next.flatMap { Timestamp($0) }.map { "Next one \($0.relativeText(to: now()))" },
            text: report.text,
            excluded: report.excluded.map { id in
                let game = games.first { $0.id == id }
                return RemindersView.Item(id: id, icon: game?.icon ?? "🧩", name: game?.name ?? id)
            }, hasExcluded: !report.excluded.isEmpty,
            games: played.streaks.filter { !report.excluded.contains($0.game) }.map {
                OptionView(value: $0.game, label: $0.gameName, selected: false)
            }, hasGames: !played.streaks.isEmpty, plots: report.plots.map { PlotView($0) })
        return page(.profile, "reminders", title: "Reminders", view, frame, visit)
    }

    /// Changes only the settings that the pressed form holds.
    func changeReminders(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        var change = ReminderChange(on: fields["on"].map { $0 == "on" })
        if let when = fields["when"] {
            change.smart = when == "smart"
            change.time = fields["time"]
            change.desktop = fields.isSet("desktop")
            switch (fields["quietFrom"], fields["quietTo"]) {
            case (nil, nil): change.quiet = ""
            case (let from, let to): change.quiet = "\(from ?? "")-\(to ?? "")"
            }
        }
        if let game = fields["exclude"] { change.exclude = [game] }
        if let game = fields["include"] { change.include = [game] }
        let report = try await node.call(ReminderRequest.change(change))
        let text = report.on ? "Reminders are on." : "Reminders are off."
        return say(change.on == nil ? "Saved. \(text)" : text, then: visit.back, visit)
    }
}
