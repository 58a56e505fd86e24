import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import streakmesh_vectors

/// Every vector truncated at every length, and with bits of every byte flipped: nothing traps, and whatever decodes
/// encodes to itself.
struct HostileVectorTests {
    /// Bytes with single bits flipped: all eight of every byte, or one of each if there are many.
    static func flips(of bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.flatMap { index -> [[UInt8]] in
            let bits: [UInt8] = bytes.count <= 400 ? Array(0..<8) : [UInt8(index % 8)]
            return bits.map { bit in
                var copy = bytes
                copy[index] ^= 1 << bit
                return copy
            }
        }
    }

    private func check(_ decoder: VectorDecoder, _ bytes: [UInt8]) {
        guard let again = try? decoder.reencode(bytes) else { return }  // refusal is allowed
        if decoder.dropsTails {
            // A refusal's reason of a later version is read as “another”.
            let isUnknownRefusal = bytes.count > 2 && (bytes[1] == 13 || bytes[1] == 18)
            #expect(bytes.starts(with: again) || isUnknownRefusal)
        } else {
            #expect(again == bytes)
        }
    }

    @Test(arguments: Decoders.files)
    func `cut off at every length`(file: String) throws {
        let vectors = try Vectors.read(file)
        let decoder = try VectorDecoder(vectors.text("decoder"))
        for entry in vectors.list("valid") + vectors.list("accepted") + vectors.list("forged") {
            let bytes = try entry.bytes("hex")
            for count in bytes.indices { check(decoder, Array(bytes.prefix(count))) }
        }
    }

    @Test(arguments: Decoders.files)
    func `every bit turned over`(file: String) throws {
        let vectors = try Vectors.read(file)
        let decoder = try VectorDecoder(vectors.text("decoder"))
        for entry in vectors.list("valid") + vectors.list("accepted") + vectors.list("forged") {
            for bytes in Self.flips(of: try entry.bytes("hex")) { check(decoder, bytes) }
        }
    }

    @Test func `no certificate survives a bit turned over`() throws {
        for entry in try Vectors.read("certificates").list("valid") where try entry.flag("isValid") {
            for bytes in Self.flips(of: try entry.bytes("hex")) {
                guard let certificate = try? DeviceCertificate(decoding: bytes) else { continue }  // refused already
                #expect(!certificate.isValid())
            }
        }
    }

    @Test func `no operation survives a bit turned over`() throws {
        for entry in try Vectors.read("operations").list("valid") {
            let bytes = try entry.bytes("hex")
            for index in bytes.indices {
                var copy = bytes
                copy[index] ^= 1 << UInt8(index % 8)
                guard let operation = try? SignedOperation(decoding: copy) else { continue }  // refused already
                #expect(!operation.hasValidSignature())
            }
        }
    }

    @Test func `no proof survives a bit turned over`() throws {
        let vectors = try Vectors.read("join-proofs")
        let group: GroupID = try vectors.identifier("group")
        let key = try SigningPublicKey(rawBytes: vectors.bytes("inviteKey"))
        let certificate = try DeviceCertificate(decoding: vectors.bytes("certificate"))
        for bytes in Self.flips(of: try #require(vectors.list("valid").first).bytes("hex")) {
            var reader = WireReader(bytes)
            let proof = try JoinProof(from: &reader)
            #expect(!proof.isValid(inviteKey: key, group: group, certificate: certificate))
        }
    }

    @Test func `no run survives a bit turned over, and none changes what is held`() throws {
        for entry in try Vectors.read("feeds").list("receptions").prefix(1) {
            let group: GroupID = try entry.identifier("group")
            var feeds = GroupFeeds(group: group)
            for (index, step) in entry.list("steps").enumerated() {
                let bytes = try step.bytes("run")
                let before = feeds.tips
                for flipped in Self.flips(of: bytes) {
                    var reader = WireReader(flipped)
                    guard let run = try? Run(from: &reader) else { continue }  // refused already
                    let reception = try? feeds.receive(run, arrival: 100)  // refusal is expected
                    #expect(reception?.isDuplicate ?? true)
                    #expect(feeds.tips == before)
                }
                var reader = WireReader(bytes)
                _ = try feeds.receive(Run(from: &reader), arrival: UInt64(index + 1))
            }
        }
    }

    @Test
    func
        `columns with a bit turned over or cut off unpack to what they held, or not at all, or to records that no chain knows`()
        throws
    {
        for entry in try Vectors.read("runs").list("valid") {
            let bytes = try entry.bytes("hex")
            var reader = WireReader(bytes)
            let run = try Run(from: &reader)
            let packings = Self.flips(of: run.packed) + run.packed.indices.map { Array(run.packed.prefix($0)) }
            for packed in packings {
                let copy = Run(
                    feed: run.feed, first: run.first, before: run.before, signature: run.signature, packed: packed,
                    count: run.count)
                guard let records = try? copy.records() else { continue }  // refusal is allowed
                #expect(records.count == run.count)
                var feeds = GroupFeeds(group: try entry.identifier("group"))
                let reception = try? feeds.receive(copy, arrival: 1)  // refusal is expected
                #expect(try reception == nil || records == run.records())
            }
        }
    }

