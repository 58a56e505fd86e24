import CSodium

/// The state of libsodium's secretstream (XChaCha20-Poly1305), one way.
///
/// It cannot be copied: two copies would seal two messages under one nonce.
struct SecretStream: ~Copyable, Sendable {
    static let headerSize = 24
    /// How many bytes a sealed message is longer than its plaintext.
    static let overhead = 17

    private typealias State = crypto_secretstream_xchacha20poly1305_state

    /// A `State`, which has no alignment; replaced by the next one with every message.
    private var state: SecretBytes

    /// A stream in either direction. The header must be random, and new for every stream that is written.
    init(key: [UInt8], header: [UInt8]) {
        precondition(key.count == 32 && header.count == Self.headerSize, "a stream begins with 32 and 24 bytes")
        // Also for writing: `init_push` does the same to the state, but takes its header from the system, and a test
        // vector could not be made again.
        state = unsafe Self.filled { unsafe _ = crypto_secretstream_xchacha20poly1305_init_pull($0, header, key) }
    }

    mutating func seal(_ plaintext: ArraySlice<UInt8>, authenticating data: [UInt8], isLast: Bool) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: plaintext.count + Self.overhead)
        let tag = isLast ? Self.finalTag : 0
        state = unsafe Self.filled { next in
            unsafe copy(to: next)
            unsafe plaintext.withUnsafeBufferPointer { input in
                unsafe withUnsafeBytes(of: UInt8(0)) { empty in
                    // An empty slice may have no address at all; libsodium wants one.
                    let address = unsafe input.baseAddress ?? empty.bindMemory(to: UInt8.self).baseAddress
                    _ = unsafe crypto_secretstream_xchacha20poly1305_push(
                        next, &output, nil, address, UInt64(input.count), data, UInt64(data.count), tag)
                }
            }
        }
        return output
    }

    /// - Throws: `authenticationFailed`.
    mutating func open(
        _ ciphertext: ArraySlice<UInt8>, authenticating data: [UInt8]
    ) throws(CryptoError) -> (plaintext: [UInt8], isLast: Bool) {
        guard ciphertext.count >= Self.overhead else { throw .authenticationFailed }
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count - Self.overhead)
        var tag: UInt8 = 0
        var status: Int32 = -1
        state = unsafe Self.filled { next in
            unsafe copy(to: next)
            status = unsafe ciphertext.withUnsafeBufferPointer { input in
                guard let base = input.baseAddress else { return -1 }
                return unsafe crypto_secretstream_xchacha20poly1305_pull(
                    next, &plaintext, nil, &tag, base, UInt64(input.count), data, UInt64(data.count))
            }
        }
        guard status == 0 else { throw .authenticationFailed }
        return (plaintext, tag == Self.finalTag)
    }

    private func copy(to next: UnsafeMutablePointer<State>) {
        unsafe state.withPointer { unsafe UnsafeMutableRawPointer(next).copyMemory(from: $0, byteCount: state.count) }
    }

    private static func filled(_ fill: (UnsafeMutablePointer<State>) -> Void) -> SecretBytes {
        unsafe SecretBytes(count: MemoryLayout<State>.size, protection: .guarded) { target in
            unsafe UnsafeMutableRawPointer(target).withMemoryRebound(to: State.self, capacity: 1) { unsafe fill($0) }
        }
    }

    /// `crypto_secretstream_xchacha20poly1305_TAG_FINAL`, a macro Swift does not see.
    private static let finalTag: UInt8 = crypto_secretstream_xchacha20poly1305_tag_final()
}
