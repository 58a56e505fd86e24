/// A member of a group, as others see them.
public enum PlayerRequest: NodeRequest {
    public typealias Report = PlayerReport
    public static let name = RequestName.player

    /// `user` nil is this user. All numbers are of that group.
    case show(user: String?, group: String?)
}

/// A member's profile in a group, from what this user may see there.
public struct PlayerReport: Codable, Sendable, Equatable {
    /// A best result, and where it stands among the members' bests.
    public struct Best: Codable, Sendable, Equatable {
        public var game: String
        public var gameName: String
        public var icon: String
        public var label: String
        public var day: String
        public var timesBeaten: Int
        /// Equals share a rank.
        public var rank: Int
        /// How many members have a best result of the game.
        public var of: Int
    }

    public struct Numbers: Codable, Sendable, Equatable {
        public var level: Int
        /// Coins are the experience points.
        public var coins: Int
        public var levelFloor: Int
        public var levelCeiling: Int
        /// How many weekly events were won, each with a badge.
        public var badges: Int
        /// Achievements with at least one tier, and all.
        public var unlocked: Int
        public var total: Int
        /// The last tiers reached, newest first.
        public var unlocks: [TierUnlockReport]
        public var played: Int
        public var completed: Int
        /// Different games with a result, and results of each, most played first.
        public var games: [GameCountReport]
        /// By game, the longest current streak first; those that are alive.
        public var streaks: [StreakReport]
        /// Days with a solved puzzle of any game.
        public var overall: DayRunReport
        /// The sum of known solve times.
        public var secondsPlayed: Int
        /// The best rank first.
        public var bests: [Best]
        /// Results that are left out because they are covered.
        public var coveredCount: Int
    }

    public var group: String
    public var title: String
    /// As in `MemberReport`.
    public var user: String
    public var name: String
    public var me: Bool
    public var online: Bool
    /// Nil for a member who is on no board, except for that member.
    public var numbers: Numbers?
    /// Challenges won, lost and drawn in the group.
    public var won: Int
    public var lost: Int
    public var drawn: Int
    /// Whom to name to write them a message; nil without a group of the two.
    public var correspondent: String?
}
