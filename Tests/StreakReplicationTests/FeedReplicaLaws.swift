import StreakCrypto
import StreakGames
import StreakRandom
import StreakScores
import StreakWire
import Testing

@testable import StreakReplication

struct FeedReplicaLaws {
    /// Offers runs repeatedly until none is new, as exchanges do.
    private func deliver(_ runs: [Run], to replica: inout FeedReplica) {
        var arrival: UInt64 = 0
        var tookAny = true
        while tookAny {
            tookAny = false
            for run in runs {
                arrival += 1
                // A run that does not fit yet is offered again.
                if let reception = try? replica.receive(run, arrival: arrival), !reception.isDuplicate {
                    tookAny = true
                }
            }
        }
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `any packing in any order with duplicates gives one tip and one history`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var script = FeedScript()
        script.append("a", count: Int.random(in: 1...60, using: &numbers))
        var runs = script.packing(&numbers) + script.packing(&numbers) + script.packing(&numbers, longest: 40)
        runs.shuffle(using: &numbers)
        var replica = FeedReplica(script.id, in: script.group)
        deliver(runs, to: &replica)
        #expect(replica.tips == [script.tip])
        #expect(replica.served == script.records)
        #expect(!replica.isForked)
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `forks end alike whatever comes first`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var trunk = FeedScript()
        trunk.append("t", count: Int.random(in: 1...20, using: &numbers))
        let branches = (0..<Int.random(in: 2...6, using: &numbers)).map { index in
            var branch = trunk.branch(at: Int.random(in: 0...trunk.records.count, using: &numbers))
            branch.append("b\(index)-", count: Int.random(in: 1...12, using: &numbers))
            return branch
        }
        var expected = branches.map(\.tip)
        // The trunk's own end is one too, unless a branch continues it.
        if !branches.contains(where: {
            $0.hashes.count > trunk.records.count && $0.hashes[trunk.records.count] == trunk.tip.hash
        }) {
            expected.append(trunk.tip)
        }
        for _ in 0..<2 {
            var runs = (branches + [trunk]).flatMap { $0.packing(&numbers) }
            runs.shuffle(using: &numbers)
            var replica = FeedReplica(trunk.id, in: trunk.group)
            deliver(runs, to: &replica)
            #expect(replica.tips == expected.sorted())
            for branch in branches {
                #expect(Set(branch.records).isSubset(of: Set(replica.served)))
                #expect(replica.contains(branch.tip))
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a forked copy teaches an empty one everything`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var trunk = FeedScript()
        trunk.append("t", count: 30)
        var branch = trunk.branch(at: Int.random(in: 0...29, using: &numbers))
        branch.append("b", count: 20)
        var teacher = FeedReplica(trunk.id, in: trunk.group)
        deliver(trunk.packing(&numbers) + branch.packing(&numbers), to: &teacher)
        var pupil = FeedReplica(trunk.id, in: trunk.group)
        for run in teacher.runs(after: Tip(number: 0, hash: teacher.origin), maximumSize: .max).runs {
            _ = try pupil.receive(run, arrival: 1)
        }
        #expect(pupil.tips == teacher.tips)
        #expect(pupil.tips.count == 2)
        // And a replica that already has a branch.
        var half = FeedReplica(trunk.id, in: trunk.group)
        deliver([branch.run(1...branch.records.count)], to: &half)
        for run in teacher.runs(after: branch.tip, maximumSize: .max).runs { _ = try half.receive(run, arrival: 1) }
        #expect(half.tips == teacher.tips)
    }

    @Test func `a feed written one by one keeps few runs, and packs no record often`() throws {
        let count = 1_500
        var script = FeedScript()
        script.append("a", count: count)
        var replica = FeedReplica(script.id, in: script.group)
        var packed = 0
        for number in 1...count {
            _ = try replica.receive(script.run(number...number), arrival: UInt64(number))
            if let change = replica.compact() { packed += change.added.run.count }
            #expect(replica.storedRuns.count < 30)
        }
        #expect(packed <= 9 * count)
    }

    /// Results of a game with a long name come to little packed, and to more than a run may hold unpacked.
    @Test func `a long run that nothing more fits into does not keep others from being packed`() throws {
        var script = FeedScript()
        var value = WireWriter(reserving: 1_250)
        for field in [1, 4 | 128, 3] as [UInt8] { value.write(field) }
        value.writeBlob([UInt8](repeating: 0x61, count: 1_200))
        value.write(UInt8(0))
        for number in 0..<480 {
            let time = HybridTime(milliseconds: FeedScript.start + Int64(number), counter: 0)
            let day = PuzzleDay(daysSinceEpoch: 20_000 + number)
            var subject = WireWriter(reserving: 16)
            subject.write(UInt8(0))
            subject.writeVarint(UInt64(day.yyyymmdd))
            script.append(Record(kind: .dailyScore, time: time, subject: subject.bytes, value: value.bytes).encoded)
        }
        var replica = FeedReplica(script.id, in: script.group)
        _ = try replica.receive(script.run(1...180), arrival: 1)
        #expect(replica.storedRuns.map(\.run.packed.count).max() ?? 0 < 4_000)
        for number in 181...480 {
            _ = try replica.receive(script.run(number...number), arrival: UInt64(number))
            _ = replica.compact()
            #expect(replica.storedRuns.count < 24)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `compaction changes no tip, no served record and nothing a peer needs`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var script = FeedScript()
        script.append("a", count: 300)
        var fork = script.branch(at: Int.random(in: 0...300, using: &numbers))
        fork.append("f", count: 100)
        var replica = FeedReplica(script.id, in: script.group)
        var arrival: UInt64 = 0
        for number in 1...300 {
            arrival += 1
            _ = try replica.receive(script.run(number...number), arrival: arrival)
        }
        for number in (fork.records.count - 99)...fork.records.count {
            arrival += 1
            _ = try replica.receive(fork.run(number...number), arrival: arrival)
        }
        let before = replica
        var keys = Set(replica.storedRuns.map(\.key))
        var rounds = 0
        while let change = replica.compact() {
            rounds += 1
            #expect(keys.isSuperset(of: change.removed))
            keys.subtract(change.removed)
            #expect(keys.insert(change.added.key).inserted)
            #expect(change.added.run.packed.count <= ProtocolLimits.maximumRunSize)
        }
        #expect(rounds > 0)
        #expect(replica.storedRuns.count < before.storedRuns.count)
        #expect(Set(replica.storedRuns.map(\.key)) == keys)
        #expect(replica.tips == before.tips)
        #expect(Set(replica.served) == Set(before.served))
        #expect(replica.lastArrival == before.lastArrival)
        for number in 0...300 {
            #expect(replica.hash(at: UInt64(number), in: 0) == before.hash(at: UInt64(number), in: 0))
        }
        // Whoever holds a part of it gets the rest, and every run that is served verifies.
        for held in [0, 1, 63, 64, 65, 299] {
            var pupil = FeedReplica(script.id, in: script.group)
            if held > 0 { _ = try pupil.receive(script.run(1...held), arrival: 1) }
            for run in replica.runs(after: pupil.mainTip, maximumSize: .max).runs {
                _ = try pupil.receive(run, arrival: 2)
            }
            #expect(pupil.tips == replica.tips)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a store brings back what it was given`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var script = FeedScript()
        script.append("a", count: 150)
        var fork = script.branch(at: Int.random(in: 0...149, using: &numbers))
        fork.append("f", count: 90)
        var replica = FeedReplica(script.id, in: script.group)
        deliver(script.packing(&numbers, longest: 2) + fork.packing(&numbers, longest: 2), to: &replica)
        _ = replica.compact()
        var again = FeedReplica(script.id, in: script.group)
        let stored = replica.storedRuns.sorted {
            ($0.arrival, $0.branch, $0.run.first) < ($1.arrival, $1.branch, $1.run.first)
        }
        for run in stored {
            #expect(try run.after == end(of: run.run))
            let fits = again.restore(run)
            #expect(fits)
        }
        #expect(again.visible == replica.visible)
        let fitsTwice = again.restore(stored[0])
        #expect(!fitsTwice)
        #expect(again.visible == replica.visible)
    }

    private func end(of run: Run) throws -> ChainHash {
        FeedChain.hash(after: run.before, records: try run.records())
    }

    @Test func `a store's damaged beginning leaves no trace`() throws {
        var script = FeedScript()
        script.append("a", count: 4)
        var replica = FeedReplica(script.id, in: script.group)
        let second = StoredRun(
            group: script.group, branch: 0, run: script.run(3...4), after: script.tip.hash, arrival: 2)
        let fitsLater = replica.restore(second)
        #expect(!fitsLater)
        let ninth = StoredRun(
            group: script.group, branch: 9, run: script.run(1...4), after: script.tip.hash, arrival: 2)
        let fitsNinth = replica.restore(ninth)
        #expect(!fitsNinth)
        #expect(replica.tips.isEmpty)
        #expect(replica.visible.isEmpty)
    }

    @Test func `what is written is what others take`() throws {
        var script = FeedScript()
        script.append("a", count: 5)
        var author = FeedReplica(script.id, in: script.group)
        var reader = FeedReplica(script.id, in: script.group)
        for piece in [0..<2, 2..<3, 3..<5] {
            let stored = author.write(
                RecordList(script.records[piece]), key: script.key, arrival: UInt64(piece.upperBound))
            _ = try reader.receive(stored.run, arrival: 1)
        }
        #expect(author.tips == [script.tip])
        #expect(reader.tips == author.tips)
    }

    @Test func `a peer gets the rest in portions`() throws {
        var script = FeedScript()
        script.append("a", count: 200)
        var numbers = SplitMix64(seed: 3)
        var teacher = FeedReplica(script.id, in: script.group)
        deliver(script.packing(&numbers), to: &teacher)
        var pupil = FeedReplica(script.id, in: script.group)
        var rounds = 0
        while pupil.tips != teacher.tips, rounds < 500 {
            rounds += 1
            let (runs, isComplete) = teacher.runs(after: pupil.mainTip, maximumSize: 800)
            for run in runs { _ = try pupil.receive(run, arrival: 1) }
            #expect(isComplete == (pupil.tips == teacher.tips))
        }
        #expect(rounds > 5)
        #expect(pupil.tips == teacher.tips)
    }

    @Test func `a branch ends before a stored run that does not unpack, and goes on when it comes again`() throws {
        var script = FeedScript()
        script.append("a", count: 9)
        let runs = [script.run(1...3), script.run(4...6), script.run(7...9)]
        for damaged in 0..<3 {
            var feeds = GroupFeeds(group: script.group)
            var unfit: StoredRun?
            for (index, run) in runs.enumerated() {
                let packed = index == damaged ? [9] : run.packed
                let stored = StoredRun(
                    group: script.group, branch: 0,
                    run: Run(
                        feed: run.feed, first: run.first, before: run.before, signature: run.signature,
                        packed: packed, count: run.count),
                    after: script.tip(index * 3 + 3).hash, arrival: UInt64(index))
                let fits = feeds.restore(stored)
                #expect(fits)
                if index == damaged { unfit = stored }
            }
            let first = try #require(unfit)
            let keys = feeds.modify(script.id) { $0.leaveOut(from: first) }
            #expect(keys.map(\.first) == runs[damaged...].map(\.first))
            #expect(feeds.tips.map(\.tip) == (damaged == 0 ? [] : [script.tip(damaged * 3)]))
            #expect(feeds.epochs(of: script.id.device).count == (damaged == 0 ? 0 : 1))
            for run in runs[damaged...] { _ = try feeds.receive(run, arrival: 9) }
            #expect(feeds.tips.map(\.tip) == [script.tip])
            #expect(feeds.feeds.count == 1)
        }
    }
}
