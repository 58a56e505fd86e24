import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

extension VectorFile {
    /// Every kind of message on a link.
    static func messages() throws -> VectorFile {
        let friends = try Friends()
        let linkHash = Person.seed("link")
        let all = try linkMessages(friends, linkHash: linkHash) + friendMessages(friends, linkHash: linkHash)
        let messages = all.map { (name: $0.0, bytes: $0.1.encoded) }
        let byName = Dictionary(uniqueKeysWithValues: messages.map { ($0.name, $0.bytes) })
        return VectorFile(
            name: "messages",
            content: [
                "spec": "sync.md §2", "decoder": "message",
                "helloProof": [
                    "linkHash": .hex(linkHash),
                    "proverLinkKey": .hex(friends.ada.identity.linkKey.publicKey.rawBytes),
                    "accessKey": .hex(try Cast.accessKey().key.rawBytes()),
                    "proof": .text(try helloProof(of: friends.ada, linkHash: linkHash).description),
                ],
                "valid": .list(
                    messages.map {
                        ["name": .text($0.name), "kind": .number(Int($0.bytes[1])), "hex": .hex($0.bytes)]
                    }),
                "accepted": .list(
                    acceptedMessages(byName).map {
                        ["name": .text($0.0), "hex": .hex($0.1), "means": .hex($0.2)]
                    }),
                "invalid": .list(invalidMessages(byName)),
            ])
    }

    private static func helloProof(of prover: Person, linkHash: [UInt8]) throws -> Bytes16 {
        let text = linkHash + prover.identity.linkKey.publicKey.rawBytes
        return Bytes16(Blake2b.keyedHash(text, key: try Cast.accessKey().groupProofKey, size: 16)) ?? .zero
    }

    /// What a later version may send, and what this one understands.
    private static func acceptedMessages(_ named: [String: [UInt8]]) -> [(String, [UInt8], [UInt8])] {
        func changed(_ name: String) -> [UInt8] { named[name].map { replacing($0, at: 2, by: 99) } ?? [] }
        let digest = named["digest"] ?? []
        return [
            ("a tail, ignored", digest + [1, 2, 3], digest),
            (
                "a refusal of a later version", changed("join refused: expired"),
                named["join refused: another reason"] ?? []
            ),
            (
                "a refused device, for a reason of a later version", changed("device refused: used"),
                named["device refused: another reason"] ?? []
            ),
        ]
    }

