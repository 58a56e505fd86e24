import StreakGames

/// What results come to on any board: sums that can be added and taken away.
struct Sums: Equatable, Sendable {
    var count: Int32 = 0
    /// Results, but of a habit days: see `Plays`.
    var played: Int32 = 0
    var completed: Int32 = 0
    var points: Int32 = 0
    var late: Int32 = 0
    var edited: Int32 = 0

    /// `points` are what the result adds to a total, `played` what it adds to what was played.
    mutating func add(_ entry: Entry, points: UInt8, played: Int32) {
        count &+= 1
        self.played &+= played
        completed &+= entry.isCompleted ? 1 : 0
        self.points &+= Int32(points)
        late &+= entry.isLate ? 1 : 0
        edited &+= entry.isEdited ? 1 : 0
    }

    static func += (left: inout Sums, right: Sums) {
        left.count &+= right.count
        left.played &+= right.played
        left.completed &+= right.completed
        left.points &+= right.points
        left.late &+= right.late
        left.edited &+= right.edited
    }

    static func -= (left: inout Sums, right: Sums) {
        left.count &-= right.count
        left.played &-= right.played
        left.completed &-= right.completed
        left.points &-= right.points
        left.late &-= right.late
        left.edited &-= right.edited
    }
}

/// What only a game's own page shows beyond `Sums`.
struct RawSums: Equatable, Sendable {
    /// Points by the game's own rule: raw values where those rank.
    var points = 0
    /// The raw results that have a number, a loss as one more than the maximum.
    var value = 0
    /// How many those are, but of a habit its days.
    var count = 0

    /// `played` is what the result adds to what was played: none of a habit's day but the first.
    mutating func add(_ entry: Entry, in game: Game, played: Int32) {
        let result = entry.result
        points &+= Scoring.points(for: result, in: game)
        guard game.model != .count else {
            value &+= Self.counted(result, in: game) ?? 0
            count &+= Int(played)
            return
        }
        guard let counted = Self.counted(result, in: game) else { return }
        value &+= counted
        count &+= 1
    }

    /// What a result counts in a raw average: a loss M + 1, or nothing achieved where more is better.
    static func counted(_ result: RawResult, in game: Game) -> Int? {
        if result.isCompleted { return result.value(in: game) }
        return game.model.isLowerBetter ? result.maximum(in: game).map { $0 + 1 } : 0
    }

    static func += (left: inout RawSums, right: RawSums) {
        left.points &+= right.points
        left.value &+= right.value
        left.count &+= right.count
    }

    static func -= (left: inout RawSums, right: RawSums) {
        left.points &-= right.points
        left.value &-= right.value
        left.count &-= right.count
    }
}

/// Where sixty-four days of a history begin, and what all days before them come to.
///
/// A span of days is the difference of two blocks and a part of each, however long it is.
struct Block: Sendable {
    /// Days since 1970 divided by 64, rounded down.
    let number: Int32
    /// The position of its first entry.
    var start: Int32
    var before: Sums
    var rawBefore: RawSums

    static func number(of day: Int32) -> Int32 { day >> 6 }
}

/// Which days and puzzles the entries of a block stand for. 32 bytes: a hundred thousand are read for one board.
struct BlockMarks: Equatable, Sendable {
    /// Days with a result that has no number of its own.
    private(set) var dated: UInt64 = 0
    /// Days with a completed result.
    private(set) var completed: UInt64 = 0
    /// Puzzle numbers, counted from `firstNumber`.
    private(set) var numbers: UInt64 = 0
    private(set) var firstNumber: Int32 = 0
    let block: Int32

    init(block: Int32) {
        self.block = block
    }

    /// Beyond so many results, 64 days and 64 numbers, a block's numbers are scattered.
    static let mostUnscattered = 128

    /// The numbers lie too far apart for `numbers`.
    var isScattered: Bool { firstNumber == .min }

    mutating func insert(_ entry: Entry) {
        let day = UInt64(1) << UInt64(entry.day & 63)
        if entry.isCompleted { completed |= day }
        if entry.isKeyedByPuzzle { insert(number: entry.position.puzzle) } else { dated |= day }
    }

    /// The day has no result without a number of its own any more.
    mutating func removeDated(_ day: Int32) { dated &= ~(1 << UInt64(day & 63)) }

    /// The day has no completed result any more.
    mutating func removeCompleted(_ day: Int32) { completed &= ~(1 << UInt64(day & 63)) }

    private mutating func insert(number: Int32) {
        guard !isScattered else { return }
        guard numbers != 0 else {
            (firstNumber, numbers) = (number, 1)
            return
        }
        let offset = Int(number) - Int(firstNumber)
        if 0..<64 ~= offset {
            numbers |= 1 << UInt64(offset)
        } else if offset < 0, numbers.leadingZeroBitCount >= -offset {
            (firstNumber, numbers) = (number, numbers << UInt64(-offset) | 1)
        } else {
            firstNumber = .min
        }
    }
}

/// The game by whose rules a history keeps its sums; shared, because thousands of histories name it.
final class GameRules: Sendable {
    let game: Game

    init(_ game: Game) {
        self.game = game
    }
}
