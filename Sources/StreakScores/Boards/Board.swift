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

/// What a missed day counts in averages and head-to-head; totals never change.
public enum MissedDay: String, Sendable, Hashable, CaseIterable {
    case nothing
    /// One more than the maximum; without one, than the worst solve of the group that day.
    case worstPlusOne
    /// Averages are of points, and a missed day has none.
    case zero
}

/// Settings of a group that boards follow.
public struct BoardRules: Sendable, Hashable {
    public var missedDay: MissedDay
    /// Freezes, and after how many days a result counts no more: on boards as in streaks.
    public var streaks: StreakRules

    public init(missedDay: MissedDay = .nothing, streaks: StreakRules = StreakRules()) {
        self.missedDay = missedDay
        self.streaks = streaks
    }
}

/// What a custom game ranks by over a range.
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

/// Which board is asked for, and by whom.
public struct BoardQuery: Sendable, Hashable {
    /// Inclusive.
    public var from: PuzzleDay
    /// Inclusive; may lie after `today` for a week, month or year that is still running.
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
    /// The viewer chose to look.
    public var reveals: Bool
    /// The most rows returned. 100, more when the reader asks for more.
    public var limit: Int
    /// Rows skipped: 100 for the second hundred.
    public var offset: Int
    /// Settings of the group.
    public var rules: BoardRules
    /// What ranks a custom game over a range; `nil` for what its model says. Without effect on totals.
    public var aggregation: Aggregation?
    /// Only players with this region tag, whatever its letter case.
    public var region: String?
    /// Only these players, such as those nearby; `nil` for all.
    public var only: Set<PlayerID>?
    /// Coins from elsewhere than results, such as tiers reached. Counted in totals, not on a game's own page.
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

    /// One day is shown, so real results and rank changes are.
    public var isDayView: Bool { from == to }
}

/// How a rank changed since the day before.
public enum RankDelta: Sendable, Hashable {
    /// Places gained, 1 or more.
    case up(Int)
    /// Places lost, 1 or more.
    case down(Int)
    case same
    /// Without a rank the day before.
    case new

    public init(previous: Int?, current: Int) {
        guard let previous else {
            self = .new
            return
        }
        self = previous == current ? .same : previous > current ? .up(previous - current) : .down(current - previous)
    }

    /// The earlier rank minus the present one; `nil` where there was none.
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
    /// Shared by equals, the next one skips ("1, 2, 2, 4"); `nil` for who is covered, has not played, or is hidden.
    public var rank: Int?
    /// Another row has the same rank.
    public var isTied: Bool
    public var player: PlayerID
    public var name: String
    public var isMe: Bool
    /// The metric. Where one game is shown on one day, the rank follows the raw result instead.
    public var value: Int
    /// The raw result where the row stands for a single one, or for the best or sum of a custom game.
    public var raw: Int?
    public var label: String
    /// "average 0:45, played 6 of 7" under a range; `nil` for a day.
    public var detail: String?
    /// Day view only, and never for rows that are or were covered.
    public var delta: RankDelta?
    /// At least one result counted here was first recorded after its day had ended everywhere.
    public var isLate: Bool
    /// At least one result counted here was edited.
    public var isEdited: Bool
    /// All results of this player in view are covered by the spoiler guard.
    public var isCovered: Bool
    /// Results the spoiler guard leaves out of this row.
    public var coveredCount: Int
    /// Only the viewer sees this row: the viewer opted out of leaderboards.
    public var isPrivate: Bool
    /// Results counted here, of a habit its days.
    public var played: Int
    /// Puzzles there were: for each game that anybody on the board has played, the days (weeks of a weekly game) of the
    /// range that have begun, or the different puzzles played where those are more.
    public var of: Int
    /// By game ID; empty for streaks. With `extra` they add up to `value`.
    public var perGame: [GameTotal]
    /// Coins that come from no game.
    public var extra = 0

    /// Belongs to the rank: two at "=1" are both gold, and nobody has silver.
    public var medal: Medal? { rank.flatMap { Medal(rawValue: $0) } }
}

/// What the first three ranks earn.
public enum Medal: Int, Sendable, Hashable, CaseIterable {
    case gold = 1
    case silver, bronze
}

/// A ranking for one viewer.
public struct Board: Sendable, Equatable {
    public var query: BoardQuery
    /// Ranked rows best first, then covered ones, then active players without a result; at most
    /// `query.limit` from `query.offset` on.
    public var rows: [BoardRow]
    /// Players with a rank, beyond `rows` too.
    public var rankedCount: Int
    /// Rows there are without the limit.
    public var listedCount: Int
    /// The viewer's own row with its true rank, also where `rows` ends before it.
    public var myRow: BoardRow?
    /// Results the spoiler guard left out of this board.
    public var coveredCount: Int

    /// Second, first, third, where exactly three players hold the ranks 1 to 3; else empty, and medals stand in the list.
    public var podium: [BoardRow]
    /// Where the viewer's row stands among all; `nil` if it is not listed.
    public var myPosition: Int?

    /// `rows`, followed by the viewer's own where that comes later.
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
