import StreakCrypto
import Testing

@Suite struct NoiseHandshakeTests {
    struct Parties {
        var entropy: SeededEntropy
        let initiatorKey: AgreementSecretKey
        let responderKey: AgreementSecretKey

        init(seed: UInt64) {
            entropy = SeededEntropy(seed: seed)
            initiatorKey = .generate(from: &entropy)
            responderKey = .generate(from: &entropy)
        }

        mutating func initiator(
            _ pattern: NoisePattern, presharedKeys: [SymmetricKey] = [], prologue: [UInt8] = []
        ) throws -> NoiseHandshake {
            try NoiseHandshake(
                pattern: pattern, role: .initiator, prologue: prologue, staticKey: initiatorKey,
                remoteStaticKey: pattern.protocolName.contains("_XX") || pattern.protocolName.contains("_NN")
                    ? nil : responderKey.publicKey,
                presharedKeys: presharedKeys, ephemeralKey: .generate(from: &entropy))
        }

        mutating func responder(
            _ pattern: NoisePattern, presharedKeys: [SymmetricKey] = [], prologue: [UInt8] = []
        ) throws -> NoiseHandshake {
            try NoiseHandshake(
                pattern: pattern, role: .responder, prologue: prologue, staticKey: responderKey,
                remoteStaticKey: nil, presharedKeys: presharedKeys, ephemeralKey: .generate(from: &entropy))
        }
    }

    /// The three handshakes of StreakMesh; `XXpsk0` alone is in no public vector set.
    static let patterns = [
        NoisePattern.ik.addingPresharedKeys(at: [2]), .xx.addingPresharedKeys(at: [0]), .xx,
    ]

