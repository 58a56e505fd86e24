import ArgumentParser
import Foundation
import StreakNode
import StreakStorage
import StreakWeb
import Synchronization

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
                name: "Start:",
                subcommands: [
                    InitCommand.self, UpCommand.self, OpenCommand.self, ServiceCommand.self, WhoamiCommand.self,
                    RenameCommand.self,
                ]),
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
                name: "Together:",
                subcommands: [
                    FeedCommand.self, PlayerCommand.self, MessageCommand.self, EventCommand.self, ReactCommand.self,
                    CommentCommand.self, MuteCommand.self,
                    ChallengeCommand.self, NotificationsCommand.self, NoticesCommand.self,
                ]),
            CommandGroup(
                name: "Numbers:",
                subcommands: [
                    StatsCommand.self, StreaksCommand.self, AchievementsCommand.self, RecapCommand.self,
                    VersusCommand.self, ChampionsCommand.self, ShareCommand.self, TemplatesCommand.self,
                    RemindersCommand.self,
                ]),
            CommandGroup(
                name: "Node:",
                subcommands: [
                    StatusCommand.self, DoctorCommand.self, InternetCommand.self, ClockCommand.self, PageCommand.self,
                    SyncCommand.self, WatchCommand.self, CompletionCommand.self,
                ]),
        ])
}

/// The options of every command.
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
        let context = shared.context()
        try context.folder.checkOwner()
        try await run(in: context)
    }
}

/// A command that makes one request and shows the answer.
protocol QueryCommand: SessionCommand {
    associatedtype Request: NodeRequest
    typealias Report = Request.Report
    /// Whether the node must reach others to answer. If so, it runs as long as that takes.
    static var needsNetwork: Bool { get }
    /// Whether it then looks for others on the internet, too.
    static var needsInternet: Bool { get }
    /// Whether the answer also lists groups that the user is no longer in.
    static var tellsEndings: Bool { get }
    func request() throws -> Request
    /// The answer for people.
    func lines(for report: Report, style: OutputStyle) -> [String]
}

extension QueryCommand {
    static var needsNetwork: Bool { false }
    static var needsInternet: Bool { false }
    static var tellsEndings: Bool { false }

    func run(in context: CommandContext) async throws {
        try await show(request(), in: context)
    }

    /// Makes the request and shows the answer. If the command lists endings, these come first.
    fileprivate func show(_ request: Request, in context: CommandContext) async throws {
        try request.checkArguments()
        let tellsEndings = Self.tellsEndings && !context.usesJSON
        let answer = Mutex<Report?>(nil)
        let endings = try await context.ask(
            tellingEndings: tellsEndings, needsNetwork: Self.needsNetwork, needsInternet: Self.needsInternet
        ) { node in
            let report = try await node.call(request)
            answer.withLock { $0 = report }
        }
        guard let report = answer.withLock({ $0 }) else { throw NodeFailure.stopping }
        context.show(report) { endings + lines(for: report, style: $0) }
    }
}

extension [GroupReport] {
    /// The lines about groups that this user is no longer in, until the user takes them off the list.
    func endingLines(_ style: OutputStyle) -> [String] {
        compactMap { group in
            group.standingText.map { text in
                "\(style.applying(.bad, to: "!")) \(text.printable) "
                    + "`streakmesh group leave \(group.id.prefix(8))` takes it off your list."
            }
        }
    }
}

/// The flag of commands that ask beforehand.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: "Do it without asking.")
    var yes = false
}

/// A command that says what it will do, and asks first. The question names what the node found for the typed text. The
/// command then acts on exactly that.
protocol ConfirmedCommand: QueryCommand {
    var confirmation: ConfirmationOptions { get }
    /// The person or thing that it concerns, as typed.
    var target: ConfirmationTarget { get }
    /// What others keep and what changes, in sentences, and the question about what was found.
    func warning(about found: String) -> (consequence: String, question: String)
    /// `selector` is the ID that the question named. If nobody was asked it is nil, and the typed text is used.
    func request(about selector: String?) -> Request
}

extension ConfirmedCommand {
    func request() -> Request { request(about: nil) }

    func run(in context: CommandContext) async throws {
        guard !confirmation.yes, context.isAttended else { return try await show(request(), in: context) }
        let found = try await context.find(target)
        let warning = warning(about: found.text)
        try context.confirm(warning.consequence, warning.question)
        try await show(request(about: found.id), in: context)
    }
}

/// The person or thing that a question concerns.
enum ConfirmationTarget {
    case person(PersonRequest)
    /// Nil for the active group.
    case group(String?)
    /// Another machine of this user.
    case device(String)
}

extension CommandContext {
    /// Asks the node what the typed text means: the ID, and words that fit nobody else.
    func find(_ target: ConfirmationTarget) async throws -> (id: String, text: String) {
        switch target {
        case .person(let request):
            let person = try await call(request)
            return (person.user, person.described.printable)
        case .group(let selector):
            let group = try await call(GroupRequest.find(group: selector))
            return (group.id, group.described.printable)
        case .device(let selector):
            let named = try await call(DeviceRequest.list).devices.matching(selector).filter { !$0.this }
            let found = named.filter { $0.state == "current" || !$0.stillIn.isEmpty }
            guard let device = found.first, found.count == 1 else {
                throw named.count == 1 ? NodeFailure.alreadyShutOut(selector) : .unknownDevice(selector)
            }
            let name = device.name.map { "“\($0.printable)”, " } ?? ""
            return (device.device, "\(name)\(device.device.prefix(12)) (\(device.originText))")
        }
    }
}
