import StreakCrypto
import StreakMembership
import StreakWire

/// A handshake with all random values fixed, written from links.md and the Noise layer alone. It uses none of the
/// engine's code, so that the two check each other.
private struct HandshakeScript {
    let name: String
    /// `member`, `invite` or `friend`.
    let kind: String
    var isMember: Bool { kind == "member" }
    let transport: String
    let presharedKey: SymmetricKey
    let tagKey: SymmetricKey
    let initiator: AgreementSecretKey
    let responder: AgreementSecretKey
    let ephemeralOfInitiator: AgreementSecretKey
    let ephemeralOfResponder: AgreementSecretKey
    let nonceOfInitiator = Cast.seed16("initiator nonce")
    let nonceOfResponder = Cast.seed16("responder nonce")
    let indexOfInitiator: UInt32
    let indexOfResponder: UInt32

    private(set) var initiation: [UInt8] = []
    private(set) var response: [UInt8] = []
    private(set) var final: [UInt8]?
    private(set) var handshakeHash: [UInt8] = []
    private var keys: (initiator: NoiseTransportKeys, responder: NoiseTransportKeys)?

    /// What a responder under a friend code shows.
    let certificate: [UInt8]

    init(_ name: String, _ kind: String, transport: String, keyOf label: String = "") throws {
        self.name = name
        self.kind = kind
        self.transport = transport
        certificate = kind == "friend" ? try Person("ben").identity.certificate.encoded() : []
        if kind == "friend" {
            let keys = try FriendCodeKeys(of: FriendCode(of: Person(label.isEmpty ? "ben" : label).user))
            presharedKey = keys.presharedKey
            tagKey = keys.tagKey
        } else if kind == "invite" {
            presharedKey = InviteSecrets(seed: Cast.seed16("invite seed\(label)")).presharedKey
            tagKey = Blake2b.derive(context: "streakmesh/v1/tag-key", from: presharedKey)
        } else {
            let key = label.isEmpty ? try Cast.accessKey() : try AccessKey(rawBytes: Person.seed(label))
            presharedKey = key.linkPresharedKey
            tagKey = key.tagKey
        }
        initiator = try Person("ada").identity.linkKey
        responder = try Person("ben").identity.linkKey
        ephemeralOfInitiator = try AgreementSecretKey(rawBytes: Person.seed("initiator ephemeral"))
        ephemeralOfResponder = try AgreementSecretKey(rawBytes: Person.seed("responder ephemeral"))
        // On streams indices are zero and ignored.
        indexOfInitiator = transport == "udp" ? 0x0102_0304 : 0
        indexOfResponder = transport == "udp" ? 0xA1A2_A3A4 : 0
        try run()
    }

    private mutating func run() throws {
        let pattern =
            isMember ? NoisePattern.ik.addingPresharedKeys(at: [2]) : NoisePattern.xx.addingPresharedKeys(at: [0])
        let isFriend = kind == "friend"
        let prologue = Array("streakmesh/v1/\(isFriend ? "friend" : "link")/\(transport)".utf8)
        var left = try NoiseHandshake(
            pattern: pattern, role: .initiator, prologue: prologue, staticKey: initiator,
            remoteStaticKey: isMember ? responder.publicKey : nil, presharedKeys: [presharedKey],
            ephemeralKey: ephemeralOfInitiator)
        var right = try NoiseHandshake(
            pattern: pattern, role: .responder, prologue: prologue, staticKey: responder, remoteStaticKey: nil,
            presharedKeys: [presharedKey], ephemeralKey: ephemeralOfResponder)
        let first = try left.writeMessage(
            nonceOfInitiator.array + [UInt8](repeating: 0, count: isFriend ? 1_130 - 16 : 0))
        let untagged = [1, 1] + Self.bytes(indexOfInitiator) + first
        initiation = untagged + Blake2b.keyedHash(untagged + Array(transport.utf8), key: tagKey, size: 16)
        _ = try right.readMessage(first)
        var answer = nonceOfResponder.array + Self.bytes(indexOfResponder)
        if isFriend {
            answer += [UInt8(certificate.count >> 8), UInt8(certificate.count & 255)] + certificate
            answer += [UInt8](repeating: 0, count: 1_099 - answer.count)
        }
        let second = try right.writeMessage(answer)
        response = [2] + Self.bytes(indexOfInitiator) + second
        _ = try left.readMessage(second)
        if !isMember {
            let third = try left.writeMessage([])
            final = [3] + Self.bytes(indexOfResponder) + third
            _ = try right.readMessage(third)
        }
        guard left.handshakeHash == right.handshakeHash else { throw VectorFailure(text: "\(name): two hashes") }
        handshakeHash = left.handshakeHash
        keys = (try left.transportKeys(), try right.transportKeys())
    }

