import StreakGames
import StreakRandom
import StreakScores
import Testing

/// Laws for every board, on random results. The argument is the seed.
@Suite struct BoardLaws {
    static let today = Fixture.day("2026-11-21")
    static let players = ["ann", "bob", "cat", "dan", "eve", "fay"].map { Fixture.player($0) }

    func results(_ generator: inout SplitMix64) -> [(PlayerID, DailyScore)] {
        (0..<120).map { _ in
            let game = Fixture.all.randomElement(using: &generator) ?? Fixture.wordle
            let day = Self.today.adding(days: -Int.random(in: 0...9, using: &generator))
            let isCompleted = Int.random(in: 0...4, using: &generator) > 0
            let number: Int? = game == Fixture.heardle ? Int.random(in: 1...9, using: &generator) : nil
            let score = DailyScore(
                game: game.id, day: day, puzzle: number, isKeyedByPuzzle: number != nil,
                score: isCompleted ? Int.random(in: 0...40, using: &generator) : nil, isCompleted: isCompleted,
                gameName: Bool.random(using: &generator) ? game.name : nil)
            return (Self.players.randomElement(using: &generator)?.id ?? PlayerID([]), score)
        }
    }

    func queries() -> [BoardQuery] {
        let spans = [
            DaySpan(from: Self.today, to: Self.today), DaySpan(from: Self.today.adding(days: -6), to: Self.today),
        ]
        var queries: [BoardQuery] = []
        for span in spans {
            for game in [nil] + Fixture.all.map(\.id) {
                for metric in BoardMetric.allCases {
                    for guards in [false, true] {
                        queries.append(
                            BoardQuery(
                                from: span.from, to: span.to, game: game, metric: metric, viewer: Self.players[0].id,
                                today: Self.today, guardsSpoilers: guards))
                    }
                }
            }
        }
        return queries
    }

    @Test(arguments: 1...8) func `a board does not depend on the order of arrival`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // The last of equal keys wins, so keep one of each.
        var seen: Set<String> = []
        let results = results(&generator).filter { seen.insert("\($0.0.bytes) \($0.1.key)").inserted }
        var first = ScoreIndex()
        var second = ScoreIndex()
        for (player, score) in results { first.replace(score, of: player) }
        for (player, score) in results.shuffled(using: &generator) {
            second.replace(
                DailyScore(
                    game: score.game, day: score.day, puzzle: score.puzzle,
                    isKeyedByPuzzle: score.isKeyedByPuzzle), of: player)
            second.replace(score, of: player)
        }
        #expect(first.count == results.count && second.count == results.count)
        for query in queries() {
            let one = first.board(query, players: Self.players, games: Fixture.game)
            let other = second.board(query, players: Self.players.reversed(), games: Fixture.game)
            #expect(one == other, "seed \(seed)")
        }
        for player in Self.players { #expect(first.results(of: player.id) == second.results(of: player.id)) }
        #expect(first.span == second.span && first.players == second.players && first.games == second.games)
    }

    @Test(arguments: 1...8) func `ranks rise with the rows and are shared exactly by equals`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var index = ScoreIndex()
        for (player, score) in results(&generator) { index.replace(score, of: player) }
        for query in queries() {
            let board = index.board(query, players: Self.players, games: Fixture.game)
            let ranked = board.rows.filter { $0.rank != nil }
            #expect(ranked.count == board.rankedCount)
            #expect(Array(board.rows.prefix(ranked.count)) == ranked, "unranked rows come last")
            for (position, row) in ranked.enumerated() {
                let isShared = position > 0 && ranked[position - 1].rank == row.rank
                #expect(isShared || row.rank == position + 1, "seed \(seed)")
                #expect(row.isTied == (ranked.filter { $0.rank == row.rank }.count > 1))
                if query.game == nil, isShared { #expect(ranked[position - 1].value == row.value) }
                if query.game == nil, position > 0, !isShared { #expect(ranked[position - 1].value > row.value) }
            }
        }
    }

    @Test(arguments: 1...8) func `totals are the sums of their parts`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var index = ScoreIndex()
        for (player, score) in results(&generator) { index.replace(score, of: player) }
        for query in queries() where query.metric != .streak {
            for row in index.board(query, players: Self.players, games: Fixture.game).shownRows {
                #expect(row.value == row.perGame.reduce(0) { $0 + $1.value }, "seed \(seed)")
                #expect(row.perGame == row.perGame.sorted { $0.game < $1.game })
                #expect(row.played <= row.of)
            }
        }
        let week = BoardQuery(
            from: Self.today.adding(days: -6), to: Self.today, viewer: Self.players[0].id, today: Self.today,
            guardsSpoilers: false)
        let rows = index.board(week, players: Self.players, games: Fixture.game).rows
        for row in rows {
            let parts = index.results(of: row.player, from: week.from, to: week.to)
            let sum = parts.reduce(0) { sum, score in
                sum + (Fixture.game(score.game).map { Scoring.totalPoints(for: score, in: $0) } ?? 0)
            }
            #expect(row.value == sum && row.played == parts.count, "seed \(seed)")
        }
    }

    @Test(arguments: 1...4) func `better is a strict weak order`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for game in Fixture.all {
            let places = results(&generator).prefix(25).map { RawOrder($0.1, in: game) }
            for first in places {
                #expect(!(first < first))
                for second in places {
                    #expect([first < second, second < first, first == second].filter { $0 }.count == 1)
                    for third in places where first < second && second < third { #expect(first < third) }
                }
            }
        }
    }

    @Test(arguments: 1...4) func `removing everything leaves nothing`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var index = ScoreIndex()
        for (player, score) in results(&generator) { index.replace(score, of: player) }
        for player in Self.players.dropLast() {
            for score in index.results(of: player.id) {
                #expect(index.remove(score.key, of: player.id) == score)
                #expect(index.remove(score.key, of: player.id) == nil)
            }
        }
        let rest = index.results(of: Self.players[5].id).count
        #expect(index.count == rest)
        index.removeAll(of: Self.players[5].id)
        #expect(index.count == 0 && index.span == nil && index.players.isEmpty && index.games.isEmpty)
    }

    @Test func `a number recorded again on another day moves`() {
        var index = ScoreIndex()
        let yesterday = Self.today.adding(days: -1)
        index.replace(Fixture.numbered(Fixture.heardle, 7, yesterday, 3), of: Self.players[0].id)
        index.replace(Fixture.numbered(Fixture.heardle, 7, Self.today, 2), of: Self.players[0].id)
        #expect(index.count == 1)
        #expect(index.results(of: Self.players[0].id).map(\.day) == [Self.today])
    }
}
