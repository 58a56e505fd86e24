import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Every message as its bytes, whole and damaged.
struct EngineMessageTests {
    static let samples: [LinkMessage] = {
        let group = GroupHandle(value: 0x0102_0304_0506_0708)
        let run = Forged.run(by: Forged.stranger, in: Forged.otherGroup)
        let tip = FeedTip(feed: run.feed, tip: Tip(number: 3, hash: ChainHash(bytes: Bytes32(1, 2, 3, 4))))
        let ledgerTip = LedgerTip(
            device: run.feed.device, number: 7, operation: OperationID(bytes: Bytes32(4, 3, 2, 1)))
        return [
            .hello(store: StoreID(bytes: Bytes16(1, 2)), proofs: [Bytes16(3, 4), Bytes16(5, 6)]),
            .digest(group, GroupDigest(bytes: Bytes16(7, 8)), arrival: 300, count: 70_000, clock: 1_795_000_000),
            .tipsRequested(group, store: StoreID(bytes: Bytes16(1, 2)), arrival: 12),
            .tips(group, TipsMessage(arrival: 9, isFinal: true, operations: [ledgerTip], feeds: [tip, tip])),
            .operationsRequested(group, known: [ledgerTip]),
            .operations(group, [[1, 2, 3], [4]], isFinal: false),
            .runsRequested(
                group,
                [
                    RunsWanted(feed: run.feed, held: [tip.tip], numbers: 5...9), RunsWanted(feed: run.feed, held: []),
                ]),
            .runs(group, [run, run], isFinal: true, isComplete: false),
            .rumour(group, run),
            .rumourAcknowledged(77),
            .joinRequested(certificate: [1, 2, 3], proof: [4, 5]),
            .welcome(group: Forged.otherGroup, accessKeys: [[UInt8](repeating: 9, count: 32)]),
            .joinRefused(.usedUp),
            .accessKeysRequested(group, [Bytes32(1, 2, 3, 4), Bytes32(5, 6, 7, 8)]),
            .accessKeys(group, [[UInt8](repeating: 9, count: 32)]),
        ]
    }()

    @Test(arguments: samples.indices)
    func `a message reads as it was written`(_ index: Int) throws {
        let message = Self.samples[index]
        #expect(try LinkMessage(decoding: message.encoded) == message)
        #expect(try LinkMessage(decoding: message.encoded + [1, 2, 3]) == message, "a later version may append")
    }

    @Test(arguments: samples.indices)
    func `a truncated message is refused`(_ index: Int) {
        let bytes = Self.samples[index].encoded
        for length in 0..<bytes.count {
            #expect(throws: WireError.self) { try LinkMessage(decoding: Array(bytes.prefix(length))) }
        }
    }

    @Test(arguments: samples.indices)
    func `a message with a flipped bit is refused or reads as it is`(_ index: Int) throws {
        let bytes = Self.samples[index].encoded
        for bit in 0..<(bytes.count * 8) {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            let message: LinkMessage
            do { message = try LinkMessage(decoding: damaged) } catch { continue }
            // What a damaged length leaves over is a later version's tail; an unknown refusal reads as `other`.
            if case .joinRefused = message { continue }
            #expect(damaged.starts(with: message.encoded))
        }
    }

    @Test func `a message longer than any is refused`() {
        #expect(throws: WireError.self) {
            try LinkMessage(decoding: [UInt8](repeating: 1, count: LinkMessage.maximumSize + 1))
        }
    }
}
