import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// The machine that brings copies together, alone.
struct SyncTests {
    private let theirs = GroupDigest(bytes: Bytes16(4, 4))

    private func start(_ bench: MachineBench) -> Sync {
        var sync = Sync()
        for link in bench.links { sync.opened(bench.group, over: link) }
        return sync
    }

    @Test func `an equal digest moves the cursor, another one begins a round`() throws {
        var bench = try MachineBench()
        var sync = start(bench)
        let own = try #require(bench.core.groups[bench.group]?.digest)
        for link in bench.links { bench.core.sessions[link]?.store = StoreID(bytes: Bytes16(5, 5)) }
        sync.receivedDigest(own, arrival: 7, of: bench.group, over: bench.links[0], core: &bench.core)
        #expect(bench.core.local[Cursor.self, bench.group, bench.friends[0].device]?.arrival == 7)
        #expect(bench.changes.map { $0.local.all(Cursor.self).count } == [1])
        #expect(bench.posted().contains { if case .roundEnded = $0 { true } else { false } })

        sync.receivedDigest(theirs, arrival: 9, of: bench.group, over: bench.links[1], core: &bench.core)
        let said = bench.said(over: bench.links[1])
        #expect(
            said.last == .tipsRequested(bench.handle, store: StoreID(bytes: .zero), arrival: 0) && said.count == 2)
        #expect(bench.core.local[Cursor.self, bench.group, bench.friends[1].device] == nil, "nothing has come yet")
    }

    @Test func `a round asks for tips, then for the runs that are missing, and stores them before it goes on`() throws {
        var bench = try MachineBench(friends: 1)
        var sync = start(bench)
        let (group, link, friend) = (bench.group, bench.links[0], bench.friends[0])
        let run = Forged.run(by: friend, in: group)
        let tip = Tip(number: run.last, hash: FeedChain.hash(after: run.before, records: try run.records()))
        sync.startRound(over: link, group: group, comparingAll: false, core: &bench.core)
        _ = bench.said(over: link)
        let tips = TipsMessage(
            arrival: 40, isFinal: true, operations: [], feeds: [FeedTip(feed: run.feed, tip: tip)])
        sync.receivedTips(tips, of: group, over: link, core: &bench.core)
        guard case .runsRequested(bench.handle, let wanted)? = bench.said(over: link).last else {
            Issue.record("nothing was asked for")
            return
        }
        #expect(wanted.map(\.feed) == [run.feed] && wanted[0].numbers == 1...run.last)
        sync.receivedRuns([run], isFinal: true, isComplete: true, of: group, over: link, core: &bench.core)
        #expect(bench.changes.flatMap(\.runs).map(\.run) == [run])
        #expect(bench.core.local[Cursor.self, group, friend.device] == nil, "not before it is on disk")
        for case .continueRound(let link, let group) in bench.store() {
            sync.continueRound(link, group, core: &bench.core)
        }
        #expect(sync.peers[link, group]?.round == nil)
        #expect(bench.events.contains(.syncEnded(group, friend.device)))
    }

    @Test func `fresh operations go to members, but neither back to their sender nor to removed members`() throws {
        var bench = try MachineBench(friends: 3)
        var sync = start(bench)
        try bench.remove(2)
        let operation = try #require(bench.core.groups[bench.group]?.ledger.allOperations.last)
        sync.passOn([operation], in: bench.group, except: bench.links[0], core: &bench.core)
        let said = bench.links.map { bench.said(over: $0) }
        #expect(said == [[], [.operations(bench.handle, [operation.bytes], isFinal: false)], []])
    }

    @Test func `links that break within exchanges count as exchanges that brought nothing`() throws {
        var bench = try MachineBench(friends: 1)
        var sync = start(bench)
        let (group, link) = (bench.group, bench.links[0])
        var begun = 0
        for _ in 0..<200 {
            sync.opened(group, over: link)
            sync.receivedDigest(theirs, arrival: 9, of: group, over: link, core: &bench.core)
            if sync.peers[link, group]?.round != nil { begun += 1 }
            let key = try #require(bench.core.sessions[link]?.key)
            sync.closed(link, of: key, core: &bench.core)
        }
        #expect(begun == 64)
    }

    @Test func `exchanges that bring nothing are put off, once there were too many`() throws {
        var bench = try MachineBench(friends: 1)
        var sync = start(bench)
        let (group, link) = (bench.group, bench.links[0])
        var begun = 0
        for number in 0..<200 as Range<UInt64> {
            let digest = GroupDigest(bytes: Bytes16(4, number))
            sync.receivedDigest(digest, arrival: 9, of: group, over: link, core: &bench.core)
            guard sync.peers[link, group]?.round != nil else { continue }
            begun += 1
            sync.endRound(over: link, group: group, as: .fruitless, core: &bench.core)
        }
        #expect(begun == 64)
        #expect(sync.peers[link, group]?.comparison ?? .zero > bench.core.now)
    }

    @Test func `a peer that was told of a difference is looked at again`() throws {
        var bench = try MachineBench(friends: 1)
        var sync = start(bench)
        let (group, link) = (bench.group, bench.links[0])
        sync.settleDifference(in: group, over: link, core: &bench.core)
        let said = bench.said(over: link)
        guard said.count == 1, case .digest(bench.handle, bench.core.groups[group]?.digest, _, _, _)? = said.first
        else {
            Issue.record("\(said)")
            return
        }
        #expect(sync.peers[link, group]?.comparison == bench.core.now.advanced(by: Sync.comparisonDelay))
        // By then it has told what it has, which is something else: it is asked.
        sync.keepDigest(theirs, arrival: 9, of: group, over: link)
        bench.advance(by: Sync.comparisonDelay)
        sync.peers.refresh()
        sync.runTimers(core: &bench.core)
        #expect(sync.peers[link, group]?.round != nil)
    }

    @Test func `a peer that does not answer is given up, and asked again`() throws {
        var bench = try MachineBench(friends: 1)
        var sync = start(bench)
        sync.startRound(over: bench.links[0], group: bench.group, comparingAll: false, core: &bench.core)
        let due = try #require(sync.peers[bench.links[0], bench.group]?.round?.deadline)
        sync.peers.refresh()
        #expect(sync.nextDeadline == due)
        bench.core.now = due
        sync.runTimers(core: &bench.core)
        #expect(sync.peers[bench.links[0], bench.group]?.round == nil)
        #expect(sync.peers[bench.links[0], bench.group]?.comparison != nil)
    }
}
