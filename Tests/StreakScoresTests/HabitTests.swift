import StreakGames
import StreakRandom
import StreakScores
import Testing

/// A habit may have several logs a day. Days are compared, and a day's value is the number of its logs.
@Suite struct HabitTests {
    static let today = Fixture.day("2026-11-21")

    /// The logs of each day before today, by their number.
    static func logs(_ counts: [Int], of game: Game = Fixture.habit, apart: Int = 1) -> [DailyScore] {
        counts.enumerated().flatMap { ago, count in
            (0..<count).map { log in
                // Log numbers are random: neither in order nor adjacent.
                Fixture.solve(game, today.adding(days: -ago * apart), 1)
                    .log(numbered: UInt16(truncatingIfNeeded: (log + 1) * 40_503 ^ ago * 7))
            }
        }
    }

    static func board(
        _ results: [(String, DailyScore)], days: Int = 7, metric: BoardMetric = .points, game: Game? = Fixture.habit,
        aggregation: Aggregation? = nil
    ) -> [BoardRow] {
        let query = BoardQuery(
            from: today.adding(days: 1 - days), to: today, game: game?.id, metric: metric, viewer: Fixture.id("ann"),
            today: today, aggregation: aggregation)
        let names = Set(results.map(\.0)).sorted().map { Fixture.player($0) }
        return Fixture.index(results).board(query, players: names) { $0 == weekly.id ? weekly : Fixture.game($0) }.rows
    }

    static let weekly = Game(
        id: GameID(literal: "custom-choir"), name: "Choir", model: .count, cadence: .weekly)

    // MARK: Streaks

    @Test(arguments: [([1, 1, 1, 1, 1], 5), ([2, 1, 3], 3), ([0, 1, 1], 2), ([0, 0, 1], 0), ([1, 0, 1], 1)])
    func `a habit's streak is its days, whatever its logs are called`(_ counts: [Int], _ length: Int) {
        let logs = Self.logs(counts)
        #expect(Self.board(logs.map { ("ann", $0) }, metric: .streak).first?.value ?? 0 == length)
        let streak = Fixture.insights(logs).streak(in: Fixture.habit, on: Self.today)
        #expect(streak.current == length)
        #expect(streak.isAtRisk == (length > 0 && counts[0] == 0))
    }

    @Test func `a weekly habit counts weeks, and a run of days reaches a tier`() {
        let choir = Self.logs([1, 2, 1], of: Self.weekly, apart: 7).map { ("ann", $0) }
        #expect(Self.board(choir, metric: .streak, game: Self.weekly).first?.value == 3)
        let week = Fixture.insights(Self.logs([1, 1, 1, 1, 1, 1, 1]))
        #expect(week.achievements(on: Self.today)[.streakMaster].tier == .silver)
    }

    // MARK: Boards

    @Test(arguments: [
        ([2, 1, 0, 1, 1, 1], "average 1.2, played 5 of 7", "6 logs"), ([2], "average 2.0, played 1 of 7", "2 logs"),
        ([0, 0, 1], "average 1.0, played 1 of 7", "1 log"),
    ]) func `a board counts the days of a habit and averages over them`(
        _ counts: [Int], _ detail: String, _ label: String
    ) {
        let row = Self.board(Self.logs(counts).map { ("ann", $0) })[0]
        #expect(row.detail == detail)
        #expect(row.label == label)
        #expect(row.raw == counts.reduce(0, +))
    }

    @Test func `one day ranks by the number of logs, and the best of several days is a day's`() {
        let results = Self.logs([2, 3]).map { ("ann", $0) } + Self.logs([1, 1]).map { ("bob", $0) }
        let day = Self.board(results, days: 1)
        #expect(day.map(\.label) == ["2 logs", "1 log"])
        #expect(day.map(\.raw) == [2, 1])
        let best = Self.board(results, aggregation: .best)
        #expect(best.map(\.label) == ["3 logs", "1 log"])
        #expect(Self.board(results, aggregation: .latest).map(\.label) == ["2 logs", "1 log"])
    }

    @Test func `a page of one game and the page of all count the same puzzles`() {
        let results = [0, 3].map { ("ann", Fixture.solve(Fixture.wordle, Self.today.adding(days: -$0), 3)) }
        #expect(Self.board(results, game: Fixture.wordle)[0].detail == "average 3.0, played 2 of 7")
        #expect(Self.board(results, game: nil)[0].detail == "played 2 of 7")
        let both = results + Self.logs([3, 1]).map { ("ann", $0) }
        #expect(Self.board(both, game: nil)[0].detail == "played 4 of 14")
    }

