@testable import StreakNode

/// The fake node's answers about games and files.
extension FakeNode {
    static let customGame = "custom-9f2c4e0b7a31d5c8"
    static let habit = "custom-0b7a31d5c89f2c4e"

    /// Games that the group has defined.
    var ownGames: [GameReport] {
        guard scenario == .full || scenario == .hostile else { return [] }
        let isHostile = scenario == .hostile
        let blocks = GameForm(
            id: Self.customGame, name: isHostile ? Self.script : "Block Blast, classic", icon: "🧱", model: "highScore",
            unit: isHostile ? Self.script : "pts", pattern: isHostile ? Self.script : "Block Blast {score} pts")
        let habit = GameForm(
            id: Self.habit, name: isHostile ? "\(Self.script)2" : "Push-ups", icon: "💪", model: "count", unit: "times")
        return [blocks, habit].map { form in
            GameReport(
                id: form.id ?? "", name: form.name, model: form.model, favourite: false, url: nil, category: "custom",
                icon: form.icon, definition: form, groups: [Self.group], mine: form.id == Self.customGame)
        }
    }

    /// Nil for other requests.
    func answerAboutGames(_ request: any NodeRequest) throws -> (any Sendable)? {
        switch request {
        case GamesRequest.list(let search, let category, let favouritesOnly, _) as GamesRequest:
            let wanted = search?.lowercased() ?? ""
            return GamesReport(
                games: games.filter {
                    (wanted.isEmpty || $0.name.lowercased().contains(wanted) || $0.category.contains(wanted))
                        && (category ?? $0.category) == $0.category && (!favouritesOnly || $0.favourite)
                })
        case GameRequest.setFavourite(let game, _) as GameRequest:
            guard let found = games.first(where: { $0.id == game }) else {
                throw NodeFailure.unknownGame(game, suggestions: [])
            }
            return found
        case GameRequest.define(let form, _) as GameRequest:
            guard !form.name.isEmpty else { throw NodeFailure.invalidGame(reason: "A game needs a name.") }
            return GameReport(
                id: form.id ?? Self.customGame, name: form.name, model: form.model, favourite: false, url: nil,
                category: "custom", icon: form.icon, definition: form, groups: [Self.group])
        case is GamesRequest: return GamesReport(games: [])
        case PatternRequest.test(let form, let text) as PatternRequest:
            guard form.pattern != nil else {
                return PatternReport(matched: false, message: "The game has no pattern yet.")
            }
            guard let score = text.split(separator: " ").compactMap({ Int($0) }).first else {
                return PatternReport(matched: false, message: "A number was expected, but “\(text)” is there.")
            }
            return PatternReport(matched: true, score: score, seconds: 65, completed: true)
        case ExportRequest.export(let format, _, _, _, _) as ExportRequest:
            return ExportReport(
                format: format, count: 1,
                content: format == "csv" ? "date,game,score\r\n2026-11-21,wordle,3\r\n" : "{\"results\":[]}")
        case ImportRequest.load(let source, let options) as ImportRequest: return try load(source, options)
        case ChatRequest.inspect(let source) as ChatRequest:
            guard case .text(let text) = source, text.hasPrefix("[") || text == "hello" else {
                throw NodeFailure.importFailed(reason: "It is no chat.")
            }
            return ChatReport(senders: [
                .init(name: name(0), messages: 812, shares: 240), .init(name: name(1), messages: 600, shares: 311),
            ])
        case ImportRequest.loadChat(let source, let sender, let options) as ImportRequest:
            guard sender != nil else { throw NodeFailure.unknownSender(nil, candidates: [name(0), name(1)]) }
            return try load(source, options)
        default: return nil
        }
    }

    private func load(_ source: ImportSource, _ options: ImportOptions) throws -> ImportReport {
        guard case .text(let text) = source, !text.contains("garbage") else {
            throw NodeFailure.importFailed(reason: "No column of it is a date.")
        }
        if text.contains("03/04/2026"), options.dates == nil { throw NodeFailure.ambiguousDates(line: 1_002) }
        let isHostile = scenario == .hostile
        let conflict = RefusedLine(
            line: 7, reason: "conflict",
            message: "\(gameName("wordle")) of 2026-11-02 is recorded as 3 guesses, not 4 guesses.")
        return ImportReport(
            imported: !options.skipsBad && !text.contains("fine") ? 0 : options.replaces ? 1_205 : 1_204,
            importable: options.replaces ? 1_205 : 1_204, skipped: options.replaces ? 80 : 81,
            replaced: options.replaces ? 1 : 0,
            refused: text.contains("fine")
                ? []
                : [
                    RefusedLine(
                        line: 12, reason: "impossible",
                        message: isHostile ? Self.script : "7 of 6 attempts is more than there are."),
                    RefusedLine(line: 40, reason: "future", message: "2031-01-01 has not begun anywhere."),
                ], refusedCount: text.contains("fine") ? 0 : 2, conflicts: options.replaces ? [] : [conflict],
            conflictCount: options.replaces ? 0 : 1,
            adjusted: [
                RefusedLine(
                    line: 3, reason: "maximum",
                    message: "Wordle of 2026-11-01 is read with the game’s maximum, 6, not 8.")
            ], adjustedCount: 1, preview: options.isPreview,
            sample: [result("wordle", day: "2026-11-01"), result("mini", day: "2026-11-01")],
            published: options.isPreview ? [] : [Self.group])
    }
}
