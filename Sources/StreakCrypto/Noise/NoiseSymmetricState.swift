import CSodium

/// What both sides of a handshake have mixed so far (Noise specification §5.1 and §5.2): chaining key, hash, cipher.
///
/// A value: its secrets are immutable and shared, so a copy costs a few reference counts.
struct NoiseSymmetricState: Sendable {
    /// Bytes of a BLAKE2b hash, HASHLEN of the specification.
    static let hashByteCount = 64

    private(set) var hash: [UInt8]
    private var chainingKey: SecretBytes
    private var cipherKey: SecretBytes?
    private var nonce: UInt64 = 0

    /// `InitializeSymmetric`.
    init(protocolName: String) {
        let name = Array(protocolName.utf8)
        hash =
            name.count <= Self.hashByteCount
            ? name + [UInt8](repeating: 0, count: Self.hashByteCount - name.count)
            : Blake2b.hash(name, size: Self.hashByteCount)
        chainingKey = SecretBytes(copying: hash, protection: .wiped)
    }

    /// Whether what follows is encrypted.
    var hasKey: Bool { cipherKey != nil }

    mutating func mixHash(_ bytes: [UInt8]) {
        hash = Blake2b.hash(hash + bytes, size: Self.hashByteCount)
    }

    mutating func mixKey(_ input: SecretBytes) {
        let outputs = derive(input, count: 2)
        chainingKey = outputs[0]
        useCipherKey(outputs[1])
    }

    mutating func mixKeyAndHash(_ input: SecretBytes) {
        let outputs = derive(input, count: 3)
        chainingKey = outputs[0]
        mixHash(outputs[1].exportedBytes())
        useCipherKey(outputs[2])
    }

    /// Encrypts if there is a key, and mixes what is sent.
    mutating func encryptAndHash(_ plaintext: [UInt8]) -> [UInt8] {
        var output = plaintext
        if let cipherKey {
            output = ChaChaPoly.seal(plaintext, authenticating: hash, secret: cipherKey, nonce: nonce)
            nonce += 1
        }
        mixHash(output)
        return output
    }

    /// Decrypts if there is a key, and mixes what was received.
    mutating func decryptAndHash(_ bytes: ArraySlice<UInt8>) throws(NoiseError) -> [UInt8] {
        var output = Array(bytes)
        if let cipherKey {
            do {
                output = try ChaChaPoly.open(bytes, authenticating: hash, secret: cipherKey, nonce: nonce)
            } catch {
                throw NoiseError(error)
            }
            nonce += 1
        }
        mixHash(Array(bytes))
        return output
    }

    /// `Split`: the keys of the initiator's messages and of the responder's.
    func split() -> (initiator: SymmetricKey, responder: SymmetricKey) {
        let outputs = derive(nil, count: 2)
        return (Self.guardedKey(outputs[0]), Self.guardedKey(outputs[1]))
    }

    private mutating func useCipherKey(_ output: SecretBytes) {
        // HASHLEN is 64: the first 32 bytes are the key.
        cipherKey = unsafe SecretBytes(count: 32, protection: .wiped) { target in
            unsafe output.withPointer { unsafe target.update(from: $0, count: 32) }
        }
        nonce = 0
    }

    private static func guardedKey(_ output: SecretBytes) -> SymmetricKey {
        SymmetricKey(
            secret: unsafe SecretBytes(count: 32, protection: .guarded) { target in
                unsafe output.withPointer { unsafe target.update(from: $0, count: 32) }
            })
    }

    /// `HKDF` of §4.3 over the chaining key: two or three outputs of 64 bytes.
    private func derive(_ input: SecretBytes?, count: Int) -> [SecretBytes] {
        let temporaryKey = HMACBlake2b.authenticate(input, marker: nil, key: chainingKey)
        var outputs: [SecretBytes] = []
        for marker in 1...UInt8(count) {
            outputs.append(HMACBlake2b.authenticate(outputs.last, marker: marker, key: temporaryKey))
        }
        return outputs
    }
}

/// HMAC (RFC 2104) over BLAKE2b-512, as Noise asks for instead of BLAKE2b's own keyed mode.
enum HMACBlake2b {
    private static let blockByteCount = 128

    /// The code of `message`, then `marker`, each where given. The key has at most 128 bytes.
    static func authenticate(_ message: SecretBytes?, marker: UInt8?, key: SecretBytes) -> SecretBytes {
        let inner = digest(padding: 0x36, key: key, message: message, marker: marker)
        return digest(padding: 0x5c, key: key, message: inner, marker: nil)
    }

    private static func digest(padding: UInt8, key: SecretBytes, message: SecretBytes?, marker: UInt8?) -> SecretBytes {
        let messageCount = message?.count ?? 0
        let count = blockByteCount + messageCount + (marker == nil ? 0 : 1)
        let block = unsafe SecretBytes(count: count, protection: .wiped) { target in
            unsafe target.update(repeating: padding, count: blockByteCount)
            unsafe key.withUnsafeBytes { bytes in
                for index in 0..<bytes.count { unsafe target[index] ^= bytes[index] }
            }
            if let message {
                unsafe message.withPointer { unsafe (target + blockByteCount).update(from: $0, count: messageCount) }
            }
            if let marker { unsafe target[count - 1] = marker }
        }
        return unsafe SecretBytes(count: NoiseSymmetricState.hashByteCount, protection: .wiped) { target in
            unsafe block.withPointer { input in
                _ = unsafe crypto_generichash_blake2b(
                    target, NoiseSymmetricState.hashByteCount, input, UInt64(count), nil, 0)
            }
        }
    }
}
