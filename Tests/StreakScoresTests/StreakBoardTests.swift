import StreakGames
import StreakScores
import Testing

@Suite struct StreakBoardTests {
    static let today = Fixture.day("2026-11-21")

    func streak(_ results: [DailyScore], game: Game?, on day: PuzzleDay = today) -> Int {
        let query = BoardQuery(
            from: day, to: day, game: game?.id, metric: .streak, viewer: Fixture.id("ann"), today: Self.today)
        let board = Fixture.index(results.map { ("ann", $0) }).board(
            query, players: [Fixture.player("ann")], games: Fixture.game)
        return board.myRow?.value ?? -1
    }

    func days(_ offsets: [Int], lost: [Int] = []) -> [DailyScore] {
        offsets.map { Fixture.solve(Fixture.wordle, Self.today.adding(days: $0), 3) }
            + lost.map { Fixture.loss(Fixture.wordle, Self.today.adding(days: $0)) }
    }

    @Test(arguments: [
        ([0, -1, -2], [], 3), ([-1, -2, -3], [], 3), ([-2, -3], [], 0), ([0, -1, -3, -4], [], 2), ([], [0], 0),
        ([-1, -2], [0], 0), ([0, -2], [-1], 1), ([0], [], 1), ([1, 0, -1], [], 2),
    ]) func `a streak is the run of completed days that ends today or yesterday`(
        _ solved: [Int], _ lost: [Int], _ length: Int
    ) {
        #expect(streak(days(solved, lost: lost), game: Fixture.wordle) == length)
    }

    @Test func `a past day shows the streak of that day`() {
        let results = days([-1, -2, -3, -10, -11])
        #expect(streak(results, game: Fixture.wordle, on: Self.today.adding(days: -2)) == 2)
        #expect(streak(results, game: Fixture.wordle, on: Self.today.adding(days: -9)) == 2)
        #expect(streak(results, game: Fixture.wordle, on: Self.today.adding(days: -8)) == 0)
    }

    @Test func `the overall streak takes any game and no loss ends it`() {
        let results = [
            Fixture.solve(Fixture.wordle, Self.today, 3), Fixture.loss(Fixture.mini, Self.today),
            Fixture.solve(Fixture.mini, Self.today.adding(days: -1), 30),
            Fixture.loss(Fixture.wordle, Self.today.adding(days: -2)),
        ]
        #expect(streak(results, game: nil) == 2)
    }

    @Test func `numbers without a day count as numbers, whenever they were played`() {
        let played = [
            Fixture.numbered(Fixture.heardle, 103, Self.today, 2),
            Fixture.numbered(Fixture.heardle, 101, Self.today, 2),
            Fixture.numbered(Fixture.heardle, 102, Self.today.adding(days: -5), 2),
            Fixture.solve(Fixture.heardle, Self.today.adding(days: -1), 2),
        ]
        #expect(streak(played, game: Fixture.heardle) == 3)
        #expect(streak(Array(played.dropFirst(2)), game: Fixture.heardle) == 0)
    }

    @Test func `a weekly game counts weeks`() {
        let results = [0, -7, -14].map { Fixture.solve(Fixture.weekly, Self.today.adding(days: $0 - 6), 20) }
        #expect(streak(results, game: Fixture.weekly) == 3)
        #expect(streak(Array(results.dropFirst()), game: Fixture.weekly) == 0)
    }

    @Test func `a running week ends today`() {
        let query = BoardQuery(
            from: Self.today.startOfWeek, to: Self.today.startOfWeek.adding(days: 6), metric: .streak,
            viewer: Fixture.id("ann"), today: Fixture.day("2026-11-18"))
        let results = [Fixture.solve(Fixture.wordle, Fixture.day("2026-11-17"), 3)].map { ("ann", $0) }
        let rows = Fixture.index(results).board(query, players: [Fixture.player("ann")], games: Fixture.game).rows
        #expect(rows.map(\.value) == [1])
        #expect(rows.map(\.label) == ["1 day"])
    }
}
