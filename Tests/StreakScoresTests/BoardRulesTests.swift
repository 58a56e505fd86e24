import StreakGames
import StreakScores
import Testing

/// Group settings, filters and paging of boards.
@Suite struct BoardRulesTests {
    static let today = Fixture.day("2026-11-21")
    static let monday = Fixture.day("2026-11-16")

    static func query(
        _ from: PuzzleDay = monday, _ to: PuzzleDay = today, game: Game? = nil, metric: BoardMetric = .points
    ) -> BoardQuery {
        BoardQuery(
            from: from, to: to, game: game?.id, metric: metric, viewer: Fixture.id("me"), today: today,
            now: today.endEverywhere, guardsSpoilers: false)
    }

    static func rows(_ index: ScoreIndex, _ query: BoardQuery, _ players: [Player]) -> [BoardRow] {
        index.board(query, players: players, games: Fixture.game).rows
    }

    // MARK: Missed days

    @Test(arguments: [
        (Fixture.wordle, MissedDay.nothing, "average 3.5, played 2 of 6"),
        (Fixture.wordle, .worstPlusOne, "average 5.8, played 2 of 6"),
        (Fixture.wordle, .zero, "average 1.2 pts, played 2 of 6"),
        (Fixture.globle, .worstPlusOne, "average 5.7, played 2 of 6"),
        (Fixture.waffle, .worstPlusOne, "average 1.2, played 2 of 6"),
        (Fixture.blocks, .worstPlusOne, "average 3.5, played 2 of 6"),
    ]) func `a missed day changes the average and nothing else`(_ game: Game, _ rule: MissedDay, _ detail: String) {
        // Ann plays two of six final days; Bob's 9 is the worst solve of a third.
        let index = Fixture.index([
            ("ann", Fixture.solve(game, Self.monday, 3)),
            ("ann", Fixture.solve(game, Self.monday.adding(days: 3), 4)),
            ("bob", Fixture.solve(game, Self.monday.adding(days: 1), 9)),
        ])
        var query = Self.query(game: game)
        let players = [Fixture.player("ann"), Fixture.player("bob")]
        let before = Self.rows(index, query, players).first { $0.name == "ann" }
        query.rules.missedDay = rule
        let row = Self.rows(index, query, players).first { $0.name == "ann" }
        #expect(row?.detail == detail)
        #expect(row?.value == before?.value && row?.rank == before?.rank)
    }

    @Test func `days before admission, days not yet final and games not played are not missed`() {
        let index = Fixture.index([("ann", Fixture.solve(Fixture.wordle, Self.today.adding(days: -1), 3))])
        var ann = Fixture.player("ann")
        ann.memberSince = Self.today.adding(days: -2)
        var query = Self.query(game: Fixture.wordle)
        query.rules.missedDay = .worstPlusOne
        query.now = Self.today.endEverywhere - 1
        // One missed day: the 19th.
        #expect(Self.rows(index, query, [ann])[0].detail == "average 5.0, played 1 of 6")
        query.now = Self.today.endEverywhere
        #expect(Self.rows(index, query, [ann])[0].detail == "average 5.7, played 1 of 6")
        ann.memberSince = nil
        #expect(Self.rows(index, query, [ann])[0].detail == "average 5.0, played 1 of 6")
    }

    @Test func `a week of a weekly game is missed when it is over`() {
        let index = Fixture.index([("ann", Fixture.solve(Fixture.weekly, Self.monday.adding(days: -21), 20))])
        var query = Self.query(Self.monday.adding(days: -28), game: Fixture.weekly)
        query.rules.missedDay = .zero
        // The unfinished week and the weeks before the first result are left out: 3 points over three weeks.
        #expect(Self.rows(index, query, [Fixture.player("ann")])[0].detail == "average 1.3 pts, played 1 of 5")
    }

    // MARK: Archive play

    @Test func `a result recorded after the group's limit counts nowhere on its boards`() {
        var archive = Fixture.solve(Fixture.wordle, Self.monday, 2)
        archive.firstRecordedAt = Self.monday.adding(days: 7).endEverywhere
        var inTime = archive
        inTime.firstRecordedAt -= 1
        for (score, isIn) in [(archive, false), (inTime, true)] {
            let index = Fixture.index([("ann", score), ("ann", Fixture.solve(Fixture.mini, Self.today, 10))])
            for metric in BoardMetric.allCases where metric != .streak {
                var query = Self.query(game: Fixture.wordle, metric: metric)
                #expect(Self.rows(index, query, [Fixture.player("ann")]).first?.rank == 1)
                query.rules.streaks.archiveDays = 7
                let rank = Self.rows(index, query, [Fixture.player("ann")]).first?.rank
                #expect((rank == 1) == isIn)
            }
        }
    }

    // MARK: Custom games

