import StreakGames

/// What was recorded on one day, over some games.
struct DayTally: Equatable {
    let day: Int32
    private(set) var played: Int32 = 0
    private(set) var completed: Int32 = 0
    /// Results that count for streaks under the group's archive rule, and how many of those are completed.
    private(set) var counted: Int32 = 0
    private(set) var countedCompleted: Int32 = 0
    /// The best possible results, and those that beat all earlier ones of their game.
    var perfect: Int32 = 0
    var records: Int32 = 0
    private(set) var coins: Int32 = 0

    init(day: Int32) { self.day = day }

    /// - Parameter points: what the result adds to totals.
    mutating func add(_ entry: Entry, isCounted: Bool, points: Int) {
        played += 1
        counted += isCounted ? 1 : 0
        guard entry.isCompleted else { return }
        completed += 1
        countedCompleted += isCounted ? 1 : 0
        coins += Int32(Experience.coinsPerCompleted + points)
    }

    /// What takes it away again.
    var negated: DayTally {
        var other = DayTally(day: day)
        (other.played, other.completed, other.counted) = (-played, -completed, -counted)
        (other.countedCompleted, other.perfect, other.records) = (-countedCompleted, -perfect, -records)
        other.coins = -coins
        return other
    }

    private mutating func add(_ other: DayTally) {
        (played, completed, counted) = (played + other.played, completed + other.completed, counted + other.counted)
        countedCompleted += other.countedCompleted
        (perfect, records, coins) = (perfect + other.perfect, records + other.records, coins + other.coins)
    }

    /// Adds days to a list, both ascending. Days on which nothing is left are dropped. O(days of both).
    ///
    /// Works in place, without a table over all days, so that a result from 1900 does not cost a century.
    static func add(_ more: [DayTally], to days: inout [DayTally]) {
        guard let first = more.first else { return }
        var place = days.partitioningIndex(in: days.indices) { $0.day >= first.day }
        var missing: [DayTally] = []
        var isOneEmpty = false
        for tally in more {
            while place < days.count, days[place].day < tally.day { place += 1 }
            guard place < days.count, days[place].day == tally.day else {
                missing.append(tally)
                continue
            }
            days[place].add(tally)
            isOneEmpty = isOneEmpty || days[place].isEmpty
        }
        insert(missing, into: &days)
        if isOneEmpty { days.removeAll(where: \.isEmpty) }
    }

    /// Inserts days that a list lacks, from its end on.
    private static func insert(_ missing: [DayTally], into days: inout [DayTally]) {
        var unmoved = days.count
        days += missing
        for (place, tally) in missing.enumerated().reversed() {
            while unmoved > 0, days[unmoved - 1].day > tally.day {
                days[unmoved + place] = days[unmoved - 1]
                unmoved -= 1
            }
            days[unmoved + place] = tally
        }
    }

    private var isEmpty: Bool { self == DayTally(day: day) }
}

/// A player's days with results, ascending, and running sums over them.
struct DaySums {
    /// The sums up to the end of a day.
    struct Sum {
        var day: Int32
        var played: Int32 = 0
        var completed: Int32 = 0
        var perfect: Int32 = 0
        var records: Int32 = 0
        var coins = 0
        /// The days in a row that end with this one, and the most so far. Results that do not count for streaks make none.
        var run: Int32 = 0
        var longestRun: Int32 = 0
        /// The last day of the run.
        private(set) var runEnd = Int32.min

        fileprivate mutating func add(_ tally: DayTally) {
            if tally.counted > 0 {
                run = runEnd == tally.day - 1 ? run + 1 : 1
                runEnd = tally.day
                longestRun = max(longestRun, run)
            }
            day = tally.day
            (played, completed) = (played + tally.played, completed + tally.completed)
            (perfect, records) = (perfect + tally.perfect, records + tally.records)
            coins += Int(tally.coins)
        }
    }

    /// A sum is kept for every 32nd day only: adding up to 31 days costs less than keeping a sum for each.
    private static let interval = 32

    private(set) var tallies: [DayTally] = []
    /// The sums over the first 32, 64, 96 … days.
    private var kept: [Sum] = []
    private(set) var total = Sum(day: .min)

    var count: Int { tallies.count }

    /// Adds tallies of days, ascending. O(days since the first of them).
    mutating func add(_ more: [DayTally]) {
        guard let first = more.first else { return }
        if tallies.isEmpty { tallies.reserveCapacity(more.count) }
        let place = tallies.partitioningIndex(in: tallies.indices) { $0.day >= first.day }
        DayTally.add(more, to: &tallies)
        kept.removeSubrange((place / Self.interval)...)
        total = kept.last ?? Sum(day: .min)
        for place in kept.count * Self.interval..<tallies.count {
            total.add(tallies[place])
            if (place + 1).isMultiple(of: Self.interval) { kept.append(total) }
        }
    }

    /// The days of a span. O(log n).
    func slice(_ span: DaySpan) -> ArraySlice<DayTally> {
        guard span.from <= span.to else { return [] }
        let from = tallies.partitioningIndex(in: tallies.indices) { Int($0.day) >= span.from.daysSinceEpoch }
        let end = tallies.partitioningIndex(in: from..<tallies.count) { Int($0.day) > span.to.daysSinceEpoch }
        return tallies[from..<end]
    }

    /// The sums up to the end of a day. O(log n).
    func sum(through day: PuzzleDay) -> Sum {
        let end = tallies.partitioningIndex(in: tallies.indices) { Int($0.day) > day.daysSinceEpoch }
        let block = end / Self.interval
        var sum = block > 0 ? kept[block - 1] : Sum(day: .min)
        for tally in tallies[block * Self.interval..<end] { sum.add(tally) }
        return sum
    }

    /// The first day by whose end something holds; it must hold for all after that. O(log n).
    func first(where holds: (Sum) -> Bool) -> Int32? {
        let block = kept.partitioningIndex(in: kept.indices, where: holds)
        var sum = block > 0 ? kept[block - 1] : Sum(day: .min)
        for tally in tallies[(block * Self.interval)...] {
            sum.add(tally)
            if holds(sum) { return tally.day }
        }
        return nil
    }
}
