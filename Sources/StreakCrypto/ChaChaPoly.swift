import CSodium

/// ChaCha20-Poly1305 (RFC 8439) with the nonces of the Noise specification: four zero bytes, then a counter.
public enum ChaChaPoly {
    /// How many bytes a sealed message is longer than its plaintext: 16.
    public static let overhead = 16

    /// Encrypts `plaintext` and authenticates it together with `data`. O(n).
    ///
    /// One key must never seal two messages under the same nonce: that would reveal both.
    public static func seal(
        _ plaintext: [UInt8], authenticating data: [UInt8] = [], key: SymmetricKey, nonce: UInt64
    ) -> [UInt8] {
        seal(plaintext, authenticating: data, secret: key.secret, nonce: nonce)
    }

    /// Decrypts what `seal` made with the same data, key and nonce. O(n).
    ///
    /// - Throws: `authenticationFailed`, also when `ciphertext` is shorter than `overhead`.
    public static func open(
        _ ciphertext: [UInt8], authenticating data: [UInt8] = [], key: SymmetricKey, nonce: UInt64
    ) throws(CryptoError) -> [UInt8] {
        try open(ciphertext[...], authenticating: data, secret: key.secret, nonce: nonce)
    }

    static func seal(
        _ plaintext: [UInt8], authenticating data: [UInt8], secret: SecretBytes, nonce: UInt64
    ) -> [UInt8] {
        let size = plaintext.count + overhead
        let nonce = nonceBytes(nonce)
        var output = [UInt8](repeating: 0, count: size)
        unsafe secret.withPointer { key in
            _ = unsafe crypto_aead_chacha20poly1305_ietf_encrypt(
                &output, nil, plaintext, UInt64(plaintext.count), data, UInt64(data.count), nil, nonce, key)
        }
        return output
    }

    static func open(
        _ ciphertext: ArraySlice<UInt8>, authenticating data: [UInt8], secret: SecretBytes, nonce: UInt64
    ) throws(CryptoError) -> [UInt8] {
        guard ciphertext.count >= overhead else { throw .authenticationFailed }
        let size = ciphertext.count - overhead
        let nonce = nonceBytes(nonce)
        var plaintext = [UInt8](repeating: 0, count: size)
        let status = unsafe secret.withPointer { key in
            unsafe ciphertext.withUnsafeBufferPointer { input in
                guard let base = input.baseAddress else { return Int32(-1) }
                return unsafe crypto_aead_chacha20poly1305_ietf_decrypt(
                    &plaintext, nil, nil, base, UInt64(input.count), data, UInt64(data.count), nonce, key)
            }
        }
        guard status == 0 else { throw .authenticationFailed }
        return plaintext
    }

    /// Noise specification §12.3.
    private static func nonceBytes(_ counter: UInt64) -> [UInt8] {
        [0, 0, 0, 0] + LittleEndian.bytes(counter)
    }
}
