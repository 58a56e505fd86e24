public import StreakGames

/// The two hours in which a player usually plays.
public struct PlayingWindow: Hashable, Sendable {
    public static let hours = 2
    /// How many minutes before the window a reminder is given.
    public static let notice = 30
    /// 06:00–22:00, so that nobody is woken.
    public static let reminderMinutes = 360...1_320

    /// 0…22; the window does not cross midnight.
    public var startHour: Int
    /// Results inside the window, of all considered.
    public var coverage: Proportion

    public init(startHour: Int, coverage: Proportion) {
        self.startHour = min(max(startHour, 0), 24 - Self.hours)
        self.coverage = coverage
    }

    /// 2…24.
    public var endHour: Int { startHour + Self.hours }

    /// The minute of the day for the reminder.
    public var reminderMinute: Int {
        min(max(startHour * 60 - Self.notice, Self.reminderMinutes.lowerBound), Self.reminderMinutes.upperBound)
    }
}

/// When a player recorded completed results, by hour of the local day.
public struct PlayingHours: Hashable, Sendable {
    /// With fewer results there is no window.
    public static let fewest = 5
    /// How many days are considered.
    public static let days = 30

    /// 24 numbers, from midnight on.
    public let counts: [Int]

    /// Missing hours count as 0; extra ones are ignored.
    public init(counts: [Int]) {
        self.counts = (0..<24).map { $0 < counts.count ? max(counts[$0], 0) : 0 }
    }

    public var total: Int { counts.reduce(0, +) }

    /// The two hours with the most results; of equals, the earliest. `nil` with fewer than five results.
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
    /// Completed results recorded in the 30 days up to `day`, by local hour.
    ///
    /// Late results are left out: their time is that of an import or an old share, not of playing.
    public func playingHours(upTo day: PuzzleDay, in calendar: LocalCalendar) -> PlayingHours {
        var counts = [Int](repeating: 0, count: 24)
        let recorded = DaySpan(from: day.adding(days: 1 - PlayingHours.days), to: day)
        // A puzzle of the next or the previous day may be played today.
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
