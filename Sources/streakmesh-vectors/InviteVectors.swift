import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

extension VectorFile {
    private static let expiry: Int64 = Cast.now + 7 * 86_400

    /// Links as people paste them.
    static func invites() throws -> VectorFile {
        let ada = try Person("ada")
        let seed = Cast.seed16("invite seed")
        let lan = Endpoint(ipv4: 0xC0A8_0114, port: 7_420)
        let global = Endpoint(address: Bytes16(0x2001_0DB8_0000_0000, 1), port: 50_000)
        func link(_ title: String, _ addresses: [[Endpoint]]) -> InviteLink {
            InviteLink(
                seed: seed, group: Cast.group, expiresAt: expiry, title: title, addresses: addresses,
                identity: ada.identity)
        }
        let plain = link("Friends", [[lan, global], [Endpoint(ipv4: 0x0A00_0001, port: 7_421)]])
        let bare = link("Wörter und Zahlen für die ganze Familie, jeden Tag", [])
        let raw = bytes(of: plain)
        return VectorFile(
            name: "invites",
            content: [
                "spec": "membership.md", "now": .text(String(Cast.now)),
                "valid": [describe("two members' addresses", plain), describe("no address, and a long title", bare)],
                "accepted": .list(
                    [
                        ["name": "in upper case", "text": .text(plain.alphanumericText), "means": .text(plain.text)],
                        ["name": "broken into lines", "text": .text(broken(plain.text)), "means": .text(plain.text)],
                    ] + messages(plain)),
                "invalid": .list(try invalidLinks(plain, raw)),
            ])
    }

    private static func describe(_ name: String, _ link: InviteLink) -> JSON {
        [
            "name": .text(name), "text": .text(link.text), "hex": .hex(bytes(of: link)),
            "seed": .text(link.seed.description), "group": .text(link.group.description),
            "expiresAt": .text(String(link.expiresAt)), "title": .text(link.title),
            "addresses": .list(link.addresses.map { .list($0.map { .text($0.description) }) }),
            "inviter": .text(link.inviter.description),
            "inviteKey": .hex(link.secrets.inviteKey.publicKey.rawBytes),
            "presharedKey": .hex(link.secrets.presharedKey.rawBytes()),
            "isExpiredAtExpiry": .bool(link.isExpired(at: link.expiresAt)),
            "isExpiredBefore": .bool(link.isExpired(at: link.expiresAt - 1)),
        ]
    }

    /// Texts with a link among other words, or several times.
    private static func messages(_ link: InviteLink) -> [JSON] {
        let (text, half) = (link.text, String(link.text.prefix(90)))
        let messages = [
            ("in a message", "Hey, join us: \(text) see you tomorrow"), ("in quotation marks", "“\(text)”"),
            ("before a full stop, in lines", "Here it is:\r\n\(broken(text)).\r\nAda"),
            ("twice", "\(text)\n\(link.alphanumericText)"),
            ("cut short before", "\(half)… is what you get:\n\(text)"),
            ("beside another address", "https://example.org/join/ABC or \(text)"),
        ]
        return messages.map { ["name": .text($0.0), "text": .text($0.1), "means": .text(text)] }
    }

    private static func broken(_ text: String) -> String {
        var lines = ""
        for (index, character) in text.enumerated() {
            lines.append(character)
            if index % 60 == 59 { lines += "\r\n  " }
        }
        return lines
    }

    /// Payloads with a valid checksum, whatever their content.
    private static func sealed(_ payload: [UInt8]) -> [UInt8] { payload + Blake2b.hash(payload).prefix(4) }

    private static func invalidLinks(_ link: InviteLink, _ raw: [UInt8]) throws -> [JSON] {
        let payload = Array(raw.dropLast(4))
        let unsigned = Array(payload.dropLast(64))
        func entry(_ name: String, _ text: String, _ reason: String) -> JSON {
            ["name": .text(name), "text": .text(text), "reason": .text(reason)]
        }
        func entry(_ name: String, payload: [UInt8], _ reason: String) -> JSON {
            entry(name, text(of: sealed(payload)), reason)
        }
        /// Signed again by the inviter, so that only the layout is wrong.
        func signed(_ unsigned: [UInt8]) throws -> [UInt8] {
            let key = try Person("ada").identity.signingKey
            return unsigned + key.signature(for: SigningContext.invite.prefix + unsigned).rawBytes
        }
        // version 1, seed 16, group 32, expiry 4: the title's length is byte 53.
        let title = 53
        let sets = title + 1 + link.title.utf8.count
        let pasted = link.text
        let changed = pasted.dropLast() + (pasted.hasSuffix("A") ? "B" : "A")
        return [
            entry("nothing", "", "not-a-link"),
            entry("another address", "https://example.org/join/AAAA", "not-a-link"),
            entry("the prefix alone", "streakmesh://join/", "not-a-link"),
            entry("4,097 characters", pasted + String(repeating: " ", count: 4_097 - pasted.utf8.count), "not-a-link"),
            entry("2,049 digits", "streakmesh://join/" + String(repeating: "A", count: 2_049), "damaged"),
            entry("a digit more behind it", pasted + "1", "damaged"),
            entry("two that differ", "\(pasted) or \(swapped(pasted))", "several-links"),
            entry("two cut short", "\(pasted.prefix(60))… \(swapped(pasted).prefix(70))…", "several-links"),
            entry("a character is missing", String(pasted.dropLast()), "damaged"),
            entry("a character is another", String(changed), "damaged"),
            entry("a character that is no digit", pasted.replacing(at: 40, by: "1"), "damaged"),
            entry("two characters changed places", swapped(pasted), "damaged"),
            entry("version 2", payload: [2] + payload.dropFirst(), "unsupported-version"),
            entry("another group", payload: flipping(payload, at: 20), "tampered"),
            entry("a later expiry", payload: flipping(payload, at: 49), "tampered"),
            entry("another address in it", payload: flipping(payload, at: sets + 3), "tampered"),
            entry("another inviter", payload: flipping(payload, at: unsigned.count - 1), "tampered"),
            entry("another signature", payload: flipping(payload, at: -1), "tampered"),
            entry("cut off", payload: Array(payload.prefix(60)), "malformed: truncated"),
            entry(
                "an empty title",
                payload: try signed(Array(unsigned.prefix(title)) + [0] + unsigned.dropFirst(sets)),
                "malformed: invalid-value: title"),
            entry("a title of 41 bytes", payload: replacing(payload, at: title, by: 41), "malformed: limit-exceeded"),
            entry("five address sets", payload: replacing(payload, at: sets, by: 5), "malformed: limit-exceeded"),
            entry(
                "an address of family 5", payload: replacing(payload, at: sets + 2, by: 5), "malformed: unknown-kind"),
            entry("a byte more", payload: payload + [0], "malformed: trailing-bytes"),
        ]
    }

