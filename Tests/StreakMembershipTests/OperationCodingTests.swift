import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

struct OperationCodingTests {
    /// One operation of every kind, with every kind of field filled.
    static func samples() throws -> [SignedOperation] {
        let olga = Person(1), bob = Person(2)
        var settings = GroupSettings(whoMayInvite: .admins)
        settings[3] = 7
        settings[200] = .max
        var group = try TestGroup(founder: olga, settings: settings)
        let feeds = [
            FeedCut(
                epoch: Epoch(counter: 1, nonce: 2), number: 1_048_576, hash: ChainHash(bytes: Bytes32(1, 2, 3, 4)),
                signature: bob.identity.signingKey.signature(for: [1])),
            FeedCut(
                epoch: Epoch(counter: 2, nonce: 1), number: 1, hash: ChainHash(bytes: .zero),
                signature: bob.identity.signingKey.signature(for: [2])),
        ]
        let phone = bob.anotherDevice(9, certifiedBy: bob.identity)
        let cuts = [
            DeviceCut(device: bob.device, lastOperation: OperationID(bytes: Bytes32(4, 3, 2, 1)), feeds: feeds),
            DeviceCut(device: phone.device, lastOperation: OperationID(bytes: .zero), feeds: []),
        ]
        let secrets = group.freshSecrets()
        let invite = (id: OperationID(bytes: Bytes32(5, 5, 5, 5)), secrets: secrets)
        let revocation = DeviceRevocation(
            accountKey: bob.accountKey, group: group.ledger.group, cut: cuts[0], accessKeyHash: .zero)
        let everywhere = DeviceRevocation(
            accountKey: bob.accountKey, everywhere: bob.device, keeping: [Bytes32(2, 0, 0, 0), Bytes32(1, 0, 0, 0)],
            accessKeyHash: .zero)
        let bodies: [OperationBody] = [
            .invite(secrets.terms(maximumUses: .max, expiresAt: -1, needsApproval: true)),
            .revokeInvite(invite.id),
            .request(group.claim(phone, invite)),
            .admit(group.claim(phone, invite)),
            .addDevice(phone.certificate),
            .revokeDevice(revocation),
            .revokeDevice(everywhere),
            .setRole(RoleChange(user: bob.user, change: .member, cuts: cuts)),
            .setRole(RoleChange(user: bob.user, change: .heir)),
            .transfer(Transfer(newOwner: bob.user, cuts: cuts)),
            .remove(Removal(user: bob.user, cuts: cuts, accessKeyHash: Bytes32(6, 6, 6, 6))),
            .leave(Departure(erases: true, cuts: cuts)),
            .rename("Ügly ducklings 🦆"),
            .settings(settings),
        ]
        let head = try #require(group.ledger.allOperations.first)
        return [head]
            + (try bodies.map {
                try group.signed(
                    $0, by: olga.identity, parents: [invite.id, OperationID(bytes: phone.device.bytes)], after: head)
            })
    }

    @Test func `every kind survives encoding and decoding byte for byte`() throws {
        let samples = try Self.samples()
        #expect(Set(samples.map(\.operation.body.kind)) == Set(OperationBody.Kind.allCases))
        for sample in samples {
            let decoded = try SignedOperation(decoding: sample.bytes)
            #expect(decoded.operation == sample.operation)
            #expect(decoded.bytes == sample.bytes)
            #expect(decoded.id == sample.id)
            #expect(decoded.hasValidSignature())
            let again = try SignedOperation(signing: decoded.operation, with: Person(1).identity.signingKey)
            #expect(again.bytes == sample.bytes, "encode∘decode is the identity for \(sample.operation.body.kind)")
        }
    }

    @Test func `a tail is carried unread`() throws {
        let olga = Person(1)
        let sample = try Self.samples()[1].operation
        let extended = LedgerOperation(
            group: sample.group, author: sample.author, number: sample.number, previous: sample.previous,
            parents: sample.parents, time: sample.time, body: sample.body, tail: [1, 2, 3])
        let signed = try SignedOperation(signing: extended, with: olga.identity.signingKey)
        let decoded = try SignedOperation(decoding: signed.bytes)
        #expect(decoded.operation.tail == [1, 2, 3])
        #expect(decoded.hasValidSignature())
    }

