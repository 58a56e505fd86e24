public import StreakGames

/// Points, and the order of raw results.
public enum Scoring {
    /// The points of one result on its game's own page; higher is better, 0 if not completed, never negative.
    ///
    /// For `highScore` and `count` this is the raw value. Sums over games use `totalPoints` instead.
    public static func points(for result: DailyScore, in game: Game) -> Int {
        points(for: RawResult(result), in: game)
    }

    /// What one result adds to a total over games if it is the only one of its day: its points, but 7 for any completed
    /// `highScore`, and at most 7 for a `count`, so that one game cannot dominate. See `DayTotal` for several.
    public static func totalPoints(for result: DailyScore, in game: Game) -> Int {
        totalPoints(for: RawResult(result), in: game)
    }

    /// The raw result in the unit of the game's model; `nil` for a loss or if no number is known.
    public static func raw(of result: DailyScore, in game: Game) -> Int? {
        RawResult(result).value(in: game)
    }

    /// Whether `left` ranks strictly above `right` among results for one puzzle of `game`.
    public static func isBetter(_ left: DailyScore, than right: DailyScore, in game: Game) -> Bool {
        RawOrder(left, in: game) < RawOrder(right, in: game)
    }

    /// Whether a day's new value replaces the recorded one. Of a `highScore` the better value wins, and only an edit
    /// lowers it. In every other model the newer one wins.
    public static func replaces(_ new: DailyScore, _ old: DailyScore, in game: Game) -> Bool {
        game.model != .highScore || new.isEdited || !isBetter(old, than: new, in: game)
    }

    /// A game this node does not know: scored by the attempts rule with the record's own maximum.
    public static func unknownGame(_ id: GameID, name: String? = nil) -> Game {
        Game(id: id, name: name ?? id.rawValue, model: .lowerAttempts)
    }

    static func points(for result: RawResult, in game: Game) -> Int {
        guard result.isCompleted, let value = result.value(in: game) else { return 0 }
        switch game.model {
        case .highScore, .count:
            return value
        case .lowerTimeSeconds:
            return max(1, 7 - min(value / 30, 6))
        case .higherIsBetter:
            guard let maximum = result.maximum(in: game) else { return min(value, 7) }
            // A win earns at least 1, even with no star left (Waffle 0/5).
            return clampedToSeven(roundedUp(7 * min(value, maximum), dividedBy: maximum))
        case .lowerAttempts, .lowerGuesses, .lowerHints:
            guard let maximum = result.maximum(in: game) else {
                return unboundedPoints(value, countsFromZero: game.best == 0)
            }
            let left = max(1, maximum - value + 1)
            return maximum < scaledFrom ? left : clampedToSeven(roundedUp(7 * left, dividedBy: maximum))
        }
    }

    static func totalPoints(for result: RawResult, in game: Game) -> Int {
        switch game.model {
        case .highScore:
            result.isCompleted && result.value(in: game) != nil ? 7 : 0
        case .count:
            min(7, points(for: result, in: game))
        case .lowerAttempts, .lowerGuesses, .lowerHints, .lowerTimeSeconds, .higherIsBetter:
            points(for: result, in: game)
        }
    }

    /// The points stored with each result: what it adds alone. No total exceeds 12.
    static func cachedPoints(for result: RawResult, in game: Game) -> UInt8 {
        UInt8(clamping: totalPoints(for: result, in: game))
    }

    /// From this maximum on, tries are scaled to seven points. Quordle's 36 would otherwise outweigh six Wordles.
    static let scaledFrom = 12

    private static func unboundedPoints(_ value: Int, countsFromZero: Bool) -> Int {
        let counted = max(1, countsFromZero ? value + 1 : value)
        let logarithm = Int.bitWidth - 1 - counted.leadingZeroBitCount
        return max(1, 7 - logarithm)
    }

    private static func clampedToSeven(_ points: Int) -> Int {
        min(max(points, 1), 7)
    }

    private static func roundedUp(_ dividend: Int, dividedBy divisor: Int) -> Int {
        (dividend + divisor - 1) / divisor
    }
}

/// What results of one game add to a total, in order of days. All `highScore` or `count` results of a day together give
/// at most 7, so seven logs count and the eighth adds nothing.
struct DayTotal {
    static let most = 7

    private let isCapped: Bool
    private var day: Int32 = 0
    private var left = DayTotal.most

    init(of game: Game) {
        isCapped = Self.caps(game.model)
    }

    static func caps(_ model: ScoringModel) -> Bool { model == .highScore || model == .count }

    /// What is left for the next result of a day, which alone adds `points`.
    mutating func share(of points: UInt8, on day: Int32) -> UInt8 {
        guard isCapped else { return points }
        if day != self.day { (self.day, left) = (day, Self.most) }
        let share = min(Int(points), left)
        left -= share
        return UInt8(share)
    }

    mutating func share(of entry: Entry, in game: Game) -> Int {
        Int(share(of: Scoring.cachedPoints(for: entry.result, in: game), on: entry.day))
    }
}

