public import StreakGames

/// The merged results of everybody on a set of boards, stored so that a board reads only the days it shows.
///
/// A pure value: equal contents give equal boards, in whatever order they came. About 55 bytes a result. Numbers that
/// no real result has (beyond 32 bits; score 64 bits; hints and mistakes 16 bits; seconds after 2106) are clamped. Sums
/// are updated with each change, by the rules of the catalogue; `define(_:)` sets others.
public struct ScoreIndex: Sendable {
    /// A player's history in one game.
    struct Shelf: Sendable {
        var game: Int
        var history: History
    }

    private(set) var gameIDs: [GameID] = []
    private var slotOfGame: [GameID: Int] = [:]
    private var slotOfPlayer: [PlayerID: Int] = [:]
    /// By player slot, in order of game slots.
    private var shelves: [[Shelf]] = []
    /// Rules for games that the catalogue lacks or defines differently.
    private var definitions: [GameID: Game] = [:]
    /// By game slot.
    private var rules: [GameRules] = []

    /// The number of results.
    public private(set) var count = 0

    public init() {}

    /// Stores a result, replacing the player's result with an equal key.
    public mutating func replace(_ score: DailyScore, of player: PlayerID) {
        let playerSlot = slot(of: player)
        let gameSlot = slot(of: score.game)
        let position = Self.position(ofGame: gameSlot, in: shelves[playerSlot])
        if position == shelves[playerSlot].count || shelves[playerSlot][position].game != gameSlot {
            shelves[playerSlot].insert(Shelf(game: gameSlot, history: History(rules: rules[gameSlot])), at: position)
        }
        if shelves[playerSlot][position].history.replace(score) { count += 1 }
    }

    /// Stores many results of a player in one game, each as `replace` would: `forEach` passes each to its argument.
    ///
    /// - Parameter count: roughly how many there are.
    public mutating func replace(
        _ count: Int, of player: PlayerID, in game: GameID, forEach: ((DailyScore) -> Void) -> Void
    ) {
        let playerSlot = slot(of: player)
        let gameSlot = slot(of: game)
        let position = Self.position(ofGame: gameSlot, in: shelves[playerSlot])
        let isKnown = position < shelves[playerSlot].count && shelves[playerSlot][position].game == gameSlot
        // Taken out of the array, so that it is changed in place.
        var history = isKnown ? shelves[playerSlot].remove(at: position).history : History(rules: rules[gameSlot])
        history.reserveCapacity(count)
        forEach { if history.replace($0) { self.count += 1 } }
        guard !history.entries.isEmpty else { return }
        shelves[playerSlot].insert(Shelf(game: gameSlot, history: history), at: position)
    }

    /// Sets the rules of a custom game. Without it boards are still right, but add up every result they show.
    public mutating func define(_ game: Game) {
        definitions[game.id] = game
        follow(game)
    }

    /// Removes the rules of a custom game that nobody defines any longer.
    public mutating func undefine(_ game: GameID) {
        definitions[game] = nil
        follow(Catalogue.standard[game] ?? Scoring.unknownGame(game))
    }

    private mutating func follow(_ game: Game) {
        guard let gameSlot = slotOfGame[game.id] else { return }
        rules[gameSlot] = GameRules(game)
        for player in shelves.indices {
            let position = Self.position(ofGame: gameSlot, in: shelves[player])
            guard position < shelves[player].count, shelves[player][position].game == gameSlot else { continue }
            shelves[player][position].history.follow(rules[gameSlot])
        }
    }

    /// Takes over all results of a player in one game, each key once.
    mutating func adopt(_ history: History, game: GameID, of player: PlayerID) {
        let playerSlot = slot(of: player)
        let gameSlot = slot(of: game)
        let position = Self.position(ofGame: gameSlot, in: shelves[playerSlot])
        if position < shelves[playerSlot].count, shelves[playerSlot][position].game == gameSlot {
            let known = shelves[playerSlot][position].history
            shelves[playerSlot][position].history = known.united(with: history)
            count += shelves[playerSlot][position].history.entries.count - known.entries.count
        } else {
            shelves[playerSlot].insert(Shelf(game: gameSlot, history: history), at: position)
            count += history.entries.count
        }
    }

    /// Takes over all results of another index, each key once.
    public mutating func adopt(_ other: ScoreIndex) {
        for player in other.slotOfPlayer.keys.sorted() {
            for shelf in other.shelves(of: player, game: nil) {
                adopt(shelf.history, game: other.gameIDs[shelf.game], of: player)
            }
        }
    }

    /// Takes over the rules of custom games that are not defined here.
    mutating func adoptDefinitions(of other: ScoreIndex) {
        definitions.merge(other.definitions) { mine, _ in mine }
    }

    /// Removes one result and returns it; `nil` if there is none.
    @discardableResult
    public mutating func remove(_ key: ScoreKey, of player: PlayerID) -> DailyScore? {
        guard let (playerSlot, position) = shelfPosition(of: key.game, player),
            let entry = shelves[playerSlot][position].history.remove(key.axis)
        else { return nil }
        let restored = shelves[playerSlot][position].history.restored(entry, game: key.game)
        count -= 1
        if shelves[playerSlot][position].history.entries.isEmpty { shelves[playerSlot].remove(at: position) }
        return restored
    }

    /// Removes everything of a player, as when a member leaves and erases.
    public mutating func removeAll(of player: PlayerID) {
        guard let playerSlot = slotOfPlayer[player] else { return }
        count -= shelves[playerSlot].reduce(0) { $0 + $1.history.entries.count }
        shelves[playerSlot] = []
    }

