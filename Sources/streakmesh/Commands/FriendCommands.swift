import ArgumentParser
import StreakNode
import StreakWeb

struct FriendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "friend", abstract: "Make friends by code: a group of two, without a link.",
        subcommands: [
            Code.self, Add.self, List.self, Approve.self, Decline.self, Cancel.self, Block.self, Unblock.self,
            Remove.self, Rejoin.self, Dismiss.self,
        ],
        defaultSubcommand: List.self)

    struct Code: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "code",
            abstract: "Show your friend code, and choose whether your node answers people who look for it.")

        @Flag(help: "Show it as a QR code, too.")
        var qr = false

        @Option(help: "Answer people who know the code: on or off.")
        var answer: Switch?

        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            let request: FriendshipRequest = answer.map { .answer($0 == .on) } ?? .list
            let report = try await context.call(request)
            if qr, !context.usesJSON {
                QRCode(text: report.code).map(context.terminal.write)
            }
            context.show(report) { style in
                [
                    style.applying(.bold, to: report.code),
                    report.answering
                        ? "A friend enters it with `streakmesh friend add`, while your node runs: on their network, at an address "
                            + "that they name with `up --peer`, or in a group with them."
                        : "Your node does not answer to it; `--answer on` changes that.",
                ]
            }
        }
    }

    struct Add: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Ask the owner of a code to be your friend.",
            discussion: """
                Your node looks for the owner on the local network, at the addresses that you named with `up --peer`, and \
                among the members of your groups, for seven days or until there is an answer. Nobody else is asked. If \
                you meet in none of these places, send your friend an invite: `streakmesh invite`.
                """)

        @Argument(help: "Their friend code; case, blanks and hyphens don't matter.")
        var code: String

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .add(code: code) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] {
            let answer = report.asker(withCode: code).map {
                "\($0.name.printable) has asked you, too: you have said yes."
            }
            return [answer ?? "Asked. Your node looks for the owner for seven days, whenever it runs."]
                + report.lines(style)
        }
    }

    struct List: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List friends, requests and people you blocked.")

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .list }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Approve: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "approve", abstract: "Say yes to a request: the two of you get a group.",
            discussion: "A name proves nothing: compare the code with what your friend tells you.")

        @Argument(help: "Who: friend code, ID or name.")
        var user: String

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .approve(user: user) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Decline: QueryCommand {
        static let configuration = CommandConfiguration(commandName: "decline", abstract: "Say no to a request.")

        @Argument(help: "Who: friend code, ID or name.")
        var user: String

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .decline(user: user) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Cancel: QueryCommand {
        static let configuration = CommandConfiguration(commandName: "cancel", abstract: "Cancel a request of yours.")

        @Argument(help: "The code you asked.")
        var code: String

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .cancel(code: code) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Block: ConfirmedCommand {
        typealias Request = FriendshipRequest

        static let configuration = CommandConfiguration(
            commandName: "block", abstract: "Ignore requests of somebody, without telling them.",
            discussion:
                "Somebody who asks, a friend, or a member of a group of yours. Groups that you are both in stay.")

        @Argument(help: "Who: friend code, ID or name.")
        var user: String

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        var target: ConfirmationTarget { .person(.known(user: user)) }

        func warning(about found: String) -> (consequence: String, question: String) {
            (
                "Your node will ignore their requests, and they are not told. Groups that you are both in stay.",
                "Block \(found)?"
            )
        }

        func request(about selector: String?) -> FriendshipRequest { .block(user: selector ?? user) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Unblock: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "unblock", abstract: "Stop ignoring requests of somebody.")

        @Argument(help: "Who: friend code, ID or name.")
        var user: String

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .unblock(user: user) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Remove: ConfirmedCommand {
        typealias Request = FriendshipRequest

        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "End the group of the two of you.",
            discussion: "Both keep what was shared so far; neither gets anything new.")

        @Argument(help: "The friend: friend code, ID or name.")
        var user: String

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        var target: ConfirmationTarget { .person(.friend(user: user)) }

        func warning(about found: String) -> (consequence: String, question: String) {
            (
                "The group of the two of you ends. Both keep what was shared so far; neither gets anything new.",
                "End it with \(found)?"
            )
        }

        func request(about selector: String?) -> FriendshipRequest { .remove(user: selector ?? user) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }
}

extension FriendCommand {
    struct Rejoin: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "rejoin", abstract: "Come back into a group that a friend says you were in.",
            discussion: """
                After a recovery your friends' nodes know your groups. A group gets nothing before you rejoin it; then \
                your earlier results come back, and new ones go there.
                """)

        @Argument(help: "The group: title or ID.")
        var group: String

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .rejoin(group: group) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Dismiss: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "dismiss", abstract: "Stay out of a group that a friend says you were in, and forget it.")

        @Argument(help: "The group: title or ID.")
        var group: String

        @OptionGroup var shared: SharedOptions

        func request() -> FriendshipRequest { .dismiss(group: group) }

        func lines(for report: FriendsReport, style: OutputStyle) -> [String] { report.lines(style) }
    }
}

extension FriendsReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left, .left, .left])
        for friend in friends {
            table.addRow(
                .init(friend.name, .bold), .init(friend.online ? "online" : "friend", friend.online ? .good : .plain),
                .init(friend.code ?? "", .dim), .init(friend.title, .dim))
        }
        for request in received {
            let state = request.state == "pending" ? "asks you" : "you have \(request.state)"
            table.addRow(.init(request.name), .init(state), .init(request.code, .dim), .init(""))
        }
        for request in sent {
            let state =
                switch request.state {
                case "looking": "still looking until \(Timestamp(request.until)?.dateText ?? request.until)"
                case "pending": "has your request"
                case "joining": "said yes"
                default: "declined"
                }
            table.addRow(.init(""), .init(state), .init(request.code, .dim), .init(""))
        }
        for offer in returns {
            table.addRow(
                .init(offer.title, .bold), .init("you were in it, according to"),
                .init(offer.code ?? offer.friend.prefix(8).description, .dim),
                .init("`streakmesh friend rejoin` or `dismiss`", .dim))
        }
        for pair in alone {
            table.addRow(
                .init(pair.name), .init(pair.text), .init(""),
                .init("`streakmesh group leave \(pair.group.prefix(8))`", .dim))
        }
        for person in blocked {
            table.addRow(
                .init(person.name ?? String(person.user.prefix(8))), .init("blocked", .bad),
                .init(person.code ?? "", .dim), .init(""))
        }
        let rows = style.lines(of: table)
        guard !rows.isEmpty else {
            return ["No friends by code yet. Yours is \(code); `streakmesh friend add CODE` asks a friend."]
        }
        return rows
    }
}
