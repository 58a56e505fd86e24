import HTTPTypes
import Hummingbird
import StreakGames
import StreakNode

/// All games, filtered by a search.
struct GamesView: Sendable {
    struct Category: Sendable {
        var name: String
        var games: [Game]
    }

    struct Game: Sendable {
        var id: String
        var icon: String
        var name: String
        var href: String
        var playHref: String?
        var favourite: Bool
    }

    var query: String
    var kinds: [TabView]
    var categories: [Category]
    var found: String
    var hasGames: Bool
    var defineHref: String?
}

/// One game, with the actions on it.
struct GameView: Sendable {
    struct Fact: Sendable {
        var term: String
        var text: String
    }

    var id: String
    var icon: String
    var name: String
    var favourite: Bool
    var facts: [Fact]
    /// An example of its share text.
    var example: String?
    /// The pattern by which its share text is read.
    var pattern: String?
    var playHref: String?
    var boardHref: String
    var numbersHref: String
    var recordHref: String
    /// Whether one press logs a result.
    var isCount: Bool
    /// Whether this user may change and remove it.
    var isMine: Bool
    var editHref: String
    var group: String?
    var backTo: String
}

extension GamesReport {
    /// IDs of the games that are logged rather than solved.
    var habits: Set<String> { Set(games.filter { $0.model == "count" }.map(\.id)) }
}

extension Site {
    func showGames(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = frame.group(visit.fields)
        let query = visit.fields["q"] ?? ""
        let (chosen, favourites) = (visit.fields["category"], visit.fields.isSet("favourites"))
        let report = try await node.call(
            GamesRequest.list(search: query.trimmingSpaces, category: chosen, favouritesOnly: favourites, group: nil))
        var order: [String] = []
        var byCategory: [String: [GamesView.Game]] = [:]
        for game in report.games {
            let name = game.category == "custom" ? "Your groups' own" : game.category.capitalizedFirst
            if byCategory[name] == nil { order.append(name) }
            byCategory[name, default: []].append(
                GamesView.Game(
                    id: game.id, icon: game.icon, name: game.name, href: PageLink("/game").adding("id", game.id).text,
                    playHref: game.webURL, favourite: game.favourite))
        }
        func link(_ category: String?, favourites: Bool) -> String {
            PageLink("/games").adding("q", query.isEmpty ? nil : query).adding("category", category)
                .adding("favourites", favourites ? "1" : nil).text
        }
        let kinds = Game.Category.allCases.map(\.rawValue)
        let view = GamesView(
            query: query,
            kinds: [
                TabView(label: "All", href: link(nil, favourites: false), current: chosen == nil && !favourites),
                TabView(label: "Favourites", href: link(nil, favourites: true), current: favourites),
            ]
                + kinds.map {
                    TabView(
                        label: $0 == "custom" ? "Our own" : $0.capitalizedFirst, href: link($0, favourites: false),
                        current: chosen == $0)
                },
            categories: order.map { GamesView.Category(name: $0, games: byCategory[$0] ?? []) },
            found: report.games.count == 1 ? "1 game" : "\(report.games.count) games", hasGames: !report.games.isEmpty,
            defineHref: frame.active == nil ? nil : PageLink("/games/define").adding("group", group).text)
        return page(.board, "games", title: "All games", view, frame, visit)
    }

    private func game(_ id: String?) async throws -> GameReport {
        let id = id ?? ""
        guard let game = try await catalogue().games.first(where: { $0.id == id }) else {
            throw NodeFailure.unknownGame(id, suggestions: [])
        }
        return game
    }

