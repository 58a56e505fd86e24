import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// When a group is merged again, and that the result equals merging everything in order of arrival.
struct EngineRebuildTests {
    @Test func `runs of a cut feed that come together are merged together`() throws {
        var party = try EngineNetwork.friends(3)
        #expect(party.command(.setRole(party.group, party.user(1), .admin), at: 0) == .done)
        party.run(for: .seconds(2))
        party.partition([[0], [1, 2]])
        party.write(puzzles: 1...40, by: 2)
        party.run(for: .seconds(3))
        #expect(party.command(.remove(party.group, party.user(2)), at: 1) == .done)
        let before = try #require(party.nodes[0].engine.core.groups[party.group]?.rebuildCount)
        party.partition([[0, 1], [2]])
        party.run(for: .seconds(3_600)) {
            $0.nodes[0].engine.digest(of: $0.group) == $0.nodes[1].engine.digest(of: $0.group)
        }
        let feed = try #require(party.nodes[0].engine.core.groups[party.group]?.feeds.feeds.first)
        #expect(feed.storedRuns.count > 5)
        #expect(party.nodes[0].engine.mergedRecords(of: party.group).count == 40)
        let after = try #require(party.nodes[0].engine.core.groups[party.group]?.rebuildCount)
        // Once for the removal, once for the message with the runs.
        #expect(after - before == 2)
    }

    @Test func `what was merged is told before everything is merged again`() throws {
        var bench = try MachineBench()
        let group = bench.group
        let record = MergedRecord(
            key: RecordKey(user: bench.friends[0].user, kind: 1, subject: [1]), value: [], time: HybridTime.zero)
        var change = DurableChange()
        change.settings["any"] = [1]
        bench.core.persistMerge(change, of: group, merged: [record], then: [])
        bench.core.groups[group]?.isStale = true
        bench.core.releaseQuarantined(of: group)
        #expect(Self.told(bench.posted()).first == .recordsMerged(group, [record]))
        #expect(Self.told(bench.store()) == [.recordsReset(group)])
        // So it is for what this device writes itself.
        bench.core.groups[group]?.isStale = true
        var own = DurableChange()
        let work = bench.core.write([.value(Profile(name: "Ada"))], in: group, change: &own)
        let told = Self.told(work)
        #expect(told.count == 2 && told.last == .recordsReset(group))
    }

    private static func told(_ work: [Work]) -> [EngineEvent] {
        work.compactMap { if case .publish(let event) = $0 { event } else { nil } }
    }

    @Test func `somebody who retracts again and again uses at most a twentieth of a processor`() throws {
        var party = try EngineNetwork.friends(2)
        let group = party.group
        party.write(puzzles: 1...3, by: 0)
        party.run(for: .seconds(2))
        let key = party.nodes[0].engine.identity.signingKey
        var history = FeedReplica(FeedID(device: party.device(0), epoch: Epoch(counter: 9, nonce: 9)), in: group)
        let records = RecordList(
            (1...50_000).map { number in
                RecordDraft.withdrawnScore(Forged.key(number)).record(
                    at: HybridTime(milliseconds: EngineNetwork.wall, counter: 0)
                ).encoded
            })
        let runs = Run.portions(of: records).map { history.write($0, key: key, arrival: 1).run }
        try party.corrupt(1) { engine in
            for run in runs { _ = try engine.core.groups[group]?.receive(run, arrival: 99, wall: engine.core.wall) }
        }
        let before = try #require(party.nodes[1].engine.core.groups[group]?.rebuildCount)
        let feed = history.id
        let start = party.now
        for number in 1...20 {
            let retraction = Retraction(feed: feed, numbers: 1...UInt64(number))
            _ = party.command(.write([(group: group, drafts: [.value(retraction)])]), at: 0)
            party.run(for: .milliseconds(100))
        }
        let passed = start.duration(to: party.now)
        // What no longer counts is shown at most as long as the pause.
        party.run(for: .seconds(2))
        let after = try #require(party.nodes[1].engine.core.groups[group]?.rebuildCount)
        let pauses = Int(passed.nanoseconds / 1_000_000_000) + 3
        #expect((2...(pauses + 1)).contains(after - before), "\(after - before) in \(passed)")
        #expect(!party.nodes[1].engine.awaitsRebuild(of: group))
        var rebuilt = try #require(party.nodes[1].engine.core.groups[group])
        #expect(rebuilt.rebuild(wall: party.wall(1)).isEmpty)
        #expect(rebuilt.merged.all == party.nodes[1].engine.mergedRecords(of: group))
        #expect(party.nodes[1].engine.mergedRecords(of: group).count == 50_000 - 20 + 3 + 1)
    }

