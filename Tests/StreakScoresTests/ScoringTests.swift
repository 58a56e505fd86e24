import StreakGames
import StreakScores
import Testing

@Suite struct ScoringTests {
    static let today = Fixture.day("2026-11-21")

    struct Case: Sendable, CustomTestStringConvertible {
        var game: Game
        var score: Int?
        var maximum: Int? = nil
        var isCompleted = true
        var points: Int
        var label: String

        var testDescription: String { "\(game.name) \(score.map(String.init) ?? "–")" }
    }

    static let cases: [Case] = [
        Case(game: Fixture.wordle, score: 1, points: 6, label: "1 guess"),
        Case(game: Fixture.wordle, score: 3, maximum: 6, points: 4, label: "3 guesses"),
        Case(game: Fixture.wordle, score: 6, points: 1, label: "6 guesses"),
        Case(game: Fixture.wordle, score: nil, isCompleted: false, points: 0, label: "X/6"),
        Case(game: Fixture.wordle, score: 9, points: 1, label: "9 guesses"),
        Case(game: Fixture.mini, score: 0, points: 7, label: "0:00"),
        Case(game: Fixture.mini, score: 15, points: 7, label: "0:15"),
        Case(game: Fixture.mini, score: 29, points: 7, label: "0:29"),
        Case(game: Fixture.mini, score: 30, points: 6, label: "0:30"),
        Case(game: Fixture.mini, score: 45, points: 6, label: "0:45"),
        Case(game: Fixture.mini, score: 60, points: 5, label: "1:00"),
        Case(game: Fixture.mini, score: 90, points: 4, label: "1:30"),
        Case(game: Fixture.mini, score: 120, points: 3, label: "2:00"),
        Case(game: Fixture.mini, score: 150, points: 2, label: "2:30"),
        Case(game: Fixture.mini, score: 179, points: 2, label: "2:59"),
        Case(game: Fixture.mini, score: 180, points: 1, label: "3:00"),
        Case(game: Fixture.mini, score: 240, points: 1, label: "4:00"),
        Case(game: Fixture.mini, score: 3_725, points: 1, label: "1:02:05"),
        Case(game: Fixture.mini, score: nil, isCompleted: false, points: 0, label: "not solved"),
        Case(game: Fixture.bee, score: 50, points: 7, label: "50 pts"),
        Case(game: Fixture.bee, score: 5, points: 5, label: "5 pts"),
        Case(game: Fixture.bee, score: 1, points: 1, label: "1 pt"),
        Case(game: Fixture.bee, score: 0, points: 0, label: "0 pts"),
        Case(game: Fixture.bee, score: nil, points: 0, label: "completed"),
        Case(game: Fixture.strands, score: 0, points: 11, label: "0 hints"),
        Case(game: Fixture.strands, score: 1, points: 10, label: "1 hint"),
        Case(game: Fixture.strands, score: 2, points: 9, label: "2 hints"),
        Case(game: Fixture.strands, score: 10, points: 1, label: "10 hints"),
        Case(game: Fixture.connections, score: 4, points: 4, label: "4 guesses"),
        Case(game: Fixture.quordle, score: 10, points: 6, label: "10 guesses"),
        Case(game: Fixture.quordle, score: 30, points: 2, label: "30 guesses"),
        Case(game: Fixture.quordle, score: nil, isCompleted: false, points: 0, label: "X/36"),
        Case(game: Fixture.octordle, score: 36, points: 5, label: "36 guesses"),
        Case(game: Fixture.octordle, score: 76, points: 2, label: "76 guesses"),
        Case(game: Fixture.quordle, score: 0, points: 7, label: "0 guesses"),
        Case(game: Fixture.waffle, score: 0, points: 1, label: "0 pts"),
        Case(game: Fixture.waffle, score: 1, points: 2, label: "1 pt"),
        Case(game: Fixture.waffle, score: 5, points: 7, label: "5 pts"),
        Case(game: Fixture.waffle, score: nil, isCompleted: false, points: 0, label: "X/5"),
        Case(game: Fixture.globle, score: 1, points: 7, label: "1 guess"),
        Case(game: Fixture.globle, score: 2, points: 6, label: "2 guesses"),
        Case(game: Fixture.globle, score: 8, points: 4, label: "8 guesses"),
        Case(game: Fixture.globle, score: 5_000, points: 1, label: "5,000 guesses"),
        Case(game: Fixture.globle, score: nil, isCompleted: false, points: 0, label: "not solved"),
        Case(game: Fixture.travle, score: 0, points: 7, label: "+0"),
        Case(game: Fixture.travle, score: 1, points: 6, label: "+1"),
        Case(game: Fixture.blocks, score: 12_345, points: 12_345, label: "12,345 pts"),
        Case(game: Fixture.habit, score: 3, points: 3, label: "3 logs"),
        Case(game: Scoring.unknownGame(GameID(literal: "novel")), score: 2, maximum: 5, points: 4, label: "2 guesses"),
        Case(game: Scoring.unknownGame(GameID(literal: "novel")), score: 4, points: 5, label: "4 guesses"),
    ]

