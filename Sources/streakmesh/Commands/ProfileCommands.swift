import ArgumentParser
import StreakNode
import StreakStorage
import StreakWeb

struct InitCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make an account in the data folder.")

    @Option(help: "Your name as friends see it, 1 to 40 characters.")
    var name: String

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let profile = try MeshNode.createAccount(in: context.folder, name: name)
        let keyLines = keyLines(in: context, context.style)
        let isUp = await context.wakeNode()
        context.show(profile) { style in
            profile.lines(style)
                + keyLines + [""] + Self.internetLines + [
                    "",
                    isUp
                        ? "Your node is up. Next: `streakmesh invite` makes a link for a friend."
                        : "Next: `streakmesh up` starts your node, `streakmesh invite` makes a link for a friend.",
                ]
        }
    }
}

extension InitCommand {
    /// What the node does on the internet, a sentence a line.
    private static var internetLines: [String] {
        InternetReport.explanation.replacing(". ", with: ".\n").split(separator: "\n").map(String.init)
            + ["`streakmesh internet off` turns this off."]
    }

    /// The recovery key, which is shown at the first run and as long as it is not confirmed.
    private func keyLines(in context: CommandContext, _ style: OutputStyle) -> [String] {
        // Where it cannot be read now, `status` reminds of it.
        guard let key = try? MeshNode.recoveryKey(in: context.folder) else { return [] }
        return ["", "Your recovery key, the only way back when every machine of yours is lost:", ""]
            + key.keyLines.map { "  " + style.applying(.bold, to: $0) }
            + ["", "Write it on paper, then type it in with `streakmesh recovery confirm`."]
    }
}

struct WhoamiCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "whoami", abstract: "Show your profile.")

    @OptionGroup var shared: SharedOptions

    func request() -> ProfileRequest { .whoami }

    func lines(for report: ProfileReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct RenameCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: "Change your name.")

    @Argument(help: "The new name, 1 to 40 characters.")
    var name: String

    @OptionGroup var shared: SharedOptions

    func request() -> ProfileRequest { .rename(name: name) }

    func lines(for report: ProfileReport, style: OutputStyle) -> [String] { report.lines(style) }
}

extension ProfileReport {
    func lines(_ style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left])
        table.addRow(.init("name", .dim), .init(name, .bold))
        table.addRow(.init("friend code", .dim), .init(friendCode))
        table.addRow(.init("user", .dim), .init(user))
        table.addRow(.init("machine", .dim), .init(device))
        return style.lines(of: table) + (recoveryConfirmed ? [] : [style.recoveryReminder])
    }
}

/// A shell's completion script, as JSON.
private struct CompletionReport: Codable, Sendable {
    var shell: String
    var script: String
}

struct CompletionCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Write the completion script of a shell.")

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    @OptionGroup var shared: SharedOptions

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    func run(in context: CommandContext) {
        let script = StreakMeshCommand.completionScript(for: shell.completionShell)
        guard context.usesJSON else { return context.terminal.writeContent(script + "\n") }
        context.show(CompletionReport(shell: shell.rawValue, script: script)) { _ in [] }
    }
}