    @Test func `the records of a device that changes its account change theirs, in whatever order nodes hear of it`()
        throws
    {
        var party = try EngineNetwork.friends(3)
        // If a device is current in two accounts, it counts for the smaller one.
        let (new, old) = party.user(1) < party.user(2) ? (1, 2) : (2, 1)
        party.write("Eve", by: old)
        party.run(for: .seconds(2))
        #expect(party.nodes[0].engine.mergedRecords(of: party.group).map(\.key.user) == [party.user(old)])
        let certificate = DeviceCertificate(
            accountKey: party.nodes[new].account, device: party.nodes[old].engine.identity.consent(to: party.user(new)))
        let ledger = try #require(party.nodes[new].engine.core.groups[party.group]?.ledger)
        let operation = try ledger.draft(.addDevice(certificate), unchecked: party.nodes[new].engine.identity)
        party.say(.operations(party.handle, [operation.bytes], isFinal: false), from: new, to: 0)
        #expect(try party.state(0).device(party.device(old))?.user == party.user(new))
        #expect(party.nodes[0].engine.mergedRecords(of: party.group).map(\.key.user) == [party.user(new)])
        var rebuilt = try #require(party.nodes[0].engine.core.groups[party.group])
        #expect(rebuilt.rebuild(wall: WallTime(milliseconds: EngineNetwork.wall)).isEmpty)
        #expect(rebuilt.merged.all == party.nodes[0].engine.mergedRecords(of: party.group))
    }

    /// A row's checksum shows that it is what was written, not that the program that wrote it was correct.
    @Test(arguments: [0, 1])
    func `a store's run that does not unpack ends its branch and is reported`(author: Int) throws {
        var party = try EngineNetwork.friends(2)
        for name in ["a", "b", "c"] { party.write(name, by: author) }
        party.run(for: .seconds(2))
        let replica = try #require(party.nodes[0].engine.core.groups[party.group])
        let feed = try #require(replica.feeds.feeds.first)
        #expect(feed.storedRuns.count == 3)
        var snapshot = Snapshot(store: StoreID(bytes: Bytes16(7, 0)), nextArrival: 100)
        snapshot.operations = replica.ledger.allOperations.map {
            StoredOperation(group: party.group, id: $0.id, bytes: $0.bytes, arrival: 1)
        }
        snapshot.runs = feed.storedRuns.map { stored in
            let run = stored.run
            let damaged = Run(
                feed: run.feed, first: run.first, before: run.before, signature: run.signature,
                packed: run.first == 2 ? [9] : run.packed, count: run.count)
            return StoredRun(
                group: stored.group, branch: stored.branch, run: damaged, after: stored.after,
                arrival: stored.arrival)
        }
        if author == 0 { snapshot.local.keep(OwnEpoch(group: party.group, epoch: feed.id.epoch)) }
        let engine = MeshEngine(
            snapshot: snapshot, identity: party.nodes[0].engine.identity, entropy: SeededEntropy(seed: 5),
            wallTime: WallTime(milliseconds: EngineNetwork.wall), linkLimits: LinkLimits())
        #expect(engine.runsLeftOut.map(\.first) == [2, 3])
        #expect(engine.recordCount(of: party.group) == 1)
        let names = engine.mergedRecords(of: party.group).compactMap { (try? Profile(value: $0.value))?.name }
        #expect(names == ["a"])
        // This device's own may have no other copy, and perhaps another store continues the epoch.
        #expect(engine.core.journal.startChange.removedRuns == (author == 0 ? [] : engine.runsLeftOut))
        #expect(engine.core.journal.startChange.local.all(OwnEpoch.self).count == (author == 0 ? 1 : 0))
        // It comes again, however it is packed.
        var again = try #require(engine.core.groups[party.group])
        for stored in feed.storedRuns.dropFirst() {
            _ = try again.receive(stored.run, arrival: 200, wall: WallTime(milliseconds: EngineNetwork.wall))
        }
        #expect(again.digest == replica.digest)
    }

