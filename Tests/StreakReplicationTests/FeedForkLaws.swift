import StreakCrypto
import StreakGames
import StreakRandom
import StreakScores
import StreakWire
import Testing

@testable import StreakReplication

/// A feed with several histories, written by a device, its copies or a liar.
struct FeedForkLaws {
    private func deliver(_ scripts: [FeedScript], to replica: inout FeedReplica) {
        for (index, script) in scripts.enumerated() {
            // A branch refused as one too many is missing, in any order.
            _ = try? replica.receive(script.run(1...script.records.count), arrival: UInt64(index + 1))
        }
    }

    /// Twenty histories that fork at three places.
    private func histories(of trunk: FeedScript) -> [FeedScript] {
        (0..<20).map { index in
            var branch = trunk.branch(at: [2, 5, 9][index % 3])
            branch.append("b\(index)-", count: 1 + index % 4)
            return branch
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `the same eight of twenty branches stay, in whatever order they come`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var trunk = FeedScript()
        trunk.append("t", count: 9)
        let all = histories(of: trunk)
        var reference = FeedReplica(trunk.id, in: trunk.group)
        deliver(all, to: &reference)
        #expect(reference.tips.count == FeedReplica.maximumBranches)
        var other = FeedReplica(trunk.id, in: trunk.group)
        deliver(all.shuffled(using: &numbers), to: &other)
        #expect(other.tips == reference.tips)
        // Two nodes that saw different halves agree once each has what the other keeps.
        var halves = [[FeedScript]](repeating: [], count: 2)
        for script in all { halves[Int.random(in: 0...1, using: &numbers)].append(script) }
        var replicas = halves.map { half in
            var replica = FeedReplica(trunk.id, in: trunk.group)
            deliver(half, to: &replica)
            return replica
        }
        for _ in 0..<2 {
            for (teacher, pupil) in [(0, 1), (1, 0)] {
                for run in replicas[teacher].runs(after: Tip(number: 0, hash: trunk.hashes[0]), maximumSize: .max).runs
                {
                    _ = try? replicas[pupil].receive(run, arrival: 9)  // one too many, as above
                }
            }
        }
        #expect(replicas[0].tips == reference.tips && replicas[1].tips == reference.tips)
    }

    @Test func `a branch that is pushed out leaves the store, and one that stays goes on`() throws {
        var trunk = FeedScript()
        trunk.append("t", count: 9)
        let all = histories(of: trunk)
        var replica = FeedReplica(trunk.id, in: trunk.group)
        var store: [RunKey: StoredRun] = [:]
        for (index, script) in all.enumerated() {
            let run = script.run(1...script.records.count)
            let reception: FeedReplica.Reception
            do { reception = try replica.receive(run, arrival: UInt64(index + 1)) } catch {
                #expect(error == .limitReached)
                continue
            }
            for key in reception.removed { store[key] = nil }
            for stored in reception.stored { store[stored.key] = stored }
        }
        var again = FeedReplica(trunk.id, in: trunk.group)
        for key in store.keys.sorted() {
            let fits = again.restore(try #require(store[key]))
            #expect(fits)
        }
        #expect(again.tips == replica.tips)
        for script in all where replica.contains(script.tip) {
            var longer = script
            longer.append("on", count: 1)
            let count = longer.records.count
            let reception = try replica.receive(longer.run(count...count), arrival: 100)
            #expect(reception.records.count == 1 && reception.removed.isEmpty)
        }
    }

    /// Results of 230 bytes each that pack to almost nothing.
    private func appendWideResults(to script: inout FeedScript, count: Int, score: Int) throws {
        let game = try #require(GameID(String(repeating: "g", count: 40)))
        for _ in 0..<count {
            let time = HybridTime(milliseconds: FeedScript.start + Int64(script.records.count), counter: 0)
            let result = DailyScore(
                game: game, day: PuzzleDay(daysSinceEpoch: 20_778), score: score, isCompleted: true,
                gameName: String(repeating: "\u{1F600}", count: 40), firstRecordedAt: FeedScript.start / 1_000)
            script.append(
                Record(
                    kind: .dailyScore, time: time, subject: result.recordSubject, value: result.recordValue(at: time)
                ).encoded)
        }
    }

    @Test func `a fork inside a run too large to be joined is kept, stored, served and gathered`() throws {
        var trunk = FeedScript()
        try appendWideResults(to: &trunk, count: 1_000, score: 1)
        var replica = FeedReplica(trunk.id, in: trunk.group)
        _ = try replica.receive(trunk.run(1...1_000), arrival: 1)
        var long = trunk.branch(at: 900)
        try appendWideResults(to: &long, count: 400, score: 2)
        #expect(long.records.reduce(0) { $0 + $1.count } > RecordPacking.maximumUnpackedSize)
        _ = try replica.receive(long.run(901...1_300), arrival: 2)
        #expect(replica.tips == [trunk.tip, long.tip])
        for stored in replica.storedRuns { _ = try stored.run.records() }
        var again = FeedReplica(trunk.id, in: trunk.group)
        for stored in replica.storedRuns {
            let fits = again.restore(stored)
            #expect(fits)
        }
        #expect(again.tips == replica.tips)
        _ = again.compact()
        for held in [[], [trunk.tip], [long.tip(900)]] as [[Tip]] {
            var pupil = FeedReplica(trunk.id, in: trunk.group)
            if let tip = held.first {
                let script = tip == trunk.tip ? trunk : long
                _ = try pupil.receive(script.run(1...Int(tip.number)), arrival: 1)
            }
            var comparisons = 9
            for run in again.runs(
                RunsWanted(feed: trunk.id, held: held), maximumSize: .max, comparisons: &comparisons
            ).runs {
                _ = try pupil.receive(run, arrival: 2)
            }
            #expect(pupil.tips == again.tips)
        }
    }

    @Test func `a beginning whose covering branch was pushed out is served with the run behind it`() throws {
        var trunk = FeedScript()
        try appendWideResults(to: &trunk, count: 1_000, score: 1)
        var replica = FeedReplica(trunk.id, in: trunk.group)
        _ = try replica.receive(trunk.run(1...1_000), arrival: 1)
        var score = 2
        while replica.contains(trunk.tip) {
            var branch = trunk.branch(at: 900)
            // Together with the beginning more than a run can hold.
            try appendWideResults(to: &branch, count: 400, score: score)
            score += 1
            _ = try? replica.receive(branch.run(901...1_300), arrival: 2)  // sometimes one too many
            try #require(score < 200)
        }
        #expect(replica.storedRuns.contains { $0.run.isUnsigned })
        var pupil = FeedReplica(trunk.id, in: trunk.group)
        var pieces = UnsignedPieces()
        for run in replica.runs(after: Tip(number: 0, hash: trunk.hashes[0]), maximumSize: .max).runs {
            if run.isUnsigned {
                #expect(throws: ReplicationError.invalidSignature) { try pupil.receive(run, arrival: 1) }
                pieces.hold(run)
            } else {
                _ = try pupil.receive(run, behind: pieces.take(before: run), arrival: 1)
            }
        }
        #expect(pupil.tips == replica.tips)
    }

    @Test func `pieces without a signature are held in bounds, and for the run behind them only`() throws {
        var script = FeedScript()
        script.append("a", count: 9)
        func piece(_ range: ClosedRange<Int>) throws -> Run { try script.run(range).with(signature: Signature.none) }
        var pieces = UnsignedPieces()
        pieces.hold(try piece(1...3))
        #expect(pieces.take(before: script.run(5...6)).isEmpty)
        pieces.hold(try piece(1...3))
        pieces.hold(try piece(4...4))
        #expect(pieces.take(before: script.run(5...6)).map(\.first) == [1, 4])
        #expect(pieces.take(before: script.run(5...6)).isEmpty)
        let large = Run(
            feed: script.id, first: 1, before: script.hashes[0], signature: .none,
            packed: [UInt8](repeating: 0, count: UnsignedPieces.maximumSize + 1), count: 4)
        pieces.hold(large)
        #expect(pieces.take(before: script.run(5...6)).isEmpty)
        // Records that do not lead there are not its beginning.
        var replica = FeedReplica(script.id, in: script.group)
        #expect(throws: ReplicationError.differentHistory) {
            try replica.receive(script.run(5...6), behind: [try piece(1...3)], arrival: 1)
        }
        #expect(replica.tips.isEmpty)
    }

    /// Results whose columns somebody packed shorter than this code does: with ages near both ends of their range.
    private func handPacked(_ script: inout FeedScript, count: Int) throws -> Run {
        var numbers = SplitMix64(seed: 5)
        let game = try #require(GameID("wordle"))
        var ages: [UInt64] = []
        for index in 0..<count {
            let time = HybridTime(milliseconds: FeedScript.start, counter: 0)
            let first = index % 2 == 0 ? FeedScript.start / 1_000 : FeedScript.start / 1_000 - Int64.max
            let result = DailyScore(
                game: game, day: PuzzleDay(daysSinceEpoch: 20_778),
                score: Int.random(in: 0...(1 << 40), using: &numbers),
                isCompleted: true, seconds: Int.random(in: 0...(1 << 40), using: &numbers),
                hints: Int.random(in: 0...(1 << 40), using: &numbers), firstRecordedAt: first)
            ages.append(IntegerColumn.zigzag(FeedScript.start / 1_000 - first))
            script.append(
                Record(
                    kind: .dailyScore, time: time, subject: result.recordSubject, value: result.recordValue(at: time)
                ).encoded)
        }
        let run = script.run(1...count)
        var usual = WireWriter()
        IntegerColumn.write(ages, to: &usual)
        try #require(run.packed.suffix(usual.bytes.count).elementsEqual(usual.bytes))
        var short = WireWriter()
        short.write(UInt8(1))
        short.writeVarint(UInt64.max - 1)
        short.write(UInt8(2))
        short.writeCount(0)
        var bits = [UInt8](repeating: 0, count: (count + 3) / 4)
        // Relative to the base, 0 means an age of 2⁶³ − 1, and 2 means none.
        for index in 0..<count where index % 2 == 0 { bits[index / 4] |= 2 << UInt8(2 * (index % 4)) }
        short.writeRaw(bits)
        return Run(
            feed: run.feed, first: 1, before: run.before, signature: run.signature,
            packed: run.packed.dropLast(usual.bytes.count) + short.bytes, count: count)
    }

    @Test func `a part of what its author packed by hand is not stored or served where it would be too long`() throws {
        var trunk = FeedScript()
        let run = try handPacked(&trunk, count: 3_500)
        #expect(run.packed.count <= ProtocolLimits.maximumRunSize)
        #expect(trunk.run(1...3_400).packed.count > ProtocolLimits.maximumRunSize)
        var replica = FeedReplica(trunk.id, in: trunk.group)
        _ = try replica.receive(run, arrival: 1)
        #expect(replica.tips == [trunk.tip])
        var branch = trunk.branch(at: 3_400)
        branch.append("b", count: 1)
        #expect(throws: ReplicationError.limitReached) {
            try replica.receive(branch.run(3_401...3_401), arrival: 2)
        }
        #expect(replica.tips == [trunk.tip])
        var comparisons = 9
        let served = replica.runs(
            RunsWanted(feed: trunk.id, held: []), through: trunk.tip(3_400), signature: trunk.signature(at: 3_400),
            maximumSize: .max, comparisons: &comparisons
        ).runs
        #expect(served == [run], "whole, as what the cut leaves does not fit")
        // If it fits, with the cut's own signature.
        let short = replica.runs(
            RunsWanted(feed: trunk.id, held: []), through: trunk.tip(100), signature: trunk.signature(at: 100),
            maximumSize: .max, comparisons: &comparisons
        ).runs
        #expect(short == [trunk.run(1...100)])
    }

