import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

extension VectorFile {
    /// The fixed codec's fields.
    static var codec: VectorFile {
        let unsigned: [UInt64] = [0, 1, 127, 128, 300, 16_383, 16_384, 1 << 32, .max - 1, .max]
        let signed: [Int64] = [0, -1, 1, -2, 63, -64, 64, -65, 1_000_000, .max, .min]
        let texts = ["", "a", "Zoë", "日本", "🧩", "e\u{301}"]
        return VectorFile(
            name: "codec",
            content: [
                "spec": "README.md §2",
                "varints": .list(
                    unsigned.map { value in
                        var writer = WireWriter()
                        writer.writeVarint(value)
                        return ["value": .text(String(value)), "hex": .hex(writer.bytes)]
                    }),
                "signedVarints": .list(
                    signed.map { value in
                        var writer = WireWriter()
                        writer.writeSignedVarint(value)
                        return ["value": .text(String(value)), "hex": .hex(writer.bytes)]
                    }),
                "refusedVarints": [
                    refused("nothing", [], "truncated"),
                    refused("the last byte is missing", [0x80], "truncated"),
                    refused("nine bytes of ten", [UInt8](repeating: 0xFF, count: 9), "truncated"),
                    refused("zero in two bytes", [0x80, 0x00], "non-minimal-varint"),
                    refused("127 in two bytes", [0xFF, 0x00], "non-minimal-varint"),
                    refused(
                        "65 bits", [UInt8](repeating: 0xFF, count: 9) + [0x02], "non-minimal-varint"),
                    refused(
                        "eleven bytes", [UInt8](repeating: 0x80, count: 10) + [0x01], "non-minimal-varint"),
                ],
                "texts": .list(
                    texts.map { text in
                        var writer = WireWriter()
                        writer.writeText(text)
                        return ["text": .text(text), "hex": .hex(writer.bytes)]
                    }),
                "refusedTexts": [
                    ["maximum": 4, "hex": "0561626364", "reason": "limit-exceeded"],
                    ["maximum": 4, "hex": "ffffffffffffffffff01", "reason": "limit-exceeded"],
                    ["maximum": 4, "hex": "03616263ff", "reason": "trailing-bytes"],
                    ["maximum": 4, "hex": "0461", "reason": "truncated"],
                    ["maximum": 4, "hex": "02c328", "reason": "invalid-text"],
                    ["maximum": 4, "hex": "03eda080", "reason": "invalid-text"],
                    ["maximum": 4, "hex": "02c080", "reason": "invalid-text"],
                ],
            ])
    }

    /// The derivation of keys and their names.
    static func keys() throws -> VectorFile {
        let people = try ["ada", "ben", "cleo"].map { try Person($0) }
        let accessKey = try Cast.accessKey()
        let secrets = InviteSecrets(seed: Cast.seed16("invite seed"))
        return VectorFile(
            name: "keys",
            content: [
                "spec": "membership.md",
                "people": .list(
                    try people.map { person in
                        [
                            "name": .text(person.name),
                            "accountSeed": .hex(person.accountKey.seedBytes()),
                            "user": .text(person.user.description),
                            "deviceSeed": .hex(person.identity.signingKey.seedBytes()),
                            "device": .text(person.device.description),
                            "linkSecret": .hex(person.identity.linkKey.rawBytes()),
                            "linkKey": .hex(person.identity.linkKey.publicKey.rawBytes),
                            "friendCode": .text(try FriendCode(of: person.user).description),
                        ]
                    }),
                "accessKeys": [
                    [
                        "key": .hex(accessKey.key.rawBytes()),
                        "hash": .text(accessKey.hash.description),
                        "linkPresharedKey": .hex(accessKey.linkPresharedKey.rawBytes()),
                        "tagKey": .hex(accessKey.tagKey.rawBytes()),
                        "beaconKey": .hex(accessKey.beaconKey.rawBytes()),
                        "groupProofKey": .hex(accessKey.groupProofKey.rawBytes()),
                    ]
                ],
                "invites": [
                    [
                        "seed": .text(secrets.seed.description),
                        "inviteKey": .hex(secrets.inviteKey.publicKey.rawBytes),
                        "presharedKey": .hex(secrets.presharedKey.rawBytes()),
                        "tagKey": .hex(
                            Blake2b.derive(context: "streakmesh/v1/tag-key", from: secrets.presharedKey).rawBytes()),
                    ]
                ],
                "refusedFriendCodes": [
                    ["text": "0000-0000-000", "why": "eleven symbols"],
                    ["text": "0000-0000-000U", "why": "U is no symbol"],
                    ["text": .text(try miswritten(FriendCode(of: people[0].user))), "why": "the checksum is wrong"],
                ],
            ])
    }

    /// A code with a wrong last symbol.
    private static func miswritten(_ code: FriendCode) -> String {
        let text = code.description
        return String(text.dropLast()) + (text.hasSuffix("0") ? "1" : "0")
    }
}
