/// Numbers as the command line and the page show them. Their keys are a contract (docs/cli.md): only additions are
/// allowed.

/// A number that belongs to a game.
public struct GameCountReport: Codable, Sendable, Equatable {
    public var game: String
    public var gameName: String
    public var count: Int
}

public struct StreakReport: Codable, Sendable, Equatable {
    public var game: String
    public var gameName: String
    public var icon: String
    /// Completed days in the current run; 0 if there is none. Weeks, for a weekly game.
    public var current: Int
    public var longest: Int
    /// The first day of the current run.
    public var start: String?
    public var lastPlayed: String?
    /// Freezes left, and days of the current run that freezes held.
    public var freezes: Int
    public var frozen: Int
    /// Whether the run is alive and the shown day not played yet.
    public var open: Bool
    public var atRisk: Bool
    /// `day` or `week`.
    public var unit: String
}

/// A run of days over all games.
public struct DayRunReport: Codable, Sendable, Equatable {
    public var current: Int
    public var longest: Int
    public var start: String?
    public var last: String?
}

public struct StreaksReport: Codable, Sendable, Equatable {
    /// Whose streaks these are.
    public var name: String
    public var date: String
    /// Days with a solved puzzle, of any game.
    public var overall: DayRunReport
    /// Days with any result.
    public var active: DayRunReport
    /// Every game played so far, the longest current streak first.
    public var streaks: [StreakReport]
    /// IDs of the games whose streak ends unless they are played today.
    public var atRisk: [String]
}

public struct TrendPointReport: Codable, Sendable, Equatable {
    public var start: String
    public var played: Int
    public var completed: Int
    public var points: Int
    /// The mean raw result of solved puzzles; for a single game only.
    public var average: Double?
}

public struct BarReport: Codable, Sendable, Equatable {
    public var label: String
    public var count: Int
    public var loss: Bool
}

public struct DeepDiveReport: Codable, Sendable, Equatable {
    public var game: String
    public var gameName: String
    public var played: Int
    public var completed: Int
    public var distribution: [BarReport]
    /// The mean raw result of solved puzzles, to one decimal, and as text: “3.8”, “1:02”, or “–” if there are none.
    public var average: Double?
    public var averageLabel: String
    /// The best raw result, and as text: “3 guesses”, “0:42”.
    public var best: Int?
    public var bestLabel: String
    /// Per cent; nil without results.
    public var failRate: Int?
}

public struct PersonalBestReport: Codable, Sendable, Equatable {
    public var game: String
    public var gameName: String
    public var icon: String
    public var label: String
    public var day: String
    public var timesBeaten: Int
}

/// A drawing, ready for a page.
public struct PlotReport: Codable, Sendable, Equatable {
    public var title: String
    /// What it shows, in a sentence.
    public var description: String
    /// An `svg` element without scripts; colours come from the page's classes.
    public var svg: String
}

public struct StatisticsReport: Codable, Sendable, Equatable {
    /// Whose results these are.
    public var name: String
    /// Results left out because they are covered.
    public var coveredCount: Int
    public var from: String
    public var to: String
    public var game: String?
    public var gameName: String?
    public var played: Int
    public var completed: Int
    /// Per cent; nil without results.
    public var completionRate: Int?
    /// Per cent of days with a result.
    public var consistency: Int?
    public var activeDays: Int
    public var activeStreaks: Int
    public var longestCurrent: GameCountReport?
    public var longestStreak: GameCountReport?
    public var mostPlayed: GameCountReport?
    public var best: ResultReport?
    /// The day with the most results.
    public var busiestDay: String?
    public var busiestCount: Int?
    /// Seconds on the clock, on these days in this game.
    public var secondsPlayed: Int
    public var perGame: [GameCountReport]
    public var personalBests: [PersonalBestReport]
    /// `day`, `week` or `month`.
    public var step: String
    public var trend: [TrendPointReport]
    /// The game, or each of its variants; empty for all games.
    public var deepDives: [DeepDiveReport]
    /// Empty unless asked for.
    public var plots: [PlotReport]
}

public struct TierUnlockReport: Codable, Sendable, Equatable {
    public var achievement: String
    public var tier: String
    public var title: String
    public var icon: String
    public var day: String
    /// A sentence to share, ready to copy.
    public var text: String
}

public struct AchievementReport: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    public var icon: String
    public var value: Int
    /// “15/25”; “250 (max)”.
    public var progress: String
    /// 0…1 on the way to the next tier.
    public var fraction: Double
    public var tier: String?
    public var tierIcon: String?
    public var unlocks: [TierUnlockReport]
}

