import ArgumentParser
import Foundation
import Logging
import StreakStorage
import StreakTestSupport
import Testing

@testable import StreakNode
@testable import streakmesh

/// Every command, asked of a node whose every text tries to steer a terminal: real processes, and all that they write.
@Suite(.timeLimit(.minutes(10))) struct HostileAnswerTests {
    private static let hostile = TerminalTextTests.hostile
    /// As words of a command, which end at a NUL.
    private static let word = String(hostile.unicodeScalars.filter { $0 != "\0" })

    /// Answers everything with such texts, or with a failure that holds them.
    private struct HostileNode: NodeCalling {
        var failure: NodeFailure?

        func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
            if let failure { throw failure }
            return try Fabricated.value(Request.Report.self, text: hostile, fixed: ["role": "removed"])
        }
    }

    /// What each command is given, by its words. The folder holds a file `in.csv`.
    static let commands: [String: [String]] = [
        "init": ["--name", "Ada"], "up": ["--listen", "nowhere"], "whoami": [], "rename": ["Ada"],
        "recovery show": [], "recovery confirm": ["KEY"], "recover": ["KEY", "--name", "Ada"], "backup": ["copy"],
        "restore": ["in.csv"], "device list": [], "device link": ["--qr"], "device join": ["link"],
        "device rename": ["ab12", "Attic"], "device revoke": ["ab12", "--key-fd", "0"],
        "guest start": ["--name", "Zoe"], "guest stop": ["--keep"],
        "guest status": [], "group create": ["Red"], "group list": [], "group use": ["Red"], "group rename": ["Red"],
        "group settings": [], "group transfer": ["Ben"], "group heir": ["Ben"], "group take-over": [],
        "group annul": ["ab"],
        "group leave": ["Red"], "members": [], "member promote": ["Ben"], "member demote": ["Ben"],
        "member remove": ["Ben"], "requests list": [], "requests approve": ["ab"], "requests deny": ["ab"],
        "invite create": [], "invite list": [], "invite revoke": ["ab"], "join": ["streakmesh://join/A"],
        "friend code": [], "friend add": ["7K3M-9QXT-42WJ"], "friend list": [], "friend approve": ["Ben"],
        "friend decline": ["Ben"], "friend cancel": ["7K3M-9QXT-42WJ"], "friend block": ["Ben"],
        "friend unblock": ["Ben"], "friend remove": ["Ben"], "friend rejoin": ["Red"], "friend dismiss": ["Red"],
        "privacy": ["--region", "FR"], "sharing stop": [], "sharing resume": [], "add": ["Wordle 1,700 3/6"],
        "parse": ["Wordle 1,700 3/6 and more"], "record": ["wordle", "--score", "3"],
        "publish": ["wordle", "--date", "2026-11-20"], "delete": ["wordle", "--date", "2026-11-20"], "undo": [],
        "board": ["--game", "wordle"], "results": [], "games list": [],
        "games add": ["Blocks", "--model", "highScore"],
        "games edit": ["Blocks", "--name", "Block"], "games test": ["x 3", "--pattern", "x {score}"],
        "games remove": ["Blocks"], "games favourite": ["wordle"], "games unfavourite": ["wordle"],
        "export": ["csv", "--file", "out"], "import": ["in.csv"], "stats": ["--plots"], "streaks": [],
        "achievements": [], "recap": [], "versus": ["Ben"], "champions": [], "share": ["wordle"], "templates": [],
        "reminders": [],
        "feed": [], "comment list": ["Ben", "wordle"], "comment add": ["Ben", "wordle", "well done"],
        "comment edit": ["ab12", "well done"], "comment delete": ["ab12"], "comment hide": ["ab12"],
        "player": ["Ben"], "message list": [], "message show": ["Ben"], "message send": ["Ben", "well done"],
        "message edit": ["ab12", "well done"], "message delete": ["ab12"],
        "notifications": [], "notices": [],
        "event show": [], "event set": ["most-games"],
        "react": ["Ben", "wordle", "👏"], "mute": ["Ben"],
        "challenge list": [], "challenge make": ["wordle", "--to", "Ben"], "challenge accept": ["ab12"],
        "challenge decline": ["ab12"], "challenge withdraw": ["ab12"],
        "challenge counter": ["ab12", "wordle", "--to", "Ben"],
        "status": [], "doctor": ["--friend", "x"], "internet": ["off"], "clock show": [], "clock repair": [],
        "page": [], "sync": [], "watch": [],
        "completion": ["bash"], "open": ["--print"], "service status": [], "service install": [], "service remove": [],
        "service unit": [],
    ]

    private static func leaves(of command: any ParsableCommand.Type, _ path: [String] = []) -> [String] {
        let inner = command.configuration.subcommands
        if inner.isEmpty { return [path.joined(separator: " ")] }
        return inner.flatMap { leaves(of: $0, path + [$0._commandName]) }
    }

    @Test func `every command is tried`() {
        #expect(Set(Self.leaves(of: StreakMeshCommand.self)) == Set(Self.commands.keys))
    }

    /// The names of the cases of `NodeFailure`, as its source has them.
    private static let failures: [String] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let source = root.appending(path: "Sources/StreakNode/API/NodeFailure.swift")
        // What cannot be read has no cases, and the test says so.
        let text = (try? String(contentsOf: source, encoding: .utf8)) ?? ""
        let body = text.split(separator: "public enum RoleReason")[0]
        return body.matches(of: /\n    (?:indirect )?case ([A-Za-z]+)/).map { String($0.output.1) }
    }()

    /// Runs every command beside such a node, and gives all that came of each.
    private static func tryAll(
        _ words: [String], failing: [String?], typing: String? = nil, _ judge: (String, CommandResult) throws -> Void
    ) async throws {
        try await Lab.open { lab in
            for (number, failure) in failing.enumerated() {
                let folder = DataFolder(path: "\(lab.folder)/\(number)")
                try FileManager.default.createDirectory(
                    atPath: folder.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
                try Data("date,game,score\n2026-11-20,\(hostile),3\n".utf8).write(
                    to: URL(filePath: folder.path + "/in.csv"))
                let thrown = try failure.map {
                    try Fabricated.value(NodeFailure.self, text: hostile, cases: [$0, "expired", "played"])
                }
                let events: @Sendable () -> AsyncStream<NodeEvent> = {
                    AsyncStream { stream in
                        stream.yield(.notice(hostile))
                        stream.yield(.changed(group: hostile, digest: hostile))
                        stream.yield(.peer(device: hostile, state: hostile, via: hostile))
                        stream.finish()
                    }
                }
                let server = ControlServer(
                    node: HostileNode(failure: thrown), events: events, signIn: { hostile },
                    socketPath: folder.controlSocketPath, logger: Logger(label: "test"))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await server.run() }
                    await server.ready()
                    // Of many failures each is met by a few commands, and each command by a few failures.
                    let chosen = commands.keys.sorted().enumerated().filter {
                        failing.count < 4 || ($0.offset + number).isMultiple(of: failing.count / 2)
                    }.map(\.element)
                    for command in chosen {
                        let given = (commands[command] ?? []).map { word in
                            if let typing, !word.hasPrefix("--") { return typing }
                            return ["copy", "out", "in.csv"].contains(word) ? "\(folder.path)/\(word)" : word
                        }
                        // Where services are kept is this user's own business, and no test's.
                        let launcher =
                            command.hasPrefix("service")
                            ? ["/usr/bin/env", "PATH=\(folder.path)", "XDG_CONFIG_HOME=\(folder.path)"] : []
                        let all =
                            launcher + [BuiltProgram.path, "--data", folder.path] + words
                            + command.split(separator: " ").map(String.init) + given
                        try judge(command, try await lab.run(all, input: "\(hostile)\n"))
                    }
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
        }
    }

    private static func steering(_ text: String) -> [Unicode.Scalar] {
        TerminalTextTests.steering(text).filter { $0 != "\n" }
    }

    /// What works on this machine alone, or finds nothing there to work on.
    private static let others: Set = [
        "init", "up", "recover", "restore", "device join", "backup", "games edit", "import", "join", "completion",
        "service status", "service install", "service remove",
    ]

    @Test(arguments: [[], ["--json"]])
    func `no answer of any command steers a terminal`(words: [String]) async throws {
        try await Self.tryAll(words, failing: [nil]) { command, result in
            // The content of an export, where a program takes it, is that of the file.
            if command != "export" || !words.isEmpty {
                #expect(Self.steering(result.output + result.errors) == [], "\(command)")
            }
            // A doctor who found something ends with 1.
            if !Self.others.contains(command), command != "doctor" { #expect(result.exitCode == 0, "\(result)") }
            guard !words.isEmpty else { return }
            for line in (result.output + result.errors).split(separator: "\n") {
                #expect(throws: Never.self, "\(command)") { try JSONValue(parsing: String(line)) }
            }
        }
    }

    @Test(arguments: [[], ["--json"]])
    func `no error of any command steers a terminal`(words: [String]) async throws {
        #expect(Self.failures.count > 80)
        try await Self.tryAll(words, failing: Self.failures) { command, result in
            #expect(Self.steering(result.output + result.errors) == [], "\(command)")
            if !words.isEmpty, result.exitCode != 0 { #expect(result.errorCode != nil, "\(result)") }
        }
    }

    @Test(arguments: [[], ["--json"]])
    func `nothing that is typed comes back to steer a terminal`(words: [String]) async throws {
        try await Self.tryAll(words, failing: [nil], typing: Self.word) { command, result in
            if command != "export" || !words.isEmpty {
                #expect(Self.steering(result.output + result.errors) == [], "\(command)")
            }
            // What `import` refused is a report, and so is what `doctor` found.
            let isSaid = result.errorCode != nil || command == "import" || command == "doctor"
            if !words.isEmpty, result.exitCode != 0 { #expect(isSaid, "\(result)") }
        }
    }
}
