import StreakGames

/// One stored result: 40 bytes. Player and game follow from where it is stored.
struct Entry: Sendable {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let completed = Flags(rawValue: 1)
        static let hardMode = Flags(rawValue: 2)
        static let edited = Flags(rawValue: 4)
        static let keyedByPuzzle = Flags(rawValue: 8)
        static let late = Flags(rawValue: 16)
    }

    private let rawScore: Int64
    let day: Int32
    private let puzzleNumber: Int32
    private let attempts: Int32
    private let duration: Int32
    /// Unix seconds from 1970 to 2106.
    private let recorded: UInt32
    private let updated: UInt32
    private let hintCount: Int16
    private let mistakeCount: Int16
    /// Position plus one in the history's list of game names; 0 for none.
    var name: UInt8
    let flags: Flags
    /// What the result alone adds to a total, by the rules of its history.
    var points: UInt8 = 0

    /// Numbers that do not fit are clamped. No real result comes near.
    init(_ score: DailyScore, name: UInt8) {
        day = Int32(truncatingIfNeeded: score.day.daysSinceEpoch)
        puzzleNumber = Self.packed(score.puzzle)
        rawScore = Self.packed(score.score)
        attempts = Self.packed(score.maxAttempts)
        duration = Self.packed(score.seconds)
        hintCount = Self.packed(score.hints)
        mistakeCount = Self.packed(score.mistakes)
        recorded = UInt32(clamping: score.firstRecordedAt)
        updated = UInt32(clamping: score.updatedAt)
        self.name = name
        var flags: Flags = []
        if score.isCompleted { flags.insert(.completed) }
        if score.isHardMode { flags.insert(.hardMode) }
        if score.isEdited { flags.insert(.edited) }
        if score.isLate { flags.insert(.late) }
        if score.isKeyedByPuzzle && score.puzzle != nil { flags.insert(.keyedByPuzzle) }
        self.flags = flags
    }

    /// The smallest value means that there is no number.
    private static func packed<Packed: FixedWidthInteger>(_ number: Int?) -> Packed {
        number.map { max(Packed(clamping: $0), .min + 1) } ?? .min
    }

    static func packed(_ number: Int) -> Int32 {
        packed(Optional(number))
    }

    private static func unpacked<Packed: FixedWidthInteger>(_ number: Packed) -> Int? {
        number == .min ? nil : Int(number)
    }

    var puzzle: Int? { Self.unpacked(puzzleNumber) }
    var isCompleted: Bool { flags.contains(.completed) }
    var isEdited: Bool { flags.contains(.edited) }
    var isKeyedByPuzzle: Bool { flags.contains(.keyedByPuzzle) }
    /// First recorded after its day had ended everywhere.
    var isLate: Bool { flags.contains(.late) }
    var puzzleDay: PuzzleDay { PuzzleDay(daysSinceEpoch: Int(day)) }
    var firstRecordedAt: Int64 { Int64(recorded) }
    /// Unix seconds of the latest change.
    var updatedAt: Int64 { Int64(updated) }

    /// The place of this entry in its history: by day; within a day the entry identified by its day first, then by
    /// number.
    var position: Position {
        Position(day: day, puzzle: isKeyedByPuzzle ? puzzleNumber : .min)
    }

    var result: RawResult {
        RawResult(
            score: Self.unpacked(rawScore), maxAttempts: Self.unpacked(attempts), seconds: Self.unpacked(duration),
            hints: Self.unpacked(hintCount), isCompleted: isCompleted)
    }

    func score(game: GameID, gameName: String?) -> DailyScore {
        DailyScore(
            game: game, day: puzzleDay, puzzle: puzzle, isKeyedByPuzzle: isKeyedByPuzzle, score: result.score,
            maxAttempts: result.maxAttempts, isCompleted: isCompleted, seconds: result.seconds, hints: result.hints,
            mistakes: Self.unpacked(mistakeCount), isHardMode: flags.contains(.hardMode), gameName: gameName,
            firstRecordedAt: firstRecordedAt, updatedAt: Int64(updated), isEdited: isEdited)
    }

    /// The order of entries within a history.
    struct Position: Comparable {
        var day: Int32
        var puzzle: Int32

        static func < (left: Position, right: Position) -> Bool {
            left.day == right.day ? left.puzzle < right.puzzle : left.day < right.day
        }

        /// The entry of `day` that is identified by its day: before every other entry of that day.
        static func unnumbered(on day: PuzzleDay) -> Position {
            Position(day: Int32(truncatingIfNeeded: day.daysSinceEpoch), puzzle: .min)
        }
    }
}

extension Entry {
    /// Which of two values of one key wins, if several groups have different ones: the later change, then an edited
    /// one, then the one with the larger bytes. The better `highScore` wins unless one of the two was edited.
    func stands(over other: Entry, in game: Game) -> Bool {
        if game.model == .highScore, !isEdited, !other.isEdited {
            let (mine, theirs) = (RawOrder(result, in: game), RawOrder(other.result, in: game))
            if mine != theirs { return mine < theirs }
        }
        return other.seniority.lexicographicallyPrecedes(seniority)
    }

    func isIdentical(to other: Entry) -> Bool {
        day == other.day && name == other.name && rawScore == other.rawScore && puzzleNumber == other.puzzleNumber
            && attempts == other.attempts && duration == other.duration && recorded == other.recorded
            && updated == other.updated && hintCount == other.hintCount && mistakeCount == other.mistakeCount
            && flags == other.flags
    }

    /// What identifies the entry in its history.
    var axis: ScoreKey.Axis {
        isKeyedByPuzzle ? .puzzle(Int(puzzleNumber)) : .day(puzzleDay)
    }

    private var seniority: [Int64] {
        [
            Int64(updated), isEdited ? 1 : 0, rawScore, Int64(day), Int64(puzzleNumber), Int64(attempts),
            Int64(duration), Int64(recorded), Int64(hintCount), Int64(mistakeCount), Int64(flags.rawValue),
        ]
    }
}
