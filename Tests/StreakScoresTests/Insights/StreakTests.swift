import StreakGames
import StreakScores
import Testing

@Suite struct StreakTests {
    static let today = Fixture.today

    @Test(
        arguments: [
            // days ago solved, days ago lost, current, longest, first day ago, open
            ([0, 1, 2], [], 3, 3, 2, false), ([1, 2], [], 2, 2, 2, true), ([2, 3], [], 0, 2, nil, false),
            ([0, 1, 3, 4, 5], [], 2, 3, 1, false), ([1, 2, 3], [0], 0, 3, nil, false), ([0, 2], [1], 1, 1, 0, false),
            ([], [0], 0, 0, nil, false), ([-1, 0, 1], [], 2, 2, 1, false),
        ] as [([Int], [Int], Int, Int, Int?, Bool)])
    func `current, longest, start and open`(
        _ solved: [Int], _ lost: [Int], _ current: Int, _ longest: Int, _ start: Int?, _ isOpen: Bool
    ) {
        let streak = Fixture.insights(Fixture.wordles(solved, lost: lost)).streak(in: Fixture.wordle, on: Self.today)
        #expect(streak.current == current && streak.longest == longest)
        #expect(streak.start == start.map { Self.today.adding(days: -$0) })
        #expect(streak.isOpen == isOpen && streak.isAtRisk == isOpen)
        let played = (solved + lost).filter { $0 >= 0 }.min()
        #expect(streak.lastPlayed == played.map { Self.today.adding(days: -$0) })
    }

    @Test func `a game never played has an empty streak`() {
        let streak = Fixture.insights([]).streak(in: Fixture.mini, on: Self.today)
        #expect(streak.current == 0 && streak.longest == 0 && streak.lastPlayed == nil && !streak.isAtRisk)
        #expect(Fixture.insights([]).streaks(on: Self.today).isEmpty)
    }

    @Test(arguments: [
        ("2024-02-28", "2024-03-01", 3), ("2023-02-28", "2023-03-01", 2), ("2025-12-30", "2026-01-02", 4),
    ]) func `leap days and new year do not break a run`(_ from: String, _ to: String, _ length: Int) {
        let (first, last) = (Fixture.day(from), Fixture.day(to))
        let results = (0...first.days(until: last)).map { Fixture.solve(Fixture.wordle, first.adding(days: $0), 3) }
        #expect(Fixture.insights(results).streak(in: Fixture.wordle, on: last).current == length)
    }

    @Test func `a late paste joins two runs, also for past days`() {
        let before = Fixture.insights(Fixture.wordles([0, 1, 3, 4]))
        let after = Fixture.insights(Fixture.wordles([0, 1, 3, 4, 2]))
        #expect(before.streak(in: Fixture.wordle, on: Self.today).current == 2)
        #expect(after.streak(in: Fixture.wordle, on: Self.today).current == 5)
        #expect(after.streak(in: Fixture.wordle, on: Self.today.adding(days: -2)).current == 3)
    }

    @Test func `numbers count where they give no day`() {
        let results = [
            Fixture.numbered(Fixture.heardle, 12, Self.today, 2), Fixture.numbered(Fixture.heardle, 10, Self.today, 2),
            Fixture.numbered(Fixture.heardle, 11, Self.today.adding(days: -9), 2),
            Fixture.solve(Fixture.heardle, Self.today.adding(days: -1), 2),
        ]
        let streak = Fixture.insights(results).streak(in: Fixture.heardle, on: Self.today)
        #expect(streak.current == 3 && streak.longest == 3)
    }

    @Test(arguments: [("2026-11-22", true), ("2026-11-21", false), ("2026-11-16", false)])
    func `a weekly game is at risk on Sunday only`(_ day: String, _ isAtRisk: Bool) {
        let results = [-7, -14].map { Fixture.solve(Fixture.weekly, Fixture.day("2026-11-18").adding(days: $0), 20) }
        let streak = Fixture.insights(results).streak(in: Fixture.weekly, on: Fixture.day(day))
        #expect(streak.current == 2 && streak.isOpen && streak.isAtRisk == isAtRisk)
    }

    @Test func `weeks count over new year, in a year of 53 weeks`() {
        // 2026 has an ISO week 53: 28 December to 3 January.
        let days = ["2026-12-24", "2026-12-31", "2027-01-04"].map(Fixture.day)
        let streak = Fixture.insights(days.map { Fixture.solve(Fixture.weekly, $0, 20) })
            .streak(in: Fixture.weekly, on: Fixture.day("2027-01-10"))
        #expect(streak.current == 3)
    }

    @Test func `several logs of a week hold it if one is completed`() {
        let monday = Self.today.startOfWeek
        let results = [
            Fixture.solve(Fixture.weekly, monday, 20), Fixture.loss(Fixture.weekly, monday.adding(days: 2)),
            Fixture.solve(Fixture.weekly, monday.adding(days: -3), 20),
        ]
        #expect(Fixture.insights(results).streak(in: Fixture.weekly, on: Self.today).current == 2)
        let query = BoardQuery(
            from: Self.today, to: Self.today, game: Fixture.weekly.id, metric: .streak, viewer: Fixture.id("ann"),
            today: Self.today)
        let board = Fixture.index(results.map { ("ann", $0) }).board(
            query, players: [Fixture.player("ann")], games: Fixture.game)
        #expect(board.myRow?.value == 2)
    }

