import ArgumentParser
import Foundation
import StreakNode
import StreakWeb

struct FeedCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "What happened in your groups during the last 30 days.",
        discussion:
            "* marks what is new since you looked. With --json nothing counts as looked at, unless --seen is given.")

    @Option(help: "Only this group (else all of yours).")
    var group: String?

    @Option(help: "The most entries, at most 500 (else 30).")
    var top: Int?

    @Flag(help: "Note that you have seen it; without --json that is so anyway.")
    var seen = false

    @Flag(help: "Go on and print what comes, until Ctrl-C. Needs a running node.")
    var follow = false

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let limit = top ?? 30
        guard (1...500).contains(limit) else { throw CommandLineFailure.usage("`--top` takes a number from 1 to 500.") }
        let looks = seen || !context.usesJSON
        let request: FeedRequest = looks ? .look(group: group, limit: limit) : .show(group: group, limit: limit)
        // What is new is marked as it was before this look.
        let report = try await context.call(FeedRequest.show(group: group, limit: limit))
        if looks { _ = try await context.call(request) }
        if !follow {
            context.show(report) { report.lines($0) }
            return
        }
        var printer = FollowingPrinter(context: context)
        printer.show(report)
        try await printer.follow(request)
    }
}

/// Prints entries as they come, each once, the oldest first.
private struct FollowingPrinter {
    let context: CommandContext
    private var known: Set<String> = []

    init(context: CommandContext) { self.context = context }

    mutating func show(_ report: FeedReport) {
        for entry in report.entries.reversed() where known.insert(entry.id).inserted {
            if context.usesJSON {
                context.terminal.write(JSON(reflecting: entry).text)
            } else {
                context.terminal.write(entry.line(context.style))
            }
        }
    }

    /// Looks again whenever something changes, until the node stops.
    mutating func follow(_ request: FeedRequest) async throws {
        let client = try context.client()
        do {
            try await client.watch { event in
                switch event {
                case .watching, .event(.changed), .event(.groupsChanged): show(try await client.call(request))
                case .event(.peer), .event(.notice): break
                }
            }
        } catch NodeFailure.stopping {
            if !context.usesJSON { context.terminal.writeError("The node stopped.") }
        }
    }
}

extension FeedReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        guard !entries.isEmpty else { return ["Nothing has happened during the last 30 days."] }
        let rest = total - entries.count
        return entries.map { $0.line(style) } + (rest > 0 ? [style.applying(.dim, to: "… and \(rest) older")] : [])
    }
}

extension FeedEntryReport {
    fileprivate func line(_ style: OutputStyle) -> String {
        let now = Int64(Date().timeIntervalSince1970)
        let when = Timestamp(at)?.relativeText(to: now) ?? at
        return "\(fresh ? style.applying(.good, to: "*") : " ") "
            + "\(icon.isEmpty ? "" : icon.printable + " ")\(style.applying(.bold, to: me ? "You" : name)) "
            + "\(text.printable) \(style.applying(.dim, to: "· \(title), \(when)"))"
    }
}
