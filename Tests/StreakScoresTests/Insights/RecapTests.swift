import StreakGames
import StreakScores
import Testing

@Suite struct RecapTests {
    static let today = Fixture.today
    static let monday = today.startOfWeek

    @Test func `a player's week`() {
        // Monday to Saturday; the Sunday before belongs to another week.
        let results =
            Fixture.wordles([0, 1, 2], lost: [4]) + [Fixture.solve(Fixture.mini, Self.monday.adding(days: -1), 20)]
            + (20..<30).map { Fixture.solve(Fixture.bee, Self.today.adding(days: -$0), 5) }
            + [Fixture.solve(Fixture.mini, Self.today, 20)]
        let recap = Fixture.insights(results).weeklyRecap(on: Self.today)
        #expect(recap.week.year == 2026 && recap.week.week == 47)
        #expect(recap.played == 5 && recap.completed == 4 && recap.points == 3 * 4 + 7)
        #expect(recap.completionRate.percent == 80 && recap.activeDays == 4 && recap.consistency.percent == 57)
        // Wordle 3 and Mini 1 are alive, Spelling Bee is not.
        #expect(recap.averageStreak.label == "2.0")
        #expect(recap.longestStreak == GameCount(game: Fixture.bee.id, count: 10))
        #expect(
            recap.text(name: "Ann", games: Fixture.game) == """
                📅 Ann: week 47 of 2026
                5 results, 4 solved (80 %), 19 pts
                Played on 4 of 7 days
                2 streaks alive, on average 2.0
                Longest streak ever: 10 (Spelling Bee)
                """)
    }

    @Test func `a result of tomorrow counts in the player's week as on the week's board`() {
        let results = Fixture.wordles([-1, 0, 1])
        let recap = Fixture.insights(results).weeklyRecap(on: Self.today)
        #expect(recap.played == 3 && recap.span.to == Self.today.adding(days: 1))
        let query = BoardQuery(
            from: Self.monday, to: Self.monday.adding(days: 6), viewer: Fixture.id("ann"), today: Self.today)
        let group = Fixture.index(results.map { ("ann", $0) }).groupRecap(
            query, players: [Fixture.player("ann")], games: Fixture.game)
        #expect(group.winners.map(\.points) == [recap.points])
    }

    @Test func `a week without a result has no text, its average is a dash`() {
        let recap = Fixture.insights([]).weeklyRecap(on: Self.today)
        #expect(recap.averageStreak.label == "–" && recap.completionRate.label == "–" && recap.consistency.percent == 0)
        #expect(recap.text(name: "Ann", games: Fixture.game) == nil)
    }

    @Test(arguments: [
        ("2027-01-03", 2026, 53, "2026-12-28"), ("2026-12-31", 2026, 53, "2026-12-28"),
        ("2025-12-30", 2026, 1, "2025-12-29"),
        ("2024-12-30", 2025, 1, "2024-12-30"),
    ]) func `ISO weeks around new year`(_ day: String, _ year: Int, _ week: Int, _ monday: String) {
        let recap = Fixture.insights([Fixture.solve(Fixture.wordle, Fixture.day(monday), 3)])
            .weeklyRecap(on: Fixture.day(day))
        #expect(recap.week.year == year && recap.week.week == week && recap.played == 1)
        #expect(recap.span.from == Fixture.day(monday))
    }

    // MARK: Groups

    static let players = ["ann", "bob", "cat"].map { Fixture.player($0) }

    static func recap(
        _ results: [(String, DailyScore)], players: [Player] = players, guardsSpoilers: Bool = false
    ) -> GroupRecap {
        let query = BoardQuery(
            from: today, to: today, game: Fixture.wordle.id, viewer: Fixture.id("ann"), today: today,
            guardsSpoilers: guardsSpoilers)
        return Fixture.index(results).groupRecap(query, players: players, games: Fixture.game)
    }

    static let week: [(String, DailyScore)] = [
        // Last week: ann, bob, cat. This week: cat, ann = bob.
        ("ann", Fixture.solve(Fixture.wordle, monday.adding(days: -2), 1)),
        ("bob", Fixture.solve(Fixture.wordle, monday.adding(days: -2), 2)),
        ("cat", Fixture.solve(Fixture.wordle, monday.adding(days: -2), 5)),
        ("ann", Fixture.solve(Fixture.wordle, monday, 3)), ("bob", Fixture.solve(Fixture.wordle, monday, 3)),
        ("cat", Fixture.solve(Fixture.wordle, monday, 2)), ("cat", Fixture.solve(Fixture.mini, monday, 10)),
    ]

    @Test func `winner, climber and best result`() {
        let recap = Self.recap(Self.week)
        #expect(recap.winners.map(\.name) == ["cat"] && recap.winners.map(\.points) == [12])
        #expect(recap.climbers.map(\.name) == ["cat"] && recap.climbers.map(\.places) == [2])
        // Five points where the group's were 4, 4 and 5. The Mini was played by one member only.
        #expect(recap.best?.name == "cat" && recap.best?.score.game == Fixture.wordle.id)
        #expect(recap.best?.points == 5 && recap.best?.groupMean == Average(sum: 13, count: 3))
        #expect(
            recap.text(group: "Friends", games: Fixture.game) == """
                📅 Friends: week 47 of 2026
                🏆 cat: 12 pts
                🧗 cat: up 2 places
                ⭐ cat: 2 guesses in Wordle (2026-11-16)
                """)
    }

    @Test func `the best result is the one furthest above its puzzle's mean, not the one with most points`() {
        let results: [(String, DailyScore)] = [
            // Seven points where two made 7 and 6, then 4 where the others made none.
            ("ann", Fixture.solve(Fixture.mini, Self.monday, 10)),
            ("bob", Fixture.solve(Fixture.mini, Self.monday, 45)),
            ("bob", Fixture.solve(Fixture.wordle, Self.monday, 3)), ("ann", Fixture.loss(Fixture.wordle, Self.monday)),
            ("cat", Fixture.loss(Fixture.wordle, Self.monday)),
        ]
        let best = Self.recap(results).best
        #expect(best?.name == "bob" && best?.points == 4 && best?.groupMean == Average(sum: 4, count: 3))
    }

    @Test func `only the largest gain climbs`() {
        let before = [("ann", 1), ("bob", 3), ("cat", 4), ("dan", 5)]
        let now = [("ann", 6), ("bob", 3), ("cat", 2), ("dan", 1)]
        let results =
            before.map { ($0.0, Fixture.solve(Fixture.wordle, Self.monday.adding(days: -1), $0.1)) }
            + now.map { ($0.0, Fixture.solve(Fixture.wordle, Self.monday, $0.1)) }
        let climbers = Self.recap(results, players: Self.players + [Fixture.player("dan")]).climbers
        #expect(climbers.map(\.name) == ["dan"] && climbers.first?.from == 4 && climbers.first?.to == 1)
    }

    @Test func `equals share`() {
        let recap = Self.recap(Array(Self.week.prefix(5)))
        #expect(recap.winners.map(\.name) == ["ann", "bob"])
        #expect(recap.climbers.map(\.name) == ["bob"])
        #expect(recap.best == nil)
        #expect(Self.recap([]).winners.isEmpty && Self.recap([]).text(group: "Friends", games: Fixture.game) == nil)
    }

    @Test func `who is hidden is in no recap`() {
        let players = Self.players.dropLast() + [Fixture.player("cat", isHidden: true)]
        let recap = Self.recap(Self.week, players: Array(players))
        #expect(recap.winners.map(\.name) == ["ann", "bob"] && recap.best == nil)
    }

    @Test func `covered results stay out of the recap`() {
        let covered =
            Self.week + [
                ("bob", Fixture.solve(Fixture.mini, Self.today, 5)),
                ("cat", Fixture.solve(Fixture.mini, Self.today, 170)),
            ]
        let guarded = Self.recap(covered, guardsSpoilers: true)
        #expect(guarded.coveredCount == 2 && guarded.best?.score.game == Fixture.wordle.id)
        #expect(guarded.winners.map(\.name) == ["cat"])
        let open = Self.recap(covered)
        #expect(open.coveredCount == 0 && open.best?.name == "bob" && open.best?.score.game == Fixture.mini.id)
        // My own result uncovers those of others.
        let mine = Self.recap(covered + [("ann", Fixture.solve(Fixture.mini, Self.today, 90))], guardsSpoilers: true)
        #expect(mine.coveredCount == 0 && mine.best?.name == "bob")
    }
}
