import CSodium

/// BLAKE2b (RFC 7693), the only hash function of the protocol.
public enum Blake2b {
    /// Digest sizes BLAKE2b knows, in bytes.
    public static let sizes = 1...64

    /// The digest of `message`, `size` bytes. O(n), about 1 ns per byte.
    ///
    /// - Precondition: `size` is in `sizes`.
    public static func hash(_ message: [UInt8], size: Int = 32) -> [UInt8] {
        keyedHash(message, key: [], size: size)
    }

    /// A digest of 32 bytes as four big-endian words: nothing is allocated for it.
    public typealias Words = (UInt64, UInt64, UInt64, UInt64)

    /// The 32-byte digest of `message`, without an allocation.
    public static func words(_ message: ArraySlice<UInt8>) -> Words {
        unsafe message.withUnsafeBufferPointer { unsafe words($0) }
    }

    /// One step of a hash chain: H(`previous` ‖ H(`message`)), without an allocation. About 0.4 µs.
    public static func words(after previous: Words, message: ArraySlice<UInt8>) -> Words {
        let inner = words(message)
        let joined = (
            previous.0.bigEndian, previous.1.bigEndian, previous.2.bigEndian, previous.3.bigEndian,
            inner.0.bigEndian, inner.1.bigEndian, inner.2.bigEndian, inner.3.bigEndian
        )
        return unsafe withUnsafeBytes(of: joined) { unsafe words($0.bindMemory(to: UInt8.self)) }
    }

    private static func words(_ message: UnsafeBufferPointer<UInt8>) -> Words {
        Sodium.start()
        var output: Words = (0, 0, 0, 0)
        let status = unsafe withUnsafeMutablePointer(to: &output) { words in
            unsafe words.withMemoryRebound(to: UInt8.self, capacity: 32) { target in
                unsafe crypto_generichash_blake2b(
                    target, 32, message.baseAddress, UInt64(message.count), nil, 0)
            }
        }
        precondition(status == 0, "BLAKE2b refused checked sizes")
        return (output.0.bigEndian, output.1.bigEndian, output.2.bigEndian, output.3.bigEndian)
    }

    /// The digest of `message` under `key`: a message authentication code. An empty key means no key.
    ///
    /// - Precondition: `size` is in `sizes`; `key` has at most 64 bytes.
    public static func keyedHash(_ message: [UInt8], key: [UInt8], size: Int = 32) -> [UInt8] {
        unsafe key.withUnsafeBufferPointer { unsafe keyedHash(message, key: $0, size: size) }
    }

    /// The digest of `message` under a secret key: a message authentication code.
    ///
    /// - Precondition: `size` is in `sizes`.
    public static func keyedHash(_ message: [UInt8], key: SymmetricKey, size: Int = 32) -> [UInt8] {
        unsafe key.secret.withPointer { pointer in
            unsafe keyedHash(
                message, key: UnsafeBufferPointer(start: pointer, count: SymmetricKey.byteCount), size: size)
        }
    }

    /// The key for one purpose: keyed BLAKE2b-256 over the bytes of `context`.
    ///
    /// Different contexts give independent keys, and none of them reveals anything of `key`.
    public static func derive(context: String, from key: SymmetricKey) -> SymmetricKey {
        let context = Array(context.utf8)
        let secret = unsafe SecretBytes(count: SymmetricKey.byteCount, protection: .guarded) { target in
            unsafe key.secret.withPointer { pointer in
                _ = unsafe crypto_generichash_blake2b(
                    target, SymmetricKey.byteCount, context, UInt64(context.count), pointer, SymmetricKey.byteCount)
            }
        }
        return SymmetricKey(secret: secret)
    }

    private static func keyedHash(_ message: [UInt8], key: UnsafeBufferPointer<UInt8>, size: Int) -> [UInt8] {
        precondition(sizes.contains(size), "BLAKE2b digests have 1 to 64 bytes")
        precondition(key.count <= 64, "BLAKE2b keys have at most 64 bytes")
        Sodium.start()
        var output = [UInt8](repeating: 0, count: size)
        let status = unsafe crypto_generichash_blake2b(
            &output, size, message, UInt64(message.count), key.baseAddress, key.count)
        precondition(status == 0, "BLAKE2b refused checked sizes")
        return output
    }
}

/// BLAKE2b over bytes that arrive in pieces. A value: a copy continues on its own.
public struct Blake2bHasher: Sendable {
    private let size: Int
    private var state: HashState

    /// Starts a digest of `size` bytes, under `key` unless that is empty.
    ///
    /// - Precondition: `size` is in `Blake2b.sizes`; `key` has at most 64 bytes.
    public init(size: Int = 32, key: [UInt8] = []) {
        precondition(Blake2b.sizes.contains(size), "BLAKE2b digests have 1 to 64 bytes")
        precondition(key.count <= 64, "BLAKE2b keys have at most 64 bytes")
        self.size = size
        state = HashState()
        let status = unsafe crypto_generichash_blake2b_init(state.pointer, key, key.count, size)
        precondition(status == 0, "BLAKE2b refused checked sizes")
    }

    /// Starts a digest of `size` bytes under a secret key.
    ///
    /// - Precondition: `size` is in `Blake2b.sizes`.
    public init(size: Int = 32, key: SymmetricKey) {
        var bytes = key.rawBytes()
        self.init(size: size, key: bytes)
        unsafe sodium_memzero(&bytes, bytes.count)
    }

    /// Adds `bytes` to what is hashed.
    public mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    /// Adds the bytes of `buffer` to what is hashed.
    public mutating func update(_ buffer: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = state.copied() }
        guard let base = buffer.baseAddress else { return }
        _ = unsafe crypto_generichash_blake2b_update(
            state.pointer, base.assumingMemoryBound(to: UInt8.self), UInt64(buffer.count))
    }

    /// The digest of everything added so far. More may be added afterwards.
    public func finalize() -> [UInt8] {
        let last = state.copied()
        var output = [UInt8](repeating: 0, count: size)
        _ = unsafe crypto_generichash_blake2b_final(last.pointer, &output, size)
        return output
    }
}

/// libsodium's state of a running hash, aligned as it demands (64 bytes, which a Swift value does not promise).
// Sendable without the compiler's proof: it may hold a key's traces, and is written only while uniquely referenced.
@safe
private final class HashState: @unchecked Sendable {
    /// Opaque, because Swift does not import a C type of this alignment.
    let pointer: OpaquePointer

    private let memory: UnsafeMutableRawPointer

    init() {
        Sodium.start()
        let byteCount = crypto_generichash_blake2b_statebytes()
        unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 64)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        unsafe pointer = OpaquePointer(memory)
    }

    deinit {
        unsafe sodium_memzero(memory, crypto_generichash_blake2b_statebytes())
        unsafe memory.deallocate()
    }

    func copied() -> HashState {
        let copy = HashState()
        unsafe copy.memory.copyMemory(from: memory, byteCount: crypto_generichash_blake2b_statebytes())
        return copy
    }
}
