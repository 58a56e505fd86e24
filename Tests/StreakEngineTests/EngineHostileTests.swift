import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// What a member with a modified program may send: every lie is refused with its own reason, and nothing changes.
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
        var party = try EngineNetwork.friends(2)
        let digest = party.nodes[0].engine.digest(of: party.group)
        let run = forgery.make(party.group, party.nodes[1].engine.identity)
        party.hear(.rumour(party.handle, run))
        let refusals = party.refusals(0)
        #expect(refusals.count == 1 && refusals.allSatisfy(forgery.isExpected), "\(refusals)")
        #expect(party.nodes[0].engine.digest(of: party.group) == digest)
        #expect(party.nodes[0].engine.recordCount(of: party.group) == 0)
        #expect(party.nodes[0].engine.mergedRecords(of: party.group).isEmpty)
        #expect(party.nodes[0].engine.linkedDevices.count == 1)
    }

    @Test func `the same run, not forged, is accepted`() throws {
        var party = try EngineNetwork.friends(2)
        party.hear(.rumour(party.handle, Forged.run(by: party.nodes[1].engine.identity, in: party.group)))
        #expect(party.refusals(0).isEmpty)
        #expect(party.nodes[0].engine.recordCount(of: party.group) == 3)
    }

    @Test func `runs nobody asked for are ignored`() throws {
        var party = try EngineNetwork.friends(2)
        let run = Forged.run(by: party.nodes[1].engine.identity, in: party.group)
        party.hear(.runs(party.handle, [run], isFinal: true, isComplete: true))
        #expect(party.nodes[0].engine.recordCount(of: party.group) == 0)
    }

    @Test func `messages about a group not shared are ignored`() throws {
        var party = try EngineNetwork.friends(2)
        let run = Forged.run(by: party.nodes[1].engine.identity, in: Forged.otherGroup)
        party.hear(.rumour(GroupHandle(Forged.otherGroup), run))
        party.hear(.tipsRequested(GroupHandle(Forged.otherGroup), store: StoreID(bytes: .zero), arrival: 0))
        #expect(party.nodes[0].engine.groupIDs == [party.group])
        #expect(party.refusals(0).isEmpty)
    }

    @Test func `garbage on an authenticated link is refused and the link goes on`() throws {
        var party = try EngineNetwork.friends(2)
        var entropy = SeededEntropy(seed: 3)
        for size in [0, 1, 2, 3, 17, 100, 1_000, 20_000] { party.hear(entropy.bytes(size)) }
        for kind in UInt8(0)...20 { party.hear([ProtocolLimits.version, kind] + entropy.bytes(60)) }
        #expect(party.nodes[0].events.count { if case .messageRefused = $0 { true } else { false } } > 10)
        #expect(party.nodes[0].engine.linkedDevices.count == 1)
        #expect(
            party.command(.write([(group: party.group, drafts: [.value(Profile(name: "Ada"))])]), at: 1) == .done
        )
        party.run(for: .seconds(1))
        #expect(party.nodes[0].engine.mergedRecords(of: party.group).count == 1)
    }

    @Test func `a certificate copied from the ledger gets a thief of the link nothing`() throws {
        var party = try EngineNetwork.friends(2)
        let link = try party.invite(by: 0, uses: 1)
        let key = EngineCore.linkKey(
            of: link.secrets.presharedKey, label: .invite(link.group, OperationID(bytes: .zero)))
        var thief = Intruder(Forged.stranger, target: 0)
        #expect(thief.dial(key, peer: nil, in: &party))
        // Everything but the keys: a member's certificate cannot name another link key and keep its signature.
        var forged = party.nodes[0].engine.identity.certificate.encoded()
        forged.replaceSubrange(66..<98, with: Forged.stranger.linkKey.publicKey.rawBytes)
        let proof = Blake2b.hash(thief.binding, size: 64) + [UInt8](repeating: 1, count: 128)
        thief.say(.joinRequested(certificate: forged, proof: proof), in: &party)
        #expect(thief.heard.contains { if case .joinRefused = $0 { true } else { false } })
        #expect(!thief.heard.contains { if case .welcome = $0 { true } else { false } })
        #expect(!thief.heard.contains { if case .operations = $0 { true } else { false } })
    }

    @Test func `a record of the far future does not keep the engine awake`() throws {
        var party = try EngineNetwork.friends(2)
        let future = Record(
            kind: .profile, time: HybridTime(milliseconds: .max, counter: 0), subject: [],
            value: Profile(name: "Eve").recordValue)
        let run = Forged.run(by: party.nodes[1].engine.identity, in: party.group, records: [future.encoded])
        party.hear(.rumour(party.handle, run))
        party.run(for: .seconds(5))
        #expect(party.nodes[0].engine.recordCount(of: party.group) == 1)
        #expect(party.nodes[0].engine.mergedRecords(of: party.group).isEmpty)
        let deadline = try #require(party.nodes[0].engine.nextDeadline)
        #expect(deadline > party.now, "\(deadline) is not after \(party.now)")
    }

    @Test func `absurd ranges are answered or ignored`() throws {
        var party = try EngineNetwork.friends(2)
        #expect(
            party.command(.write([(group: party.group, drafts: [.value(Profile(name: "Eve"))])]), at: 0) == .done)
        let honest = party.nodes[0].engine.identity.device
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
        party.hear(.runsRequested(party.handle, [RunsWanted(feed: feed, held: [far])]))
        party.hear(.runsRequested(party.handle, absurd.map { RunsWanted(feed: $0.feed, held: [far], numbers: 1...1) }))
        party.hear(.tipsRequested(party.handle, store: party.nodes[0].engine.store, arrival: .max))
        party.hear(.operationsRequested(party.handle, known: Array(repeating: ledgerTip, count: 600)))
        party.hear(.digest(party.handle, GroupDigest(bytes: Bytes16(1, 1)), arrival: .max, count: .max, clock: .max))
        party.hear(
            .tips(
                party.handle,
                TipsMessage(arrival: .max, isFinal: true, operations: [ledgerTip], feeds: absurd)))
        party.run(for: .seconds(60))
        #expect(party.nodes[0].engine.linkedDevices.first?.syncing == [])
        // The engine never asks a store for what it cannot hold.
        #expect(party.nodes[0].engine.core.local.all(Cursor.self).allSatisfy { $0.arrival <= UInt64(Int64.max) })
        #expect(party.nodes[0].engine.recordCount(of: party.group) == 1)
    }
}

extension EngineNetwork {
    /// Makes the second node send something to the first on their link, as a modified program would.
    fileprivate mutating func hear(_ message: LinkMessage) { hear(message.encoded) }

    fileprivate mutating func hear(_ bytes: [UInt8]) { say(bytes, from: 1, to: 0) }
}
