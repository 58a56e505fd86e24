import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// No node sends anything that a receiver refuses, however long its lists are.
struct LinkMessageLaws {
    private static let counts = [0, 1, 255, 256, 257, 511, 512, 513, 600, 601, 1_200, 1_537]
    private let handle = GroupHandle(value: 7)
    private let group = GroupID(bytes: Bytes32(7, 0, 0, 0))

    private func bytes32(_ index: Int) -> Bytes32 { Bytes32(1, 2, 3, UInt64(index)) }

    private func device(_ index: Int) -> DeviceID { DeviceID(bytes: bytes32(index)) }

    /// Every message with a list, with this many entries, each as long as possible.
    private func messages(_ count: Int) -> [LinkMessage] {
        let all = 0..<count
        let tips = all.map { LedgerTip(device: device($0), number: 1_000, operation: OperationID(bytes: bytes32($0))) }
        let feeds = all.map {
            FeedTip(
                feed: FeedID(device: device($0), epoch: Epoch(counter: .max, nonce: .max)),
                tip: Tip(number: ProtocolLimits.maximumFeedLength, hash: ChainHash(bytes: bytes32($0))))
        }
        let keys = all.map { bytes32($0).array }
        let operation = [UInt8](repeating: 9, count: ProtocolLimits.maximumOperationSize)
        let store = StoreID(bytes: Bytes16(1, 2))
        return [
            .hello(store: store, proofs: all.map { Bytes16(1, UInt64($0)) }),
            .welcome(group: group, accessKeys: keys), .accessKeys(handle, keys),
            .accessKeysRequested(handle, all.map(bytes32)), .operationsRequested(handle, known: tips),
            .tips(handle, TipsMessage(arrival: .max, isFinal: true, operations: tips, feeds: feeds)),
            .tips(handle, TipsMessage(arrival: .max, isFinal: true, operations: [], feeds: feeds)),
            .operations(handle, all.map { _ in operation }, isFinal: true),
            .operations(handle, all.map { [UInt8($0 & 0xFF)] }, isFinal: false),
            .presence(handle, all.map { PresenceEntry(device: DeviceHandle(device($0)), hops: 15) }),
            .whereabouts(
                all.map { ToldWhereabouts(age: UInt32($0), bytes: [UInt8](repeating: 7, count: 227)) }),
        ]
    }

    @Test(arguments: counts) func `whatever there is to say is said in messages that decode`(count: Int) throws {
        for message in messages(count) {
            for part in message.parts {
                let encoded = part.encoded
                #expect(encoded.count <= LinkMessage.maximumSize)
                #expect(try LinkMessage(decoding: encoded) == part)
            }
        }
    }

    @Test(arguments: counts) func `of what must not be lost nothing is left out, and the last message alone is final`(
        count: Int
    ) {
        var tips = 0, operations = 0, keys = 0, entries = 0, finals = 0
        for message in messages(count) {
            for part in message.parts {
                switch part {
                case .tips(_, let part):
                    tips += part.operations.count + part.feeds.count
                    finals += part.isFinal ? 1 : 0
                case .operations(_, let part, let isFinal):
                    operations += part.count
                    finals += isFinal ? 1 : 0
                case .accessKeys(_, let part): keys += part.count
                case .accessKeysRequested(_, let part): keys += part.count
                case .presence(_, let part): entries += part.count
                case .whereabouts(let part): entries += part.count
                default: break
                }
            }
        }
        #expect(
            tips == 3 * count && operations == 2 * count && keys == 2 * count && entries == 2 * count && finals == 3)
    }

    @Test func `who was away while more keys came than are proven at once still shares a group`() throws {
        var party = try EngineNetwork.friends(2)
        let group = party.group
        party.partition([[0], [1]])
        party.run(for: .seconds(300))
        // Removals of unknown users, which no honest program makes.
        try party.corrupt(0) { engine in
            var entropy = SeededEntropy(seed: 5)
            for number in 0..<520 as Range<UInt64> {
                let key = AccessKey.generate(from: &entropy)
                let nobody = UserID(bytes: Bytes32(9, 9, 9, number))
                let ledger = try #require(engine.core.groups[group]?.ledger)
                let last = try #require(ledger.tips.first { $0.device == engine.identity.device })
                let operation = LedgerOperation(
                    group: group, author: engine.identity.device, number: last.number + 1, previous: last.operation,
                    parents: ledger.heads.sorted(), time: engine.core.wall.seconds,
                    body: .remove(Removal(user: nobody, cuts: [], accessKeyHash: key.hash)))
                let signed = try SignedOperation(signing: operation, with: engine.identity.signingKey)
                _ = try engine.core.groups[group]?.insert(signed, arrival: number + 100)
                _ = engine.core.groups[group]?.add(key)
            }
            #expect(engine.core.groups[group]?.accessKeys.count ?? 0 > LinkMessage.maximumProofs)
        }
        party.partition([])
        party.run(for: .seconds(300)) { $0.digests().count == 1 }
        #expect(party.digests().count == 1)
    }

    @Test func `a newcomer comes into a group with more access keys than a welcome holds`() throws {
        var party = try EngineNetwork.friends(2)
        // Each removal and revocation names one. Keys that none names are kept, too.
        let group = party.group
        party.corrupt(0) { engine in
            var entropy = SeededEntropy(seed: 3)
            for _ in 0..<600 { _ = engine.core.groups[group]?.add(AccessKey.generate(from: &entropy)) }
        }
        let link = try party.invite(by: 0)
        var entropy = SeededEntropy(seed: 4_243)
        let account = SigningSecretKey.generate(from: &entropy)
        party.add(DeviceIdentity.create(accountKey: account, from: &entropy), entropy: entropy)
        try party.join(2, by: link)
        party.run(for: .seconds(5))
        #expect(party.digests().count == 1)
    }
}