    func showGame(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let game = try await game(visit.fields["id"])
        let known = GameID(game.id).flatMap { Catalogue.standard[$0] }
        var facts = [
            GameView.Fact(term: "Scored by", text: Self.models.first { $0.value == game.model }?.label ?? game.model)
        ]
        func add(_ term: String, _ text: String?) {
            if let text { facts.append(GameView.Fact(term: term, text: text)) }
        }
        add("Category", game.category == "custom" ? "Your groups' own" : game.category.capitalizedFirst)
        add("At most", (game.definition?.maximum ?? known?.maxAttempts).map(String.init))
        add("Best possible", (game.definition?.best ?? known?.best).map(String.init))
        add("Unit", game.definition?.unit ?? known?.unit)
        add("A new one", Self.cadences.first { $0.value == game.definition?.cadence ?? known?.cadence.rawValue }?.label)
        add(
            "Over several days",
            Self.aggregations.first { $0.value == game.definition?.aggregation && $0.value != "" }?.label)
        add("Defined in", OutcomeView.titles(of: game.groups, frame.groups))
        let view = GameView(
            id: game.id, icon: game.icon, name: game.name, favourite: game.favourite, facts: facts,
            example: GameID(game.id).flatMap { Catalogue.shareExample(of: $0) }, pattern: game.definition?.pattern,
            playHref: game.webURL, boardHref: BoardSelection(group: frame.active?.id, game: game.id).href,
            numbersHref: PageLink("/numbers").adding("game", game.id).adding("range", "all").text,
            recordHref: PageLink("/record").adding("game", game.id).text, isCount: game.model == "count",
            isMine: game.mine, editHref: PageLink("/games/define").adding("id", game.id).text,
            group: game.groups.first, backTo: visit.back)
        return page(.board, "game", title: game.name, view, frame, visit)
    }

    /// Logs a habit once.
    private func log(_ visit: Visit) async throws -> Response {
        let report = try await node.call(
            ScoreRequest.record(
                game: visit.fields["game"] ?? "", score: nil, isCompleted: true, seconds: nil, date: nil,
                groups: nil))
        if let refusal = report.refused.first { throw NodeFailure.invalidScore(reason: refusal.message) }
        let name = report.added.first.map { "\($0.gameName): \($0.label)." } ?? ""
        return say("Logged. \(name)", canUndo: true, then: visit.back, visit)
    }

    // MARK: Custom games

    struct DefineView: Sendable {
        struct Trial: Sendable {
            var matched: Bool
            var text: String
            var facts: [GameView.Fact]
        }

        var id: String?
        var heading: String
        var group: String
        var groups: [OptionView]
        var name: String
        var icon: String
        var models: [OptionView]
        var maximum: String
        var best: String
        var unit: String
        var cadences: [OptionView]
        var aggregations: [OptionView]
        var pattern: String
        var sample: String
        var trial: Trial?
        var cancelHref: String
    }

    private static let models: [(value: String, label: String)] = [
        ("highScore", "High score: the best of a day counts"), ("count", "A habit: every log counts"),
        ("higherIsBetter", "Points: more is better"), ("lowerAttempts", "Attempts of a maximum: fewer are better"),
        ("lowerGuesses", "Guesses: fewer are better"), ("lowerHints", "Hints: fewer are better"),
        ("lowerTimeSeconds", "Time: faster is better"),
    ]
    private static let cadences: [(value: String, label: String)] = [
        ("daily", "Every day"), ("weekly", "Every week"), ("unlimited", "As often as you like"),
    ]
    private static let aggregations: [(value: String, label: String)] = [
        ("", "The usual for this scoring"), ("best", "The best counts"), ("sum", "The sum counts"),
        ("latest", "The latest counts"),
    ]

    func showDefine(_ visit: Visit) async throws -> Response {
        var form = GameForm(name: "", model: "highScore")
        var group = visit.fields["group"]
        if let id = visit.fields["id"] {
            let game = try await game(id)
            guard let definition = game.definition else { throw NodeFailure.unknownGame(id, suggestions: []) }
            form = definition
            form.id = game.id
            group = group ?? game.groups.first
        }
        return try await defineForm(visit, form, group: group, trial: nil)
    }

    private func defineForm(
        _ visit: Visit, _ form: GameForm, group: String?, trial: DefineView.Trial?, refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame()
        guard let chosen = group ?? frame.active?.id else { throw NodeFailure.noGroup() }
        func options(_ values: [(value: String, label: String)], _ selected: String?) -> [OptionView] {
            values.map { OptionView(value: $0.value, label: $0.label, selected: $0.value == selected) }
        }
        let view = DefineView(
            id: form.id, heading: form.id == nil ? "A game of your own" : "Change \(form.name)", group: chosen,
            groups: frame.current.map { OptionView(value: $0.id, label: $0.title, selected: $0.id == chosen) },
            name: form.name, icon: form.icon, models: options(Self.models, form.model),
            maximum: form.maximum.map(String.init) ?? "", best: form.best.map(String.init) ?? "",
            unit: form.unit ?? "", cadences: options(Self.cadences, form.cadence ?? "daily"),
            aggregations: options(Self.aggregations, form.aggregation ?? ""), pattern: form.pattern ?? "",
            sample: visit.isForm ? visit.fields["sample"] ?? "" : "", trial: trial,
            cancelHref: form.id.map { PageLink("/game").adding("id", $0).text } ?? "/games")
        return page(.board, "define", title: view.heading, view, frame, visit, refusal: refusal)
    }

