import ArgumentParser
import Foundation
import StreakNode
import StreakWeb

struct ShareCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "share", abstract: "Write a text about your own play, and a picture of it, to send to anybody.",
        discussion: """
            Nothing is sent: the text is written here, the picture into a file. A picture holds the coloured squares of \
            your own result, never those of anybody else.
            """)

    @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
    var game: String?

    @Option(help: "The day, yyyy-MM-dd (else today).")
    var date: String?

    @Flag(help: "Your streak in the game, or without a game your days in a row.")
    var streak = false

    @Flag(help: "Your week, with the podium of the group.")
    var week = false

    @Option(help: "With --week: the group (else the active one).")
    var group: String?

    @Flag(help: "With --week: only you, without the group.")
    var alone = false

    @Option(help: "An achievement you have reached, such as streak-master or streak-master/gold; latest.")
    var achievement: String?

    @Option(
        help: "Write the picture to this new file, .svg or .png (a PNG needs the program rsvg-convert).",
        completion: .file(extensions: ["svg", "png"]))
    var image: String?

    @Option(help: "light or dark (else light).", completion: .list(["light", "dark"]))
    var look: String?

    @Option(help: "wide, 1200 × 630, or square, 1080 × 1080 (else wide).", completion: .list(["wide", "square"]))
    var shape: String?

    @OptionGroup var shared: SharedOptions

    /// What `--json` writes.
    private struct Outcome: Sendable {
        var text: String
        var title: String
        var description: String
        /// Nil without `--image`, as the others.
        var file: String?
        var width: Int?
        var height: Int?
    }

    func run(in context: CommandContext) async throws {
        let file = try image.map { try PictureFile(path: $0) }
        let report = try await context.call(
            try request(picture: file.map { _ in PictureStyle(look: look, shape: shape) }))
        if let file, let picture = report.picture { try file.write(picture) }
        let outcome = Outcome(
            text: report.text, title: report.title, description: report.description, file: file?.path,
            width: report.picture?.width, height: report.picture?.height)
        context.show(outcome) { _ in
            outcome.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
                + (file.map { ["", "The picture is in \($0.path.printable)."] } ?? [])
        }
    }

    private func request(picture: PictureStyle?) throws -> ShareRequest {
        if image == nil, look != nil || shape != nil {
            throw CommandLineFailure.usage("--look and --shape are for the picture of --image FILE.")
        }
        if group != nil || alone, !week { throw CommandLineFailure.usage("--group and --alone are for --week.") }
        switch (streak, week, achievement) {
        case (true, false, nil):
            guard date == nil else { throw CommandLineFailure.usage("A streak is always today's; leave --date out.") }
            return .streak(game: game, picture: picture)
        case (false, true, nil):
            guard game == nil else { throw CommandLineFailure.usage("A week is of all games; leave the game out.") }
            return .week(date: date, group: group, isAlone: alone, picture: picture)
        case (false, false, let achievement?):
            guard game == nil, date == nil else {
                throw CommandLineFailure.usage("An achievement has no game and no --date.")
            }
            return .achievement(achievement == "latest" ? nil : achievement, picture: picture)
        case (false, false, nil):
            guard let game else {
                throw CommandLineFailure.usage("Name a game, or use --streak, --week or --achievement.")
            }
            return .result(game: game, date: date, picture: picture)
        case (true, _, _), (_, true, _):
            throw CommandLineFailure.usage("Use one of --streak, --week and --achievement.")
        }
    }
}

struct TemplatesCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "templates", abstract: "Show or change the texts that `share` writes.",
        discussion: "Words in braces are replaced; each kind of text may name those that are listed with it.")

    private static let kinds = ["unlock", "personal-best", "perfect", "solved", "lost"]

    @Argument(help: "The kind: unlock, personal-best, perfect, solved or lost.", completion: .list(kinds))
    var kind: String?

    @Option(help: "The new text; \\n begins a line.")
    var text: String?

    @Flag(help: "Go back to the standard text.")
    var reset = false

    @OptionGroup var shared: SharedOptions

    func request() throws -> ShareTemplateRequest {
        if let kind, !Self.kinds.contains(kind) {
            throw CommandLineFailure.usage("The kinds of text are \(Self.kinds.joined(separator: ", ")).")
        }
        guard text != nil || reset else { return .list }
        guard let kind else { throw CommandLineFailure.usage("Name the kind of text to change.") }
        guard text == nil || !reset else { throw CommandLineFailure.usage("Use either --text or --reset.") }
        return .change(kind: kind, text: text.map { $0.replacing("\\n", with: "\n") })
    }

    func lines(for report: ShareTemplatesReport, style: OutputStyle) -> [String] {
        report.templates.filter { kind == nil || $0.kind == kind }.flatMap { template -> [String] in
            let places = template.placeholders.map { "{\($0)}" }.joined(separator: " ")
            let text = template.text.split(separator: "\n", omittingEmptySubsequences: false)
            return [
                style.applying(.bold, to: template.kind) + style.applying(.dim, to: template.own ? " (yours)" : "")
            ] + text.map { "  " + String($0).printable } + [style.applying(.dim, to: "  may name \(places)")]
        }
    }
}

/// A new file for a picture: SVG as it is, or PNG as `rsvg-convert`, a program of librsvg, draws it.
struct PictureFile {
    let path: String
    private let isPNG: Bool

    /// Throws `CommandLineFailure`: another ending, a file that exists, or no program for PNG.
    init(path: String) throws {
        let name = path.lowercased()
        guard name.hasSuffix(".svg") || name.hasSuffix(".png") else {
            throw CommandLineFailure.usage("A picture's file ends in .svg or .png.")
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw NodeFailure.cannotWriteFile(reason: "there is a file of this name already")
        }
        (self.path, isPNG) = (path, name.hasSuffix(".png"))
        if isPNG, Self.converter == nil { throw CommandLineFailure.noPictureProgram }
    }

    /// The program's path; nil if this system has none.
    private static var converter: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/rsvg-convert" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    func write(_ picture: PictureReport) throws {
        let bytes = Data(picture.svg.utf8)
        guard isPNG else { return try create(bytes) }
        guard let converter = Self.converter else { throw CommandLineFailure.noPictureProgram }
        try create(try Self.convert(bytes, with: converter, picture))
    }

    /// Never replaces a file.
    private func create(_ bytes: Data) throws {
        do {
            try bytes.write(to: URL(fileURLWithPath: path), options: [.withoutOverwriting])
        } catch {
            throw NodeFailure.cannotWriteFile(reason: "check the folder and its rights")
        }
    }

    private static func convert(_ bytes: Data, with converter: String, _ picture: PictureReport) throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // What stays behind is the system's to tidy.
        defer { try? FileManager.default.removeItem(at: folder) }
        let (drawn, made) = (folder.appendingPathComponent("in.svg"), folder.appendingPathComponent("out.png"))
        try bytes.write(to: drawn)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: converter)
        process.arguments = [
            "--format=png", "--width=\(picture.width)", "--height=\(picture.height)", "--output=\(made.path)",
            drawn.path,
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        // Without a file the program has failed, whatever it says.
        guard process.terminationStatus == 0, let png = try? Data(contentsOf: made), !png.isEmpty else {
            throw CommandLineFailure.pictureFailed
        }
        return png
    }
}
