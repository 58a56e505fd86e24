import CSodium

/// An X25519 public key (RFC 7748). Ordered as its bytes.
public struct AgreementPublicKey: Hashable, Comparable, Sendable {
    /// 32.
    public static let byteCount = 32

    /// The u-coordinate, little-endian.
    public let rawBytes: [UInt8]

    /// Takes 32 bytes as they are; a key of low order shows when a secret is agreed.
    ///
    /// - Throws: `wrongLength`.
    public init(rawBytes: some Collection<UInt8>) throws(CryptoError) {
        self.rawBytes = try checkedBytes(rawBytes, count: Self.byteCount)
    }

    /// Takes what is known to be 32 bytes.
    init(verbatim rawBytes: [UInt8]) {
        self.rawBytes = rawBytes
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawBytes.lexicographicallyPrecedes(right.rawBytes)
    }
}

/// An X25519 secret key (RFC 7748), in protected memory; copies share it.
public struct AgreementSecretKey: Sendable {
    /// 32.
    public static let byteCount = 32

    public let publicKey: AgreementPublicKey

    let secret: SecretBytes

    /// The key of a 32-byte scalar; it is clamped when used, and kept as given.
    ///
    /// - Throws: `wrongLength`.
    public init(rawBytes: some Collection<UInt8>) throws(CryptoError) {
        self.init(checked: try checkedBytes(rawBytes, count: Self.byteCount))
    }

    /// A fresh key from 32 random bytes.
    public static func generate(from entropy: inout some EntropySource) -> Self {
        Self(checked: entropy.exactly(byteCount))
    }

    private init(checked rawBytes: [UInt8]) {
        var rawBytes = rawBytes
        let secret = SecretBytes(bytes: rawBytes)
        unsafe sodium_memzero(&rawBytes, rawBytes.count)
        var publicBytes = [UInt8](repeating: 0, count: AgreementPublicKey.byteCount)
        unsafe secret.withPointer { scalar in
            _ = unsafe crypto_scalarmult_base(&publicBytes, scalar)
        }
        self.secret = secret
        publicKey = AgreementPublicKey(verbatim: publicBytes)
    }

    /// The 32-byte secret only the two key holders can compute. Never use it as a key without hashing it.
    ///
    /// - Throws: `invalidKey` if the other key has low order, so that the secret would be all zero.
    public func sharedSecret(with other: AgreementPublicKey) throws(CryptoError) -> SecretBytes {
        try sharedSecret(with: other, protection: .guarded)
    }

    func sharedSecret(
        with other: AgreementPublicKey, protection: SecretBytes.Protection
    ) throws(CryptoError) -> SecretBytes {
        try unsafe SecretBytes(count: 32, protection: protection) { (target) throws(CryptoError) in
            let status = unsafe secret.withPointer { unsafe crypto_scalarmult(target, $0, other.rawBytes) }
            guard status == 0 else { throw .invalidKey }
        }
    }

    /// An unprotected copy of the 32-byte scalar, for key files.
    public func rawBytes() -> [UInt8] {
        secret.exportedBytes()
    }
}
