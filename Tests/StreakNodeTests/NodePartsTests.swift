import StreakEngine
import StreakLinks
import StreakReplication
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// Each part of a node that owns state, alone.
@Suite(.timeLimit(.minutes(10))) struct NodePartsTests {
    private static let start = MonotonicInstant.zero

    @Test func `who waits for rest goes on at rest, not before the least time, and never waits longer than the most`()
        async
    {
        var settlers = Settlers()
        #expect(settlers.next(after: Self.start) == nil)
        await withCheckedContinuation {
            settlers.wait($0, from: Self.start, forLinks: .zero)
            check(&settlers)
        }
        #expect(settlers.isEmpty)
    }

    private func check(_ settlers: inout Settlers) {
        settlers.release(at: Self.start, isResting: true, hasLink: true)
        #expect(!settlers.isEmpty)
        let later = Self.start.advanced(by: .seconds(1))
        settlers.release(at: later, isResting: false, hasLink: true)
        #expect(settlers.next(after: later) == Self.start.advanced(by: Settlers.longest))
        settlers.release(at: Self.start.advanced(by: Settlers.longest), isResting: false, hasLink: false)
    }

    @Test func `a transaction is taken once, and what the store refused leaves the texts of the next command`() {
        var transaction = PendingTransaction()
        var change = DurableChange()
        change.settings["a"] = [1]
        transaction.append(change, ChangeID(number: 1))
        #expect(transaction.takeAll().change.settings["a"] == [1])
        #expect(transaction.isEmpty && transaction.takeAll().ids.isEmpty)
        transaction.append(change, ChangeID(number: 2))
        transaction.texts = [ShareText(key: "k", text: "T")]
        transaction.discardChanges()
        #expect(transaction.isEmpty && transaction.texts.count == 1)
    }

    @Test func `a flood of input does not keep a command waiting`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: true, usesLAN: false, peers: [])
        configuration.usesInternet = false
        let inbox = Inbox()
        let node = try await MeshNode(opening: party.dataFolder("Ada"), configuration: configuration, inbox: inbox)
        let running = Task { try await node.run() }
        _ = try await node.ready()
        for _ in 0..<200_000 { inbox.put(.interfacesChanged) }
        _ = try await node.call(ProfileRequest.whoami)
        #expect(await node.takesInputs(), "they come in turns")
        await node.close()
        running.cancel()
    }

    @Test func `a node that could not begin tells everybody who waits, or asks later, why`() async throws {
        var readiness = Readiness()
        #expect(try readiness.known() == nil)
        await #expect(throws: NodeFailure.stopping) {
            _ = try await withCheckedThrowingContinuation { waiter in
                readiness.wait(waiter)
                readiness.fail(NodeFailure.stopping)
            }
        }
        #expect(throws: NodeFailure.stopping) { try readiness.known() }
        readiness.begin()
        #expect(try readiness.known() == "")
    }

    @Test func `a reason not to admit that has no name isn't taken for a link of another group`() {
        #expect(NodeFailure(CommandFailure.joinRefused(.other), title: "Red") == .cannotAdmit)
        #expect(NodeFailure(CommandFailure.joinRefused(.unknownInvite), title: "Red") == .linkOfAnotherGroup)
    }
}

extension MeshNode {
    /// Takes the inputs that wait between two turns. Returns whether there were any.
    fileprivate func takesInputs() -> Bool { !core.inbox.takeInputs().isEmpty }
}
