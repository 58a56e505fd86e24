import StreakGames

/// One result as the index keeps it: 48 bytes. Player and game follow from where it is stored.
struct Entry {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let completed = Flags(rawValue: 1)
        static let hardMode = Flags(rawValue: 2)
        static let edited = Flags(rawValue: 4)
        static let keyedByPuzzle = Flags(rawValue: 8)
    }

    /// Stands for an absent number.
    private static let absent = Int32.min

    let day: Int32
    private let puzzleNumber: Int32
    private let rawScore: Int64
    private let attempts: Int32
    private let duration: Int32
    private let hintCount: Int32
    private let mistakeCount: Int32
    let firstRecordedAt: Int64
    /// Position in the index's list of game names; 0 for none.
    let name: UInt16
    let flags: Flags

    /// Numbers that do not fit are moved to the nearest one that does; no real result comes near.
    init(_ score: DailyScore, name: UInt16) {
        day = Int32(truncatingIfNeeded: score.day.daysSinceEpoch)
        puzzleNumber = Self.packed(score.puzzle)
        rawScore = score.score.map { Int64(max($0, -Int.max)) } ?? .min
        attempts = Self.packed(score.maxAttempts)
        duration = Self.packed(score.seconds)
        hintCount = Self.packed(score.hints)
        mistakeCount = Self.packed(score.mistakes)
        firstRecordedAt = score.firstRecordedAt
        self.name = name
        var flags: Flags = []
        if score.isCompleted { flags.insert(.completed) }
        if score.isHardMode { flags.insert(.hardMode) }
        if score.isEdited { flags.insert(.edited) }
        if score.isKeyedByPuzzle && score.puzzle != nil { flags.insert(.keyedByPuzzle) }
        self.flags = flags
    }

    static func packed(_ number: Int?) -> Int32 {
        guard let number else { return absent }
        return Int32(min(max(number, Int(absent) + 1), Int(Int32.max)))
    }

    private static func unpacked(_ number: Int32) -> Int? {
        number == absent ? nil : Int(number)
    }

    var puzzle: Int? { Self.unpacked(puzzleNumber) }
    var isCompleted: Bool { flags.contains(.completed) }
    var isEdited: Bool { flags.contains(.edited) }
    var isKeyedByPuzzle: Bool { flags.contains(.keyedByPuzzle) }
    var puzzleDay: PuzzleDay { PuzzleDay(daysSinceEpoch: Int(day)) }
    var isLate: Bool { firstRecordedAt >= puzzleDay.endEverywhere }

    /// Where this entry stands in its history: by day, the one without a number of its own first, then by number.
    var position: Position {
        Position(day: day, puzzle: isKeyedByPuzzle ? puzzleNumber : Self.absent)
    }

    var result: RawResult {
        RawResult(
            score: rawScore == .min ? nil : Int(rawScore), maxAttempts: Self.unpacked(attempts),
            seconds: Self.unpacked(duration), hints: Self.unpacked(hintCount), isCompleted: isCompleted)
    }

    func score(game: GameID, gameName: String?) -> DailyScore {
        DailyScore(
            game: game, day: puzzleDay, puzzle: puzzle, isKeyedByPuzzle: isKeyedByPuzzle, score: result.score,
            maxAttempts: result.maxAttempts, isCompleted: isCompleted, seconds: result.seconds, hints: result.hints,
            mistakes: Self.unpacked(mistakeCount), isHardMode: flags.contains(.hardMode), gameName: gameName,
            firstRecordedAt: firstRecordedAt, isEdited: isEdited)
    }

    /// The order of entries within a history.
    struct Position: Comparable {
        var day: Int32
        var puzzle: Int32

        static func < (left: Position, right: Position) -> Bool {
            left.day == right.day ? left.puzzle < right.puzzle : left.day < right.day
        }

        /// Before every entry of `day`.
        static func start(of day: PuzzleDay) -> Position {
            Position(day: Int32(truncatingIfNeeded: day.daysSinceEpoch), puzzle: .min)
        }

        /// The entry of `day` that has no number of its own.
        static func unnumbered(on day: PuzzleDay) -> Position { start(of: day) }
    }
}
