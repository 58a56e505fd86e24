import ArgumentParser
import Foundation
import StreakGames
import StreakNode
import StreakStorage

/// Reads share texts without any account: for scripts, and to see what `add` would make of a text.
struct ParseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse", abstract: "Show what `add` would read; stores nothing and needs no account.",
        discussion: "With --lines, each line of input is a JSON string, and each line of output answers one of them.")

    /// The longest input, and with `--lines` the longest line, in bytes.
    static let maximumLength = 16 * 1_024 * 1_024

    @OptionGroup var input: PastedInput

    @Flag(help: "Each line of input is a JSON string; implies --json.")
    var lines = false

    @OptionGroup var shared: SharedOptions

    func run() async throws {
        let context = shared.context()
        let reader = await Self.reader(in: context)
        if lines {
            try readLines(with: reader, in: context)
        } else {
            let reading = reader.read(try input.read(on: context.terminal, limit: Self.maximumLength))
            let report = ParseReport(reading)
            context.show(report) { report.lines(reading, reader.catalogue, $0) }
        }
    }

    /// If there is an account, the reader also knows the groups' own games. If asking for these fails, it goes on
    /// without.
    private static func reader(in context: CommandContext) async -> ShareReader {
        guard context.folder.hasAccount,
            let games = try? await context.call(  // as above
                GamesRequest.list(search: nil, category: "custom", favouritesOnly: false, group: nil))
        else { return ShareReader() }
        return ShareReader(custom: games.games.compactMap { $0.definition.flatMap(GameDefinition.init) })
    }

    private func readLines(with reader: ShareReader, in context: CommandContext) throws {
        guard input.text.isEmpty, input.file == nil else {
            throw CommandLineFailure.usage("`--lines` reads standard input only.")
        }
        while let line = readLine() {
            let report: ParseReport
            if line.utf8.count > Self.maximumLength {
                report = ParseReport(ShareReading(refusals: [Refusal(text: "", reason: .tooLong)]))
            } else {
                do {
                    report = ParseReport(reader.read(try JSONDecoder().decode(String.self, from: Data(line.utf8))))
                } catch is DecodingError {
                    report = ParseReport(notJSON: line)
                }
            }
            context.terminal.write(JSON(reflecting: report).text)
        }
    }
}

/// The answer of `parse`: its keys are a contract (docs/cli.md).
struct ParseReport: Sendable, Equatable {
    struct ReadShare: Sendable, Equatable {
        var game: String
        var puzzle: Int?
        var day: String?
        var score: Int?
        var maxAttempts: Int?
        var completed: Bool
        var seconds: Int?
        var hints: Int?
    }

    struct RefusedPart: Sendable, Equatable {
        var text: String
        var reason: String
    }

    var shares: [ReadShare]
    var refused: [RefusedPart]

    init(_ reading: ShareReading) {
        shares = reading.shares.map { share in
            ReadShare(
                game: share.game.rawValue, puzzle: share.puzzle, day: share.day?.description, score: share.score,
                maxAttempts: share.maxAttempts, completed: share.isCompleted, seconds: share.seconds,
                hints: share.hints)
        }
        refused = reading.refusals.map { RefusedPart(text: $0.text, reason: $0.reason.word) }
    }

    init(notJSON line: String) {
        shares = []
        refused = [RefusedPart(text: String(line.prefix(80)), reason: "notJSON")]
    }

    func lines(_ reading: ShareReading, _ catalogue: Catalogue, _ style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left, .left, .left])
        for share in reading.shares {
            let name = catalogue[share.game]?.name ?? share.game.rawValue
            table.addRow(
                .init("✓", .good), .init(name + (share.puzzle.map { " #\($0)" } ?? ""), .bold),
                .init(share.summary), .init(share.day?.description ?? "", .dim))
        }
        return style.lines(of: table)
            + reading.refusals.map { refusal in
                style.refusalLine(text: refusal.text, message: refusal.reason.sentence)
            }
    }
}

extension Share {
    /// The raw result in a few words.
    fileprivate var summary: String {
        if let seconds, isCompleted {
            let rest = seconds % 60
            return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
        }
        guard isCompleted else { return maxAttempts.map { "X/\($0)" } ?? "not solved" }
        if let score { return maxAttempts.map { "\(score)/\($0)" } ?? "\(score)" }
        return hints.map { "\($0) hints" } ?? "done"
    }
}

extension GameDefinition {
    /// Nil for a kind of game that this version does not know.
    fileprivate init?(_ form: GameForm) {
        guard let id = form.id.flatMap({ GameID($0) }), let model = ScoringModel(rawValue: form.model) else {
            return nil
        }
        let cadence = form.cadence.flatMap(Game.Cadence.init(rawValue:)) ?? .daily
        let aggregation = form.aggregation.flatMap(RangeAggregation.init(rawValue:))
        do throws(GameDefinitionFault) {
            try self.init(
                id: id, name: form.name, icon: form.icon, model: model, maximum: form.maximum, best: form.best,
                unit: form.unit, cadence: cadence, aggregation: aggregation, pattern: form.pattern)
        } catch {
            return nil
        }
    }
}