/// How many plays the results of one game add, in order of days: one each. A habit adds one a day, whose value is the
/// number of its logs.
struct Plays {
    private let isHabit: Bool
    private var day: Int32?

    init(of game: Game) {
        isHabit = game.model == .count
    }

    mutating func share(on day: Int32) -> Int32 {
        guard isHabit else { return 1 }
        defer { self.day = day }
        return day == self.day ? 0 : 1
    }
}

extension Entry {
    /// The comparable results of `entries`, which must be in order of days. For a habit one a day, with the sum of its
    /// logs. O(1) for any other game.
    static func results(_ entries: ArraySlice<Entry>, in game: Game) -> ArraySlice<Entry> {
        guard game.model == .count else { return entries }
        var days: [Entry] = []
        var pending: DailyScore?
        for entry in entries {
            let log = entry.score(game: game.id, gameName: nil)
            guard var day = pending, day.day == log.day else {
                if let pending { days.append(Entry(pending, name: 0)) }
                pending = log
                pending?.puzzle = nil
                pending?.isKeyedByPuzzle = false
                pending?.score = entry.result.value(in: game)
                continue
            }
            let sum = (day.score ?? 0) + (entry.result.value(in: game) ?? 0)
            day.score = min(sum, RawResult.largest)
            day.isCompleted = day.isCompleted || log.isCompleted
            day.isEdited = day.isEdited || log.isEdited
            day.firstRecordedAt = min(day.firstRecordedAt, log.firstRecordedAt)
            day.updatedAt = max(day.updatedAt, log.updatedAt)
            pending = day
        }
        if let pending { days.append(Entry(pending, name: 0)) }
        return days[...]
    }
}

/// The rank order of a result for one puzzle: a smaller one is better, equal ones share a rank.
///
/// Solves by their number, then completed results without a number, then losses, which are all equal.
public struct RawOrder: Comparable, Hashable, Sendable {
    private enum Outcome: Int { case solved, completed, lost }

    private let outcome: Int
    private let distance: Int

    public init(_ result: DailyScore, in game: Game) {
        self.init(RawResult(result), in: game)
    }

    init(_ result: RawResult, in game: Game) {
        if !result.isCompleted {
            outcome = Outcome.lost.rawValue
            distance = 0
        } else if let value = result.value(in: game) {
            outcome = Outcome.solved.rawValue
            distance = game.model.isLowerBetter ? value : -value
        } else {
            outcome = Outcome.completed.rawValue
            distance = 0
        }
    }

    /// The rank order of a sum: more is better.
    init(total: Int) {
        outcome = Outcome.solved.rawValue
        distance = -total
    }

    public static func < (left: RawOrder, right: RawOrder) -> Bool {
        left.outcome == right.outcome ? left.distance < right.distance : left.outcome < right.outcome
    }
}

/// The numbers that scoring uses, clamped so that arithmetic cannot overflow.
struct RawResult {
    /// Nine hundred million results of this size fit into 64 bits.
    static let largest = 10_000_000_000

    var score: Int?
    var maxAttempts: Int?
    var seconds: Int?
    var hints: Int?
    var isCompleted: Bool

    init(score: Int?, maxAttempts: Int?, seconds: Int?, hints: Int?, isCompleted: Bool) {
        self.score = score
        self.maxAttempts = maxAttempts
        self.seconds = seconds
        self.hints = hints
        self.isCompleted = isCompleted
    }

    init(_ result: DailyScore) {
        self.init(
            score: result.score, maxAttempts: result.maxAttempts, seconds: result.seconds, hints: result.hints,
            isCompleted: result.isCompleted)
    }

    /// The raw result, 0 … `largest`; `nil` for a loss or if no number is known.
    func value(in game: Game) -> Int? {
        guard isCompleted else { return nil }
        let known =
            switch game.model {
            case .lowerTimeSeconds: score ?? seconds
            case .lowerHints: score ?? hints
            case .lowerAttempts, .lowerGuesses, .higherIsBetter, .highScore, .count: score
            }
        return known.map { min(max($0, 0), Self.largest) }
    }

    /// The printed maximum, else the catalogue's, 1 … `largest`.
    func maximum(in game: Game) -> Int? {
        if let maxAttempts, maxAttempts > 0 { return min(maxAttempts, Self.largest) }
        if let fixed = game.maxAttempts, fixed > 0 { return min(fixed, Self.largest) }
        return nil
    }
}

extension Game {
    /// Whether all results earn the same under both games' rules.
    func isScored(like other: Game) -> Bool {
        model == other.model && maxAttempts == other.maxAttempts && (best == 0) == (other.best == 0)
    }
}

extension ScoringModel {
    /// Whether results are of a puzzle, which knowing one could spoil. A high score and a habit are not.
    var isOfPuzzles: Bool {
        switch self {
        case .lowerAttempts, .lowerGuesses, .lowerHints, .lowerTimeSeconds, .higherIsBetter: true
        case .highScore, .count: false
        }
    }
}
