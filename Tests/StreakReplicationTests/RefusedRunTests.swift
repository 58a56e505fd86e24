import StreakCrypto
import StreakReplication
import StreakWire
import Testing

/// Runs that a copy must refuse. Each leaves the copy unchanged.
struct RefusedRunTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: ReplicationError
        let run: @Sendable (FeedScript) throws -> Run
    }

    static let attacks: [Attack] = [
        Attack(testDescription: "false hash before", error: .differentHistory) {
            try $0.run(4...6).with(before: $0.hashes[2])
        },
        Attack(testDescription: "flipped signature", error: .invalidSignature) { script in
            var raw = script.signature(at: 6).rawBytes
            raw[5] ^= 0x40
            return try script.run(4...6).with(signature: Signature(rawBytes: raw))
        },
        Attack(testDescription: "signature of an earlier end", error: .invalidSignature) { script in
            try script.run(4...6).with(signature: script.signature(at: 5))
        },
        Attack(testDescription: "record replaced", error: .invalidSignature) { script in
            try script.run(4...6).with(records: [script.records[3], script.records[3], script.records[5]])
        },
        Attack(testDescription: "records in another order", error: .invalidSignature) { script in
            try script.run(4...6).with(records: [script.records[4], script.records[3], script.records[5]])
        },
        Attack(testDescription: "a gap", error: .gap(tip: FeedScript.threeRecords.tip)) { $0.run(5...6) },
        Attack(testDescription: "what is no record", error: .malformed(.truncated(needed: 1, available: 0))) { script in
            try script.run(4...6).with(records: [script.records[3], [], script.records[5]])
        },
        Attack(testDescription: "another group's feed", error: .differentHistory) { _ in
            FeedScript.sixRecords(in: FeedScript.otherGroup).run(1...6)
        },
        Attack(testDescription: "another group's record under this chain", error: .invalidSignature) { script in
            let foreign = FeedScript.sixRecords(in: FeedScript.otherGroup)
            return try script.run(4...6).with(signature: foreign.signature(at: 6))
        },
        Attack(testDescription: "signed by another device", error: .invalidSignature) { script in
            let thief = FeedScript(device: 2)
            let signed = FeedChain.signedBytes(group: script.group, feed: script.id, tip: script.tip)
            return try script.run(4...6).with(signature: thief.key.signature(for: signed))
        },
        Attack(testDescription: "another device's feed", error: .differentHistory) { _ in
            var other = FeedScript(device: 2)
            other.append("a", count: 6)
            return other.run(1...6)
        },
        Attack(testDescription: "another epoch's feed", error: .differentHistory) { _ in
            var other = FeedScript(epoch: 2)
            other.append("a", count: 6)
            return other.run(1...6)
        },
    ]

    @Test(arguments: attacks)
    func `a false run is refused with its reason and changes nothing`(attack: Attack) throws {
        let script = FeedScript.sixRecords(in: FeedScript.group)
        var replica = FeedReplica(script.id, in: script.group)
        _ = try replica.receive(script.run(1...3), arrival: 1)
        let before = replica.visible
        let run = try attack.run(script)
        #expect(throws: attack.error) { try replica.receive(run, arrival: 2) }
        #expect(replica.visible == before)
        #expect(replica.lastArrival == 1)
        let reception = try replica.receive(script.run(4...6), arrival: 2)
        #expect(reception.records == RecordList(script.records[3...]))
    }

    @Test func `a refused first run leaves no feed behind, so that epochs are not used up`() throws {
        let script = FeedScript.sixRecords(in: FeedScript.group)
        var feeds = GroupFeeds(group: script.group)
        for epoch in 1...300 as ClosedRange<UInt32> {
            let feed = FeedID(device: script.id.device, epoch: Epoch(counter: epoch, nonce: 1))
            let origin = FeedChain.origin(of: feed, in: script.group)
            let forged = try script.run(1...2).with(feed: feed, before: origin)
            #expect(throws: ReplicationError.invalidSignature) { try feeds.receive(forged, arrival: 1) }
            let isCompact = feeds.modify(feed) { $0.compact() == nil }
            #expect(isCompact)
        }
        #expect(feeds.feeds.isEmpty)
        #expect(feeds.epochs(of: script.id.device).isEmpty)
        _ = try feeds.receive(script.run(1...6), arrival: 1)
        #expect(feeds.tips == [FeedTip(feed: script.id, tip: script.tip)])
    }

    @Test func `a device has at most 256 epochs`() throws {
        var feeds = GroupFeeds(group: FeedScript.group)
        for epoch in 1...UInt32(ProtocolLimits.maximumEpochs) {
            var script = FeedScript(epoch: epoch)
            script.append("e", count: 1)
            _ = try feeds.receive(script.run(1...1), arrival: UInt64(epoch))
        }
        var extra = FeedScript(epoch: 1_000)
        extra.append("e", count: 1)
        #expect(throws: ReplicationError.limitReached) { try feeds.receive(extra.run(1...1), arrival: 999) }
        var other = FeedScript(device: 2)
        other.append("o", count: 1)
        _ = try feeds.receive(other.run(1...1), arrival: 1_000)
        #expect(feeds.feeds.count == ProtocolLimits.maximumEpochs + 1)
        let erased = feeds.erase(feeds.feeds.map(\.id).filter { $0 != other.id })
        #expect(erased.count == ProtocolLimits.maximumEpochs)
        #expect(feeds.feeds.map(\.id) == [other.id])
    }
}

extension FeedScript {
    static func sixRecords(in group: GroupID) -> FeedScript {
        var script = FeedScript(group: group)
        script.append("a", count: 6)
        return script
    }

    static let threeRecords = sixRecords(in: group).branch(at: 3)
}
