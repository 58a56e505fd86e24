import StreakGames
import StreakRandom
import Testing

@testable import StreakScores

/// After any history of changes, stored sums equal those of the remaining results. The argument is the seed.
@Suite struct IncrementalLaws {
    static let today = Fixture.day("2026-11-21")
    static let players = ["ann", "bob", "cat", "dan"].map { Fixture.player($0) }
    static let games = [
        Fixture.wordle, Fixture.mini, Fixture.heardle, Fixture.waffle, Fixture.blocks, Fixture.habit, Fixture.weekly,
    ]

    /// A game with the same ID and other rules, so that stored sums are useless.
    static func decoy(_ game: Game) -> Game {
        Game(id: game.id, name: game.name, model: game.model == .count ? .lowerHints : .count, cadence: game.cadence)
    }

    static func score(_ generator: inout SplitMix64) -> DailyScore {
        let game = games.randomElement(using: &generator) ?? Fixture.wordle
        let back = Bool.random(using: &generator) ? 5 : 700
        let day = today.adding(days: -Int.random(in: -1...back, using: &generator))
        let isCompleted = Int.random(in: 0...3, using: &generator) > 0
        var number: Int?
        if game == Fixture.heardle {
            let isArchive = Int.random(in: 0...9, using: &generator) == 0
            number = isArchive ? Int.random(in: 1...2_000_000, using: &generator) : 5_000 + day.days(until: today)
            if Bool.random(using: &generator) { number = nil }
        }
        // Many logs on few days, and several numbers of a high score on one.
        if game == Fixture.habit || (game == Fixture.blocks && Bool.random(using: &generator)) {
            number = (day.daysSinceEpoch & 0x7FFF) << 16 | Int.random(in: 0...11, using: &generator)
        }
        let recorded = day.endEverywhere + Int64.random(in: -90_000...900_000, using: &generator)
        return DailyScore(
            game: game.id, day: day, puzzle: number, isKeyedByPuzzle: number != nil,
            score: isCompleted ? Int.random(in: 0...400, using: &generator) : nil,
            maxAttempts: Bool.random(using: &generator) ? 8 : nil, isCompleted: isCompleted,
            firstRecordedAt: recorded, isEdited: Int.random(in: 0...5, using: &generator) == 0)
    }

    /// An index after many changes, and the results that remain in it.
    static func history(_ generator: inout SplitMix64, changes: Int) -> (ScoreIndex, [PlayerID: [ScoreKey: DailyScore]])
    {
        var index = ScoreIndex()
        var left: [PlayerID: [ScoreKey: DailyScore]] = [:]
        for game in games.prefix(4) { index.define(game) }
        for _ in 0..<changes {
            let player = (players.randomElement(using: &generator) ?? players[0]).id
            if Int.random(in: 0...3, using: &generator) == 0, let held = left[player],
                let key = held.keys.sorted().randomElement(using: &generator)
            {
                #expect(index.remove(key, of: player) == held[key])
                left[player]?[key] = nil
            } else {
                let score = score(&generator)
                index.replace(score, of: player)
                left[player, default: [:]][score.key] = score
            }
        }
        // Rules set late apply to earlier results.
        for game in games { index.define(game) }
        return (index, left)
    }

    static func queries(_ generator: inout SplitMix64) -> [BoardQuery] {
        var queries: [BoardQuery] = []
        for game in [nil] + games.map({ Optional($0.id) }) {
            for metric in BoardMetric.allCases {
                let to = today.adding(days: -Int.random(in: -1...300, using: &generator))
                let from = to.adding(days: -([0, 0, 6, 63, 64, 500].randomElement(using: &generator) ?? 0))
                queries.append(
                    BoardQuery(
                        from: from, to: to, game: game, metric: metric, viewer: players[0].id, today: today,
                        now: today.endEverywhere - 1, guardsSpoilers: Bool.random(using: &generator),
                        rules: BoardRules(
                            missedDay: MissedDay.allCases.randomElement(using: &generator) ?? .nothing,
                            streaks: StreakRules(archiveDays: [nil, 0, 7].randomElement(using: &generator) ?? nil))))
            }
        }
        return queries
    }

