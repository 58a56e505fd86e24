public import StreakGames

/// All insights about one player: a pure function of the player's results, the group's rules and the shown day, so that
/// all nodes agree after late pastes, merges and deletions.
///
/// Takes O(n), or O(n log n) if results came out of order. After a change, `InsightCache` recomputes only the changed
/// games. Copies share their memory with the index.
public struct PlayerInsights: Sendable {
    /// What was recorded on one day, over all games.
    struct DayTally: Sendable {
        var day: Int32
        var played = 0
        var completed = 0
        /// Results that count for streaks under the group's archive rule, and how many of those are completed.
        var counted = 0
        var countedCompleted = 0
    }

    public let player: PlayerID
    public let rules: StreakRules
    /// By game ID.
    let chronicles: [GameChronicle]
    /// Days with a result, ascending.
    let days: [DayTally]

    public init(
        of player: PlayerID, in index: ScoreIndex, rules: StreakRules = StreakRules(), games: (GameID) -> Game?
    ) {
        self.init(of: player, in: index, rules: rules, games: games, reusing: [:])
    }

    /// `reusing`: chronicles that are still valid.
    init(
        of player: PlayerID, in index: ScoreIndex, rules: StreakRules, games: (GameID) -> Game?,
        reusing known: [GameID: GameChronicle]
    ) {
        self.player = player
        self.rules = rules
        chronicles = index.shelves(of: player, game: nil).map { shelf in
            let id = index.gameIDs[shelf.game]
            if let chronicle = known[id] { return chronicle }
            let game = games(id) ?? Scoring.unknownGame(id, name: index.name(of: id))
            return GameChronicle(game: game, history: shelf.history, rules: rules)
        }.sorted { $0.game.id < $1.game.id }
        days = Self.days(of: chronicles, rules: rules)
    }

    /// The same without some results. Other games are not computed again.
    ///
    /// - Parameter index: what these insights were made from.
    public func leavingOut(
        _ keys: [ScoreKey], of index: ScoreIndex, games: (GameID) -> Game?
    ) -> PlayerInsights {
        var index = index
        for key in keys { index.remove(key, of: player) }
        let changed = Set(keys.map(\.game))
        let kept = chronicles.filter { !changed.contains($0.game.id) }.map { ($0.game.id, $0) }
        return PlayerInsights(
            of: player, in: index, rules: rules, games: games,
            reusing: Dictionary(kept, uniquingKeysWith: { first, _ in first }))
    }

    private static func days(of chronicles: [GameChronicle], rules: StreakRules) -> [DayTally] {
        // One sort of small numbers instead of a table over all days, so that a result from 1900 does not cost a
        // century.
        var marks: [Int32] = []
        marks.reserveCapacity(chronicles.reduce(0) { $0 + $1.count })
        for chronicle in chronicles {
            for entry in chronicle.history.entries {
                // Days are within ±2¹⁷, so two flags fit beside them.
                let counted: Int32 = rules.counts(entry) ? 2 : 0
                marks.append(entry.day * 4 + counted + (entry.isCompleted ? 1 : 0))
            }
        }
        marks.sort()
        var days: [DayTally] = []
        for mark in marks {
            let day = mark >> 2
            if days.last?.day != day { days.append(DayTally(day: day)) }
            days[days.count - 1].played += 1
            if mark & 1 != 0 { days[days.count - 1].completed += 1 }
            if mark & 2 != 0 { days[days.count - 1].counted += 1 }
            if mark & 3 == 3 { days[days.count - 1].countedCompleted += 1 }
        }
        return days
    }

    /// Games with at least one result, in order of their IDs.
    public var games: [Game] { chronicles.map(\.game) }

    /// The first and the last day with a result; `nil` without any.
    public var span: DaySpan? {
        guard let first = days.first, let last = days.last else { return nil }
        return DaySpan(from: PuzzleDay(daysSinceEpoch: Int(first.day)), to: PuzzleDay(daysSinceEpoch: Int(last.day)))
    }

    /// The same for a game with its modes and difficulties; `nil` for all games.
    public func span(ofFamilyOf game: Game?) -> DaySpan? {
        guard let game else { return span }
        let root = game.variantOf ?? game.id
        let bounds = chronicles.filter { $0.root == root }.compactMap(\.history.bounds)
        guard let from = bounds.map(\.from).min(), let to = bounds.map(\.to).max() else { return nil }
        return DaySpan(from: from, to: to)
    }

