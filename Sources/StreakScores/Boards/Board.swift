public import StreakGames

/// What a board ranks by.
public enum BoardMetric: String, Sendable, Hashable, CaseIterable {
    /// Points inside the range.
    case points
    /// The current streak at the end of the range.
    case streak
    /// How many results were recorded inside the range.
    case logs
    /// Coins dated inside the range.
    case coins
}

/// How a missed day counts in averages and head-to-head. It never changes totals.
public enum MissedDay: String, Sendable, Hashable, CaseIterable {
    case nothing
    /// One more than the maximum; without a maximum, one more than the group's worst solve that day.
    case worstPlusOne
    /// Averages are of points, and a missed day has 0.
    case zero
}

/// The settings of a group that its boards follow.
public struct BoardRules: Sendable, Hashable {
    public var missedDay: MissedDay
    /// Freezes, and the number of days after which a result no longer counts. They apply to boards and streaks alike.
    public var streaks: StreakRules

    public init(missedDay: MissedDay = .nothing, streaks: StreakRules = StreakRules()) {
        self.missedDay = missedDay
        self.streaks = streaks
    }
}

/// How a custom game ranks over a range.
public enum Aggregation: String, Sendable, Hashable, CaseIterable {
    case best, sum, latest

    /// `nil` for a game whose points add up.
    public init?(of model: ScoringModel) {
        switch model {
        case .highScore: self = .best
        case .count: self = .sum
        case .lowerAttempts, .lowerGuesses, .lowerHints, .lowerTimeSeconds, .higherIsBetter: return nil
        }
    }
}

/// Which board is requested, and by whom.
public struct BoardQuery: Sendable, Hashable {
    /// Inclusive.
    public var from: PuzzleDay
    /// Inclusive. May be after `today` for a week, month or year that has not ended.
    public var to: PuzzleDay
    /// `nil` for the total over all games.
    public var game: GameID?
    public var metric: BoardMetric
    public var viewer: PlayerID
    /// The viewer's date.
    public var today: PuzzleDay
    /// Unix seconds; decides which days are final. Without it, days before yesterday count as final.
    public var now: Int64?
    /// The group covers results for puzzles the viewer has not played.
    public var guardsSpoilers: Bool
    /// The viewer chose to reveal covered results.
    public var reveals: Bool
    /// The most rows returned. 100, or more if the reader asks.
    public var limit: Int
    /// The number of rows skipped: 100 for the second hundred.
    public var offset: Int
    /// Settings of the group.
    public var rules: BoardRules
    /// How a custom game ranks over a range; `nil` for its model's default. Does not affect totals.
    public var aggregation: Aggregation?
    /// Only players with this region tag, whatever its letter case.
    public var region: String?
    /// Only these players, such as those nearby; `nil` for all.
    public var only: Set<PlayerID>?
    /// Coins that do not come from results, such as those for tiers. They count in totals, not on a game's own page.
    public var extraCoins: [PlayerID: DatedCoins]

    public init(
        from: PuzzleDay, to: PuzzleDay, game: GameID? = nil, metric: BoardMetric = .points, viewer: PlayerID,
        today: PuzzleDay, now: Int64? = nil, guardsSpoilers: Bool = true, reveals: Bool = false, limit: Int = 100,
        offset: Int = 0, rules: BoardRules = BoardRules(), aggregation: Aggregation? = nil, region: String? = nil,
        only: Set<PlayerID>? = nil, extraCoins: [PlayerID: DatedCoins] = [:]
    ) {
        self.from = from
        self.to = to
        self.game = game
        self.metric = metric
        self.viewer = viewer
        self.today = today
        self.now = now
        self.guardsSpoilers = guardsSpoilers
        self.reveals = reveals
        self.limit = limit
        self.offset = offset
        self.rules = rules
        self.aggregation = aggregation
        self.region = region
        self.only = only
        self.extraCoins = extraCoins
    }

    /// One day is shown, with real results and rank changes.
    var isDayView: Bool { from == to }
}

/// How a rank changed since the day before.
public enum RankDelta: Sendable, Hashable {
    /// Places gained, 1 or more.
    case up(Int)
    /// Places lost, 1 or more.
    case down(Int)
    case same
    /// No rank the day before.
    case new

