import ArgumentParser
import StreakNode
import StreakWeb

struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Create, list, choose, change and leave groups.",
        subcommands: [
            Create.self, List.self, Use.self, Rename.self, Settings.self, Transfer.self, Heir.self, TakeOver.self,
            Annul.self, Leave.self,
        ])

    struct Create: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Found a group; it becomes the active one.")

        @Argument(help: "Its title, 1 to 60 characters.")
        var title: String

        @OptionGroup var shared: SharedOptions

        func request() -> GroupRequest { .create(title: title) }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            [
                "You founded \(style.applying(.bold, to: report.title)).",
                "Next: `streakmesh invite` makes a link for a friend.",
            ]
        }
    }

    struct List: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List your groups; * marks the active one.")

        @OptionGroup var shared: SharedOptions

        static let tellsEndings = true

        func request() -> GroupListRequest { .all }

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
        static let configuration = CommandConfiguration(commandName: "use", abstract: "Make a group the active one.")

        @Argument(help: "Its title, ID or a unique beginning of either.")
        var group: String

        @OptionGroup var shared: SharedOptions

        func request() -> GroupRequest { .use(group: group) }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            ["\(style.applying(.bold, to: report.title)) is now the active group."]
        }
    }

    struct Rename: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Change a group's title. By the owner and admins.")

        @Argument(help: "The new title, 1 to 60 characters.")
        var title: String

        @Option(help: "The group (else the active one).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func request() -> GroupRequest { .rename(group: group, title: title) }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            ["The group is called \(style.applying(.bold, to: report.title)) now."]
        }
    }

    struct Settings: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "settings", abstract: "Show a group's settings. The owner and admins can change them.")

        @Option(help: "The group (else the active one).")
        var group: String?

        @Flag(help: "Your own settings for numbers over all groups: missed days, freezes, archive.")
        var mine = false

        @Option(help: "Who may invite: everyone, admins or owner.")
        var invites: String?

        @Option(help: "Cover a result from everybody who has not recorded theirs: on or off.")
        var spoilers: Switch?

        @Option(help: "How averages count a missed day: nothing, worst+1 or zero.")
        var missed: String?

        @Option(help: "Freezes that hold a streak over a missed day: on or off.")
        var freezes: Switch?

        @Option(help: "After how many days a result stops counting; 0 for never.")
        var archive: Int?

        @OptionGroup var shared: SharedOptions

        func validate() throws {
            guard mine else { return }
            guard group == nil, invites == nil, spoilers == nil else {
                throw ValidationError("With --mine only --missed, --freezes and --archive can be given.")
            }
        }

        func request() -> GroupSettingsRequest {
            let change = GroupSettingsChange(
                invites: invites, spoilerGuard: spoilers.map { $0 == .on }, missedDay: missed,
                freezes: freezes.map { $0 == .on }, archiveDays: archive)
            if mine { return .ownRules(change) }
            return change == GroupSettingsChange() ? .show(group: group) : .change(group: group, change)
        }

        func lines(for report: GroupSettingsReport, style: OutputStyle) -> [String] {
            var table = TextTable([.left, .left])
            if !mine {
                table.addRow(.init("who may invite", .dim), .init(report.invites))
                table.addRow(.init("spoiler guard", .dim), .init(report.spoilerGuard ? "on" : "off"))
                table.addRow(.init("heir", .dim), .init(report.heir ?? "none"))
                switch report.takeover {
                case .asHeir: table.addRow(.init("you may", .dim), .init("take the group over, as its heir"))
                case .back: table.addRow(.init("you may", .dim), .init("take the group back from your heir"))
                case nil: break
                }
            }
            table.addRow(.init("a missed day counts", .dim), .init(report.missedDay))
            table.addRow(.init("freezes", .dim), .init(report.freezes ? "on" : "off"))
            let archive =
                switch report.archiveDays {
                case 0: "always"
                case 1: "for a day"
                default: "for \(report.archiveDays) days"
                }
            table.addRow(.init("results count", .dim), .init(archive))
            return [style.applying(.bold, to: report.title)] + style.lines(of: table)
        }
    }

    struct Transfer: ConfirmedCommand {
        typealias Request = GroupRequest

        static let configuration = CommandConfiguration(
            commandName: "transfer",
            abstract: "Hand a group on to another member. By the owner, who becomes a plain member.")

        @OptionGroup var member: MemberCommand.Target
        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        var target: ConfirmationTarget { member.target }

        func warning(about found: String) -> (consequence: String, question: String) {
            (
                """
                The new owner decides everything from then on, and you become a plain member. Only they can hand it back.
                """, "Hand the group on to \(found)?"
            )
        }

        func request(about selector: String?) -> GroupRequest {
            .transfer(group: member.group, user: selector ?? member.user)
        }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            ["\(style.applying(.bold, to: report.title)) has a new owner; you are \(report.role) now."]
        }
    }

    struct Heir: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "heir",
            abstract: "Name the member who may take the group over from you; without a name, nobody. By the owner.")

        @Argument(help: "The member: friend code, user ID, a unique beginning of the ID, or name.")
        var user: String?

        @Option(help: "The group (else the active one).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func request() -> GroupRequest { .heir(group: group, user: user) }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            [
                user == nil
                    ? "The group has no heir now."
                    : "They can take the group over with `streakmesh group take-over`. You can take it back with the same command."
            ]
        }
    }

    struct TakeOver: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "take-over",
            abstract: "Become a group's owner, as its heir; or take it back from the heir.",
            discussion: """
                The heir becomes the owner, and the owner a plain member. The former owner can take the group back \
                with the same command; that undoes what the heir did as owner.
                """)

        @Option(help: "The group (else the active one).")
        var group: String?

        @OptionGroup var shared: SharedOptions

        func request() -> GroupRequest { .takeOver(group: group) }

        func lines(for report: GroupReport, style: OutputStyle) -> [String] {
            ["\(style.applying(.bold, to: report.title)) is yours now."]
        }
    }

    struct Annul: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "annul",
            abstract: "Annul an admin's removal of a member; without an ID, list the removals. By the owner.",
            discussion: """
                The admin becomes a plain member, from just before the removal on. What they have done since then as \
                an admin, on that machine, no longer counts. The list says what that means for each removal.
                """)

        @Argument(help: "The removal's ID, or a unique beginning of it.")
        var id: String?

        @Option(help: "The group (else the active one).")
        var group: String?

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            guard let id else {
                let report = try await context.call(AnnulmentRequest.list(group: group))
                return context.show(report) { report.lines($0) }
            }
            var meant = AnnulmentRequest.annul(group: group, id: id)
            if !confirmation.yes, context.isAttended {
                let known = try await context.call(AnnulmentRequest.list(group: group))
                let removal = try known.removal(named: id)
                try context.confirm(
                    "\(removal.describedSentence) If you annul it: \(removal.consequence)".printable, "Annul it?")
                meant = .annul(group: known.group, id: removal.id)
            }
            let report = try await context.call(meant)
            context.show(report) { report.lines($0) }
        }
    }

    struct Leave: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave", abstract: "Leave a group, or take one that you are no longer in off the list.",
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

        func run(in context: CommandContext) async throws {
            var selector = group
            // Taking an ended group off the list affects nobody else.
            if !yes, context.isAttended, let current = try await current(in: context) {
                let consequence =
                    erase
                    ? "Your friends' nodes will delete the results you shared, when they hear of it."
                    : "Your friends keep the results you shared so far."
                try context.confirm(
                    "\(consequence) Only a new invite lets you in again.", "Leave \(current.described.printable)?")
                selector = current.id
            }
            let meant = selector
            let departure = try await context.ask(needsNetwork: true) { node in
                let before = try await node.call(StatusRequest.status)
                let report = try await node.call(
                    GroupRequest.leave(group: meant, erasing: erase))
                // The user has left by now. A node that is stopping cannot say who has heard of it.
                let after = try? await node.call(StatusRequest.status)
                return Departure(report, before: before, after: after)
            }
            context.show(departure.report) { departure.lines($0) }
        }

        /// The group that is meant; nil for one that has ended already.
        private func current(in context: CommandContext) async throws -> GroupReport? {
            let found = try await context.call(GroupRequest.find(group: group))
            return found.endingText == nil ? found : nil
        }
    }
}