    @Test(
        arguments: [
            (Fixture.blocks, nil, 900, "900 pts"), (Fixture.blocks, .best, 900, "900 pts"),
            (Fixture.blocks, .sum, 1_500, "1,500 pts"), (Fixture.blocks, .latest, 500, "500 pts"),
            (Fixture.habit, nil, 1_500, "1,500 logs"), (Fixture.habit, .best, 900, "900 logs"),
            (Fixture.mini, nil, 3, "3 pts"), (Fixture.mini, .best, 1, "1:40"),
        ] as [(Game, Aggregation?, Int, String)])
    func `a custom game states what ranks over a range`(
        _ game: Game, _ aggregation: Aggregation?, _ value: Int, _ label: String
    ) {
        let raw = game == Fixture.mini ? [100, 900, 500] : [100, 900, 500]
        let index = Fixture.index(
            raw.enumerated().map { ("ann", Fixture.solve(game, Self.monday.adding(days: $0.offset), $0.element)) })
        var query = Self.query(game: game)
        query.aggregation = aggregation
        let row = Self.rows(index, query, [Fixture.player("ann")])[0]
        // The Mini's best is 100 s: 4 points.
        #expect(row.value == (game == Fixture.mini && aggregation == .best ? 4 : game == Fixture.mini ? 6 : value))
        #expect(row.label == (game == Fixture.mini && aggregation == nil ? "6 pts" : label))
    }

    @Test func `the better high score of a day stands and only an edit lowers it`() {
        let high = Fixture.solve(Fixture.blocks, Self.today, 900)
        var low = Fixture.solve(Fixture.blocks, Self.today, 100)
        #expect(!Scoring.replaces(low, high, in: Fixture.blocks))
        #expect(Scoring.replaces(high, low, in: Fixture.blocks))
        #expect(Scoring.replaces(high, high, in: Fixture.blocks))
        low.isEdited = true
        #expect(Scoring.replaces(low, high, in: Fixture.blocks))
        let worse = Fixture.solve(Fixture.wordle, Self.today, 6)
        #expect(Scoring.replaces(worse, Fixture.solve(Fixture.wordle, Self.today, 2), in: Fixture.wordle))
    }

    // MARK: Coins

    @Test func `coins of tiers count in the range they are dated in, on the total`() {
        let index = Fixture.index([("ann", Fixture.solve(Fixture.wordle, Self.today, 3))])
        var query = Self.query(metric: .coins)
        query.extraCoins = [
            Fixture.id("ann"): DatedCoins([
                DatedCoins.Entry(day: Self.monday.adding(days: -1), coins: 400),
                DatedCoins.Entry(day: Self.monday, coins: 50), DatedCoins.Entry(day: Self.today, coins: 100),
            ])
        ]
        let row = Self.rows(index, query, [Fixture.player("ann")])[0]
        #expect(row.value == 10 + 4 + 150)
        #expect(row.extra == 150)
        #expect(row.value == row.perGame.reduce(row.extra) { $0 + $1.value })
        query.game = Fixture.wordle.id
        #expect(Self.rows(index, query, [Fixture.player("ann")])[0].value == 14)
        // A tier reached with a covered result would reveal it.
        query.game = nil
        query.guardsSpoilers = true
        query.now = Self.today.endEverywhere - 1
        #expect(Self.rows(index, query, [Fixture.player("ann")])[0].value == 50)
    }

    // MARK: Who is on the board

    static func crowd(_ scores: [Int]) -> (ScoreIndex, [Player]) {
        let names = scores.indices.map { "p\($0 + 100)" }
        let results = zip(names, scores).map { ($0, Fixture.solve(Fixture.mini, today, $1)) }
        return (Fixture.index(results), names.map { Fixture.player($0) })
    }

    @Test func `a hundred more rows begin where the first hundred ended`() {
        let (index, players) = Self.crowd((0..<230).map { 10 + $0 })
        var query = Self.query(Self.today, game: Fixture.mini)
        query.viewer = players[150].id
        var ranks: [Int?] = []
        var offsets: [Int] = []
        var offset: Int? = 0
        while let next = offset {
            query.offset = next
            let board = index.board(query, players: players, games: Fixture.game)
            ranks += board.rows.map(\.rank)
            offsets.append(next)
            #expect(board.rankedCount == 230 && board.listedCount == 230 && board.myPosition == 150)
            // After the first hundred, within the second, and not again after it.
            #expect(board.shownRows.count { $0.isMe } == (next == 200 ? 0 : 1))
            offset = board.nextOffset
        }
        #expect(offsets == [0, 100, 200])
        #expect(ranks == (1...230).map { $0 })
        query.offset = .max
        #expect(index.board(query, players: players, games: Fixture.game).rows.isEmpty)
        query.offset = -5
        query.limit = -5
        #expect(index.board(query, players: players, games: Fixture.game).rows.isEmpty)
    }

