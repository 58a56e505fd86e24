import ArgumentParser
import Foundation
import StreakNode
import Synchronization
import Testing

@testable import streakmesh

/// What others notice, or what cannot be taken back, is asked about where a person sits at the terminal (product row B6).
@Suite struct ConfirmationTests {
    private final class Questions: Sendable {
        let count = Mutex(0)
    }

    /// What was asked, and how the command ended in a folder without an account.
    private struct Run {
        var questions: Int
        var error: (any Error)?

        var isStopped: Bool { error as? ExitCode == .failure }
        /// It went on to the node.
        var isCarriedOut: Bool { error as? NodeFailure == .noAccount }
    }

    private static func run(_ words: [String], answer: String?, isInteractive: Bool = true) async throws -> Run {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sm-\(UInt32.random(in: 0...UInt32.max))")
        let command = try #require(
            StreakMeshCommand.parseAsRoot(words + ["--data", folder.path]) as? any SessionCommand)
        let questions = Questions()
        var run = Run(questions: 0)
        do {
            try await Self.run(command, isInteractive: isInteractive) {
                questions.count.withLock { $0 += 1 }
                return answer
            }
        } catch {
            run.error = error
        }
        run.questions = questions.count.withLock { $0 }
        // A folder that was never made needs no removal.
        try? FileManager.default.removeItem(at: folder)
        return run
    }

    private static func run(
        _ command: any SessionCommand, isInteractive: Bool, typedLine: @escaping @Sendable () -> String?
    ) async throws {
        let context = command.shared.context()
        let terminal = Terminal(
            isInputInteractive: isInteractive, isOutputInteractive: false, typedLine: typedLine)
        try await command.run(
            in: CommandContext(folder: context.folder, terminal: terminal, usesJSON: context.usesJSON))
    }

    static let commands = [
        ["sharing", "stop"], ["sharing", "stop", "--group", "Red"], ["friend", "remove", "Ben"],
        ["member", "remove", "Ben"], ["group", "transfer", "Ben"],
    ]

    @Test(arguments: commands)
    func `a person is asked first, and only a yes goes on`(words: [String]) async throws {
        for answer in ["n", "", "No", nil] {
            let run = try await Self.run(words, answer: answer)
            #expect(run.isStopped && run.questions == 1, "\(answer ?? "end of input"): \(run)")
        }
        for answer in ["y", "Yes"] {
            let run = try await Self.run(words, answer: answer)
            #expect(run.isCarriedOut && run.questions == 1, "\(run)")
        }
    }

    @Test(arguments: commands + [["group", "leave", "Red"]])
    func `scripts, JSON and --yes are not asked`(words: [String]) async throws {
        for run in [
            try await Self.run(words, answer: "n", isInteractive: false),
            try await Self.run(words + ["--json"], answer: "n"), try await Self.run(words + ["--yes"], answer: "n"),
        ] {
            #expect(run.isCarriedOut && run.questions == 0, "\(run)")
        }
    }
}
