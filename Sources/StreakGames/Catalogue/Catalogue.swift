/// The games this program knows.
public struct Catalogue: Sendable {
    /// The built-in games.
    public static let standard = Catalogue(games: CatalogueTable.games)

    /// Favourites first, then by name as listed.
    public let games: [Game]
    private let positions: [GameID: Int]

    /// A later game with the same ID is ignored.
    public init(games: [Game]) {
        var positions: [GameID: Int] = [:]
        var kept: [Game] = []
        for game in games.filter(\.isFavourite) + games.filter({ !$0.isFavourite }) where positions[game.id] == nil {
            positions[game.id] = kept.count
            kept.append(game)
        }
        self.games = kept
        self.positions = positions
    }

    public subscript(id: GameID) -> Game? {
        positions[id].map { games[$0] }
    }

    /// Games for what a person typed: the game whose ID is exactly `text`, else games with that name, else all whose ID
    /// or name begins with it, else all that contain it. Letter case is ignored. O(n).
    ///
    /// Among games with the same name, built-in ones come before those that members defined.
    public func games(matching text: String) -> [Game] {
        let wanted = text.lowercased()
        guard !wanted.isEmpty else { return games }
        if let exact = GameID(wanted).flatMap({ self[$0] }) { return [exact] }
        let named = games.filter { $0.name.lowercased() == wanted }
        if !named.isEmpty {
            let builtIn = named.filter { !$0.id.isCustom }
            return builtIn.isEmpty ? named : builtIn
        }
        let begins = games.filter { $0.id.rawValue.hasPrefix(wanted) || $0.name.lowercased().hasPrefix(wanted) }
        if !begins.isEmpty { return begins }
        return games.filter { $0.id.rawValue.contains(wanted) || $0.name.lowercased().contains(wanted) }
    }
}
