public import StreakGames

/// Caches each player's insights and recomputes only what a change affects.
///
/// The caller reports each result stored or removed. The answers are then the same as without the cache.
public struct InsightCache: Sendable {
    /// A group's rules. Changing them clears the cache.
    public var rules: StreakRules {
        didSet { if rules != oldValue { reset() } }
    }

    private struct Kept: Sendable {
        var insights: PlayerInsights
        /// The results that are not among them.
        var leftOut: [ScoreKey]
        /// Games whose results have changed since.
        var stale: Set<GameID> = []
    }

    /// By all results of a player, and without those that were left out last.
    private var whole: [PlayerID: Kept] = [:]
    private var partial: [PlayerID: Kept] = [:]

    public init(rules: StreakRules = StreakRules()) {
        self.rules = rules
    }

    /// A result of `player` in `game` was stored, replaced or removed.
    public mutating func resultChanged(in game: GameID, of player: PlayerID) {
        whole[player]?.stale.insert(game)
        partial[player]?.stale.insert(game)
    }

    /// Clears the cache, for example when the definition of a game changed.
    public mutating func reset() {
        (whole, partial) = ([:], [:])
    }

    /// O(n) in the player's results at first; after a change roughly the changed game; otherwise immediate.
    ///
    /// - Parameter leftOut: results that do not count. In the same order each time, or games are computed again.
    public mutating func insights(
        of player: PlayerID, leavingOut leftOut: [ScoreKey] = [], in index: ScoreIndex, games: (GameID) -> Game?
    ) -> PlayerInsights {
        let (kept, other) = leftOut.isEmpty ? (whole[player], partial[player]) : (partial[player], whole[player])
        let known = kept ?? other
        var stale = known?.stale ?? []
        if let known, known.leftOut != leftOut {
            stale.formUnion(Set(known.leftOut).symmetricDifference(leftOut).map(\.game))
        }
        if let kept, stale.isEmpty { return kept.insights }
        let fresh = PlayerInsights(
            of: player, in: index, leavingOut: leftOut, rules: rules, games: games, following: known?.insights,
            stale: stale)
        if leftOut.isEmpty {
            whole[player] = Kept(insights: fresh, leftOut: [])
        } else {
            partial[player] = Kept(insights: fresh, leftOut: leftOut)
        }
        return fresh
    }
}
