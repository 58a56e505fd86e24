import StreakGames
import StreakScores
import Testing

@Suite struct BoardTests {
    static let today = Fixture.day("2026-11-21")
    static let yesterday = Fixture.day("2026-11-20")
    /// 2026-11-21 15:00 UTC: the 19th is final, the 20th is too, the 21st is not.
    static let now: Int64 = 1_795_273_200

    func query(
        _ from: PuzzleDay = today, _ to: PuzzleDay = today, game: Game? = nil, metric: BoardMetric = .points,
        viewer: String = "me", guards: Bool = false, reveals: Bool = false, limit: Int = 100
    ) -> BoardQuery {
        BoardQuery(
            from: from, to: to, game: game?.id, metric: metric, viewer: Fixture.id(viewer), today: Self.today,
            now: Self.now, guardsSpoilers: guards, reveals: reveals, limit: limit)
    }

    func board(_ index: ScoreIndex, _ query: BoardQuery, _ names: String...) -> Board {
        index.board(query, players: names.map { Fixture.player($0) }, games: Fixture.game)
    }

    @Test func `equals share a rank and the next rank skips`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 2)),
            ("bob", Fixture.solve(Fixture.wordle, Self.today, 3)),
            ("cat", Fixture.solve(Fixture.wordle, Self.today, 3)),
            ("dan", Fixture.solve(Fixture.wordle, Self.today, 5)),
        ])
        for game in [Fixture.wordle, nil] {
            let rows = board(index, query(game: game), "dan", "cat", "bob", "ann").rows
            #expect(rows.map(\.rank) == [1, 2, 2, 4])
            #expect(rows.map(\.isTied) == [false, true, true, false])
            #expect(rows.map(\.name) == ["ann", "bob", "cat", "dan"])
        }
    }

    @Test func `one game on one day ranks by the raw result, a total by points`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.mini, Self.today, 59)), ("bob", Fixture.solve(Fixture.mini, Self.today, 31)),
            ("cat", Fixture.loss(Fixture.mini, Self.today)), ("dan", Fixture.loss(Fixture.mini, Self.today)),
        ])
        let one = board(index, query(game: Fixture.mini), "ann", "bob", "cat", "dan", "eve").rows
        #expect(one.map(\.name) == ["bob", "ann", "cat", "dan"])
        #expect(one.map(\.rank) == [1, 2, 3, 3])
        #expect(one.map(\.label) == ["0:31", "0:59", "not solved", "not solved"])
        #expect(one.map(\.raw) == [31, 59, nil, nil])
        #expect(one.map(\.value) == [6, 6, 0, 0])
        let total = board(index, query(), "ann", "bob").rows
        #expect(total.map(\.rank) == [1, 1])
        #expect(total.map(\.label) == ["6 pts", "6 pts"])
    }

    @Test func `a total is the sum of its games`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 3)),
            ("ann", Fixture.solve(Fixture.mini, Self.yesterday, 45)),
            ("ann", Fixture.solve(Fixture.blocks, Self.today, 5_000)), ("ann", Fixture.loss(Fixture.bee, Self.today)),
        ])
        let row = board(index, query(Self.yesterday, Self.today), "ann").rows[0]
        #expect(row.value == 4 + 6 + 7)
        #expect(row.perGame.map(\.game.rawValue) == ["blocks", "nyt-mini", "spelling-bee", "wordle"])
        #expect(row.perGame.map(\.value) == [7, 6, 0, 4])
        #expect(row.played == 4)
        #expect(row.detail == "played 4 of 8")
    }

    @Test func `several results read as points with their average beneath`() {
        let monday = Fixture.day("2026-11-16")
        var index = Fixture.index(
            (0..<5).map { ("ann", Fixture.solve(Fixture.mini, monday.adding(days: $0), 43 + $0)) })
        let week = query(monday, monday.adding(days: 6), game: Fixture.mini)
        var row = board(index, week, "ann").rows[0]
        #expect(row.label == "30 pts")
        // Saturday is today: six days of the week have begun.
        #expect(row.detail == "average 0:45, played 5 of 6")
        #expect(row.raw == nil)
        for day in 1..<5 {
            let key = ScoreKey(game: Fixture.mini.id, axis: .day(monday.adding(days: day)))
            #expect(index.remove(key, of: Fixture.id("ann")) != nil)
        }
        row = board(index, week, "ann").rows[0]
        #expect(row.label == "<1m")
        #expect(row.raw == 43)
    }

    @Test func `a loss counts one more than the maximum in an average`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 2)),
            ("ann", Fixture.loss(Fixture.wordle, Self.yesterday)),
        ])
        let row = board(index, query(Self.yesterday, Self.today, game: Fixture.wordle), "ann").rows[0]
        #expect(row.detail == "average 4.5, played 2 of 2")
        #expect(row.value == 5)
    }

    @Test func `a custom high score shows its best over a range, a habit its sum`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.blocks, Self.today, 100)),
            ("ann", Fixture.solve(Fixture.blocks, Self.yesterday, 300)),
            ("ann", Fixture.solve(Fixture.habit, Self.today, 9)),
            ("ann", Fixture.solve(Fixture.habit, Self.yesterday, 2)),
        ])
        #expect(board(index, query(Self.yesterday, game: Fixture.blocks), "ann").rows[0].value == 300)
        #expect(board(index, query(Self.yesterday, game: Fixture.habit), "ann").rows[0].value == 11)
        #expect(board(index, query(Self.yesterday), "ann").rows[0].value == 7 + 7 + 7 + 2)
    }

    @Test func `active players without a result are listed without a rank, others are not`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 3)),
            ("bob", Fixture.solve(Fixture.mini, Self.today.adding(days: -29), 3)),
            ("cat", Fixture.solve(Fixture.wordle, Self.today.adding(days: -30), 3)),
        ])
        let result = board(index, query(game: Fixture.wordle), "ann", "bob", "cat", "dan")
        #expect(result.rows.map(\.name) == ["ann", "bob"])
        #expect(result.rows.map(\.rank) == [1, nil])
        #expect(result.rows[1].label == "–")
        #expect(result.rankedCount == 1)
        var seen = Fixture.player("cat")
        seen.lastSeen = Self.yesterday
        var never = Fixture.player("dan")
        never.lastSeen = Self.yesterday
        let again = index.board(query(game: Fixture.wordle), players: [seen, never], games: Fixture.game)
        #expect(again.rows.map(\.name) == ["cat"])
    }

    @Test func `my row keeps its true rank beyond the first hundred`() {
        var index = ScoreIndex()
        var players: [Player] = []
        for number in 0..<150 {
            let player = Fixture.player("p\(number)")
            players.append(player)
            index.replace(Fixture.solve(Fixture.mini, Self.today, 10 + number), of: player.id)
        }
        let result = index.board(query(game: Fixture.mini, viewer: "p130"), players: players, games: Fixture.game)
        #expect(result.rows.count == 100)
        #expect(result.rankedCount == 150)
        #expect(result.myRow?.rank == 131)
        #expect(result.shownRows.count == 101)
        #expect(result.shownRows.last?.isMe == true)
        let more = index.board(
            query(game: Fixture.mini, viewer: "p130", limit: 200), players: players, games: Fixture.game)
        #expect(more.shownRows.count == 150)
    }

    @Test func `who opted out is on no board and in no count but sees a private row`() {
        let index = Fixture.index([
            ("me", Fixture.solve(Fixture.wordle, Self.today, 1)), ("ann", Fixture.solve(Fixture.wordle, Self.today, 3)),
        ])
        let players = [Fixture.player("me", isHidden: true), Fixture.player("ann")]
        let mine = index.board(query(game: Fixture.wordle), players: players, games: Fixture.game)
        #expect(mine.rows.map(\.name) == ["ann"])
        #expect(mine.rows[0].rank == 1)
        #expect(mine.rankedCount == 1)
        #expect(mine.myRow?.isPrivate == true)
        #expect(mine.myRow?.rank == nil)
        #expect(mine.myRow?.label == "1 guess")
        let others = index.board(query(game: Fixture.wordle, viewer: "ann"), players: players, games: Fixture.game)
        #expect(others.shownRows.map(\.name) == ["ann"])
    }

    @Test func `rank changes compare with the day before`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.yesterday, 2)),
            ("bob", Fixture.solve(Fixture.wordle, Self.yesterday, 3)),
            ("cat", Fixture.solve(Fixture.wordle, Self.yesterday, 4)),
            ("hid", Fixture.solve(Fixture.wordle, Self.yesterday, 1)),
            ("bob", Fixture.solve(Fixture.wordle, Self.today, 2)),
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 3)),
            ("cat", Fixture.solve(Fixture.wordle, Self.today, 5)),
            ("dan", Fixture.solve(Fixture.wordle, Self.today, 6)),
        ])
        let players = ["ann", "bob", "cat", "dan"].map { Fixture.player($0) } + [Fixture.player("hid", isHidden: true)]
        let rows = index.board(query(game: Fixture.wordle), players: players, games: Fixture.game).rows
        #expect(rows.map(\.name) == ["bob", "ann", "cat", "dan"])
        #expect(rows.map(\.delta) == [.up(1), .down(1), .same, .new])
        #expect(rows.map { $0.delta?.difference } == [1, -1, 0, nil])
        let range = index.board(query(Self.yesterday), players: players, games: Fixture.game).rows
        #expect(range.allSatisfy { $0.delta == nil })
    }

    @Test func `names that tie sort alike on every node`() {
        let names = ["Zoë", "zoe", "Émile", "emil", "Ömer", "omega", "ｂｏｂ", "Straße", "strasse2", "Ёлка", "Жук"]
        let sorted = ["ｂｏｂ", "emil", "Émile", "omega", "Ömer", "Straße", "strasse2", "zoe", "Zoë", "Ёлка", "Жук"]
        let index = Fixture.index(names.map { ($0, Fixture.solve(Fixture.wordle, Self.today, 3)) })
        let rows = index.board(query(), players: names.map { Fixture.player($0) }, games: Fixture.game).rows
        #expect(rows.map(\.name) == sorted)
        #expect(rows.allSatisfy { $0.rank == 1 && $0.isTied })
    }

    @Test func `equal names sort by ID`() {
        let twins = [Player(id: PlayerID([9]), name: "Sam"), Player(id: PlayerID([1, 5]), name: "sam")]
        var index = ScoreIndex()
        for twin in twins { index.replace(Fixture.solve(Fixture.wordle, Self.today, 3), of: twin.id) }
        let rows = index.board(query(), players: twins, games: Fixture.game).rows
        #expect(rows.map(\.player) == [PlayerID([1, 5]), PlayerID([9])])
    }

    @Test func `late and edited results are marked`() {
        var late = Fixture.solve(Fixture.wordle, Self.yesterday, 3)
        late.firstRecordedAt = Self.yesterday.endEverywhere
        var edited = Fixture.solve(Fixture.wordle, Self.yesterday, 4)
        edited.isEdited = true
        let index = Fixture.index([("ann", late), ("bob", edited)])
        let rows = board(index, query(Self.yesterday, Self.yesterday, game: Fixture.wordle), "ann", "bob").rows
        #expect(rows.map(\.isLate) == [true, false])
        #expect(rows.map(\.isEdited) == [false, true])
    }

    @Test func `a game this node does not know is scored by the attempts rule`() {
        let novel = DailyScore(
            game: GameID(literal: "novel"), day: Self.today, score: 2, maxAttempts: 5, gameName: "Novel")
        let index = Fixture.index([("ann", novel)])
        let result = index.board(
            BoardQuery(
                from: Self.today, to: Self.today, game: novel.game, viewer: Fixture.id("ann"), today: Self.today),
            players: [Fixture.player("ann")], games: Fixture.game)
        #expect(result.rows[0].value == 4)
        #expect(result.rows[0].label == "2 guesses")
        #expect(index.name(of: novel.game) == "Novel")
        #expect(index.score(novel.key, of: Fixture.id("ann")) == novel)
    }

    @Test func `of two numbers played on one day the newest is the day's puzzle`() {
        let index = Fixture.index([
            ("ann", Fixture.numbered(Fixture.heardle, 101, Self.today, 5)),
            ("ann", Fixture.numbered(Fixture.heardle, 100, Self.today, 1)),
            ("bob", Fixture.numbered(Fixture.heardle, 101, Self.today, 4)),
        ])
        let rows = board(index, query(game: Fixture.heardle), "ann", "bob").rows
        #expect(rows.map(\.name) == ["bob", "ann"])
        #expect(rows.map(\.raw) == [4, 5])
        #expect(index.results(of: Fixture.id("ann")).map(\.puzzle) == [100, 101])
    }

    @Test func `logs and coins count inside the range and a zero is not listed`() {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.today, 3)), ("ann", Fixture.loss(Fixture.mini, Self.today)),
            ("bob", Fixture.solve(Fixture.wordle, Self.yesterday, 3)),
        ])
        let logs = board(index, query(metric: .logs), "ann", "bob").rows
        #expect(logs.map(\.name) == ["ann"])
        #expect(logs.map(\.label) == ["2 logs"])
        #expect(board(index, query(metric: .coins), "ann").rows.map(\.value) == [10 + 4])
    }
}
