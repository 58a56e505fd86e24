import ArgumentParser
import Foundation
import Logging
import StreakStorage
import Synchronization
import Testing

@testable import StreakNode
@testable import streakmesh

/// What others notice, or what cannot be taken back, is asked about where a person sits at the terminal.
@Suite struct ConfirmationTests {
    private final class Questions: Sendable {
        let asked = Mutex<[String]>([])
    }

    /// What was asked, and how the command ended.
    private struct Run {
        var questions: [String]
        var error: (any Error)?

        var isStopped: Bool { error as? ExitCode == .failure }
    }

    /// In the folder of Ada, who is alone in the group “Red”.
    private static func withFolder<Answer>(_ body: (URL, ProfileReport) async throws -> Answer) async throws -> Answer {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sm-\(UInt32.random(in: 0...UInt32.max))")
        // A folder that stays behind in the temporary one harms nothing.
        defer { try? FileManager.default.removeItem(at: folder) }
        let profile = try MeshNode.createAccount(in: DataFolder(path: folder.path), name: "Ada")
        #expect(try await run(["group", "create", "Red"], in: folder, answer: nil).error == nil)
        return try await body(folder, profile)
    }

    private static func run(
        _ words: [String], in folder: URL, answer: String?, isInteractive: Bool = true
    ) async throws -> Run {
        let command = try #require(
            StreakMeshCommand.parseAsRoot(words + ["--data", folder.path]) as? any SessionCommand)
        let questions = Questions()
        let context = command.shared.context()
        var terminal = Terminal(isInputInteractive: isInteractive, isOutputInteractive: false)
        terminal.typedLine = { answer }
        terminal.heard = { question in questions.asked.withLock { $0.append(question) } }
        var run = Run(questions: [])
        do {
            try await command.run(
                in: CommandContext(folder: context.folder, terminal: terminal, usesJSON: context.usesJSON))
        } catch {
            run.error = error
        }
        run.questions = questions.asked.withLock { $0 }
        return run
    }

    /// What is asked about, and why the node then refuses it of Ada; nil where it does not.
    static let commands: [(words: [String], question: String, failure: NodeFailure?)] = [
        (["sharing", "stop"], "Stop sharing with “Red” (ID ", nil),
        (["sharing", "stop", "--group", "re"], "Stop sharing with “Red” (ID ", nil),
        (
            ["member", "remove", "ada"], "Remove “Ada” (friend code ",
            .notAllowed(action: "remove this member", reason: .leaves)
        ),
        (
            ["member", "promote", "ada"], "Make “Ada” (friend code ",
            .notAllowed(action: "promote a member", reason: .ownsGroup)
        ),
        (
            ["group", "transfer", "ada"], "Hand the group on to “Ada” (friend code ",
            .notAllowed(action: "hand the group on", reason: .ownsGroup)
        ),
    ]

    @Test(arguments: commands)
    func `a person is asked about whom or what was found, and only a yes goes on`(
        words: [String], question: String, failure: NodeFailure?
    ) async throws {
        try await Self.withFolder { folder, profile in
            for answer in ["n", "", nil] {
                let run = try await Self.run(words, in: folder, answer: answer)
                #expect(run.isStopped && run.questions.count == 1, "\(answer ?? "end of input"): \(run)")
                #expect(run.questions.first?.contains(question) == true, "\(run.questions)")
                #expect(
                    words[0] == "sharing"
                        || run.questions.first?.contains("\(profile.friendCode), ID \(profile.user.prefix(16))…")
                            == true
                )
            }
            let run = try await Self.run(words, in: folder, answer: "Yes")
            #expect(run.error as? NodeFailure == failure && run.questions.count == 1, "\(run)")
        }
    }

    @Test(arguments: commands)
    func `scripts, JSON and --yes are not asked`(
        words: [String], question: String, failure: NodeFailure?
    ) async throws {
        try await Self.withFolder { folder, _ in
            for run in [
                try await Self.run(words, in: folder, answer: "n", isInteractive: false),
                try await Self.run(words + ["--json"], in: folder, answer: "n"),
                try await Self.run(words + ["--yes"], in: folder, answer: "n"),
            ] {
                #expect(run.error as? NodeFailure == failure && run.questions.isEmpty, "\(run)")
            }
        }
    }

    /// The owner's node, where an admin has removed somebody.
    private struct OwnerNode: NodeCalling {
        static let removal = AnnulmentReport(
            id: "3f9a11", removed: PersonReport(user: "c1e0c1e0c1e0c1e0c1", name: "Cleo", code: "7K3M-9QXT-42WJ"),
            admin: PersonReport(user: "be2be2be2be2be2be2", name: "Ben"), at: "2026-11-18T09:30:00Z", voided: 1)
        let orders = Questions()

        func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
            var report = AnnulmentsReport(group: "9f2c", title: "Red", removals: [Self.removal])
            if case .annul(let group, let id) = request as? AnnulmentRequest {
                orders.asked.withLock { $0.append("\(group ?? "active") \(id)") }
                (report.removals, report.annulled) = ([], Self.removal)
            }
            guard let answer = report as? Request.Report else { throw NodeFailure.noGroup() }
            return answer
        }
    }

    /// Answers commands in this folder as `node` does, as long as `body` takes.
    private static func serving(
        _ node: some NodeCalling, in folder: URL, _ body: () async throws -> Void
    ) async throws {
        let server = ControlServer(
            node: node, events: { AsyncStream { $0.finish() } }, signIn: { "" },
            socketPath: DataFolder(path: folder.path).controlSocketPath, logger: Logger(label: "test"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            await server.ready()
            try await body()
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `the owner is told whom annulling a removal concerns before it is done`() async throws {
        try await Self.withFolder { folder, _ in
            let node = OwnerNode()
            try await Self.serving(node, in: folder) {
                let words = ["group", "annul", "3F9A"]
                for answer in ["n", nil] {
                    let run = try await Self.run(words, in: folder, answer: answer)
                    #expect(run.isStopped && run.questions.count == 1, "\(run)")
                    let question = run.questions.first ?? ""
                    #expect(
                        question.hasPrefix(
                            "“Ben” (ID be2be2be2be2be2b…) removed “Cleo” (friend code 7K3M-9QXT-42WJ, ID "
                                + "c1e0c1e0c1e0c1e0…). If you annul it: Cleo is in again, and Ben is a plain member. "),
                        "\(question)")
                }
                #expect(node.orders.asked.withLock { $0 } == [], "nothing is done before the answer")
                #expect(try await Self.run(words, in: folder, answer: "y").error == nil)
                for more in [["--yes"], ["--json"]] {
                    let run = try await Self.run(words + more, in: folder, answer: "n")
                    #expect(run.error == nil && run.questions.isEmpty, "\(run)")
                }
                let list = try await Self.run(["group", "annul"], in: folder, answer: "n")
                #expect(list.error == nil && list.questions.isEmpty)
                #expect(node.orders.asked.withLock { $0 } == ["9f2c 3f9a11", "active 3F9A", "active 3F9A"])
            }
        }
    }

    /// The node of a user with a laptop, and with a phone that is shut out already.
    private struct TravellerNode: NodeCalling {
        let orders = Questions()

        func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
            if let profile = ProfileReport(
                user: "ada", device: "ffff", name: "Ada", friendCode: "7K3M-9QXT-42WJ", recoveryConfirmed: false)
                as? Request.Report
            {
                return profile
            }
            if case .revoke(let device, nil) = request as? DeviceRequest {
                orders.asked.withLock { $0.append(device) }
            }
            let devices = [("9f2c4e0b7a31d5c8", "current"), ("9f77", "revoked"), ("ffff", "current")]
            guard
                let answer = DeviceListReport(
                    devices: devices.map {
                        DeviceReport(
                            device: $0.0, this: $0.0 == "ffff", state: $0.1, online: false, certifiedBy: "account",
                            origin: "account")
                    }) as? Request.Report
            else { throw NodeFailure.noGroup() }
            return answer
        }
    }

    @Test func `a machine is shut out only after a yes, and the one that the question named`() async throws {
        try await Self.withFolder { folder, _ in
            let node = TravellerNode()
            try await Self.serving(node, in: folder) {
                let words = ["device", "revoke", "9F"]
                let run = try await Self.run(words, in: folder, answer: "n")
                #expect(run.isStopped && run.questions.count == 1, "\(run)")
                #expect(run.questions.first?.contains("This cannot be undone. Shut out 9f2c4e0b7a31 (") == true)
                #expect(node.orders.asked.withLock { $0 } == [])
                #expect(try await Self.run(words, in: folder, answer: "y").error == nil)
                #expect(try await Self.run(words + ["--yes"], in: folder, answer: "n").error == nil)
                #expect(node.orders.asked.withLock { $0 } == ["9f2c4e0b7a31d5c8", "9F"])
                for (typed, failure) in [
                    ("9f7", NodeFailure.alreadyShutOut("9f7")), ("ff", .unknownDevice("ff")),
                ] {
                    let run = try await Self.run(["device", "revoke", typed], in: folder, answer: "y")
                    #expect(run.error as? NodeFailure == failure && run.questions.isEmpty, "\(run)")
                }
            }
        }
    }

    @Test func `a second node is refused where one waits for its account`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sm-\(UInt32.random(in: 0...UInt32.max))")
        // A folder that stays behind in the temporary one harms nothing.
        defer { try? FileManager.default.removeItem(at: folder) }
        let data = DataFolder(path: folder.path)
        try data.makeFolder()
        try data.prepareControlSocketFolder()
        let node = StartingNode(
            in: data,
            configuration: NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: []))
        try await Self.serving(node, in: folder) {
            let run = try await Self.run(["up", "--listen", "127.0.0.1:0", "--no-lan"], in: folder, answer: nil)
            #expect(run.error as? NodeFailure == .folderBusy(pid: 0), "\(run)")
        }
    }

    @Test func `what names nobody is refused before anything is asked`() async throws {
        try await Self.withFolder { folder, _ in
            for (words, failure) in [
                (["member", "remove", "Ad"], NodeFailure.unknownMember("Ad")),
                (["friend", "remove", "Ben"], .unknownFriend("Ben")),
                (["friend", "block", "Ben"], .unknownFriend("Ben")),
                (["group", "leave", "Blue"], .unknownGroup("Blue")),
                (["group", "annul", "ff"], .unknownRemoval("ff")),
            ] {
                let run = try await Self.run(words, in: folder, answer: "y")
                #expect(run.error as? NodeFailure == failure && run.questions.isEmpty, "\(run)")
            }
            let run = try await Self.run(["group", "leave", "re"], in: folder, answer: "n")
            #expect(run.isStopped && run.questions.first?.contains("Leave “Red” (ID ") == true, "\(run)")
        }
    }
}
