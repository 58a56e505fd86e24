public import StreakCrypto
public import StreakWire

/// Proves on one handshake that a newcomer with these keys holds the invite link and wants to join.
///
/// | field | type |
/// |---|---|
/// | handshake hash (Noise §5.2, BLAKE2b-512) | 64 bytes |
/// | signature by the invite key | 64 bytes |
/// | signature by the newcomer's device key | 64 bytes |
///
/// Both signatures are over `streakmesh/v1/joinProof` ‖ 0 ‖ group ‖ invite key ‖ user ‖ device ‖ link key ‖ handshake
/// hash. A proof is therefore valid for no other group, invite, key or handshake. Without the device's signature,
/// anybody who knows the seed could admit an account that never asked.
public struct JoinProof: Hashable, Sendable {
    static let handshakeHashSize = 64

    public let handshakeHash: [UInt8]
    public let inviteSignature: Signature
    public let deviceSignature: Signature

    /// Made by the newcomer.
    ///
    /// - Precondition: the handshake hash has 64 bytes.
    public init(
        inviteKey: SigningSecretKey, group: GroupID, identity: DeviceIdentity, handshakeHash: [UInt8]
    ) {
        precondition(handshakeHash.count == Self.handshakeHashSize, "a handshake hash has 64 bytes")
        let message = Self.message(
            group: group, inviteKey: inviteKey.publicKey, certificate: identity.certificate,
            handshakeHash: handshakeHash)
        self.handshakeHash = handshakeHash
        inviteSignature = inviteKey.signature(for: message, as: .joinProof)
        deviceSignature = identity.signingKey.signature(for: message, as: .joinProof)
    }

    public init(from reader: inout WireReader) throws(WireError) {
        handshakeHash = try reader.readRaw(Self.handshakeHashSize)
        inviteSignature = try reader.readSignature()
        deviceSignature = try reader.readSignature()
    }

    public func write(to writer: inout WireWriter) {
        writer.writeRaw(handshakeHash)
        writer.write(inviteSignature)
        writer.write(deviceSignature)
    }

    /// Whether both signatures cover this group, this invite, this certificate's keys and this handshake. Two checks,
    /// 100 µs. Compare `handshakeHash` with that of the link on which the proof arrived.
    public func isValid(inviteKey: SigningPublicKey, group: GroupID, certificate: DeviceCertificate) -> Bool {
        let message = Self.message(
            group: group, inviteKey: inviteKey, certificate: certificate, handshakeHash: handshakeHash)
        return inviteKey.isValid(inviteSignature, for: SigningContext.joinProof.prefix + message)
            && certificate.device.hasSigned(message, as: .joinProof, deviceSignature)
    }

    private static func message(
        group: GroupID, inviteKey: SigningPublicKey, certificate: DeviceCertificate, handshakeHash: [UInt8]
    ) -> [UInt8] {
        var writer = WireWriter(reserving: 224)
        writer.write(group)
        writer.writeRaw(inviteKey.rawBytes)
        writer.write(certificate.user)
        writer.write(certificate.device)
        writer.write(certificate.linkKey)
        writer.writeRaw(handshakeHash)
        return writer.bytes
    }
}
