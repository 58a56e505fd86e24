import ArgumentParser
import Foundation
import StreakNode
import StreakWeb

struct StatusCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether the node runs, its groups and its connections.")

    @OptionGroup var shared: SharedOptions

    static let tellsEndings = true

    func request() -> StatusRequest { .status }

    func lines(for report: StatusReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct SyncCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Dial every known friend now and exchange what is new.")
    static let needsNetwork = true

    @OptionGroup var shared: SharedOptions

    func request() -> StatusRequest { .sync }

    func lines(for report: StatusReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct InternetCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "internet",
        abstract: "Show whether friends on the internet reach this machine, and choose whether they may.",
        discussion: InternetReport.explanation)

    @Argument(
        help: ArgumentHelp(
            "on, off (dial only addresses that this machine was told), or lan-only (no connection leaves this network).",
            valueName: "setting"))
    var setting: String?

    @Option(
        help: ArgumentHelp(
            "Whether friends may read your newest results in the sealed note: on or off.", valueName: "on|off"))
    var letters: String?

    @Option(
        help: ArgumentHelp(
            "Whether your page says where nobody’s machine is always on, and what would help: on or off.",
            valueName: "on|off"))
    var advice: String?

    @OptionGroup var shared: SharedOptions

    func request() throws -> InternetRequest {
        guard setting != nil || letters != nil || advice != nil else { return .show }
        return .change(
            setting, letters: try Self.isOn(letters, of: "letters"), advice: try Self.isOn(advice, of: "advice"))
    }

    private static func isOn(_ word: String?, of option: String) throws -> Bool? {
        guard let word else { return nil }
        guard let isOn = ["on": true, "off": false][word] else {
            throw CommandLineFailure.usage("`--\(option)` takes on or off; not “\(word.printable)”.")
        }
        return isOn
    }

    func lines(for report: InternetReport, style: OutputStyle) -> [String] { report.lines(style) }
}

extension InternetReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        var lines = ["\(style.applying(.bold, to: sentence)) · internet \(setting.printable)"]
        lines += [mappingText, findingText, dhtText].compactMap { $0?.printable }
        guard !outside.isEmpty else { return lines }
        var table = TextTable([.left, .left])
        table.addHeader("told to friends", "by")
        for entry in outside { table.addRow(.init(entry.endpoint), .init(entry.source, .dim)) }
        return lines + [""] + style.lines(of: table)
    }
}

struct ClockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Show whose clock is wrong, and correct the dates that a wrong clock gave.",
        subcommands: [Show.self, Repair.self], defaultSubcommand: Show.self)

    struct Show: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Compare this machine's clock with those of the connected machines.")

        @OptionGroup var shared: SharedOptions

        func request() -> ClockRequest { .show }

        func lines(for report: ClockReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Repair: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "repair",
            abstract: "Retract what this machine wrote while its clock was ahead, and write it again.",
            discussion: """
                Other nodes hold back entries that are dated more than ten minutes ahead. Set the clock right first.
                """)

        @Flag(help: "Do it even if the others say that this machine's clock is still ahead.")
        var force = false

        @OptionGroup var shared: SharedOptions

        func request() -> ClockRequest { .repair(isForced: force) }

        func lines(for report: ClockReport, style: OutputStyle) -> [String] { report.lines(style) }
    }
}

extension ClockReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        var lines = sentences.map(\.printable)
        if ownWaiting > 0 { lines.append("`streakmesh clock repair` gives these records today's date.") }
        if let repairedText {
            lines.append(repairedText)
        } else if lines.isEmpty {
            lines = [state == "unknown" ? "Nobody is connected to compare clocks with." : "All clocks agree."]
        }
        return lines
    }
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
        commandName: "watch", abstract: "Print what happens in the running node, until Ctrl-C.")

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
    func lines(_ style: OutputStyle) -> [String] {
        let running = self.running ? "node running" : "no node running (`streakmesh up` starts it)"
        let now = Int64(Date().timeIntervalSince1970)
        let shownState = [state, heardText(at: now)].compactMap(\.self).joined(separator: ", ")
        let statePart = style.applying(state == "live" ? .good : .bold, to: shownState)
        var lines = ["\(statePart) · \(running) · version \(version)"]
        if shutOut {
            let text =
                "This machine was shut out of your account: it records nothing. `streakmesh export` saves its results."
            lines.append(style.applying(.bad, to: text))
        }
        if let guest { lines.append("\(style.applying(.bold, to: guest)) plays as a guest: nothing is published.") }
        if !recoveryConfirmed { lines.append(style.recoveryReminder) }
        if let differingText { lines.append(differingText) }
        lines += strays.map {
            let advice = "`streakmesh device revoke \($0.device.prefix(8))` shuts it out there, too."
            return style.applying(.bad, to: "\($0.sentence.printable) \(advice)")
        }
        if let listen { lines.append("listens on \(listen)") }
        if let web { lines.append("page at \(web)") }
        if let lastSync {
            let time = Timestamp(lastSync)?.relativeText(to: now) ?? lastSync
            lines.append("last sync \(time)")
        }
        if self.running { lines.append(internet.sentence) }
        lines += clock.sentences.map { style.applying(.bad, to: $0.printable) }
        if clock.ownWaiting > 0 { lines.append("`streakmesh clock repair` gives these records today's date.") }
        lines += damage?.sentences.map { style.applying(.bad, to: $0) } ?? []
        let groups = groups.filter(\.isCurrent)
        if !groups.isEmpty {
            var table = TextTable([.left, .right, .right, .left, .left])
            table.addHeader("group", "members", "records", "digest", "")
            for group in groups {
                table.addRow(
                    .init(group.title, .bold), .init("\(group.members) (\(group.online) online)"),
                    .init(group.total.map { "\(group.records) of \($0)" } ?? "\(group.records)"),
                    .init(String(group.digest.prefix(16)), .dim),
                    .init(group.sharing ? "" : "not sharing", .bad))
            }
            lines += [""] + style.lines(of: table)
        }
        if !peers.isEmpty {
            var table = TextTable([.left, .left, .left, .left, .left])
            table.addHeader("machine of", "state", "", "via", "address")
            for peer in peers {
                table.addRow(
                    .init(peer.name ?? String(peer.device.prefix(8))),
                    .init(peer.state, peer.state == "linked" ? .good : .bad),
                    .init(peer.heardText(at: now) ?? "", .dim),
                    .init(peer.via ?? ""),
                    .init(peer.address ?? "", .dim))
            }
            lines += [""] + style.lines(of: table)
        }
        return lines
    }
}