    @Test(
        arguments: [
            ([10, 20, 30, 40], [2, 1, 3], [Medal.gold, .silver, .bronze, nil]),
            ([10, 10, 30, 40], [1, 1, 3], [.gold, .gold, .bronze, nil]),
            ([10, 20, 20, 40], [2, 1, 2], [.gold, .silver, .silver, nil]),
            ([10, 10, 10, 40], [1, 1, 1], [.gold, .gold, .gold, nil]),
            ([10, 20, 30, 30], [], [.gold, .silver, .bronze, .bronze]), ([10, 20], [], [.gold, .silver]),
            ([10, 10, 10, 10], [], [.gold, .gold, .gold, .gold]),
        ] as [([Int], [Int], [Medal?])])
    func `the podium stands where exactly three hold the first three ranks`(
        _ scores: [Int], _ podium: [Int], _ medals: [Medal?]
    ) {
        let (index, players) = Self.crowd(scores)
        let board = index.board(Self.query(Self.today, game: Fixture.mini), players: players, games: Fixture.game)
        #expect(board.podium.map(\.rank) == podium)
        #expect(board.rows.map(\.medal) == medals)
    }

    @Test func `a region or those nearby are a board of their own, and I see my row without a rank`() {
        var (index, players) = Self.crowd([10, 20, 30])
        players[0].region = "FR"
        players[2].region = "fr"
        var me = Fixture.player("me")
        me.region = "DE"
        index.replace(Fixture.solve(Fixture.mini, Self.today, 5), of: me.id)
        var query = Self.query(Self.today, game: Fixture.mini)
        query.region = "Fr"
        var board = index.board(query, players: players + [me], games: Fixture.game)
        #expect(board.rows.map(\.name) == ["p100", "p102"])
        #expect(board.rows.map(\.rank) == [1, 2])
        #expect(board.myRow?.rank == nil && board.myRow?.label == "0:05" && board.myRow?.isPrivate == false)
        query.region = nil
        query.only = [players[1].id, me.id]
        board = index.board(query, players: players + [me], games: Fixture.game)
        #expect(board.rows.map(\.name) == ["me", "p101"])
    }

    /// Logs of one day: their points in totals, and what the habit's own page shows.
    @Test(arguments: [(1, 1), (6, 6), (7, 7), (8, 7), (30, 7)])
    func `a day of a habit gives as many points as logs, at most seven, and its own page all of them`(
        _ logs: Int, _ points: Int
    ) {
        var index = ScoreIndex()
        index.define(Fixture.habit)
        let eve = Self.today.adding(days: -1)
        for number in 0..<logs {
            index.replace(Fixture.numbered(Fixture.habit, number, Self.today, 1), of: Fixture.id("me"))
        }
        index.replace(Fixture.numbered(Fixture.habit, 1_000, eve, 1), of: Fixture.id("me"))
        func value(_ game: Game?, _ metric: BoardMetric, from: PuzzleDay) -> Int? {
            let query = BoardQuery(
                from: from, to: Self.today, game: game?.id, metric: metric, viewer: Fixture.id("me"), today: Self.today)
            return index.board(query, players: [Fixture.player("me")], games: Fixture.game).rows.first?.value
        }
        #expect(value(nil, .points, from: Self.today) == points)
        #expect(value(nil, .points, from: eve) == points + 1)
        #expect(value(nil, .coins, from: eve) == points + 1 + 10 * (logs + 1))
        #expect(value(Fixture.habit, .points, from: Self.today) == logs)
        #expect(value(Fixture.habit, .points, from: eve) == logs + 1)
        #expect(value(nil, .logs, from: eve) == logs + 1)
        let insights = PlayerInsights(of: Fixture.id("me"), in: index, games: Fixture.game)
        #expect(insights.resultCoins() == points + 1 + 10 * (logs + 1))
        #expect(insights.weeklyRecap(on: Self.today).points == points + 1)
    }

    // MARK: Time

    @Test func `players at UTC+13 and UTC−10 meet on the puzzle's day`() {
        // 2026-11-21 10:30 UTC: 23:30 in Tonga, 00:30 in Hawaii; half an hour later Tonga is in tomorrow.
        let now: Int64 = 1_795_257_000
        let tonga = DailyScore(game: Fixture.wordle.id, day: Self.today, score: 3, firstRecordedAt: now - 40_000)
        let ahead = DailyScore(
            game: Fixture.wordle.id, day: Self.today.adding(days: 1), score: 2, firstRecordedAt: now + 3_600)
        // Hawaii plays the same puzzle 23 hours later. Its day ends at 10:00 UTC on the 22nd.
        let hawaii = DailyScore(game: Fixture.wordle.id, day: Self.today, score: 4, firstRecordedAt: now + 82_800)
        let index = Fixture.index([("tonga", tonga), ("tonga", ahead), ("hawaii", hawaii)])
        let players = [Fixture.player("tonga"), Fixture.player("hawaii")]
        let day = Self.rows(index, Self.query(Self.today, game: Fixture.wordle), players)
        #expect(day.map(\.name) == ["tonga", "hawaii"])
        #expect(day.allSatisfy { !$0.isLate })
        #expect(PuzzleDay.furthest(at: now + 3_600) == Self.today.adding(days: 1))
        // The viewer's week, although still on Saturday, includes the friend's Sunday.
        let span = BoardRange.week.span(around: Self.today, today: Self.today)
        let week = Self.rows(index, Self.query(span.from, span.to, game: Fixture.wordle), players)
        #expect(week.map(\.value) == [4 + 5, 3])
    }
}