    @Test func `where too much would have to be compared a branch waits for another time`() throws {
        var trunk = FeedScript()
        trunk.append("t", count: 100)
        var branch = trunk.branch(at: 50)
        branch.append("b", count: 20)
        var teacher = FeedReplica(trunk.id, in: trunk.group)
        _ = try teacher.receive(trunk.run(1...100), arrival: 1)
        _ = try teacher.receive(branch.run(51...70), arrival: 1)
        let wanted = RunsWanted(feed: trunk.id, held: [trunk.tip(60), trunk.tip(50)])
        func answer(_ comparisons: Int, _ wanted: RunsWanted) -> ([UInt64], Bool) {
            var comparisons = comparisons
            let (runs, isComplete) = teacher.runs(wanted, maximumSize: .max, comparisons: &comparisons)
            return (runs.map(\.first), isComplete)
        }
        #expect(answer(9, wanted) == ([1, 51], true))
        // For the second it is known immediately where to continue.
        #expect(answer(0, wanted) == ([51], false))
        // Too much is better than nothing for ever.
        #expect(answer(0, RunsWanted(feed: trunk.id, held: [trunk.tip(60)])) == ([1], false))
    }

    /// A node that names only its main branch's end would otherwise get the beginning again and again.
    @Test func `a fork far behind the beginning is found in portions`() throws {
        var numbers = SplitMix64(seed: 8)
        var trunk = FeedScript()
        trunk.append("t", count: 600)
        var branch = trunk.branch(at: 500)
        branch.append("b", count: 300)
        trunk.append("u", count: 400)
        var teacher = FeedReplica(trunk.id, in: trunk.group)
        for run in trunk.packing(&numbers) + branch.packing(&numbers) { _ = try teacher.receive(run, arrival: 1) }
        var pupil = FeedReplica(trunk.id, in: trunk.group)
        for run in trunk.packing(&numbers) { _ = try pupil.receive(run, arrival: 1) }
        var portions = 0
        var sent = 0
        while pupil.tips != teacher.tips, portions < 40 {
            portions += 1
            var comparisons = 128
            let (runs, _) = teacher.runs(
                RunsWanted(feed: trunk.id, held: pupil.locator), maximumSize: 4_000, comparisons: &comparisons)
            sent += runs.reduce(0) { $0 + $1.count }
            for run in runs { _ = try pupil.receive(run, arrival: 2) }
        }
        #expect(pupil.tips == teacher.tips)
        #expect(portions > 3)
        // Shared records are not sent, except those after the nearest named point.
        #expect(sent < 300 + 500, "\(sent)")
    }

