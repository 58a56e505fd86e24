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
        /// Games in which results have changed since, each with the first day of one.
        var stale: [GameID: PuzzleDay] = [:]

        mutating func change(_ game: GameID, on day: PuzzleDay) {
            stale[game] = min(stale[game] ?? day, day)
        }
    }

    /// By all results of a player, and without those that were left out last.
    private var whole: [PlayerID: Kept] = [:]
    private var partial: [PlayerID: Kept] = [:]

    public init(rules: StreakRules = StreakRules()) {
        self.rules = rules
    }

    /// A result of `player` in `game` was stored, replaced or removed.
    ///
    /// - Parameter day: that of the result before or now, whichever is earlier.
    public mutating func resultChanged(in game: GameID, of player: PlayerID, from day: PuzzleDay) {
        // Of a newcomer's million results none is asked about before the last.
        if !whole.isEmpty { whole[player]?.change(game, on: day) }
        if !partial.isEmpty { partial[player]?.change(game, on: day) }
    }

    /// Clears the cache, for example when the definition of a game changed.
    public mutating func reset() {
        (whole, partial) = ([:], [:])
    }

    /// O(n) in the player's results at first. The first change of a game reads that game twice; later ones of its newest
    /// results take a few steps, of older ones roughly the game. Otherwise immediate.
    ///
    /// - Parameter leftOut: results that do not count. The less their order changes, the faster.
    public mutating func insights(
        of player: PlayerID, leavingOut leftOut: [ScoreKey] = [], in index: ScoreIndex, games: (GameID) -> Game?
    ) -> PlayerInsights {
        // Taken out, so that it is changed in place.
        let same = leftOut.isEmpty ? whole.removeValue(forKey: player) : partial.removeValue(forKey: player)
        var kept =
            same ?? whole[player] ?? partial[player]
            ?? Kept(
                insights: PlayerInsights(of: player, in: index, leavingOut: leftOut, rules: rules, games: games),
                leftOut: leftOut)
        if kept.leftOut != leftOut {
            let same = zip(kept.leftOut, leftOut).prefix { $0 == $1 }.count
            for key in Set(kept.leftOut.dropFirst(same)).symmetricDifference(leftOut.dropFirst(same)) {
                if let day = index.day(of: key, player) { kept.change(key.game, on: day) }
            }
            kept.leftOut = leftOut
        }
        if !kept.stale.isEmpty {
            kept.insights.update(in: index, leavingOut: leftOut, stale: kept.stale, games: games)
            kept.stale = [:]
        }
        if leftOut.isEmpty { whole[player] = kept } else { partial[player] = kept }
        return kept.insights
    }
}
