import StreakCrypto
import StreakEngine
import StreakMembership
import StreakWire

extension VectorFile {
    /// Messages for finding friends and for linking devices.
    static func friends() throws -> VectorFile {
        let ada = try Person("ada")
        let ben = try Person("ben")
        let code = try FriendCode(of: ada.user)
        let request = FriendRequest(name: "Ben", code: code, askedAt: Cast.now, identity: ben.identity)
        let second = FriendRequest(
            name: "Zoë 🧩", code: try FriendCode(of: ben.user), askedAt: 0, identity: try ada.secondDevice())
        let link = InviteLink(
            seed: Cast.seed16("friend invite"), group: Cast.group, expiresAt: Cast.now + 90 * 86_400, title: "Ada",
            addresses: [], identity: ada.identity)
        let answers: [(String, FriendAnswer)] = [
            ("pending", .pending), ("declined", .declined), ("accepted", .accepted(link: link.text)),
        ]
        return VectorFile(
            name: "friends",
            content: [
                "spec": "friends.md", "decoder": "friend request",
                "codeKeys": [try keys(of: code)],
                "valid": .list(
                    [("of a first device", request), ("of a second device, long ago", second)].map(describe)),
                "invalid": .list(invalidRequests(request.bytes, of: ben)),
                "answers": .list(
                    answers.map { name, answer in
                        [
                            "name": .text(name), "hex": .hex(bytes(of: answer)),
                            "link": answer.link.map { .text($0) } ?? .null,
                        ]
                    }),
                "invalidAnswers": [
                    refused("nothing", [], "truncated"), refused("kind 0", [0], "unknown-kind"),
                    refused("kind 4", [4], "unknown-kind"),
                    refused("a link of 2,049 bytes", [3, 0x81, 0x10], "limit-exceeded"),
                ],
            ])
    }

    private static func keys(of code: FriendCode) throws -> JSON {
        let keys = try FriendCodeKeys(of: code)
        return [
            "code": .text(code.description), "presharedKey": .hex(keys.presharedKey.rawBytes()),
            "tagKey": .hex(keys.tagKey.rawBytes()), "beaconKey": .hex(keys.beaconKey.rawBytes()),
        ]
    }

    private static func describe(_ name: String, _ request: FriendRequest) -> JSON {
        [
            "name": .text(name), "hex": .hex(request.bytes), "user": .text(request.certificate.user.description),
            "device": .text(request.certificate.device.description), "asker": .text(request.name),
            "code": .text(request.code.description), "askedAt": .text(String(request.askedAt)),
        ]
    }

    private static func bytes(of answer: FriendAnswer) -> [UInt8] {
        var writer = WireWriter()
        answer.write(to: &writer)
        return writer.bytes
    }

    private static func invalidRequests(_ request: [UInt8], of ben: Person) -> [JSON] {
        // version, certificate of one link (226 bytes): the name's size is byte 227, the code's byte 231.
        let nameAt = 227
        let codeAt = 231
        func signed(_ bytes: [UInt8]) -> [UInt8] {
            let unsigned = Array(bytes.dropLast(64))
            let message = Array("streakmesh/v1/friendRequest".utf8) + [0] + unsigned
            return unsigned + ben.identity.signingKey.signature(for: message).rawBytes
        }
        let nameless = Array(request.prefix(nameAt)) + [0] + request.dropFirst(codeAt)
        let wrongCode = replacing(request, at: codeAt + 14, by: request[codeAt + 14] == 0x30 ? 0x31 : 0x30)
        return [
            refused("nothing", [], "truncated"),
            refused("version 2", replacing(request, at: 0, by: 2), "unsupported-version"),
            refused("a certificate of version 2", replacing(request, at: 1, by: 2), "unsupported-version"),
            refused("cut off", Array(request.dropLast()), "truncated"),
            refused("a byte more", request + [0], "trailing-bytes"),
            refused("no name", signed(nameless), "invalid-value: friend request"),
            refused("a name of 161 bytes", Array(request.prefix(nameAt)) + [0xA1, 1], "limit-exceeded"),
            refused("a code of 15 bytes", Array(request.prefix(codeAt)) + [15], "limit-exceeded"),
            refused("a code with a wrong checksum", signed(wrongCode), "invalid-value: friend request"),
            refused("2,049 bytes", request, zeros: 2_049 - request.count, "limit-exceeded"),
            refused("another name", flipping(request, at: nameAt + 1), "invalid-value: signature"),
            refused("another signature", flipping(request, at: -1), "invalid-value: signature"),
            refused(
                "a certificate that its account did not sign", signed(flipping(request, at: 120)),
                "invalid-value: signature"),
        ]
    }

