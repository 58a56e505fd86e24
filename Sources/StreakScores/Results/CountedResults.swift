import StreakGames

/// A player's results in one game without some that do not count, in order of days.
///
/// Shares the memory of the history if only its newest results are left out, such as those of puzzles that the viewer has
/// not played yet.
struct CountedResults: Sendable {
    /// Indices begin at 0.
    let entries: ArraySlice<Entry>
    /// Whether a result is identified by its number.
    let hasNumbered: Bool

    /// O(n) if older results are left out.
    init(_ history: History, leavingOut keys: [ScoreKey]) {
        let all = history.entries
        let places = Set(keys.compactMap { history.index(of: $0.axis) })
        let newest = all.count - places.count
        if places.allSatisfy({ $0 >= newest }) {
            entries = all[..<newest]
        } else {
            entries = all.indices.filter { !places.contains($0) }.map { all[$0] }[...]
        }
        hasNumbered = history.hasNumbered && (places.isEmpty || entries.contains(where: \.isKeyedByPuzzle))
    }

    /// The first and the last day with a result; `nil` without any.
    var bounds: DaySpan? {
        guard let first = entries.first, let last = entries.last else { return nil }
        return DaySpan(from: first.puzzleDay, to: last.puzzleDay)
    }

    /// The results in a span of days, both inclusive. O(log n).
    func slice(_ span: DaySpan) -> ArraySlice<Entry> {
        guard span.from <= span.to else { return [] }
        let start = entries.partitioningIndex(in: entries.indices) { $0.puzzleDay >= span.from }
        return entries[start..<entries.partitioningIndex(in: start..<entries.endIndex) { $0.puzzleDay > span.to }]
    }
}
