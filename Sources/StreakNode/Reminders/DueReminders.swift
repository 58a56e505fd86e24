import StreakGames
import StreakScores

/// When this machine last checked for reminders, and which came due since.
struct DueReminders {
    /// The longest time between two checks, in seconds: clocks are set, and machines sleep.
    private static let longestWait: Int64 = 900

    /// The last check, in Unix seconds. Reminders due before it are not shown.
    private var seen: Int64?

    /// The day of a reminder that came due since the last check.
    mutating func dayDue(by plan: ReminderPlan, at now: Int64, in calendar: LocalCalendar) -> PuzzleDay? {
        let last = min(seen ?? now, now)
        seen = now
        guard let firing = plan.next(after: last, in: calendar), firing.instant <= now else { return nil }
        return firing.day
    }

    /// How many seconds until the next check.
    func wait(for plan: ReminderPlan, at now: Int64, in calendar: LocalCalendar) -> Int64 {
        guard let due = plan.next(after: max(seen ?? now, now), in: calendar) else { return Self.longestWait }
        return min(max(due.instant - now, 1), Self.longestWait)
    }
}