    private static func swapped(_ text: String) -> String {
        var characters = Array(text)
        for index in 30..<(characters.count - 1) where characters[index] != characters[index + 1] {
            characters.swapAt(index, index + 1)
            break
        }
        return String(characters)
    }

    // MARK: Base32, a second implementation that reveals mistakes in the module's

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

    private static func text(of bytes: [UInt8]) -> String {
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        let padded = bits + [UInt8](repeating: 0, count: (5 - bits.count % 5) % 5)
        let symbols = stride(from: 0, to: padded.count, by: 5).map { start in
            padded[start..<(start + 5)].reduce(0) { $0 << 1 | Int($1) }
        }
        return "streakmesh://join/" + String(symbols.map { digits[$0] })
    }

    private static func bytes(of link: InviteLink) -> [UInt8] {
        let symbols = link.text.dropFirst("streakmesh://join/".count).compactMap { digits.firstIndex(of: $0) }
        let bits = symbols.flatMap { symbol in (0..<5).map { UInt8(symbol >> (4 - $0) & 1) } }
        return stride(from: 0, through: bits.count - 8, by: 8).map { start in
            bits[start..<(start + 8)].reduce(0) { $0 << 1 | $1 }
        }
    }

    /// Proofs of newcomers.
    static func joinProofs() throws -> VectorFile {
        let dora = try Person("dora")
        let ben = try Person("ben")
        let secrets = InviteSecrets(seed: Cast.seed16("invite seed"))
        let linkHash = Person.seed("link")
        let handshake = Blake2b.hash(linkHash, size: 64)
        func encoded(_ proof: JoinProof) -> [UInt8] {
            var writer = WireWriter()
            proof.write(to: &writer)
            return writer.bytes
        }
        func made(
            by identity: DeviceIdentity = dora.identity, key: SigningSecretKey = secrets.inviteKey,
            group: GroupID = Cast.group
        ) -> [UInt8] {
            encoded(JoinProof(inviteKey: key, group: group, identity: identity, handshakeHash: handshake))
        }
        func entry(_ name: String, _ proof: [UInt8], isValid: Bool) -> JSON {
            ["name": .text(name), "hex": .hex(proof), "isValid": .bool(isValid)]
        }
        let proof = made()
        let signatures = Array(proof[64..<128]) + proof[128..<192]
        return VectorFile(
            name: "join-proofs",
            content: [
                "spec": "membership.md", "decoder": "proof", "group": .text(Cast.group.description),
                "inviteKey": .hex(secrets.inviteKey.publicKey.rawBytes),
                "certificate": .hex(dora.identity.certificate.encoded()),
                "linkHash": .hex(linkHash), "handshakeHash": .hex(handshake),
                "valid": [
                    entry("made for this group, these keys and this handshake", proof, isValid: true),
                    entry("another handshake", flipping(proof, at: 0), isValid: false),
                    entry("made for another group", made(group: GroupID(bytes: .zero)), isValid: false),
                    entry("made by another newcomer", made(by: ben.identity), isValid: false),
                    entry(
                        "made with another invite key",
                        made(key: InviteSecrets(seed: Cast.seed16("guessed")).inviteKey),
                        isValid: false),
                    entry(
                        "the signatures changed places",
                        Array(proof.prefix(64)) + signatures[64...] + signatures[..<64],
                        isValid: false),
                ],
                "invalid": [
                    refused("nothing", [], "truncated"),
                    refused("a byte too few", Array(proof.dropLast()), "truncated"),
                    refused("a byte more", proof + [0], "trailing-bytes"),
                ],
            ])
    }
}

extension String {
    fileprivate func replacing(at index: Int, by character: Character) -> String {
        var characters = Array(self)
        characters[index] = character
        return String(characters)
    }
}