    static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }

    var linkBinding: [UInt8] {
        let mine = initiator.publicKey.rawBytes + nonceOfInitiator.array
        let theirs = responder.publicKey.rawBytes + nonceOfResponder.array
        let isFirst = initiator.publicKey < responder.publicKey
        return Blake2b.hash(Array("streakmesh/v1/link-binding".utf8) + (isFirst ? mine + theirs : theirs + mine))
    }

    /// A transport packet as a datagram; on a stream a frame after its length.
    func sealed(_ plaintext: [UInt8], fromInitiator: Bool, counter: UInt64) throws -> [UInt8] {
        guard let keys else { throw VectorFailure(text: "\(name) is not finished") }
        let cipher = fromInitiator ? keys.initiator.sending : keys.responder.sending
        guard transport == "udp" else {
            let frame = try cipher.seal(plaintext, counter: counter)
            return [UInt8(frame.count >> 8), UInt8(frame.count & 255)] + frame
        }
        let index = fromInitiator ? indexOfResponder : indexOfInitiator
        let header =
            [4] + Self.bytes(index) + Self.bytes(UInt32(counter >> 32))
            + Self.bytes(UInt32(truncatingIfNeeded: counter))
        return header + (try cipher.seal(plaintext, counter: counter, authenticating: header))
    }

    func json(_ transports: [(name: String, plaintext: [UInt8])]) throws -> JSON {
        func side(_ key: AgreementSecretKey, _ ephemeral: AgreementSecretKey, _ nonce: Bytes16, _ index: UInt32) -> JSON
        {
            [
                "linkSecret": .hex(key.rawBytes()), "linkKey": .hex(key.publicKey.rawBytes),
                "ephemeralSecret": .hex(ephemeral.rawBytes()), "nonce": .hex(nonce.array),
                "index": .text(String(index)),
            ]
        }
        return [
            "name": .text(name), "kind": .text(kind), "transport": .text(transport),
            "presharedKey": .hex(presharedKey.rawBytes()), "tagKey": .hex(tagKey.rawBytes()),
            "initiator": side(initiator, ephemeralOfInitiator, nonceOfInitiator, indexOfInitiator),
            "responder": side(responder, ephemeralOfResponder, nonceOfResponder, indexOfResponder),
            "certificate": certificate.isEmpty ? .null : .hex(certificate),
            "initiation": .hex(initiation), "response": .hex(response), "final": final.map { .hex($0) } ?? .null,
            "handshakeHash": .hex(handshakeHash), "linkBinding": .hex(linkBinding),
            "transports": .list(
                try transports.enumerated().map { offset, entry in
                    // Each direction has its own counter.
                    let counter = UInt64(offset / 2)
                    return [
                        "name": .text(entry.name), "from": .text(offset.isMultiple(of: 2) ? "initiator" : "responder"),
                        "counter": .text(String(counter)), "plaintext": .hex(entry.plaintext),
                        "hex": .hex(
                            try sealed(entry.plaintext, fromInitiator: offset.isMultiple(of: 2), counter: counter)),
                    ]
                }),
        ]
    }
}

extension VectorFile {
    /// Packets of handshakes and the packets after them.
    static func handshakes() throws -> VectorFile {
        let member = try HandshakeScript("member, over datagrams", "member", transport: "udp")
        let invite = try HandshakeScript("invite, over datagrams", "invite", transport: "udp")
        let stream = try HandshakeScript("member, on a stream", "member", transport: "tcp")
        let friend = try HandshakeScript("friend, over datagrams", "friend", transport: "udp")
        let friendStream = try HandshakeScript("friend, on a stream", "friend", transport: "tcp")
        let token: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        let datagrams: [(name: String, plaintext: [UInt8])] = [
            ("ping", [4] + token), ("pong", [5] + token),
            ("keepalive every 25 s, 16 bytes of payload", [0, 25] + [UInt8](repeating: 0xAB, count: 16)),
            ("rumour", [1] + Array("rumour".utf8)),
            ("fragment 300, the last of its message", [2] + varint(300) + [1] + Array("end".utf8)),
            ("acknowledgement of all below 301, and of 303", [3] + varint(301) + [2]), ("received", [8] + varint(7)),
            ("close", [6]),
        ]
        let streams: [(name: String, plaintext: [UInt8])] = [
            ("message 0", [7] + varint(0) + varint(0) + Array("hello".utf8)),
            ("message 0, the other way", [7] + varint(0) + varint(1) + Array("hello".utf8)), ("finish", [9]),
        ]
        return VectorFile(
            name: "handshakes",
            content: [
                "spec": "links.md §2, §5, §6",
                "valid": .list([
                    try member.json(datagrams), try invite.json(Array(datagrams.prefix(2))),
                    try stream.json(streams), try friend.json(Array(datagrams.prefix(1))),
                    try friendStream.json(Array(streams.prefix(1))),
                ]),
                "invalid": .list(try refusedPackets(member, invite) + refusedByFriends(friend)),
            ])
    }

