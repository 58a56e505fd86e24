public import StreakGames

/// The merged results of everybody on a set of boards, kept so that a board touches only the days it shows.
///
/// A pure value: equal contents give equal boards, whatever order they came in. About 50 bytes a result. Numbers that
/// no real result has (beyond 32 bits; the score 64) are stored as the nearest that fits.
public struct ScoreIndex: Sendable {
    /// What a player has in one game.
    struct Shelf: Sendable {
        var game: Int
        var history: History
    }

    private(set) var gameIDs: [GameID] = []
    private var slotOfGame: [GameID: Int] = [:]
    private var slotOfPlayer: [PlayerID: Int] = [:]
    /// By player slot, in order of game slots.
    private var shelves: [[Shelf]] = []
    /// Names of games as records carried them; entries hold the position plus one.
    private var names: [String] = []
    private var slotOfName: [String: UInt16] = [:]

    /// The number of results.
    public private(set) var count = 0

    public init() {}

    /// Stores a result, replacing the player's result with an equal key.
    public mutating func replace(_ score: DailyScore, of player: PlayerID) {
        let playerSlot = slot(of: player)
        let gameSlot = slot(of: score.game)
        let entry = Entry(score, name: slot(ofName: score.gameName))
        let position = Self.position(ofGame: gameSlot, in: shelves[playerSlot])
        if position == shelves[playerSlot].count || shelves[playerSlot][position].game != gameSlot {
            shelves[playerSlot].insert(Shelf(game: gameSlot, history: History()), at: position)
        }
        if shelves[playerSlot][position].history.replace(entry) { count += 1 }
    }

    /// Removes one result and returns it; `nil` if there is none.
    @discardableResult
    public mutating func remove(_ key: ScoreKey, of player: PlayerID) -> DailyScore? {
        guard let (playerSlot, position) = shelfPosition(of: key.game, player),
            let entry = shelves[playerSlot][position].history.remove(key.axis)
        else { return nil }
        count -= 1
        if shelves[playerSlot][position].history.entries.isEmpty { shelves[playerSlot].remove(at: position) }
        return restored(entry, game: key.game)
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
        return shelves[playerSlot][position].history.entry(key.axis).map { restored($0, game: key.game) }
    }

    /// A player's results by day, then game, then puzzle number; all games if `game` is `nil`.
    public func results(
        of player: PlayerID, game: GameID? = nil, from: PuzzleDay = .earliest, to: PuzzleDay = .latest
    ) -> [DailyScore] {
        var found: [DailyScore] = []
        for shelf in shelves(of: player, game: game) {
            let id = gameIDs[shelf.game]
            for entry in shelf.history.slice(DaySpan(from: from, to: to)) { found.append(restored(entry, game: id)) }
        }
        return found.sorted { left, right in
            if left.day != right.day { return left.day < right.day }
            return left.key < right.key
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
    public var span: DaySpan? {
        let histories = shelves.joined().map(\.history)
        guard let first = histories.compactMap({ $0.entries.first?.day }).min(),
            let last = histories.compactMap({ $0.entries.last?.day }).max()
        else { return nil }
        return DaySpan(from: PuzzleDay(daysSinceEpoch: Int(first)), to: PuzzleDay(daysSinceEpoch: Int(last)))
    }

    /// What records call a game this node does not know: the name on the latest result, the smallest of several.
    public func name(of game: GameID) -> String? {
        guard let gameSlot = slotOfGame[game] else { return nil }
        var best: (day: Int32, name: String)?
        for shelf in shelves.joined() where shelf.game == gameSlot {
            guard let entry = shelf.history.entries.last(where: { $0.name != 0 }) else { continue }
            let name = names[Int(entry.name) - 1]
            if let known = best, known.day > entry.day || (known.day == entry.day && known.name <= name) { continue }
            best = (entry.day, name)
        }
        return best?.name
    }

    /// A player's games, or the one asked for; in order of game slots, which says nothing to the outside.
    func shelves(of player: PlayerID, game: GameID?) -> ArraySlice<Shelf> {
        guard let playerSlot = slotOfPlayer[player] else { return [] }
        guard let game else { return shelves[playerSlot][...] }
        guard let (_, position) = shelfPosition(of: game, player) else { return [] }
        return shelves[playerSlot][position...position]
    }

    private func restored(_ entry: Entry, game: GameID) -> DailyScore {
        entry.score(game: game, gameName: entry.name == 0 ? nil : names[Int(entry.name) - 1])
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
        return gameIDs.count - 1
    }

    private mutating func slot(of player: PlayerID) -> Int {
        if let slot = slotOfPlayer[player] { return slot }
        slotOfPlayer[player] = shelves.count
        shelves.append([])
        return shelves.count - 1
    }

    /// 0 for no name, and for all beyond 65,535 different ones: a name is a courtesy, memory is not endless.
    private mutating func slot(ofName name: String?) -> UInt16 {
        guard let name else { return 0 }
        if let slot = slotOfName[name] { return slot }
        guard names.count < Int(UInt16.max) else { return 0 }
        names.append(name)
        slotOfName[name] = UInt16(names.count)
        return UInt16(names.count)
    }
}