    /// A link of one kind where the other is expected, as it is and rewritten as the other.
    private static func otherLinks(
        _ link: InviteLink, as expected: String, _ name: String, _ reason: String
    ) -> [JSON] {
        let rewritten = link.text.replacing("//\(link.purpose.rawValue)/", with: "//\(expected)/")
        return [
            ["name": .text(name), "text": .text(link.text), "reason": "not-a-link"],
            ["name": .text("\(name) under the other prefix"), "text": .text(rewritten), "reason": .text(reason)],
        ]
    }

    /// What the account's key alone derives.
    private static func privateGroup(of person: Person) throws -> JSON {
        let made = try PrivateGroup(accountKey: person.accountKey)
        return [
            "accountSeed": .hex(person.accountKey.seedBytes()), "founding": .hex(made.founding.bytes),
            "group": .text(made.group.description), "accessKey": .hex(made.accessKey.key.rawBytes()),
        ]
    }

    static func deviceLinks() throws -> VectorFile {
        let ada = try Person("ada")
        let machine = try Person("new machine")
        let seed = Cast.seed16("device link seed")
        let secrets = InviteSecrets(seed: seed)
        let expiry = Cast.now + 600
        func link(_ purpose: InviteLink.Purpose) -> InviteLink {
            InviteLink(
                seed: seed, group: Cast.group, expiresAt: expiry, title: "Ada",
                addresses: [[Endpoint(ipv4: 0x7F00_0001, port: 7_420)]],
                identity: ada.identity, purpose: purpose)
        }
        let device = link(.device)
        let join = link(.join)
        let handshake = Blake2b.hash(Person.seed("link"), size: 64)
        func proof(
            group: GroupID = Cast.group, user: UserID = ada.user, key: SigningSecretKey = secrets.inviteKey
        ) -> [UInt8] {
            var writer = WireWriter()
            DeviceProof(
                inviteKey: key, privateGroup: group, user: user, identity: machine.identity, handshakeHash: handshake
            ).write(to: &writer)
            return writer.bytes
        }
        func entry(_ name: String, _ bytes: [UInt8], isValid: Bool) -> JSON {
            ["name": .text(name), "hex": .hex(bytes), "isValid": .bool(isValid)]
        }
        let good = proof()
        return VectorFile(
            name: "device-links",
            content: [
                "spec": "friends.md §2 and §7", "decoder": "device proof",
                "privateGroup": try privateGroup(of: ada),
                "link": [
                    "text": .text(device.text), "seed": .text(seed.description), "group": .text(Cast.group.description),
                    "expiresAt": .text(String(expiry)), "user": .text(ada.user.description),
                    "inviter": .text(ada.device.description),
                ],
                "invalidLinks": .list(otherLinks(join, as: "device", "an invite link", "malformed: truncated")),
                "invalidInvites": .list(otherLinks(device, as: "join", "a device link", "malformed: trailing-bytes")),
                "group": .text(Cast.group.description), "user": .text(ada.user.description),
                "inviteKey": .hex(secrets.inviteKey.publicKey.rawBytes),
                "device": .text(machine.device.description),
                "linkKey": .hex(machine.identity.linkKey.publicKey.rawBytes),
                "handshakeHash": .hex(handshake),
                "valid": [
                    entry("made for this group, these keys and this handshake", good, isValid: true),
                    entry("another handshake", flipping(good, at: 64), isValid: false),
                    entry("another link key", flipping(good, at: 40), isValid: false),
                    entry("another device", flipping(good, at: 0), isValid: false),
                    entry("made for another group", proof(group: GroupID(bytes: .zero)), isValid: false),
                    entry("with consent to another account", proof(user: machine.user), isValid: false),
                    entry("another consent", flipping(good, at: -1), isValid: false),
                    entry(
                        "made with another invite key",
                        proof(key: InviteSecrets(seed: Cast.seed16("guessed")).inviteKey), isValid: false),
                ],
                "invalid": [
                    refused("nothing", [], "truncated"), refused("a byte too few", Array(good.dropLast()), "truncated"),
                    refused("a byte more", good + [0], "trailing-bytes"),
                ],
            ])
    }
}

extension FriendAnswer {
    /// The link in an acceptance.
    var link: String? {
        guard case .accepted(let link) = self else { return nil }
        return link
    }
}
