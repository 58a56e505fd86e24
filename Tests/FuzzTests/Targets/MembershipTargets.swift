import StreakCrypto
import StreakWire

@testable import StreakMembership

extension FuzzTarget {
    /// Certificates, proofs, requests and operations of the ledger.
    static let membershipTargets: [FuzzTarget] = [
        FuzzTarget("certificate") { bytes in
            guard let certificate = accepted({ try DeviceCertificate(decoding: bytes) }) else { return }
            try demand(certificate.encoded() == bytes, "a certificate is encoded as it came")
            _ = certificate.isValid()
        },
        FuzzTarget("join-proof") { bytes in
            guard let proof = whole(bytes, { reader throws(WireError) in try JoinProof(from: &reader) }) else { return }
            try demand(written { proof.write(to: &$0) } == bytes, "a proof is encoded as it came")
        },
        FuzzTarget("device-proof") { bytes in
            guard let proof = whole(bytes, { reader throws(WireError) in try DeviceProof(from: &reader) }) else {
                return
            }
            try demand(written { proof.write(to: &$0) } == bytes, "a proof is encoded as it came")
        },
        FuzzTarget("notice") { bytes in
            // Padded as a member would who lies about what is in it.
            let plain = Array((bytes + [UInt8](repeating: 0, count: 956)).prefix(956))
            var entropy = SeededEntropy(seed: 1)
            let place = RendezvousKey(of: AccessKey.generate(from: &entropy)).place(of: DeviceID(bytes: .zero), day: 1)
            let notice = place.notice(sealing: plain, sequence: 1, entropy: &entropy)
            guard let content = place.open(notice.value) else { return }
            let again = place.notice(of: content, sequence: 1, entropy: &entropy)
            try demand(place.open(again.value) == content, "what a notice holds is kept")
            _ = content.whereabouts?.isSigned
        },
        FuzzTarget("whereabouts") { bytes in
            guard let whereabouts = accepted({ try Whereabouts(decoding: bytes) }) else { return }
            try demand(whereabouts.bytes == bytes, "whereabouts keep their bytes")
            try demand(
                whereabouts.entries.allSatisfy { $0.endpoint.mayBeTold }, "nobody is sent where no friend can be")
            _ = whereabouts.isSigned
        },
        FuzzTarget("friend-request") { bytes in
            guard let request = accepted({ try FriendRequest(decoding: bytes) }) else { return }
            try demand(request.bytes == bytes, "a request keeps its bytes")
        },
        FuzzTarget("friend-answer") { bytes in
            guard let answer = whole(bytes, { reader throws(WireError) in try FriendAnswer(from: &reader) }) else {
                return
            }
            try demand(written { answer.write(to: &$0) } == bytes, "an answer is encoded as it came")
        },
        FuzzTarget("friend-code-keys") { bytes in
            guard let keys = whole(bytes, { reader throws(WireError) in try FriendCodeKeys(from: &reader) }) else {
                return
            }
            // A code reads in either case, as people type it.
            let again = whole(written { keys.write(to: &$0) }) { reader throws(WireError) in
                try FriendCodeKeys(from: &reader)
            }
            try demand(again == keys, "keys of a code are what they were encoded from")
        },
        FuzzTarget("operation") { bytes in
            guard let signed = accepted({ try SignedOperation(decoding: bytes) }) else { return }
            try demand(
                signed.operation.encoded() == bytes.dropLast(Signature.byteCount), "an operation is encoded as it came")
            // The founding one begins a ledger of its own.
            guard var ledger = accepted({ try Ledger(founding: signed) }) else { return }
            _ = ledger.state
            try demand(accepted { try ledger.insert(signed) } != nil, "a ledger takes its own beginning again")
        },
        FuzzTarget("ledger", ledger),
    ]

    /// What `read` reads, if it reads all of the bytes.
    private static func whole<Value>(
        _ bytes: [UInt8], _ read: (inout WireReader) throws(WireError) -> Value
    ) -> Value? {
        accepted {
            var reader = WireReader(bytes)
            let value = try read(&reader)
            try reader.finish()
            return value
        }
    }

    private static func written(_ write: (inout WireWriter) -> Void) -> [UInt8] {
        var writer = WireWriter()
        write(&writer)
        return writer.bytes
    }

    // MARK: Ledger

    /// A group of four accounts, and the keys of all of them.
    private struct Circle: Sendable {
        let ledger: Ledger
        let identities: [DeviceIdentity]
    }

