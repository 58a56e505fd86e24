import ArgumentParser
import Foundation
import StreakNode
import StreakWeb

struct NotificationsCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications", abstract: "Show and choose what the running node tells you at once.",
        discussion: """
            challenge: somebody challenges you. message: a friend writes to you. answer: an answer to your challenge, \
            or how one of yours ended. beaten: somebody beat a result of yours. ending: six hours are left of the \
            weekly event. climbed: you climbed on last week's board. started: a weekly event began. At most three a \
            day on all your machines together; the rest becomes one summary. `reminders` are apart.
            """)

    @Option(
        parsing: .singleValue, help: "Tell me of this kind; may be given several times.",
        completion: .list(Self.kinds))
    var on: [String] = []

    @Option(
        parsing: .singleValue, help: "Do not tell me of this kind; may be given several times.",
        completion: .list(Self.kinds))
    var off: [String] = []

    @Option(help: "Never within these hours, HH:mm-HH:mm (else 22:00-08:00); `none` for no such hours.")
    var quiet: String?

    @Option(help: "Whether this machine's desktop shows them, and reminders: on or off.")
    var desktop: Switch?

    @Option(help: "The command that this machine's shell runs for them, and for reminders; empty for none.")
    var command: String?

    @OptionGroup var shared: SharedOptions

    private static let kinds = ["challenge", "message", "answer", "beaten", "ending", "climbed", "started"]

    func validate() throws {
        if quiet?.isEmpty == true { throw ValidationError("--quiet needs HH:mm-HH:mm, or “none” for no such hours.") }
    }

    func request() -> NotificationRequest {
        let change = NotificationChange(
            on: on, off: off, quiet: quiet == "none" ? "" : quiet, desktop: desktop.map { $0 == .on },
            command: command)
        return change == NotificationChange() ? .show : .change(change)
    }

    func lines(for report: NotificationsReport, style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left])
        for kind in report.kinds { table.addRow(.init(kind.kind.printable, .dim), .init(kind.on ? "on" : "off")) }
        let rows = [
            ("quiet", report.quiet ?? "never"), ("today", "\(report.shownToday) of \(report.most)"),
            ("desktop", report.desktop ? "on" : "off"), ("command", report.command ?? ""),
            ("reminders", report.reminders ? "on" : "off"),
        ]
        for (title, value) in rows where !value.isEmpty { table.addRow(.init(title, .dim), .init(value)) }
        let more = report.fresh == 1 ? "1 thing is new" : "\(report.fresh) things are new"
        return style.lines(of: table) + (report.fresh == 0 ? [] : ["\(more): `streakmesh notices` shows them."])
    }
}

struct NoticesCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "notices", abstract: "What others did, and you have not looked at: what the page's bell shows.",
        discussion: "With --json nothing counts as looked at, unless --seen is given.")

    @Flag(help: "Note that you have seen it; without --json that is so anyway.")
    var seen = false

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let report = try await context.call(NotificationRequest.show)
        if seen || !context.usesJSON { _ = try await context.call(FeedRequest.look(group: nil, limit: 1)) }
        let now = Int64(Date().timeIntervalSince1970)
        context.show(report) { Self.lines(for: report, style: $0, now: now) }
    }

    static func lines(for report: NotificationsReport, style: OutputStyle, now: Int64) -> [String] {
        let fresh = report.notices.filter { !$0.seen }
        guard !fresh.isEmpty else { return ["Nothing is new."] }
        return fresh.map { notice in
            let when = Timestamp(notice.at)?.relativeText(to: now) ?? notice.at
            return "\(notice.text.printable) \(style.applying(.dim, to: "· \(when.printable)"))"
        }
    }
}