    public init(previous: Int?, current: Int) {
        guard let previous else {
            self = .new
            return
        }
        self = previous == current ? .same : previous > current ? .up(previous - current) : .down(current - previous)
    }

    /// The earlier rank minus the present one; `nil` if there was none.
    public var difference: Int? {
        switch self {
        case .up(let places): places
        case .down(let places): -places
        case .same: 0
        case .new: nil
        }
    }
}

/// One game's share of a row.
public struct GameTotal: Sendable, Hashable {
    public var game: GameID
    /// In the unit of the board's metric.
    public var value: Int

    public init(game: GameID, value: Int) {
        self.game = game
        self.value = value
    }
}

/// One player on a board.
public struct BoardRow: Sendable, Equatable {
    /// Equals share a rank and the next one skips ("1, 2, 2, 4"). `nil` for players who are covered, have not played,
    /// or are hidden.
    public var rank: Int?
    /// Another row has the same rank.
    public var isTied: Bool
    public var player: PlayerID
    public var name: String
    public var isMe: Bool
    /// The value of the metric. For one game on one day, the rank follows the raw result instead.
    public var value: Int
    /// The raw result if the row represents a single one, or the best or sum of a custom game.
    public var raw: Int?
    public var label: String
    /// "average 0:45, played 6 of 7" for a range; `nil` for a day.
    public var detail: String?
    /// Only in the day view, and never for rows that are or were covered.
    public var delta: RankDelta?
    /// At least one result counted here was first recorded after its day had ended everywhere.
    public var isLate: Bool
    /// At least one result counted here was edited.
    public var isEdited: Bool
    /// The spoiler guard covers all of this player's results in view.
    public var isCovered: Bool
    /// The results that the spoiler guard leaves out of this row.
    public var coveredCount: Int
    /// Only the viewer sees this row, because the viewer opted out of leaderboards.
    public var isPrivate: Bool
    /// Results counted here; for a habit, its days.
    public var played: Int
    /// How many puzzles there were. For each game that anybody on the board has played, that is the number of days
    /// (weeks of a weekly game) in the range that have begun, or the number of different puzzles played, if larger.
    public var of: Int
    /// By game ID; empty for streaks. Together with `extra` the sum is `value`.
    public var perGame: [GameTotal]
    /// Coins that do not come from a game.
    public var extra = 0

    /// Follows the rank: two players at "=1" both get gold, and nobody gets silver.
    public var medal: Medal? { rank.flatMap { Medal(rawValue: $0) } }
}

/// The medals for the first three ranks.
public enum Medal: Int, Sendable, Hashable, CaseIterable {
    case gold = 1
    case silver, bronze
}

/// A ranking for one viewer.
public struct Board: Sendable, Equatable {
    public var query: BoardQuery
    /// Ranked rows with the best first, then covered ones, then active players without a result. At most `query.limit`,
    /// starting at `query.offset`.
    public var rows: [BoardRow]
    /// Players with a rank, including those not in `rows`.
    public var rankedCount: Int
    /// The number of rows without the limit.
    public var listedCount: Int
    /// The viewer's own row with its true rank, even if it is not in `rows`.
    public var myRow: BoardRow?
    /// The results that the spoiler guard left out of this board.
    public var coveredCount: Int

    /// Second, first, third, if exactly three players have the ranks 1 to 3; otherwise empty, and medals are shown in
    /// the list.
    public var podium: [BoardRow]
    /// The position of the viewer's row among all; `nil` if it is not listed.
    public var myPosition: Int?

    /// `rows`, followed by the viewer's own row if that comes later.
    public var shownRows: [BoardRow] {
        guard let myRow, (myPosition ?? .max) >= query.offset, !rows.contains(where: \.isMe) else { return rows }
        return rows + [myRow]
    }

    /// The offset of the next rows; `nil` at the end.
    public var nextOffset: Int? {
        let (end, overflow) = max(query.offset, 0).addingReportingOverflow(rows.count)
        return !rows.isEmpty && !overflow && end < listedCount ? end : nil
    }
}