    /// The result with this key.
    public func score(_ key: ScoreKey, of player: PlayerID) -> DailyScore? {
        guard let (playerSlot, position) = shelfPosition(of: key.game, player) else { return nil }
        let history = shelves[playerSlot][position].history
        return history.entry(key.axis).map { history.restored($0, game: key.game) }
    }

    /// The day of a result; nil without one.
    public func day(of key: ScoreKey, _ player: PlayerID) -> PuzzleDay? {
        guard let (playerSlot, position) = shelfPosition(of: key.game, player) else { return nil }
        return shelves[playerSlot][position].history.entry(key.axis)?.puzzleDay
    }

    /// Whether a player has a result for the same puzzle. A result identified by its day matches any puzzle of that day.
    public func holds(puzzleOf score: DailyScore, _ player: PlayerID) -> Bool {
        guard let (playerSlot, position) = shelfPosition(of: score.game, player) else { return false }
        return shelves[playerSlot][position].history.holds(puzzleOf: Entry(score, name: 0))
    }

    /// Whether a result would tell a player of a puzzle that they have not played. A high score or a habit is no puzzle.
    public func spoils(_ score: DailyScore, in game: Game, for player: PlayerID) -> Bool {
        game.model.isOfPuzzles && !holds(puzzleOf: score, player)
    }

    /// A player's results by day, then game, then puzzle number; all games if `game` is `nil`.
    public func results(
        of player: PlayerID, game: GameID? = nil, from: PuzzleDay = .earliest, to: PuzzleDay = .latest
    ) -> [DailyScore] {
        var found: [DailyScore] = []
        forEachResult(of: player, game: game, in: DaySpan(from: from, to: to)) { found.append($0) }
        return found.sorted { left, right in
            if left.day != right.day { return left.day < right.day }
            return left.key < right.key
        }
    }

    /// Passes a player's results of some days, in an internal order; all games if `game` is `nil`.
    public func forEachResult(
        of player: PlayerID, game: GameID? = nil, in span: DaySpan, body: (DailyScore) -> Void
    ) {
        for shelf in shelves(of: player, game: game) {
            let id = gameIDs[shelf.game]
            for entry in shelf.history.slice(span) { body(shelf.history.restored(entry, game: id)) }
        }
    }

    /// Players with at least one result, in order of their IDs.
    public var players: [PlayerID] {
        slotOfPlayer.keys.filter { !shelves(of: $0, game: nil).isEmpty }.sorted()
    }

    /// Games with at least one result, in order of their IDs.
    public var games: [GameID] {
        Set(shelves.joined().map(\.game)).map { gameIDs[$0] }.sorted()
    }

    /// The first and the last day of all results; `nil` without any.
    public var span: DaySpan? { span(of: nil) }

    /// The same for one game; `nil` for all games.
    public func span(of game: GameID?) -> DaySpan? {
        let slot = game.map { slotOfGame[$0] ?? -1 }
        var span: DaySpan?
        for player in shelves.indices {
            for position in shelves[player].indices where slot == nil || shelves[player][position].game == slot {
                guard let bounds = shelves[player][position].history.bounds else { continue }
                span = DaySpan(
                    from: min(span?.from ?? bounds.from, bounds.from), to: max(span?.to ?? bounds.to, bounds.to))
            }
        }
        return span
    }

    /// The name that records give a game this node does not know: from the latest result, of several the smallest.
    public func name(of game: GameID) -> String? {
        guard let gameSlot = slotOfGame[game] else { return nil }
        var best: (day: Int32, name: String)?
        for ofPlayer in shelves {
            let position = Self.position(ofGame: gameSlot, in: ofPlayer)
            guard position < ofPlayer.count, ofPlayer[position].game == gameSlot,
                let latest = ofPlayer[position].history.latestName
            else { continue }
            if let best, best.day > latest.day || (best.day == latest.day && best.name <= latest.name) { continue }
            best = latest
        }
        return best?.name
    }

    /// A player's games, or the requested one, in order of game slots (an internal order).
    func shelves(of player: PlayerID, game: GameID?) -> ArraySlice<Shelf> {
        guard let playerSlot = slotOfPlayer[player] else { return [] }
        guard let game else { return shelves[playerSlot][...] }
        guard let (_, position) = shelfPosition(of: game, player) else { return [] }
        return shelves[playerSlot][position...position]
    }

    private func shelfPosition(of game: GameID, _ player: PlayerID) -> (player: Int, position: Int)? {
        guard let playerSlot = slotOfPlayer[player], let gameSlot = slotOfGame[game] else { return nil }
        let position = Self.position(ofGame: gameSlot, in: shelves[playerSlot])
        guard position < shelves[playerSlot].count, shelves[playerSlot][position].game == gameSlot else { return nil }
        return (playerSlot, position)
    }

    private static func position(ofGame slot: Int, in shelves: [Shelf]) -> Int {
        var low = 0
        var high = shelves.count
        while low < high {
            let middle = (low + high) / 2
            if shelves[middle].game < slot { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func slot(of game: GameID) -> Int {
        if let slot = slotOfGame[game] { return slot }
        slotOfGame[game] = gameIDs.count
        gameIDs.append(game)
        rules.append(GameRules(definitions[game] ?? Catalogue.standard[game] ?? Scoring.unknownGame(game)))
        return gameIDs.count - 1
    }

    private mutating func slot(of player: PlayerID) -> Int {
        if let slot = slotOfPlayer[player] { return slot }
        slotOfPlayer[player] = shelves.count
        shelves.append([])
        return shelves.count - 1
    }
}
