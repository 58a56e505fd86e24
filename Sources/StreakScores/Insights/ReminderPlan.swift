public import StreakGames

/// When to remind. Holds the player's choice; reads no clock.
public struct ReminderPlan: Hashable, Sendable {
    /// Days after which the window is recomputed.
    static let daysBetweenComputations = 2

    public var isOn: Bool
    /// Whether the time follows the player's habit. Otherwise it is `fixedMinute`.
    public var isSmart: Bool
    /// The player's own time, minutes after midnight, 0…1439.
    public var fixedMinute: Int
    /// The last computed window; `nil` if there were too few results.
    public var window: PlayingWindow?
    public var computedOn: PuzzleDay?
    /// The local day of the last reminder. There is only one a day, even if clock changes or travel repeat the time.
    public var lastFired: PuzzleDay?

    public init(
        isOn: Bool = true, isSmart: Bool = true, fixedMinute: Int = 19 * 60, window: PlayingWindow? = nil,
        computedOn: PuzzleDay? = nil, lastFired: PuzzleDay? = nil
    ) {
        self.isOn = isOn
        self.isSmart = isSmart
        self.fixedMinute = fixedMinute
        self.window = window
        self.computedOn = computedOn
        self.lastFired = lastFired
    }

    /// The minute of the day at which to remind.
    public var minute: Int {
        let chosen = isSmart ? window?.reminderMinute ?? fixedMinute : fixedMinute
        return min(max(chosen, 0), 1_439)
    }

    /// Recomputes the window if the last time was at least two days ago, or is in the future because a clock was set
    /// back. Returns whether it did.
    @discardableResult
    public mutating func refresh(on day: PuzzleDay, hours: () -> PlayingHours) -> Bool {
        guard isOn, isSmart else { return false }
        if let computedOn, (0..<Self.daysBetweenComputations).contains(computedOn.days(until: day)) { return false }
        window = hours().window
        computedOn = day
        return true
    }

    /// A reminder that is due.
    public struct Firing: Hashable, Sendable {
        /// Unix seconds.
        public var instant: Int64
        /// The local day it belongs to: the next `lastFired`.
        public var day: PuzzleDay

        public init(instant: Int64, day: PuzzleDay) {
            self.instant = instant
            self.day = day
        }
    }

    /// The next reminder strictly after `instant` (Unix seconds); `nil` if switched off.
    ///
    /// Once a day. In an hour that the clocks skip it moves to the jump; in an hour they repeat it is the first one.
    public func next(after instant: Int64, in calendar: LocalCalendar) -> Firing? {
        guard isOn else { return nil }
        let today = calendar.day(at: instant)
        // A place can skip a whole day, so look a little further.
        for offset in -1...3 {
            let day = today.adding(days: offset)
            if let lastFired, day <= lastFired, lastFired <= today.adding(days: 1) { continue }
            if let due = calendar.instant(of: minute, on: day), due > instant { return Firing(instant: due, day: day) }
        }
        return nil
    }

    /// "Keep your streaks alive today: Wordle, Mini and 3 other games."; `nil` if nothing is at risk.
    ///
    /// Names up to three games; of more than three, the first two and the number of the others.
    public static func text(for atRisk: [GameStreak], games: (GameID) -> Game?) -> String? {
        guard let first = atRisk.first else { return nil }
        let names = atRisk.prefix(3).map { ShareTemplate.bounded(games($0.game)?.name ?? $0.game.rawValue) }
        switch atRisk.count {
        case 1:
            let unit = first.cadence == .weekly ? "week" : "day"
            return "Keep your \(first.current)-\(unit) streak alive today: \(names[0])."
        case 2: return "Keep your streaks alive today: \(names[0]) and \(names[1])."
        case 3: return "Keep your streaks alive today: \(names[0]), \(names[1]) and \(names[2])."
        default:
            return "Keep your streaks alive today: \(names[0]), \(names[1]) and \(atRisk.count - 2) other games."
        }
    }
}