    /// Logs come, change and go in any order; stored sums equal recomputed ones.
    @Test(arguments: 1...8) func `the days kept of a habit are those there are`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var index = ScoreIndex()
        index.define(Fixture.habit)
        var held: [ScoreKey: DailyScore] = [:]
        for _ in 0..<400 {
            if let key = held.keys.sorted().randomElement(using: &generator),
                Int.random(in: 0...2, using: &generator) == 0
            {
                index.remove(key, of: Fixture.id("ann"))
                held[key] = nil
                continue
            }
            let day = Self.today.adding(days: -Int.random(in: 0...150, using: &generator))
            let log = Fixture.solve(Fixture.habit, day, Int.random(in: 0...3, using: &generator))
                .log(numbered: UInt16.random(in: 0...3, using: &generator))
            index.replace(log, of: Fixture.id("ann"))
            held[log.key] = log
        }
        for length in [2, 7, 64, 65, 200] {
            let span = DaySpan(from: Self.today.adding(days: 1 - length), to: Self.today)
            let shown = held.values.filter { $0.day >= span.from }
            let query = BoardQuery(
                from: span.from, to: span.to, game: Fixture.habit.id, viewer: Fixture.id("ann"), today: Self.today)
            let row = index.board(query, players: [Fixture.player("ann")], games: Fixture.game).rows.first
            #expect(row?.played ?? 0 == Set(shown.map(\.day)).count, "seed \(seed)")
            #expect(row?.value ?? 0 == shown.reduce(0) { $0 + ($1.score ?? 0) }, "seed \(seed)")
        }
    }

    // MARK: Insights

    @Test func `the deep dive and the personal best are of days`() {
        let insights = Fixture.insights(Self.logs([2, 1, 0, 1, 1, 1]))
        let dive = insights.deepDive(into: Fixture.habit)
        #expect(dive.played == 5)
        #expect(dive.averageLabel == "1.2")
        #expect(dive.bestLabel == "2 logs")
        #expect(dive.best?.day == Self.today)
        #expect(dive.distribution.map(\.label) == ["1", "2"])
        #expect(dive.distribution.map(\.count) == [4, 1])
        let best = insights.personalBests()
        #expect(best.map(\.label) == ["2 logs"])
        #expect(best.map(\.score.day) == [Self.today])
        #expect(best.map(\.timesBeaten) == [1])
        #expect(best.map(\.score.puzzle) == [nil])
        #expect(insights.overview(of: .everything, game: Fixture.habit.id).best?.score == 2)
    }

    @Test func `two players compare their days`() {
        let index = Fixture.index(
            Self.logs([2, 1, 1]).map { ("ann", $0) } + Self.logs([1, 1]).map { ("bob", $0) })
        let query = BoardQuery(from: .earliest, to: Self.today, viewer: Fixture.id("ann"), today: Self.today)
        let found = index.headToHead(
            Fixture.player("ann"), Fixture.player("bob"), query: query, games: Fixture.game)
        #expect(found.total.firstWins == 1 && found.total.ties == 1 && found.total.secondWins == 0)
        #expect(found.games.map(\.firstAverage.label) == ["1.5"])
    }

    @Test func `a text to share names no number of a log`() {
        let log = Self.logs([1])[0]
        let text = ShareTemplate.standard(.solved).text(for: log, in: Fixture.habit)
        #expect(text.hasPrefix("🧩 Solved today's Habit with 1 log!"))
    }

    // MARK: Bars

    @Test(arguments: [
        ([60, 66, 91], ["60–64", "65–69", "70–74", "75–79", "80–84", "85–89", "90–94"]),
        (
            [31_000, 31_666, 34_100],
            ["31,000–31,499", "31,500–31,999", "32,000–32,499", "32,500–32,999"]
                + ["33,000–33,499", "33,500–33,999", "34,000–34,499"]
        ),
        ([3, 5], ["3", "4", "5"]),
    ]) func `the bars of an open score begin at round numbers`(_ values: [Int], _ labels: [String]) {
        let results = values.enumerated().map {
            Fixture.solve(Fixture.blocks, Self.today.adding(days: -$0.offset), $0.element)
        }
        #expect(Fixture.insights(results).deepDive(into: Fixture.blocks).distribution.map(\.label) == labels)
    }

    // MARK: Units

    @Test(arguments: [
        (ScoringModel.highScore, 12, "12 km"), (.count, 8_000, "8,000 km"), (.lowerAttempts, 3, "3 km"),
        (.lowerTimeSeconds, 65, "1:05"),
    ]) func `a custom game's unit stands behind its values`(_ model: ScoringModel, _ value: Int, _ label: String) {
        let game = Game(id: GameID(literal: "custom-run"), name: "Run", model: model, unit: "km")
        #expect(Scoring.label(for: Fixture.solve(game, Self.today, value), in: game) == label)
    }

    @Test(arguments: [(0, "+0"), (3, "+3")]) func `guesses beyond the fewest possible are written as such`(
        _ value: Int, _ label: String
    ) {
        #expect(Scoring.label(for: Fixture.solve(Fixture.travle, Self.today, value), in: Fixture.travle) == label)
    }
}