    @Test(arguments: 1...6) func `kept sums equal those of what is left`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let (index, left) = Self.history(&generator, changes: 1_500)
        var fresh = ScoreIndex()
        var unkept = ScoreIndex()
        for game in Self.games {
            fresh.define(game)
            unkept.define(Self.decoy(game))
        }
        for player in left.keys.sorted().reversed() {
            for score in (left[player] ?? [:]).values.sorted(by: { $0.day < $1.day }) {
                fresh.replace(score, of: player)
                unkept.replace(score, of: player)
            }
        }
        var bulk = ScoreIndex()
        for game in Self.games { bulk.define(game) }
        for (player, scores) in left.sorted(by: { $0.key < $1.key }) {
            for (game, part) in Dictionary(grouping: scores.values, by: \.game).sorted(by: { $0.key < $1.key }) {
                // In two parts, the second on top of the first.
                for half in [part.prefix(part.count / 2), part.dropFirst(part.count / 2)] {
                    bulk.replace(half.count, of: player, in: game) { half.forEach($0) }
                }
            }
        }
        #expect(index.count == fresh.count && bulk.count == fresh.count)
        #expect(index.span == fresh.span)
        for query in (0..<2).flatMap({ _ in Self.queries(&generator) }) {
            let board = index.board(query, players: Self.players, games: Fixture.game)
            #expect(board == fresh.board(query, players: Self.players, games: Fixture.game), "seed \(seed)")
            #expect(board == unkept.board(query, players: Self.players, games: Fixture.game), "seed \(seed)")
            #expect(board == bulk.board(query, players: Self.players, games: Fixture.game), "seed \(seed)")
        }
    }

    /// Blocks with more results than bits for marks, almost emptied in every order. Nearly all results are on one day,
    /// so that other days become empty while their block is crowded.
    @Test(arguments: 1...6) func `a crowded day is emptied without a trace`(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let ann = Self.players[0].id
        let days = (0..<4).map { Self.today.adding(days: -9 * $0) }
        var (index, left) = (ScoreIndex(), [ScoreKey: DailyScore]())
        for number in 1...600 {
            let isNumbered = number % 7 > 0
            let score = DailyScore(
                game: Fixture.heardle.id,
                day: number % 10 == 0 ? days.randomElement(using: &generator) ?? Self.today : Self.today,
                puzzle: isNumbered ? number * Int.random(in: 1...2, using: &generator) : nil,
                isKeyedByPuzzle: isNumbered, score: 3, maxAttempts: 6,
                isCompleted: Int.random(in: 0...2, using: &generator) == 0)
            index.replace(score, of: ann)
            left[score.key] = score
        }
        for key in left.keys.sorted().shuffled(using: &generator) {
            if var score = left[key], Int.random(in: 0...3, using: &generator) == 0 {
                score.isCompleted.toggle()
                index.replace(score, of: ann)
                left[key] = score
                continue
            }
            #expect(index.remove(key, of: ann) == left[key])
            left[key] = nil
            guard Int.random(in: 0...9, using: &generator) == 0 else { continue }
            var fresh = ScoreIndex()
            for score in left.values { fresh.replace(score, of: ann) }
            for span in days.map({ DaySpan(from: $0, to: $0) }) + [DaySpan(from: .earliest, to: .latest)] {
                #expect(
                    index.puzzleCount([Self.players[0]], span) == fresh.puzzleCount([Self.players[0]], span),
                    "seed \(seed)")
            }
            for block in Set(days.map { Block.number(of: Int32($0.daysSinceEpoch)) }) {
                let marks = [index, fresh].map {
                    $0.shelves(of: ann, game: nil).first?.history.completedDays(ofBlock: block)
                }
                #expect(marks[0] == marks[1], "seed \(seed)")
            }
        }
    }

    /// Counts comparisons when results are removed one by one in any order: n log n, not n².
    @Test(arguments: ["from the first", "from the last", "shuffled", "halving"])
    func `many removals look at few neighbours`(_ order: String) {
        let count = 4_096
        var left = Array(0..<count)
        var removals = Array(0..<count)
        var generator = SplitMix64(seed: 1)
        switch order {
        case "from the last": removals.reverse()
        case "shuffled": removals.shuffle(using: &generator)
        case "halving": removals.sort { ($0.trailingZeroBitCount, $0) > ($1.trailingZeroBitCount, $1) }
        default: break
        }
        // Every other one is completed, and these go first.
        removals = removals.filter { $0 % 2 == 0 } + removals.filter { $0 % 2 == 1 }
        var asked = 0
        for number in removals {
            let index = left.partitioningIndex(in: left.indices) { $0 >= number }
            left.remove(at: index)
            guard number % 2 == 0 else { continue }
            _ = left.contains(near: index, in: left.indices) { element in
                asked += 1
                return element % 2 == 0
            }
        }
        #expect(asked < 2 * count * 12, "\(asked)")
    }

    /// For all games as for each: the sum over the games' pages is the total's.
    @Test(arguments: 1...6) func `the puzzles of a span are the days of every game played, or those seen where more`(
        _ seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        let (index, left) = Self.history(&generator, changes: 1_500)
        for query in Self.queries(&generator) where query.game == nil {
            let keys = Self.players.flatMap { player in
                (left[player.id] ?? [:]).values.filter { $0.day >= query.from && $0.day <= query.to }.map(\.key)
            }
            let end = min(query.to, query.today)
            let days = query.from <= end ? query.from.days(until: end) + 1 : 0
            let weeks = query.from <= end ? query.from.startOfWeek.days(until: end.startOfWeek) / 7 + 1 : 0
            var expected = 0
            for (id, seen) in Dictionary(grouping: Set(keys), by: \.game) {
                guard let game = Fixture.game(id) else { continue }
                let begun = game.cadence == .weekly ? weeks : days
                expected += game.model == .count ? begun : max(begun, seen.count)
                var one = query
                one.game = id
                let page = index.board(one, players: Self.players, games: Fixture.game)
                #expect(page.shownRows.allSatisfy { $0.of >= (game.model == .count ? begun : max(begun, seen.count)) })
            }
            let board = index.board(query, players: Self.players, games: Fixture.game)
            #expect(board.shownRows.allSatisfy { $0.of == max(expected, $0.played) }, "seed \(seed)")
        }
    }

    /// Days of habits and high scores add at most seven each to a total, whatever changed.
    @Test(arguments: 1...6) func `totals, coins and trends give each day of a habit its seven points at most`(
        _ seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        let (index, left) = Self.history(&generator, changes: 3_000)
        for _ in 0..<20 {
            let to = Self.today.adding(days: -Int.random(in: -1...300, using: &generator))
            let span = DaySpan(
                from: to.adding(days: -Int.random(in: 0...400, using: &generator)), to: to)
            var query = BoardQuery(
                from: span.from, to: span.to, viewer: Self.players[0].id, today: Self.today, guardsSpoilers: false)
            let points = index.board(query, players: Self.players, games: Fixture.game)
            query.metric = .coins
            let coins = index.board(query, players: Self.players, games: Fixture.game)
            for player in Self.players {
                let held = (left[player.id] ?? [:]).values.filter { $0.day >= span.from && $0.day <= span.to }
                guard !held.isEmpty else { continue }
                var days: [ScoreKey: Int] = [:]
                for score in held {
                    guard let game = Fixture.game(score.game) else { continue }
                    let key = ScoreKey(game: game.id, axis: .day(score.day))
                    let sum = days[key, default: 0] + Scoring.totalPoints(for: score, in: game)
                    days[key] = game.model == .count || game.model == .highScore ? min(sum, 7) : sum
                }
                let total = days.values.reduce(0, +)
                let completed = held.count { $0.isCompleted }
                let insights = PlayerInsights(of: player.id, in: index, games: Fixture.game)
                #expect(points.rows.first { $0.player == player.id }?.value == total, "seed \(seed)")
                #expect(
                    coins.rows.first { $0.player == player.id }?.value ?? 0 == total + 10 * completed, "seed \(seed)")
                let before = insights.resultCoins(through: span.from.adding(days: -1))
                #expect(insights.resultCoins(through: span.to) - before == total + 10 * completed, "seed \(seed)")
                #expect(
                    insights.trend(over: span, by: .month).reduce(0) { $0 + $1.points } == total, "seed \(seed)")
            }
        }
    }
}
