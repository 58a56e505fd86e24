import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// What a member's questions may cost.
struct EngineAnswerTests {
    private enum Question: CaseIterable {
        case hello, tips, operations, runs, keys

        func message(_ replica: GroupReplica) -> LinkMessage {
            switch self {
            case .hello: .hello(store: StoreID(bytes: Bytes16(6, 6)), proofs: [])
            case .tips: .tipsRequested(replica.handle, store: StoreID(bytes: .zero), arrival: 0)
            case .operations: .operationsRequested(replica.handle, known: [])
            case .runs: .runsRequested(replica.handle, replica.feeds.feeds.map { RunsWanted(feed: $0.id, held: []) })
            case .keys: .accessKeysRequested(replica.handle, replica.accessKeys.map(\.hash))
            }
        }
    }

    /// Leaves an account so many bytes of answers.
    private func leave(_ count: Int, to account: UserID, in party: inout EngineNetwork) {
        let now = party.now
        party.corrupt(0) { engine in
            let isPaid = engine.core.budget.charge(
                .answers, ChargedWork.answers.burst - count, to: .account(account), at: now)
            #expect(isPaid)
        }
    }

    @Test(arguments: Question.allCases) private func `who asks the same again and again is soon not answered`(
        question: Question
    ) throws {
        var party = try EngineNetwork.friends(2)
        for index in 0...1 { party.write(puzzles: 1...20, by: index) }
        party.run(for: .seconds(20))
        let replica = try #require(party.nodes[0].engine.core.groups[party.group])
        let message = question.message(replica)
        leave(20_000, to: party.user(1), in: &party)
        let before = party.nodes[1].receivedByteCount
        party.say(Array(repeating: message, count: 60), from: 1, to: 0)
        #expect(party.refusedWork(0) == [.answers])
        // What was left, what a moment gives back, and the answer that went beyond it.
        let heard = party.nodes[1].receivedByteCount - before
        #expect(heard < 40_000, "\(heard)")
        // Nobody else has to wait, nor does the same account for long.
        let now = party.now
        let budget = party.nodes[0].engine.core.budget
        #expect(budget.admits(.answers, of: .account(party.user(0)), at: now))
        #expect(budget.admits(.answers, of: .account(party.user(1)), at: now.advanced(by: .seconds(60))))
        // What is new goes out all the same.
        party.write("Ada Lovelace", by: 0)
        party.run(for: .seconds(1))
        #expect(party.names(1).contains("Ada Lovelace"))
    }

    @Test func `a device is sent one copy for nothing, and what comes later`() throws {
        var party = try EngineNetwork.friends(3)
        party.write(puzzles: 1...20, by: 0)
        let keys = [1, 2].map { party.nodes[$0].identity.linkKey.publicKey }
        var meter = AnswerMeter()
        let replica = try #require(party.nodes[0].engine.core.groups[party.group])
        let half = replica.servedSize / 2
        let surpluses = [half, half, 500, 700].map { meter.surplus($0, sentTo: keys[0], of: replica) }
        #expect(surpluses[..<2] == [0, 0] && surpluses[2] >= 499 && surpluses[3] == 700)
        let others = meter.surplus(half, sentTo: keys[1], of: replica)
        #expect(others == 0)
        party.write(puzzles: 21...60, by: 0)
        let grown = try #require(party.nodes[0].engine.core.groups[party.group])
        #expect(grown.servedSize > replica.servedSize + 2_000)
        let later = meter.surplus(700, sentTo: keys[0], of: grown)
        #expect(later == 0)
    }
}