    @Test func `no friend request and no device proof survives a bit turned over`() throws {
        for entry in try Vectors.read("friends").list("valid") {
            for bytes in Self.flips(of: try entry.bytes("hex")) {
                #expect(throws: WireError.self) { try FriendRequest(decoding: bytes) }
            }
        }
        let links = try Vectors.read("device-links")
        let group: GroupID = try links.identifier("group")
        let key = try SigningPublicKey(rawBytes: links.bytes("inviteKey"))
        let user: UserID = try links.identifier("user")
        for bytes in Self.flips(of: try #require(links.list("valid").first).bytes("hex")) {
            var reader = WireReader(bytes)
            #expect(try !DeviceProof(from: &reader).isValid(inviteKey: key, privateGroup: group, user: user))
        }
    }

    @Test func `answers to friends`() throws {
        for entry in try Vectors.read("friends").list("answers") {
            let bytes = try entry.bytes("hex")
            for bytes in Self.flips(of: bytes) + bytes.indices.map({ Array(bytes.prefix($0)) }) {
                var reader = WireReader(bytes)
                guard let answer = try? FriendAnswer(from: &reader) else { continue }  // refusal is allowed
                var writer = WireWriter()
                answer.write(to: &writer)
                #expect(bytes.starts(with: writer.bytes))
            }
        }
    }

    @Test func `changing any character of a link breaks it, changing its case does not`() throws {
        let device = try Vectors.read("device-links")["link"].text("text")
        let invites = try Vectors.read("invites").list("valid").map { (try $0.text("text"), InviteLink.Purpose.join) }
        for (text, purpose) in invites + [(device, .device)] {
            let characters = Array(text.utf8)
            for count in characters.indices {
                #expect(throws: InviteLinkError.self) {
                    try InviteLink(
                        parsing: String(decoding: characters.prefix(count), as: UTF8.self), purpose: purpose)
                }
            }
            for index in characters.indices {
                for bit in 0..<8 as Range<UInt8> {
                    var copy = characters
                    copy[index] ^= 1 << bit
                    let changed = String(decoding: copy, as: UTF8.self)
                    // Refused, or the same link in another letter case.
                    guard let link = try? InviteLink(parsing: changed, purpose: purpose) else { continue }
                    #expect(link.text == text)
                }
            }
        }
    }

    @Test func `beacons are read as they were sent or not at all`() throws {
        for entry in try Vectors.read("beacons").list("beacons") where try entry["content"] != .null {
            let bytes = try entry.bytes("hex")
            let key = try entry.bytes("hourKey")
            let content = try #require(Beacon.open(bytes, hourKeys: [key])).content
            for count in bytes.indices { #expect(Beacon.open(Array(bytes.prefix(count)), hourKeys: [key]) == nil) }
            for index in bytes.indices {
                for bit in 0..<8 as Range<UInt8> {
                    var copy = bytes
                    copy[index] ^= 1 << bit
                    let found = Beacon.open(copy, hourKeys: [key])
                    #expect(found == nil || found?.content == content)
                }
            }
        }
    }

    @Test func `subjects and values of daily scores`() throws {
        let vectors = try Vectors.read("daily-scores")
        let time = HybridTime(rawValue: try vectors.integer("time"))
        for entry in vectors.list("valid") {
            let subject = try entry.bytes("subject")
            let value = try entry.bytes("value")
            let subjects = Self.flips(of: subject) + subject.indices.map { Array(subject.prefix($0)) }
            let values = Self.flips(of: value) + value.indices.map { Array(value.prefix($0)) }
            for subject in subjects {
                // Refused, or a result whose key gives the same subject.
                guard let score = try? DailyScore(subject: subject, value: value, time: time) else { continue }
                #expect(score.recordSubject == subject)
            }
            for value in values {
                // Refused, or a result whose value reads back as the same one.
                guard let score = try? DailyScore(subject: subject, value: value, time: time) else { continue }
                let again = try DailyScore(subject: subject, value: score.recordValue(at: time), time: time)
                #expect(again == score)
            }
        }
    }

    @Test func `friend codes`() throws {
        for person in try Vectors.read("keys").list("people") {
            let code = Array(try person.text("friendCode").utf8)
            for count in code.indices where count < 14 {
                #expect(FriendCode(String(decoding: code.prefix(count), as: UTF8.self)) == nil)
            }
            for index in code.indices {
                for bit in 0..<8 as Range<UInt8> {
                    var copy = code
                    copy[index] ^= 1 << bit
                    // A changed code passes once in 32 times and is then another code. It must only not trap.
                    _ = FriendCode(String(decoding: copy, as: UTF8.self))
                }
            }
        }
    }
}
