public import StreakGames

/// The settings of a group for streaks.
public struct StreakRules: Hashable, Sendable {
    /// The most freezes a player can hold in one game.
    static let maximumFreezes = 3
    /// Completed days in a run that earn one freeze.
    static let daysPerFreeze = 10

    /// Whether freezes hold missed days.
    public var usesFreezes: Bool
    /// A result recorded more than this many days after its own day does not count for streaks; `nil`: all count.
    public var archiveDays: Int?

    public init(usesFreezes: Bool = false, archiveDays: Int? = nil) {
        self.usesFreezes = usesFreezes
        self.archiveDays = archiveDays
    }

    func counts(_ entry: Entry) -> Bool {
        guard let archiveDays else { return true }
        return entry.firstRecordedAt < entry.puzzleDay.adding(days: max(archiveDays, 0)).endEverywhere
    }
}

/// A player's streak in one game on a shown day.
public struct GameStreak: Hashable, Sendable {
    public var game: GameID
    public var cadence: Game.Cadence
    /// The length of the run that is alive, in completed days, weeks of a weekly game, or numbers if those give no day;
    /// 0 without one.
    public var current: Int
    /// The longest run up to the shown day.
    public var longest: Int
    /// The first day of the current run.
    public var start: PuzzleDay?
    /// The day of the latest result, including losses.
    public var lastPlayed: PuzzleDay?
    /// Available freezes; 0 if the group does not use them.
    public var freezes: Int
    /// Missed days of the current run that freezes held.
    public var frozen: Int
    /// Alive, but nothing is recorded yet for the shown day or week.
    public var isOpen: Bool
    /// The run ends or costs a freeze unless the game is played on the shown day. A weekly game is at risk on Sundays.
    public var isAtRisk: Bool

    /// A run is alive on the shown day.
    public var isAlive: Bool { current > 0 }
}

/// Streaks on a day: a function of the results and that day, without a clock.
enum Streak {
    /// The run of days, ending on `day` or the day before, for which `isHeld` is true.
    static func overall(on day: PuzzleDay, isHeld: (PuzzleDay) -> Bool) -> Int {
        var length = 0
        var current = day
        while true {
            if isHeld(current) {
                length += 1
            } else if current != day {
                return length
            }
            guard current > .earliest else { return length }
            current = current.adding(days: -1)
        }
    }

    /// The run in one game that ends on `day` or the day before; for weekly games, in its week or the week before.
    ///
    /// Counts puzzle numbers if those give no day; results without a number then do not count. Reads backwards and
    /// stops where the run begins. With freezes, which depend on everything before, O(n).
    static func current(
        in history: History, of game: Game, on day: PuzzleDay, rules: StreakRules = StreakRules(),
        counts: (Entry) -> Bool
    ) -> Int {
        let known = history.slice(DaySpan(from: .earliest, to: day))
        let axis = Axis(hasNumbered: history.hasNumbered, game)
        if rules.usesFreezes || axis.isNumbered {
            var walk = StreakWalk(along: axis, rules: rules)
            axis.visit(known, counts: { rules.counts($0) && counts($0) }, body: { walk.take($0) })
            return walk.standing(on: day, cadence: game.cadence).length
        }
        return dated(known, axis, on: day) { rules.counts($0) && counts($0) }
    }

    private static func dated(
        _ entries: ArraySlice<Entry>, _ axis: Axis, on day: PuzzleDay, counts: (Entry) -> Bool
    ) -> Int {
        let end = axis.period(of: Int32(truncatingIfNeeded: day.daysSinceEpoch))
        var length = 0
        // The period being read, and whether something in it was completed.
        var reached: Int?
        var isHeld = false
        for entry in entries.reversed() where counts(entry) {
            let place = axis.period(of: entry.day)
            if let reached, place == reached {
                if !isHeld && entry.isCompleted { length += 1 }
                isHeld = isHeld || entry.isCompleted
                continue
            }
            guard reached == nil || isHeld else { return length }
            guard reached.map({ place == $0 - 1 }) ?? (place >= end - 1) else { return length }
            reached = place
            isHeld = entry.isCompleted
            length += isHeld ? 1 : 0
        }
        return length
    }

