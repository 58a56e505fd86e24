import CSodium

/// Where keys and nonces get their random bytes.
///
/// Injected, never ambient, so that a simulation replays exactly.
public protocol EntropySource: Sendable {
    /// The next `count` random bytes; always exactly `count`.
    mutating func bytes(_ count: Int) -> [UInt8]
}

/// The operating system's cryptographic generator.
public struct SystemEntropy: EntropySource {
    public init() {}

    public mutating func bytes(_ count: Int) -> [UInt8] {
        Sodium.start()
        var output = [UInt8](repeating: 0, count: count)
        unsafe randombytes_buf(&output, count)
        return output
    }
}

/// A deterministic generator, for simulation and tests only: the seed gives away every key made from it.
///
/// ChaCha20 keyed by BLAKE2b of the seed, with a fresh nonce per call, so the bytes depend on the sequence of calls.
public struct SeededEntropy: EntropySource {
    private let key: [UInt8]
    private var callCount: UInt64 = 0

    public init(seed: UInt64) {
        key = Blake2b.hash(Array("streakmesh/simulation-entropy".utf8) + LittleEndian.bytes(seed))
    }

    public mutating func bytes(_ count: Int) -> [UInt8] {
        Sodium.start()
        let nonce = LittleEndian.bytes(callCount)
        callCount += 1
        var output = [UInt8](repeating: 0, count: count)
        _ = unsafe crypto_stream_chacha20(&output, UInt64(count), nonce, key)
        return output
    }
}

extension EntropySource {
    /// Bytes for a key or nonce; a source that returns another number of them is a programmer's mistake.
    mutating func exactly(_ count: Int) -> [UInt8] {
        let output = bytes(count)
        precondition(output.count == count, "an entropy source returned \(output.count) bytes instead of \(count)")
        return output
    }
}

/// Little-endian layout of integers, as nonces want it.
enum LittleEndian {
    static func bytes(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}
