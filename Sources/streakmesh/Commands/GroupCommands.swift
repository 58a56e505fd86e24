import ArgumentParser
import Foundation
import StreakNode
import StreakWeb

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
                "Next: `streakmesh invite` makes a link for a friend.",
            ]
        }
    }

    struct List: QueryCommand {
        static let configuration = CommandConfiguration(abstract: "List your groups; * marks the active one.")

        @OptionGroup var shared: SharedOptions

        func request() -> NodeRequest { .listGroups }

        func lines(for report: GroupListReport, style: OutputStyle) -> [String] {
            guard !report.groups.isEmpty else {
                return ["No group yet. `streakmesh group create TITLE` founds one, `streakmesh join LINK` enters one."]
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
            let departure = try await session.ask(needsNetwork: true) { node in
                let before = try await node.call(.status, returning: StatusReport.self)
                let report = try await node.call(
                    .leaveGroup(group: group, erasing: erase), returning: GroupReport.self)
                // The group is left; a node that is just stopping cannot say any more who heard of it.
                let after = try? await node.call(.status, returning: StatusReport.self)
                return Departure(report, before: before, after: after)
            }
            session.show(departure.report) { departure.lines($0) }
        }
    }
}

/// How a group was left.
struct Departure: Sendable {
    let report: GroupReport
    /// Whether there is somebody to tell, and nobody was there to hear it.
    let isUnheard: Bool

    init(_ report: GroupReport, before: StatusReport, after: StatusReport?) {
        self.report = report
        let group = before.groups.first { $0.id == report.id }
        let known = Set(before.peers.map(\.device))
        let isHeard =
            group.map { $0.online > 1 } ?? false || after?.peers.contains { !known.contains($0.device) } ?? false
        isUnheard = !isHeard && group.map { $0.members > 1 } ?? false
    }

    func lines(_ style: OutputStyle) -> [String] {
        ["You left \(style.applying(.bold, to: report.title))."]
            + (isUnheard
                ? ["Nobody was reached: your friends hear of it the next time your node reaches one of them."] : [])
    }
}

struct MembersCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "members", abstract: "List the members of a group.")

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() -> NodeRequest { .members(group: group) }

    func lines(for report: MembersReport, style: OutputStyle) -> [String] {
        let hasSeveralDevices = report.members.contains { $0.devices > 1 }
        let now = Int64(Date().timeIntervalSince1970)
        var table = TextTable([.left, .left, .left, .left, .right, .right, .left])
        table.addHeader("member", "role", "seen", "connection", "behind", "devices", "code")
        for member in report.members {
            let seen = member.me ? "this is you" : member.online ? "online" : member.lastSeenText(at: now)
            table.addRow(
                .init(member.name, member.me ? .bold : .plain), .init(member.role),
                .init(seen, member.online || member.me ? .good : .dim), .init(member.via ?? ""),
                .init(member.behind.map { $0 == 0 ? "in sync" : "\($0)" } ?? "", .dim),
                .init(hasSeveralDevices ? "\(member.devices)" : ""), .init(member.code ?? "", .dim))
        }
        return [style.applying(.bold, to: report.title)] + style.lines(of: table)
    }
}

extension MemberReport {
    /// How long ago the member was seen; `now` in seconds since 1970.
    fileprivate func lastSeenText(at now: Int64) -> String {
        guard let lastSeen else { return "not seen yet" }
        return Timestamp(lastSeen)?.relativeText(to: now) ?? lastSeen
    }
}