    @Test(arguments: patterns)
    func `both sides agree on hash, keys and identities`(pattern: NoisePattern) throws {
        var parties = Parties(seed: 20)
        let keys = pattern.presharedKeyPositions.map { _ in SymmetricKey.generate(from: &parties.entropy) }
        var initiator = try parties.initiator(pattern, presharedKeys: keys, prologue: [1])
        var responder = try parties.responder(pattern, presharedKeys: keys, prologue: [1])
        for index in 0..<pattern.messageCount {
            let payload = [UInt8](repeating: UInt8(index), count: index)
            if index.isMultiple(of: 2) {
                #expect(try responder.readMessage(initiator.writeMessage(payload)) == payload)
            } else {
                #expect(try initiator.readMessage(responder.writeMessage(payload)) == payload)
            }
        }
        #expect(initiator.handshakeHash == responder.handshakeHash)
        #expect(initiator.handshakeHash.count == 64)
        #expect(initiator.remoteStaticKey == parties.responderKey.publicKey)
        #expect(responder.remoteStaticKey == parties.initiatorKey.publicKey)
        let (left, right) = try (initiator.transportKeys(), responder.transportKeys())
        let sealed = try left.sending.seal([7], counter: 5, authenticating: [8])
        #expect(try right.receiving.open(sealed, counter: 5, authenticating: [8]) == [7])
        #expect(throws: NoiseError.authenticationFailed) {
            try right.sending.open(sealed, counter: 5, authenticating: [8])
        }
    }

    @Test(arguments: patterns)
    func `another prologue fails`(pattern: NoisePattern) throws {
        var parties = Parties(seed: 21)
        let keys = pattern.presharedKeyPositions.map { _ in SymmetricKey.generate(from: &parties.entropy) }
        var initiator = try parties.initiator(pattern, presharedKeys: keys, prologue: [1])
        var responder = try parties.responder(pattern, presharedKeys: keys, prologue: [2])
        #expect(throws: NoiseError.authenticationFailed) {
            _ = try responder.readMessage(initiator.writeMessage([]))
            _ = try initiator.readMessage(responder.writeMessage([]))
        }
    }

    @Test func `a responder finds the pre-shared key by trying each`() throws {
        var parties = Parties(seed: 22)
        let pattern = NoisePattern.xx.addingPresharedKeys(at: [0])
        let candidates = (0..<4).map { _ in SymmetricKey.generate(from: &parties.entropy) }
        var initiator = try parties.initiator(pattern, presharedKeys: [candidates[2]])
        let message = try initiator.writeMessage([9])
        var matches: [NoiseHandshake] = []
        for candidate in candidates {
            var attempt = try parties.responder(pattern, presharedKeys: [candidate])
            do {
                #expect(try attempt.readMessage(message) == [9])
                matches.append(attempt)
            } catch {
                #expect(error == .authenticationFailed)
            }
        }
        #expect(matches.count == 1)
        #expect(try initiator.readMessage(matches[0].writeMessage([4])) == [4])
    }

    @Test func `a responder with another pre-shared key learns who asks, and gets no further`() throws {
        var parties = Parties(seed: 23)
        let pattern = NoisePattern.ik.addingPresharedKeys(at: [2])
        let right = SymmetricKey.generate(from: &parties.entropy)
        let wrong = SymmetricKey.generate(from: &parties.entropy)
        var initiator = try parties.initiator(pattern, presharedKeys: [right])
        var responder = try parties.responder(pattern, presharedKeys: [wrong])
        _ = try responder.readMessage(initiator.writeMessage([]))
        #expect(responder.remoteStaticKey == parties.initiatorKey.publicKey)

        #expect(throws: NoiseError.authenticationFailed) { try initiator.readMessage(responder.writeMessage([])) }
    }

    @Test func `a responder without the static key the initiator meant fails`() throws {
        var parties = Parties(seed: 24)
        var stranger = Parties(seed: 25)
        var initiator = try parties.initiator(.ik)
        var responder = try stranger.responder(.ik)
        let message = try initiator.writeMessage([])
        #expect(throws: NoiseError.authenticationFailed) { try responder.readMessage(message) }
    }

    @Test func `a key that is missing or would go unchecked is refused`() throws {
        var parties = Parties(seed: 26)
        let (own, other) = (parties.initiatorKey, parties.responderKey.publicKey)
        let ephemeral = AgreementSecretKey.generate(from: &parties.entropy)
        func make(
            _ pattern: NoisePattern, _ role: NoiseRole, _ key: AgreementSecretKey?, _ remote: AgreementPublicKey?
        ) throws(NoiseError) {
            _ = try NoiseHandshake(
                pattern: pattern, role: role, prologue: [], staticKey: key, remoteStaticKey: remote,
                presharedKeys: [], ephemeralKey: ephemeral)
        }
        #expect(throws: NoiseError.missingStaticKey) { try make(.xx, .initiator, nil, nil) }
        #expect(throws: NoiseError.missingStaticKey) { try make(.ik, .responder, nil, nil) }
        #expect(throws: NoiseError.missingRemoteStaticKey) { try make(.ik, .initiator, own, nil) }
        #expect(throws: NoiseError.missingRemoteStaticKey) { try make(.xk, .initiator, own, nil) }
        #expect(throws: NoiseError.unexpectedRemoteStaticKey) { try make(.xx, .initiator, own, other) }
        #expect(throws: NoiseError.unexpectedRemoteStaticKey) { try make(.ik, .responder, own, other) }
        #expect(throws: NoiseError.wrongPresharedKeyCount(expected: 1, actual: 0)) {
            try make(.xx.addingPresharedKeys(at: [0]), .initiator, own, nil)
        }
        try make(.nn, .initiator, nil, nil)
    }

    @Test func `calls out of turn change nothing`() throws {
        var parties = Parties(seed: 27)
        var initiator = try parties.initiator(.xx)
        var responder = try parties.responder(.xx)
        #expect(throws: NoiseError.outOfTurn) { try initiator.readMessage([1]) }
        #expect(throws: NoiseError.outOfTurn) { try responder.writeMessage([]) }
        #expect(throws: NoiseError.handshakeIncomplete) { try initiator.transportKeys() }
        _ = try responder.readMessage(initiator.writeMessage([]))
        _ = try initiator.readMessage(responder.writeMessage([]))
        _ = try responder.readMessage(initiator.writeMessage([]))
        #expect(throws: NoiseError.outOfTurn) { try initiator.writeMessage([]) }
        #expect(throws: NoiseError.outOfTurn) { try initiator.readMessage([]) }
        #expect(initiator.isComplete && responder.isComplete)
    }

    @Test func `an ephemeral key of low order ends the handshake`() throws {
        var parties = Parties(seed: 28)
        var responder = try parties.responder(.ik)
        let message = [UInt8](repeating: 0, count: 96)
        #expect(throws: NoiseError.invalidKey) { try responder.readMessage(message) }
        #expect(throws: NoiseError.handshakeEnded) { try responder.readMessage(message) }
    }

    @Test func `a message has at most 65,535 bytes`() throws {
        var parties = Parties(seed: 29)
        var initiator = try parties.initiator(.ik)
        var responder = try parties.responder(.ik)
        let room = NoiseHandshake.maximumMessageSize - initiator.nextMessageOverhead
        #expect(throws: NoiseError.messageTooLong(maximum: 65_535, actual: 65_536)) {
            try initiator.writeMessage([UInt8](repeating: 1, count: room + 1))
        }
        let longest = try initiator.writeMessage([UInt8](repeating: 1, count: room))
        #expect(longest.count == 65_535)
        var other = responder
        #expect(throws: NoiseError.messageTooLong(maximum: 65_535, actual: 65_536)) {
            try other.readMessage(longest + [0])
        }
        #expect(try responder.readMessage(longest).count == room)
    }
}
