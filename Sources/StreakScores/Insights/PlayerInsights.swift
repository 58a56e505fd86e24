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

        /// The same days after some games have changed.
        ///
        /// - Parameter changes: a game's chronicle before and after; nil is none.
        static func changed(
            _ known: [DayTally], by changes: [(old: GameChronicle?, new: GameChronicle?)], rules: StreakRules
        ) -> [DayTally] {
            // One sort of small numbers instead of a table over all days, so that a result from 1900 does not cost a
            // century.
            var marks: [Mark] = []
            marks.reserveCapacity(changes.reduce(0) { $0 + ($1.old == nil ? $1.new?.count ?? 0 : 8) })
            for (old, new) in changes {
                let (before, after) = (Mark.list(of: old, rules), Mark.list(of: new, rules))
                // Most changes are at the end.
                let same = zip(before, after).prefix { $0 == $1 }.count
                marks += before.dropFirst(same).map(\.removed)
                marks += after.dropFirst(same)
            }
            marks.sort { $0.rawValue < $1.rawValue }
            var days: [DayTally] = []
            days.reserveCapacity(known.count + 8)
            var place = 0
            for mark in marks {
                while place < known.count, known[place].day <= mark.day {
                    days.append(known[place])
                    place += 1
                }
                if days.last?.day != mark.day { days.append(DayTally(day: mark.day)) }
                days[days.count - 1].count(mark)
                if days[days.count - 1].played == 0 { days.removeLast() }
            }
            return days + known[place...]
        }

        private mutating func count(_ mark: Mark) {
            let step = mark.isRemoved ? -1 : 1
            played += step
            if mark.isCompleted { completed += step }
            if mark.isCounted { counted += step }
            if mark.isCompleted && mark.isCounted { countedCompleted += step }
        }
    }

    /// One result on one day. Ascending by day, what is added before what is removed.
    private struct Mark: Equatable {
        /// Days are within ±2¹⁷, so three flags fit beside them.
        let rawValue: Int32

        var day: Int32 { rawValue >> 3 }
        var isRemoved: Bool { rawValue & 4 != 0 }
        var isCounted: Bool { rawValue & 2 != 0 }
        var isCompleted: Bool { rawValue & 1 != 0 }
        var removed: Mark { Mark(rawValue: rawValue | 4) }

        static func list(of chronicle: GameChronicle?, _ rules: StreakRules) -> [Mark] {
            (chronicle?.history.entries ?? []).map { entry in
                Mark(rawValue: entry.day * 8 + (rules.counts(entry) ? 2 : 0) + (entry.isCompleted ? 1 : 0))
            }
        }
    }

    public let player: PlayerID
    public let rules: StreakRules
    /// By game ID.
    let chronicles: [GameChronicle]
    /// Days with a result, ascending.
    let days: [DayTally]

    /// - Parameter leftOut: results that do not count.
    public init(
        of player: PlayerID, in index: ScoreIndex, leavingOut leftOut: [ScoreKey] = [],
        rules: StreakRules = StreakRules(), games: (GameID) -> Game?
    ) {
        self.init(
            of: player, in: index, leavingOut: leftOut, rules: rules, games: games, following: nil, stale: [])
    }

    /// - Parameters:
    ///   - leftOut: results that do not count.
    ///   - known: insights by the same rules that differ in no other games than `stale`.
    init(
        of player: PlayerID, in index: ScoreIndex, leavingOut leftOut: [ScoreKey], rules: StreakRules,
        games: (GameID) -> Game?, following known: PlayerInsights?, stale: Set<GameID>
    ) {
        self.player = player
        self.rules = rules
        let omitted = Dictionary(grouping: leftOut, by: \.game)
        func chronicle(_ shelf: ScoreIndex.Shelf) -> GameChronicle? {
            let id = index.gameIDs[shelf.game]
            var history = shelf.history
            for key in omitted[id] ?? [] { _ = history.remove(key.axis) }
            guard !history.entries.isEmpty else { return nil }
            return GameChronicle(
                game: games(id) ?? Scoring.unknownGame(id, name: index.name(of: id)), history: history, rules: rules)
        }
        guard let known else {
            chronicles = index.shelves(of: player, game: nil).compactMap(chronicle).sorted { $0.game.id < $1.game.id }
            days = DayTally.changed([], by: chronicles.map { (nil, $0) }, rules: rules)
            return
        }
        var current = known.chronicles
        var changes: [(GameChronicle?, GameChronicle?)] = []
        for game in stale.sorted() {
            let place = Self.place(of: game, in: current)
            let old = place < current.count && current[place].game.id == game ? current.remove(at: place) : nil
            let new = index.shelves(of: player, game: game).first.flatMap(chronicle)
            if let new { current.insert(new, at: place) }
            changes.append((old, new))
        }
        chronicles = current
        days = DayTally.changed(known.days, by: changes, rules: rules)
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
        let place = Self.place(of: game, in: chronicles)
        return place < chronicles.count && chronicles[place].game.id == game ? chronicles[place] : nil
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

    /// A streak that had a round length on a day: 7, 30, 100 or 365.
    public struct RoundStreak: Hashable, Sendable {
        public var game: Game
        public var day: PuzzleDay
        public var length: Int
    }

    /// Round streaks that were reached on a day or later, in order of game IDs. O(those + games).
    public func roundStreaks(from first: PuzzleDay) -> [RoundStreak] {
        chronicles.flatMap { chronicle in
            chronicle.walk.rounds.filter { Int($0.day) >= first.daysSinceEpoch }.map {
                RoundStreak(
                    game: chronicle.game, day: PuzzleDay(daysSinceEpoch: Int($0.day)), length: $0.length)
            }
        }
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
