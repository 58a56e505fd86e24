import StreakGames
import StreakScores
import Testing

@Suite struct OverviewTests {
    static let today = Fixture.today

    @Test(arguments: [
        ("today", "2026-11-21"), ("7d", "2026-11-15"), ("30d", "2026-10-23"), ("90d", "2026-08-24"),
        ("365d", "2025-11-22"),
    ]) func `ranges end at the shown day`(_ range: String, _ from: String) {
        let span = BoardRange(range)?.span(around: Self.today, today: Self.today)
        #expect(span == DaySpan(from: Fixture.day(from), to: Self.today))
    }

    @Test func `consistency and completion rate`() {
        let insights = Fixture.insights(
            Fixture.wordles([0, 1, 9], lost: [2]) + [Fixture.solve(Fixture.mini, Self.today, 50)])
        let week = insights.overview(of: Fixture.last(7))
        #expect(week.played == 4 && week.completed == 3)
        #expect(week.completionRate.percent == 75 && week.completionRate.label == "75 %")
        #expect(week.activeDays == 3 && week.consistency.percent == 43)
    }

    @Test func `nothing recorded: an average of nothing is a dash`() {
        let span = Fixture.last(30)
        let overview = Fixture.insights([]).overview(of: span)
        #expect(overview.completionRate.percent == nil && overview.completionRate.label == "–")
        #expect(overview.consistency.percent == 0)
        #expect(overview.mostPlayed == nil && overview.best == nil && overview.busiest == nil)
        #expect(overview.longestCurrent == nil && overview.longestStreak == nil && overview.activeStreaks == 0)
        let dive = Fixture.insights([]).deepDive(into: Fixture.wordle)
        #expect(dive.averageLabel == "–" && dive.bestLabel == "–" && dive.failRate.label == "–")
    }

    @Test func `every number of the overview`() {
        let results =
            Fixture.wordles([0, 1, 2]) + [Fixture.solve(Fixture.mini, Self.today, 20)]
            + [Fixture.solve(Fixture.mini, Self.today.adding(days: -1), 100)]
            + (40..<46).map { Fixture.solve(Fixture.bee, Self.today.adding(days: -$0), 9) }
        let overview = Fixture.insights(results).overview(of: Fixture.last(30))
        #expect(overview.activeStreaks == 2)
        #expect(overview.longestCurrent?.game == Fixture.wordle.id && overview.longestCurrent?.current == 3)
        #expect(overview.longestStreak == GameCount(game: Fixture.bee.id, count: 6))
        #expect(overview.played == 5 && overview.mostPlayed == GameCount(game: Fixture.wordle.id, count: 3))
        #expect(overview.best?.score == 20)
        #expect(overview.busiest == DayCount(day: Self.today.adding(days: -1), count: 2))
        let one = Fixture.insights(results).overview(
            of: Fixture.last(30), game: Fixture.mini.id)
        #expect(one.played == 2 && one.activeStreaks == 1 && one.best?.score == 20 && one.activeDays == 2)
    }

    @Test func `of equal results the earliest is the best`() {
        // Two guesses in Wordle and six hints in Strands are five points each.
        let results =
            [3, 2, 1, 0].map { Fixture.solve(Fixture.wordle, Self.today.adding(days: -$0), $0 == 3 ? 5 : 2) }
            + [Fixture.solve(Fixture.strands, Self.today, 6)]
        for game in [nil, Fixture.wordle.id] {
            let span = Fixture.last(7)
            let best = Fixture.insights(results).overview(of: span, game: game).best
            #expect(best?.day == Self.today.adding(days: -2) && best?.game == Fixture.wordle.id)
        }
    }

    @Test(arguments: [
        (0, 0, nil), (0, 3, 0), (1, 3, 33), (2, 3, 67), (1, 200, 1), (1, 201, 0), (3, 3, 100), (9, 3, 100),
    ])
    func `percentages round half up`(_ part: Int, _ whole: Int, _ percent: Int?) {
        #expect(Proportion(part, of: whole).percent == percent)
    }

    @Test(arguments: [(7, 2, "3.5"), (10, 3, "3.3"), (20, 3, "6.7"), (199, 100, "2.0"), (0, 4, "0.0"), (0, 0, "–")])
    func `averages`(_ sum: Int, _ count: Int, _ label: String) {
        #expect(Average(sum: sum, count: count).label == label)
    }

