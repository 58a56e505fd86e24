public import StreakGames

/// All insights about one player: a pure function of the player's results, the group's rules and the shown day, so that
/// all nodes agree after late pastes, merges and deletions.
///
/// Takes O(n), or O(n log n) if results came out of order. After a change, `InsightCache` recomputes only the changed
/// games. Copies share their memory with the index.
public struct PlayerInsights: Sendable {
    public let player: PlayerID
    public let rules: StreakRules
    /// By game ID.
    private(set) var chronicles: [GameChronicle] = []
    /// Days with a result, ascending, and their sums.
    private(set) var days = DaySums()
    /// The first day of each game, ascending. A mode counts as its game.
    private(set) var firstDays: [Int32] = []

    /// - Parameter leftOut: results that do not count.
    public init(
        of player: PlayerID, in index: ScoreIndex, leavingOut leftOut: [ScoreKey] = [],
        rules: StreakRules = StreakRules(), games: (GameID) -> Game?
    ) {
        (self.player, self.rules) = (player, rules)
        var sum: [DayTally] = []
        // One buffer for all games.
        var tallies: [DayTally] = []
        let omitted = Dictionary(grouping: leftOut, by: \.game)
        for shelf in index.shelves(of: player, game: nil) {
            let id = index.gameIDs[shelf.game]
            let results = CountedResults(shelf.history, leavingOut: omitted[id] ?? [])
            if results.entries.isEmpty { continue }
            tallies.removeAll(keepingCapacity: true)
            chronicles.append(
                GameChronicle(
                    game: games(id) ?? Scoring.unknownGame(id, name: index.name(of: id)), results: results,
                    rules: rules, tallies: &tallies))
            DayTally.add(tallies, to: &sum)
        }
        chronicles.sort { $0.game.id < $1.game.id }
        days.add(sum)
        noteFirstDays()
    }

    /// Follows changes of the index and of what is left out.
    ///
    /// - Parameter stale: the games in which results have changed, each with the first day of such a result.
    mutating func update(
        in index: ScoreIndex, leavingOut leftOut: [ScoreKey], stale: [GameID: PuzzleDay], games: (GameID) -> Game?
    ) {
        var areFirstDaysSame = true
        for id in stale.keys.sorted() {
            let place = Self.place(of: id, in: chronicles)
            let old = place < chronicles.count && chronicles[place].game.id == id ? chronicles[place] : nil
            let shelf = index.shelves(of: player, game: id).first
            let counted = shelf.map { CountedResults($0.history, leavingOut: leftOut.filter { $0.game == id }) }
            let results = counted.flatMap { $0.entries.isEmpty ? nil : $0 }
            let first = Int32(truncatingIfNeeded: stale[id]?.daysSinceEpoch ?? 0)
            let start = results.flatMap { old?.start(of: $0, changedFrom: first) }
            var tallies: [DayTally] = []
            let new = results.map { results in
                GameChronicle(
                    game: games(id) ?? Scoring.unknownGame(id, name: index.name(of: id)), results: results,
                    rules: rules, from: start, followsChange: true, tallies: &tallies)
            }
            chronicles.replaceSubrange(place..<(old == nil ? place : place + 1), with: [new].compactMap(\.self))
            DayTally.add((old?.tallies(from: start) ?? []).map(\.negated), to: &tallies)
            days.add(tallies)
            areFirstDaysSame = areFirstDaysSame && old?.results.entries.first?.day == new?.results.entries.first?.day
        }
        if !areFirstDaysSame { noteFirstDays() }
    }

    private mutating func noteFirstDays() {
        var firsts: [GameID: Int32] = [:]
        for chronicle in chronicles {
            guard let first = chronicle.results.entries.first else { continue }
            firsts[chronicle.root] = min(firsts[chronicle.root] ?? .max, first.day)
        }
        firstDays = firsts.values.sorted()
    }

    /// Where a game's chronicle is, or belongs.
    private static func place(of game: GameID, in chronicles: [GameChronicle]) -> Int {
        var low = 0
        var high = chronicles.count
        while low < high {
            let middle = (low + high) / 2
            if chronicles[middle].game.id < game { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Games with at least one result, in order of their IDs.
    public var games: [Game] { chronicles.map(\.game) }

    /// The first and the last day with a result; `nil` without any.
    public var span: DaySpan? {
        guard let first = days.tallies.first, let last = days.tallies.last else { return nil }
        return DaySpan(from: PuzzleDay(daysSinceEpoch: Int(first.day)), to: PuzzleDay(daysSinceEpoch: Int(last.day)))
    }

    /// The same for a game with its modes and difficulties; `nil` for all games.
    public func span(ofFamilyOf game: Game?) -> DaySpan? {
        guard let game else { return span }
        let root = game.variantOf ?? game.id
        let bounds = chronicles.filter { $0.root == root }.compactMap(\.results.bounds)
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
        let place = Self.place(of: game, in: chronicles)
        return place < chronicles.count && chronicles[place].game.id == game ? chronicles[place] : nil
    }

    /// The chronicles of one game or all.
    func chronicles(of game: GameID?) -> [GameChronicle] {
        guard let game else { return chronicles }
        return chronicle(of: game).map { [$0] } ?? []
    }

    /// The days of a span that have results. O(log n).
    func days(in span: DaySpan) -> ArraySlice<DayTally> { days.slice(span) }

    /// The day of a player's n-th result, counted from 1; nil if there are fewer. O(log n).
    public func day(ofResult number: Int) -> PuzzleDay? {
        days.first { $0.played >= number }.map { PuzzleDay(daysSinceEpoch: Int($0)) }
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

    /// A streak that had a round length on a day: 7, 30, 100 or 365.
    public struct RoundStreak: Hashable, Sendable {
        public var game: Game
        public var day: PuzzleDay
        public var length: Int
    }

    /// Round streaks that were reached on a day or later, in order of game IDs. O(those + games).
    public func roundStreaks(from first: PuzzleDay) -> [RoundStreak] {
        var rounds: [RoundStreak] = []
        for chronicle in chronicles {
            for round in chronicle.rounds(from: first) {
                let day = PuzzleDay(daysSinceEpoch: Int(round.day))
                rounds.append(RoundStreak(game: chronicle.game, day: day, length: round.length))
            }
        }
        return rounds
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
