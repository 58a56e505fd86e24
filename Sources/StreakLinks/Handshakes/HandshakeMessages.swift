import StreakCrypto
import StreakWire

/// The three handshakes. On the wire the size of message 1 tells which one it is.
public enum HandshakeKind: Sendable {
    /// IKpsk2: both sides have an access key, and the initiator knows the responder's static key.
    case member
    /// XXpsk0 under an invite's key.
    case invite
    /// XXpsk0 under the key of a friend code; message 2 shows the responder's credential.
    case friend

    var pattern: NoisePattern {
        self == .member ? HandshakeMessages.memberPattern : HandshakeMessages.invitePattern
    }

    var initiationSize: Int {
        switch self {
        case .member: HandshakeMessages.memberInitiationSize
        case .invite: HandshakeMessages.inviteInitiationSize
        case .friend: HandshakeMessages.friendMessageSize
        }
    }

    var responseSize: Int {
        switch self {
        case .member: HandshakeMessages.memberResponseSize
        case .invite: HandshakeMessages.inviteResponseSize
        case .friend: HandshakeMessages.friendMessageSize
        }
    }
}

/// Builds and reads the messages of the handshakes, in the layouts of Protocol/links.md.
enum HandshakeMessages {
    static let tagSize = 16
    static let nonceSize = 16
    /// Type, version, sender index.
    static let initiationHeaderSize = 6
    /// Message 1 of IKpsk2: e, s, payload.
    static let memberInitiationSize = initiationHeaderSize + 32 + 48 + nonceSize + 16 + tagSize
    /// Message 1 of XXpsk0: e, payload.
    static let inviteInitiationSize = initiationHeaderSize + 32 + nonceSize + 16 + tagSize
    /// Type, receiver index.
    static let responseHeaderSize = 5
    /// The responder's nonce, then its index. They are encrypted, because no tag covers a response.
    static let responsePayloadSize = nonceSize + 4
    static let memberResponseSize = responseHeaderSize + 32 + responsePayloadSize + 16
    static let inviteResponseSize = responseHeaderSize + 32 + 48 + responsePayloadSize + 16
    /// Messages 1 and 2 under a friend code, padded. An answer is then no larger than the question, and its size says
    /// nothing about the certificate in it.
    static let friendMessageSize = ProtocolLimits.maximumDatagramSize
    /// Nonce, then zeros.
    static let friendInitiationPayloadSize = friendMessageSize - initiationHeaderSize - 32 - 16 - tagSize
    /// Nonce, index, credential with its length, then zeros.
    static let friendResponsePayloadSize = friendMessageSize - responseHeaderSize - 32 - 48 - 16
    static let maximumCredentialSize = friendResponsePayloadSize - responsePayloadSize - 2
    /// Type, receiver index; then s and an empty payload.
    static let finalHeaderSize = 5
    static let finalSize = finalHeaderSize + 48 + 16

    static let memberPattern = NoisePattern.ik.addingPresharedKeys(at: [2])
    static let invitePattern = NoisePattern.xx.addingPresharedKeys(at: [0])

    struct Initiation {
        let kind: HandshakeKind
        let senderIndex: UInt32
        let noise: [UInt8]
        let tag: Bytes16
        /// What the tag covers, except for the transport's name.
        let tagged: [UInt8]
    }

    static func prologue(_ kind: HandshakeKind, _ transport: Transport) -> [UInt8] {
        Array("streakmesh/v1/\(kind == .friend ? "friend" : "link")/".utf8) + transport.name
    }

    /// Starts a handshake and builds its message 1.
    static func initiate(
        _ target: Dial.Target, staticKey: AgreementSecretKey, nonce: LinkNonce, senderIndex: UInt32,
        transport: Transport, entropy: inout some EntropySource
    ) throws(NoiseError) -> (handshake: NoiseHandshake, packet: [UInt8]) {
        let kind = target.key.handshake
        var handshake = try NoiseHandshake(
            pattern: kind.pattern, role: .initiator, prologue: prologue(kind, transport), staticKey: staticKey,
            remoteStaticKey: kind == .member ? target.peer : nil, presharedKeys: [target.key.presharedKey],
            ephemeralKey: AgreementSecretKey.generate(from: &entropy))
        var writer = WireWriter()
        writer.write(PacketType.initiation.rawValue)
        writer.write(ProtocolLimits.version)
        writer.write(senderIndex)
        let padding = kind == .friend ? friendInitiationPayloadSize - nonceSize : 0
        writer.writeRaw(try handshake.writeMessage(nonce.array + [UInt8](repeating: 0, count: padding)))
        writer.writeRaw(tag(of: writer.bytes, key: target.key, transport: transport))
        return (handshake, writer.bytes)
    }

    static func tag(of bytes: [UInt8], key: LinkKey, transport: Transport) -> [UInt8] {
        Blake2b.keyedHash(bytes + transport.name, key: key.tagKey, size: tagSize)
    }

