import ArgumentParser
import StreakGames
import StreakNode
import StreakWeb

struct PlayerCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "player", abstract: "A member of a group: level, bests, achievements, streaks, challenges.")

    @Argument(help: "A name, a friend code or an ID (else you).")
    var user: String?

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    private static let mostLines = 10

    func request() -> PlayerRequest { .show(user: user, group: group) }

    func lines(for report: PlayerReport, style: OutputStyle) -> [String] {
        let name = report.me ? "You" : report.name.printable
        let place = "\(style.applying(.bold, to: name)) in “\(report.title.printable)”"
        let challenges = "challenges: won \(report.won), lost \(report.lost), drawn \(report.drawn)"
        guard let numbers = report.numbers else {
            return [place + ": on no board, so there are no numbers", challenges]
        }
        var lines = [
            place + (report.online && !report.me ? ", online" : ""),
            "level \(numbers.level), \(numbers.coins.grouped) coins, \(numbers.unlocked) of \(numbers.total) achievements",
            "\(numbers.played.grouped) played, \(numbers.completed.grouped) solved, "
                + "\(numbers.games.count) \(numbers.games.count == 1 ? "game" : "games")"
                + (numbers.secondsPlayed > 0 ? ", \(Elapsed.text(seconds: numbers.secondsPlayed)) on the clock" : ""),
            "solved in a row: \(numbers.overall.current) \(numbers.overall.current == 1 ? "day" : "days"), "
                + "best \(numbers.overall.longest)", challenges,
        ]
        var table = TextTable([.left, .left, .left, .left])
        for best in numbers.bests.prefix(Self.mostLines) {
            table.addRow(
                .init("best", .dim), .init(best.gameName), .init(best.label, .bold),
                .init("#\(best.rank) of \(best.of), \(best.day)", .dim))
        }
        for streak in numbers.streaks.prefix(Self.mostLines) {
            let unit = streak.unit == "week" ? "weeks" : "days"
            table.addRow(
                .init("streak", .dim), .init(streak.gameName), .init("\(streak.current) \(unit)", .bold),
                .init("best \(streak.longest)", .dim))
        }
        for unlock in numbers.unlocks {
            table.addRow(.init("tier", .dim), .init(unlock.title), .init(unlock.icon), .init(unlock.day, .dim))
        }
        lines += style.lines(of: table)
        if numbers.coveredCount > 0 {
            lines.append(
                style.applying(.dim, to: "\(numbers.coveredCount) covered until you have played, left out here"))
        }
        return lines
    }
}
