public import StreakCrypto
public import StreakWire

/// The secrets derived from an invite link's seed.
///
/// | derivation | keyed BLAKE2b-256 under the 16-byte seed, of the text |
/// |---|---|
/// | seed of the Ed25519 invite key, whose public half is in the `invite` operation | `streakmesh/v1/invite-key` |
/// | PSK of the joining handshake, which the operation contains in the clear | `streakmesh/v1/invite-psk` |
public struct InviteSecrets: Sendable {
    public let seed: Bytes16
    public let inviteKey: SigningSecretKey
    public let presharedKey: SymmetricKey

    public init(seed: Bytes16) {
        self.seed = seed
        let key = seed.array
        let signingSeed = Blake2b.keyedHash(Array("streakmesh/v1/invite-key".utf8), key: key)
        let preshared = Blake2b.keyedHash(Array("streakmesh/v1/invite-psk".utf8), key: key)
        // Both need only 32 bytes.
        guard let inviteKey = try? SigningSecretKey(seed: signingSeed),
            let presharedKey = try? SymmetricKey(rawBytes: preshared)  // as above
        else {
            // Both were requested with 32 bytes, which is all they need.
            preconditionFailure("BLAKE2b returned another size than asked for")
        }
        self.inviteKey = inviteKey
        self.presharedKey = presharedKey
    }

    public static func generate(from entropy: inout some EntropySource) -> InviteSecrets {
        guard let seed = Bytes16(entropy.bytes(16)) else {
            preconditionFailure("an entropy source returned another number of bytes than asked for")
        }
        return InviteSecrets(seed: seed)
    }

    /// The body of the `invite` operation.
    ///
    /// - Parameters:
    ///   - maximumUses: 0 for unlimited.
    ///   - expiresAt: seconds since 1970; judged by the admitter's clock.
    public func terms(maximumUses: UInt32, expiresAt: Int64, needsApproval: Bool = false) -> InviteTerms {
        InviteTerms(
            publicKey: inviteKey.publicKey, presharedKeyBytes: Bytes32(digest: presharedKey.rawBytes()),
            maximumUses: maximumUses, expiresAt: expiresAt, needsApproval: needsApproval)
    }
}
