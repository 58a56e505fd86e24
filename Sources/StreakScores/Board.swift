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

    public init(
        from: PuzzleDay, to: PuzzleDay, game: GameID? = nil, metric: BoardMetric = .points, viewer: PlayerID,
        today: PuzzleDay, now: Int64? = nil, guardsSpoilers: Bool = true, reveals: Bool = false, limit: Int = 100
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
    /// Results counted here.
    public var played: Int
    /// Puzzles there were: for one game the days (weeks of a weekly game) of the range that have begun, for all games
    /// the puzzles anyone on the board has played.
    public var of: Int
    /// By game ID; empty for streaks.
    public var perGame: [GameTotal]
}

/// A ranking for one viewer.
public struct Board: Sendable, Equatable {
    public var query: BoardQuery
    /// Ranked rows best first, then covered ones, then active players without a result; at most `query.limit`.
    public var rows: [BoardRow]
    /// Players with a rank, beyond `rows` too.
    public var rankedCount: Int
    /// Rows there are without the limit.
    public var listedCount: Int
    /// The viewer's own row with its true rank, also where `rows` ends before it.
    public var myRow: BoardRow?
    /// Results the spoiler guard left out of this board.
    public var coveredCount: Int

    /// `rows`, followed by the viewer's own where that is not among them.
    public var shownRows: [BoardRow] {
        guard let myRow, !rows.contains(where: \.isMe) else { return rows }
        return rows + [myRow]
    }
}