    /// What a game's streak is counted in.
    struct Axis {
        var isNumbered: Bool
        var cadence: Game.Cadence

        init(isNumbered: Bool, cadence: Game.Cadence) {
            (self.isNumbered, self.cadence) = (isNumbered, cadence)
        }

        /// Uses puzzle numbers if results have any. A habit has none, because the number of a log is only a name.
        init(of results: CountedResults, _ game: Game) {
            self.init(hasNumbered: results.hasNumbered, game)
        }

        init(hasNumbered: Bool, _ game: Game) {
            self.init(isNumbered: hasNumbered && game.model != .count, cadence: game.cadence)
        }

        /// Consecutive numbers for consecutive days, or weeks of a weekly game.
        func period(of day: Int32) -> Int {
            // 28,003 days before 1970-01-01 is a Monday before the earliest day.
            cadence == .weekly ? (Int(day) + 28_003) / 7 : Int(day)
        }

        /// The first day of the week of a day, in a weekly game; else the day.
        func firstDay(ofPeriodWith day: Int32) -> Int32 {
            cadence == .weekly ? day - (day + 28_003) % 7 : day
        }

        /// The highest number of a puzzle among entries. Days do not order the numbers.
        func lastNumber(of entries: ArraySlice<Entry>) -> Int {
            isNumbered ? entries.reduce(.min) { max($0, $1.isKeyedByPuzzle ? $1.puzzle ?? 0 : .min) } : .min
        }

        /// Whether the places of entries all come after that of a number.
        func isAfter(_ number: Int, _ entries: ArraySlice<Entry>) -> Bool {
            !isNumbered || entries.allSatisfy { !$0.isKeyedByPuzzle || ($0.puzzle ?? 0) > number }
        }

        /// Calls `body` for every place with a counted result, ascending. If a place has several results, any completed
        /// one holds it.
        func visit(_ entries: ArraySlice<Entry>, counts: (Entry) -> Bool, body: (Place) -> Void) {
            if isNumbered {
                numberedPlaces(entries, counts: counts).forEach(body)
                return
            }
            var pending: Place?
            for entry in entries where counts(entry) {
                let number = period(of: entry.day)
                if let known = pending, known.number == number {
                    pending?.isCompleted = known.isCompleted || entry.isCompleted
                    continue
                }
                if let pending { body(pending) }
                pending = Place(number: number, day: entry.day, isCompleted: entry.isCompleted)
            }
            if let pending { body(pending) }
        }

        private func numberedPlaces(_ entries: ArraySlice<Entry>, counts: (Entry) -> Bool) -> [Place] {
            var places: [Place] = []
            places.reserveCapacity(entries.count)
            var isSorted = true
            for entry in entries where entry.isKeyedByPuzzle && counts(entry) {
                let number = entry.puzzle ?? 0
                // An archive puzzle may be played after a later one, so days do not order the numbers.
                if let last = places.last, last.number > number { isSorted = false }
                places.append(Place(number: number, day: entry.day, isCompleted: entry.isCompleted))
            }
            return isSorted ? places : places.sorted { $0.number < $1.number }
        }
    }

    /// One step of the axis at which something was played.
    struct Place {
        var number: Int
        var day: Int32
        var isCompleted: Bool
    }
}

/// Walks the places of one game in ascending order and computes its streak.
struct StreakWalk {
    /// The run on a day.
    struct State {
        var length = 0
        var start: Int32?
        var freezes = 0
        var frozen = 0
        /// Nothing was played in the shown day's period.
        var isOpen = false
    }

    /// A run had a round length on a day. Four bytes, because there may be one a week.
    struct Round {
        /// Days are within ±2¹⁷.
        private let packed: Int32

        /// - Parameter place: that of the length among `roundLengths`.
        init(day: Int32, place: Int) { packed = day << 2 | Int32(place) }

        var day: Int32 { packed >> 2 }
        var length: Int { roundLengths[Int(packed & 3)] }
    }