    /// The form as it was sent. Throws `NodeFailure.invalidGame` if a number cannot be read.
    private func gameForm(_ fields: FormFields) throws -> GameForm {
        func number(_ name: String, _ label: String) throws -> Int? {
            guard let text = fields[name] else { return nil }
            guard let number = Int(text.trimmingSpaces) else {
                throw NodeFailure.invalidGame(reason: "\(label) is not a whole number.")
            }
            return number
        }
        return try GameForm(
            id: fields["id"], name: (fields["name"] ?? "").trimmingSpaces, icon: fields["icon"] ?? "🎯",
            model: fields["model"] ?? "highScore", maximum: number("maximum", "The maximum"),
            best: number("best", "The best result"), unit: fields["unit"], cadence: fields["cadence"],
            aggregation: fields["aggregation"], pattern: fields["pattern"])
    }

    /// The form as far as it can be filled in again.
    private func enteredForm(_ fields: FormFields) -> GameForm {
        GameForm(
            id: fields["id"], name: fields["name"] ?? "", icon: fields["icon"] ?? "", model: fields["model"] ?? "",
            maximum: fields.number("maximum"), best: fields.number("best"), unit: fields["unit"],
            cadence: fields["cadence"], aggregation: fields["aggregation"], pattern: fields["pattern"])
    }

    static let gameForms: [Form] = [
        Form("/log", Site.log), Form("/games/favourite", Site.setFavourite),
        Form("/games/define", Site.define) { try await $0.defineAgain($1, $2) },
        Form("/games/test", Site.tryPattern) { try await $0.defineAgain($1, $2) },
        Form("/games/remove", then: "/games", { GamesRequest.remove(game: $0.required("game"), group: $0["group"]) }) {
            (_: GamesReport, _) in "The game is removed. Its results stay."
        },
    ]

    private func setFavourite(_ visit: Visit) async throws -> Response {
        _ = try await node.call(
            GameRequest.setFavourite(
                game: visit.fields.required("game"), isFavourite: visit.fields["favourite"] == "on"))
        return .seeOther(visit.back)
    }

    private func define(_ visit: Visit) async throws -> Response {
        let form = try gameForm(visit.fields)
        let game = try await node.call(
            GameRequest.define(form, group: visit.fields["group"]))
        let text =
            form.id == nil
            ? "“\(game.name)” is a game of your group now." : "“\(game.name)” is changed for everybody."
        return say(text, then: PageLink("/game").adding("id", game.id).text, visit)
    }

    /// Shows what the pattern reads from a text. Stores nothing.
    private func tryPattern(_ visit: Visit) async throws -> Response {
        var form = try gameForm(visit.fields)
        // A pattern can be tried before the game has a name.
        if form.name.isEmpty { form.name = "A game" }
        let report = try await node.call(
            PatternRequest.test(form, text: visit.fields.required("sample")))
        return try await defineForm(
            visit, enteredForm(visit.fields), group: visit.fields["group"], trial: Self.trial(report))
    }

    private func defineAgain(_ visit: Visit, _ refusal: Refusal) async throws -> Response {
        try await defineForm(
            visit, enteredForm(visit.fields), group: visit.fields["group"], trial: nil, refusal: refusal)
    }

    private static func trial(_ report: PatternReport) -> DefineView.Trial {
        let values: [(String, String?)] = [
            ("Score", report.score.map(String.init)), ("Number", report.puzzle.map(ResultView.grouped)),
            ("Maximum", report.maxAttempts.map(String.init)), ("Time", report.seconds.map(ResultView.clock)),
            ("Hints", report.hints.map(String.init)), ("Solved", report.completed.map { $0 ? "yes" : "no" }),
        ]
        return DefineView.Trial(
            matched: report.matched,
            text: report.matched ? "It fits. This is what is read:" : report.message ?? "It does not fit.",
            facts: report.matched
                ? values.compactMap { term, text in text.map { GameView.Fact(term: term, text: $0) } } : [])
    }
}
