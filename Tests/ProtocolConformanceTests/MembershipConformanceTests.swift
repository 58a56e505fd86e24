import StreakCrypto
import StreakMembership
import StreakRandom
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine
@testable import streakmesh_vectors

struct MembershipConformanceTests {
    @Test func `keys and what is derived from them`() throws {
        let vectors = try Vectors.read("keys")
        for person in vectors.list("people") {
            let account = try SigningSecretKey(seed: person.bytes("accountSeed"))
            let device = try SigningSecretKey(seed: person.bytes("deviceSeed"))
            let link = try AgreementSecretKey(rawBytes: person.bytes("linkSecret"))
            #expect(try account.publicKey.rawBytes == person.bytes("user"))
            #expect(try device.publicKey.rawBytes == person.bytes("device"))
            #expect(try link.publicKey.rawBytes == person.bytes("linkKey"))
            let code = try person.text("friendCode")
            #expect(try FriendCode(of: person.identifier("user")).description == code)
            #expect(FriendCode(code.lowercased().replacing("-", with: " "))?.description == code)
        }
        for entry in vectors.list("refusedFriendCodes") {
            #expect(try FriendCode(entry.text("text")) == nil)
        }
        for entry in vectors.list("accessKeys") {
            let key = try AccessKey(rawBytes: entry.bytes("key"))
            #expect(try key.hash.description == entry.text("hash"))
            #expect(try key.linkPresharedKey.rawBytes() == entry.bytes("linkPresharedKey"))
            #expect(try key.tagKey.rawBytes() == entry.bytes("tagKey"))
            #expect(try key.beaconKey.rawBytes() == entry.bytes("beaconKey"))
            #expect(try key.groupProofKey.rawBytes() == entry.bytes("groupProofKey"))
        }
        for entry in vectors.list("invites") {
            let secrets = InviteSecrets(seed: try #require(Bytes16(entry.bytes("seed"))))
            #expect(try secrets.inviteKey.publicKey.rawBytes == entry.bytes("inviteKey"))
            #expect(try secrets.presharedKey.rawBytes() == entry.bytes("presharedKey"))
        }
    }

    @Test func `certificates say whose device it is, and only true ones are valid`() throws {
        for entry in try Vectors.read("certificates").list("valid") {
            let certificate = try DeviceCertificate(decoding: entry.bytes("hex"))
            #expect(try certificate.user == entry.identifier("user"))
            #expect(try certificate.device == entry.identifier("device"))
            #expect(try certificate.linkKey.rawBytes == entry.bytes("linkKey"))
            #expect(try certificate.links.count == entry.number("links"))
            #expect(try certificate.isValid() == entry.flag("isValid"), "\(entry.name)")
        }
    }

    @Test func `operations have the fields they say`() throws {
        let vectors = try Vectors.read("operations")
        var kinds: Set<Int> = []
        for entry in vectors.list("valid") {
            let signed = try SignedOperation(decoding: entry.bytes("hex"))
            let operation = signed.operation
            kinds.insert(Int(operation.body.kind.rawValue))
            #expect(try Int(operation.body.kind.rawValue) == entry.number("kind"))
            #expect(try signed.id == entry.identifier("id"))
            #expect(try operation.group == entry.identifier("group"))
            #expect(try operation.author == entry.identifier("author"))
            #expect(try Int(operation.number) == entry.number("number"))
            #expect(try operation.previous == entry.identifier("previous"))
            #expect(operation.parents.map { .text($0.description) } == entry.list("parents"))
            #expect(try operation.time == entry.integer("time"))
            #expect(try operation.tail == entry.bytes("tail"))
            #expect(signed.hasValidSignature(), "\(entry.name)")
        }
        #expect(kinds == Set(OperationBody.Kind.allCases.map { Int($0.rawValue) }))
        for entry in vectors.list("forged") {
            #expect(try !SignedOperation(decoding: entry.bytes("hex")).hasValidSignature(), "\(entry.name)")
        }
    }

    /// Orders of arrival: as written, reversed, and shuffled.
    private func orders(_ operations: [SignedOperation]) -> [[SignedOperation]] {
        let rest = Array(operations.dropFirst())
        var numbers = SplitMix64(seed: 5)
        return [rest, rest.reversed()] + (0..<6).map { _ in rest.shuffled(using: &numbers) }
    }

    @Test func `sets of operations amount to what they say, in any order`() throws {
        for entry in try Vectors.read("ledgers").list("sets") {
            let operations = try entry.list("operations").map { try SignedOperation(decoding: $0.bytes("hex")) }
            for order in orders(operations) {
                var ledger = try Ledger(founding: operations[0])
                for operation in order { _ = try ledger.insert(operation) }
                #expect(ledger.pendingCount == 0)
                let state = ledger.state
                #expect(try state.group == entry.identifier("group"))
                #expect(try state.title == entry.text("title"), "\(entry.name)")
                let members = Dictionary(
                    uniqueKeysWithValues: state.members.map { ($0.user.description, "\($0.role)") })
                let expected = try entry.list("members").map { (try $0.text("user"), try $0.text("role")) }
                #expect(members == Dictionary(uniqueKeysWithValues: expected), "\(entry.name)")
                #expect(
                    Set(state.removedUsers.map { Value.text($0.user.description) }).isSuperset(of: entry.list("former"))
                )
                #expect(state.erasedUsers.map { .text($0.description) } == entry.list("erased"), "\(entry.name)")
                #expect(try state.heir.map { .text($0.description) } ?? .null == entry["heir"], "\(entry.name)")
                let devices = state.devices.filter(\.isCurrent).map { Value.text($0.device.description) }
                #expect(devices == entry.list("devices"), "\(entry.name)")
                #expect(
                    state.accessKeyHashes.map { .text($0.description) } == entry.list("accessKeyHashes"),
                    "\(entry.name)")
                let settings = try entry["settings"]
                #expect(try Int(state.settings.whoMayInvite.rawValue) == settings.number("whoMayInvite"))
                let choices = try settings.list("choices").map { choice -> GroupSettings.Choice in
                    GroupSettings.Choice(key: UInt8(try choice.number("key")), value: try choice.integer("value"))
                }
                #expect(state.settings.choices == choices)
                #expect(
                    state.requests.map { .text($0.id.description) } == entry.list("requests"), "\(entry.name)")
                let tips = try entry.list("countingTips").map { "\(try $0.text("device")) \(try $0.text("operation"))" }
                #expect(ledger.countingTips.map { "\($0.device) \($0.operation)" } == tips, "\(entry.name)")
                let refused = operations.compactMap { operation -> String? in
                    ledger.refusal(of: operation.id).map { "\(operation.id) \($0.reason)" }
                }
                let expectedRefusals = try entry.list("refused").map {
                    "\(try $0.text("operation")) \(try $0.text("reason"))"
                }
                #expect(refused.sorted() == expectedRefusals.sorted(), "\(entry.name)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `feeds count up to where the sets say, whether they came before their cuts or after`(isEarly: Bool) throws {
        let wall = WallTime(milliseconds: Cast.now * 1_000)
        var count = 0
        for entry in try Vectors.read("ledgers").list("sets") where !entry.list("feeds").isEmpty {
            let operations = try entry.list("operations").map { try SignedOperation(decoding: $0.bytes("hex")) }
            var replica = GroupReplica(ledger: try Ledger(founding: operations[0]), accessKeys: [])
            var runs = try entry.list("feeds").flatMap { feed in
                try feed.list("runs").map { run -> Run in
                    var reader = WireReader(try run.bytes("hex"))
                    return try Run(from: &reader)
                }
            }
            for operation in operations.dropFirst() {
                _ = try replica.insert(operation, arrival: 1)
                guard isEarly else { continue }
                // Refused until its device is known.
                runs = runs.filter { (try? replica.receive($0, arrival: 1, wall: wall)) == nil }
            }
            // Refused if a cut keeps nothing of it.
            for run in runs { _ = try? replica.receive(run, arrival: 2, wall: wall) }
            _ = replica.rebuild(wall: wall)
            for feed in entry.list("feeds") {
                let id = FeedID(device: try feed.identifier("device"), epoch: try feed.epoch("epoch"))
                let tips = replica.countingTips(changedSince: 0).filter { $0.feed == id }
                let found = tips.map { "\($0.tip.number) \($0.tip.hash)" }
                let ends = try feed.list("ends").map { "\(try $0.number("number")) \(try $0.text("hash"))" }
                #expect(found.sorted() == ends.sorted(), "\(entry.name)")
                count += 1
            }
        }
        #expect(count > 15)
    }

