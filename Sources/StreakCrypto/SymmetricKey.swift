import CSodium

/// A 256-bit secret key for keyed hashing and sealing, in protected memory; copies share it.
public struct SymmetricKey: Sendable, Equatable {
    /// 32.
    public static let byteCount = 32

    let secret: SecretBytes

    /// A protected copy of 32 bytes.
    ///
    /// - Throws: `wrongLength`.
    public init(rawBytes: some Collection<UInt8>) throws(CryptoError) {
        secret = SecretBytes(bytes: try checkedBytes(rawBytes, count: Self.byteCount))
    }

    /// A copy of 32 bytes for a moment's use, in ordinary memory and wiped at the end: protection costs more than most of
    /// what is done with a key.
    ///
    /// - Throws: `wrongLength`.
    public init(momentary rawBytes: some Collection<UInt8>) throws(CryptoError) {
        let bytes = try checkedBytes(rawBytes, count: Self.byteCount)
        secret = SecretBytes(copying: bytes, protection: .wiped)
    }

    /// A fresh key from 32 random bytes.
    public static func generate(from entropy: inout some EntropySource) -> Self {
        Self(secret: SecretBytes(random: byteCount, from: &entropy))
    }

    init(secret: SecretBytes) {
        precondition(secret.count == Self.byteCount, "a symmetric key has 32 bytes")
        self.secret = secret
    }

    /// An unprotected copy, for key files and for handing the key to a member over a link.
    public func rawBytes() -> [UInt8] {
        secret.exportedBytes()
    }

    /// Whether both are the same key, compared in constant time.
    public static func == (left: Self, right: Self) -> Bool {
        left.secret.isEqual(right.secret)
    }
}
