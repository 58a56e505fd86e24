/// One side of a Noise handshake with the suite 25519, ChaChaPoly, BLAKE2b (Noise specification revision 34, §5.3).
///
/// Pure: the ephemeral key comes in, messages go out. A value that is cheap to copy. But never *write* a message with a
/// copy and with the original: both would use one ephemeral key.
///
/// A failed read ends the handshake: every later call throws `handshakeEnded`. Where a stray message must not end it
/// (UDP), read with a copy and keep the copy only if that succeeded.
public struct NoiseHandshake: Sendable {
    /// The longest message Noise allows: 65,535 bytes (§3).
    public static let maximumMessageSize = 65_535

    public let pattern: NoisePattern
    public let role: NoiseRole

    /// The other side's static key: given beforehand, or received in the handshake; nil until then.
    ///
    /// It is proven only when the handshake is complete.
    public private(set) var remoteStaticKey: AgreementPublicKey?

    private let staticKey: AgreementSecretKey?
    private let ephemeralKey: AgreementSecretKey
    private var remoteEphemeralKey: AgreementPublicKey?
    private var presharedKeys: [SymmetricKey]
    private var usedPresharedKeyCount = 0
    private var symmetricState: NoiseSymmetricState
    private var messageIndex = 0
    private var hasEnded = false

    /// Begins a handshake.
    ///
    /// - Parameters:
    ///   - prologue: other bytes that both sides must agree on.
    ///   - staticKey: this side's key; ignored where the pattern has none.
    ///   - remoteStaticKey: for the initiator of `ik` and `xk`; nil in every other case.
    ///   - presharedKeys: one for each `psk` modifier, in the order of their positions.
    ///   - ephemeralKey: fresh for every handshake, and used for nothing else.
    /// - Throws: `missingStaticKey`, `missingRemoteStaticKey`, `unexpectedRemoteStaticKey`, `wrongPresharedKeyCount`.
    public init(
        pattern: NoisePattern, role: NoiseRole, prologue: [UInt8], staticKey: AgreementSecretKey?,
        remoteStaticKey: AgreementPublicKey?, presharedKeys: [SymmetricKey], ephemeralKey: AgreementSecretKey
    ) throws(NoiseError) {
        if pattern.base.hasStaticKeys, staticKey == nil { throw .missingStaticKey }
        let mustKnowRemote = pattern.base.responderIsKnown && role == .initiator
        if mustKnowRemote, remoteStaticKey == nil { throw .missingRemoteStaticKey }
        if !mustKnowRemote, remoteStaticKey != nil { throw .unexpectedRemoteStaticKey }
        try Self.check(presharedKeys, for: pattern)
        self.pattern = pattern
        self.role = role
        self.staticKey = pattern.base.hasStaticKeys ? staticKey : nil
        self.remoteStaticKey = remoteStaticKey
        self.presharedKeys = presharedKeys
        self.ephemeralKey = ephemeralKey
        symmetricState = NoiseSymmetricState(protocolName: pattern.protocolName)
        symmetricState.mixHash(prologue)
        if pattern.base.responderIsKnown, let known = remoteStaticKey ?? staticKey?.publicKey {
            symmetricState.mixHash(known.rawBytes)
        }
    }

    /// Whether all messages were exchanged, so that there are transport keys.
    public var isComplete: Bool { !hasEnded && messageIndex == pattern.messageCount }

    /// Whether the next step is `writeMessage`; if not and the handshake is neither complete nor ended, it is
    /// `readMessage`.
    public var isOwnTurn: Bool { canContinue && (messageIndex.isMultiple(of: 2) == (role == .initiator)) }

    /// The hash over everything both sides have seen, 64 bytes; equal on both sides, and unique to this handshake, once
    /// it is complete (channel binding, §11.2).
    public var handshakeHash: [UInt8] { symmetricState.hash }

    /// How many bytes the next message, written or read, is longer than its payload; 0 when there is none.
    public var nextMessageOverhead: Int {
        guard canContinue else { return 0 }
        var isEncrypted = symmetricState.hasKey
        var size = 0
        for token in pattern.tokens(ofMessage: messageIndex) {
            switch token {
            case .e:
                size += AgreementPublicKey.byteCount
                isEncrypted = isEncrypted || mixesEphemeralKeys
            case .s:
                size += AgreementPublicKey.byteCount + (isEncrypted ? ChaChaPoly.overhead : 0)
            case .ee, .es, .se, .ss, .psk:
                isEncrypted = true
            }
        }
        return size + (isEncrypted ? ChaChaPoly.overhead : 0)
    }

    /// The next message of this side, carrying `payload`. What protects the payload depends on the pattern (§7.7).
    ///
    /// - Throws: `outOfTurn` and `messageTooLong` without any change; `invalidKey`, which ends the handshake;
    ///   `handshakeEnded`.
    public mutating func writeMessage(_ payload: [UInt8]) throws(NoiseError) -> [UInt8] {
        if hasEnded { throw .handshakeEnded }
        guard isOwnTurn else { throw .outOfTurn }
        let size = payload.count + nextMessageOverhead
        guard size <= Self.maximumMessageSize else {
            throw .messageTooLong(maximum: Self.maximumMessageSize, actual: size)
        }
        do {
            var message: [UInt8] = []
            message.reserveCapacity(size)
            for token in pattern.tokens(ofMessage: messageIndex) {
                switch token {
                case .e: message += mixedEphemeralKey(ephemeralKey.publicKey)
                case .s: message += symmetricState.encryptAndHash(try ownStaticKey().publicKey.rawBytes)
                case .ee, .es, .se, .ss, .psk: try mix(token)
                }
            }
            message += symmetricState.encryptAndHash(payload)
            messageIndex += 1
            return message
        } catch {
            hasEnded = true
            throw error
        }
    }

