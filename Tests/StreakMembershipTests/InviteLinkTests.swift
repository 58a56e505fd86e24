import StreakCrypto
import StreakMembership
import StreakWire
import Testing

struct InviteLinkTests {
    static let olga = Person(1)

    static func link(title: String = "Friends", sets: [[Endpoint]]? = nil) -> InviteLink {
        let four = (0..<4).map { member in
            [Endpoint(ipv4: 0xC0A8_0100 + member, port: 7420), Endpoint(ipv4: 0xC000_0200 + member, port: 7421)]
        }
        return InviteLink(
            seed: Bytes16(1, 2), group: GroupID(bytes: Bytes32(3, 4, 5, 6)), expiresAt: 1_795_000_000, title: title,
            addresses: sets ?? four, identity: olga.identity)
    }

    @Test func `a link is read as it was made, in either case and broken into lines`() throws {
        let link = Self.link()
        #expect(try InviteLink(parsing: link.text) == link)
        #expect(try InviteLink(parsing: link.alphanumericText) == link)
        #expect(try InviteLink(parsing: link.text.lowercased()) == link)
        let broken = " \n" + link.text.prefix(100) + "\r\n " + link.text.dropFirst(100) + "\n"
        #expect(try InviteLink(parsing: broken) == link)
        #expect(link.inviter == Self.olga.device)
        #expect(link.addresses.count == 4)
    }

    @Test(arguments: [
        "hey join us {} see you tomorrow", "Look: {}", "{}.", "“{}”", "<{}>", "({})", "{}\n\nsee you", "{}\tA B C D",
        "https://example.org/join/ABC or {} 👋", "it begins with streakmesh://join/… {}", "{} {}", "{}\n“{}”",
        "{HALF}…\n{}",
        "{} ({HALF}…)",
    ])
    func `a link is found in a message, and in one that says it twice`(message: String) throws {
        for text in [Self.link().text, Self.link().alphanumericText] {
            let pasted = message.replacing("{}", with: text).replacing("{HALF}", with: text.prefix(70))
            #expect(try InviteLink(parsing: pasted) == Self.link())
            #expect(InviteLink.purpose(of: pasted) == .join)
        }
    }

    @Test func `of two links neither is taken`() {
        let (one, other) = (Self.link().text, Self.link(title: "Others").text)
        let device = one.replacing("/join/", with: "/device/")
        for text in [
            "\(one) \(other)", "\(other)\n\(one)", "\(one) or \(device)", "\(one.prefix(150)) \(other.prefix(160))",
            "\(one) \(other.prefix(150))", "\(one) \(other) \(one)",
        ] {
            #expect(throws: InviteLinkError.severalLinks) { _ = try InviteLink(parsing: text) }
            #expect(InviteLink.purpose(of: text) == nil)
        }
    }

    @Test func `a text is read as far as a message goes, and a link as far as one goes`() throws {
        let text = Self.link().text
        let longest = text + String(repeating: " ", count: 4_096 - text.utf8.count)
        #expect(try InviteLink(parsing: longest) == Self.link())
        #expect(throws: InviteLinkError.notALink) { _ = try InviteLink(parsing: longest + " ") }
        let start = "streakmesh://join/"
        for digits in [2_031, 4_000] {
            let endless = start + String(repeating: "A", count: digits)
            #expect(throws: InviteLinkError.damaged) { _ = try InviteLink(parsing: endless) }
        }
        // Every digit may be the last one.
        let spaced = start + String(repeating: "A ", count: 2_030)
        #expect(throws: InviteLinkError.damaged) { _ = try InviteLink(parsing: spaced) }
        let many = String(repeating: start + " ", count: 200)
        #expect(throws: InviteLinkError.self) { _ = try InviteLink(parsing: many) }
    }

    @Test func `a link with four members' addresses and a long title has about 460 characters`() {
        let link = Self.link(title: String(repeating: "Freunde", count: 8))
        #expect(link.title.utf8.count == 40)
        #expect(link.text.utf8.count < 480)
        let alphanumeric = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
        #expect(link.alphanumericText.allSatisfy(alphanumeric.contains))
    }

    @Test func `a title is cut between whole characters`() {
        let link = Self.link(title: String(repeating: "👩‍👩‍👧", count: 5))
        #expect(link.title == String(repeating: "👩‍👩‍👧", count: 2))
    }

    @Test func `IPv6 endpoints keep their address and lose their scope`() throws {
        let endpoint = Endpoint(address: Bytes16(0xFE80_0000_0000_0000, 7), port: 1, scope: 3)
        let link = try InviteLink(parsing: Self.link(sets: [[endpoint]]).text)
        #expect(link.addresses == [[Endpoint(address: Bytes16(0xFE80_0000_0000_0000, 7), port: 1)]])
    }