    /// Lengths that are told each time they are reached: at most four.
    static let roundLengths = [7, 30, 100, 365]

    /// Lengths for which the first day is recorded: the tiers of Streak Master.
    static let milestones = Achievement.streakMaster.thresholds

    /// The lengths at which something is noted: milestones and round lengths, ascending.
    private static let marks = (milestones + roundLengths).sorted()

    private let usesFreezes: Bool
    private let isNumbered: Bool
    private var length = 0
    private var nextMark = marks[0]
    private var start: Int32 = 0
    private var freezes = 0
    private var frozen = 0
    private var last: Streak.Place?
    /// The days of the current run, if puzzle numbers place them. They ascend unless an archive puzzle was played after
    /// a later one.
    private var runDays: [Int32] = []
    private var isAscending = true
    private(set) var longest = 0
    /// For each milestone, the first day a run had that length.
    private(set) var reached = [Int32?](repeating: nil, count: milestones.count)
    /// Each time that a run had a round length, in order of days.
    private(set) var rounds: [Round] = []

    init(along axis: Streak.Axis, rules: StreakRules) {
        (isNumbered, usesFreezes) = (axis.isNumbered, rules.usesFreezes)
    }

    mutating func take(_ place: Streak.Place) {
        if let last, length > 0 { spend(missed: place.number - last.number - 1) }
        if let last, length > 0, place.day < last.day { isAscending = false }
        last = place
        guard place.isCompleted else {
            end()
            return
        }
        if length == 0 { start = place.day }
        length += 1
        if isNumbered { runDays.append(place.day) }
        longest = max(longest, length)
        if usesFreezes, length % StreakRules.daysPerFreeze == 0 {
            freezes = min(freezes + 1, StreakRules.maximumFreezes)
        }
        if length == nextMark || !isAscending { noteMarks(on: place.day) }
    }

    private mutating func noteMarks(on day: Int32) {
        nextMark = Self.marks.first { $0 > length } ?? .max
        noteMilestones(on: day)
        guard let round = Self.roundLengths.firstIndex(of: length) else { return }
        let latest = isAscending ? day : runDays.max() ?? day
        let place = rounds.lastIndex { $0.day <= latest }.map { $0 + 1 } ?? 0
        rounds.insert(Round(day: latest, place: round), at: place)
    }

    /// The run on `day`, which must not precede any place already taken.
    func standing(on day: PuzzleDay, cadence: Game.Cadence) -> State {
        guard let last else { return State() }
        let axis = Streak.Axis(isNumbered: false, cadence: cadence)
        let shown = axis.period(of: Int32(truncatingIfNeeded: day.daysSinceEpoch))
        let lastPeriod = axis.period(of: last.day)
        var walk = self
        if walk.length > 0 { walk.spend(missed: shown - lastPeriod - 1) }
        guard walk.length > 0 else { return State(freezes: walk.freezes) }
        return State(
            length: walk.length, start: walk.start, freezes: walk.freezes, frozen: walk.frozen,
            isOpen: lastPeriod < shown)
    }

    /// A run has a length on the latest day among that many neighbours: an archive puzzle completes the run when it is
    /// played.
    private mutating func noteMilestones(on day: Int32) {
        for (position, milestone) in Self.milestones.enumerated() where milestone <= length {
            // In ascending order the run itself is the earliest. Later neighbours only have later days.
            if isAscending && milestone != length { continue }
            let known = reached[position] ?? .max
            var latest = day
            if !isAscending {
                for day in runDays.suffix(milestone).reversed() {
                    latest = max(latest, day)
                    if latest >= known { break }
                }
            }
            reached[position] = min(known, latest)
        }
    }

    /// Each missed day costs a freeze. The first one without a freeze ends the run.
    private mutating func spend(missed: Int) {
        guard missed > 0 else { return }
        let held = min(missed, freezes)
        freezes -= held
        frozen += held
        if held < missed { end() }
    }

    private mutating func end() {
        (length, frozen, nextMark) = (0, 0, Self.marks[0])
        runDays.removeAll(keepingCapacity: true)
        isAscending = true
    }
}
