import StreakGames

/// Current streaks on a day: a function of the results and that day, never of a clock. Product row E1, rule 27.
enum Streak {
    /// The run of days for which `isHeld` holds that ends on `day` or the day before.
    static func overall(on day: PuzzleDay, isHeld: (PuzzleDay) -> Bool) -> Int {
        var length = 0
        var current = day
        while true {
            if isHeld(current) {
                length += 1
            } else if current != day {
                return length
            }
            guard current > .earliest else { return length }
            current = current.adding(days: -1)
        }
    }

    /// The run in one game that ends on `day` or the day before (for weekly games: in its week or the week before).
    ///
    /// Counted in puzzle numbers where those give no day; results without a number then count for nothing.
    static func current(
        in history: History, cadence: Game.Cadence, on day: PuzzleDay, counts: (Entry) -> Bool
    ) -> Int {
        let known = history.slice(DaySpan(from: .earliest, to: day))
        return history.hasNumbered
            ? numbered(known, cadence: cadence, on: day, counts: counts)
            : dated(known, cadence: cadence, on: day, counts: counts)
    }

    private static func dated(
        _ entries: ArraySlice<Entry>, cadence: Game.Cadence, on day: PuzzleDay, counts: (Entry) -> Bool
    ) -> Int {
        let end = period(of: day, cadence)
        var length = 0
        // The first period of the run so far; the run may begin one before the shown day's.
        var reached: Int?
        for entry in entries.reversed() where counts(entry) {
            let place = period(of: entry.puzzleDay, cadence)
            if let reached, place == reached { continue }
            let isNext = reached.map { place == $0 - 1 } ?? (place >= end - 1)
            guard isNext, entry.isCompleted else { return length }
            reached = place
            length += 1
        }
        return length
    }

    private static func numbered(
        _ entries: ArraySlice<Entry>, cadence: Game.Cadence, on day: PuzzleDay, counts: (Entry) -> Bool
    ) -> Int {
        // An archive puzzle may be played after a later one, so days do not order the numbers.
        let byNumber = entries.filter { $0.isKeyedByPuzzle && counts($0) }.sorted { $0.puzzle ?? 0 > $1.puzzle ?? 0 }
        guard let latest = byNumber.first,
            period(of: latest.puzzleDay, cadence) >= period(of: day, cadence) - 1
        else { return 0 }
        var length = 0
        var expected = latest.puzzle ?? 0
        for entry in byNumber {
            guard entry.isCompleted, entry.puzzle == expected else { return length }
            length += 1
            expected -= 1
        }
        return length
    }

    /// Consecutive numbers for consecutive days, or weeks of a weekly game.
    private static func period(of day: PuzzleDay, _ cadence: Game.Cadence) -> Int {
        cadence == .weekly ? PuzzleDay.earliest.startOfWeek.days(until: day.startOfWeek) / 7 : day.daysSinceEpoch
    }
}
