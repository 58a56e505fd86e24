public import StreakGames

/// What a group plays for in one week.
public struct EventPlan: Hashable, Sendable {
    public enum Rule: UInt8, Sendable, CaseIterable {
        /// The points of all games, or of one.
        case points = 1
        /// The points of all games, those of one game twice.
        case double
        /// The points of results in hard mode, of all games or of one.
        case hardMode
        /// How many different games were solved.
        case mostGames
        /// The points of games that no member had played before the week.
        case newGames
    }

    public let rule: Rule
    /// The game that the rule names; nil for all.
    public let game: GameID?

    /// Nil where the rule needs a game and none is given, or where it takes none.
    public init?(_ rule: Rule, game: GameID? = nil) {
        switch rule {
        case .points, .hardMode: break
        case .double: if game == nil { return nil }
        case .mostGames, .newGames: if game != nil { return nil }
        }
        (self.rule, self.game) = (rule, game)
    }

    private init(known rule: Rule, _ game: GameID? = nil) { (self.rule, self.game) = (rule, game) }

    /// What a week is drawn from, in the order of the numbers that are drawn (Protocol/records.md §3.11). It never
    /// changes within a version of the protocol: all nodes draw the same.
    public static let drawn: [EventPlan] = [
        EventPlan(known: .double, GameID(literal: "wordle")), EventPlan(known: .mostGames),
        EventPlan(known: .hardMode), EventPlan(known: .double, GameID(literal: "connections")),
        EventPlan(known: .newGames), EventPlan(known: .double, GameID(literal: "strands")),
        EventPlan(known: .double, GameID(literal: "nyt-mini")), EventPlan(known: .points),
        EventPlan(known: .double, GameID(literal: "spelling-bee")), EventPlan(known: .mostGames),
        EventPlan(known: .double, GameID(literal: "quordle")), EventPlan(known: .newGames),
        EventPlan(known: .double, GameID(literal: "linkedin-queens")), EventPlan(known: .points),
        EventPlan(known: .double, GameID(literal: "nerdle")), EventPlan(known: .hardMode),
    ]
}

/// The event of one group in one ISO week.
public struct WeeklyEvent: Hashable, Sendable {
    /// The first day.
    public let monday: PuzzleDay
    public let plan: EventPlan

    /// - Parameter day: any day of the week.
    public init(weekOf day: PuzzleDay, plan: EventPlan) { (monday, self.plan) = (day.startOfWeek, plan) }

    /// The days whose puzzles count.
    public var span: DaySpan { DaySpan(from: monday, to: monday.adding(days: 6)) }

    /// Unix seconds: Monday 00:00 UTC. Until then the plan can be chosen.
    public var start: Int64 { Self.start(of: monday) }

    /// Unix seconds: the Monday after it, 12:00 UTC, when its Sunday has ended everywhere. Results that are first
    /// recorded later do not count.
    public var end: Int64 { span.to.endEverywhere }

    public func isOver(at now: Int64) -> Bool { now >= end }

    /// When the event of a week begins, in Unix seconds.
    public static func start(of monday: PuzzleDay) -> Int64 { Int64(monday.daysSinceEpoch) * 86_400 }

    /// The first day of the latest week whose event is over.
    public static func lastClosed(at now: Int64) -> PuzzleDay {
        let final = PuzzleDay.lastFinal(at: now)
        return final.weekday == 7 ? final.startOfWeek : final.startOfWeek.adding(days: -7)
    }

    /// Coins for a place in an event that is over, for somebody with a result that counts.
    public static func reward(forRank rank: Int?) -> Int {
        switch rank {
        case 1: 1_000
        case 2, 3: 500
        case .some, nil: 250
        }
    }
}

/// How an event stands, or how it ended, as one viewer may see it.
public struct EventStandings: Sendable, Equatable {
    public struct Row: Sendable, Equatable {
        /// Equals share a rank and the next one skips. Nil for a value of 0, and where everything is covered.
        public var rank: Int?
        public var isTied: Bool
        public var player: PlayerID
        public var name: String
        public var isMe: Bool
        /// Points; under `mostGames` games.
        public var value: Int
        /// How many results count.
        public var results: Int
        /// Whether a result that counts was changed after the event had ended.
        public var isCorrected: Bool
        /// Results of the week that this viewer may not see yet, whether or not they will count.
        public var coveredCount: Int
        /// Only the viewer sees this row, because the viewer opted out of leaderboards.
        public var isPrivate = false
    }

    public var event: WeeklyEvent
    /// Ranked rows with the best first, then covered ones, then those with a value of 0.
    public var rows: [Row]
    public var myRow: Row?
    public var rankedCount: Int
    public var coveredCount: Int

    /// Everybody with the first rank.
    public var leaders: [Row] { rows.filter { $0.rank == 1 } }

    public var isCorrected: Bool { rows.contains(where: \.isCorrected) }

    /// The coins of everybody with a result that counts, once the event is over.
    public var rewards: [PlayerID: Int] {
        var coins: [PlayerID: Int] = [:]
        for row in rows where row.results > 0 { coins[row.player] = WeeklyEvent.reward(forRank: row.rank) }
        return coins
    }
}
