public import StreakGames

/// A player's whole history in one game, read once. Streaks, achievements and coins derive from it. O(n) to make. The
/// results are shared with the index, not copied.
struct GameChronicle: Sendable {
    let game: Game
    let history: History
    let rules: StreakRules
    let completed: Int
    /// The sum of what each day adds to totals.
    let points: Int
    /// Days of perfect results, oldest first; at most as many as the tiers need.
    let perfectDays: [Int32]
    let perfectCount: Int
    /// Days on which the player beat their own record, oldest first. The first result only sets it.
    let recordDays: [Int32]
    let recordCount: Int
    /// The best completed result; of equals, the earliest. For a habit, its best day.
    let best: Entry?
    /// The source of the longest streak and its milestones: all results.
    let walk: StreakWalk

    init(game: Game, history: History, rules: StreakRules) {
        self.game = game
        self.history = history
        self.rules = rules
        var tally = Gathering(of: game)
        for entry in history.entries where entry.isCompleted { tally.count(entry, in: game) }
        for entry in Entry.results(history.entries[...], in: game) where entry.isCompleted {
            tally.compare(entry, in: game)
        }
        completed = tally.completed
        points = tally.points
        perfectDays = tally.perfectDays
        perfectCount = tally.perfectCount
        recordDays = tally.recordDays
        recordCount = tally.recordCount
        best = tally.best
        walk = Self.walk(history.entries[...], history: history, game: game, rules: rules)
    }

    /// The game whose mode or difficulty this is, else the game itself.
    var root: GameID { game.variantOf ?? game.id }

    var count: Int { history.entries.count }

    func entries(in span: DaySpan) -> ArraySlice<Entry> { history.slice(span) }

    /// Comparable results of a span: for a habit, one a day.
    func results(in span: DaySpan) -> ArraySlice<Entry> { Entry.results(history.slice(span), in: game) }

    /// What a span of days adds to totals.
    func points(in span: DaySpan) -> Int {
        var days = DayTotal(of: game)
        return entries(in: span).reduce(0) { $0 + days.share(of: $1, in: game) }
    }

    /// The streak on `day`, by the results up to then.
    func streak(on day: PuzzleDay) -> GameStreak {
        let known = history.slice(DaySpan(from: .earliest, to: day))
        // Past days need a walk of their own.
        let walk =
            known.count == history.entries.count
            ? self.walk : Self.walk(known, history: history, game: game, rules: rules)
        let standing = walk.standing(on: day, cadence: game.cadence)
        return GameStreak(
            game: game.id, cadence: game.cadence, current: standing.length, longest: walk.longest,
            start: standing.start.map { PuzzleDay(daysSinceEpoch: Int($0)) }, lastPlayed: known.last?.puzzleDay,
            freezes: standing.freezes, frozen: standing.frozen, isOpen: standing.isOpen,
            isAtRisk: standing.isOpen && (game.cadence != .weekly || day.weekday == 7))
    }

    private static func walk(
        _ entries: ArraySlice<Entry>, history: History, game: Game, rules: StreakRules
    ) -> StreakWalk {
        var walk = StreakWalk(rules: rules)
        Streak.Axis(of: history, game)
            .visit(entries, counts: rules.counts, body: { walk.take($0) })
        return walk
    }

    /// Collects a chronicle's values in order of days.
    private struct Gathering {
        var completed = 0
        var points = 0
        var perfectDays: [Int32] = []
        var perfectCount = 0
        var recordDays: [Int32] = []
        var recordCount = 0
        var best: Entry?
        private var bestOrder: RawOrder?
        private var days: DayTotal

        init(of game: Game) {
            days = DayTotal(of: game)
        }

        mutating func count(_ entry: Entry, in game: Game) {
            completed += 1
            points += days.share(of: entry, in: game)
        }

        mutating func compare(_ entry: Entry, in game: Game) {
            let result = entry.result
            if Scoring.isPerfect(result, in: game) {
                perfectCount += 1
                if perfectDays.count < Achievement.speedDemon.mostNeeded { perfectDays.append(entry.day) }
            }
            guard result.value(in: game) != nil else { return }
            let order = RawOrder(result, in: game)
            guard let known = bestOrder else {
                (best, bestOrder) = (entry, order)
                return
            }
            guard order < known else { return }
            (best, bestOrder) = (entry, order)
            recordCount += 1
            if recordDays.count < Achievement.personalBest.mostNeeded { recordDays.append(entry.day) }
        }
    }
}

extension Scoring {
    /// Whether a better result is impossible: the game's `best`, the full fixed maximum, or a time under 30 s.
    ///
    /// Never for open-ended scores.
    public static func isPerfect(_ result: DailyScore, in game: Game) -> Bool {
        isPerfect(RawResult(result), in: game)
    }

    static func isPerfect(_ result: RawResult, in game: Game) -> Bool {
        guard let value = result.value(in: game) else { return false }
        switch game.model {
        case .lowerTimeSeconds: return value < 30
        case .highScore, .count: return false
        case .higherIsBetter: return (game.best ?? result.maximum(in: game)).map { value >= $0 } ?? false
        case .lowerAttempts, .lowerGuesses, .lowerHints: return value == game.best
        }
    }
}
