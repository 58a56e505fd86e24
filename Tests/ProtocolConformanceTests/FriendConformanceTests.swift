import StreakCrypto
import StreakMembership
import StreakWire
import Testing

@testable import streakmesh_vectors

struct FriendConformanceTests {
    @Test func `whereabouts have the fields they say, and are signed`() throws {
        let vectors = try Vectors.read("whereabouts")
        for entry in vectors.list("valid") {
            let told = try Whereabouts(decoding: entry.bytes("hex"))
            #expect(told.isSigned, "\(entry.name)")
            #expect(try told.device == entry.identifier("device"))
            #expect(try String(told.number) == entry.text("number"))
            #expect(told.entries.count == entry.list("entries").count)
            for (known, expected) in zip(told.entries, entry.list("entries")) {
                #expect(try Int(known.source.rawValue) == expected.number("source"))
                #expect(try known.endpoint.address.array == expected.bytes("address"))
                #expect(try Int(known.endpoint.port) == expected.number("port"))
            }
        }
        for entry in vectors.list("unsigned") {
            #expect(try !Whereabouts(decoding: entry.bytes("hex")).isSigned, "\(entry.name)")
        }
    }

    @Test func `the keys of a friend code`() throws {
        for entry in try Vectors.read("friends").list("codeKeys") {
            let keys = try FriendCodeKeys(of: try #require(FriendCode(entry.text("code"))))
            #expect(try keys.presharedKey.rawBytes() == entry.bytes("presharedKey"))
            #expect(try keys.tagKey.rawBytes() == entry.bytes("tagKey"))
            #expect(try keys.beaconKey.rawBytes() == entry.bytes("beaconKey"))
        }
    }

    @Test func `requests have the fields they say`() throws {
        for entry in try Vectors.read("friends").list("valid") {
            let request = try FriendRequest(decoding: entry.bytes("hex"))
            #expect(try request.certificate.user == entry.identifier("user"))
            #expect(try request.certificate.device == entry.identifier("device"))
            #expect(try request.name == entry.text("asker"))
            #expect(try request.code.description == entry.text("code"))
            #expect(try request.askedAt == entry.integer("askedAt"))
        }
    }

    @Test func `answers`() throws {
        let vectors = try Vectors.read("friends")
        for entry in vectors.list("answers") {
            var reader = WireReader(try entry.bytes("hex"))
            let answer = try FriendAnswer(from: &reader)
            try reader.finish()
            #expect(try answer.link.map { Value.text($0) } ?? .null == entry["link"])
        }
        for entry in vectors.list("invalidAnswers") {
            var reader = WireReader(try entry.bytes("hex"))
            let expected = try entry.text("reason")
            do throws(WireError) {
                _ = try FriendAnswer(from: &reader)
                Issue.record("\(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(entry.name)")
            }
        }
    }

    @Test func `device links and invite links never serve as each other`() throws {
        let vectors = try Vectors.read("device-links")
        let entry = try vectors["link"]
        let link = try InviteLink(parsing: entry.text("text"), purpose: .device)
        #expect(try link.text == entry.text("text"))
        #expect(try link.seed.description == entry.text("seed"))
        #expect(try link.group == entry.identifier("group"))
        #expect(try link.expiresAt == entry.integer("expiresAt"))
        #expect(try link.inviter == entry.identifier("inviter"))
        for (list, purpose) in [("invalidLinks", InviteLink.Purpose.device), ("invalidInvites", .join)] {
            #expect(!vectors.list(list).isEmpty)
            for entry in vectors.list(list) {
                let text = try entry.text("text")
                let expected = try entry.text("reason")
                do throws(InviteLinkError) {
                    _ = try InviteLink(parsing: text, purpose: purpose)
                    Issue.record("\(entry.name): taken")
                } catch {
                    #expect(error.reason == expected, "\(entry.name)")
                }
            }
        }
    }

    @Test func `an account's key makes one private group`() throws {
        let entry = try Vectors.read("device-links")["privateGroup"]
        let key = try SigningSecretKey(seed: entry.bytes("accountSeed"))
        let made = try PrivateGroup(accountKey: key)
        #expect(try made.founding.bytes == entry.bytes("founding"))
        #expect(try made.group == entry.identifier("group"))
        #expect(try made.accessKey.key.rawBytes() == entry.bytes("accessKey"))
        let ledger = try Ledger(founding: made.founding)
        #expect(ledger.privateUser == UserID(key.publicKey))
        #expect(ledger.state.accessKeyHashes == [made.accessKey.hash])
    }

    @Test func `a proof serves one private group, one machine and one handshake`() throws {
        let vectors = try Vectors.read("device-links")
        let group: GroupID = try vectors.identifier("group")
        let user: UserID = try vectors.identifier("user")
        let key = try SigningPublicKey(rawBytes: vectors.bytes("inviteKey"))
        for entry in vectors.list("valid") {
            var reader = WireReader(try entry.bytes("hex"))
            let proof = try DeviceProof(from: &reader)
            let isValid = proof.isValid(inviteKey: key, privateGroup: group, user: user)
            #expect(try isValid == entry.flag("isValid"), "\(entry.name)")
            guard try entry.flag("isValid") else { continue }
            #expect(try proof.device == vectors.identifier("device"))
            #expect(try proof.linkKey.rawBytes == vectors.bytes("linkKey"))
            #expect(try proof.handshakeHash == vectors.bytes("handshakeHash"))
        }
    }
}
