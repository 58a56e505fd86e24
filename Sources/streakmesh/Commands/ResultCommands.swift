import ArgumentParser
import StreakGames
import StreakNode
import StreakWeb

/// The texts that `add` and `parse` read.
struct PastedInput: ParsableArguments {
    @Argument(help: "What the game's Share button copies (without this and --file, standard input).")
    var text: [String] = []

    @Option(help: "Read the text from this file.", completion: .file())
    var file: String?

    /// The text; at most `limit` + 1 bytes are read.
    func read(on terminal: Terminal, limit: Int) throws -> String {
        if let file {
            guard text.isEmpty else { throw CommandLineFailure.usage("Give either a text or `--file`, not both.") }
            return String(decoding: try terminal.readFile(file, limit: limit), as: UTF8.self)
        }
        guard text.isEmpty || text == ["-"] else { return text.joined(separator: " ") }
        if terminal.isInputInteractive {
            terminal.writeError("Paste what the game's Share button copied, then press Ctrl-D:")
        }
        return String(decoding: try terminal.readInput(limit: limit), as: UTF8.self)
    }
}

/// Where a result is published.
struct PublishingOptions: ParsableArguments {
    @Option(
        parsing: .singleValue,
        help: "Publish only in this group; may be given several times (else in every group that shares the game).")
    var group: [String] = []

    @Flag(name: .customLong("private"), help: "Keep it to yourself.")
    var isPrivate = false

    /// As requests name them.
    func groups() throws -> [String]? {
        guard !isPrivate || group.isEmpty else {
            throw CommandLineFailure.usage("Give either `--group` or `--private`, not both.")
        }
        return isPrivate ? [] : group.isEmpty ? nil : group
    }
}

struct AddCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Record results from pasted share texts.",
        discussion: "Several shares at once and chat around them are fine. Exit code 65 means that nothing was added.")

    /// The longest text in bytes; a longer one is no share.
    static let maximumLength = 65_536

    @OptionGroup var input: PastedInput

    @Option(help: "The day (yyyy-MM-dd) for texts without one.")
    var date: String?

    @Flag(help: "Replace what is recorded, if the value differs.")
    var replace = false

    @OptionGroup var publishing: PublishingOptions
    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let text = try input.read(on: context.terminal, limit: Self.maximumLength)
        guard text.utf8.count <= Self.maximumLength else {
            throw NodeFailure.textTooLong(limit: Self.maximumLength)
        }
        let report = try await context.call(
            ScoreRequest.add(text: text, date: date, replace: replace, groups: publishing.groups()))
        context.show(report) { style in report.lines(style) }
        if report.added.isEmpty {
            guard context.usesJSON else {
                throw CommandLineFailure.nothingAdded(reasons: report.refused.map(\.reason))
            }
            throw ExitCode(65)
        }
    }
}

struct RecordCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record a result by hand; it replaces what is recorded for that day.")

    @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
    var game: String

    @Option(parsing: .unconditional, help: "The result: guesses, hints or points.")
    var score: Int?

    @Flag(help: "The puzzle was not solved.")
    var fail = false

    @Option(help: "The solve time, m:ss or h:mm:ss.")
    var time: String?

    @Option(help: "The day, yyyy-MM-dd (else today).")
    var date: String?

    @Flag(help: "Let a lower value replace a high score of that day.")
    var replace = false

    @OptionGroup var publishing: PublishingOptions
    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        if fail, score != nil {
            throw CommandLineFailure.usage(
                "Give either `--score` or `--fail`, not both: an unsolved puzzle has no score.")
        }
        var seconds: Int?
        if let time {
            seconds = TypedValue.solveTime(time)
            guard seconds != nil else {
                throw CommandLineFailure.usage("`--time` takes m:ss or h:mm:ss, such as 0:42; not “\(time.printable)”.")
            }
        }
        let report: AddReport
        do {
            report = try await record(seconds: seconds, in: context)
        } catch NodeFailure.invalidScore where score == nil && !fail && seconds == nil {
            throw CommandLineFailure.usage("Give `--score N`, `--time m:ss` or `--fail`.")
        }
        try report.showOnly(in: context, as: "Recorded")
    }

    /// A log of a habit needs no number.
    private func record(seconds: Int?, in context: CommandContext) async throws -> AddReport {
        try await context.call(
            ScoreRequest.record(
                game: game, score: score, isCompleted: !fail, seconds: seconds, date: date,
                groups: publishing.groups(), replace: replace))
    }
}

/// Names one of the user's results.
struct ResultOptions: ParsableArguments {
    @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
    var game: String