public struct AchievementsReport: Codable, Sendable, Equatable {
    /// Whose achievements these are.
    public var name: String
    public var level: Int
    /// Coins are the experience points.
    public var coins: Int
    public var levelFloor: Int
    public var levelCeiling: Int
    public var unlocked: Int
    public var total: Int
    public var achievements: [AchievementReport]
    public var latest: [TierUnlockReport]
    /// IDs of the three achievements nearest to their next tier.
    public var nearest: [String]
    /// Reached and not celebrated yet.
    public var fresh: [TierUnlockReport]
    /// How many weekly events were won, each with a badge.
    public var badges: Int
}

public struct RecapReport: Codable, Sendable, Equatable {
    public struct Winner: Codable, Sendable, Equatable {
        public var name: String
        public var points: Int
        public var me: Bool
    }

    public struct Climber: Codable, Sendable, Equatable {
        public var name: String
        public var from: Int
        public var to: Int
        public var me: Bool
    }

    public struct Best: Codable, Sendable, Equatable {
        public var name: String
        public var gameName: String
        public var label: String
        public var day: String
        public var me: Bool
    }

    /// `2026-W47`
    public var week: String
    public var from: String
    public var to: String
    public var played: Int
    public var completed: Int
    public var completionRate: Int?
    public var points: Int
    public var activeDays: Int
    /// To one decimal; nil without a streak.
    public var averageStreak: Double?
    public var longestStreak: GameCountReport?
    public var best: ResultReport?
    /// My week as a text to share; nil without a result.
    public var text: String?
    public var group: String?
    public var groupTitle: String?
    public var winners: [Winner]
    public var climbers: [Climber]
    public var groupBest: Best?
    public var coveredCount: Int
    public var groupText: String?
}

public struct VersusReport: Codable, Sendable, Equatable {
    public struct Game: Codable, Sendable, Equatable {
        public var game: String
        public var gameName: String
        public var icon: String
        public var wins: Int
        public var losses: Int
        public var ties: Int
        /// Raw results, to one decimal, and as text: “3.5”, “0:45”; nil if results have no number.
        public var myAverage: Double?
        public var myAverageLabel: String?
        public var theirAverage: Double?
        public var theirAverageLabel: String?
    }

    /// How it stood at the end of a day.
    public struct Point: Codable, Sendable, Equatable {
        public var day: String
        public var wins: Int
        public var losses: Int
        public var ties: Int
    }

    public var group: String
    public var title: String
    public var user: String
    public var name: String
    public var from: String
    public var to: String
    public var game: String?
    /// Puzzles that both have played.
    public var common: Int
    public var wins: Int
    public var losses: Int
    public var ties: Int
    /// Per cent won by each; nil with fewer than three puzzles.
    public var myPercent: Int?
    public var theirPercent: Int?
    /// Wins in a row up to now: positive for this user, negative for the other, 0 while nobody has won.
    public var run: Int
    public var games: [Game]
    public var points: [Point]
    public var coveredCount: Int
    /// Empty unless asked for.
    public var plots: [PlotReport]
}

public struct ChampionsReport: Codable, Sendable, Equatable {
    public struct Winner: Codable, Sendable, Equatable {
        public var user: String
        public var name: String
        public var me: Bool
    }

    public struct Period: Codable, Sendable, Equatable {
        /// `2026-W47` or `2026-11`.
        public var period: String
        public var from: String
        public var to: String
        public var winners: [Winner]
        public var value: Int
        public var ranked: Int
    }

    /// How often somebody was first.
    public struct Wins: Codable, Sendable, Equatable {
        public var winner: Winner
        public var count: Int
        /// How many of the latest periods in a row.
        public var current: Int
        public var longest: Int
        /// The latest period won, as in `Period`.
        public var latest: String
    }

    public var group: String
    public var title: String
    public var period: String
    public var game: String?
    /// Weeks or months that are over, newest first.
    public var champions: [Period]
    /// Everybody who was ever first, who won most first.
    public var wall: [Wins]
}

public struct RemindersReport: Codable, Sendable, Equatable {
    public var on: Bool
    public var smart: Bool
    /// `HH:mm` of reminders at present.
    public var time: String
    /// The user's own time.
    public var fixedTime: String
    /// `HH:mm-HH:mm`; nil for none.
    public var quiet: String?
    /// `18:00-20:00`, the two hours with the most results; nil with too few results.
    public var window: String?
    /// Per cent of results in the window.
    public var coverage: Int?
    public var computedOn: String?
    /// The day of the last reminder.
    public var lastReminded: String?
    /// ISO 8601 in UTC; nil if reminders are off.
    public var next: String?
    /// What a reminder would say now; nil if nothing is at risk.
    public var text: String?
    /// Whether this machine shows desktop notifications.
    public var desktop: Bool
    public var command: String?
    /// IDs of games without reminders.
    public var excluded: [String]
    /// Results of the last 30 days by hour of the day, 24 numbers.
    public var hours: [Int]
    /// Empty unless asked for.
    public var plots: [PlotReport]
}