    private static func linkMessages(_ friends: Friends, linkHash: [UInt8]) throws -> [(String, LinkMessage)] {
        let group = friends.stage.ledger.group
        let handle = GroupHandle(group)
        var feed = FeedBuilder(group: group, identity: friends.ada.identity)
        feed.append("m", count: 3)
        let feedTips = [FeedTip(feed: feed.feed, tip: feed.tip(3))]
        let ledgerTips = friends.stage.ledger.tips
        let store = StoreID(bytes: Cast.seed16("store"))
        let digest = GroupFeeds.digest(
            group: group, ledger: ledgerTips.map { ($0.device, $0.operation) }, tips: feedTips)
        let accessKey = try Cast.accessKey()
        let proofs = [try helloProof(of: friends.ada, linkHash: linkHash)]
        let tips = TipsMessage(arrival: 300, isFinal: true, operations: ledgerTips, feeds: feedTips)
        let operations = friends.stage.ledger.allOperations.map(\.bytes)
        return [
            ("hello", .hello(store: store, proofs: proofs)),
            ("hello, with nothing to prove", .hello(store: store, proofs: [])),
            ("digest", .digest(handle, digest, arrival: 300, count: 70_000, clock: 1_795_000_000)),
            ("tips requested, all", .tipsRequested(handle, store: StoreID(bytes: .zero), arrival: 0)),
            ("tips requested, since a cursor", .tipsRequested(handle, store: store, arrival: 129)),
            ("tips", .tips(handle, tips)),
            (
                "tips, none, and more to come",
                .tips(handle, TipsMessage(arrival: 0, isFinal: false, operations: [], feeds: []))
            ),
            ("operations requested", .operationsRequested(handle, known: ledgerTips)),
            ("operations", .operations(handle, operations, isFinal: true)),
            (
                "runs requested, all that follows",
                .runsRequested(handle, feedTips.map { RunsWanted(feed: $0.feed, held: [$0.tip]) })
            ),
            (
                "runs requested, a part, and all of a feed",
                .runsRequested(
                    handle,
                    [
                        RunsWanted(feed: feed.feed, held: [feed.tip(2)], numbers: 3...3),
                        RunsWanted(feed: feed.feed, held: []),
                    ])
            ),
            ("runs", .runs(handle, [feed.run(1...2), feed.run(3...3)], isFinal: false, isComplete: true)),
            (
                "runs, the end of an answer that left something out",
                .runs(handle, [], isFinal: true, isComplete: false)
            ),
            ("rumour", .rumour(handle, feed.run(3...3))),
            ("rumour acknowledged", .rumourAcknowledged(feed.hashes[3].bytes.w0)),
            ("join requested", joinRequest(friends, linkHash: linkHash)),
            ("welcome", .welcome(group: group, accessKeys: [accessKey.key.rawBytes()])),
            ("join refused: expired", .joinRefused(.expired)),
            ("join refused: another reason", .joinRefused(.other)),
            ("access keys requested", .accessKeysRequested(handle, [accessKey.hash])),
            ("access keys", .accessKeys(handle, [accessKey.key.rawBytes()])),
            ("access keys, none", .accessKeys(handle, [])),
            (
                "presence: one linked, one over three links, one gone",
                .presence(
                    handle,
                    [(friends.ada, 1), (friends.ben, 3), (friends.ben, nil)].map {
                        PresenceEntry(device: DeviceHandle($0.0.device), hops: $0.1)
                    })
            ),
        ] + addressMessages(friends)
    }

    private static func addressMessages(_ friends: Friends) -> [(String, LinkMessage)] {
        [
            (
                "whereabouts of two, one of them three hours old",
                .whereabouts([
                    ToldWhereabouts(age: 0, bytes: wherever(friends.ada, number: 2).bytes),
                    ToldWhereabouts(age: 10_800, bytes: wherever(friends.ben, number: 1, entries: []).bytes),
                ])
            ),
            ("seen at", .seenAt(Endpoint(ipv4: 0xC612_0001, port: 7_420))),
        ]
    }

    private static func friendMessages(
        _ friends: Friends, linkHash: [UInt8]
    ) throws -> [(String, LinkMessage)] {
        let (ada, ben) = (friends.ada, friends.ben)
        let code = try FriendCode(of: ada.user)
        let request = FriendRequest(name: "Ben", code: code, askedAt: Cast.now, identity: ben.identity)
        var proof = WireWriter()
        DeviceProof(
            inviteKey: friends.invite.secrets.inviteKey, privateGroup: friends.stage.ledger.group, user: ada.user,
            identity: try ada.secondDevice(), handshakeHash: Blake2b.hash(linkHash, size: 64)
        ).write(to: &proof)
        var pending = WireWriter()
        FriendAnswer.pending.write(to: &pending)
        return [
            ("device requested", .friend(.deviceRequested(proof: proof.bytes))),
            (
                "device certified",
                .friend(
                    .deviceCertified(
                        certificate: try ada.secondDevice().certificate.encoded(),
                        groups: [Cast.group, friends.stage.ledger.group]))
            ),
            ("device refused: used", .friend(.deviceRefused(.used))),
            ("device refused: another reason", .friend(.deviceRefused(.other))),
            ("friend requested", .friend(.friendRequested(request.bytes))),
            ("friend answered: pending", .friend(.friendAnswered(pending.bytes))),
        ]
    }

