public import StreakGames

/// A player's whole history in one game. Streaks, achievements and coins derive from it.
///
/// O(n) to make. Once a result has changed it keeps a checkpoint, so that the next change reads only the newest days. The
/// results are shared with the index where that is possible.
final class GameChronicle: Sendable {
    let game: Game
    let results: CountedResults
    let rules: StreakRules
    /// What all results come to.
    private let reading: Reading
    /// What those before the newest days come to; nil until a result has changed, which most games never see.
    private let checkpoint: Reading?

    /// How many results are not behind the checkpoint, at least. Those that may be covered are among them, and so is what
    /// was recorded last.
    private static let newest = 8

    /// - Parameters:
    ///   - start: what results come to that need not be read again.
    ///   - followsChange: whether a result has changed, so that others may soon.
    ///   - tallies: empty; gets what the others add to their days.
    init(
        game: Game, results: CountedResults, rules: StreakRules, from start: Reading? = nil,
        followsChange: Bool = false,
        tallies: inout [DayTally]
    ) {
        (self.game, self.results, self.rules) = (game, results, rules)
        let axis = Streak.Axis(of: results, game)
        var reading = start ?? Reading(along: axis, rules)
        let place = results.entries.count - Self.newest
        if followsChange, place > reading.count {
            let end = axis.firstDay(ofPeriodWith: results.entries[place].day)
            let older = results.entries[reading.count...].prefix { $0.day < end }
            let number = max(reading.lastNumber, axis.lastNumber(of: older))
            if axis.isAfter(number, results.entries[older.endIndex...]) {
                reading.read(older, in: game, axis, rules, &tallies)
                reading.end = end
            }
        }
        checkpoint = followsChange ? reading : nil
        reading.read(results.entries[reading.count...], in: game, axis, rules, &tallies)
        self.reading = reading
    }

    /// Where to begin after results of some days have changed; nil is from nothing.
    ///
    /// - Parameter first: the first of these days.
    func start(of results: CountedResults, changedFrom first: Int32) -> Reading? {
        let axis = Streak.Axis(of: results, game)
        let wasNumbered = Streak.Axis(of: self.results, game).isNumbered
        guard let checkpoint, checkpoint.count > 0, first >= checkpoint.end, axis.isNumbered == wasNumbered,
            axis.isAfter(checkpoint.lastNumber, results.entries[checkpoint.count...])
        else { return nil }
        return checkpoint
    }

    /// What the results after a start add to their days.
    func tallies(from start: Reading?) -> [DayTally] {
        let axis = Streak.Axis(of: results, game)
        var reading = start ?? Reading(along: axis, rules)
        var tallies: [DayTally] = []
        reading.read(results.entries[reading.count...], in: game, axis, rules, &tallies)
        return tallies
    }

    /// The game whose mode or difficulty this is, else the game itself.
    var root: GameID { game.variantOf ?? game.id }

    var count: Int { results.entries.count }

    /// How often the player beat their own record. The first result only sets it.
    var recordCount: Int { reading.recordCount }

    /// The best completed result; of equals, the earliest. For a habit, its best day.
    var best: Entry? { reading.best }

    var longestStreak: Int { reading.walk.longest }

    /// The first day on which a streak had a length of `StreakWalk.milestones`.
    func day(ofMilestone place: Int) -> Int32? { reading.walk.reached[place] }

    /// The round lengths that streaks reached on a day or later, in order of days.
    func rounds(from first: PuzzleDay) -> ArraySlice<StreakWalk.Round> {
        let rounds = reading.walk.rounds
        // Most games have none, and this is asked of all.
        guard let last = rounds.last, Int(last.day) >= first.daysSinceEpoch else { return [] }
        return rounds[rounds.partitioningIndex(in: rounds.indices) { Int($0.day) >= first.daysSinceEpoch }...]
    }

    func entries(in span: DaySpan) -> ArraySlice<Entry> { results.slice(span) }