    /// Reads the other side's next message and gives its payload.
    ///
    /// - Throws: `outOfTurn` without any change; `messageTooLong`, `messageTooShort`, `authenticationFailed` and
    ///   `invalidKey`, which end the handshake; `handshakeEnded`.
    public mutating func readMessage(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        if hasEnded { throw .handshakeEnded }
        guard canContinue, !isOwnTurn else { throw .outOfTurn }
        do {
            let payload = try consume(message)
            messageIndex += 1
            return payload
        } catch {
            hasEnded = true
            throw error
        }
    }

    /// The ciphers of the finished handshake. Every call gives the same keys: only one owner may seal with them.
    ///
    /// - Throws: `handshakeIncomplete`, `handshakeEnded`.
    public func transportKeys() throws(NoiseError) -> NoiseTransportKeys {
        if hasEnded { throw .handshakeEnded }
        guard isComplete else { throw .handshakeIncomplete }
        let keys = symmetricState.split()
        let (initiator, responder) = (NoiseCipher(key: keys.initiator), NoiseCipher(key: keys.responder))
        return switch role {
        case .initiator: NoiseTransportKeys(sending: initiator, receiving: responder)
        case .responder: NoiseTransportKeys(sending: responder, receiving: initiator)
        }
    }
}

extension NoiseHandshake {
    private var canContinue: Bool { !hasEnded && messageIndex < pattern.messageCount }

    /// With pre-shared keys, ephemeral keys are mixed into the key too, so that it is fresh in every handshake (§9.2).
    private var mixesEphemeralKeys: Bool { !pattern.presharedKeyPositions.isEmpty }

    private static func check(_ keys: [SymmetricKey], for pattern: NoisePattern) throws(NoiseError) {
        let expected = pattern.presharedKeyPositions.count
        guard keys.count == expected else {
            throw .wrongPresharedKeyCount(expected: expected, actual: keys.count)
        }
    }

    private mutating func consume(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        guard message.count <= Self.maximumMessageSize else {
            throw .messageTooLong(maximum: Self.maximumMessageSize, actual: message.count)
        }
        guard message.count >= nextMessageOverhead else {
            throw .messageTooShort(minimum: nextMessageOverhead, actual: message.count)
        }
        var rest = message[...]
        for token in pattern.tokens(ofMessage: messageIndex) {
            switch token {
            case .e:
                let key = AgreementPublicKey(verbatim: Array(Self.take(AgreementPublicKey.byteCount, from: &rest)))
                remoteEphemeralKey = key
                _ = mixedEphemeralKey(key)
            case .s:
                let size = AgreementPublicKey.byteCount + (symmetricState.hasKey ? ChaChaPoly.overhead : 0)
                let bytes = try symmetricState.decryptAndHash(Self.take(size, from: &rest))
                remoteStaticKey = AgreementPublicKey(verbatim: bytes)
            case .ee, .es, .se, .ss, .psk:
                try mix(token)
            }
        }
        return try symmetricState.decryptAndHash(rest)
    }

    private static func take(_ count: Int, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Mixes an ephemeral key of either side in, and gives its bytes.
    private mutating func mixedEphemeralKey(_ key: AgreementPublicKey) -> [UInt8] {
        symmetricState.mixHash(key.rawBytes)
        if mixesEphemeralKeys { symmetricState.mixKey(SecretBytes(copying: key.rawBytes, protection: .wiped)) }
        return key.rawBytes
    }

    /// Mixes an agreed secret or a pre-shared key in. The first letter of a token is the initiator's key, the second
    /// the responder's.
    private mutating func mix(_ token: NoisePattern.Token) throws(NoiseError) {
        let isInitiator = role == .initiator
        switch token {
        case .ee: try mixSecret(of: ephemeralKey, with: remoteEphemeralKey)
        case .ss: try mixSecret(of: ownStaticKey(), with: remoteStaticKey)
        case .es where isInitiator, .se where !isInitiator: try mixSecret(of: ephemeralKey, with: remoteStaticKey)
        case .es, .se: try mixSecret(of: ownStaticKey(), with: remoteEphemeralKey)
        case .psk:
            symmetricState.mixKeyAndHash(presharedKeys[usedPresharedKeyCount].secret)
            usedPresharedKeyCount += 1
        case .e, .s: preconditionFailure("keys are sent, not mixed here")
        }
    }

    private mutating func mixSecret(
        of own: AgreementSecretKey, with other: AgreementPublicKey?
    ) throws(NoiseError) {
        // The patterns never agree on a key before it was sent; `init` has checked the rest.
        guard let other else { throw .missingRemoteStaticKey }
        do {
            symmetricState.mixKey(try own.sharedSecret(with: other, protection: .wiped))
        } catch {
            throw NoiseError(error)
        }
    }

    private func ownStaticKey() throws(NoiseError) -> AgreementSecretKey {
        guard let staticKey else { throw .missingStaticKey }
        return staticKey
    }
}
