import StreakGames
import StreakRandom
import StreakScores
import Testing

@Suite struct GroupsUnionTests {
    static let today = Fixture.day("2026-11-21")
    static let query = BoardQuery(
        from: today.adding(days: -6), to: today, viewer: Fixture.id("me"), today: today, guardsSpoilers: false)

    static func score(_ value: Int, updated: Int64 = 0, edited: Bool = false, game: Game = Fixture.wordle) -> DailyScore
    {
        DailyScore(game: game.id, day: today, score: value, updatedAt: updated, isEdited: edited)
    }

    @Test func `a person counts once and so does each result`() {
        let shared = Self.score(3)
        let first = GroupResults(
            index: Fixture.index([("ann", shared), ("bob", Self.score(4))]),
            players: [Fixture.player("ann"), Fixture.player("bob")])
        let second = GroupResults(
            index: Fixture.index([("ann", shared), ("ann", Fixture.solve(Fixture.mini, Self.today, 10))]),
            players: [Fixture.player("ann")])
        let union = GroupsUnion([first, second])
        #expect(union.index.count == 3)
        let rows = union.index.board(Self.query, players: union.players, games: Fixture.game).rows
        #expect(rows.map(\.name) == ["ann", "bob"])
        #expect(rows.map(\.value) == [4 + 7, 3])
    }

    @Test(arguments: [
        (score(3, updated: 5), score(2, updated: 4)), (score(3, edited: true), score(6)), (score(5), score(4)),
        (score(900, game: Fixture.blocks), score(100, updated: 9, game: Fixture.blocks)),
        (score(100, updated: 9, edited: true, game: Fixture.blocks), score(900, game: Fixture.blocks)),
    ]) func `of two values the same one stands in whatever order groups come`(_ wins: DailyScore, _ loses: DailyScore) {
        let groups = [wins, loses].map { score in
            var index = ScoreIndex()
            index.define(Fixture.blocks)
            index.replace(score, of: Fixture.id("ann"))
            return GroupResults(index: index, players: [Fixture.player("ann")])
        }
        for order in [groups, groups.reversed()] {
            #expect(GroupsUnion(order).index.results(of: Fixture.id("ann")) == [wins])
        }
    }

    @Test func `an anonymous member stays a row of their own`() {
        let index = Fixture.index([("ann", Self.score(3))])
        let open = GroupResults(index: index, players: [Fixture.player("ann")])
        let alias = GroupResults(
            index: index, players: [Fixture.player("Player#A1B2")],
            aliases: [Fixture.id("ann"): Fixture.id("Player#A1B2")])
        let union = GroupsUnion([open, alias])
        #expect(union.players.map(\.name) == ["Player#A1B2", "ann"])
        #expect(union.index.count == 2)
    }

    @Test func `results of a group in which I am hidden count only where I am hidden in all`() {
        let hidden = GroupResults(
            index: Fixture.index([("me", Fixture.solve(Fixture.mini, Self.today, 5))]),
            players: [Fixture.player("me", isHidden: true)])
        let open = GroupResults(index: Fixture.index([("me", Self.score(3))]), players: [Fixture.player("me")])
        #expect(GroupsUnion([hidden, open]).index.count == 1)
        #expect(GroupsUnion([hidden, open]).players.map(\.isHidden) == [false])
        let alone = GroupsUnion([hidden])
        let board = alone.index.board(Self.query, players: alone.players, games: Fixture.game)
        #expect(board.rows.isEmpty && board.myRow?.isPrivate == true && board.myRow?.value == 7)
    }

    @Test(arguments: 1...6) func `a union is one index of everything, and stays it`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let parts = (0..<3).map { _ in IncrementalLaws.history(&generator, changes: 500) }
        var groups = parts.map { GroupResults(index: $0.0, players: IncrementalLaws.players) }
        var union = GroupsUnion(groups)
        let turned = GroupsUnion(groups.reversed())
        let changed = IncrementalLaws.players[1].id
        for query in IncrementalLaws.queries(&generator) {
            let board = union.index.board(query, players: union.players, games: Fixture.game)
            #expect(board == turned.index.board(query, players: turned.players, games: Fixture.game), "seed \(seed)")
        }
        var keys = Set<ScoreKey>()
        for part in parts { keys.formUnion((part.1[changed] ?? [:]).keys) }
        #expect(union.index.results(of: changed).count == keys.count)
        for _ in 0..<50 { groups[2].index.replace(IncrementalLaws.score(&generator), of: changed) }
        union.refresh(changed, from: groups)
        let fresh = GroupsUnion(groups)
        #expect(union.players == fresh.players && union.index.count == fresh.index.count)
        for query in IncrementalLaws.queries(&generator) {
            let board = union.index.board(query, players: union.players, games: Fixture.game)
            #expect(board == fresh.index.board(query, players: fresh.players, games: Fixture.game), "seed \(seed)")
        }
    }
}
