import StreakGames
import StreakNode

/// What a player's page says of their play in the group.
struct PlayerNumbersView: Sendable {
    struct Unlock: Sendable {
        var icon: String
        var title: String
        var day: String
    }

    var level: Int
    var coins: String
    var nextText: String
    var span: Int
    var done: Int
    var figures: [FigureView]
    var bests: [GameLine]
    var hasBests: Bool
    var unlocks: [Unlock]
    var hasUnlocks: Bool
    var achievementsText: String
    var achievementsHref: String
    var streaks: [GameLine]
    var hasStreaks: Bool
    var streaksHref: String
    var games: [GameLine]
    var hasGames: Bool
    var numbersHref: String
    var coveredText: String?

    private static let mostLines = 6
    private static let mostBests = 12

    init(_ numbers: PlayerReport.Numbers, of report: PlayerReport, games: [GameReport]) {
        let icons = Dictionary(games.map { ($0.id, $0.icon) }) { first, _ in first }
        // All of this user's own results are more than those of one group.
        let member = report.me ? nil : report.user
        func link(_ path: String, game: String? = nil) -> String {
            PageLink(path).adding("group", report.group).adding("member", member).adding("game", game)
                .adding("range", game == nil ? nil : "all").text
        }
        level = numbers.level
        coins = ResultView.grouped(numbers.coins)
        let missing = ResultView.grouped(numbers.levelCeiling - numbers.coins)
        nextText = "\(missing) to level \(numbers.level + 1)"
        span = max(numbers.levelCeiling - numbers.levelFloor, 1)
        done = max(numbers.coins - numbers.levelFloor, 0)
        figures = Self.figures(numbers)
        bests = numbers.bests.prefix(Self.mostBests).map { best in
            let day = PuzzleDay(best.day)?.longText ?? best.day
            let medal = best.of < 2 ? nil : ["🥇", "🥈", "🥉"].dropFirst(best.rank - 1).first
            let place = best.of < 2 ? "nobody else yet" : "\(medal.map { "\($0) " } ?? "")#\(best.rank) of \(best.of)"
            return GameLine(
                icon: best.icon, name: best.gameName, value: best.label, note: "\(place), \(day)",
                href: link("/numbers", game: best.game))
        }
        hasBests = !bests.isEmpty
        unlocks = numbers.unlocks.map {
            Unlock(icon: $0.icon, title: $0.title, day: PuzzleDay($0.day)?.longText ?? $0.day)
        }
        hasUnlocks = !unlocks.isEmpty
        achievementsText = "\(numbers.unlocked) of \(numbers.total) achievements"
        achievementsHref = link("/achievements")
        streaks = numbers.streaks.prefix(Self.mostLines).map { streak in
            let unit = streak.unit == "week" ? "week" : "day"
            return GameLine(
                icon: streak.icon, name: streak.gameName,
                value: streak.current == 1 ? "1 \(unit)" : "\(streak.current) \(unit)s",
                note: "best \(streak.longest)", href: link("/numbers", game: streak.game))
        }
        hasStreaks = !streaks.isEmpty
        streaksHref = link("/streaks")
        self.games = numbers.games.prefix(Self.mostLines).map { count in
            GameLine(
                icon: icons[count.game] ?? "🧩", name: count.gameName,
                value: ResultView.grouped(count.count), note: count.count == 1 ? "result" : "results",
                href: link("/numbers", game: count.game))
        }
        hasGames = !self.games.isEmpty
        numbersHref = link("/numbers")
        coveredText = Site.coveredText(numbers.coveredCount)
    }

    private static func figures(_ numbers: PlayerReport.Numbers) -> [FigureView] {
        let share = numbers.played == 0 ? "–" : "\(numbers.completed * 100 / numbers.played) %"
        let overall = numbers.overall
        let figures: [FigureView?] = [
            FigureView(term: "Played", value: ResultView.grouped(numbers.played)),
            FigureView(term: "Solved", value: share, note: "\(ResultView.grouped(numbers.completed)) results"),
            FigureView(term: "Games", value: String(numbers.games.count)),
            FigureView(
                term: "Solved in a row", value: overall.current == 1 ? "1 day" : "\(overall.current) days",
                note: "best \(overall.longest)"),
            numbers.secondsPlayed > 0
                ? FigureView(term: "On the clock", value: Elapsed.text(seconds: numbers.secondsPlayed)) : nil,
            FigureView(term: "Events won", value: String(numbers.badges), note: numbers.badges > 0 ? "🏅" : nil),
        ]
        return figures.compactMap(\.self)
    }
}
