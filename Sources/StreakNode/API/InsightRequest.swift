// Requests for numbers. Days are `yyyy-MM-dd`; nil is the viewer's today.
//
// `group` nil means all of this user's own results. With a `member` it means the active group, and counts the member's
// results that this user may see. Drawings are kilobytes each, so they come only if `plots` asks for them.

/// Counts, averages and trends.
public enum StatisticsRequest: NodeRequest {
    public typealias Report = StatisticsReport
    public static let name = RequestName.statistics

    /// `range` as for boards; nil is 30 days.
    case show(
        game: String?, range: String?, date: String?, group: String?, member: String? = nil, plots: Bool = false)
}

/// Days in a row.
public enum StreaksRequest: NodeRequest {
    public typealias Report = StreaksReport
    public static let name = RequestName.streaks

    case show(date: String?, group: String?, member: String? = nil)
}

/// Achievements, in tiers.
public enum AchievementsRequest: NodeRequest {
    public typealias Report = AchievementsReport
    public static let name = RequestName.achievements

    case show(group: String?, member: String? = nil)
    /// Celebrated tiers are not shown again, on any of the user's devices.
    case celebrate
}

/// A week in numbers.
public enum RecapRequest: NodeRequest {
    public typealias Report = RecapReport
    public static let name = RequestName.recap

    /// The ISO week that contains `date`. `group` nil is the active group, if there is one.
    case show(date: String?, group: String?)
}

/// This user against another member.
public enum VersusRequest: NodeRequest {
    public typealias Report = VersusReport
    public static let name = RequestName.versus

    /// `range` as for boards; nil is all time.
    case show(user: String, game: String?, range: String?, date: String?, group: String?, plots: Bool = false)
}

/// Who was first, period by period.
public enum ChampionsRequest: NodeRequest {
    public typealias Report = ChampionsReport
    public static let name = RequestName.champions

    /// `period` is `week` or `month`.
    case show(period: String, game: String?, group: String?)
}

/// When a node reminds its user of streaks at risk.
public enum ReminderRequest: NodeRequest {
    public typealias Report = RemindersReport
    public static let name = RequestName.reminder

    /// Drawings only if `plots` asks for them.
    case show(plots: Bool = false)
    /// Changes what is not nil.
    case change(ReminderChange)
}

/// Changes to reminders; nil leaves a value as it is.
public struct ReminderChange: Codable, Sendable, Equatable {
    public var on: Bool?
    /// Whether the time follows the player's habits.
    public var smart: Bool?
    /// The user's own time, `HH:mm`.
    public var time: String?
    /// `HH:mm-HH:mm`; empty for none.
    public var quiet: String?
    /// Whether this machine shows a desktop notification.
    public var desktop: Bool?
    /// The command that this machine's shell runs, with the text as `$1`; empty for none.
    public var command: String?
    /// Games to remind of again, and games to stop reminding of.
    public var include: [String]
    public var exclude: [String]

    public init(
        on: Bool? = nil, smart: Bool? = nil, time: String? = nil, quiet: String? = nil, desktop: Bool? = nil,
        command: String? = nil, include: [String] = [], exclude: [String] = []
    ) {
        self.on = on
        self.smart = smart
        self.time = time
        self.quiet = quiet
        self.desktop = desktop
        self.command = command
        self.include = include
        self.exclude = exclude
    }
}
