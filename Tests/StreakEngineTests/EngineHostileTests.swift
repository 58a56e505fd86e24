import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// What a member with a modified program may say: everything false is refused with its own reason, and nothing changes.
struct EngineHostileTests {
    /// A run that must be refused, made for the pair's group and its hostile member.
    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (GroupID, DeviceIdentity) -> Run
        let isExpected: @Sendable (ReplicationError) -> Bool
    }

    static let forgeries = [
        Forgery(
            testDescription: "a record signed by a non-member",
            make: { group, _ in Forged.run(by: Forged.stranger, in: group) },
            isExpected: { $0 == .unknownAuthor(Forged.stranger.device) }),
        Forgery(
            testDescription: "a record replayed from another group",
            make: { _, member in Forged.run(by: member, in: Forged.otherGroup) },
            isExpected: { $0 == .differentHistory }),
        Forgery(
            testDescription: "a record of another group on this group's chain",
            make: { group, member in
                let run = Forged.run(by: member, in: Forged.otherGroup)
                return Run(
                    feed: run.feed, first: 1, before: FeedChain.origin(of: run.feed, in: group),
                    signature: run.signature, packed: run.packed, count: run.count)
            },
            isExpected: { $0 == .invalidSignature }),
        Forgery(
            testDescription: "a false chain hash",
            make: { group, member in
                let run = Forged.run(by: member, in: group)
                return Run(
                    feed: run.feed, first: 1, before: ChainHash(bytes: Bytes32(6, 6, 6, 6)), signature: run.signature,
                    packed: run.packed, count: run.count)
            },
            isExpected: { $0 == .differentHistory }),
        Forgery(
            testDescription: "a tampered record",
            make: { group, member in
                let run = Forged.run(by: member, in: group)
                var packed = run.packed
                packed[packed.count - 1] ^= 1
                return Run(
                    feed: run.feed, first: 1, before: run.before, signature: run.signature, packed: packed,
                    count: run.count)
            },
            isExpected: { $0 == .invalidSignature }),
        Forgery(
            testDescription: "another's feed, signed by the sender",
            make: { group, member in
                let run = Forged.run(by: Forged.stranger, in: group)
                return Run(
                    feed: FeedID(device: member.device, epoch: run.feed.epoch), first: 1,
                    before: FeedChain.origin(
                        of: FeedID(device: member.device, epoch: run.feed.epoch), in: group),
                    signature: run.signature, packed: run.packed, count: run.count)
            },
            isExpected: { $0 == .invalidSignature }),
        Forgery(
            testDescription: "bytes that are no record",
            make: { group, member in Forged.run(by: member, in: group, records: [[1, 2, 3]]) },
            isExpected: { if case .malformed = $0 { true } else { false } }),
    ]

    @Test(arguments: forgeries)
    func `a forged run is refused with its own reason`(_ forgery: Forgery) throws {
        var pair = try EnginePair()
        let digest = pair.engine(.honest).digest(of: pair.group)
        let run = forgery.make(pair.group, pair.engine(.hostile).identity)
        pair.say(.rumour(pair.handle, run))
        let refusals = pair.takeRefusals()
        #expect(refusals.count == 1 && refusals.allSatisfy(forgery.isExpected), "\(refusals)")
        #expect(pair.engine(.honest).digest(of: pair.group) == digest)
        #expect(pair.engine(.honest).recordCount(of: pair.group) == 0)
        #expect(pair.engine(.honest).mergedRecords(of: pair.group).isEmpty)
        #expect(pair.engine(.honest).linkedDevices.count == 1)
    }

    @Test func `the same run unforged is taken`() throws {
        var pair = try EnginePair()
        pair.say(.rumour(pair.handle, Forged.run(by: pair.engine(.hostile).identity, in: pair.group)))
        #expect(pair.takeRefusals().isEmpty)
        #expect(pair.engine(.honest).recordCount(of: pair.group) == 3)
    }

    @Test func `runs nobody asked for are ignored`() throws {
        var pair = try EnginePair()
        let run = Forged.run(by: pair.engine(.hostile).identity, in: pair.group)
        pair.say(.runs(pair.handle, [run], isFinal: true, isComplete: true))
        #expect(pair.engine(.honest).recordCount(of: pair.group) == 0)
    }

    @Test func `messages about a group not shared are ignored`() throws {
        var pair = try EnginePair()
        let run = Forged.run(by: pair.engine(.hostile).identity, in: Forged.otherGroup)
        pair.say(.rumour(GroupHandle(Forged.otherGroup), run))
        pair.say(.tipsRequested(GroupHandle(Forged.otherGroup), store: StoreID(bytes: .zero), arrival: 0))
        #expect(pair.engine(.honest).groupIDs == [pair.group])
        #expect(pair.takeRefusals().isEmpty)
    }

    @Test func `garbage on an authenticated link is refused and the link goes on`() throws {
        var pair = try EnginePair()
        var entropy = SeededEntropy(seed: 3)
        for size in [0, 1, 2, 3, 17, 100, 1_000, 20_000] { pair.say(entropy.bytes(size)) }
        for kind in UInt8(0)...20 { pair.say([ProtocolLimits.version, kind] + entropy.bytes(60)) }
        #expect(pair.eventCount { if case .messageRefused = $0 { true } else { false } } > 10)
        #expect(pair.engine(.honest).linkedDevices.count == 1)
        #expect(
            pair.command(.write([(group: pair.group, drafts: [.profile(Profile(name: "Ada"))])]), to: .hostile) == .done
        )
        pair.run(for: .seconds(1))
        #expect(pair.engine(.honest).mergedRecords(of: pair.group).count == 1)
    }

    @Test func `a certificate copied from the ledger gets a thief of the link nothing`() throws {
        var pair = try EnginePair()
        guard case .invite(_, let text)? = pair.command(.invite(pair.group, uses: 1, lifetime: 60), to: .honest) else {
            Issue.record("no invite")
            return
        }
        let link = try InviteLink(parsing: text)
        var thief = LinkThief(link: link, target: pair.honestEndpoint)
        let opened = thief.connect(to: &pair)
        let binding = try #require(opened)
        // Everything but the keys: a member's certificate cannot name another link key and keep its signature.
        let member = pair.engine(.honest).identity.certificate
        var forged = member.encoded()
        forged.replaceSubrange(66..<98, with: thief.publicKey.rawBytes)
        let proof = Blake2b.hash(binding, size: 64) + [UInt8](repeating: 1, count: 128)
        thief.say(.joinRequested(certificate: forged, proof: proof), to: &pair)
        #expect(thief.heard.contains { if case .joinRefused = $0 { true } else { false } })
        #expect(!thief.heard.contains { if case .welcome = $0 { true } else { false } })
        #expect(!thief.heard.contains { if case .operations = $0 { true } else { false } })
    }

    @Test func `a record of the far future does not keep the engine awake`() throws {
        var pair = try EnginePair()
        let future = Record(
            kind: .profile, time: HybridTime(milliseconds: .max, counter: 0), subject: [],
            value: Profile(name: "Eve").recordValue)
        let run = Forged.run(by: pair.engine(.hostile).identity, in: pair.group, records: [future.encoded])
        pair.say(.rumour(pair.handle, run))
        pair.run(for: .seconds(5))
        #expect(pair.engine(.honest).recordCount(of: pair.group) == 1)
        #expect(pair.engine(.honest).mergedRecords(of: pair.group).isEmpty)
        let deadline = try #require(pair.engine(.honest).nextDeadline)
        #expect(deadline > pair.now, "\(deadline) is not after \(pair.now)")
    }

    @Test func `absurd ranges are answered or ignored`() throws {
        var pair = try EnginePair()
        #expect(
            pair.command(.write([(group: pair.group, drafts: [.profile(Profile(name: "Eve"))])]), to: .honest) == .done)
        let honest = pair.engine(.honest).identity.device
        let hash = ChainHash(bytes: Bytes32(5, 5, 5, 5))
        let feed = FeedID(device: honest, epoch: Epoch(counter: .max, nonce: .max))
        let far = Tip(number: ProtocolLimits.maximumFeedLength, hash: hash)
        let absurd = (0..<LinkMessage.maximumTips).map { number in
            FeedTip(
                feed: FeedID(device: honest, epoch: Epoch(counter: UInt32(number), nonce: .max)), tip: far)
        }
        let ledgerTip = LedgerTip(
            device: honest, number: ProtocolLimits.maximumOperationsPerDevice, operation: OperationID(bytes: hash.bytes)
        )
        pair.say(.runsRequested(pair.handle, [FeedTip(feed: feed, tip: far)]))
        pair.say(.runsRequested(pair.handle, absurd))
        pair.say(.tipsRequested(pair.handle, store: pair.engine(.honest).store, arrival: .max))
        pair.say(.operationsRequested(pair.handle, known: Array(repeating: ledgerTip, count: 600)))
        pair.say(.digest(pair.handle, GroupDigest(bytes: Bytes16(1, 1)), arrival: .max, count: .max))
        pair.say(
            .tips(
                pair.handle,
                TipsMessage(arrival: .max, isFinal: true, operations: [ledgerTip], feeds: absurd)))
        pair.run(for: .seconds(60))
        #expect(pair.engine(.honest).linkedDevices.first?.syncing == [])
        // What a store cannot hold is never put out.
        let cursors = pair.changes[0].flatMap(\.cursors)
        #expect(cursors.allSatisfy { $0.arrival <= UInt64(Int64.max) })
        #expect(pair.engine(.honest).recordCount(of: pair.group) == 1)
    }
}
