import ArgumentParser
import StreakNode

struct DoctorCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Find out why you can't see a friend, and what to do about it.",
        discussion: "Ends with 0 where all is well, and with 1 where a cause was found; with --report always with 0.")

    @Option(help: ArgumentHelp("Ask about one friend: a name, a friend code or an ID.", valueName: "person"))
    var friend: String?

    @Flag(
        name: .customLong("report"),
        help: "A text for an issue instead: without names, addresses, keys, codes, IDs and paths.")
    var isForIssue = false

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        var report: DoctorReport
        var status: StatusReport?
        do {
            report = try await context.call(DoctorRequest.look(friend: friend))
            if isForIssue { status = try await context.call(StatusRequest.status) }
        } catch NodeFailure.folderBusy(let pid) {
            report = .folderBusy(pid: pid)
        }
        if isForIssue {
            let text = IssueReport(report, status)
            return context.show(text) { _ in text.lines }
        }
        context.show(report) { report.lines($0) }
        if report.cause != nil { throw ExitCode.failure }
    }
}

extension DoctorReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        var lines: [String] = []
        if let explained {
            lines.append("\(style.applying(.bad, to: explained.cause.rawValue))  \(explained.meaning.printable)")
            lines.append("What to do: \(explained.advice.printable)")
            lines.append("Seen: \(explained.evidence.printable)")
        } else {
            lines.append(style.applying(.good, to: "Nothing is wrong here."))
        }
        let others = findings.filter { $0.cause != cause }
        if !others.isEmpty {
            lines += ["", explained == nil ? "Worth knowing:" : "Also seen:"]
            lines += others.map { "  \($0.cause.rawValue)  \($0.meaning.printable) \($0.evidence.printable)" }
        }
        if !checks.isEmpty { lines += [""] + checks.map { "  \($0.subject)  \($0.evidence.printable)" } }
        return lines
    }
}
