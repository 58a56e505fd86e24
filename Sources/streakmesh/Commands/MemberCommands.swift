import ArgumentParser
import Foundation
import StreakNode
import StreakWeb

struct MembersCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "members",
        abstract: """
            List the members of a group, people who wait to be let in, and former members.
            """)

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    static let tellsEndings = true

    func request() -> MemberRequest { .list(group: group) }

    func lines(for report: MembersReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct MemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member", abstract: "Promote, demote and remove members.",
        subcommands: [Promote.self, Demote.self, Remove.self])

    /// Whom a command is about.
    struct Target: ParsableArguments {
        @Argument(help: "The member: friend code, user ID, a unique beginning of the ID, or name.")
        var user: String

        @Option(help: "The group (else the active one).")
        var group: String?

        var target: ConfirmationTarget { .person(.member(group: group, user: user)) }
    }

    struct Promote: ConfirmedCommand {
        typealias Request = MemberRequest

        static let configuration = CommandConfiguration(
            commandName: "promote", abstract: "Make a member an admin. By the owner.")

        @OptionGroup var member: Target
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        var target: ConfirmationTarget { member.target }

        func warning(about found: String) -> (consequence: String, question: String) {
            ("An admin lets people in, removes plain members and changes the settings.", "Make \(found) an admin?")
        }

        func request(about selector: String?) -> MemberRequest {
            .promote(group: member.group, user: selector ?? member.user)
        }

        func lines(for report: MembersReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Demote: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "demote", abstract: "Make an admin a plain member. By the owner.")

        @OptionGroup var member: Target
        @OptionGroup var shared: SharedOptions

        func request() -> MemberRequest { .demote(group: member.group, user: member.user) }

        func lines(for report: MembersReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Remove: ConfirmedCommand {
        typealias Request = MemberRequest

        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a member. By the owner; admins can remove plain members.",
            discussion: """
                The group and the removed member both keep the results shared so far; the removed member gets nothing \
                new. A friend who has not heard of it keeps sharing with them until the news arrives. The invites that \
                they made or came in by end.
                """)

        @Flag(help: "Keep invites of other members that they came in by.")
        var keepInvites = false

        @OptionGroup var member: Target
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        var target: ConfirmationTarget { member.target }

        func warning(about found: String) -> (consequence: String, question: String) {
            (
                """
                They get nothing new from the group, and only a new invite lets them in again. The group keeps what they have \
                shared so far, and they keep their own results. The invites that they made \
                \(keepInvites ? "end." : "end, and those by which they came in (--keep-invites lets others’ live).")
                """, "Remove \(found)?"
            )
        }

        func request(about selector: String?) -> MemberRequest {
            .remove(group: member.group, user: selector ?? member.user, keepingInvites: keepInvites)
        }

        func lines(for report: MembersReport, style: OutputStyle) -> [String] { report.lines(style) }
    }
}

struct RequestsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "requests", abstract: "List, approve and deny requests to be let in.",
        subcommands: [List.self, Approve.self, Deny.self], defaultSubcommand: List.self)

    struct List: QueryCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List them.")

        @Option(help: "Only of this group (else of all).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func request() -> AdmissionRequest { .list(group: group) }

        func lines(for report: JoinRequestsReport, style: OutputStyle) -> [String] { report.requests.lines(style) }
    }

    struct Approve: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve", abstract: "Let somebody in. By the owner and admins.")

        @Argument(help: "The request's ID, or a unique beginning of it.")
        var id: String

        @OptionGroup var shared: SharedOptions

        func request() -> AdmissionRequest { .approve(id: id) }

        func lines(for report: JoinRequestsReport, style: OutputStyle) -> [String] {
            ["They are in as soon as their node asks again. Still waiting:"] + report.requests.lines(style)
        }
    }

    struct Deny: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny", abstract: "Turn somebody down, on this node; another admin may still let them in.")

        @Argument(help: "The request's ID, or a unique beginning of it.")
        var id: String

        @OptionGroup var shared: SharedOptions

        func request() -> AdmissionRequest { .deny(id: id) }

        func lines(for report: JoinRequestsReport, style: OutputStyle) -> [String] {
            ["Turned down. Still waiting:"] + report.requests.lines(style)
        }
    }
}

