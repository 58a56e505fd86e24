public import StreakGames

/// One player's result for one puzzle.
///
/// Numbers may come from a stranger's record. Everything in this module accepts any value without trapping, and treats
/// negative ones as 0.
public struct DailyScore: Hashable, Sendable {
    public var game: GameID
    /// The puzzle's day: from its number if that gives one, else the printed or the local day.
    public var day: PuzzleDay
    /// The printed puzzle number.
    public var puzzle: Int?
    /// The result is identified by its number, because the number gives no day.
    public var isKeyedByPuzzle: Bool
    /// The raw result in the unit of the game's model; `nil` for a loss or if none was printed.
    public var score: Int?
    /// The printed maximum, otherwise the catalogue's.
    public var maxAttempts: Int?
    public var isCompleted: Bool
    /// Solve time in whole seconds.
    public var seconds: Int?
    public var hints: Int?
    public var mistakes: Int?
    public var isHardMode: Bool
    /// The game's name as its player saw it, for nodes that do not know the game.
    public var gameName: String?
    /// Unix seconds. An edit keeps it.
    public var firstRecordedAt: Int64
    /// Unix seconds of the latest change, 0 if unknown. Decides between groups with different values.
    public var updatedAt: Int64
    public var isEdited: Bool
    /// Whether it competes with the other high scores of its day, of which the best counts. A record that does not
    /// contend settles those before it. This is a property of the record; no index stores it.
    public var contends: Bool

    public init(
        game: GameID, day: PuzzleDay, puzzle: Int? = nil, isKeyedByPuzzle: Bool = false, score: Int? = nil,
        maxAttempts: Int? = nil, isCompleted: Bool = true, seconds: Int? = nil, hints: Int? = nil, mistakes: Int? = nil,
        isHardMode: Bool = false, gameName: String? = nil, firstRecordedAt: Int64 = 0, updatedAt: Int64 = 0,
        isEdited: Bool = false, contends: Bool = false
    ) {
        self.game = game
        self.day = day
        self.puzzle = puzzle
        self.isKeyedByPuzzle = isKeyedByPuzzle
        self.score = score
        self.maxAttempts = maxAttempts
        self.isCompleted = isCompleted
        self.seconds = seconds
        self.hints = hints
        self.mistakes = mistakes
        self.isHardMode = isHardMode
        self.gameName = gameName
        self.firstRecordedAt = firstRecordedAt
        self.updatedAt = updatedAt
        self.isEdited = isEdited
        self.contends = contends
    }

    /// Identifies this result among its player's results. A newer result with an equal key replaces it.
    public var key: ScoreKey {
        if isKeyedByPuzzle, let puzzle { return ScoreKey(game: game, axis: .puzzle(puzzle)) }
        return ScoreKey(game: game, axis: .day(day))
    }

    /// This result as one log of a habit. A day may have several; the key is the day and `number`.
    public func log(numbered number: UInt16) -> DailyScore {
        var log = self
        log.puzzle = (day.daysSinceEpoch & 0x7FFF) << 16 | Int(number)
        log.isKeyedByPuzzle = true
        return log
    }

    /// First recorded after its day had ended everywhere on Earth.
    public var isLate: Bool {
        firstRecordedAt >= day.endEverywhere
    }
}

/// Identifies a puzzle within the results of one player.
public struct ScoreKey: Hashable, Comparable, Sendable {
    /// Days sort before numbers.
    public enum Axis: Hashable, Comparable, Sendable {
        case day(PuzzleDay)
        case puzzle(Int)
    }

    public var game: GameID
    public var axis: Axis

    public init(game: GameID, axis: Axis) {
        self.game = game
        self.axis = axis
    }

    public static func < (left: ScoreKey, right: ScoreKey) -> Bool {
        left.game == right.game ? left.axis < right.axis : left.game < right.game
    }
}

extension PuzzleDay {
    /// Unix seconds at which this day is over in the last time zone, UTC−12: the next day, 12:00 UTC.
    public var endEverywhere: Int64 {
        Int64(daysSinceEpoch + 1) * 86_400 + 43_200
    }

    /// The last day that is final at `now` (Unix seconds), which means over everywhere on Earth.
    public static func lastFinal(at now: Int64) -> PuzzleDay {
        utcDay(at: now, shiftedBy: -43_200).adding(days: -1)
    }

    /// The latest day anywhere on Earth at `now` (Unix seconds), at UTC+14. Later days are refused.
    public static func furthest(at now: Int64) -> PuzzleDay {
        utcDay(at: now, shiftedBy: 50_400)
    }

    private static func utcDay(at now: Int64, shiftedBy offset: Int64) -> PuzzleDay {
        // Clamped first, because a clock or a record may contain any number.
        let seconds = min(max(now, -100_000_000_000), 100_000_000_000) + offset
        return PuzzleDay(daysSinceEpoch: Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400))
    }
}