extension AnnulmentsReport {
    /// The only removal whose ID begins with `id`. Throws `NodeFailure`.
    fileprivate func removal(named id: String) throws -> AnnulmentReport {
        let found = removals.filter { !id.isEmpty && $0.id.hasPrefix(id.lowercased()) }
        guard let removal = found.first, found.count == 1 else { throw NodeFailure.unknownRemoval(id) }
        return removal
    }

    func lines(_ style: OutputStyle) -> [String] {
        let done = annulled.map { ["Annulled. \($0.consequence)".printable] } ?? []
        guard !removals.isEmpty else {
            return done + ["There is \(annulled == nil ? "" : "now ")no removal by an admin that could be annulled."]
        }
        return done + [style.applying(.bold, to: title)]
            + removals.flatMap { removal in
                [
                    "\(style.applying(.bold, to: String(removal.id.prefix(12))))  \(removal.sentence.printable)",
                    style.applying(.dim, to: "  If you annul it: \(removal.consequence)"),
                ]
            }
    }
}

/// How a group was left.
struct Departure: Sendable {
    let report: GroupReport
    /// Whether there is somebody to tell, but nobody could be reached.
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
        guard !report.dismissed else {
            return ["\(style.applying(.bold, to: report.title)) is off your list. Your own results stay."]
        }
        return ["You left \(style.applying(.bold, to: report.title))."]
            + (isUnheard
                ? ["Nobody was reached: your friends hear of it the next time your node reaches one of them."] : [])
    }
}
