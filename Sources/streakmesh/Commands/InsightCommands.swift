import ArgumentParser
import StreakNode
import StreakWeb

/// Whose numbers are shown.
struct SubjectOptions: ParsableArguments {
    @Option(help: "A member's, as far as you may see them: name, user ID, or a unique beginning of either.")
    var member: String?

    @Option(help: "Only what this group knows (else all your own results; with --member the active group).")
    var group: String?
}

/// Whether drawings come with the numbers.
struct DrawingOptions: ParsableArguments {
    @Flag(help: "With --json: the drawings too, as SVG.")
    var plots = false
}

struct StatsCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats", abstract: "Show statistics: of a game, or of all games together.")

    @Argument(help: "The game: its name, ID or a unique beginning (else all).", completion: .games)
    var game: String?

    @Option(help: "\(OptionHelp.ranges) (else 30d).", completion: .ranges)
    var range: String?

    @Option(help: "The day shown, yyyy-MM-dd (else today).")
    var date: String?

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var shared: SharedOptions

    func request() -> StatisticsRequest {
        .show(
            game: game, range: range, date: date, group: subject.group, member: subject.member,
            plots: drawing.plots)
    }

    func lines(for report: StatisticsReport, style: OutputStyle) -> [String] {
        var lines = [
            style.applying(.bold, to: report.name)
                + style.applying(.dim, to: " · \(report.gameName ?? "all games") · \(report.from) to \(report.to)")
        ]
        guard report.played > 0 else {
            let all = range == "all" ? "" : " `--range all` takes in every day."
            return lines + ["No results of these days.\(all)"] + report.footnotes(style)
        }
        var table = TextTable([.left, .left])
        for (title, value) in report.facts where !value.isEmpty { table.addRow(.init(title, .dim), .init(value)) }
        lines += style.lines(of: table)
        for dive in report.deepDives where dive.played > 0 { lines += dive.lines(style) }
        if !report.personalBests.isEmpty {
            var table = TextTable([.left, .left, .left, .left])
            table.addHeader("", "personal best", "", "")
            for best in report.personalBests.prefix(10) {
                table.addRow(.init(best.icon), .init(best.gameName, .bold), .init(best.label), .init(best.day, .dim))
            }
            lines += [""] + style.lines(of: table)
        }
        return lines + report.footnotes(style)
    }
}

struct StreaksCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "streaks", abstract: "Show streaks: current, longest, and which are at risk today.")

    @Option(help: "The day shown, yyyy-MM-dd (else today).")
    var date: String?

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var shared: SharedOptions

    func request() -> StreaksRequest {
        .show(date: date, group: subject.group, member: subject.member)
    }

    func lines(for report: StreaksReport, style: OutputStyle) -> [String] {
        let days = report.overall.current == 1 ? "1 day" : "\(report.overall.current) days"
        let overall = "\(days) in a row with a solved puzzle, at best \(report.overall.longest)"
        var lines = ["\(style.applying(.bold, to: report.name)): \(overall)."]
        guard !report.streaks.isEmpty else { return lines + ["No streaks yet. `streakmesh add` takes a share text."] }
        var table = TextTable([.left, .left, .right, .right, .left, .left, .left])
        table.addHeader("", "game", "now", "best", "", "last played", "")
        for streak in report.streaks {
            table.addRow(
                .init(streak.icon), .init(streak.gameName, streak.current > 0 ? .bold : .plain),
                .init("\(streak.current)"), .init("\(streak.longest)"),
                .init(streak.unit == "week" ? "weeks" : "", .dim), .init(streak.lastPlayed ?? "", .dim),
                .init(streak.marks, streak.atRisk ? .bad : .dim))
        }
        lines += style.lines(of: table)
        switch report.atRisk.count {
        case 0: break
        case 1: lines.append("1 at risk: play it today to keep it.")
        case let count: lines.append("\(count) at risk: play them today to keep them.")
        }
        return lines
    }
}