    @Option(help: "The day, yyyy-MM-dd.")
    var date: String

    @Option(
        help: """
            The puzzle number, if you played several that day; for a habit the log's, from `results --json`.
            """
    )
    var puzzle: Int?
}

struct PublishCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish a result that you have kept to yourself.")

    @OptionGroup var result: ResultOptions

    @Option(
        parsing: .singleValue,
        help: "The group; may be given several times (else every group that shares the game).")
    var group: [String] = []

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let report = try await context.call(
            ScoreRequest.publish(
                game: result.game, date: result.date, puzzle: result.puzzle, groups: group.isEmpty ? nil : group))
        try report.showOnly(in: context, as: report.published.isEmpty ? "Published there already" : "Published")
    }
}

struct DeleteCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Withdraw one of your results.")

    @OptionGroup var result: ResultOptions
    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let report = try await context.call(
            ScoreRequest.delete(game: result.game, date: result.date, puzzle: result.puzzle))
        try report.showOnly(in: context, as: "Withdrawn")
    }
}

struct UndoCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Take back the last add, record, publish, delete or import.")

    @OptionGroup var shared: SharedOptions

    func request() -> UndoRequest { .last }

    func lines(for report: UndoReport, style: OutputStyle) -> [String] {
        let lines =
            report.restored.map { "Stands again: \($0.title), \($0.label), \($0.day)." }
            + report.withdrawn.map { "Gone again: \($0.title), \($0.label), \($0.day)." }
        let count = report.restoredCount + report.withdrawnCount
        return lines.prefix(20) + (count > 20 ? ["… and \(count - 20) more."] : [])
            + [report.keptText].compactMap(\.self)
    }
}

struct ResultsCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "results", abstract: "List your own results.")

    @Option(help: "Only this game.", completion: .games)
    var game: String?

    @Option(help: "From this day on, yyyy-MM-dd.")
    var from: String?

    @Option(help: "Up to this day, yyyy-MM-dd.")
    var to: String?

    @OptionGroup var shared: SharedOptions

    func request() -> ResultsRequest { .list(game: game, from: from, to: to) }

    func lines(for report: ResultsReport, style: OutputStyle) -> [String] {
        guard !report.results.isEmpty else { return ["No results. `streakmesh add` takes a share text."] }
        var table = TextTable([.left, .left, .right, .left, .right, .left])
        table.addHeader("day", "game", "puzzle", "result", "points", "")
        for result in report.results {
            table.addRow(
                .init(result.day), .init(result.gameName, .bold),
                .init(result.shownPuzzle.map { "#\($0)" } ?? "", .dim),
                .init(result.label), .init(result.shownPoints?.grouped ?? ""), .init(result.marks, .dim))
        }
        return style.lines(of: table)
    }
}

extension ResultReport {
    /// Notes about a result, in addition to its value.
    fileprivate var marks: String {
        [
            edited ? "edited" : nil, late ? "late" : nil, groups.isEmpty ? "only yours" : nil,
            differs.map { "another machine recorded \($0)" },
        ].compactMap(\.self).joined(
            separator: ", ")
    }

    fileprivate var title: String {
        gameName + (shownPuzzle.map { " #\($0)" } ?? "")
    }
}

extension AddReport {
    /// Shows the one result that a command by hand concerns; throws the refusal where there is none.
    fileprivate func showOnly(in context: CommandContext, as verb: String) throws {
        guard let result = added.first else {
            throw refused.first.map(CommandLineFailure.refused) ?? CommandLineFailure.nothingAdded(reasons: [])
        }
        context.show(result) { style in
            ["\(verb): \(style.applying(.bold, to: result.title)), \(result.label), \(result.day)."]
        }
    }

    fileprivate func lines(_ style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left, .left, .right, .left, .left])
        for result in added {
            let points = result.shownPoints.map { $0 == 1 ? "1 point" : "\($0.grouped) points" } ?? ""
            let note = result.unchanged ? "recorded before" : result.replaced ? "replaced" : result.marks
            table.addRow(
                .init(result.unchanged ? "=" : "✓", result.unchanged ? .dim : .good), .init(result.title, .bold),
                .init(result.label), .init(points), .init(result.day, .dim), .init(note, .dim))
        }
        var lines = style.lines(of: table)
        for refusal in refused {
            lines.append(style.refusalLine(text: refusal.text, message: refusal.message))
        }
        if !added.isEmpty, refused.contains(where: { $0.reason == "conflict" }) {
            lines.append("  Add `--replace` to put the new value in its place.")
        }
        return lines
    }
}
