public import StreakCrypto
public import StreakWire

/// Proves on one handshake that a machine without an account holds a device link and wants these two keys certified.
///
/// | field | type |
/// |---|---|
/// | device (Ed25519 signing key) | 32 bytes |
/// | link key (X25519) | 32 bytes |
/// | handshake hash | 64 bytes |
/// | signature by the invite key | 64 bytes |
/// | signature by the device's signing key | 64 bytes |
/// | the device's consent to the account that the link names | 64 bytes |
///
/// The first two signatures are over `streakmesh/v1/deviceProof` ‖ 0 ‖ private group ‖ device ‖ link key ‖ handshake
/// hash. A proof is therefore valid for no other group, keys or handshake, and cannot serve as a proof of joining.
public struct DeviceProof: Hashable, Sendable {
    public let device: DeviceID
    public let linkKey: AgreementPublicKey
    public let handshakeHash: [UInt8]
    private let inviteSignature: Signature
    private let deviceSignature: Signature
    /// Consent to belong to the account. The device that certifies the new one needs it.
    public let consent: DeviceConsent

    /// Made by the new machine. Only the two keys of its identity matter; its certificate may name any account.
    ///
    /// - Precondition: the handshake hash has 64 bytes.
    public init(
        inviteKey: SigningSecretKey, privateGroup: GroupID, user: UserID, identity: DeviceIdentity,
        handshakeHash: [UInt8]
    ) {
        precondition(handshakeHash.count == JoinProof.handshakeHashSize, "a handshake hash has 64 bytes")
        device = identity.device
        linkKey = identity.linkKey.publicKey
        self.handshakeHash = handshakeHash
        let message = Self.message(
            group: privateGroup, device: device, linkKey: linkKey, handshakeHash: handshakeHash)
        inviteSignature = inviteKey.signature(for: message, as: .deviceProof)
        deviceSignature = identity.signingKey.signature(for: message, as: .deviceProof)
        consent = identity.consent(to: user)
    }

    public init(from reader: inout WireReader) throws(WireError) {
        device = try reader.readIdentifier()
        linkKey = try reader.readAgreementKey()
        handshakeHash = try reader.readRaw(JoinProof.handshakeHashSize)
        inviteSignature = try reader.readSignature()
        deviceSignature = try reader.readSignature()
        consent = DeviceConsent(device: device, linkKey: linkKey, signature: try reader.readSignature())
    }

    public func write(to writer: inout WireWriter) {
        writer.write(device)
        writer.write(linkKey)
        writer.writeRaw(handshakeHash)
        writer.write(inviteSignature)
        writer.write(deviceSignature)
        writer.write(consent.signature)
    }

    /// Whether the signatures are over this group, account, keys and handshake. Compare `handshakeHash` and
    /// `linkKey` with those of the link the proof came over.
    public func isValid(inviteKey: SigningPublicKey, privateGroup: GroupID, user: UserID) -> Bool {
        let message = Self.message(
            group: privateGroup, device: device, linkKey: linkKey, handshakeHash: handshakeHash)
        return inviteKey.isValid(inviteSignature, for: SigningContext.deviceProof.prefix + message)
            && device.hasSigned(message, as: .deviceProof, deviceSignature) && consent.isValid(for: user)
    }

    private static func message(
        group: GroupID, device: DeviceID, linkKey: AgreementPublicKey, handshakeHash: [UInt8]
    ) -> [UInt8] {
        var writer = WireWriter(reserving: 160)
        writer.write(group)
        writer.write(device)
        writer.write(linkKey)
        writer.writeRaw(handshakeHash)
        return writer.bytes
    }
}
