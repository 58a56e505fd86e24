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
        /// Games whose results have changed since.
        var stale: Set<GameID> = []
        var isStale: Bool { !stale.isEmpty }
    }

    private var kept: [PlayerID: Kept] = [:]

    public init(rules: StreakRules = StreakRules()) {
        self.rules = rules
    }

    /// A result of `player` in `game` was stored, replaced or removed.
    public mutating func resultChanged(in game: GameID, of player: PlayerID) {
        kept[player]?.stale.insert(game)
    }

    /// Clears the cache, for example when the definition of a game changed.
    public mutating func reset() {
        kept = [:]
    }

    /// O(n) in the player's results at first; after a change roughly the changed game; otherwise immediate.
    public mutating func insights(
        of player: PlayerID, in index: ScoreIndex, games: (GameID) -> Game?
    ) -> PlayerInsights {
        if let known = kept[player], !known.isStale { return known.insights }
        var reusable: [GameID: GameChronicle] = [:]
        if let known = kept[player] {
            for chronicle in known.insights.chronicles where !known.stale.contains(chronicle.game.id) {
                reusable[chronicle.game.id] = chronicle
            }
        }
        let fresh = PlayerInsights(of: player, in: index, rules: rules, games: games, reusing: reusable)
        kept[player] = Kept(insights: fresh)
        return fresh
    }
}
