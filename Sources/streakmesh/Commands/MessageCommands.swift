import ArgumentParser
import StreakNode
import StreakWeb

struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Messages between you and a friend, in the group of the two.",
        subcommands: [
            MessageListCommand.self, MessageShowCommand.self, MessageSendCommand.self, MessageEditCommand.self,
            MessageDeleteCommand.self,
        ])
}

struct MessageListCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "The friends you can write to.")

    @OptionGroup var shared: SharedOptions

    func request() -> MessageRequest { .list }

    func lines(for report: MessagesReport, style: OutputStyle) -> [String] {
        guard !report.friends.isEmpty else {
            return ["You have exchanged friend codes with nobody yet: `streakmesh friend code`."]
        }
        var table = TextTable([.left, .left, .left])
        for friend in report.friends {
            table.addRow(
                .init(friend.name, .bold), .init(friend.fresh == 0 ? "" : "\(friend.fresh) new"),
                .init(friend.last.map { ($0.me ? "you: " : "") + $0.text } ?? "", .dim))
        }
        return style.lines(of: table)
    }
}

struct MessageShowCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "What you and a friend wrote.",
        discussion:
            "* marks what is new since you looked. With --json nothing counts as looked at, unless --seen is given.")

    @Argument(help: "The friend: a name, a friend code or an ID.")
    var user: String

    @Flag(help: "Note that you have seen it; without --json that is so anyway.")
    var seen = false

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let looks = seen || !context.usesJSON
        // What is new is marked as it was before this look.
        let report = try await context.call(looks ? MessageRequest.look(user: user) : .show(user: user))
        context.show(report) { report.lines($0) }
    }
}

struct MessageSendCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "send", abstract: "Write to a friend.")

    @Argument(help: "The friend: a name, a friend code or an ID.")
    var user: String

    @Argument(help: "The text, at most 500 characters.")
    var text: [String]

    @OptionGroup var shared: SharedOptions

    func request() -> MessageRequest { .write(user: user, text: text.joined(separator: " ")) }

    func lines(for report: MessagesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct MessageEditCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: "Change a message of yours.")

    @Argument(help: "The message’s ID, or a unique beginning of it; `message show` has them.")
    var message: String

    @Argument(help: "The new text, at most 500 characters.")
    var text: [String]

    @OptionGroup var shared: SharedOptions

    func request() -> MessageRequest { .edit(message: message, text: text.joined(separator: " ")) }

    func lines(for report: MessagesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct MessageDeleteCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a message of yours.")

    @Argument(help: "The message’s ID, or a unique beginning of it; `message show` has them.")
    var message: String

    @OptionGroup var shared: SharedOptions

    func request() -> MessageRequest { .delete(message: message) }

    func lines(for report: MessagesReport, style: OutputStyle) -> [String] { report.lines(style) }
}

extension MessagesReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        guard let friend else { return [] }
        var lines: [String] = []
        if muted { lines.append(style.applying(.dim, to: "You have muted \(friend.name.printable).")) }
        if earlier > 0 { lines.append(style.applying(.dim, to: "… \(earlier) older messages")) }
        guard !messages.isEmpty else {
            return lines + [style.applying(.dim, to: "You and \(friend.name.printable) have written nothing yet.")]
        }
        var table = TextTable([.left, .left, .left, .left, .left])
        for message in messages {
            let marks = [Timestamp(message.written)?.dateText, message.edited ? "edited" : nil].compactMap(\.self)
            table.addRow(
                .init(message.fresh ? "*" : ""), .init(String(message.id.prefix(8)), .dim),
                .init(message.me ? "you" : friend.name, .bold), .init(marks.joined(separator: ", "), .dim),
                .init(message.text))
        }
        return lines + style.lines(of: table)
    }
}
