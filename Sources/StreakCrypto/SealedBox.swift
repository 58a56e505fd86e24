import CSodium

/// A message for the holder of one X25519 key, from nobody in particular: libsodium's sealed box.
///
/// Layout: ephemeral public key (32) ‖ XSalsa20-Poly1305 box (plaintext + 16); the nonce is BLAKE2b-192 over both
/// public keys. Nothing tells who sealed it: sign inside where that matters.
public enum SealedBox {
    /// How many bytes a sealed message is longer than its plaintext: 48.
    public static let overhead = 48

    /// Seals `plaintext` so that only the holder of `recipient`'s secret key can read it. O(n).
    ///
    /// - Throws: `invalidKey` if `recipient` has low order.
    public static func seal(
        _ plaintext: [UInt8], to recipient: AgreementPublicKey, from entropy: inout some EntropySource
    ) throws(CryptoError) -> [UInt8] {
        // Not crypto_box_seal: that takes its ephemeral key from the system, and a simulation could not replay it.
        let ephemeral = AgreementSecretKey.generate(from: &entropy)
        let nonce = Blake2b.hash(ephemeral.publicKey.rawBytes + recipient.rawBytes, size: 24)
        var box = [UInt8](repeating: 0, count: plaintext.count + 16)
        let status = unsafe ephemeral.secret.withPointer { key in
            unsafe crypto_box_easy(&box, plaintext, UInt64(plaintext.count), nonce, recipient.rawBytes, key)
        }
        guard status == 0 else { throw .invalidKey }
        return ephemeral.publicKey.rawBytes + box
    }

    /// As above, with the system's randomness.
    ///
    /// - Throws: `invalidKey` if `recipient` has low order.
    public static func seal(_ plaintext: [UInt8], to recipient: AgreementPublicKey) throws(CryptoError) -> [UInt8] {
        var entropy = SystemEntropy()
        return try seal(plaintext, to: recipient, from: &entropy)
    }

    /// Opens what was sealed to `key`. O(n).
    ///
    /// - Throws: `wrongLength` below `overhead` bytes, `authenticationFailed`.
    public static func open(_ sealed: [UInt8], with key: AgreementSecretKey) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= overhead else { throw .wrongLength(expected: overhead, actual: sealed.count) }
        var plaintext = [UInt8](repeating: 0, count: sealed.count - overhead)
        let status = unsafe key.secret.withPointer { secret in
            unsafe crypto_box_seal_open(&plaintext, sealed, UInt64(sealed.count), key.publicKey.rawBytes, secret)
        }
        guard status == 0 else { throw .authenticationFailed }
        return plaintext
    }
}
