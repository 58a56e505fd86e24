import StreakGames
import StreakScores
import Testing

@Suite struct HeadToHeadTests {
    static let today = Fixture.day("2026-11-21")
    static func ago(_ days: Int) -> PuzzleDay { today.adding(days: -days) }
    static let ann = Fixture.player("ann")
    static let bob = Fixture.player("bob")

    static func query(game: Game? = nil, viewer: String = "ann", guards: Bool = false) -> BoardQuery {
        BoardQuery(
            from: .earliest, to: today, game: game?.id, viewer: Fixture.id(viewer), today: today,
            now: today.endEverywhere - 1, guardsSpoilers: guards)
    }

    static let results = [
        ("ann", Fixture.solve(Fixture.wordle, ago(4), 3)), ("bob", Fixture.solve(Fixture.wordle, ago(4), 4)),
        ("ann", Fixture.loss(Fixture.wordle, ago(3))), ("bob", Fixture.solve(Fixture.wordle, ago(3), 6)),
        ("ann", Fixture.loss(Fixture.wordle, ago(2))), ("bob", Fixture.loss(Fixture.wordle, ago(2))),
        ("ann", Fixture.solve(Fixture.mini, ago(2), 59)), ("bob", Fixture.solve(Fixture.mini, ago(2), 31)),
        ("ann", Fixture.solve(Fixture.mini, ago(1), 40)), ("bob", Fixture.solve(Fixture.mini, ago(1), 40)),
        ("ann", Fixture.solve(Fixture.wordle, ago(1), 2)),
        ("bob", Fixture.numbered(Fixture.heardle, 7, ago(1), 2)),
        ("ann", Fixture.numbered(Fixture.heardle, 7, ago(9), 3)),
        ("bob", Fixture.solve(Fixture.bee, ago(1), 4)),
    ]

    @Test func `solve beats loss, two losses tie, the better raw result wins`() {
        let duel = Fixture.index(Self.results).headToHead(Self.ann, Self.bob, query: Self.query(), games: Fixture.game)
        #expect(duel.total == HeadToHead.Record(firstWins: 1, secondWins: 3, ties: 2))
        #expect(duel.games.map(\.game.rawValue) == ["heardle", "nyt-mini", "wordle"])
        #expect(duel.games.map(\.record.count) == [1, 2, 3])
        let labels = duel.games.map { record in
            [record.firstAverage, record.secondAverage].map { average in
                Fixture.game(record.game).flatMap { average.label(in: $0) }
            }
        }
        #expect(labels[1...] == [["0:50", "0:36"], ["5.7", "5.7"]])
        #expect(duel.games[2].firstAverage.tenths == 5.7)
        #expect(duel.total.percent(of: .first) == 17 && duel.total.percent(of: .second) == 50)
        #expect(duel.games[1].record.percent(of: .first) == nil)
    }

    @Test func `ties end no run and the chart has a point a day`() {
        let duel = Fixture.index(Self.results).headToHead(Self.ann, Self.bob, query: Self.query(), games: Fixture.game)
        #expect(duel.currentRun == HeadToHead.Run(side: .second, length: 3))
        #expect(duel.points.map(\.day) == [Self.ago(4), Self.ago(3), Self.ago(2), Self.ago(1)])
        #expect(duel.points.map(\.record.secondWins) == [0, 1, 2, 3])
        #expect(duel.points.last?.record == duel.total)
    }

    @Test func `turned round, everything is turned round`() {
        let index = Fixture.index(Self.results)
        for rule in MissedDay.allCases {
            var query = Self.query()
            query.rules.missedDay = rule
            let one = index.headToHead(Self.ann, Self.bob, query: query, games: Fixture.game)
            let other = index.headToHead(Self.bob, Self.ann, query: query, games: Fixture.game)
            #expect(one.total.firstWins == other.total.secondWins && one.total.secondWins == other.total.firstWins)
            #expect(one.total.ties == other.total.ties && one.currentRun?.length == other.currentRun?.length)
            #expect(one.games.map(\.firstAverage) == other.games.map(\.secondAverage))
            #expect(one.games.allSatisfy { $0.record.count > 0 })
            #expect(one.games.reduce(0) { $0 + $1.record.count } == one.total.count)
        }
    }

    @Test func `a missed final day is lost where the group says so`() {
        var query = Self.query(game: Fixture.wordle)
        query.rules.missedDay = .zero
        let index = Fixture.index(Self.results)
        let duel = index.headToHead(Self.ann, Self.bob, query: query, games: Fixture.game)
        // Bob missed yesterday, which is final. Ann does not play the Bee.
        #expect(duel.total == HeadToHead.Record(firstWins: 2, secondWins: 1, ties: 1))
        var newcomer = Self.bob
        newcomer.memberSince = Self.today
        #expect(index.headToHead(Self.ann, newcomer, query: query, games: Fixture.game).total.firstWins == 1)
    }

    @Test func `covered results are left out until I have played`() {
        var results = [
            ("bob", Fixture.solve(Fixture.wordle, Self.today, 2)),
            ("cat", Fixture.solve(Fixture.wordle, Self.today, 3)),
        ]
        let query = Self.query(viewer: "ann", guards: true)
        var duel = Fixture.index(results).headToHead(
            Self.bob, Fixture.player("cat"), query: query, games: Fixture.game)
        #expect(duel.total.count == 0 && duel.coveredCount == 1 && duel.currentRun == nil && duel.games.isEmpty)
        results.append(("ann", Fixture.loss(Fixture.wordle, Self.today)))
        duel = Fixture.index(results).headToHead(Self.bob, Fixture.player("cat"), query: query, games: Fixture.game)
        #expect(duel.total.firstWins == 1 && duel.coveredCount == 0)
        duel = Fixture.index(results).headToHead(Self.bob, Self.bob, query: query, games: Fixture.game)
        #expect(duel.total.count == 0)
    }
}
