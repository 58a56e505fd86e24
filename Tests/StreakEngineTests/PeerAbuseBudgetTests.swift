import StreakLinks
import StreakMembership
import StreakWire
import Testing

@testable import StreakEngine

extension ChargedWork {
    /// How much of this work one payer may cause at once, by default.
    var burst: Int { PeerAbuseBudget.limit(of: self, pace: RecordPace()).burst }
}

struct PeerAbuseBudgetTests {
    private func source(_ number: UInt32) -> PeerAbuseBudget.Payer { .source(Endpoint(ipv4: number, port: 1)) }
    private func account(_ number: UInt64) -> PeerAbuseBudget.Payer {
        .account(UserID(bytes: Bytes32(number, 0, 0, 0)))
    }

    @Test(arguments: ChargedWork.allCases) func `everybody has a budget of its own, and it comes back`(
        work: ChargedWork
    ) {
        var budget = PeerAbuseBudget(pace: RecordPace())
        let limit = PeerAbuseBudget.limit(of: work, pace: RecordPace())
        for payer in [account(1), source(1), .everybody] {
            let all = [limit.burst - 1, 1, 1].map { budget.charge(work, $0, to: payer, at: .zero) }
            #expect(all == [true, true, false])
            let later = MonotonicInstant.zero.advanced(by: limit.interval)
            let more = (1...2).map { _ in budget.charge(work, to: payer, at: later) }
            #expect(more == [true, false])
        }
        let others = [account(2), source(2)].map { budget.charge(work, to: $0, at: .zero) }
        #expect(others == [true, true])
    }

    @Test func `somebody who causes much at a time causes as little in the long run`() {
        var budget = PeerAbuseBudget(pace: RecordPace())
        for payer in [account(1), source(1)] {
            var done = 0
            for step in 0..<2_000 as Range<Int64> {
                let now = MonotonicInstant.zero.advanced(by: .milliseconds(50 * step))
                if budget.charge(.presenceEntries, 600, to: payer, at: now) { done += 600 }
            }
            // 20 a second for 100 seconds, and one message more.
            #expect((16_384 + 1_400...16_384 + 2_600).contains(done), "\(done)")
        }
    }

    @Test func `however many addresses and accounts come, what is remembered is bounded`() {
        var budget = PeerAbuseBudget(pace: RecordPace())
        var now = MonotonicInstant.zero
        for number in 0..<20_000 as Range<UInt32> {
            _ = budget.charge(.requests, to: source(number), at: now)
            _ = budget.charge(.fruitlessRounds, to: account(UInt64(number)), at: now)
            now = now.advanced(by: .milliseconds(100))
        }
        // Only accounts of the last ten seconds still carry information.
        #expect(budget.count <= PeerAbuseBudget.maximumSources + 1_100, "\(budget.count)")
        // A payer that was refused is not forgotten because of a few others.
        for _ in 0..<ChargedWork.requests.burst { _ = budget.charge(.requests, to: source(0), at: now) }
        for number in 1..<100 as Range<UInt32> { _ = budget.charge(.requests, to: source(number), at: now) }
        let isTaken = budget.charge(.requests, to: source(0), at: now)
        #expect(!isTaken)
    }

    @Test func `who comes with many devices has one budget, and an address is not an account`() throws {
        var party = EngineNetwork(accounts: [0, 1, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        for index in 1...2 { try party.join(index, by: link) }
        party.run(for: .seconds(20))
        let core = party.nodes[0].engine.core
        let links = core.sessions.keys
        #expect(links.count == 2)
        for link in links { #expect(core.payer(of: link) == .account(party.user(1))) }
        // Before they have proven anything, only their address is known.
        let addresses = [party.endpoint(1), party.endpoint(2)].map(PeerAbuseBudget.Payer.source)
        party.corrupt(0) { $0.core.sessions[links[0]]?.groups = [:] }
        #expect(addresses.contains(party.nodes[0].engine.core.payer(of: links[0])))
    }
}
