import StreakGames
import StreakRandom
import Testing

@testable import StreakScores

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

    @Test func `the wall counts who was first how often, and how often in a row`() {
        // The winners of five weeks, the oldest first; bob shares the third.
        let weeks = [["ann"], ["ann"], ["ann", "bob"], ["bob"], ["bob"]]
        let periods = weeks.enumerated().map { number, names in
            let monday = Fixture.day("2026-10-05").adding(days: 7 * number)
            return Champions(
                period: .week, span: DaySpan(from: monday, to: monday.adding(days: 6)),
                winners: names.map { Champions.Champion(player: Fixture.id($0), name: $0) }, value: 9, rankedCount: 3)
        }
        func lines(_ periods: [Champions]) -> [String] {
            Champions.wall(of: periods.reversed()).map {
                "\($0.champion.name) \($0.count) \($0.current) \($0.longest) \($0.latest)"
            }
        }
        #expect(lines(periods) == ["ann 3 0 3 2026-10-19", "bob 3 3 3 2026-11-02"])
        #expect(lines(Array(periods.dropLast(2))) == ["ann 3 3 3 2026-10-19", "bob 1 1 1 2026-10-19"])
        #expect(lines([periods[0], periods[3], periods[1]]) == ["ann 2 1 1 2026-10-12", "bob 1 0 1 2026-10-26"])
        #expect(lines([]).isEmpty)
    }

    @Test(arguments: 1...3) func `asked since a day, champions are those of periods that end on it or later`(
        _ seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        let (index, _) = IncrementalLaws.history(&generator, changes: 600)
        for period in Champions.Period.allCases {
            func champions(since: PuzzleDay = .earliest) -> [Champions] {
                index.champions(
                    period, query: Self.query(), players: IncrementalLaws.players, since: since, games: Fixture.game)
            }
            for ago in [0, 6, 40, 300, 900] {
                let since = Self.today.adding(days: -ago)
                #expect(champions(since: since) == champions().filter { $0.span.to >= since }, "seed \(seed)")
            }
        }
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