    private static func joinRequest(_ friends: Friends, linkHash: [UInt8]) -> LinkMessage {
        let proof = JoinProof(
            inviteKey: friends.invite.secrets.inviteKey, group: friends.stage.ledger.group,
            identity: friends.ben.identity, handshakeHash: Blake2b.hash(linkHash, size: 64))
        var writer = WireWriter()
        proof.write(to: &writer)
        return .joinRequested(certificate: friends.ben.identity.certificate.encoded(), proof: writer.bytes)
    }

    private static func invalidMessages(_ named: [String: [UInt8]]) -> [JSON] {
        let digest = named["digest"] ?? []
        let tips = named["tips"] ?? []
        let runs = named["runs"] ?? []
        let hello = named["hello, with nothing to prove"] ?? []
        // version, kind, handle 8, arrival 2: the flag of a tips message is byte 12.
        return [
            refused("nothing", [], "truncated"),
            refused("version 2", replacing(digest, at: 0, by: 2), "unsupported-version"),
            refused("version 0", replacing(digest, at: 0, by: 0), "unsupported-version"),
            refused("kind 0", replacing(digest, at: 1, by: 0), "unknown-kind"),
            refused("kind 22", replacing(digest, at: 1, by: 22), "unknown-kind"),
            refused("a digest cut off", Array(digest.prefix(20)), "truncated"),
            refused("513 proofs", Array(hello.prefix(18)) + [0x81, 4], "limit-exceeded"),
            refused("a flag of 2", replacing(tips, at: 12, by: 2), "invalid-value: final"),
            refused("601 ledger tips", Array(tips.prefix(13)) + [0xD9, 4], "limit-exceeded"),
            refused("flags of 4", replacing(runs, at: 10, by: 4), "invalid-value: flags"),
            refused("513 runs", Array(runs.prefix(11)) + [0x81, 4], "limit-exceeded"),
            refused("a run is missing", replacing(runs, at: 11, by: 3), "truncated"),
            refused("257 operations", [1, 6] + [UInt8](repeating: 0, count: 8) + [1, 0x81, 2], "limit-exceeded"),
            refused(
                "an operation of 8,193 bytes", [1, 6] + [UInt8](repeating: 0, count: 8) + [1, 1, 0x81, 0x40],
                "limit-exceeded"),
            refused("a certificate of 4,097 bytes", [1, 11, 0x81, 0x20], "limit-exceeded"),
            refused("a tail of 1,025 bytes", digest, zeros: 1_025, "limit-exceeded"),
            refused("513 hashes", [1, 14] + [UInt8](repeating: 0, count: 8) + [0x81, 4], "limit-exceeded"),
            refused("513 access keys", [1, 15] + [UInt8](repeating: 0, count: 8) + [0x81, 4], "limit-exceeded"),
            refused("601 devices", [1, 21] + [UInt8](repeating: 0, count: 8) + [0xD9, 4], "limit-exceeded"),
            refused(
                "a device 16 links away",
                [1, 21] + [UInt8](repeating: 0, count: 8) + [1] + [UInt8](repeating: 7, count: 8) + [16],
                "invalid-value: hops"),
            refused("65 whereabouts", [1, 25, 65], "limit-exceeded"),
            refused("whereabouts of 228 bytes", [1, 25, 1, 0, 0, 0, 0, 0xE4, 1], "limit-exceeded"),
            refused("seen at no port", [1, 26] + [UInt8](repeating: 0, count: 16), "truncated"),
            refused("a device proof of 513 bytes", [1, 16, 0x81, 4], "limit-exceeded"),
            refused("a device's certificate of 4,097 bytes", [1, 17, 0x81, 0x20], "limit-exceeded"),
            refused("513 groups", [1, 17, 0, 0x81, 4], "limit-exceeded"),
            refused("a refusal without a reason", [1, 18], "truncated"),
            refused("a friend request of 2,049 bytes", [1, 19, 0x81, 0x10], "limit-exceeded"),
            refused("an answer of 4,097 bytes", [1, 20, 0x81, 0x20], "limit-exceeded"),
            refused("60,001 bytes", digest, zeros: 60_001 - digest.count, "limit-exceeded"),
        ]
    }

