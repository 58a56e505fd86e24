import StreakGames
import StreakScores
import Testing

@Suite struct SpoilerGuardTests {
    static let today = Fixture.day("2026-11-21")
    static let yesterday = Fixture.day("2026-11-20")

    func board(
        _ results: [(String, DailyScore)], game: Game? = Fixture.wordle, day: PuzzleDay = today,
        metric: BoardMetric = .points,
        now: Int64? = nil, guards: Bool = true, reveals: Bool = false
    ) -> Board {
        let query = BoardQuery(
            from: day, to: day, game: game?.id, metric: metric, viewer: Fixture.id("me"), today: Self.today, now: now,
            guardsSpoilers: guards, reveals: reveals)
        let players = ["me", "ann", "bob"].map { Fixture.player($0) }
        return Fixture.index(results).board(query, players: players, games: Fixture.game)
    }

    static let friends = [
        ("ann", Fixture.solve(Fixture.wordle, today, 2)), ("bob", Fixture.solve(Fixture.wordle, today, 3)),
    ]

    @Test func `friends stand by name without anything that tells their result`() {
        let result = board(Self.friends)
        #expect(result.rows.map(\.name) == ["ann", "bob"])
        #expect(result.coveredCount == 2)
        #expect(result.rankedCount == 0)
        for row in result.rows {
            #expect(row.isCovered && row.rank == nil && row.raw == nil && row.value == 0 && row.delta == nil)
            #expect(row.label == "covered" && row.played == 0 && row.perGame.isEmpty)
        }
    }

    @Test func `names, not results, order covered rows`() {
        let swapped = [
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 6)),
            ("bob", Fixture.solve(Fixture.wordle, Self.today, 1)),
        ]
        #expect(board(swapped).rows == board(Self.friends).rows)
    }

    @Test func `my result, my choice, the group's setting or the day's end uncover`() {
        let mine = ("me", Fixture.loss(Fixture.wordle, Self.today))
        #expect(board(Self.friends + [mine]).rows.map(\.rank) == [1, 2, 3])
        #expect(board(Self.friends, reveals: true).rows.map(\.rank) == [1, 2])
        #expect(board(Self.friends, guards: false).rows.map(\.rank) == [1, 2])
        #expect(board(Self.friends, now: Self.today.endEverywhere - 1).coveredCount == 2)
        #expect(board(Self.friends, now: Self.today.endEverywhere).rows.map(\.rank) == [1, 2])
    }

    @Test func `my result for another game or day uncovers nothing`() {
        let mine = [
            ("me", Fixture.solve(Fixture.mini, Self.today, 20)),
            ("me", Fixture.solve(Fixture.wordle, Self.yesterday, 3)),
        ]
        #expect(board(Self.friends + mine).coveredCount == 2)
    }

    @Test func `a number is covered until I have that number`() {
        let friend = ("ann", Fixture.numbered(Fixture.heardle, 101, Self.today, 2))
        let other = ("me", Fixture.numbered(Fixture.heardle, 100, Self.today, 3))
        #expect(board([friend, other], game: Fixture.heardle).coveredCount == 1)
        let same = ("me", Fixture.numbered(Fixture.heardle, 101, Self.yesterday, 3))
        #expect(board([friend, same], game: Fixture.heardle).coveredCount == 0)
        let byHand = ("me", Fixture.solve(Fixture.heardle, Self.today, 3))
        #expect(board([friend, byHand], game: Fixture.heardle).coveredCount == 0)
    }

    @Test func `totals leave covered results out and say how many`() {
        let results =
            Self.friends + [
                ("me", Fixture.solve(Fixture.mini, Self.today, 100)),
                ("ann", Fixture.solve(Fixture.mini, Self.today, 20)),
            ]
        let result = board(results, game: nil)
        #expect(result.coveredCount == 2)
        #expect(result.rows.map(\.name) == ["ann", "me", "bob"])
        #expect(result.rows.map(\.value) == [7, 4, 0])
        #expect(result.rows.map(\.rank) == [1, 2, nil])
        #expect(result.rows.map(\.coveredCount) == [1, 0, 1])
        #expect(result.rows.map(\.isCovered) == [false, false, true])
    }

    @Test func `a covered result changes no streak`() {
        let results = [
            ("ann", Fixture.solve(Fixture.wordle, Self.yesterday, 2)),
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 2)),
            ("bob", Fixture.solve(Fixture.wordle, Self.yesterday, 2)),
            ("bob", Fixture.loss(Fixture.wordle, Self.today)),
            ("me", Fixture.solve(Fixture.wordle, Self.yesterday, 2)),
        ]
        let now = Self.today.endEverywhere - 1
        for game in [Fixture.wordle, nil] {
            let result = board(results, game: game, metric: .streak, now: now)
            #expect(result.rows.map(\.value) == [1, 1, 1])
            #expect(board(results, game: game, metric: .streak, now: now, reveals: true).rows.map(\.value).max() == 2)
        }
    }

    @Test func `a rank that was covered yesterday gives no change`() {
        let results = [
            ("ann", Fixture.solve(Fixture.wordle, Self.yesterday, 2)),
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 2)),
            ("me", Fixture.solve(Fixture.wordle, Self.today, 3)),
        ]
        let rows = board(results, now: Self.yesterday.endEverywhere - 1).rows
        #expect(rows.map(\.name) == ["ann", "me"])
        #expect(rows.map(\.delta) == [nil, .new])
    }

    @Test func `a high score or a habit is no spoiler`() {
        let results = [("ann", Fixture.solve(Fixture.blocks, Self.today, 500))]
        #expect(board(results, game: Fixture.blocks).coveredCount == 0)
    }
}
