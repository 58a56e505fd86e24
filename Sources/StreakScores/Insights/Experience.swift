public import StreakGames

/// Coins with their days, for sums over a range.
public struct DatedCoins: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
        public var day: PuzzleDay
        public var coins: Int

        public init(day: PuzzleDay, coins: Int) {
            self.day = day
            self.coins = coins
        }
    }

    public static let none = DatedCoins([])

    /// Ascending, one entry a day.
    public let entries: [Entry]
    /// The running sum, including each entry.
    private let sums: [Int]

    /// Negative amounts count as 0, absurdly large ones as a billion.
    public init(_ entries: [Entry]) {
        var merged: [Entry] = []
        var sums: [Int] = []
        for entry in entries.sorted(by: { $0.day < $1.day }) {
            let coins = min(max(entry.coins, 0), 1_000_000_000)
            if merged.last?.day == entry.day {
                merged[merged.count - 1].coins += coins
                sums[sums.count - 1] += coins
            } else {
                merged.append(Entry(day: entry.day, coins: coins))
                sums.append((sums.last ?? 0) + coins)
            }
        }
        self.entries = merged
        self.sums = sums
    }

    public var total: Int { sums.last ?? 0 }

    /// The coins dated within `span`, both ends inclusive. O(log n).
    public func total(in span: DaySpan) -> Int {
        guard span.from <= span.to else { return 0 }
        return sum(before: span.to.daysSinceEpoch + 1) - sum(before: span.from.daysSinceEpoch)
    }

    public func merged(with other: DatedCoins) -> DatedCoins {
        DatedCoins(entries + other.entries)
    }

    private func sum(before day: Int) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].day.daysSinceEpoch < day { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? sums[low - 1] : 0
    }
}

/// Coins and experience are the same number, which is never spent and gives the level.
public struct Experience: Hashable, Sendable {
    /// 0 … 10¹⁵: more than a life of puzzles, and small enough that no computation overflows.
    public let coins: Int

    public init(coins: Int) {
        self.coins = min(max(coins, 0), 1_000_000_000_000_000)
    }

    /// 1 + ⌊√(coins ÷ 100)⌋.
    public var level: Int {
        // Below 2⁵², rounding a root never yields a whole number that is too high.
        1 + Int(Double(coins / 100).squareRoot())
    }

    /// The experience where this level begins.
    public var floor: Int { 100 * (level - 1) * (level - 1) }

    /// The experience where the next level begins.
    public var ceiling: Int { 100 * level * level }

    /// The fraction of this level done, 0..<1.
    public var fraction: Double { Double(coins - floor) / Double(ceiling - floor) }

    /// Coins for a completed result, in addition to its points.
    static let coinsPerCompleted = 10
}

extension PlayerInsights {
    /// Coins for results up to a day, by default all: 10 for each completed one, plus its points. O(log n).
    public func resultCoins(through day: PuzzleDay = .latest) -> Int { days.sum(through: day).coins }

    /// Coins and level from results, tiers and events' `rewards`.
    public func experience(friends: [PuzzleDay] = [], rewards: DatedCoins = .none) -> Experience {
        Experience(coins: resultCoins() + achievements(on: .latest, friends: friends).coins.total + rewards.total)
    }
}