    @Test func `a range of a feed is answered with the runs that hold it`() throws {
        var script = FeedScript()
        script.append("a", count: 50)
        var replica = FeedReplica(script.id, in: script.group)
        for first in stride(from: 1, through: 41, by: 10) {
            _ = try replica.receive(script.run(first...(first + 9)), arrival: 1)
        }
        func firsts(_ held: [Tip], _ numbers: ClosedRange<UInt64>?) -> [UInt64] {
            var comparisons = 9
            return replica.runs(
                RunsWanted(feed: script.id, held: held, numbers: numbers), maximumSize: .max, comparisons: &comparisons
            ).runs.map(\.first)
        }
        #expect(firsts([], nil) == [1, 11, 21, 31, 41])
        #expect(firsts([], 15...31) == [11, 21, 31])
        #expect(firsts([script.tip(20)], 15...31) == [21, 31])
        #expect(firsts([script.tip(20)], 50...50) == [41])
        #expect(firsts([script.tip], nil) == [])
        #expect(firsts([script.tip], 51...60) == [])
    }

    @Test func `runs that come ahead are held once, in bounds, and join up`() throws {
        var script = FeedScript()
        script.append("a", count: 50)
        var feeds = GroupFeeds(group: script.group)
        var ahead = AheadRuns()
        for range in [41...50, 21...30, 31...40, 25...35] {
            let run = script.run(range)
            #expect(ahead.takes(run) == (range != 25...35))
            if ahead.takes(run) { ahead.hold(try feeds.verifyAhead(run)) }
        }
        #expect(!ahead.takes(script.run(41...50)))
        #expect(throws: ReplicationError.invalidSignature) {
            try feeds.verifyAhead(script.run(11...20).with(before: script.hashes[9]))
        }
        #expect(ahead.popFirst(of: script.id, from: 19) == nil)
        _ = try feeds.receive(script.run(1...20), arrival: 1)
        while let next = ahead.popFirst(of: script.id, from: feeds[script.id]?.mainTip.number ?? 0) {
            let stored = feeds.append(next, arrival: 2)
            #expect(stored != nil)
        }
        #expect(feeds[script.id]?.tips == [script.tip])
        #expect(ahead.isEmpty && ahead.size == 0)
    }

    @Test func `many small runs ahead of a gap are held in bounds`() throws {
        var script = FeedScript()
        script.append("a", count: 400)
        let feeds = GroupFeeds(group: script.group)
        var ahead = AheadRuns()
        for number in 3...400 where ahead.takes(script.run(number...number)) {
            ahead.hold(try feeds.verifyAhead(script.run(number...number)))
        }
        #expect(ahead[script.id].count == 256)
        #expect(ahead.size > 256 * 256, "what a run takes beside its bytes counts, too")
    }

    @Test func `a feed whose gap was never closed twice is not taken ahead again`() throws {
        var script = FeedScript()
        script.append("a", count: 9)
        let feeds = GroupFeeds(group: script.group)
        var ahead = AheadRuns()
        for _ in 0..<2 {
            #expect(ahead.takes(script.run(5...9)))
            ahead.hold(try feeds.verifyAhead(script.run(5...9)))
            let hadSome = ahead.drop()
            #expect(hadSome)
        }
        #expect(!ahead.takes(script.run(5...9)) && !ahead.trusts(script.id))
        let hasSome = ahead.drop()
        #expect(!hasSome)
    }

    @Test(
        arguments: [
            ([], [1...100]), ([1...100], []), ([20...30], [1...19, 31...100]), ([90...200], [1...89]),
            ([10...20, 15...30, 5...8], [1...4, 9...9, 31...100]), ([0...0, 101...102], [1...100]),
        ] as [([ClosedRange<UInt64>], [ClosedRange<UInt64>])])
    func `what ranges leave uncovered`(ranges: [ClosedRange<UInt64>], gaps: [ClosedRange<UInt64>]) {
        #expect(AheadRuns.gaps(in: 1...100, between: ranges) == gaps)
    }
}
