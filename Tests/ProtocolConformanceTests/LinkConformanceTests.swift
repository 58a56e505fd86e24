import StreakCrypto
import StreakEngine
import StreakMembership
import StreakWire
import Testing

@testable import streakmesh_vectors

struct LinkConformanceTests {
    @Test func `there is a vector for every kind of message`() throws {
        let kinds = Set(try Vectors.read("messages").list("valid").map { try $0.number("kind") })
        #expect(kinds == Set(1...21).union([25, 26]))
    }

    @Test func `the proof of knowing a group`() throws {
        let entry = try Vectors.read("messages")["helloProof"]
        let key = try AccessKey(rawBytes: entry.bytes("accessKey"))
        let proof = try Blake2b.keyedHash(
            entry.bytes("linkHash") + entry.bytes("proverLinkKey"), key: key.groupProofKey, size: 16)
        #expect(try proof == entry.bytes("proof"))
    }

    @Test func `the keys of an hour`() throws {
        let vectors = try Vectors.read("beacons")
        for entry in vectors.list("hourKeys") {
            let key = try SymmetricKey(rawBytes: entry.bytes("beaconKey"))
            #expect(try Beacon.hourKey(key, hour: entry.integer("hour")) == entry.bytes("hourKey"))
        }
        let invite = try vectors["inviteBeaconKey"]
        let presharedKey = try SymmetricKey(rawBytes: invite.bytes("presharedKey"))
        let derived = Blake2b.derive(context: "streakmesh/v1/beacon-key", from: presharedKey)
        #expect(try derived.rawBytes() == invite.bytes("beaconKey"))
    }

    @Test func `beacons tell those who hold the key, and nobody else`() throws {
        for entry in try Vectors.read("beacons").list("beacons") {
            let found = Beacon.open(try entry.bytes("hex"), hourKeys: [try entry.bytes("hourKey")])
            let described = found.map { _, content -> Value in
                .object([
                    "kind": .number(Int(content.kind.rawValue)), "port": .number(Int(content.port)),
                    "linkKey": .text(content.linkKey.rawBytes.hexadecimal),
                ])
            }
            #expect(try described ?? .null == entry["content"], "\(entry.name)")
        }
    }

    @Test func `a beacon shows nothing of what is in it`() throws {
        let people = try Vectors.read("keys").list("people")
        for entry in try Vectors.read("beacons").list("beacons") {
            let text = try entry.text("hex")
            for person in people {
                for name in ["user", "device", "linkKey"] { #expect(try !text.contains(person.text(name).prefix(16))) }
            }
        }
    }
}
