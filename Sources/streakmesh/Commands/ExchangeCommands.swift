import ArgumentParser
import Foundation
import StreakNode
import StreakStorage

struct ExportCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write your results as CSV or JSON, for spreadsheets and other programs.")

    @Argument(help: "csv or json.", completion: .list(["csv", "json"]))
    var format: String

    @Option(help: "Write to this new file (else to standard output).", completion: .file())
    var file: String?

    @Option(help: "Only this game.", completion: .games)
    var game: String?

    @Option(help: "From this day on, yyyy-MM-dd.")
    var from: String?

    @Option(help: "Up to this day, yyyy-MM-dd.")
    var to: String?

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let report = try await context.call(
            ExportRequest.export(format: format, game: game, from: from, to: to, file: file.map { $0.absolutePath }))
        guard let content = report.content, !context.usesJSON else {
            context.show(report) { _ in
                [
                    "\(report.count) \(report.count == 1 ? "result is" : "results are") in \((report.file ?? "").printable)."
                ]
            }
            return
        }
        context.terminal.writeContent(content)
    }
}

struct ImportCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Read results from a CSV or JSON file, or from an exported chat.",
        discussion: """
            The columns may stand in any order and under many names. Results that are already recorded are skipped, so \
            you may import the same file again. Results are published like those of `add`.
            """)

    @Argument(help: "The file; - is standard input.", completion: .file())
    var file: String

    @Flag(help: "Show what would be imported; store nothing.")
    var dryRun = false

    @Flag(help: "Replace what is recorded, if the value differs.")
    var replace = false

    @Flag(help: "Leave out refused lines (else a file with such a line is not stored at all).")
    var skipBad = false

    @Option(help: "What 03/04/2026 means: day-first or month-first.", completion: .list(["day-first", "month-first"]))
    var dateOrder: String?

    @Option(help: "The game of rows that name none.", completion: .games)
    var game: String?

    @Flag(help: "The file is an exported chat: read the shares in it.")
    var chat = false

    @Option(help: "Who you are in the chat.")
    var sender: String?

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let spool = file == "-" ? try Spool(of: context) : nil
        defer { spool?.remove() }
        let source = ImportSource.file(path: spool?.path ?? file.absolutePath)
        let options = ImportOptions(
            isPreview: dryRun, replaces: replace, dates: dateOrder, game: game, skipsBad: skipBad)
        let isChat = chat || sender != nil
        let report = try await context.call(
            isChat ? ImportRequest.loadChat(source, sender: sender, options) : .load(source, options))
        context.show(report) { report.lines($0) }
        // If a line was refused, nothing was stored. If every line was left out, nothing was imported either.
        if report.refusedCount > 0, !skipBad || report.imported + report.skipped == 0 { throw ExitCode(65) }
    }
}

/// Copies standard input to a file beside the account's data, so that a running node can read it at any length.
private struct Spool {
    let path: String

    /// Throws `NodeFailure`: input longer than any import is refused before it is written.
    init(of context: CommandContext) throws {
        guard context.folder.hasAccount else { throw NodeFailure.noAccount }
        let bytes = try context.terminal.readInput(limit: ImportSource.maximumSize)
        guard bytes.count <= ImportSource.maximumSize else {
            throw NodeFailure.textTooLong(limit: ImportSource.maximumSize)
        }
        do {
            path = try context.folder.putAside(bytes)
        } catch StorageError.diskFull {
            throw NodeFailure.diskFull
        } catch StorageError.failed(let reason) {
            throw CommandLineFailure.unreadable("-", reason: "its text could not be put aside, \(reason)")
        }
    }

    func remove() {
        // If it cannot be removed now, opening the folder removes it.
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension ImportReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let isHeld = imported == 0 && importable > 0
        var lines = [
            "\(preview ? "Would import" : "Imported") \(style.applying(.bold, to: "\(imported)")), skipped \(skipped), "
                + "refused \(refusedCount)."
        ]
        if replaced > 0 { lines.append("\(replaced) of them \(preview ? "would replace" : "replaced") other values.") }
        if preview, !isHeld, !sample.isEmpty {
            var table = TextTable([.left, .left, .left])
            for result in sample {
                table.addRow(.init(result.day, .dim), .init(result.gameName, .bold), .init(result.label))
            }
            lines += style.lines(of: table)
            if imported > sample.count { lines.append("… and \(imported - sample.count) more") }
        }
        for line in (conflicts + refused).prefix(20) {
            lines.append("\(style.applying(.bad, to: "✗")) \(line.place): \(line.message.printable)")
        }
        if conflictCount + refusedCount > 20 { lines.append("… and \(conflictCount + refusedCount - 20) more") }
        if conflictCount > 0 { lines.append("  Add `--replace` to put the new values in their place.") }
        for line in adjusted.prefix(20) { lines.append("  \(line.place): \(line.message.printable)") }
        if adjustedCount > 20 { lines.append("… and \(adjustedCount - 20) more with another maximum") }
        if isHeld {
            lines.append(
                "Nothing \(preview ? "would be" : "was") stored, because a line is refused. "
                    + "Correct it, or add `--skip-bad` to import the other \(importable == 1 ? "one" : "\(importable)")."
            )
        }
        return lines
    }
}

extension RefusedLine {
    /// “line 3”, “result 2 (line 1)”
    fileprivate var place: String { element.map { "result \($0) (line \(line))" } ?? "line \(line)" }
}

extension String {
    /// This path as it is known to a node that runs in another folder.
    fileprivate var absolutePath: String {
        hasPrefix("/") ? self : FileManager.default.currentDirectoryPath + "/" + self
    }
}