    @Test func `more sets and endpoints than allowed are cut off`() throws {
        let set = (0..<9).map { Endpoint(ipv4: $0, port: 1) }
        let link = Self.link(sets: Array(repeating: set, count: 9))
        #expect(link.addresses.map(\.count) == [4, 4, 4, 4])
        #expect(try InviteLink(parsing: link.text) == link)
    }

    @Test(arguments: ["", "hello", "https://example.org/join/ABC", "streakmesh://join/", "streakmesh://open/ABCD"])
    func `what is no link is said to be none`(text: String) {
        #expect(throws: InviteLinkError.notALink) { _ = try InviteLink(parsing: text) }
    }

    @Test func `any character mistyped or lost is noticed before the signature`() {
        let text = Self.link().text
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let start = "streakmesh://join/".count
        for index in start..<text.count {
            var characters = Array(text)
            let old = digits.firstIndex(of: characters[index]) ?? 0
            characters[index] = digits[(old + 1 + index % 30) % 32]
            #expect(throws: InviteLinkError.damaged) { _ = try InviteLink(parsing: String(characters)) }
            characters = Array(text)
            characters.remove(at: index)
            #expect(throws: InviteLinkError.damaged) { _ = try InviteLink(parsing: String(characters)) }
        }
        #expect(throws: InviteLinkError.damaged) { _ = try InviteLink(parsing: text + "1") }
    }

    /// Changes a link's bytes and its checksum, as an attacker on the way would.
    private static func altered(_ change: (inout [UInt8]) -> Void) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        var bits: [UInt8] = []
        for character in link().text.dropFirst("streakmesh://join/".count) {
            let value = digits.firstIndex(of: character) ?? 0
            for shift in stride(from: 4, through: 0, by: -1) { bits.append(UInt8(value >> shift & 1)) }
        }
        var bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            bits[start..<(start + 8)].reduce(0) { $0 << 1 | $1 }
        }
        bytes.removeLast(4)
        change(&bytes)
        bytes += Blake2b.hash(bytes).prefix(4)
        var text = "streakmesh://join/"
        bits = bytes.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
        while !bits.count.isMultiple(of: 5) { bits.append(0) }
        for start in stride(from: 0, to: bits.count, by: 5) {
            text.append(digits[Int(bits[start..<(start + 5)].reduce(0) { $0 << 1 | $1 })])
        }
        return text
    }

    @Test func `altering any byte with a right checksum is tampering`() throws {
        #expect(try InviteLink(parsing: Self.altered { _ in }) == Self.link())
        for index in 1..<185 {
            let text = Self.altered { $0[index] ^= 0x10 }
            do {
                _ = try InviteLink(parsing: text)
                Issue.record("byte \(index) can be altered unseen")
            } catch {
                switch error {
                case .tampered, .malformed: break
                default: Issue.record("byte \(index): \(error)")
                }
            }
        }
        #expect(throws: InviteLinkError.tampered) { _ = try InviteLink(parsing: Self.altered { $0[2] ^= 1 }) }
        #expect(throws: InviteLinkError.unsupportedVersion(2)) {
            _ = try InviteLink(parsing: Self.altered { $0[0] = 2 })
        }
        #expect(throws: InviteLinkError.malformed(.trailingBytes(count: 1))) {
            _ = try InviteLink(parsing: Self.altered { $0.append(0) })
        }
    }

    @Test func `expiry is the first second it no longer works`() {
        let link = Self.link()
        #expect(!link.isExpired(at: link.expiresAt - 1))
        #expect(link.isExpired(at: link.expiresAt))
    }

    @Test func `a seed gives one invite key and one PSK, another seed others`() {
        let one = InviteSecrets(seed: Bytes16(1, 1)), same = InviteSecrets(seed: Bytes16(1, 1))
        let other = InviteSecrets(seed: Bytes16(1, 2))
        #expect(one.inviteKey.publicKey == same.inviteKey.publicKey)
        #expect(one.presharedKey == same.presharedKey)
        #expect(one.inviteKey.publicKey != other.inviteKey.publicKey)
        #expect(one.presharedKey != other.presharedKey)
        #expect(one.presharedKey.rawBytes() != one.inviteKey.seedBytes())
    }

    @Test func `an access key's derivations are all different and tell nothing of it`() throws {
        let key = try AccessKey(rawBytes: [UInt8](repeating: 1, count: 32))
        let all = [
            key.key.rawBytes(), key.hash.array, key.linkPresharedKey.rawBytes(), key.tagKey.rawBytes(),
            key.beaconKey.rawBytes(), key.groupProofKey.rawBytes(),
        ]
        #expect(Set(all).count == all.count)
    }
}
