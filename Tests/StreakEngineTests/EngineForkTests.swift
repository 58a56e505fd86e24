import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// A member whose device continues its feed in many ways.
struct EngineForkTests {
    private let epoch = Epoch(counter: 9, nonce: 9)

    /// A history of one feed, a run for each record; another one for each number.
    private func history(_ number: Int, count: Int, by identity: DeviceIdentity, in group: GroupID) -> [Run] {
        var feed = FeedReplica(FeedID(device: identity.device, epoch: epoch), in: group)
        return (1...count).map { place in
            let record = RecordDraft.withdrawnScore(Forged.key(1_000 * number + place)).record(
                at: HybridTime(milliseconds: EngineNetwork.wall + Int64(place), counter: 0))
            return feed.write(RecordList([record.encoded]), key: identity.signingKey, arrival: 1).run
        }
    }

    private func take(_ runs: [Run], at index: Int, in party: inout EngineNetwork) {
        let group = party.group
        party.corrupt(index) { engine in
            for run in runs {
                var change = DurableChange()
                // One branch too many, at times.
                guard
                    let taken = try? engine.core.groups[group]?.receive(
                        run, arrival: engine.core.journal.nextArrival, wall: engine.core.wall)
                else { continue }
                engine.core.recordReception(taken.reception, of: run.feed, in: group, change: &change)
                engine.core.persistMerge(change, of: group, merged: taken.merged, then: [])
            }
        }
        party.begin(.keepSetting(name: "x", value: [1]), at: index)
        party.run(for: .seconds(1))
    }

    @Test func `what a removal keeps of a device comes to those whose places were taken by its other branches`() throws
    {
        var party = try EngineNetwork.friends(4)
        let group = party.group
        let mallory = party.nodes[3].engine.identity
        // Each is shorter than the cut, so none of them shows that it does not lead there.
        let all = (1...12).map { history($0, count: 30, by: mallory, in: group) }
        func hash(_ runs: [Run]) -> ChainHash { runs[1].before }
        let sorted = all.sorted { hash($0) < hash($1) }
        let kept = try #require(sorted.last)
        party.partition([[0], [1], [2], [3]])
        take(kept, at: 0, in: &party)
        for index in 1...2 {
            for runs in sorted.dropLast() { take(Array(runs.prefix(20)), at: index, in: &party) }
        }
        let feed = FeedID(device: mallory.device, epoch: epoch)
        for index in 1...2 {
            #expect(
                party.nodes[index].engine.core.groups[group]?.feeds[feed]?.tips.count == FeedReplica.maximumBranches)
        }
        #expect(party.command(.remove(group, party.user(3)), at: 0) == .done)
        party.partition([[0, 1, 2], [3]])
        party.run(for: .seconds(120))
        #expect(party.nodes[1].engine.digest(of: group) == party.nodes[0].engine.digest(of: group))
        #expect(party.nodes[2].engine.digest(of: group) == party.nodes[0].engine.digest(of: group))
        for index in 0...2 {
            let merged = party.nodes[index].engine.mergedRecords(of: group)
            #expect(merged == party.nodes[0].engine.mergedRecords(of: group))
            #expect(merged.count == 30)
        }
    }

    @Test func `a branch that finds no place costs its author, and does not keep its other records waiting`() throws {
        var pace = RecordPace()
        pace.burst = 4_096
        pace.rate = 1
        var party = try EngineNetwork.friends(3, recordPace: pace)
        let group = party.group
        let mallory = party.nodes[2].engine.identity
        let all = (1...40).map { history($0, count: 1, by: mallory, in: group)[0] }
        let sorted = try all.sorted {
            try FeedChain.hash(after: $0.before, records: $0.records())
                < FeedChain.hash(after: $1.before, records: $1.records())
        }
        let author = PeerAbuseBudget.Payer.author(party.user(2), group)
        for run in sorted.prefix(8) { party.say(.rumour(party.handle, run), from: 2, to: 0) }
        #expect(party.nodes[0].engine.core.budget.isReady(author, at: party.now))
        for run in sorted.dropFirst(8) { party.say(.rumour(party.handle, run), from: 2, to: 0) }
        #expect(!party.nodes[0].engine.core.budget.isReady(author, at: party.now))
        // Those of the others are accepted as before.
        party.write("Ada", by: 1)
        party.run(for: .seconds(2))
        #expect(party.names(0) == ["Ada"])
    }
}