struct AchievementsCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "achievements", abstract: "Show achievements, coins and level.",
        discussion: "New ones are announced once, here or on the page; `--json` does not count as an announcement.")

    @OptionGroup var subject: SubjectOptions
    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let report = try await context.call(
            AchievementsRequest.show(group: subject.group, member: subject.member))
        context.show(report) { lines(for: report, style: $0) }
        guard !report.fresh.isEmpty, !context.usesJSON else { return }
        _ = try await context.call(AchievementsRequest.celebrate)
    }

    func lines(for report: AchievementsReport, style: OutputStyle) -> [String] {
        let next = "\(report.levelCeiling - report.coins) to level \(report.level + 1)"
        var lines = [
            "\(style.applying(.bold, to: report.name)): level \(report.level), \(report.coins) coins, \(next); "
                + "\(report.unlocked) of \(report.total) achievements."
        ]
        if report.badges > 0 {
            lines.append("🏅 \(report.badges) weekly \(report.badges == 1 ? "event" : "events") won.")
        }
        var table = TextTable([.left, .left, .left, .left, .right, .left])
        for item in report.achievements {
            table.addRow(
                .init(item.icon), .init(item.title, .bold), .init(item.tierIcon ?? ""), .init(item.tier ?? "–", .dim),
                .init(item.progress), .init(item.unlocks.last?.day ?? "", .dim))
        }
        lines += style.lines(of: table)
        lines += report.fresh.map { "New: \($0.icon) \($0.title), \($0.day)." }
        if let last = report.latest.first { lines += ["", "To share: \(last.text)"] }
        return lines
    }
}

struct RecapCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "recap", abstract: "Show a week: yours, and your group's.")

    @Option(help: "A day of the week, yyyy-MM-dd (else today).")
    var week: String?

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() -> RecapRequest { .show(date: week, group: group) }

    func lines(for report: RecapReport, style: OutputStyle) -> [String] {
        var lines = [style.applying(.dim, to: "\(report.week) · \(report.from) to \(report.to)")]
        lines += report.text?.split(separator: "\n").map(String.init) ?? ["You have no result of this week."]
        if let text = report.groupText {
            lines += [""] + text.split(separator: "\n").map(String.init)
        } else if let title = report.groupTitle {
            lines += ["", "No results in \(title.printable) this week."]
        }
        if report.coveredCount > 0 {
            lines.append(style.applying(.dim, to: "\(report.coveredCount) covered until you have played."))
        }
        return lines
    }
}

struct VersusCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "versus", abstract: "Compare yourself with another member, puzzle by puzzle.")

    @Argument(help: "The member: name, user ID, or a unique beginning of either.")
    var user: String

    @Option(help: "Only this game.", completion: .games)
    var game: String?

    @Option(help: "\(OptionHelp.ranges) (else all).", completion: .ranges)
    var range: String?

    @Option(help: "The day shown, yyyy-MM-dd (else today).")
    var date: String?

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var shared: SharedOptions

    func request() -> VersusRequest {
        .show(user: user, game: game, range: range, date: date, group: group, plots: drawing.plots)
    }

    func lines(for report: VersusReport, style: OutputStyle) -> [String] {
        let name = report.name.printable
        var lines = [
            "\(style.applying(.bold, to: "You \(report.wins) : \(report.losses) \(name)")), \(report.ties) tied, "
                + "of \(report.common) puzzles that both have played."
        ]
        if report.run > 0 { lines.append("You have won the last \(report.run).") }
        if report.run < 0 { lines.append("\(name) has won the last \(-report.run).") }
        var table = TextTable([.left, .left, .right, .right, .right, .right, .right])
        table.addHeader("", "game", "won", "lost", "tied", "your average", "theirs")
        for game in report.games {
            table.addRow(
                .init(game.icon), .init(game.gameName, .bold), .init("\(game.wins)"), .init("\(game.losses)"),
                .init("\(game.ties)"), .init(game.myAverageLabel ?? ""), .init(game.theirAverageLabel ?? ""))
        }
        lines += style.lines(of: table)
        if report.coveredCount > 0 {
            lines.append(style.applying(.dim, to: "\(report.coveredCount) covered until you have played."))
        }
        return lines
    }
}