    @Test func `what no ledger takes is refused with its reason`() throws {
        for entry in try Vectors.read("ledgers").list("refusals") {
            let operations = try entry.list("ledger").map { value -> SignedOperation in
                guard case .text(let digits) = value, let bytes = [UInt8](hexadecimal: digits) else {
                    throw VectorProblem(text: "an operation that is not hexadecimal")
                }
                return try SignedOperation(decoding: bytes)
            }
            var ledger = try Ledger(founding: operations[0])
            for operation in operations.dropFirst() { _ = try ledger.insert(operation) }
            let before = ledger.state
            for offer in entry.list("offers") {
                let operation = try SignedOperation(decoding: offer.bytes("hex"))
                let expected = try offer.text("reason")
                do throws(LedgerError) {
                    _ = try ledger.insert(operation)
                    Issue.record("\(offer.name): taken")
                } catch {
                    #expect(error.reason == expected, "\(offer.name)")
                }
                #expect(ledger.count == operations.count)
                #expect(ledger.state == before)
            }
        }
    }

    @Test func `links say what they say`() throws {
        let vectors = try Vectors.read("invites")
        for entry in vectors.list("valid") {
            let link = try InviteLink(parsing: entry.text("text"))
            #expect(try link.text == entry.text("text"))
            #expect(try link.seed.description == entry.text("seed"))
            #expect(try link.group == entry.identifier("group"))
            #expect(try link.expiresAt == entry.integer("expiresAt"))
            #expect(try link.title == entry.text("title"))
            #expect(
                link.addresses.map { Value.list($0.map { .text($0.description) }) } == entry.list("addresses"))
            #expect(try link.inviter == entry.identifier("inviter"))
            #expect(try link.secrets.inviteKey.publicKey.rawBytes == entry.bytes("inviteKey"))
            #expect(try link.secrets.presharedKey.rawBytes() == entry.bytes("presharedKey"))
            #expect(link.isExpired(at: link.expiresAt))
            #expect(!link.isExpired(at: link.expiresAt - 1))
        }
        for entry in vectors.list("accepted") {
            #expect(try InviteLink(parsing: entry.text("text")).text == entry.text("means"), "\(entry.name)")
        }
        for entry in vectors.list("invalid") {
            let text = try entry.text("text")
            let expected = try entry.text("reason")
            do throws(InviteLinkError) {
                _ = try InviteLink(parsing: text)
                Issue.record("\(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(entry.name)")
            }
        }
    }

    @Test func `proofs serve one group, one newcomer and one handshake`() throws {
        let vectors = try Vectors.read("join-proofs")
        let group: GroupID = try vectors.identifier("group")
        let key = try SigningPublicKey(rawBytes: vectors.bytes("inviteKey"))
        let certificate = try DeviceCertificate(decoding: vectors.bytes("certificate"))
        #expect(try Blake2b.hash(vectors.bytes("linkHash"), size: 64) == vectors.bytes("handshakeHash"))
        for entry in vectors.list("valid") {
            var reader = WireReader(try entry.bytes("hex"))
            let proof = try JoinProof(from: &reader)
            #expect(
                try proof.isValid(inviteKey: key, group: group, certificate: certificate) == entry.flag("isValid"),
                "\(entry.name)")
        }
    }
}
