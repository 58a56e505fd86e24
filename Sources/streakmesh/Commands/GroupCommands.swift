import ArgumentParser
import StreakNode

struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Create, list, choose and leave groups.",
        subcommands: [Create.self, List.self, Use.self, Leave.self])

    struct Create: QueryCommand {
        static let configuration = CommandConfiguration(abstract: "Found a group; it becomes the active one.")

        @Argument(help: "Its title, 1 to 60 characters.")
        var title: String

        @OptionGroup var shared: SharedOptions

        func request() -> NodeRequest { .createGroup(title: title) }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            [
                "You founded \(style.applying(.bold, to: report.title)).",
                "Next: “streakmesh invite” makes a link for a friend.",
            ]
        }
    }

    struct List: QueryCommand {
        static let configuration = CommandConfiguration(abstract: "List your groups; * marks the active one.")

        @OptionGroup var shared: SharedOptions

        func request() -> NodeRequest { .listGroups }

        func lines(for report: GroupListReport, style: OutputStyle) -> [String] {
            guard !report.groups.isEmpty else {
                return ["No group yet. “streakmesh group create TITLE” founds one, “streakmesh join LINK” enters one."]
            }
            var table = TextTable([.left, .left, .left, .right, .left])
            table.addHeader("", "group", "role", "members", "ID")
            for group in report.groups {
                table.addRow(
                    .init(group.active ? "*" : "", .good), .init(group.title, group.active ? .bold : .plain),
                    .init(group.role), .init("\(group.members)"), .init(String(group.id.prefix(8)), .dim))
            }
            return style.lines(of: table)
        }
    }

    struct Use: QueryCommand {
        static let configuration = CommandConfiguration(abstract: "Make a group the active one.")

        @Argument(help: "Its title, ID or a unique beginning of either.")
        var group: String

        @OptionGroup var shared: SharedOptions

        func request() -> NodeRequest { .useGroup(group: group) }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            ["\(style.applying(.bold, to: report.title)) is now the active group."]
        }
    }

    struct Leave: SessionCommand {
        static let configuration = CommandConfiguration(
            abstract: "Leave a group.",
            discussion: """
                Your friends keep the results that you shared so far, and you keep yours. With --erase their nodes \
                delete your results when they hear of it; a node that never comes back online keeps them.
                """)

        @Argument(help: "Its title, ID or a unique beginning of either.")
        var group: String

        @Flag(help: "Ask your friends' nodes to delete your results.")
        var erase = false

        @Flag(help: "Leave without asking again.")
        var yes = false

        @OptionGroup var shared: SharedOptions

        func run(in session: Session) async throws {
            if !yes, !session.usesJSON, session.terminal.isInputInteractive {
                let consequence =
                    erase
                    ? "Your friends' nodes will delete the results you shared, when they hear of it."
                    : "Your friends keep the results you shared so far."
                let answer = session.terminal.ask("\(consequence) Leave “\(group.printable)”? [y/N] ")
                guard answer?.lowercased().hasPrefix("y") == true else {
                    session.terminal.writeError("Nothing was changed.")
                    throw ExitCode.failure
                }
            }
            let report = try await session.call(
                .leaveGroup(group: group, erasing: erase), returning: GroupReport.self)
            session.show(report) { ["You left \($0.applying(.bold, to: report.title))."] }
        }
    }
}

struct MembersCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "members", abstract: "List the members of a group.")

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() -> NodeRequest { .members(group: group) }

    func lines(for report: MembersReport, style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left, .left, .left, .right, .left])
        table.addHeader("member", "role", "seen", "connection", "behind", "code")
        for member in report.members {
            let seen = member.me ? "this is you" : member.online ? "online" : member.lastSeen ?? "not seen yet"
            table.addRow(
                .init(member.name, member.me ? .bold : .plain), .init(member.role),
                .init(seen, member.online || member.me ? .good : .dim), .init(member.via ?? ""),
                .init(member.behind.map { $0 == 0 ? "in sync" : "\($0)" } ?? "", .dim), .init(member.code ?? "", .dim))
        }
        return [style.applying(.bold, to: report.title)] + style.lines(of: table)
    }
}
