import CSodium

/// An Ed25519 public key (RFC 8032). Ordered as its bytes.
public struct SigningPublicKey: Hashable, Comparable, Sendable {
    /// 32.
    public static let byteCount = 32

    /// The 32 bytes of RFC 8032 §5.1.5.
    public let rawBytes: [UInt8]

    /// Takes 32 bytes as they are; whether they are a usable key shows when a signature is checked.
    ///
    /// - Throws: `wrongLength`.
    public init(rawBytes: some Collection<UInt8>) throws(CryptoError) {
        self.rawBytes = try checkedBytes(rawBytes, count: Self.byteCount)
    }

    /// Whether this key's owner made `signature` for exactly `message`.
    ///
    /// The rules are libsodium's: no cofactor; keys and nonces of small order, non-canonical keys and non-canonical
    /// scalars are refused. Every node must judge alike, so no other verifier may be mixed in. O(n), about 50 µs.
    public func isValid(_ signature: Signature, for message: [UInt8]) -> Bool {
        Sodium.start()
        return unsafe crypto_sign_verify_detached(signature.rawBytes, message, UInt64(message.count), rawBytes) == 0
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawBytes.lexicographicallyPrecedes(right.rawBytes)
    }
}

/// An Ed25519 signature (RFC 8032).
public struct Signature: Hashable, Sendable {
    /// 64.
    public static let byteCount = 64

    /// The 64 bytes R ‖ S of RFC 8032 §5.1.6.
    public let rawBytes: [UInt8]

    /// Takes 64 bytes as they are.
    ///
    /// - Throws: `wrongLength`.
    public init(rawBytes: some Collection<UInt8>) throws(CryptoError) {
        self.rawBytes = try checkedBytes(rawBytes, count: Self.byteCount)
    }

    fileprivate init(verbatim rawBytes: [UInt8]) {
        self.rawBytes = rawBytes
    }
}

/// An Ed25519 secret key (RFC 8032), in protected memory; copies share it.
public struct SigningSecretKey: Sendable {
    /// 32.
    public static let seedByteCount = 32

    public let publicKey: SigningPublicKey

    /// libsodium's form: seed ‖ public key, 64 bytes.
    private let secret: SecretBytes

    /// The key of a 32-byte seed, RFC 8032's "private key".
    ///
    /// - Throws: `wrongLength`.
    public init(seed: some Collection<UInt8>) throws(CryptoError) {
        self.init(checkedSeed: try checkedBytes(seed, count: Self.seedByteCount))
    }

    /// A fresh key from 32 random bytes.
    public static func generate(from entropy: inout some EntropySource) -> Self {
        Self(checkedSeed: entropy.exactly(seedByteCount))
    }

    private init(checkedSeed seed: [UInt8]) {
        var seed = seed
        var publicBytes = [UInt8](repeating: 0, count: SigningPublicKey.byteCount)
        secret = unsafe SecretBytes(count: 64, protection: .guarded) { target in
            _ = unsafe crypto_sign_seed_keypair(&publicBytes, target, seed)
        }
        publicKey = SigningPublicKey(verbatim: publicBytes)
        unsafe sodium_memzero(&seed, seed.count)
    }

    /// Signs `message`. Deterministic: the same message always gives the same signature. O(n), about 20 µs.
    public func signature(for message: [UInt8]) -> Signature {
        var output = [UInt8](repeating: 0, count: Signature.byteCount)
        unsafe secret.withPointer { key in
            _ = unsafe crypto_sign_detached(&output, nil, message, UInt64(message.count), key)
        }
        return Signature(verbatim: output)
    }

    /// An unprotected copy of the 32-byte seed, for key files and the recovery key.
    public func seedBytes() -> [UInt8] {
        unsafe secret.withUnsafeBytes { unsafe Array($0.prefix(Self.seedByteCount)) }
    }
}

extension SigningPublicKey {
    fileprivate init(verbatim rawBytes: [UInt8]) {
        self.rawBytes = rawBytes
    }
}

/// `bytes` as an array, if there are exactly `count` of them; O(1) memory when there are more.
func checkedBytes(_ bytes: some Collection<UInt8>, count: Int) throws(CryptoError) -> [UInt8] {
    let actual = bytes.count
    guard actual == count else { throw .wrongLength(expected: count, actual: actual) }
    return Array(bytes)
}
