import ArgumentParser
import StreakNode
import StreakWeb

struct RemindersCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "reminders", abstract: "Show and choose when the running node reminds you of streaks at risk.",
        discussion: """
            A reminder comes once a day at most, and only if a streak would end. It appears on the page, in `watch`, \
            on the desktop, and runs a command of yours. A single program gets the text as its last argument; any \
            other shell command reads it from $1.
            """)

    @Argument(help: "on or off (else shows the state).")
    var state: Switch?

    @Flag(help: "Half an hour before the two hours in which you play most.")
    var smart = false

    @Option(help: "At this time, HH:mm.")
    var time: String?

    @Option(help: "Never within these hours, HH:mm-HH:mm; `none` for no such hours.")
    var quiet: String?

    @Option(help: "Whether this machine's desktop shows it: on or off.")
    var desktop: Switch?

    @Option(help: "The command that this machine's shell runs; empty for none.")
    var command: String?

    @Option(parsing: .singleValue, help: "Do not remind of this game; may be given several times.", completion: .games)
    var exclude: [String] = []

    @Option(parsing: .singleValue, help: "Remind of this game again; may be given several times.", completion: .games)
    var include: [String] = []

    @OptionGroup var drawing: DrawingOptions
    @OptionGroup var shared: SharedOptions

    func request() throws -> ReminderRequest {
        if smart, time != nil { throw CommandLineFailure.usage("Give either `--smart` or `--time`, not both.") }
        let change = ReminderChange(
            on: state.map { $0 == .on }, smart: smart ? true : nil, time: time, quiet: quiet == "none" ? "" : quiet,
            desktop: desktop.map { $0 == .on }, command: command, include: include, exclude: exclude)
        return change == ReminderChange() ? .show(plots: drawing.plots) : .change(change)
    }

    func lines(for report: RemindersReport, style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left])
        let habit = report.window.map { "\($0), \(report.coverage ?? 0) % of your results" }
        let time =
            report.smart
            ? "\(report.time), \(report.window == nil ? "until your habit is known" : "by your habit")"
            : report.fixedTime
        let rows: [(String, String)] = [
            ("reminders", report.on ? "on" : "off"), ("time", time),
            ("you play most", habit ?? "too few results to say"),
            ("quiet", report.quiet ?? "never"), ("not of", report.excluded.joined(separator: ", ")),
            ("desktop", report.desktop ? "on" : "off"), ("command", report.command ?? ""),
            ("next", report.next.map { Timestamp($0)?.dateText ?? $0 } ?? ""), ("last", report.lastReminded ?? ""),
        ]
        for (title, value) in rows where !value.isEmpty { table.addRow(.init(title, .dim), .init(value)) }
        return style.lines(of: table) + [report.text?.printable ?? "Nothing is at risk now."]
            + (report.on ? [] : ["`streakmesh reminders on` switches them on; a running node shows them."])
    }
}
