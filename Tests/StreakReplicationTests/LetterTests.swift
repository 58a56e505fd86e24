import StreakRandom
import StreakWire
import Testing

@testable import StreakReplication

/// The newest records of a feed as one run that fits.
@Suite struct LetterTests {
    private func size(_ run: Run) -> Int {
        var writer = WireWriter()
        run.encode(into: &writer)
        return writer.bytes.count
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `it holds as many as fit, and continues what another holds`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var script = FeedScript()
        script.append("a", count: Int.random(in: 1...400, using: &numbers))
        var feed = FeedReplica(script.id, in: script.group)
        for (index, run) in script.packing(&numbers, longest: 40).enumerated() {
            _ = try feed.receive(run, arrival: UInt64(index + 1))
        }
        let limit = Int.random(in: 170...1_000, using: &numbers)
        let letter = try #require(feed.newest(upTo: limit))
        #expect(size(letter) <= limit)
        #expect(letter.last == UInt64(script.records.count))
        #expect(letter.count <= 256)
        // Who holds all before it takes it, and what then is there is the whole.
        var other = FeedReplica(script.id, in: script.group)
        if letter.first > 1 {
            _ = try other.receive(script.run(1...Int(letter.first) - 1), arrival: 1)
        }
        _ = try other.receive(letter, arrival: 2)
        #expect(other.tips == feed.tips)
        // One more would not fit.
        guard letter.first > 1, letter.count < 256 else { return }
        #expect(size(script.run(Int(letter.first) - 1...script.records.count)) > limit)
    }

    @Test func `an empty feed, and one whose last record does not fit, have none`() throws {
        var script = FeedScript()
        #expect(FeedReplica(script.id, in: script.group).newest(upTo: 731) == nil)
        script.append("a", count: 1)
        var feed = FeedReplica(script.id, in: script.group)
        _ = try feed.receive(script.run(1...1), arrival: 1)
        #expect(feed.newest(upTo: 100) == nil)
    }
}