    /// The number of results.
    public var count: Int { chronicles.reduce(0) { $0 + $1.count } }

    /// The sum of known solve times in a span, in seconds, for one game or all.
    public func secondsPlayed(in span: DaySpan = .everything, game: GameID? = nil) -> Int {
        chronicles(of: game).reduce(0) { sum, chronicle in
            sum + chronicle.entries(in: span).reduce(0) { $0 + ($1.result.knownSeconds(in: chronicle.game) ?? 0) }
        }
    }

    func chronicle(of game: GameID) -> GameChronicle? {
        chronicles.first { $0.game.id == game }
    }

    /// The chronicles of one game or all.
    func chronicles(of game: GameID?) -> [GameChronicle] {
        guard let game else { return chronicles }
        return chronicle(of: game).map { [$0] } ?? []
    }

    /// The days of a span that have results. O(log n).
    func days(in span: DaySpan) -> ArraySlice<DayTally> {
        guard span.from <= span.to else { return [] }
        return days[position(of: span.from.daysSinceEpoch)..<position(of: span.to.daysSinceEpoch + 1)]
    }

    private func position(of day: Int) -> Int {
        var low = 0
        var high = days.count
        while low < high {
            let middle = (low + high) / 2
            if Int(days[middle].day) < day { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

// MARK: Streaks

extension PlayerInsights {
    /// A run of days over all games.
    public struct OverallStreak: Hashable, Sendable {
        /// The length in days of the run that ends on the shown day or the day before; 0 without one.
        public var current = 0
        public var longest = 0
        /// The first day of the current run.
        public var start: PuzzleDay?
        /// The latest day that counts.
        public var last: PuzzleDay?
    }

    /// The streaks of all games played up to `day`, in order of game IDs.
    public func streaks(on day: PuzzleDay) -> [GameStreak] {
        chronicles.compactMap { chronicle in
            let streak = chronicle.streak(on: day)
            return streak.lastPlayed == nil ? nil : streak
        }
    }

    /// The streak in one game; empty if nothing was recorded, so that a dashboard can show every game.
    public func streak(in game: Game, on day: PuzzleDay) -> GameStreak {
        chronicle(of: game.id)?.streak(on: day)
            ?? GameStreak(
                game: game.id, cadence: game.cadence, current: 0, longest: 0, start: nil, lastPlayed: nil, freezes: 0,
                frozen: 0, isOpen: false, isAtRisk: false)
    }

    /// Streaks that end, or cost a freeze, unless the game is played today: longest first, then by game ID.
    public func atRisk(on day: PuzzleDay) -> [GameStreak] {
        streaks(on: day).filter(\.isAtRisk).sorted { left, right in
            left.current == right.current ? left.game < right.game : left.current > right.current
        }
    }

    /// Days with a completed result in any game.
    public func overallStreak(on day: PuzzleDay) -> OverallStreak {
        run(on: day) { $0.countedCompleted > 0 }
    }

    /// Days with any result, which Daily Devotee counts.
    public func activeRun(on day: PuzzleDay) -> OverallStreak {
        run(on: day) { $0.counted > 0 }
    }

    private func run(on day: PuzzleDay, holds: (DayTally) -> Bool) -> OverallStreak {
        var streak = OverallStreak()
        var length = 0
        var start: Int32 = 0
        var last: Int32?
        for tally in days(in: DaySpan(from: .earliest, to: day)) where holds(tally) {
            if last == tally.day - 1 {
                length += 1
            } else {
                length = 1
                start = tally.day
            }
            last = tally.day
            streak.longest = max(streak.longest, length)
        }
        guard let last else { return streak }
        streak.last = PuzzleDay(daysSinceEpoch: Int(last))
        if Int(last) >= day.daysSinceEpoch - 1 {
            streak.current = length
            streak.start = PuzzleDay(daysSinceEpoch: Int(start))
        }
        return streak
    }
}

extension RawResult {
    /// The solve time, whatever the game's scoring model; seconds, 0 or more.
    func knownSeconds(in game: Game) -> Int? {
        if let seconds { return min(max(seconds, 0), Self.largest) }
        return game.model == .lowerTimeSeconds ? value(in: game) : nil
    }
}
