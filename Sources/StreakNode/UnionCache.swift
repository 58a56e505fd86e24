import StreakScores

/// What boards over all groups are made from, until anything changes.
struct UnionCache {
    /// Everybody in all groups.
    private(set) var union: GroupsUnion?
    /// What tiers are worth there.
    private(set) var coins: [PlayerID: DatedCoins]?

    mutating func keep(_ union: GroupsUnion) { (self.union, coins) = (union, nil) }

    mutating func keep(_ coins: [PlayerID: DatedCoins]) { self.coins = coins }

    mutating func forget() { self = UnionCache() }
}
