import StreakGames
import StreakScores

/// When this machine has looked at reminders, and what came due since.
struct DueReminders {
    /// A clock may be set, and a machine may sleep: the time of day is looked at this often, in seconds.
    private static let longestWait: Int64 = 900

    /// When they were last looked at, in Unix seconds: none is told that was due before.
    private var seen: Int64?

    /// The day of a reminder that came due since the last look.
    mutating func dayDue(by plan: ReminderPlan, at now: Int64, in calendar: LocalCalendar) -> PuzzleDay? {
        let last = min(seen ?? now, now)
        seen = now
        guard let firing = plan.next(after: last, in: calendar), firing.instant <= now else { return nil }
        return firing.day
    }

    /// After how many seconds to look again.
    func wait(for plan: ReminderPlan, at now: Int64, in calendar: LocalCalendar) -> Int64 {
        guard let due = plan.next(after: max(seen ?? now, now), in: calendar) else { return Self.longestWait }
        return min(max(due.instant - now, 1), Self.longestWait)
    }
}