    @Test func `records dated ahead count when their time comes, though there was no room for them`() throws {
        let party = try EngineNetwork.friends(2)
        let count = 20_000
        let lead = HybridClock.maximumLead + 60_000
        var feed = FeedReplica(
            FeedID(device: party.device(1), epoch: Epoch(counter: 9, nonce: 9)), in: party.group)
        let drafts = (0..<count).map { number in
            let time = HybridTime(
                milliseconds: EngineNetwork.wall + lead + Int64(number) * 10, counter: 0)
            return RecordDraft.withdrawnScore(Forged.key(number)).record(at: time).encoded
        }
        var runs: [Run] = []
        for portion in Run.portions(of: RecordList(drafts)) {
            runs.append(
                feed.write(portion, key: party.nodes[1].engine.identity.signingKey, arrival: 1).run)
        }
        var replica = try #require(party.nodes[0].engine.core.groups[party.group])
        let start = WallTime(milliseconds: EngineNetwork.wall)
        for run in runs { _ = try replica.receive(run, arrival: 1, wall: start) }
        #expect(replica.merged.quarantinedCount < count && replica.merged.all.isEmpty)
        let rebuilds = replica.rebuildCount
        var scans = 0
        for seconds in stride(from: Int64(0), through: 400, by: 10) {
            let wall = WallTime(milliseconds: EngineNetwork.wall + seconds * 1_000)
            let now = MonotonicInstant.zero.advanced(by: .seconds(seconds))
            let omitted = replica.merged.firstOmitted
            #expect(replica.releaseQuarantined(at: now, wall: wall).removed.isEmpty)
            if replica.merged.firstOmitted != omitted { scans += 1 }
            let due = max(0, min(Int64(count), seconds < 60 ? 0 : (seconds - 60) * 100 + 1))
            let late = max(0, min(Int64(count), seconds < 120 ? 0 : (seconds - 120) * 100 + 1))
            #expect((Int(late)...Int(due)).contains(replica.merged.all.count), "after \(seconds) s")
        }
        #expect(replica.merged.all.count == count)
        #expect((1...4).contains(scans), "\(scans)")
        #expect(replica.rebuildCount == rebuilds, "what stands is not taken back")
    }

    @Test func `a million records due one millisecond after the other cost a look a minute`() throws {
        let party = try EngineNetwork.friends(2)
        var replica = try #require(party.nodes[0].engine.core.groups[party.group])
        let feed = FeedID(device: party.device(1), epoch: Epoch(counter: 9, nonce: 9))
        var writer = FeedReplica(feed, in: party.group)
        let count = 60_000
        let drafts = (0..<count).map { number in
            RecordDraft.withdrawnScore(Forged.key(number % 50)).record(
                at: HybridTime(milliseconds: EngineNetwork.wall + HybridClock.maximumLead + Int64(number), counter: 0)
            ).encoded
        }
        for portion in Run.portions(of: RecordList(drafts)) {
            let run = writer.write(portion, key: party.nodes[1].engine.identity.signingKey, arrival: 1).run
            _ = try replica.receive(run, arrival: 1, wall: WallTime(milliseconds: EngineNetwork.wall - 1_000))
        }
        var looks = 0
        // As the engine does: whenever something is due, and for a minute more.
        var now = MonotonicInstant.zero
        let end = now.advanced(by: .seconds(125))
        while let next = replica.nextRelease(at: now, wall: wall(at: now)), next <= end {
            now = max(next, now.advanced(by: .milliseconds(100)))
            let omitted = replica.merged.firstOmitted
            _ = replica.releaseQuarantined(at: now, wall: wall(at: now))
            if let omitted, replica.merged.firstOmitted != omitted { looks += 1 }
        }
        #expect(replica.merged.quarantinedCount == 0)
        #expect((1...3).contains(looks), "\(looks)")
    }

    private func wall(at instant: MonotonicInstant) -> WallTime {
        WallTime(milliseconds: EngineNetwork.wall + instant.nanoseconds / 1_000_000)
    }
}
