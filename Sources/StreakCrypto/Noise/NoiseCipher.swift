/// One direction of a link after the handshake. It keeps no counter: datagrams arrive in any order.
///
/// The caller never seals twice under one counter, and remembers which counters it has opened (replays open as well as
/// the original).
public struct NoiseCipher: Sendable {
    /// How many bytes a sealed message is longer than its plaintext: 16.
    public static let overhead = ChaChaPoly.overhead

    /// The longest message Noise allows, sealed: 65,535 bytes (§3).
    public static let maximumMessageSize = 65_535

    private let key: SymmetricKey

    /// A cipher under `key`, which is used for nothing else.
    public init(key: SymmetricKey) {
        self.key = key
    }

    /// Encrypts `plaintext` and authenticates it together with `data`. O(n).
    ///
    /// - Throws: `nonceExhausted` for the counter 2⁶⁴−1, `messageTooLong`.
    public func seal(
        _ plaintext: [UInt8], counter: UInt64, authenticating data: [UInt8] = []
    ) throws(NoiseError) -> [UInt8] {
        guard counter < .max else { throw .nonceExhausted }
        let size = plaintext.count + Self.overhead
        guard size <= Self.maximumMessageSize else {
            throw .messageTooLong(maximum: Self.maximumMessageSize, actual: size)
        }
        return ChaChaPoly.seal(plaintext, authenticating: data, key: key, nonce: counter)
    }

    /// Decrypts what the other side sealed with the same counter and data. O(n).
    ///
    /// - Throws: `nonceExhausted` for the counter 2⁶⁴−1, `messageTooLong`, `messageTooShort`, `authenticationFailed`.
    public func open(
        _ ciphertext: [UInt8], counter: UInt64, authenticating data: [UInt8] = []
    ) throws(NoiseError) -> [UInt8] {
        guard counter < .max else { throw .nonceExhausted }
        guard ciphertext.count <= Self.maximumMessageSize else {
            throw .messageTooLong(maximum: Self.maximumMessageSize, actual: ciphertext.count)
        }
        guard ciphertext.count >= Self.overhead else {
            throw .messageTooShort(minimum: Self.overhead, actual: ciphertext.count)
        }
        do {
            return try ChaChaPoly.open(ciphertext, authenticating: data, key: key, nonce: counter)
        } catch {
            throw NoiseError(error)
        }
    }
}

/// What a finished handshake leaves: the ciphers of both directions.
public struct NoiseTransportKeys: Sendable {
    /// Seals what this side sends.
    public let sending: NoiseCipher

    /// Opens what the other side sent.
    public let receiving: NoiseCipher
}