    @Test func `numbers at the end of all numbers do not trap`() {
        #expect(Proportion(.max, of: .max).percent ?? 0 > 99)
        var average = Average(sum: .max - 1, count: 1)
        average.add(.max)
        #expect(average.count == 2)
        let extreme = DailyScore(game: Fixture.bee.id, day: .latest, score: .max, seconds: .max, firstRecordedAt: .max)
        let older = DailyScore(game: Fixture.bee.id, day: .earliest, score: .min, seconds: .min, firstRecordedAt: .min)
        let numbered = DailyScore(
            game: Fixture.heardle.id, day: .earliest, puzzle: .max, isKeyedByPuzzle: true, score: 1)
        let negative = DailyScore(game: Fixture.heardle.id, day: .latest, puzzle: .min, isKeyedByPuzzle: true, score: 1)
        let insights = Fixture.insights(
            [extreme, older, numbered, negative], rules: StreakRules(usesFreezes: true, archiveDays: .max))
        for day in [PuzzleDay.earliest, Self.today, .latest] {
            _ = insights.streaks(on: day)
            _ = insights.weeklyRecap(on: day)
            _ = insights.achievements(on: day)
            _ = insights.playingHours(upTo: day, in: LocalCalendar(fixedOffset: .max))
        }
        #expect(insights.trend(over: .everything, by: .day).count <= PlayerInsights.maximumTrendPoints)
        #expect(insights.deepDive(into: Fixture.bee).distribution.count <= 13)
        #expect(
            insights.games.reduce(0) { $0 + insights.secondsPlayed(game: $1.id) } == insights.secondsPlayed())
    }

    @Test func `a trend has every step, empty ones too`() {
        let insights = Fixture.insights(Fixture.wordles([0, 2], lost: [1]))
        let days = insights.trend(over: DaySpan(from: Self.today.adding(days: -3), to: Self.today), by: .day)
        #expect(days.map(\.played) == [0, 1, 1, 1] && days.map(\.completed) == [0, 1, 0, 1])
        #expect(days.map(\.points) == [0, 4, 0, 4] && days.map(\.raw.value) == [nil, 3, nil, 3])
    }

    @Test func `weeks begin on Monday, months on the first, also in a leap year`() {
        let span = DaySpan(from: Fixture.day("2024-02-15"), to: Fixture.day("2024-04-01"))
        let insights = Fixture.insights([Fixture.solve(Fixture.wordle, Fixture.day("2024-02-29"), 3)])
        let months = insights.trend(over: span, by: .month)
        #expect(months.map(\.start.description) == ["2024-02-01", "2024-03-01", "2024-04-01"])
        #expect(months.map(\.played) == [1, 0, 0])
        let weeks = insights.trend(over: span, by: .week)
        #expect(weeks.first?.start == Fixture.day("2024-02-12") && weeks.last?.start == Fixture.day("2024-04-01"))
        #expect(weeks.map(\.played) == [0, 0, 1, 0, 0, 0, 0, 0])
    }

    @Test(arguments: [(1, TrendStep.day), (30, .day), (90, .week), (365, .week), (800, .month)])
    func `a span finds its step`(_ days: Int, _ step: TrendStep) {
        #expect(TrendStep(fitting: DaySpan(from: Self.today.adding(days: 1 - days), to: Self.today)) == step)
    }

    // MARK: Deep dives

    @Test func `guess distribution, fail rate and average`() {
        let results = [2, 3, 3, 6].enumerated().map {
            Fixture.solve(Fixture.wordle, Self.today.adding(days: -$0.offset), $0.element)
        }
        let dive = Fixture.insights(results + Fixture.wordles([], lost: [7])).deepDive(into: Fixture.wordle)
        #expect(dive.distribution.map(\.label) == ["1", "2", "3", "4", "5", "6", "X"])
        #expect(dive.distribution.map(\.count) == [0, 1, 2, 0, 0, 1, 1])
        #expect(dive.failRate.percent == 20 && dive.averageLabel == "3.5" && dive.bestLabel == "2 guesses")
    }

    @Test(arguments: [
        (Fixture.strands, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]),
        (Fixture.connections, ["4", "5", "6", "7", "X"]), (Fixture.waffle, ["0", "1", "2", "3", "4", "5"]),
        (Fixture.mini, ["<30s", "<1m", "<1m30", "<2m", "<2m30", "<3m", "≥3m"]),
        (
            Fixture.quordle,
            [
                "10–11", "12–13", "14–15", "16–17", "18–19", "20–21", "22–23", "24–25", "26–27", "28–29", "30–31",
                "32–33", "34–35", "36", "X",
            ]
        ),
        (Fixture.globle, []),
    ]) func `the bars of a game`(_ game: Game, _ labels: [String]) {
        #expect(Fixture.insights([]).deepDive(into: game).distribution.map(\.label) == labels)
    }

    @Test func `Pinpoint has five bars, Pips one dive a difficulty`() throws {
        let pinpoint = Catalogue.standard[GameID(literal: "linkedin-pinpoint")]
        let bars = pinpoint.map { Fixture.insights([]).deepDive(into: $0).distribution.map(\.label) }
        #expect(bars == ["1", "2", "3", "4", "5", "X"])
        let easy = try #require(Catalogue.standard[GameID(literal: "pips-easy")])
        let index = Fixture.index([
            ("ann", Fixture.solve(easy, Self.today, 65)), ("ann", Fixture.solve(easy, Self.today.adding(days: -1), 40)),
        ])
        let insights = PlayerInsights(of: Fixture.id("ann"), in: index) { Catalogue.standard[$0] }
        let dives = insights.deepDives(intoFamilyOf: easy, among: Catalogue.standard.games)
        #expect(dives.map(\.game.id.rawValue) == ["pips-easy", "pips-medium", "pips-hard"])
        #expect(dives[0].bestLabel == "0:40" && dives[0].averageLabel == "0:53" && dives[1].bestLabel == "–")
    }

    @Test func `personal bests: the least or the most, the earliest of equals`() {
        let results = [
            Fixture.solve(Fixture.mini, Self.today, 40), Fixture.solve(Fixture.mini, Self.today.adding(days: -1), 40),
            Fixture.loss(Fixture.mini, Self.today.adding(days: -2)), Fixture.solve(Fixture.bee, Self.today, 5),
            Fixture.solve(Fixture.bee, Self.today.adding(days: -1), 9), Fixture.loss(Fixture.wordle, Self.today),
        ]
        let bests = Fixture.insights(results).personalBests()
        #expect(bests.map(\.label) == ["0:40", "9 pts"])
        #expect(bests.map(\.score.day) == [Self.today.adding(days: -1), Self.today.adding(days: -1)])
    }
}
