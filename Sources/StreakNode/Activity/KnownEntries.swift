import StreakGames
import StreakScores

/// What a player has reached.
enum Reached: Hashable {
    case tier(AchievementTier)
    /// The best of several at once, and how many there are besides.
    case tiers(AchievementTier, more: Int)
    case results(Int)
    case streak(Int, unit: String, game: String)
    case level(Int)

    var isTier: Bool {
        switch self {
        case .tier, .tiers: true
        case .results, .streak, .level: false
        }
    }

    var icon: String {
        switch self {
        case .tier(let reached), .tiers(let reached, _): reached.tier.emoji
        case .results: "🔢"
        case .streak: "🔥"
        case .level: "⭐"
        }
    }

    /// What names the entry: it is not news again when others come to the best.
    var about: [UInt8] {
        switch self {
        case .tier(let reached), .tiers(let reached, _): Array(reached.title.utf8)
        case .results, .streak, .level: Array(words.utf8)
        }
    }

    /// All that stands behind “reached”.
    var words: String {
        switch self {
        case .tier(let reached): reached.title
        case .tiers(let reached, let more): "\(reached.title), and \(more) more achievements"
        case .results(let count): "\(count.grouped) results"
        case .streak(let length, let unit, let game): "\(length) \(unit) of \(game) in a row"
        case .level(let level): "level \(level)"
        }
    }
}

/// One player's entries, each made once: its ID is a hash, and its words are text.
struct KnownEntries {
    /// What an entry tells. With the results of its game, it decides all of the entry.
    enum Fact: Hashable {
        /// How many are told with this one, which is the last of them.
        case result(ScoreKey, PlayerNews.Told, count: Int)
        case reached(Reached, at: Int64)

        fileprivate var game: GameID? {
            switch self {
            case .result(let key, _, _): key.game
            case .reached: nil
            }
        }
    }

    private var known: [Fact: ActivityEntry] = [:]

    /// Results in some games have changed.
    mutating func forget(in games: Set<GameID>) {
        for fact in known.keys where fact.game.map(games.contains) ?? false { known[fact] = nil }
    }

    mutating func entry(_ fact: Fact, make: () -> ActivityEntry) -> ActivityEntry {
        if let entry = known[fact] { return entry }
        let entry = make()
        known[fact] = entry
        return entry
    }
}
