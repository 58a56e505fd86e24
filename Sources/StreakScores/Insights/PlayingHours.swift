public import StreakGames

/// The two hours in which a player usually plays.
public struct PlayingWindow: Hashable, Sendable {
    public static let hours = 2
    /// Minutes before the window at which a reminder helps.
    public static let notice = 30
    /// 06:00–22:00: nobody is woken.
    public static let reminderMinutes = 360...1_320

    /// 0…22; the window does not reach over midnight.
    public var startHour: Int
    /// Results inside, of all that were looked at.
    public var coverage: Proportion

    public init(startHour: Int, coverage: Proportion) {
        self.startHour = min(max(startHour, 0), 24 - Self.hours)
        self.coverage = coverage
    }

    /// 2…24.
    public var endHour: Int { startHour + Self.hours }

    /// The minute of the day at which to remind.
    public var reminderMinute: Int {
        min(max(startHour * 60 - Self.notice, Self.reminderMinutes.lowerBound), Self.reminderMinutes.upperBound)
    }
}

/// When a player recorded completed results, by hour of their day.
public struct PlayingHours: Hashable, Sendable {
    /// Fewer results suggest nothing.
    public static let fewest = 5
    /// How many days are looked at.
    public static let days = 30

    /// 24 numbers, from midnight on.
    public let counts: [Int]

    /// Missing hours count 0, further ones nothing.
    public init(counts: [Int]) {
        self.counts = (0..<24).map { $0 < counts.count ? max(counts[$0], 0) : 0 }
    }

    public var total: Int { counts.reduce(0, +) }

    /// The two hours with most results, the earliest of equals; `nil` with fewer than five results.
    public var window: PlayingWindow? {
        guard total >= Self.fewest else { return nil }
        var best = (start: 0, count: 0)
        for start in 0...(counts.count - PlayingWindow.hours) {
            let count = counts[start..<(start + PlayingWindow.hours)].reduce(0, +)
            if count > best.count { best = (start, count) }
        }
        return PlayingWindow(startHour: best.start, coverage: Proportion(best.count, of: total))
    }
}

extension PlayerInsights {
    /// Completed results recorded in the 30 days that end at `day`, by local hour.
    ///
    /// Late ones are left out: an import or an old share says when it was pasted, not when the player plays.
    public func playingHours(upTo day: PuzzleDay, in calendar: LocalCalendar) -> PlayingHours {
        var counts = [Int](repeating: 0, count: 24)
        let recorded = DaySpan(from: day.adding(days: 1 - PlayingHours.days), to: day)
        // A puzzle of the next or the last day may be played today.
        let puzzles = DaySpan(from: recorded.from.adding(days: -2), to: recorded.to.adding(days: 1))
        for chronicle in chronicles {
            for entry in chronicle.entries(in: puzzles) where entry.isCompleted && !entry.isLate {
                let local = calendar.day(at: entry.firstRecordedAt)
                guard local >= recorded.from, local <= recorded.to else { continue }
                counts[calendar.hour(at: entry.firstRecordedAt)] += 1
            }
        }
        return PlayingHours(counts: counts)
    }
}
