import ArgumentParser
import StreakNode
import StreakWeb

struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Make, list and revoke links that let friends join.",
        subcommands: [Create.self, List.self, Revoke.self], defaultSubcommand: Create.self)

    struct Create: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Make a link. If you have no group, this founds “Friends” first.")

        @Option(help: "The group (else the active one).")
        var group: String?

        @Option(help: "How many friends can use the link: a number, or `unlimited`.")
        var uses = "1"

        @Option(help: "How long the link lives: 90s, 15m, 12h, 7d; up to 90d.")
        var expires = "7d"

        @Flag(help: "People who use it wait until the owner or an admin lets them in.")
        var approval = false

        @Flag(help: "Show the link as a QR code, too.")
        var qr = false

        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            guard let count = TypedValue.uses(uses) else {
                throw CommandLineFailure.usage(
                    "`--uses` takes a number from 1 on, or `unlimited`; not “\(uses.printable)”.")
            }
            guard let lifetime = TypedValue.seconds(expires), lifetime > 0 else {
                throw CommandLineFailure.usage(
                    "`--expires` takes 90s, 15m, 12h or 7d, up to 90d; not “\(expires.printable)”.")
            }
            let report = try await invite(in: context, uses: count, lifetime: lifetime)
            if qr, !context.usesJSON {
                QRCode(text: report.link).map(context.terminal.write)
            }
            context.show(report) { style in
                let uses = report.uses.map { $0 == 1 ? "one friend" : "\($0) friends" } ?? "any number of friends"
                return [
                    report.link, "",
                    "Lets \(uses) join \(style.applying(.bold, to: report.title)) until \(report.expiryText).",
                    "Your friend opens it on their page, or runs `streakmesh join 'LINK'`.",
                ]
            }
        }

        private func invite(in context: CommandContext, uses: Int, lifetime: Int64) async throws -> InviteReport {
            let request = InviteRequest.create(group: group, uses: uses, lifetime: lifetime, needsApproval: approval)
            do {
                return try await context.call(request)
            } catch NodeFailure.noGroup where group == nil {
                _ = try await context.call(GroupRequest.create(title: "Friends"))
                return try await context.call(request)
            }
        }
    }

    struct List: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the links that still let somebody join.")

        @Option(help: "The group (else the active one).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func request() -> InviteListRequest { .list(group: group) }

        func lines(for report: InviteListReport, style: OutputStyle) -> [String] {
            report.lines(style)
        }
    }

    struct Revoke: QueryCommand {
        static let configuration = CommandConfiguration(commandName: "revoke", abstract: "End a link at once.")

        @Argument(help: "The invite's ID, or a unique beginning of it.")
        var id: String

        @OptionGroup var shared: SharedOptions

        func request() -> InviteListRequest { .revoke(id: id) }

        func lines(for report: InviteListReport, style: OutputStyle) -> [String] {
            ["Revoked. Links that still work:"] + report.lines(style)
        }
    }
}

extension InviteReport {
    /// When the link ends, for people.
    fileprivate var expiryText: String { Timestamp(expires)?.dateText ?? expires }

    /// Notes about an invite, in addition to the usual.
    fileprivate var marks: String {
        [
            approval ? "needs approval" : nil,
            overused ? "used more often than it allows, by members who were cut off from each other" : nil,
        ]
        .compactMap(\.self).joined(separator: ", ")
    }
}

extension InviteListReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        guard !invites.isEmpty else { return ["None."] }
        var table = TextTable([.left, .left, .right, .left, .left, .left])
        table.addHeader("ID", "group", "used", "until", "by", "")
        for invite in invites {
            table.addRow(
                .init(String(invite.id.prefix(12))), .init(invite.title),
                .init("\(invite.used) of \(invite.uses.map(String.init) ?? "∞")", invite.overused ? .bad : .plain),
                .init(invite.expiryText), .init(invite.mine ? "you" : invite.author ?? ""),
                .init(invite.marks, .dim))
        }
        return style.lines(of: table)
    }
}

struct JoinCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "join", abstract: "Join a friend's group by link.")
    static let needsNetwork = true
    static let needsInternet = true

    @Argument(help: "The link, beginning with streakmesh://join/, or the whole message with it.")
    var link: String

    @Option(help: "How long to look for somebody of the group: 30s, 2m …")
    var timeout = "2m"

    @Option(help: "Which of your earlier results to share: today, 30d, all.")
    var history = "today"

    @OptionGroup var shared: SharedOptions

    func request() throws -> JoinRequest {
        guard let seconds = TypedValue.seconds(timeout), seconds > 0 else {
            throw CommandLineFailure.usage("`--timeout` takes 30s or 2m; not “\(timeout.printable)”.")
        }
        guard let history = TypedValue.history(history) else {
            throw CommandLineFailure.usage("`--history` takes today, 30d or all; not “\(history.printable)”.")
        }
        return .join(link: link, timeout: seconds, history: history.days)
    }

    func lines(for report: JoinReport, style: OutputStyle) -> [String] {
        let others = report.members - 1
        return [
            "You joined \(style.applying(.bold, to: report.title)): \(others) other\(others == 1 ? "" : "s") in it.",
            "Next: `streakmesh add` takes what your game's Share button copies.",
        ]
    }
}
