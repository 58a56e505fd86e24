import StreakGames
import StreakScores
import Testing

/// Sums kept through any history of changes are those of the results that are left; the argument is the seed.
@Suite struct IncrementalLaws {
    static let today = Fixture.day("2026-11-21")
    static let players = ["ann", "bob", "cat", "dan"].map { Fixture.player($0) }
    static let games = [
        Fixture.wordle, Fixture.mini, Fixture.heardle, Fixture.waffle, Fixture.blocks, Fixture.habit, Fixture.weekly,
    ]

    /// A game with the same ID and other rules, so that nothing kept by them is of use.
    static func decoy(_ game: Game) -> Game {
        Game(id: game.id, name: game.name, model: game.model == .count ? .lowerHints : .count, cadence: game.cadence)
    }

    static func score(_ generator: inout SplitMix) -> DailyScore {
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
        let recorded = day.endEverywhere + Int64.random(in: -90_000...900_000, using: &generator)
        return DailyScore(
            game: game.id, day: day, puzzle: number, isKeyedByPuzzle: number != nil,
            score: isCompleted ? Int.random(in: 0...400, using: &generator) : nil,
            maxAttempts: Bool.random(using: &generator) ? 8 : nil, isCompleted: isCompleted,
            firstRecordedAt: recorded, isEdited: Int.random(in: 0...5, using: &generator) == 0)
    }

    /// An index that went through many changes, and what is left in it.
    static func history(_ generator: inout SplitMix, changes: Int) -> (ScoreIndex, [PlayerID: [ScoreKey: DailyScore]]) {
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
        // Rules told late hold for what was recorded before.
        for game in games { index.define(game) }
        return (index, left)
    }

    static func queries(_ generator: inout SplitMix) -> [BoardQuery] {
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
        var generator = SplitMix(seed: seed)
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
        #expect(index.count == fresh.count)
        #expect(index.span == fresh.span)
        for query in (0..<2).flatMap({ _ in Self.queries(&generator) }) {
            let board = index.board(query, players: Self.players, games: Fixture.game)
            #expect(board == fresh.board(query, players: Self.players, games: Fixture.game), "seed \(seed)")
            #expect(board == unkept.board(query, players: Self.players, games: Fixture.game), "seed \(seed)")
        }
    }

    @Test(arguments: 1...6) func `the puzzles of a span are those anyone has a result for`(_ seed: UInt64) {
        var generator = SplitMix(seed: seed)
        let (index, left) = Self.history(&generator, changes: 1_500)
        for query in Self.queries(&generator) where query.game == nil {
            let keys = Self.players.flatMap { player in
                (left[player.id] ?? [:]).values.filter { $0.day >= query.from && $0.day <= query.to }.map(\.key)
            }
            let board = index.board(query, players: Self.players, games: Fixture.game)
            #expect(board.shownRows.allSatisfy { $0.of == Set(keys).count }, "seed \(seed)")
        }
    }
}