struct ChampionsCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "champions", abstract: "List the winners of past weeks or months.")

    @Option(help: "week or month.", completion: .list(["week", "month"]))
    var period = "week"

    @Option(help: "Only this game.", completion: .games)
    var game: String?

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() -> ChampionsRequest { .show(period: period, game: game, group: group) }

    func lines(for report: ChampionsReport, style: OutputStyle) -> [String] {
        guard !report.champions.isEmpty else { return ["No \(report.period) with results is over yet."] }
        var table = TextTable([.left, .left, .right, .left])
        for champions in report.champions.prefix(100) {
            table.addRow(
                .init(champions.period, .dim), .init(champions.winners.map(\.name).joined(separator: ", "), .bold),
                .init("\(champions.value)"), .init("\(champions.ranked) took part", .dim))
        }
        var lines = style.lines(of: table)
        var wall = TextTable([.left, .right, .left])
        for wins in report.wall.prefix(20) {
            let runs = [
                wins.current > 1 ? "the last \(wins.current) in a row" : nil,
                wins.longest > wins.current && wins.longest > 1 ? "longest run \(wins.longest)" : nil,
            ].compactMap(\.self).joined(separator: ", ")
            wall.addRow(.init(wins.winner.name, .bold), .init("🏆 \(wins.count)"), .init(runs, .dim))
        }
        lines += [""] + style.lines(of: wall)
        return lines
    }
}

extension StatisticsReport {
    fileprivate var facts: [(String, String)] {
        func percent(_ value: Int?) -> String { value.map { "\($0) %" } ?? "–" }
        func counted(_ count: GameCountReport?) -> String { count.map { "\($0.count) (\($0.gameName))" } ?? "" }
        return [
            ("played", "\(played)"), ("solved", "\(completed) (\(percent(completionRate)))"),
            ("days played", "\(activeDays) (\(percent(consistency)))"), ("streaks alive", "\(activeStreaks)"),
            ("longest of them", counted(longestCurrent)), ("longest streak", counted(longestStreak)),
            ("most played", game == nil ? counted(mostPlayed) : ""),
            ("best result", best.map { "\($0.label) (\($0.gameName), \($0.day))" } ?? ""),
            ("busiest day", busiestDay.map { "\($0) (\(busiestCount ?? 0))" } ?? ""),
            ("time on the clock", secondsPlayed > 0 ? Elapsed.text(seconds: secondsPlayed) : ""),
        ]
    }

    fileprivate func footnotes(_ style: OutputStyle) -> [String] {
        coveredCount > 0 ? [style.applying(.dim, to: "\(coveredCount) covered until you have played.")] : []
    }
}

extension DeepDiveReport {
    private var lost: String { failRate.map { "\($0) %" } ?? "–" }

    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let most = max(1, distribution.map(\.count).max() ?? 1)
        var table = TextTable([.right, .left, .right])
        for bar in distribution {
            table.addRow(
                .init(bar.label), .init(String(repeating: "█", count: bar.count * 30 / most), bar.loss ? .bad : .good),
                .init("\(bar.count)", .dim))
        }
        return ["", "\(style.applying(.bold, to: gameName)): average \(averageLabel), best \(bestLabel), lost \(lost)"]
            + style.lines(of: table)
    }
}

extension StreakReport {
    fileprivate var marks: String {
        [
            atRisk ? "at risk" : nil, open && !atRisk ? "open today" : nil, frozen > 0 ? "\(frozen) frozen" : nil,
            freezes > 0 ? "\(freezes) \(freezes == 1 ? "freeze" : "freezes")" : nil,
        ]
        .compactMap(\.self).joined(separator: ", ")
    }
}