    /// Bytes given to one side of a valid handshake, and the state of that side.
    private static func refusedPackets(_ member: HandshakeScript, _ invite: HandshakeScript) throws -> [JSON] {
        let stranger = try HandshakeScript("", "member", transport: "udp", keyOf: "other access key")
        let otherInvite = try HandshakeScript("", "invite", transport: "udp", keyOf: ", another")
        let stream = try HandshakeScript("", "member", transport: "tcp")
        let ping = try member.sealed([4, 1, 2, 3, 4, 5, 6, 7, 8], fromInitiator: true, counter: 0)
        let final = invite.final ?? []
        return [
            entry("nothing", member, "initiation", [], "malformed"),
            entry("a byte too few", member, "initiation", Array(member.initiation.dropLast()), "malformed"),
            entry("a byte more", member, "initiation", member.initiation + [0], "malformed"),
            entry("version 2", member, "initiation", replacing(member.initiation, at: 1, by: 2), "unsupported-version"),
            entry("one bit of the tag turned over", member, "initiation", flipping(member.initiation, at: -1), "tag"),
            entry("another index under the old tag", member, "initiation", flipping(member.initiation, at: 5), "tag"),
            entry("made under another access key", member, "initiation", stranger.initiation, "tag"),
            entry("made for a stream", member, "initiation", stream.initiation, "tag"),
            entry(
                "a right tag on a message changed", member, "initiation",
                tagged(flipping(member.initiation, at: 60), member), "authentication"),
            entry(
                "a right tag on a message for a stream", member, "initiation", tagged(stream.initiation, member),
                "authentication"),
            entry("another invite's", invite, "initiation", otherInvite.initiation, "tag"),
            entry(
                "the invite's tag, another pre-shared key", invite, "initiation",
                tagged(otherInvite.initiation, invite), "authentication"),
            entry("one bit turned over", member, "response", flipping(member.response, at: -1), "authentication"),
            entry("a byte too few", member, "response", Array(member.response.dropLast()), "malformed"),
            entry("under another access key", member, "response", stranger.response, "authentication"),
            entry("one bit turned over", invite, "response", flipping(invite.response, at: 40), "authentication"),
            entry("under another pre-shared key", invite, "response", otherInvite.response, "authentication"),
            entry("one bit turned over", invite, "final", flipping(final, at: -1), "authentication"),
            entry("a byte more", invite, "final", final + [0], "malformed"),
            entry("under another pre-shared key", invite, "final", otherInvite.final ?? [], "authentication"),
            entry("one bit turned over", member, "transport", flipping(ping, at: -1), "authentication"),
            entry("another counter", member, "transport", flipping(ping, at: 12), "authentication"),
            entry("another index", member, "transport", flipping(ping, at: 4), "authentication"),
            entry("a byte too few", member, "transport", Array(ping.dropLast()), "authentication"),
            entry("only a header", member, "transport", Array(ping.prefix(13)), "malformed"),
        ]
    }

    private static func refusedByFriends(_ friend: HandshakeScript) throws -> [JSON] {
        let other = try HandshakeScript("", "friend", transport: "udp", keyOf: "ada")
        let stream = try HandshakeScript("", "friend", transport: "tcp")
        return [
            entry("of the size of an invite's", friend, "initiation", Array(friend.initiation.prefix(86)), "malformed"),
            entry("under another code", friend, "initiation", other.initiation, "tag"),
            entry(
                "a right tag on a message for a stream", friend, "initiation", tagged(stream.initiation, friend),
                "authentication"),
            entry("of the size of an invite's", friend, "response", Array(friend.response.prefix(121)), "malformed"),
            entry("under another code", friend, "response", other.response, "authentication"),
            entry("one bit turned over", friend, "response", flipping(friend.response, at: 600), "authentication"),
        ]
    }

    private static func entry(
        _ name: String, _ script: HandshakeScript, _ packet: String, _ bytes: [UInt8], _ reason: String
    ) -> JSON {
        [
            "name": .text(name), "handshake": .text(script.name), "packet": .text(packet), "hex": .hex(bytes),
            "reason": .text(reason),
        ]
    }

    /// With a new tag, so that only the content is wrong.
    private static func tagged(_ bytes: [UInt8], _ script: HandshakeScript) -> [UInt8] {
        let body = Array(bytes.dropLast(16))
        return body + Blake2b.keyedHash(body + Array("udp".utf8), key: script.tagKey, size: 16)
    }
}
