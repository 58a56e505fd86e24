import StreakNode
import StreakStorage
import Testing

@testable import streakmesh

/// Commands, and a node that starts, take turns with the data folder.
@Suite struct TurnsTests {
    private let context = CommandContext(
        folder: DataFolder(path: "/nowhere"),
        terminal: Terminal(isInputInteractive: false, isOutputInteractive: false), usesJSON: true,
        // However busy the machine is.
        patience: .seconds(600))

    @Test func `who finds the folder taken tries until it is free`() async throws {
        var tries = 0
        let answer = try await context.takingTurns {
            tries += 1
            guard tries > 3 else { throw NodeFailure.folderBusy(pid: 1) }
            return "done"
        }
        #expect(answer == "done" && tries == 4)
    }

    @Test func `a node that runs is not waited for`() async {
        var tries = 0
        await #expect(throws: NodeFailure.folderBusy(pid: 7)) {
            try await context.takingTurns(unless: { true }) {
                tries += 1
                throw NodeFailure.folderBusy(pid: 7)
            }
        }
        #expect(tries == 1)
    }

    @Test func `whatever else fails is told at once`() async {
        await #expect(throws: NodeFailure.noAccount) {
            try await context.takingTurns { throw NodeFailure.noAccount }
        }
    }
}
