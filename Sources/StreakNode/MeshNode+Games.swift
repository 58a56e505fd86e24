import StreakEngine
public import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// The games: those everybody has, those a group's members defined, and which are one's favourites.
extension MeshNode {
    // MARK: Which games there are

    /// A game as a group knows it: of the catalogue, else as defined in the group, else in any other group, else as it was
    /// when this user last recorded it.
    func knownGame(_ id: GameID, in group: GroupID? = nil) -> Game? {
        if let game = Catalogue.standard[id] { return game }
        guard id.isCustom else { return nil }
        let own = privateGroup
        if let group, group != own, let definition = views[group]?.games[id] { return definition.game }
        return currentDefinition(of: id)?.game ?? own.flatMap { views[$0]?.games[id]?.game }
    }

    /// A custom game as a shared group has it.
    private func currentDefinition(of id: GameID) -> GameDefinition? {
        engine.groupIDs.lazy.filter { !self.engine.isPrivate($0) }.compactMap { self.views[$0]?.games[id] }.first
    }

    /// The records that keep the definitions of custom games beside this user's own results: those then have their name,
    /// icon and scoring even where the group is left, or the game removed from it.
    func keptDefinitions(of games: Set<GameID>) -> [RecordDraft] {
        let known = privateGroup.flatMap { views[$0]?.games }
        return games.filter(\.isCustom).sorted().compactMap { id in
            guard let definition = currentDefinition(of: id), known?[id] != definition else { return nil }
            return .value(definition)
        }
    }

    /// Games that only this user's own results know any longer.
    private var keptGames: [Game] {
        let current = Set(customGames.map(\.id))
        let kept = privateGroup.flatMap { views[$0]?.games.definitions } ?? []
        return kept.filter { !current.contains($0.id) }.map(\.game)
    }

    /// Every custom game by whose rules something may be scored.
    var scoredCustomGames: [Game] { customGames.map(\.game) + keptGames }

    /// The same, or a game of that name scored by the attempts rule where none is known.
    func namedGame(_ id: GameID, in group: GroupID) -> Game {
        knownGame(id, in: group) ?? Scoring.unknownGame(id, name: views[group]?.index.name(of: id))
    }

    /// The catalogue and the games of one group.
    func games(in group: GroupID) -> [Game] {
        Catalogue.standard.games + (views[group]?.games.definitions.map(\.game) ?? [])
    }

    /// Custom games of all groups this user is in, each once.
    var customGames: [GameDefinition] { customGamesInTurn.sorted { $0.id < $1.id } }

    /// The same, one of each group in turn: a group with many leaves room for the others'.
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

    /// Reads shares of the catalogue's games and of every group's own.
    var shareReader: ShareReader { ShareReader(custom: customGamesInTurn) }

    func report(of game: Game) -> GameReport { report(of: game, favourites: accountSettings.choices(.favourite)) }

    func report(of game: Game, favourites: [GameID: Bool]) -> GameReport {
        let holders = game.id.isCustom ? memberGroups.filter { views[$0]?.games[game.id] != nil } : []
        let definition = holders.first.flatMap { views[$0]?.games[game.id] }
        return GameReport(
            game, isFavourite: favourites[game.id] ?? game.isFavourite, definition: definition.map(GameForm.init),
            groups: holders.map(\.description),
            isMine: holders.contains { views[$0]?.games.mayDefine(game.id, identity.user) ?? false })
    }

    func games(search: String?, category: String?, favouritesOnly: Bool, group: String?) throws -> GamesReport {
        let all: [Game]
        if let group {
            all = games(in: try self.group(group))
        } else {
            all = Catalogue.standard.games + customGames.map(\.game)
        }
        let wanted = (search ?? "").lowercased()
        let choices = accountSettings.choices(.favourite)
        let chosen = all.filter { game in
            (wanted.isEmpty || game.name.lowercased().contains(wanted) || game.id.rawValue.contains(wanted)
                || game.category.rawValue.lowercased().contains(wanted))
                && (category.map { $0 == game.category.rawValue } ?? true)
                && (!favouritesOnly || choices[game.id] ?? game.isFavourite)
        }
        let reports = chosen.map { report(of: $0, favourites: choices) }
        return GamesReport(games: reports.filter(\.favourite) + reports.filter { !$0.favourite })
    }

    func setFavourite(_ selector: String, _ isFavourite: Bool) async throws -> GameReport {
        let game = try game(selector)
        let choice = isFavourite == game.isFavourite ? nil : isFavourite
        if choice != accountSettings.choices(.favourite)[game.id] {
            try await keep([AccountSettings.draft(making: .favourite, of: game.id, choice)])
        }
        return report(of: game)
    }

    // MARK: Custom games

