import StreakEngine
public import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// The games: those of the catalogue, and those that members defined.
extension NodeCore {
    /// A game as a group knows it: from the catalogue, else as defined in the group, else in any other group, else as
    /// this user's last recorded copy has it.
    func knownGame(_ id: GameID, in group: GroupID? = nil) -> Game? {
        if let game = Catalogue.standard[id] { return game }
        guard id.isCustom else { return nil }
        let own = privateGroup
        if let group, group != own, let definition = views[group]?.games[id] { return definition.game }
        return currentDefinition(of: id)?.game ?? own.flatMap { views[$0]?.games[id]?.game }
    }

    /// A custom game as it is defined in a shared group.
    private func currentDefinition(of id: GameID) -> GameDefinition? {
        engine.groupIDs.lazy.filter { !self.engine.isPrivate($0) }.compactMap { self.views[$0]?.games[id] }.first
    }

    /// The records that keep the definitions of custom games with this user's own results. The results keep their name,
    /// icon and scoring even after the user leaves the group, or the game is removed from it.
    func keptDefinitions(of games: Set<GameID>) -> [RecordDraft] {
        let known = privateGroup.flatMap { views[$0]?.games }
        return games.filter(\.isCustom).sorted().compactMap { id in
            guard let definition = currentDefinition(of: id), known?[id] != definition else { return nil }
            return .value(definition)
        }
    }

    /// Games that only this user's own results still know.
    private var keptGames: [Game] {
        let current = Set(customGames.map(\.id))
        let kept = privateGroup.flatMap { views[$0]?.games.definitions } ?? []
        return kept.filter { !current.contains($0.id) }.map(\.game)
    }

    /// Every custom game whose rules may score something.
    var scoredCustomGames: [Game] { customGames.map(\.game) + keptGames }

    /// The same; if the game is unknown, one with its ID that is scored by attempts.
    func namedGame(_ id: GameID, in group: GroupID) -> Game {
        knownGame(id, in: group) ?? Scoring.unknownGame(id, name: views[group]?.index.name(of: id))
    }

    /// The catalogue and the games of one group.
    func games(in group: GroupID) -> [Game] {
        Catalogue.standard.games + (views[group]?.games.definitions.map(\.game) ?? [])
    }

    /// Custom games of all groups this user is in, each once.
    var customGames: [GameDefinition] { customGamesInTurn.sorted { $0.id < $1.id } }

    /// The same, one from each group in turn, so that a group with many leaves room for those of others.
    private var customGamesInTurn: [GameDefinition] {
        let groups = memberGroups.sorted().map { views[$0]?.games.definitions ?? [] }
        var known: Set<GameID> = []
        return (0..<(groups.map(\.count).max() ?? 0)).flatMap { turn in
            groups.compactMap { $0.indices.contains(turn) ? $0[turn] : nil }
        }.filter { known.insert($0.id).inserted }
    }

    /// A game by ID, name or unique prefix of either.
    func game(_ selector: String) throws -> Game {
        let custom = scoredCustomGames
        let catalogue = custom.isEmpty ? Catalogue.standard : Catalogue(games: Catalogue.standard.games + custom)
        let found = catalogue.games(matching: selector)
        guard let first = found.first, !selector.isEmpty else {
            let near = catalogue.games.filter { $0.name.lowercased().contains(selector.lowercased().prefix(3)) }
            throw NodeFailure.unknownGame(selector, suggestions: near.prefix(3).map(\.id.rawValue))
        }
        guard found.count == 1 else {
            throw NodeFailure.ambiguousGame(selector, candidates: found.prefix(6).map(\.id.rawValue))
        }
        return first
    }

    /// Reads shares of the catalogue's games and of every group's custom games.
    var shareReader: ShareReader { ShareReader(custom: customGamesInTurn) }

    /// A custom game, as a group has it. That group comes first.
    func report(_ definition: GameDefinition, in group: GroupID) -> GameReport {
        var report = report(definition.game)
        report.definition = GameForm(definition)
        report.groups = [group.description] + report.groups.filter { $0 != group.description }
        report.mine = views[group]?.games.mayDefine(definition.id, identity.user) ?? false
        return report
    }

    func report(_ game: Game) -> GameReport { report(game, favourites: accountSettings.choices(.favourite)) }

    func report(_ game: Game, favourites: [GameID: Bool]) -> GameReport {
        let holders = game.id.isCustom ? memberGroups.filter { views[$0]?.games[game.id] != nil } : []
        let definition = holders.first.flatMap { views[$0]?.games[game.id] }
        return GameReport(
            game, isFavourite: favourites[game.id] ?? game.isFavourite, definition: definition.map(GameForm.init),
            groups: holders.map(\.description),
            isMine: holders.contains { views[$0]?.games.mayDefine(game.id, identity.user) ?? false })
    }
}

extension GameForm {
    init(_ definition: GameDefinition) {
        self.init(
            id: definition.id.rawValue, name: definition.name, icon: definition.icon, model: definition.model.rawValue,
            maximum: definition.maximum, best: definition.best, unit: definition.unit,
            cadence: definition.cadence.rawValue, aggregation: definition.aggregation.rawValue,
            pattern: definition.pattern?.text)
    }
}

extension GamesReport {
    /// The games without an account's favourites and its groups' custom games.
    public init(_ games: [Game]) {
        self.init(games: games.map { GameReport($0, isFavourite: $0.isFavourite) })
    }
}

extension GameReport {
    fileprivate init(
        _ game: Game, isFavourite: Bool, definition: GameForm? = nil, groups: [String] = [], isMine: Bool = false
    ) {
        self.init(
            id: game.id.rawValue, name: game.name, model: game.model.rawValue, favourite: isFavourite,
            url: game.url.isEmpty ? nil : game.url, category: game.category.rawValue, icon: game.emoji,
            definition: definition, groups: groups, mine: isMine)
    }
}
