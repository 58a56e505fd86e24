import ArgumentParser
import StreakGames
import StreakNode
import StreakWeb

/// Names a member's result.
struct MemberResultOptions: ParsableArguments {
    @Argument(help: "Whose result: a name, a friend code or an ID.")
    var user: String

    @Argument(help: "The game: its name, ID or a unique beginning.", completion: .games)
    var game: String

    @Option(help: "The day, yyyy-MM-dd (else the latest result).")
    var date: String?

    @Option(help: "The puzzle number, if they played several that day.")
    var puzzle: Int?

    @Option(help: "The group (else the active one).")
    var group: String?

    var reference: ResultReference {
        ResultReference(user: user, game: game, date: date, puzzle: puzzle, group: group)
    }
}

struct ReactCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "react", abstract: "React to a member’s result with one emoji.")

    @OptionGroup var result: MemberResultOptions

    @Argument(help: "One emoji, such as 👏; it replaces your earlier one.")
    var emoji: String?

    @Flag(help: "Take your reaction back.")
    var none = false

    @OptionGroup var shared: SharedOptions

    func request() throws -> TalkRequest {
        guard none != (emoji != nil) else { throw CommandLineFailure.usage("Give either an emoji or `--none`.") }
        return .react(result.reference, emoji: emoji)
    }

    func lines(for report: TalkReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct CommentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment", abstract: "Comments on members’ results.",
        subcommands: [
            CommentListCommand.self, CommentAddCommand.self, CommentEditCommand.self, CommentDeleteCommand.self,
            CommentHideCommand.self,
        ])
}

struct CommentListCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show a result, its reactions and its comments.")

    @OptionGroup var result: MemberResultOptions
    @OptionGroup var shared: SharedOptions

    func request() -> TalkRequest { .show(result.reference) }

    func lines(for report: TalkReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct CommentAddCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Comment on a result.")

    @OptionGroup var result: MemberResultOptions

    @Argument(help: "What you want to say, at most 500 characters.")
    var text: [String]

    @OptionGroup var shared: SharedOptions

    func request() -> TalkRequest { .comment(result.reference, text: text.joined(separator: " ")) }

    func lines(for report: TalkReport, style: OutputStyle) -> [String] { report.lines(style) }
}

/// Names a comment.
struct CommentOptions: ParsableArguments {
    @Argument(help: "The comment’s ID, or a unique beginning of it; `comment list` shows them.")
    var comment: String

    @Option(help: "The group (else the active one).")
    var group: String?
}

struct CommentEditCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "edit", abstract: "Change a comment of yours.")

    @OptionGroup var named: CommentOptions

    @Argument(help: "The new text, at most 500 characters.")
    var text: [String]

    @OptionGroup var shared: SharedOptions

    func request() -> TalkRequest {
        .edit(comment: named.comment, text: text.joined(separator: " "), group: named.group)
    }

    func lines(for report: TalkReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct CommentDeleteCommand: QueryCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a comment of yours.")

    @OptionGroup var named: CommentOptions
    @OptionGroup var shared: SharedOptions

    func request() -> TalkRequest { .delete(comment: named.comment, group: named.group) }

    func lines(for report: TalkReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct CommentHideCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "hide", abstract: "Hide a comment from the group, as its owner or an admin.")

    @OptionGroup var named: CommentOptions

    @Flag(help: "Show it again.")
    var undo = false

    @OptionGroup var shared: SharedOptions

    func request() -> TalkRequest { .hide(comment: named.comment, isHidden: !undo, group: named.group) }

    func lines(for report: TalkReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct MuteCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "mute", abstract: "Hear no reactions and comments of a member; nobody learns of it.",
        discussion: "Without a member it lists whom you have muted.")

    @Argument(help: "A name, a friend code or an ID.")
    var user: String?

    @Flag(help: "Hear them again.")
    var undo = false

    @Option(help: "The group (else the active one).")
    var group: String?

    @OptionGroup var shared: SharedOptions

    func request() throws -> MuteRequest {
        guard let user else {
            guard !undo else { throw CommandLineFailure.usage("Say whom you want to hear again.") }
            return .list(group: group)
        }
        return undo ? .unmute(user: user, group: group) : .mute(user: user, group: group)
    }

    func lines(for report: MutedReport, style: OutputStyle) -> [String] {
        guard !report.muted.isEmpty else { return ["You have muted nobody in “\(report.title.printable)”."] }
        return ["Muted in “\(report.title.printable)”:"] + report.muted.map { "  \($0.name.printable)" }
    }
}

extension TalkReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let number = shownPuzzle.map { " #\($0)" } ?? ""
        let head = "\(style.applying(.bold, to: me ? "You" : name)): \(gameName.printable)\(number), "
        guard !covered else { return [head + "covered until you have played it, \(day)"] }
        var lines = [head + "\(label?.printable ?? "–"), \(day)"]
        if !reactions.isEmpty {
            lines.append(
                reactions.map { "\($0.emoji.printable) \($0.count)\($0.mine ? " (you too)" : "")" }
                    .joined(separator: "  "))
        }
        if earlier > 0 { lines.append(style.applying(.dim, to: "… \(earlier) older comments")) }
        var table = TextTable([.left, .left, .left, .left])
        for comment in comments {
            table.addRow(
                .init(String(comment.id.prefix(8)), .dim), .init(comment.me ? "you" : comment.name, .bold),
                .init(comment.marks, .dim), .init(comment.text))
        }
        lines += style.lines(of: table)
        if reactions.isEmpty, comments.isEmpty { lines.append(style.applying(.dim, to: "Nobody has said anything.")) }
        if mutedCount > 0 { lines.append(style.applying(.dim, to: "\(mutedCount) of people you have muted")) }
        return lines
    }
}

extension CommentReport {
    fileprivate var marks: String {
        [
            Timestamp(written)?.dateText, edited ? "edited" : nil, hidden ? "hidden" : nil,
        ].compactMap(\.self).joined(separator: ", ")
    }
}
