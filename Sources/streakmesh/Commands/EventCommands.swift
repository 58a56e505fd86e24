import ArgumentParser
import StreakNode
import StreakWeb

struct EventCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event", abstract: "The weekly event of a group.",
        subcommands: [EventShowCommand.self, EventSetCommand.self], defaultSubcommand: EventShowCommand.self)
}

struct EventShowCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "How the event stands, what comes next, and how earlier ones ended.")

    @Option(help: "A day of the week, yyyy-MM-dd (else this week).")
    var week: String?

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() -> EventRequest { .show(date: week, group: group) }

    func lines(for report: EventReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct EventSetCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Choose what is played for next week, as the owner or an admin.",
        discussion: """
            points: most points, in all games or one. double: one game counts twice. hard-mode: only results in hard
            mode, of all games or one. most-games: who solves the most different games. new-games: only games that
            nobody of the group had played before the week.
            """)

    @Argument(
        help: "points, double, hard-mode, most-games or new-games.",
        completion: .list(["points", "double", "hard-mode", "most-games", "new-games"]))
    var rule: String?

    @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
    var game: String?

    @Flag(help: "Take the choice back, and leave the week to chance.")
    var undo = false

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() throws -> EventRequest {
        if undo {
            guard rule == nil else { throw CommandLineFailure.usage("Give a rule or `--undo`, not both.") }
            return .withdraw(group: group)
        }
        guard let rule else { throw CommandLineFailure.usage("Say which rule, or `--undo`.") }
        return .choose(rule: rule, game: game, group: group)
    }

    func lines(for report: EventReport, style: OutputStyle) -> [String] { [report.nextLine(style)] }
}

extension EventReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let chooser = plan.chosenBy.map { ", chosen by \($0.printable)" } ?? ""
        let name = style.applying(.bold, to: plan.name.printable)
        var lines = [
            "\(title.printable) · \(week) · \(plan.icon.printable) \(name)\(chooser)",
            plan.text.printable, left.map { "\($0) left" } ?? "It is over.",
        ]
        if !over, let url = plan.url { lines.append("Play now: \(url.printable)") }
        lines.append("")
        var table = TextTable([.right, .left, .right, .left])
        for row in rows.prefix(100) + (mine.flatMap { $0.onlyMe ? [$0] : nil } ?? []) {
            let isCovered = row.results == 0
            table.addRow(
                .init(row.rank.map { row.tied ? "=\($0)" : "\($0)" } ?? "–"), .init(row.name, .bold),
                .init(isCovered ? "covered" : row.label), .init(row.marks, .dim))
        }
        if rows.isEmpty { lines.append("No result of this week counts yet.") }
        lines += style.lines(of: table)
        if coveredCount > 0 {
            lines.append(style.applying(.dim, to: "\(coveredCount) covered until you have played."))
        }
        if corrected { lines.append("Corrected: a result was changed after the event had ended.") }
        lines += ["", nextLine(style)]
        for event in past.prefix(5) {
            let names = event.winners.map(\.name.printable).joined(separator: ", ")
            let winners = names.isEmpty ? "nobody" : "🏅 \(names)"
            lines.append(style.applying(.dim, to: "\(event.week) \(event.name.printable): \(winners)"))
        }
        return lines
    }

    fileprivate func nextLine(_ style: OutputStyle) -> String {
        let chooser = next.chosenBy.map { ", chosen by \($0.printable)" } ?? ""
        return "Next, \(nextWeek): \(next.icon.printable) \(style.applying(.bold, to: next.name.printable))\(chooser)"
    }
}

extension EventRowReport {
    fileprivate var marks: String {
        [
            me ? "you" : nil, results > 0 && covered > 0 ? "\(covered) covered" : nil,
            badge ? "🏅" : nil, coins.map { "+\($0) coins" }, corrected ? "corrected" : nil,
            onlyMe ? "only you see this" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}
