import StreakCrypto
import StreakWire

/// Builds and reads the messages of both handshakes, in the layouts of Protocol/links.md.
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
    /// The responder's nonce, then its index: inside the encryption, as no tag covers a response.
    static let responsePayloadSize = nonceSize + 4
    static let memberResponseSize = responseHeaderSize + 32 + responsePayloadSize + 16
    static let inviteResponseSize = responseHeaderSize + 32 + 48 + responsePayloadSize + 16
    /// Type, receiver index; then s and an empty payload.
    static let finalHeaderSize = 5
    static let finalSize = finalHeaderSize + 48 + 16

    static let memberPattern = NoisePattern.ik.addingPresharedKeys(at: [2])
    static let invitePattern = NoisePattern.xx.addingPresharedKeys(at: [0])

    struct Initiation {
        let isInvite: Bool
        let senderIndex: UInt32
        let noise: [UInt8]
        let tag: Bytes16
        /// What the tag covers, but for the transport's name.
        let tagged: [UInt8]
    }

    static func prologue(_ transport: Transport) -> [UInt8] {
        Array("streakmesh/v1/link/".utf8) + transport.name
    }

    /// A started handshake and its message 1.
    static func initiate(
        peer: AgreementPublicKey?, key: LinkKey, staticKey: AgreementSecretKey, nonce: LinkNonce,
        senderIndex: UInt32, transport: Transport, entropy: inout some EntropySource
    ) throws(NoiseError) -> (handshake: NoiseHandshake, packet: [UInt8]) {
        var handshake = try NoiseHandshake(
            pattern: peer == nil ? invitePattern : memberPattern, role: .initiator, prologue: prologue(transport),
            staticKey: staticKey, remoteStaticKey: peer, presharedKeys: [key.presharedKey],
            ephemeralKey: AgreementSecretKey.generate(from: &entropy))
        var writer = WireWriter()
        writer.write(PacketType.initiation.rawValue)
        writer.write(ProtocolLimits.version)
        writer.write(senderIndex)
        writer.writeRaw(try handshake.writeMessage(nonce.array))
        writer.writeRaw(tag(of: writer.bytes, key: key, transport: transport))
        return (handshake, writer.bytes)
    }

    static func tag(of bytes: [UInt8], key: LinkKey, transport: Transport) -> [UInt8] {
        Blake2b.keyedHash(bytes + transport.name, key: key.tagKey, size: tagSize)
    }

    /// Takes a message 1 apart by its size alone; nothing is checked but size and version.
    static func parseInitiation(_ packet: [UInt8]) throws(DropReasonError) -> Initiation {
        guard packet.count == memberInitiationSize || packet.count == inviteInitiationSize,
            packet.first == PacketType.initiation.rawValue
        else { throw DropReasonError(.malformed) }
        guard packet[1] == ProtocolLimits.version else { throw DropReasonError(.unsupportedVersion) }
        let end = packet.count - tagSize
        guard let tag = Bytes16(packet[end...]) else { throw DropReasonError(.malformed) }
        return Initiation(
            isInvite: packet.count == inviteInitiationSize, senderIndex: index(in: packet, at: 2),
            noise: Array(packet[initiationHeaderSize..<end]), tag: tag, tagged: Array(packet[..<end]))
    }

    /// A responder's handshake that has read `initiation`, and the initiator's nonce.
    static func read(
        _ initiation: Initiation, key: LinkKey, staticKey: AgreementSecretKey, transport: Transport,
        entropy: inout some EntropySource
    ) -> (handshake: NoiseHandshake, nonce: LinkNonce)? {
        do {
            var handshake = try NoiseHandshake(
                pattern: initiation.isInvite ? invitePattern : memberPattern, role: .responder,
                prologue: prologue(transport), staticKey: staticKey, remoteStaticKey: nil,
                presharedKeys: [key.presharedKey], ephemeralKey: AgreementSecretKey.generate(from: &entropy))
            guard let nonce = LinkNonce(try handshake.readMessage(initiation.noise)) else { return nil }
            return (handshake, nonce)
        } catch {
            return nil
        }
    }

    /// Message 2, written by a handshake that has read message 1.
    static func response(
        by handshake: inout NoiseHandshake, to initiation: Initiation, nonce: LinkNonce, ownIndex: UInt32
    ) throws(NoiseError) -> [UInt8] {
        var payload = WireWriter()
        payload.write(nonce)
        payload.write(ownIndex)
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

    /// Reads a response with a copy of `handshake`, and writes message 3 where the pattern has one.
    ///
    /// - Returns: nil for anything that is not the answer to that handshake.
    static func finish(
        _ handshake: NoiseHandshake, response: [UInt8]
    ) -> (handshake: NoiseHandshake, nonce: LinkNonce, remoteIndex: UInt32, final: [UInt8]?)? {
        guard response.count == memberResponseSize || response.count == inviteResponseSize else { return nil }
        var copy = handshake
        do {
            let payload = try copy.readMessage(Array(response[responseHeaderSize...]))
            guard payload.count == responsePayloadSize, let nonce = LinkNonce(payload[..<nonceSize]) else { return nil }
            let remoteIndex = index(in: payload, at: nonceSize)
            guard !copy.isComplete else { return (copy, nonce, remoteIndex, nil) }
            let noise = try copy.writeMessage([])
            return (copy, nonce, remoteIndex, final(to: remoteIndex, noise: noise))
        } catch {
            return nil
        }
    }

    /// The four bytes at `offset`, big-endian; the caller has checked the size.
    static func index(in packet: [UInt8], at offset: Int) -> UInt32 {
        packet[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// What proofs on a link are bound to: both devices' keys and the nonces both gave, which the handshakes
    /// authenticate. The same on both sides, and for all sessions of the link.
    static func binding(own: AgreementPublicKey, introduction: Introduction) -> [UInt8] {
        let mine = own.rawBytes + introduction.ownNonce.array
        let theirs = introduction.peer.rawBytes + introduction.peerNonce.array
        let context = Array("streakmesh/v1/link-binding".utf8)
        return Blake2b.hash(context + (own < introduction.peer ? mine + theirs : theirs + mine))
    }
}
