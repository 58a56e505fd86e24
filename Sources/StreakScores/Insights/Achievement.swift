public import StreakGames

/// A tier of an achievement.
public enum Tier: Int, Sendable, Hashable, CaseIterable, Comparable {
    case bronze, silver, gold, diamond, legendary

    public var name: String {
        switch self {
        case .bronze: "Bronze"
        case .silver: "Silver"
        case .gold: "Gold"
        case .diamond: "Diamond"
        case .legendary: "Legendary"
        }
    }

    public var emoji: String {
        switch self {
        case .bronze: "🥉"
        case .silver: "🥈"
        case .gold: "🥇"
        case .diamond: "💎"
        case .legendary: "👑"
        }
    }

    /// The coins for reaching the tier.
    public var coins: Int { 50 << rawValue }

    public static func < (left: Tier, right: Tier) -> Bool { left.rawValue < right.rawValue }
}

/// The ten tiered achievements; the raw value is their stable name.
public enum Achievement: String, Sendable, Hashable, CaseIterable {
    case streakMaster = "streak-master"
    case gameCollector = "game-collector"
    case perfectionist
    case dailyDevotee = "daily-devotee"
    case varietyPlayer = "variety-player"
    case speedDemon = "speed-demon"
    case marathonRunner = "marathon-runner"
    case personalBest = "personal-best"
    case socialPlayer = "social-player"
    case completionist

    public var title: String { facts.title }
    public var emoji: String { facts.emoji }
    /// What it counts, after a number: "results", "friend".
    public func unit(of count: Int) -> String { count == 1 ? facts.one ?? facts.unit : facts.unit }
    /// The thresholds of the tiers, bronze first; `completionist` has four.
    public var thresholds: [Int] { facts.thresholds }

    /// The threshold of the highest tier. Events beyond it need not be kept.
    var mostNeeded: Int { thresholds.last ?? 0 }

    private var facts: Facts {
        switch self {
        case .streakMaster: Facts("Streak Master", "🔥", "days in the best streak", [3, 7, 14, 30, 60])
        case .gameCollector: Facts("Game Collector", "📚", "results", [10, 25, 50, 100, 250])
        case .perfectionist: Facts("Perfectionist", "✅", "completed results", [5, 15, 30, 75, 150])
        case .dailyDevotee: Facts("Daily Devotee", "📆", "days in a row", [3, 7, 14, 30, 60])
        case .varietyPlayer: Facts("Variety Player", "🎲", "different games", [3, 5, 8, 12, 16])
        case .speedDemon:
            Facts("Speed Demon", "⚡", "best possible results", one: "best possible result", [1, 5, 10, 25, 50])
        case .marathonRunner: Facts("Marathon Runner", "🏃", "active days", [7, 30, 60, 120, 365])
        case .personalBest:
            Facts("Personal Best", "📈", "own records beaten", one: "own record beaten", [1, 3, 5, 10, 20])
        case .socialPlayer: Facts("Social Player", "👥", "friends", one: "friend", [1, 3, 5, 10, 15])
        case .completionist: Facts("Completionist", "🏆", "achievements at gold or above", [3, 5, 7, 9])
        }
    }

    private struct Facts {
        let title: String
        let emoji: String
        let unit: String
        /// The unit after 1, where the first tier takes one.
        let one: String?
        let thresholds: [Int]

        init(_ title: String, _ emoji: String, _ unit: String, one: String? = nil, _ thresholds: [Int]) {
            self.title = title
            self.emoji = emoji
            self.unit = unit
            self.one = one
            self.thresholds = thresholds
        }
    }
}

/// One tier of one achievement, which is celebrated once.
public struct AchievementTier: Hashable, Sendable, Comparable {
    public var achievement: Achievement
    public var tier: Tier

    /// All 49, in order.
    public static let all = Achievement.allCases.flatMap { achievement in
        Tier.allCases.prefix(achievement.thresholds.count).map { AchievementTier(achievement, $0) }
    }

    public init(_ achievement: Achievement, _ tier: Tier) {
        self.achievement = achievement
        self.tier = tier
    }

    /// Reads "streak-master/gold"; `nil` for anything else and for a tier that does not exist.
    public init?(_ text: String) {
        guard let known = Self.all.first(where: { $0.text == text }) else { return nil }
        self = known
    }

    /// The stable ID: "streak-master/gold".
    public var text: String { "\(achievement.rawValue)/\(tier.name.lowercased())" }

    /// "Streak Master: Gold".
    public var title: String { "\(achievement.title): \(tier.name)" }

    public static func < (left: AchievementTier, right: AchievementTier) -> Bool {
        left.achievement == right.achievement
            ? left.tier < right.tier : left.achievement.position < right.achievement.position
    }
}

extension Achievement {
    fileprivate var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A tier reached.
public struct TierUnlock: Hashable, Sendable {
    public var reached: AchievementTier
    /// The day of the puzzle with which it was reached.
    public var day: PuzzleDay

    public init(_ reached: AchievementTier, on day: PuzzleDay) {
        self.reached = reached
        self.day = day
    }

    /// Oldest first, then in the order of achievements.
    static func isEarlier(_ left: TierUnlock, _ right: TierUnlock) -> Bool {
        left.day == right.day ? left.reached < right.reached : left.day < right.day
    }
}

/// The progress in one achievement.
public struct AchievementProgress: Hashable, Sendable {
    public var achievement: Achievement
    /// The bar's value, 0 or more. Daily Devotee shows the current run, though its tier follows the best one.
    public var value: Int
    /// Tiers reached, lowest first.
    public var unlocks: [TierUnlock]

    public var tier: Tier? { unlocks.last?.reached.tier }

    /// The threshold of the next tier; `nil` at the top.
    public var next: Int? {
        let thresholds = achievement.thresholds
        return unlocks.count < thresholds.count ? thresholds[unlocks.count] : nil
    }

    /// "15/25"; at the top "250 (max)".
    public var label: String {
        next.map { "\(value)/\($0)" } ?? "\(achievement.mostNeeded) (max)"
    }

    /// The bar's fraction, 0…1; 1 at the top.
    public var fraction: Double {
        guard let next, next > 0 else { return 1 }
        return min(Double(value) / Double(next), 1)
    }
}
