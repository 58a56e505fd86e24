import StreakGames
import StreakRandom
import StreakScores
import Testing

@Suite struct ChampionsTests {
    static let today = Fixture.day("2026-11-21")

    static func query(_ game: Game? = nil, now: Int64 = today.endEverywhere) -> BoardQuery {
        BoardQuery(
            from: today, to: today, game: game?.id, viewer: Fixture.id("me"), today: today, now: now)
    }

    @Test func `a week has its champions once its last day is final`() {
        let sunday = Fixture.day("2026-11-15")
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, sunday, 3)), ("Bob", Fixture.solve(Fixture.wordle, sunday, 3)),
            ("cat", Fixture.solve(Fixture.wordle, sunday, 4)), ("hid", Fixture.solve(Fixture.wordle, sunday, 1)),
            ("cat", Fixture.solve(Fixture.wordle, Self.today, 1)),
        ])
        let players = ["cat", "Bob", "ann"].map { Fixture.player($0) } + [Fixture.player("hid", isHidden: true)]
        let early = index.champions(
            .week, query: Self.query(now: sunday.endEverywhere - 1), players: players, games: Fixture.game)
        #expect(early.isEmpty)
        let weeks = index.champions(
            .week, query: Self.query(now: sunday.endEverywhere), players: players, games: Fixture.game)
        #expect(weeks.map(\.span.from) == [Fixture.day("2026-11-09")])
        #expect(weeks[0].winners.map(\.name) == ["ann", "Bob"])
        #expect(weeks[0].value == 4 && weeks[0].rankedCount == 3)
    }

    @Test(arguments: 1...6) func `champions are the first rank of that week's or month's board`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let (index, _) = IncrementalLaws.history(&generator, changes: 1_200)
        let players = IncrementalLaws.players
        for game in [nil, Fixture.wordle, Fixture.blocks, Fixture.habit, Fixture.heardle] {
            for period in Champions.Period.allCases {
                var query = Self.query(game)
                let champions = index.champions(period, query: query, players: players, games: Fixture.game)
                #expect(!champions.isEmpty)
                #expect(champions.map(\.span.from) == champions.map(\.span.from).sorted(by: >))
                for entry in champions {
                    (query.from, query.to) = (entry.span.from, entry.span.to)
                    let board = index.board(query, players: players, games: Fixture.game)
                    let first = board.rows.filter { $0.rank == 1 }
                    #expect(entry.winners.map(\.player) == first.map(\.player), "seed \(seed)")
                    #expect(entry.value == first.first?.value && entry.rankedCount == board.rankedCount)
                }
            }
        }
    }
}