    /// Splits a message 1 by its size alone. Checks nothing but size and version.
    static func parseInitiation(_ packet: [UInt8]) throws(DropReasonError) -> Initiation {
        let kinds: [HandshakeKind] = [.member, .invite, .friend]
        guard let kind = kinds.first(where: { $0.initiationSize == packet.count }),
            packet.first == PacketType.initiation.rawValue
        else { throw DropReasonError(.malformed) }
        guard packet[1] == ProtocolLimits.version else { throw DropReasonError(.unsupportedVersion) }
        let end = packet.count - tagSize
        guard let tag = Bytes16(packet[end...]) else { throw DropReasonError(.malformed) }
        return Initiation(
            kind: kind, senderIndex: index(in: packet, at: 2),
            noise: Array(packet[initiationHeaderSize..<end]), tag: tag, tagged: Array(packet[..<end]))
    }

    /// The responder's handshake after it has read `initiation`, and the initiator's nonce.
    static func read(
        _ initiation: Initiation, key: LinkKey, staticKey: AgreementSecretKey, transport: Transport,
        entropy: inout some EntropySource
    ) -> (handshake: NoiseHandshake, nonce: LinkNonce)? {
        do {
            var handshake = try NoiseHandshake(
                pattern: initiation.kind.pattern, role: .responder,
                prologue: prologue(initiation.kind, transport), staticKey: staticKey, remoteStaticKey: nil,
                presharedKeys: [key.presharedKey], ephemeralKey: AgreementSecretKey.generate(from: &entropy))
            let payload = try handshake.readMessage(initiation.noise)
            guard let nonce = LinkNonce(payload.prefix(nonceSize)), payload.dropFirst(nonceSize).allSatisfy({ $0 == 0 })
            else { return nil }
            return (handshake, nonce)
        } catch {
            return nil
        }
    }

    /// Message 2, from a handshake that has read message 1. Only a friend handshake's holds the credential.
    static func response(
        by handshake: inout NoiseHandshake, to initiation: Initiation, nonce: LinkNonce, ownIndex: UInt32,
        credential: [UInt8]
    ) throws(NoiseError) -> [UInt8] {
        var payload = WireWriter()
        payload.write(nonce)
        payload.write(ownIndex)
        if initiation.kind == .friend {
            payload.write(UInt16(truncatingIfNeeded: min(credential.count, maximumCredentialSize)))
            payload.writeRaw(credential.prefix(maximumCredentialSize))
            payload.writeRaw([UInt8](repeating: 0, count: friendResponsePayloadSize - payload.bytes.count))
        }
        var writer = WireWriter()
        writer.write(PacketType.response.rawValue)
        writer.write(initiation.senderIndex)
        writer.writeRaw(try handshake.writeMessage(payload.bytes))
        return writer.bytes
    }

    static func final(to receiverIndex: UInt32, noise: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.write(PacketType.final.rawValue)
        writer.write(receiverIndex)
        writer.writeRaw(noise)
        return writer.bytes
    }

    /// The credential that the responder under a friend code shows. Reads with a copy of `handshake` and sends nothing.
    static func credential(
        _ handshake: NoiseHandshake, response: [UInt8]
    ) -> (peer: AgreementPublicKey, credential: [UInt8])? {
        guard response.count == friendMessageSize, response.first == PacketType.response.rawValue else { return nil }
        var copy = handshake
        // A message that Noise refuses is not an answer.
        guard let payload = try? copy.readMessage(Array(response[responseHeaderSize...])),
            payload.count == friendResponsePayloadSize, let peer = copy.remoteStaticKey
        else { return nil }
        let size = Int(payload[responsePayloadSize]) << 8 | Int(payload[responsePayloadSize + 1])
        let start = responsePayloadSize + 2
        guard size <= maximumCredentialSize, payload[(start + size)...].allSatisfy({ $0 == 0 }) else { return nil }
        return (peer, Array(payload[start..<(start + size)]))
    }

    /// Reads a response with a copy of `handshake`, and writes message 3 if the pattern has one.
    ///
    /// - Returns: nil unless it is the answer to this handshake.
    static func finish(
        _ handshake: NoiseHandshake, of kind: HandshakeKind, response: [UInt8]
    ) -> (handshake: NoiseHandshake, nonce: LinkNonce, remoteIndex: UInt32, final: [UInt8]?)? {
        guard response.count == kind.responseSize else { return nil }
        var copy = handshake
        do {
            let payload = try copy.readMessage(Array(response[responseHeaderSize...]))
            let size = kind == .friend ? friendResponsePayloadSize : responsePayloadSize
            guard payload.count == size, let nonce = LinkNonce(payload[..<nonceSize]) else { return nil }
            let remoteIndex = index(in: payload, at: nonceSize)
            guard !copy.isComplete else { return (copy, nonce, remoteIndex, nil) }
            let noise = try copy.writeMessage([])
            return (copy, nonce, remoteIndex, final(to: remoteIndex, noise: noise))
        } catch {
            return nil
        }
    }

    /// The four bytes at `offset`, big-endian. The caller has checked the size.
    static func index(in packet: [UInt8], at offset: Int) -> UInt32 {
        packet[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// What proofs on a link are bound to: both devices' keys and both nonces, which the handshakes authenticate. It is
    /// the same on both sides and for all sessions of the link.
    static func binding(own: AgreementPublicKey, introduction: Introduction) -> [UInt8] {
        let mine = own.rawBytes + introduction.ownNonce.array
        let theirs = introduction.peer.rawBytes + introduction.peerNonce.array
        let context = Array("streakmesh/v1/link-binding".utf8)
        return Blake2b.hash(context + (own < introduction.peer ? mine + theirs : theirs + mine))
    }
}
