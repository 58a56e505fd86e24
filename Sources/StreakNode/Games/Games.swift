import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Looking up games, choosing favourites, and defining games for a group.
struct Games {
    let core: NodeCore
    let loop: NodeLoop

    func games(search: String?, category: String?, favouritesOnly: Bool, group: String?) throws -> GamesReport {
        let all: [Game]
        if let group {
            all = core.games(in: try core.group(group))
        } else {
            all = Catalogue.standard.games + core.customGames.map(\.game)
        }
        let wanted = (search ?? "").lowercased()
        let choices = core.accountSettings.choices(.favourite)
        let chosen = all.filter { game in
            (wanted.isEmpty || game.name.lowercased().contains(wanted) || game.id.rawValue.contains(wanted)
                || game.category.rawValue.lowercased().contains(wanted))
                && (category.map { $0 == game.category.rawValue } ?? true)
                && (!favouritesOnly || choices[game.id] ?? game.isFavourite)
        }
        let reports = chosen.map { core.report($0, favourites: choices) }
        return GamesReport(games: reports.filter(\.favourite) + reports.filter { !$0.favourite })
    }

    /// A custom game, as the group has it in which it would be changed.
    func show(_ selector: String, group: String?) throws -> GameReport {
        let (group, definition) = try custom(selector, in: group)
        return core.report(definition, in: group)
    }

    func setFavourite(_ selector: String, _ isFavourite: Bool) async throws -> GameReport {
        let game = try core.game(selector)
        let choice = isFavourite == game.isFavourite ? nil : isFavourite
        if choice != core.accountSettings.choices(.favourite)[game.id] {
            try await loop.storeSettings([AccountSettings.draft(making: .favourite, of: game.id, choice)])
        }
        return core.report(game)
    }

    // MARK: Custom games

    func define(_ form: GameForm, group selector: String?) async throws -> GameReport {
        let group = try form.id.map { try custom($0, in: selector).group } ?? core.group(selector)
        try core.checkMembership(of: group)
        try core.checkSharing(in: group)
        let games = core.views[group]?.games ?? GroupGames()
        let id: GameID
        if let known = form.id {
            guard let found = GameID(known), let game = games[found] else {
                throw NodeFailure.unknownGame(known, suggestions: [])
            }
            guard games.mayDefine(found, core.identity.user) else { throw NodeFailure.gameOfAnother(game.name) }
            id = found
        } else {
            guard games.hasRoom(for: core.identity.user) else {
                throw NodeFailure.limitReached(what: "custom games of one group", limit: GameDefinition.maximumCount)
            }
            id = newID(for: form.name)
        }
        let definition = try Argument.definition(form, id: id)
        if definition.name != core.views[group]?.games[id]?.name { try checkName(of: definition, in: group) }
        try await loop.execute(.write([(group, [.value(definition)])]))
        return core.report(definition.game)
    }

    /// A custom game by ID, name or unique prefix of either, and its group: the one that is named; else the active one if
    /// it has the game, else the first that does.
    private func custom(_ selector: String, in group: String?) throws -> (group: GroupID, definition: GameDefinition) {
        let isNamed = !(group ?? "").isEmpty
        let active = isNamed ? nil : core.activeGroup
        let groups = try isNamed ? [core.group(group)] : core.memberGroups.filter { $0 == active } + core.memberGroups
        var games: [GameID: (group: GroupID, definition: GameDefinition)] = [:]
        for group in groups {
            for game in core.views[group]?.games.definitions ?? [] where games[game.id] == nil {
                games[game.id] = (group, game)
            }
        }
        let found = Catalogue(games: games.values.map(\.definition.game)).games(matching: selector)
        guard found.count <= 1 || selector.isEmpty else {
            throw NodeFailure.ambiguousGame(
                selector, candidates: found.map(\.id.rawValue).sorted().prefix(6).map(\.self))
        }
        guard !selector.isEmpty, let game = found.first.flatMap({ games[$0.id] }) else {
            let known = try core.game(selector)
            throw NodeFailure.invalidGame(
                reason: known.id.isCustom
                    ? "“\(known.name)” is no game of this group." : "“\(known.name)” is built in: it cannot be changed."
            )
        }
        return game
    }

    /// An ID that no game here has yet.
    private func newID(for name: String) -> GameID {
        while true {
            let stem = GameDefinition.stem(of: name, tag: .random(in: .min ... .max))
            // Forty bytes of the permitted characters always form an ID.
            if let id = GameID.defined(by: core.identity.user, stem: stem), core.knownGame(id) == nil { return id }
        }
    }

    /// Refuses a name that another game has: the two could not be told apart.
    private func checkName(of definition: GameDefinition, in group: GroupID) throws {
        let name = definition.name.lowercased()
        let other = core.games(in: group).first { game in
            game.id != definition.id && (game.name.lowercased() == name || game.id.rawValue == name)
        }
        guard let other else { return }
        throw NodeFailure.invalidGame(
            reason: "There is a game called “\(other.name)” already: give yours another name.")
    }

    func remove(_ selector: String, group: String?) async throws -> GamesReport {
        let (group, game) = try custom(selector, in: group)
        let games = core.views[group]?.games ?? GroupGames()
        guard games.mayDefine(game.id, core.identity.user) else { throw NodeFailure.gameOfAnother(game.name) }
        let withdrawal = RecordContent(withdrawing: GameDefinition.recordSubject(of: game.id), of: GameDefinition.self)
        try await loop.execute(.write([(group, [.content(withdrawal)])]))
        return GamesReport(games: (core.views[group]?.games.definitions ?? []).map { core.report($0.game) })
    }

    func test(_ form: GameForm, text: String) throws -> PatternReport {
        let definition = try Argument.definition(form, id: newID(for: form.name))
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
}