    private func definition(_ form: GameForm, id: GameID) throws -> GameDefinition {
        guard let model = ScoringModel(rawValue: form.model) else {
            let models = ScoringModel.allCases.map(\.rawValue).joined(separator: ", ")
            throw NodeFailure.invalidGame(reason: "A game is scored by one of \(models).")
        }
        guard let cadence = Game.Cadence(rawValue: form.cadence ?? "daily") else {
            throw NodeFailure.invalidGame(reason: "A game is daily, weekly or unlimited.")
        }
        let aggregation = try form.aggregation.map { word in
            guard let aggregation = RangeAggregation(rawValue: word) else {
                throw NodeFailure.invalidGame(reason: "Over several days the best, the sum or the latest counts.")
            }
            return aggregation
        }
        do throws(GameDefinitionFault) {
            return try GameDefinition(
                id: id, name: form.name, icon: form.icon, model: model, maximum: form.maximum, best: form.best,
                unit: form.unit, cadence: cadence, aggregation: aggregation, pattern: form.pattern)
        } catch {
            throw NodeFailure.invalidGame(reason: error.description, isPattern: error.isOfPattern)
        }
    }

    func define(_ form: GameForm, group selector: String?) async throws -> GameReport {
        let group = try group(selector)
        try checkMembership(of: group)
        try checkSharing(in: group)
        let games = views[group]?.games ?? GroupGames()
        let id: GameID
        if let known = form.id {
            guard let found = GameID(known), let game = games[found] else {
                throw NodeFailure.unknownGame(known, suggestions: [])
            }
            guard games.mayDefine(found, identity.user) else { throw NodeFailure.gameOfAnother(game.name) }
            id = found
        } else {
            guard games.hasRoom(for: identity.user) else {
                throw NodeFailure.limitReached(what: "custom games of one group", limit: GameDefinition.maximumCount)
            }
            id = newID(for: form.name)
        }
        let definition = try definition(form, id: id)
        if definition.name != views[group]?.games[id]?.name { try checkName(of: definition, in: group) }
        try await execute(.write([(group, [.value(definition)])]))
        return report(of: definition.game)
    }

    /// An ID that no game here has.
    private func newID(for name: String) -> GameID {
        while true {
            let stem = GameDefinition.stem(of: name, tag: .random(in: .min ... .max))
            // Forty bytes of the alphabet at the most are an ID.
            if let id = GameID.defined(by: identity.user, stem: stem), knownGame(id) == nil { return id }
        }
    }

    /// A game whose name is another's could hardly be told from it.
    private func checkName(of definition: GameDefinition, in group: GroupID) throws {
        let name = definition.name.lowercased()
        let other = games(in: group).first { game in
            game.id != definition.id && (game.name.lowercased() == name || game.id.rawValue == name)
        }
        guard let other else { return }
        throw NodeFailure.invalidGame(
            reason: "There is a game called “\(other.name)” already: give yours another name.")
    }

    func remove(_ selector: String, group: String?) async throws -> GamesReport {
        let group = try self.group(group)
        let game = try game(selector)
        guard let games = views[group]?.games, games[game.id] != nil else {
            throw NodeFailure.unknownGame(selector, suggestions: [])
        }
        guard games.mayDefine(game.id, identity.user) else { throw NodeFailure.gameOfAnother(game.name) }
        let withdrawal = RecordContent(withdrawing: GameDefinition.recordSubject(of: game.id), of: GameDefinition.self)
        try await execute(.write([(group, [.content(withdrawal)])]))
        return GamesReport(games: (views[group]?.games.definitions ?? []).map { report(of: $0.game) })
    }

    func test(_ form: GameForm, text: String) throws -> PatternReport {
        let definition = try definition(form, id: newID(for: form.name))
        switch definition.test(on: text) {
        case .matched(let share):
            return PatternReport(
                matched: true, score: share.score, puzzle: share.puzzle, maxAttempts: share.maxAttempts,
                seconds: share.seconds, hints: share.hints, completed: share.isCompleted, message: nil)
        case .refused(let reason): return PatternReport(matched: false, message: reason.sentence)
        case .stopped(let stop):
            let before = stop.fitting.isEmpty ? "" : "“\(stop.fitting)” fits; then "
            let found = stop.found.isEmpty ? "the text ends" : "the text goes on with “\(stop.found)”"
            return PatternReport(matched: false, message: "\(before)“\(stop.expected)” was expected, but \(found).")
        case .noPattern: return PatternReport(matched: false, message: "The game has no pattern yet.")
        }
    }

    // MARK: Own settings

    /// Keeps settings that all of this user's devices share.
    func keep(_ drafts: [RecordDraft]) async throws {
        guard let privateGroup else { throw NodeFailure.noGroup() }
        try await execute(.write([(privateGroup, drafts)]))
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
    /// Games as they are to everybody: without an account's favourites and its groups' own.
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

extension GamesRequest {
    public func answer(on node: isolated MeshNode) async throws -> GamesReport {
        switch self {
        case .list(let search, let category, let favouritesOnly, let group):
            try node.games(search: search, category: category, favouritesOnly: favouritesOnly, group: group)
        case .remove(let game, let group): try await node.remove(game, group: group)
        }
    }
}

extension GameRequest {
    public func answer(on node: isolated MeshNode) async throws -> GameReport {
        switch self {
        case .setFavourite(let game, let isFavourite): try await node.setFavourite(game, isFavourite)
        case .define(let form, let group): try await node.define(form, group: group)
        }
    }
}

extension PatternRequest {
    public func answer(on node: isolated MeshNode) async throws -> PatternReport {
        switch self {
        case .test(let form, let text): try node.test(form, text: text)
        }
    }
}