    /// Comparable results of a span: for a habit, one a day.
    func results(in span: DaySpan) -> ArraySlice<Entry> { Entry.results(results.slice(span), in: game) }

    /// What a span of days adds to totals.
    func points(in span: DaySpan) -> Int {
        var days = DayTotal(of: game)
        return entries(in: span).reduce(0) { $0 + days.share(of: $1, in: game) }
    }

    /// The streak on `day`, by the results up to then.
    func streak(on day: PuzzleDay) -> GameStreak {
        let known = results.slice(DaySpan(from: .earliest, to: day))
        // Past days need a walk of their own.
        let walk =
            known.count == results.entries.count
            ? reading.walk : Self.walk(known, of: results, game: game, rules: rules)
        let standing = walk.standing(on: day, cadence: game.cadence)
        return GameStreak(
            game: game.id, cadence: game.cadence, current: standing.length, longest: walk.longest,
            start: standing.start.map { PuzzleDay(daysSinceEpoch: Int($0)) }, lastPlayed: known.last?.puzzleDay,
            freezes: standing.freezes, frozen: standing.frozen, isOpen: standing.isOpen,
            isAtRisk: standing.isOpen && (game.cadence != .weekly || day.weekday == 7))
    }

    private static func walk(
        _ entries: ArraySlice<Entry>, of results: CountedResults, game: Game, rules: StreakRules
    ) -> StreakWalk {
        let axis = Streak.Axis(of: results, game)
        var walk = StreakWalk(along: axis, rules: rules)
        axis.visit(entries, counts: rules.counts, body: { walk.take($0) })
        return walk
    }
}

extension GameChronicle {
    /// What results come to that were read in order of days.
    struct Reading {
        /// How many were read, and the first day after them: that of a week for a weekly game.
        private(set) var count = 0
        fileprivate(set) var end = Int32.min
        /// The highest number of a puzzle among them.
        private(set) var lastNumber = Int.min
        private(set) var recordCount = 0
        private(set) var best: Entry?
        private(set) var walk: StreakWalk
        private var bestOrder: RawOrder?

        fileprivate init(along axis: Streak.Axis, _ rules: StreakRules) {
            walk = StreakWalk(along: axis, rules: rules)
        }

        /// - Parameter tallies: gets what each result adds to its day, in order of days.
        fileprivate mutating func read(
            _ entries: ArraySlice<Entry>, in game: Game, _ axis: Streak.Axis, _ rules: StreakRules,
            _ tallies: inout [DayTally]
        ) {
            var days = DayTotal(of: game)
            if let first = entries.first {
                var tally = DayTally(day: first.day)
                for entry in entries {
                    if tally.day != entry.day {
                        tallies.append(tally)
                        tally = DayTally(day: entry.day)
                    }
                    tally.add(
                        entry, isCounted: rules.counts(entry),
                        points: entry.isCompleted ? days.share(of: entry, in: game) : 0)
                }
                tallies.append(tally)
            }
            // Fewer than the entries for a habit, and in the same order.
            var place = 0
            for entry in Entry.results(entries, in: game) where entry.isCompleted {
                while tallies[place].day != entry.day { place += 1 }
                if Scoring.isPerfect(entry.result, in: game) { tallies[place].perfect += 1 }
                guard beats(entry, in: game) else { continue }
                recordCount += 1
                tallies[place].records += 1
            }
            axis.visit(entries, counts: rules.counts, body: { walk.take($0) })
            lastNumber = max(lastNumber, axis.lastNumber(of: entries))
            count += entries.count
        }

        /// Whether a result beats the record, which it sets then.
        private mutating func beats(_ entry: Entry, in game: Game) -> Bool {
            guard entry.result.value(in: game) != nil else { return false }
            let order = RawOrder(entry.result, in: game)
            if let bestOrder, order >= bestOrder { return false }
            defer { (best, bestOrder) = (entry, order) }
            return best != nil
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