extension MembersReport {
    func lines(_ style: OutputStyle) -> [String] {
        let hasSeveralDevices = members.contains { $0.devices > 1 }
        let now = Int64(Date().timeIntervalSince1970)
        var table = TextTable([.left, .left, .left, .left, .right, .right, .left, .left])
        table.addHeader("member", "role", "seen", "connection", "behind", "machines", "code", "")
        for member in members {
            let seen = member.me ? "this is you" : member.online ? "online" : member.lastSeenText(at: now)
            table.addRow(
                .init(member.name, member.me ? .bold : .plain), .init(member.role),
                .init(seen, member.online || member.me ? .good : .dim),
                .init(member.connectionText(at: now)),
                .init(member.behind.map { $0 == 0 ? "in sync" : "\($0)" } ?? "", .dim),
                .init(hasSeveralDevices ? "\(member.devices)" : ""), .init(member.code ?? "", .dim),
                .init(member.marks, .dim))
        }
        var lines = [style.applying(.bold, to: title)] + style.lines(of: table)
        // A table of its own: beside the other columns it would be too wide for many terminals.
        var places = TextTable([.left, .left, .left])
        places.addHeader("member", "since", "how")
        for member in members {
            places.addRow(
                .init(member.name, member.me ? .bold : .plain), .init(member.sinceText ?? ""),
                .init(member.placeText ?? "", .dim))
        }
        lines += [""] + style.lines(of: places)
        if !endedInvites.isEmpty { lines += [""] + endedInvites.map(\.endedText.printable) }
        if let lonelyText {
            lines += [
                "", lonelyText.printable,
                "`streakmesh invite --group \(group.prefix(8))` lets somebody in, and `streakmesh group leave \(group.prefix(8))` ends it.",
            ]
        }
        if !waiting.isEmpty { lines += ["", "Waiting to be let in:"] + waiting.lines(style) }
        if !former.isEmpty {
            var table = TextTable([.left, .left, .left])
            table.addHeader("no longer in it", "", "")
            for member in former {
                table.addRow(
                    .init(member.name), .init(member.endingText), .init(member.erased ? "results deleted" : "", .dim))
            }
            lines += [""] + style.lines(of: table)
        }
        return lines
    }
}

extension [JoinRequestReport] {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let open = filter { !$0.denied }
        let denied = filter(\.denied)
        var lines = open.isEmpty ? ["Nobody waits."] : style.lines(of: open.table)
        if !denied.isEmpty {
            lines += [
                "",
                style.applying(.dim, to: "Turned down here; `streakmesh requests approve ID` lets them in after all:"),
            ]
            lines += style.lines(of: denied.table)
        }
        guard !isEmpty else { return lines }
        return lines + ["A name proves nothing: compare the friend code with what your friend tells you."]
    }

    private var table: TextTable {
        var table = TextTable([.left, .left, .left, .left])
        table.addHeader("ID", "group", "friend code", "taken by")
        for request in self {
            table.addRow(
                .init(String(request.id.prefix(12))), .init(request.title), .init(request.code ?? "not known yet"),
                .init(request.takenBy, .dim))
        }
        return table
    }
}

extension MemberReport {
    /// How long ago the member was seen; `now` in seconds since 1970.
    fileprivate func lastSeenText(at now: Int64) -> String {
        guard let lastSeen else { return "not known" }
        return Timestamp(lastSeen)?.relativeText(to: now) ?? lastSeen
    }

    /// How the member is reached and since when; or that this node looks for them, and when their machine last told where it is.
    fileprivate func connectionText(at now: Int64) -> String {
        func since(_ text: String?) -> String? { text.flatMap { Timestamp($0) }?.relativeText(to: now) }
        if let by { return "through \(by)" }
        if let way = path ?? via { return [way, since(linkedSince)].compactMap(\.self).joined(separator: ", ") }
        let told = since(toldAt).map { "heard \($0)\(toldInNote ? " by DHT" : "")" }
        return online ? "" : [looking ? "looking" : nil, told].compactMap(\.self).joined(separator: ", ")
    }

    /// Notes about a member, in addition to the usual.
    fileprivate var marks: String {
        [heir ? "heir" : nil, hidden ? "on no board" : nil, region].compactMap(\.self).joined(separator: ", ")
    }
}