    // MARK: Freezes

    static let freezing = StreakRules(usesFreezes: true)

    /// The days ago of a run of `length` days that ended `end` days ago.
    static func run(_ length: Int, endedDaysAgo end: Int) -> [Int] { Array(end..<(end + length)) }

    @Test(
        arguments: [
            // solved, lost, current, freezes, frozen
            (run(9, endedDaysAgo: 2), [], 0, 0, 0), (run(10, endedDaysAgo: 2), [], 10, 0, 1),
            (run(10, endedDaysAgo: 0), [], 10, 1, 0), (run(20, endedDaysAgo: 2), [], 20, 1, 1),
            (run(20, endedDaysAgo: 3), [], 20, 0, 2), (run(20, endedDaysAgo: 4), [], 0, 0, 0),
            (run(50, endedDaysAgo: 0), [], 50, 3, 0), (run(10, endedDaysAgo: 1), [0], 0, 1, 0),
            // A loss uses no freeze, and the rest helps the next run.
            ([0, 2] + run(10, endedDaysAgo: 4), [3], 2, 0, 1),
            (run(2, endedDaysAgo: 0) + run(10, endedDaysAgo: 3), [], 12, 0, 1),
            // Without a run no freeze is used: the days after a loss cost nothing.
            ([0] + run(10, endedDaysAgo: 6), [5], 1, 1, 0),
        ] as [([Int], [Int], Int, Int, Int)])
    func `freezes hold a streak`(_ solved: [Int], _ lost: [Int], _ current: Int, _ freezes: Int, _ frozen: Int) {
        let insights = Fixture.insights(Fixture.wordles(solved, lost: lost), rules: Self.freezing)
        let streak = insights.streak(in: Fixture.wordle, on: Self.today)
        #expect(streak.current == current && streak.freezes == freezes && streak.frozen == frozen)
    }

    @Test func `a group without freezes has none`() {
        let streak = Fixture.insights(Fixture.wordles(Self.run(30, endedDaysAgo: 2))).streak(
            in: Fixture.wordle, on: Self.today)
        #expect(streak.current == 0 && streak.freezes == 0 && streak.longest == 30)
    }

    @Test(arguments: [(7, 7, 2), (8, 7, 1), (100, nil, 2), (0, 0, 2), (1, 0, 1)] as [(Int, Int?, Int)])
    func `archive play counts as the group says`(_ daysLate: Int, _ allowed: Int?, _ length: Int) {
        var old = Fixture.solve(Fixture.wordle, Self.today.adding(days: -1), 3)
        // The last second of that day anywhere.
        old.firstRecordedAt = old.day.adding(days: daysLate).endEverywhere - 1
        let insights = Fixture.insights(
            [Fixture.solve(Fixture.wordle, Self.today, 3), old], rules: StreakRules(archiveDays: allowed))
        #expect(insights.streak(in: Fixture.wordle, on: Self.today).current == length)
        #expect(insights.overallStreak(on: Self.today).current == length)
        #expect(insights.activeRun(on: Self.today).current == length)
        #expect(insights.count == 2)
        // One second later that day is over everywhere.
        old.firstRecordedAt += 1
        let later = Fixture.insights(
            [Fixture.solve(Fixture.wordle, Self.today, 3), old], rules: StreakRules(archiveDays: allowed))
        let isLast = daysLate == allowed
        #expect(later.streak(in: Fixture.wordle, on: Self.today).current == (isLast ? 1 : length))
    }

    // MARK: All games

    @Test func `at risk: alive and not played today, longest first`() {
        let results =
            Fixture.wordles([1, 2]) + [1, 2, 3].map { Fixture.solve(Fixture.mini, Self.today.adding(days: -$0), 30) }
            + [0, 1].map { Fixture.solve(Fixture.bee, Self.today.adding(days: -$0), 30) }
            + [2, 3].map { Fixture.solve(Fixture.strands, Self.today.adding(days: -$0), 1) }
        let insights = Fixture.insights(results)
        #expect(insights.atRisk(on: Self.today).map(\.game) == [Fixture.mini.id, Fixture.wordle.id])
        #expect(insights.atRisk(on: Self.today.adding(days: 2)).isEmpty)
    }

    @Test func `the overall streak needs a solve, the active run any result`() {
        let results = Fixture.wordles([0, 1, 5, 6, 7], lost: [2, 3])
        let insights = Fixture.insights(results)
        let overall = insights.overallStreak(on: Self.today)
        #expect(overall.current == 2 && overall.longest == 3 && overall.start == Self.today.adding(days: -1))
        #expect(insights.activeRun(on: Self.today).current == 4)
        #expect(insights.overallStreak(on: Self.today.adding(days: 2)).current == 0)
        #expect(insights.overallStreak(on: Self.today.adding(days: 2)).last == Self.today)
    }
}
