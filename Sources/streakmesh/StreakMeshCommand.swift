import ArgumentParser
import Foundation
import StreakNode
import StreakStorage

/// `streakmesh`: all commands (docs/cli.md).
struct StreakMeshCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streakmesh",
        abstract: "A leaderboard for friends who play daily puzzles, without a server.",
        discussion: """
            --data DIR and --json may stand before or after the command. STREAKMESH_DATA stands for --data.
            """,
        version: NodeVersion.current,
        groupedSubcommands: [
            CommandGroup(
                name: "Start:", subcommands: [InitCommand.self, UpCommand.self, WhoamiCommand.self, RenameCommand.self]),
            CommandGroup(
                name: "Account:",
                subcommands: [
                    RecoveryCommand.self, RecoverCommand.self, BackupCommand.self, RestoreCommand.self,
                    DeviceCommand.self, GuestCommand.self,
                ]),
            CommandGroup(
                name: "Friends:",
                subcommands: [
                    GroupCommand.self, MembersCommand.self, MemberCommand.self, RequestsCommand.self,
                    InviteCommand.self, JoinCommand.self, FriendCommand.self, PrivacyCommand.self, SharingCommand.self,
                ]),
            CommandGroup(
                name: "Results:",
                subcommands: [
                    AddCommand.self, ParseCommand.self, RecordCommand.self, PublishCommand.self, DeleteCommand.self,
                    UndoCommand.self,
                    BoardCommand.self, ResultsCommand.self, GamesCommand.self, ExportCommand.self, ImportCommand.self,
                ]),
            CommandGroup(
                name: "Numbers:",
                subcommands: [
                    StatsCommand.self, StreaksCommand.self, AchievementsCommand.self, RecapCommand.self,
                    VersusCommand.self, ChampionsCommand.self, ShareCommand.self, RemindersCommand.self,
                ]),
            CommandGroup(
                name: "Node:",
                subcommands: [
                    StatusCommand.self, ClockCommand.self, PageCommand.self, SyncCommand.self, WatchCommand.self, CompletionCommand.self,
                ]),
        ])
}

/// What every command takes.
struct SharedOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The data folder (else STREAKMESH_DATA, else the usual place).", valueName: "dir"))
    var data: String?

    @Flag(help: "Write JSON, as docs/cli.md describes it.")
    var json = false

    /// The folder, the streams and the form of output that these options ask for.
    func context() -> CommandContext {
        let environment = ProcessInfo.processInfo.environment
        return CommandContext(
            folder: DataFolder(path: data ?? DataFolder.defaultPath(environment: environment)),
            terminal: Terminal.current(environment: environment), usesJSON: json)
    }
}

/// A command that works on a data folder.
protocol SessionCommand: AsyncParsableCommand {
    var shared: SharedOptions { get }
    func run(in context: CommandContext) async throws
}

extension SessionCommand {
    mutating func run() async throws {
        try await run(in: shared.context())
    }
}

/// A command that asks one thing and shows the answer.
protocol QueryCommand: SessionCommand {
    associatedtype Report: Codable & Sendable
    /// Whether the node must reach others to answer; it is then started for as long as that takes.
    static var needsNetwork: Bool { get }
    func request() throws -> NodeRequest
    /// The answer for people.
    func lines(for report: Report, style: OutputStyle) -> [String]
}

extension QueryCommand {
    static var needsNetwork: Bool { false }

    func run(in context: CommandContext) async throws {
        let report = try await context.call(request(), returning: Report.self, needsNetwork: Self.needsNetwork)
        context.show(report) { lines(for: report, style: $0) }
    }
}