    private static let circle: Circle? = accepted {
        var entropy = SeededEntropy(seed: 5)
        let identities = (0..<4).map { _ in
            DeviceIdentity.create(accountKey: SigningSecretKey.generate(from: &entropy), from: &entropy)
        }
        let founding = try Ledger.found(
            title: "Friends", settings: GroupSettings(), identity: identities[0],
            accessKey: AccessKey.generate(from: &entropy), at: 1_795_000_000, entropy: &entropy)
        var ledger = try Ledger(founding: founding)
        ledger.rules.verified = VerifiedOperations()
        let secrets = InviteSecrets(seed: Bytes16(1, 2))
        let terms = secrets.terms(maximumUses: 0, expiresAt: 1_795_086_400)
        let invite = try ledger.draft(.invite(terms), by: identities[0], at: 1_795_000_000)
        _ = try ledger.insert(invite)
        for identity in identities[1...2] {
            let proof = JoinProof(
                inviteKey: secrets.inviteKey, group: ledger.group, identity: identity,
                handshakeHash: [UInt8](repeating: 1, count: 64))
            let claim = JoinClaim(invite: invite.id, certificate: identity.certificate, proof: proof)
            _ = try ledger.insert(try ledger.draft(.admit(claim), by: identities[0], at: 1_795_000_000))
        }
        _ = try ledger.insert(
            try ledger.draft(
                .setRole(RoleChange(user: identities[1].user, change: .admin)), by: identities[0], at: 1_795_000_000))
        return Circle(ledger: ledger, identities: identities)
    }

    /// Operations with any body, any parents and any place in their author's chain, signed by who they say they are of.
    /// The state is the same whichever way round they arrive.
    @Sendable private static func ledger(_ bytes: [UInt8]) throws {
        guard let circle, let founding = circle.ledger.allOperations.first else {
            throw FuzzFinding(description: "the group could not be made")
        }
        var source = ByteSource(bytes)
        var ledger = circle.ledger
        var added: [SignedOperation] = []
        while !source.isEmpty, added.count < 24 {
            guard let operation = operation(from: &source, for: ledger, of: circle) else { continue }
            // What every node refuses is no part of the ledger.
            guard case .added? = accepted({ try ledger.insert(operation) }) else { continue }
            added.append(operation)
            ledger.rules.verified?.insert(operation.id)
        }
        var other = try Ledger(founding: founding)
        other.rules = ledger.rules
        for operation in circle.ledger.allOperations { _ = try other.insert(operation) }
        for operation in added.reversed() { _ = accepted { try other.insert(operation) } }
        try demand(other.state == ledger.state, "the order of arrival does not matter")
        try demand(other.countingTips == ledger.countingTips, "what counts does not depend on the order of arrival")
    }

    private static func operation(
        from source: inout ByteSource, for ledger: Ledger, of circle: Circle
    ) -> SignedOperation? {
        let author = circle.identities[source.choice(of: circle.identities.count)]
        let known = ledger.allOperations
        let parentCount = source.choice(of: 4)
        var parents = parentCount == 0 ? Set(ledger.heads) : []
        for _ in 0..<parentCount { if let parent = source.element(of: known) { parents.insert(parent.id) } }
        let own = ledger.operations(from: author.device, after: 0)
        let previous = source.choice(of: 8) == 0 ? source.element(of: own) : own.last
        if let previous { parents.insert(previous.id) }
        let kind = OperationBody.Kind(rawValue: source.byte())
        let rest = source.piece()
        guard let kind, parents.count <= LedgerOperation.maximumParents,
            let body = accepted({
                var reader = WireReader(substituted(rest, of: circle.identities, in: ledger))
                return try OperationBody(kind, from: &reader)
            })
        else { return nil }
        return accepted {
            try SignedOperation(
                signing: LedgerOperation(
                    group: ledger.group, author: author.device, number: (previous?.operation.number ?? 0) + 1,
                    previous: previous?.id ?? .none, parents: Array(parents), time: 1_795_000_000, body: body),
                with: author.signingKey)
        }
    }

    /// Names that a fuzzer never guesses stand for two bytes: 0xA0 and a number of an account, 0xA1 of a device, 0xA2 of an
    /// operation, 0xA3 of a certificate. 0xA4 makes the next byte plain.
    static func substituted(_ bytes: [UInt8], of identities: [DeviceIdentity], in ledger: Ledger) -> [UInt8] {
        var source = ByteSource(bytes)
        var result: [UInt8] = []
        while !source.isEmpty {
            let byte = source.byte()
            switch byte {
            case 0xA0: result += source.element(of: identities)?.user.bytes.array ?? []
            case 0xA1: result += source.element(of: identities)?.device.bytes.array ?? []
            case 0xA2: result += source.element(of: ledger.allOperations)?.id.bytes.array ?? []
            case 0xA3: result += source.element(of: identities)?.certificate.encoded() ?? []
            case 0xA4: result.append(source.byte())
            default: result.append(byte)
            }
        }
        return result
    }
}
