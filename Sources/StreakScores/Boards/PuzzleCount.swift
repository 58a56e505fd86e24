import StreakGames

extension ScoreIndex {
    /// The number of puzzles in a span for which any of `players` has a result, summed over games with results. `count`
    /// overrides the number for a game, given its slot and the number seen. `atMost` is an upper bound for that number,
    /// if known.
    ///
    /// It uses one bit for each game and day or number, and processes whole words: hashing a million keys would be too
    /// slow.
    func puzzleCount(
        _ players: [Player], _ span: DaySpan, game: GameID? = nil,
        count: (_ slot: Int, _ atMost: Int?, _ seen: () -> Int) -> Int = { _, _, seen in seen() }
    ) -> Int {
        guard span.from <= span.to else { return 0 }
        var histories: [[History.Puzzles]] = Array(repeating: [], count: gameIDs.count)
        var bounds: [DaySpan?] = Array(repeating: nil, count: gameIDs.count)
        var numbered = Array(repeating: false, count: gameIDs.count)
        for player in players {
            let shelves = shelves(of: player.id, game: game)
            for position in shelves.indices where shelves[position].history.hasEntries(in: span) {
                let slot = shelves[position].game
                histories[slot].append(shelves[position].history.puzzles)
                numbered[slot] = numbered[slot] || shelves[position].history.hasNumbered
                bounds[slot] = shelves[position].history.bounds?.united(with: bounds[slot])
            }
        }
        return histories.indices.reduce(0) { sum, slot in
            guard !histories[slot].isEmpty else { return sum }
            let shown = bounds[slot].map { max($0.from, span.from).days(until: min($0.to, span.to)) + 1 }
            return sum
                + count(slot, numbered[slot] ? nil : shown) { PuzzleMarks(histories[slot], over: span).count }
        }
    }
}

extension DaySpan {
    fileprivate func united(with other: DaySpan?) -> DaySpan {
        other.map { DaySpan(from: min(from, $0.from), to: max(to, $0.to)) } ?? self
    }
}

/// Which puzzles of one game have been seen.
private struct PuzzleMarks {
    /// Above this distance between the smallest and the largest number, bits would take too much memory: about 90
    /// years.
    private static let widest = 32_768

    private let firstBlock: Int
    private var days: [UInt64]
    private let firstNumber: Int
    private var numbers: [UInt64]
    /// Used if the numbers are too far apart for bits.
    private var scattered = Set<Int32>()

    /// Every history must have entries within `span`.
    init(_ histories: [History.Puzzles], over span: DaySpan) {
        let first = histories.compactMap { $0.marks.first?.block }.min() ?? 0
        let last = histories.compactMap { $0.marks.last?.block }.max() ?? 0
        let from = max(first, Block.number(of: Int32(truncatingIfNeeded: span.from.daysSinceEpoch)))
        let to = min(last, Block.number(of: Int32(truncatingIfNeeded: span.to.daysSinceEpoch)))
        firstBlock = Int(from)
        days = Array(repeating: 0, count: max(0, Int(to) - Int(from) + 1))
        let lowest = histories.compactMap { $0.numbers?.lowerBound }.min() ?? 0
        let highest = histories.compactMap { $0.numbers?.upperBound }.max() ?? 0
        firstNumber = Int(lowest)
        let width = Int(highest) - Int(lowest) + 1
        numbers = width <= Self.widest ? Array(repeating: 0, count: (width + 63) / 64 + 1) : []
        for history in histories { insert(history, span) }
    }

    var count: Int {
        var count = scattered.count
        for word in days { count += word.nonzeroBitCount }
        for word in numbers { count += word.nonzeroBitCount }
        return count
    }

    private mutating func insert(_ history: History.Puzzles, _ span: DaySpan) {
        let (from, to) = (span.from.daysSinceEpoch, span.to.daysSinceEpoch)
        guard let first = history.entries.first?.day, let last = history.entries.last?.day else { return }
        // Blocks whose days with results are all within the span.
        let firstWhole = first >= from ? Int(Int32.min) : (from + 63) >> 6
        let lastWhole = last <= to ? Int(Int32.max) : ((to + 1) >> 6) - 1
        for place in history.places(from: firstBlock, count: days.count) {
            let marks = history.marks[place]
            if marks.block >= firstWhole && marks.block <= lastWhole && !marks.isScattered {
                insert(marks)
            } else {
                for entry in history.entries(ofBlock: place) where entry.day >= from && entry.day <= to {
                    insert(entry)
                }
            }
        }
    }

    private mutating func insert(_ marks: BlockMarks) {
        days[Int(marks.block) - firstBlock] |= marks.dated
        guard marks.numbers != 0 else { return }
        if numbers.isEmpty {
            for bit in 0..<64 where marks.numbers >> UInt64(bit) & 1 == 1 {
                scattered.insert(marks.firstNumber + Int32(bit))
            }
        } else {
            let offset = Int(marks.firstNumber) - firstNumber
            numbers[offset / 64] |= marks.numbers << UInt64(offset % 64)
            // A shift by 64 if nothing remains. Swift's smart shift then gives 0.
            numbers[offset / 64 + 1] |= marks.numbers >> UInt64(64 - offset % 64)
        }
    }

    private mutating func insert(_ entry: Entry) {
        if !entry.isKeyedByPuzzle {
            days[Int(Block.number(of: entry.day)) - firstBlock] |= 1 << UInt64(entry.day & 63)
        } else if numbers.isEmpty {
            scattered.insert(entry.position.puzzle)
        } else {
            let offset = Int(entry.position.puzzle) - firstNumber
            numbers[offset / 64] |= 1 << UInt64(offset % 64)
        }
    }
}
