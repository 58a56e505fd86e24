import StreakGames

/// All results of one player in one game, in order of days.
struct History {
    private(set) var entries: [Entry] = []
    /// Days of the results that are identified by their number.
    private var dayOfPuzzle: [Int32: Int32] = [:]

    var hasNumbered: Bool { !dayOfPuzzle.isEmpty }

    /// Stores a result, replacing the one with the same key. Returns whether it is a new key. O(log n) at the end of
    /// the history, O(n) elsewhere.
    mutating func replace(_ entry: Entry) -> Bool {
        let position = entry.position
        var isNew = true
        if entry.isKeyedByPuzzle {
            if let day = dayOfPuzzle[position.puzzle] {
                let old = lowerBound(Entry.Position(day: day, puzzle: position.puzzle))
                isNew = false
                if day == position.day {
                    entries[old] = entry
                    return isNew
                }
                entries.remove(at: old)
            }
            dayOfPuzzle[position.puzzle] = position.day
        }
        if let last = entries.last, last.position < position {
            entries.append(entry)
            return isNew
        }
        let index = lowerBound(position)
        if index < entries.count, entries[index].position == position {
            entries[index] = entry
            return false
        }
        entries.insert(entry, at: index)
        return isNew
    }

    /// Removes a result and returns it.
    mutating func remove(_ axis: ScoreKey.Axis) -> Entry? {
        guard let index = index(of: axis) else { return nil }
        let entry = entries.remove(at: index)
        if entry.isKeyedByPuzzle { dayOfPuzzle[entry.position.puzzle] = nil }
        return entry
    }

    func entry(_ axis: ScoreKey.Axis) -> Entry? {
        index(of: axis).map { entries[$0] }
    }

    /// The results of a span of days, both inclusive. O(log n).
    func slice(_ span: DaySpan) -> ArraySlice<Entry> {
        guard span.from <= span.to else { return [] }
        let start = lowerBound(.start(of: span.from))
        // One past the last day: the latest day there is has no successor, so count in raw days.
        let end = lowerBound(
            Entry.Position(day: Int32(truncatingIfNeeded: span.to.daysSinceEpoch + 1), puzzle: .min))
        return entries[start..<end]
    }

    /// Whether the player has a result for the same puzzle as `entry`.
    ///
    /// A result without a number of its own stands for any puzzle of its day.
    func holds(puzzleOf entry: Entry) -> Bool {
        let day = entry.puzzleDay
        guard entry.isKeyedByPuzzle else { return !slice(DaySpan(from: day, to: day)).isEmpty }
        return dayOfPuzzle[entry.position.puzzle] != nil || self.entry(.day(day)) != nil
    }

    private func index(of axis: ScoreKey.Axis) -> Int? {
        let position: Entry.Position
        switch axis {
        case .day(let day):
            position = .unnumbered(on: day)
        case .puzzle(let number):
            let packed = Entry.packed(number)
            guard let day = dayOfPuzzle[packed] else { return nil }
            position = Entry.Position(day: day, puzzle: packed)
        }
        let index = lowerBound(position)
        guard index < entries.count, entries[index].position == position else { return nil }
        return index
    }

    /// The first index whose entry is not before `position`.
    private func lowerBound(_ position: Entry.Position) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
