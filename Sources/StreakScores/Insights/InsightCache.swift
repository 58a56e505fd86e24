public import StreakGames

/// Keeps what was computed about each player, and makes again only what a change touched.
///
/// Whoever stores or removes a result says so; then the cache answers exactly as if nothing had been kept.
public struct InsightCache: Sendable {
    /// A group's rules; a change of them starts over.
    public var rules: StreakRules {
        didSet { if rules != oldValue { reset() } }
    }

    private struct Kept: Sendable {
        var insights: PlayerInsights
        /// Games whose results changed since.
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

    /// Starts over, as when the definition of a game changed.
    public mutating func reset() {
        kept = [:]
    }

    /// The first time O(n) in the player's results; after a change mostly the changed game; else at once.
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