    @Test func `truncated and altered bytes never trap and never pass for the original`() throws {
        for sample in try Self.samples() {
            for count in 0..<sample.bytes.count {
                // A truncated operation is either refused or read as one with another signature.
                let cut = try? SignedOperation(decoding: Array(sample.bytes.prefix(count)))
                #expect(cut?.hasValidSignature() != true)
            }
            for index in sample.bytes.indices {
                var altered = sample.bytes
                altered[index] ^= 1 << UInt8(index % 8)
                guard let decoded = try? SignedOperation(decoding: altered) else { continue }
                #expect(decoded.id != sample.id)
                if index.isMultiple(of: 16) { #expect(!decoded.hasValidSignature()) }
                #expect(decoded.operation.encoded() == Array(altered.dropLast(64)), "one value has one form")
            }
        }
    }

    @Test func `the limits of fields are kept`() throws {
        let olga = Person(1)
        let group = try TestGroup(founder: olga)
        let long = String(repeating: "x", count: 61)
        #expect(throws: LedgerError.refused(.invalidTitle)) {
            _ = try group.ledger.draft(.rename(long), by: olga.identity, at: 0)
        }
        for title in ["", "a\u{202E}b", "a\nb", "T\u{061C}x", "\u{200B}", " \u{3164}"] {
            #expect(throws: LedgerError.refused(.invalidTitle)) {
                _ = try group.ledger.draft(.rename(title), by: olga.identity, at: 0)
            }
        }
        let wire = try group.signed(
            .rename(String(repeating: "x", count: 241)), by: olga.identity, parents: [],
            after: group.last(of: olga.device))
        #expect(throws: WireError.limitExceeded(limit: 240, actual: 241)) {
            _ = try SignedOperation(decoding: wire.bytes)
        }
        let secrets = InviteSecrets(seed: Bytes16(1, 1))
        for expiry in [0, 91 * 86_400] as [Int64] {
            #expect(throws: LedgerError.refused(.invalidExpiry)) {
                _ = try group.ledger.draft(
                    .invite(secrets.terms(maximumUses: 1, expiresAt: expiry)), by: olga.identity, at: 0)
            }
        }
        #expect(throws: WireError.limitExceeded(limit: 8_192, actual: 8_193)) {
            _ = try SignedOperation(decoding: [UInt8](repeating: 0, count: 8_193))
        }
    }

    @Test func `cuts of a device with hundreds of epochs still fit one operation`() throws {
        let olga = Person(1), bob = Person(2)
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let signature = bob.identity.signingKey.signature(for: [1])
        let feeds = (1...256).map {
            FeedCut(
                epoch: Epoch(counter: $0, nonce: 1), number: UInt64($0), hash: ChainHash(bytes: .zero),
                signature: signature)
        }
        let cuts = group.ledger.cuts(of: bob.user) { _ in feeds }
        #expect(cuts.first?.feeds.last?.number == 256)
        try group.perform(
            .remove(Removal(user: bob.user, cuts: cuts, accessKeyHash: .zero)), by: olga.identity)
        #expect(!group.has(bob))
    }

    @Test func `a certificate chain verifies and breaks with any byte`() throws {
        let bob = Person(2)
        let second = bob.anotherDevice(9, certifiedBy: bob.identity)
        let third = bob.anotherDevice(10, certifiedBy: second)
        let bytes = third.certificate.encoded()
        #expect(try DeviceCertificate(decoding: bytes) == third.certificate)
        #expect(third.certificate.isValid())
        #expect(third.certificate.issuers == [bob.device, second.device])
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 0x40
            let decoded = try? DeviceCertificate(decoding: altered)
            #expect(decoded?.isValid() != true)
        }
    }

    @Test func `a chain of five certificates ends`() throws {
        let bob = Person(2)
        var device = bob.identity
        for seed in 0..<4 { device = bob.anotherDevice(50 + UInt64(seed), certifiedBy: device) }
        #expect(device.certificate.links.count == 5)
        let other = Person(3).identity
        #expect(device.certificate(for: other.consent(to: device.user)) == nil)
    }
}
