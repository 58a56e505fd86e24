import ArgumentParser
import Foundation
import StreakNode

/// `on` or `off`.
enum Switch: String, ExpressibleByArgument, CaseIterable {
    case on, off
}

struct PrivacyCommand: QueryCommand {
    static let configuration = CommandConfiguration(
        commandName: "privacy", abstract: "Show and change what a group sees of you.",
        discussion: """
            Each group has its own settings. People who saw your name before still know it. A modified program that is \
            in two groups with you can compare keys, so an alias hides you from people, not from a determined friend.
            """)

    @Option(help: "The group (else the active one).")
    var group: String?

    @Option(help: "Go by an alias: on or off.")
    var anonymous: Switch?

    @Option(help: "The alias, 1 to 40 characters; `none` for the derived one, such as Player#A1B2.")
    var alias: String?

    @Option(help: "Stay off the leaderboards: on or off.")
    var hidden: Switch?

    @Option(help: "A short text such as FR, shown beside your name; `none` for none.")
    var region: String?

    @Option(name: .customLong("last-seen"), help: "Whether others see when you were last there: on or off.")
    var lastSeen: Switch?

    @Option(
        parsing: .singleValue, help: "Share a game's results again. May be given several times.", completion: .games)
    var share: [String] = []

    @Option(
        parsing: .singleValue, help: "Keep a game's new results from the group. May be given several times.",
        completion: .games)
    var unshare: [String] = []

    @OptionGroup var shared: SharedOptions

    func request() -> PrivacyRequest {
        let change = PrivacyChange(
            anonymous: anonymous.map { $0 == .on }, alias: alias.map { $0 == "none" ? "" : $0 },
            hidden: hidden.map { $0 == .on }, region: region.map { $0 == "none" ? "" : $0 },
            lastSeen: lastSeen.map { $0 == .on }, share: share, unshare: unshare)
        return change == PrivacyChange() ? .show(group: group) : .change(group: group, change)
    }

    func lines(for report: PrivacyReport, style: OutputStyle) -> [String] { report.lines(style) }
}

struct SharingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sharing", abstract: "Stop sharing with a group, and share again.",
        subcommands: [Stop.self, Resume.self])

    struct Stop: ConfirmedCommand {
        typealias Request = PrivacyRequest

        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Publish nothing new in a group; you go on reading it.",
            discussion: "Your friends keep what you have shared so far. Nothing tells them that you stopped.")

        @Option(help: "The group (else the active one).")
        var group: String?

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        var target: ConfirmationTarget { .group(group) }

        func warning(about found: String) -> (consequence: String, question: String) {
            (
                """
                You go on seeing the boards, and nothing new of yours goes there. Your friends keep what you have shared so \
                far, and nothing tells them that you stopped.
                """, "Stop sharing with \(found)?"
            )
        }

        func request(about selector: String?) -> PrivacyRequest { .stopSharing(group: selector ?? group) }

        func lines(for report: PrivacyReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Resume: QueryCommand {
        static let configuration = CommandConfiguration(commandName: "resume", abstract: "Share with a group again.")

        @Option(help: "The group (else the active one).")
        var group: String?

        @Option(help: "Which of the results held back to share: today, 30d, all.")
        var history = "today"

        @OptionGroup var shared: SharedOptions

        func request() throws -> PrivacyRequest {
            guard let history = TypedValue.history(history) else {
                throw CommandLineFailure.usage("`--history` takes today, 30d or all; not “\(history.printable)”.")
            }
            return .resumeSharing(group: group, history: history.days)
        }

        func lines(for report: PrivacyReport, style: OutputStyle) -> [String] { report.lines(style) }
    }
}

extension PrivacyReport {
    func lines(_ style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left])
        table.addRow(.init("name here", .dim), .init(name, .bold))
        table.addRow(
            .init("anonymous", .dim), .init(anonymous ? alias == nil ? "yes, by a derived alias" : "yes" : "no"))
        table.addRow(.init("leaderboards", .dim), .init(hidden ? "hidden: only you see your row" : "listed"))
        table.addRow(.init("region", .dim), .init(region ?? "none"))
        table.addRow(.init("last seen", .dim), .init(lastSeen ? "shown" : "hidden"))
        table.addRow(.init("sharing", .dim), .init(sharing ? "on" : "stopped", sharing ? .good : .bad))
        table.addRow(.init("not shared", .dim), .init(unshared.isEmpty ? "–" : unshared.joined(separator: ", ")))
        table.addRow(.init("results", .dim), .init("\(published) here, \(heldBack) held back"))
        let advice =
            sharing && heldBack > 0
            ? ["`streakmesh sharing resume --history all` sends what is held back; `today` or `30d` less of it."] : []
        return [style.applying(.bold, to: title)] + style.lines(of: table) + advice
    }
}

struct GuestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guest", abstract: "Let somebody else play on this machine.",
        subcommands: [Start.self, Stop.self, Status.self])

    struct Start: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "start",
            abstract: "Record a guest's results separately. Your links are closed, and your own data stays as it is."
        )

        @Option(help: "The guest's name.")
        var name: String

        @OptionGroup var shared: SharedOptions

        func request() -> GuestRequest { .start(name: name) }

        func lines(for report: GuestReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Stop: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop",
            abstract: "End the guest mode. One of --keep, --export and --discard says what happens to the results.")

        @Flag(help: "Keep them for the next time.")
        var keep = false

        @Option(help: "Write them to this new file, and remove them here: as CSV if it ends in .csv, else as JSON.")
        var export: String?

        @Flag(help: "Remove them.")
        var discard = false

        @OptionGroup var shared: SharedOptions

        func request() throws -> GuestRequest {
            switch (keep, export, discard) {
            case (true, nil, false): return .stop(.keep)
            case (false, let file?, false):
                return .stop(.export(file: URL(fileURLWithPath: file).standardizedFileURL.path))
            case (false, nil, true): return .stop(.discard)
            default: throw CommandLineFailure.usage("Give one of `--keep`, `--export FILE` and `--discard`.")
            }
        }

        func lines(for report: GuestReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Status: QueryCommand {
        static let configuration = CommandConfiguration(commandName: "status", abstract: "Say whether a guest plays.")

        @OptionGroup var shared: SharedOptions

        func request() -> GuestRequest { .status }

        func lines(for report: GuestReport, style: OutputStyle) -> [String] { report.lines(style) }
    }
}

extension GuestReport {
    fileprivate func lines(_ style: OutputStyle) -> [String] {
        let count = results == 1 ? "1 result" : results == 0 ? "no results yet" : "\(results) results"
        let name = style.applying(.bold, to: name ?? "The guest")
        if active { return ["\(name) plays as a guest, with \(count). Your links are closed; nothing is published."] }
        if let file { return ["You are back. \(name)'s results are in \(file.printable)."] }
        return ["No guest plays." + (results > 0 ? " \(name) has left \(count) here." : "")]
    }
}
