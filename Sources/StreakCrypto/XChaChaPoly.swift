import CSodium

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), as libsodium has it: its nonce is long enough to be chosen at random.
public enum XChaChaPoly {
    /// How many bytes a sealed message is longer than its plaintext: 16.
    public static let overhead = 16
    /// 24.
    public static let nonceCount = 24

    /// Encrypts and authenticates `plaintext`. O(n).
    ///
    /// - Precondition: `nonce` has 24 bytes, and never sealed anything else under this key.
    public static func seal(_ plaintext: [UInt8], key: SymmetricKey, nonce: [UInt8]) -> [UInt8] {
        precondition(nonce.count == nonceCount, "a nonce of XChaCha20 has 24 bytes")
        Sodium.start()
        var output = [UInt8](repeating: 0, count: plaintext.count + overhead)
        unsafe key.secret.withPointer { key in
            _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                &output, nil, plaintext, UInt64(plaintext.count), nil, 0, nil, nonce, key)
        }
        return output
    }

    /// Decrypts what `seal` made with the same key and nonce. O(n).
    ///
    /// - Throws: `authenticationFailed`, also where `ciphertext` is shorter than `overhead` or `nonce` has not 24 bytes.
    public static func open(
        _ ciphertext: [UInt8], key: SymmetricKey, nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard ciphertext.count >= overhead, nonce.count == nonceCount else { throw .authenticationFailed }
        Sodium.start()
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count - overhead)
        let status = unsafe key.secret.withPointer { key in
            unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                &plaintext, nil, nil, ciphertext, UInt64(ciphertext.count), nil, 0, nonce, key)
        }
        guard status == 0 else { throw .authenticationFailed }
        return plaintext
    }
}
