import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

extension VectorFile {
    /// What a device leaves in the DHT, for a group and for the holders of an invite, and what nobody reads there.
    static func notices() throws -> VectorFile {
        let ada = try Person("ada")
        var entropy = SeededEntropy(seed: 25)
        let accessKey = try Cast.accessKey()
        let presharedKey = InviteSecrets(seed: Cast.seed16("invite")).presharedKey
        let day = Cast.now / 86_400
        let (letter, carrying) = letters(of: ada, and: try Person("ben"))
        let told = wherever(ada, number: UInt64(Cast.now) * 1_000)
        let member = RendezvousKey(of: accessKey)
        let invite = RendezvousKey(ofInvite: presharedKey)
        let newcomer = DeviceID(bytes: .zero)
        let all: [(String, SymmetricKey, RendezvousKey, DeviceID, Int64, Notice.Content)] = [
            (
                "of a member, with a letter", accessKey.key, member, ada.identity.device, day,
                .init(whereabouts: told, letter: letter)
            ),
            (
                "of a member, a letter alone, the next day", accessKey.key, member, ada.identity.device, day + 1,
                .init(whereabouts: nil, letter: letter)
            ),
            (
                "of a member, a letter that carries a friend's", accessKey.key, member, ada.identity.device, day,
                .init(whereabouts: told, letter: carrying)
            ),
            ("of an inviter", presharedKey, invite, ada.identity.device, day, .init(whereabouts: told)),
            ("of a newcomer, in 1969", presharedKey, invite, newcomer, -1, .init(whereabouts: told)),
        ]
        let valid = all.map { name, secret, key, device, day, content -> JSON in
            let place = key.place(of: device, day: day)
            let notice = place.notice(of: content, sequence: Cast.now, entropy: &entropy)
            var entry: [(String, JSON)] = [
                ("name", .text(name)), ("secret", .hex(secret.rawBytes())), ("device", .text(device.description)),
                ("day", .number(Int(day))), ("key", .hex(notice.key.array)),
                ("sequence", .number(Int(notice.sequence))),
                ("signature", .hex(notice.signature)),
                ("whereabouts", .hex(content.whereabouts?.bytes ?? [])), ("letter", .hex(content.letter)),
                ("hex", .hex(notice.value)),
            ]
            if !content.letter.isEmpty { entry.append(("group", .text(Cast.group.description))) }
            return .object(entry.map { JSON.Member(name: $0.0, value: $0.1) })
        }
        let place = member.place(of: ada.identity.device, day: day)
        func sealed(_ name: String, _ beginning: [UInt8], size: Int = 956) -> JSON {
            let plain = beginning + [UInt8](repeating: 0, count: size - beginning.count)
            let value = place.notice(sealing: plain, sequence: 1, entropy: &entropy).value
            return ["name": .text(name), "hex": .hex(value), "plain": .hex(plain)]
        }
        let value = place.notice(of: .init(whereabouts: told), sequence: 1, entropy: &entropy).value
        return VectorFile(
            name: "notices",
            content: [
                "spec": "reachability.md §5", "decoder": "notice", "valid": .list(valid),
                "closed": [
                    "secret": .hex(accessKey.key.rawBytes()), "device": .text(ada.identity.device.description),
                    "day": .number(Int(day)), "open": .hex(value),
                    "values": .list([
                        ["name": "another nonce", "hex": .hex(flipping(value, at: 0)), "flipped": 0],
                        ["name": "another byte", "hex": .hex(flipping(value, at: 500)), "flipped": 500],
                        sealed("whereabouts longer than the rest", [3, 0xB9]),
                        sealed("a letter of 732 bytes", [0, 0, 2, 0xDC]),
                        sealed("a byte after the letter", [0, 0, 0, 0, 1]),
                        sealed("whereabouts that do not read", [0, 1, 1]),
                        sealed("a byte less, sealed", [0, 0, 0, 0], size: 955),
                    ]),
                ],
            ])
    }

    /// One with a device's own results, and one that carries a friend's, too.
    private static func letters(of writer: Person, and friend: Person) -> (own: [UInt8], carrying: [UInt8]) {
        var own = FeedBuilder(identity: writer.identity)
        for record in PackedResults.records { own.append(record) }
        var friends = FeedBuilder(identity: friend.identity)
        for record in PackedResults.records.prefix(3) { friends.append(record) }
        return (own.run(40...60).encoded, friends.run(1...3).encoded + own.run(58...60).encoded)
    }
}
