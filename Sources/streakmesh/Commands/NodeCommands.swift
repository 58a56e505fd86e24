import ArgumentParser
import Foundation
import StreakNode
import StreakWeb

struct StatusCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the node runs, its groups and its connections.")

    @OptionGroup var shared: SharedOptions

    func request() -> NodeRequest { .network(.status) }

    func lines(for report: StatusReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct SyncCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Dial every known friend now and exchange what is new.")
    static let needsNetwork = true

    @OptionGroup var shared: SharedOptions

    func request() -> NodeRequest { .network(.sync) }

    func lines(for report: StatusReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct PageCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "page", abstract: "Make a new sign-in link to the page of the running node.")

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let report = try await context.client().page()
        context.show(report) { ["\($0.applying(.notable, to: report.signIn))", "It works once."] }
    }
}

struct WatchCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Tell what happens in the running node, until Ctrl-C.")

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let client = try context.client()
        let printer = EventPrinter(node: client, context: context)
        do {
            try await client.watch { event in
                switch event {
                case .watching:
                    if context.usesJSON {
                        context.terminal.write(JSON.members(["event": .string("watching")]).text)
                    } else {
                        context.terminal.writeError("Watching; press Ctrl-C to end.")
                    }
                case .event(let event): await printer.show(event)
                }
            }
        } catch NodeFailure.stopping {
            if !context.usesJSON { context.terminal.writeError("The node stopped.") }
        }
    }
}

extension StatusReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let running = self.running ? "node running" : "no node running (`streakmesh up` starts it)"
        var lines = ["\(style.applying(state == "live" ? .good : .bold, to: state)) · \(running) · version \(version)"]
        if let guest { lines.append("\(style.applying(.bold, to: guest)) plays as a guest: nothing is published.") }
        if !recoveryConfirmed { lines.append(style.recoveryReminder) }
        if let listen { lines.append("listens on \(listen)") }
        if let web { lines.append("page at \(web)") }
        if let lastSync {
            let time = Timestamp(lastSync)?.relativeText(to: Int64(Date().timeIntervalSince1970)) ?? lastSync
            lines.append("last sync \(time)")
        }
        if !groups.isEmpty {
            var table = TextTable([.left, .right, .right, .left, .left])
            table.addHeader("group", "members", "results", "digest", "")
            for group in groups {
                table.addRow(
                    .init(group.title, .bold), .init("\(group.members) (\(group.online) online)"),
                    .init("\(group.records)"), .init(String(group.digest.prefix(16)), .dim),
                    .init(group.sharing ? "" : "not sharing", .bad))
            }
            lines += [""] + style.lines(of: table)
        }
        if !peers.isEmpty {
            var table = TextTable([.left, .left, .left, .left])
            table.addHeader("peer", "state", "via", "address")
            for peer in peers {
                table.addRow(
                    .init(peer.name ?? String(peer.device.prefix(8))),
                    .init(peer.state, peer.state == "linked" ? .good : .dim), .init(peer.via ?? ""),
                    .init(peer.address ?? "", .dim))
            }
            lines += [""] + style.lines(of: table)
        }
        return lines
    }
}