    /// Beacons, and who can read them.
    static func beacons() throws -> VectorFile {
        let ada = try Person("ada")
        let accessKey = try Cast.accessKey()
        let invite = Blake2b.derive(
            context: "streakmesh/v1/beacon-key", from: InviteSecrets(seed: Cast.seed16("invite seed")).presharedKey)
        let other = try AccessKey(rawBytes: Person.seed("other access key"))
        let hour = Cast.now / 3_600
        let keys = [accessKey.beaconKey, invite, other.beaconKey].map { Beacon.hourKey($0, hour: hour) }
        var entropy = SeededEntropy(seed: 3)
        let query = Beacon.Content(kind: .query, port: 7_420, linkKey: ada.identity.linkKey.publicKey)
        let answer = Beacon.Content(kind: .answer, port: 50_000, linkKey: ada.identity.linkKey.publicKey)
        let one = Beacon.make([(keys[0], query)], entropy: &entropy)
        let two = Beacon.make([(keys[0], query), (keys[2], query)], entropy: &entropy)
        let reply = Beacon.make([(keys[1], answer)], entropy: &entropy)
        let full = Beacon.make(
            (0..<9).map { (Beacon.hourKey(other.beaconKey, hour: Int64($0)), query) }, entropy: &entropy)
        func entry(_ name: String, _ bytes: [UInt8], key: [UInt8], _ content: Beacon.Content?) -> JSON {
            let found: JSON =
                content.map {
                    [
                        "kind": .number(Int($0.kind.rawValue)), "port": .number(Int($0.port)),
                        "linkKey": .hex($0.linkKey.rawBytes),
                    ]
                } ?? .null
            return ["name": .text(name), "hex": .hex(bytes), "hourKey": .hex(key), "content": found]
        }
        let altered = (0..<Beacon.size).reduce(one) { $1 < 16 ? $0 : flipping($0, at: $1) }
        return VectorFile(
            name: "beacons",
            content: [
                "spec": "discovery.md",
                "hourKeys": .list(
                    [(accessKey.beaconKey, hour), (accessKey.beaconKey, hour - 36), (invite, hour), (invite, -1)].map {
                        [
                            "beaconKey": .hex($0.0.rawBytes()), "hour": .text(String($0.1)),
                            "hourKey": .hex(Beacon.hourKey($0.0, hour: $0.1)),
                        ]
                    }),
                "inviteBeaconKey": [
                    "presharedKey": .hex(InviteSecrets(seed: Cast.seed16("invite seed")).presharedKey.rawBytes()),
                    "beaconKey": .hex(invite.rawBytes()),
                ],
                "beacons": [
                    entry("one group", one, key: keys[0], query),
                    entry("one group, to another", one, key: keys[2], nil),
                    entry("two groups, to the first", two, key: keys[0], query),
                    entry("two groups, to the second", two, key: keys[2], query),
                    entry("an answer under an invite", reply, key: keys[1], answer),
                    entry(
                        "nine groups, of which eight fit", full, key: Beacon.hourKey(other.beaconKey, hour: 7), query),
                    entry("the ninth of them", full, key: Beacon.hourKey(other.beaconKey, hour: 8), nil),
                    entry("the hour before", one, key: Beacon.hourKey(accessKey.beaconKey, hour: hour - 1), nil),
                    entry("every slot altered", altered, key: keys[0], nil),
                    entry("another nonce", flipping(one, at: 0), key: keys[0], nil),
                    entry("a byte too few", Array(one.dropLast()), key: keys[0], nil),
                    entry("a byte more", one + [0], key: keys[0], nil),
                    entry("nothing", [], key: keys[0], nil),
                ],
            ])
    }
}
