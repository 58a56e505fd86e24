/// What is asked about numbers. Days are `yyyy-MM-dd`; nil takes the viewer's today.
///
/// `group` nil is all of one's own results; with a `member` it is the active group, of which the member's results are
/// counted as far as this user may see them. Drawings are kilobytes each, so they come only where `plots` asks for them.
public enum InsightRequest: Codable, Sendable, Equatable {
    /// → `StatisticsReport`. `range` as for boards; nil takes 30 days.
    case statistics(
        game: String?, range: String?, date: String?, group: String?, member: String? = nil, plots: Bool = false)
    /// → `StreaksReport`
    case streaks(date: String?, group: String?, member: String? = nil)
    /// → `AchievementsReport`
    case achievements(group: String?, member: String? = nil)
    /// → `AchievementsReport`: the tiers shown as celebrated are not shown again, on any of the user's devices.
    case celebrate
    /// → `RecapReport` of the ISO week that holds `date`. `group` nil is the active group, if there is one.
    case recap(date: String?, group: String?)
    /// → `VersusReport`: this user against another member. `range` as for boards; nil takes all time.
    case versus(user: String, game: String?, range: String?, date: String?, group: String?, plots: Bool = false)
    /// → `ChampionsReport`. `period` is `week` or `month`.
    case champions(period: String, game: String?, group: String?)
    /// → `ShareTextReport`: a text ready to copy, for one's result of a game and day.
    case shareText(game: String, date: String?)
}

/// When a node reminds its user of streaks at risk.
public enum ReminderRequest: Codable, Sendable, Equatable {
    /// → `RemindersReport`; drawings only where `plots` asks for them.
    case show(plots: Bool = false)
    /// → `RemindersReport`: changes what is not nil.
    case change(ReminderChange)
}

/// What is to be different in reminders; nil leaves it as it is.
public struct ReminderChange: Codable, Sendable, Equatable {
    public var on: Bool?
    /// Whether the time follows the player's habit.
    public var smart: Bool?
    /// The user's own time, `HH:mm`.
    public var time: String?
    /// `HH:mm-HH:mm`; empty for none.
    public var quiet: String?
    /// Whether this machine shows a desktop notification.
    public var desktop: Bool?
    /// What this machine's shell runs, the text as `$1`; empty for nothing.
    public var command: String?
    /// Games that are reminded of again, or no more.
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
