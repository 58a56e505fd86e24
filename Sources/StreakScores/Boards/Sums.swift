import StreakGames

/// Sums over results, for any board. They can be added and subtracted.
struct Sums: Equatable, Sendable {
    var count: Int32 = 0
    /// Results; for a habit its days: see `Plays`.
    var played: Int32 = 0
    var completed: Int32 = 0
    var points: Int32 = 0
    var late: Int32 = 0
    var edited: Int32 = 0

    /// `points` is what the result adds to a total, `played` what it adds to the number of plays.
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

/// Further sums, which only a game's own page shows.
struct RawSums: Equatable, Sendable {
    /// Points by the game's own rule; raw values if the game ranks by those.
    var points = 0
    /// The sum of raw results that have a number. A loss counts as one more than the maximum.
    var value = 0
    /// The number of those results; for a habit, of its days.
    var count = 0

    /// `played` is what the result adds to the number of plays: 0 for all but the first log of a habit's day.
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

    /// What a result counts in a raw average. A loss counts M + 1, or 0 if more is better.
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

/// The start of sixty-four days in a history, and the sums of all days before.
///
/// The sum over any span is the difference of two blocks plus a part of each.
struct Block: Sendable {
    /// Days since 1970 divided by 64, rounded down.
    let number: Int32
    /// The position of its first entry.
    var start: Int32
    var before: Sums
    var rawBefore: RawSums

    static func number(of day: Int32) -> Int32 { day >> 6 }
}

/// The days and puzzles of a block's entries. 32 bytes, because one board reads a hundred thousand of them.
struct BlockMarks: Equatable, Sendable {
    /// Days with a result that is identified by its day.
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

    /// With more results than this (64 days and 64 numbers) a block's numbers must be scattered.
    static let mostUnscattered = 128

    /// The numbers are too far apart for `numbers`.
    var isScattered: Bool { firstNumber == .min }

    mutating func insert(_ entry: Entry) {
        let day = UInt64(1) << UInt64(entry.day & 63)
        if entry.isCompleted { completed |= day }
        if entry.isKeyedByPuzzle { insert(number: entry.position.puzzle) } else { dated |= day }
    }

    /// The day's last result that is identified by its day was removed.
    mutating func removeDated(_ day: Int32) { dated &= ~(1 << UInt64(day & 63)) }

    /// The day's last completed result was removed.
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

/// The game whose rules a history's sums follow. Shared, because thousands of histories refer to it.
final class GameRules: Sendable {
    let game: Game

    init(_ game: Game) {
        self.game = game
    }
}