    @Test(arguments: cases) func `a result earns these points and reads like this`(_ example: Case) {
        let result = DailyScore(
            game: example.game.id, day: Self.today, score: example.score, maxAttempts: example.maximum,
            isCompleted: example.isCompleted)
        #expect(Scoring.points(for: result, in: example.game) == example.points)
        #expect(Scoring.label(for: result, in: example.game) == example.label)
    }

    @Test func `a custom game cannot drown the others in a total`() {
        let score = Fixture.solve(Fixture.blocks, Self.today, 900_000)
        #expect(Scoring.totalPoints(for: score, in: Fixture.blocks) == 7)
        #expect(Scoring.totalPoints(for: Fixture.solve(Fixture.habit, Self.today, 3), in: Fixture.habit) == 3)
        #expect(Scoring.totalPoints(for: Fixture.solve(Fixture.habit, Self.today, 30), in: Fixture.habit) == 7)
        #expect(Scoring.totalPoints(for: Fixture.loss(Fixture.blocks, Self.today), in: Fixture.blocks) == 0)
    }

    @Test(arguments: [
        (Fixture.mini, 7, "<30s"), (Fixture.mini, 6, "<1m"), (Fixture.mini, 5, "<1m30"), (Fixture.mini, 4, "<2m"),
        (Fixture.mini, 3, "<2m30"), (Fixture.mini, 2, "<3m"), (Fixture.mini, 1, "≥3m"),
        (Fixture.wordle, 4, "3 guesses"),
        (Fixture.wordle, 6, "1 guess"), (Fixture.strands, 10, "1 hint"), (Fixture.strands, 11, "0 hints"),
        (Fixture.bee, 5, "5 pts"), (Fixture.quordle, 6, "6 pts"), (Fixture.globle, 1, "1 pt"),
        (Fixture.mini, 0, "0 pts"),
    ]) func `points read back as a label`(_ game: Game, _ points: Int, _ label: String) {
        #expect(Scoring.label(forPoints: points, in: game) == label)
    }

    @Test func `numbers from a stranger never trap`() {
        let hostile = [Int.min, -1, 0, 1, Int.max]
        for game in Fixture.all {
            for score in hostile {
                for maximum in hostile {
                    let result = DailyScore(
                        game: game.id, day: .latest, puzzle: score, isKeyedByPuzzle: true, score: score,
                        maxAttempts: maximum, seconds: score, hints: maximum, mistakes: score, firstRecordedAt: .min)
                    #expect(Scoring.points(for: result, in: game) >= 0)
                    _ = Scoring.label(for: result, in: game)
                    _ = RawOrder(result, in: game)
                    var index = ScoreIndex()
                    index.replace(result, of: Fixture.id("mallory"))
                    #expect(index.score(result.key, of: Fixture.id("mallory")) != nil)
                    for span in [DaySpan(from: .earliest, to: .latest), DaySpan(from: .latest, to: .latest)] {
                        for metric in BoardMetric.allCases {
                            let query = BoardQuery(
                                from: span.from, to: span.to, game: game.id, metric: metric,
                                viewer: Fixture.id("me"), today: .latest, now: .max)
                            _ = index.board(query, players: [Fixture.player("mallory")], games: Fixture.game)
                        }
                    }
                }
            }
        }
    }

    @Test func `a faster solve is better though both earn the same points`() {
        let fast = Fixture.solve(Fixture.mini, Self.today, 31)
        let slow = Fixture.solve(Fixture.mini, Self.today, 59)
        #expect(Scoring.points(for: fast, in: Fixture.mini) == Scoring.points(for: slow, in: Fixture.mini))
        #expect(Scoring.isBetter(fast, than: slow, in: Fixture.mini))
        #expect(!Scoring.isBetter(slow, than: fast, in: Fixture.mini))
    }

    @Test func `solves, completions without a number and losses rank in this order`() {
        let solve = Fixture.solve(Fixture.bee, Self.today, 0)
        let completed = Fixture.solve(Fixture.bee, Self.today, nil)
        let loss = Fixture.loss(Fixture.bee, Self.today)
        #expect(Scoring.isBetter(solve, than: completed, in: Fixture.bee))
        #expect(Scoring.isBetter(completed, than: loss, in: Fixture.bee))
        #expect(!Scoring.isBetter(loss, than: loss, in: Fixture.bee))
    }

    @Test func `a result is late once its day is over in the last time zone`() {
        // 2026-11-22 12:00 UTC is midnight at UTC−12.
        let end: Int64 = 1_795_348_800
        var score = Fixture.solve(Fixture.wordle, Self.today, 3)
        score.firstRecordedAt = end - 1
        #expect(!score.isLate)
        score.firstRecordedAt = end
        #expect(score.isLate)
        #expect(PuzzleDay.lastFinal(at: end - 1) == Fixture.day("2026-11-20"))
        #expect(PuzzleDay.lastFinal(at: end) == Self.today)
        #expect(PuzzleDay.furthest(at: end) == Fixture.day("2026-11-23"))
        #expect(PuzzleDay.furthest(at: end - 7_200 - 1) == Fixture.day("2026-11-22"))
        #expect(PuzzleDay.lastFinal(at: -1) == Fixture.day("1969-12-30"))
    }
}
