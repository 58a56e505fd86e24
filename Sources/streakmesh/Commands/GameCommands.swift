import ArgumentParser
import StreakGames
import StreakNode
import StreakStorage

struct GamesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "games", abstract: "List the games, choose favourites, and define games of your own for a group.",
        subcommands: [
            List.self, Add.self, Edit.self, Test.self, Remove.self, Favourite.self, Unfavourite.self,
        ],
        defaultSubcommand: List.self)

    /// Needs no account; with one it lists the groups' own games, too.
    struct List: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the games; favourites come first.")

        @Argument(help: "Only games whose name, ID or category holds this.")
        var search: String?

        @Flag(help: "Only favourites.")
        var favourites = false

        @Option(help: "Only the catalogue and this group's custom games.")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            guard context.folder.hasAccount else {
                return show(GamesReport(Catalogue.standard.games.filter(matches)), in: context)
            }
            let report = try await context.call(
                GamesRequest.list(search: search, category: nil, favouritesOnly: favourites, group: group))
            show(report, in: context)
        }

        private func show(_ report: GamesReport, in context: CommandContext) {
            context.show(report) { Self.lines(for: report.games, style: $0) }
        }

        private static func lines(for games: [GameReport], style: OutputStyle) -> [String] {
            guard !games.isEmpty else { return ["No game like that. `streakmesh games` lists all."] }
            var table = TextTable([.left, .left, .left, .left, .left])
            table.addHeader("", "game", "ID", "category", "address")
            for game in games {
                table.addRow(
                    .init(game.icon), .init(game.name, game.favourite ? .bold : .plain), .init(game.id),
                    .init(game.category, .dim), .init(game.url ?? game.definition?.pattern ?? "", .dim))
            }
            return style.lines(of: table)
        }

        private func matches(_ game: Game) -> Bool {
            guard game.isFavourite || !favourites else { return false }
            guard let search = search?.lowercased() else { return true }
            return [game.id.rawValue, game.name, game.category.rawValue].contains {
                $0.lowercased().contains(search)
            }
        }
    }

    /// What a custom game is like.
    struct Definition: ParsableArguments {
        @Option(
            help: """
                How it is scored: lowerAttempts, lowerGuesses, lowerHints, lowerTimeSeconds, higherIsBetter, highScore \
                (the best of a day counts) or count (a habit: every log counts).
                """)
        var model: String?

        @Option(help: "An emoji.")
        var icon: String?

        @Option(help: "The M of “3/M”.")
        var maximum: Int?

        @Option(help: "The best result there is, where less is better.")
        var best: Int?

        @Option(help: "The unit shown behind a value, such as km.")
        var unit: String?

        @Option(help: "daily, weekly or unlimited.")
        var cadence: String?

        @Option(help: "What counts over several days: best, sum or latest.")
        var over: String?

        @Option(
            help: """
                How its share reads, such as “Block Blast {score} pts”; {max}, {number}, {hints}, {time}, {date} \
                and {any} too.
                """)
        var pattern: String?

        /// A new game, or one like `known` with the given changes.
        func form(name: String, changing known: GameForm? = nil) -> GameForm {
            GameForm(
                id: known?.id, name: name, icon: icon ?? known?.icon ?? "🎯",
                model: model ?? known?.model ?? "highScore", maximum: maximum ?? known?.maximum,
                best: best ?? known?.best, unit: unit ?? known?.unit, cadence: cadence ?? known?.cadence,
                aggregation: over ?? known?.aggregation, pattern: pattern ?? known?.pattern)
        }
    }

    struct Add: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Define a game for your group; any member may then record it.")

        @Argument(help: "Its name, 1 to 40 characters.")
        var name: String

        @OptionGroup var definition: Definition

        @Option(help: "The group (else the active one).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func request() -> GameRequest { .define(definition.form(name: name), group: group) }

        func lines(for report: GameReport, style: OutputStyle) -> [String] {
            [
                "\(report.icon.printable) \(style.applying(.bold, to: report.name)) is a game of your group now: "
                    + "\(report.id).",
                report.definition?.pattern == nil
                    ? "Record it by hand: `streakmesh record \(report.id) --score N`"
                    : "Paste its share: `streakmesh add`",
            ]
        }
    }

    struct Edit: SessionCommand {
        static let configuration = CommandConfiguration(commandName: "edit", abstract: "Change a custom game.")

        @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
        var game: String

        @Option(help: "Its new name.")
        var name: String?

        @OptionGroup var definition: Definition

        @Option(help: "The group (else the one that has the game).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            let report = try await context.ask(needsNetwork: false) { node in
                let known = try await node.call(GameRequest.show(game: game, group: group))
                let changed = definition.form(name: name ?? known.name, changing: known.definition)
                return try await node.call(GameRequest.define(changed, group: known.groups.first))
            }
            context.show(report) { ["\($0.applying(.bold, to: report.name)) is changed for everybody."] }
        }
    }

    struct Test: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Try a pattern on a share text; stores nothing.")

        @Argument(help: "A share text.")
        var text: String

        @OptionGroup var definition: Definition
        @OptionGroup var shared: SharedOptions

        func request() -> PatternRequest { .test(definition.form(name: "Test"), text: text) }

        func lines(for report: PatternReport, style: OutputStyle) -> [String] {
            guard report.matched else {
                return [style.applying(.bad, to: "✗") + " " + (report.message ?? "It does not fit.").printable]
            }
            let values: [(String, Int?)] = [
                ("score", report.score), ("number", report.puzzle), ("maximum", report.maxAttempts),
                ("seconds", report.seconds), ("hints", report.hints),
            ]
            let found = values.compactMap { name, value in value.map { "\(name) \($0)" } }
            let end = report.completed == false ? ["not solved"] : []
            return [style.applying(.good, to: "✓") + " " + (found + end).joined(separator: ", ")]
        }
    }

    struct Remove: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a game that you defined from your group. Its results stay.")

        @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
        var game: String

        @Option(help: "The group (else the one that has the game).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func request() -> GamesRequest { .remove(game: game, group: group) }

        func lines(for report: GamesReport, style: OutputStyle) -> [String] {
            ["Removed. Your group has \(report.games.count) games of its own."]
        }
    }

    struct Favourite: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "favourite", abstract: "Show a game first, on all your machines.")

        @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
        var game: String

        @OptionGroup var shared: SharedOptions

        func request() -> GameRequest { .setFavourite(game: game, isFavourite: true) }

        func lines(for report: GameReport, style: OutputStyle) -> [String] {
            ["\(style.applying(.bold, to: report.name)) is a favourite."]
        }
    }

    struct Unfavourite: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "unfavourite", abstract: "No longer show a game first.")

        @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
        var game: String

        @OptionGroup var shared: SharedOptions

        func request() -> GameRequest { .setFavourite(game: game, isFavourite: false) }

        func lines(for report: GameReport, style: OutputStyle) -> [String] {
            ["\(style.applying(.bold, to: report.name)) is no longer a favourite."]
        }
    }
}
