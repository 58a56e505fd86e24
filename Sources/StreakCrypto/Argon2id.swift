import CSodium
import Synchronization

/// Argon2id version 1.3 (RFC 9106), which makes guessing a short secret expensive. One lane.
///
/// Derivations in one process take turns. So together they take the memory of the costliest one, which goes back to the
/// system after each.
public enum Argon2id {
    /// How much one derivation costs.
    public enum Cost: Sendable, CaseIterable {
        /// One pass over 8 KiB: next to nothing. For tests and simulation only.
        case minimum

        /// libsodium's "interactive": two passes over 64 MiB, about 0.06 s.
        case interactive

        /// libsodium's "moderate": three passes over 256 MiB, about 1 s.
        case moderate
    }

    /// 16.
    static let saltByteCount = 16

    /// Sizes of output this offers, in bytes.
    public static let sizes = 16...1_024

    /// Held by the derivation that is under way.
    static let turn = Mutex(())

    /// `size` bytes derived from `password` and `salt`. The cost decides how long this takes: not for a busy thread.
    ///
    /// - Precondition: `size` is in `sizes`.
    /// - Throws: `wrongLength` for the salt, `outOfMemory`.
    public static func derive(
        password: [UInt8], salt: [UInt8], size: Int, cost: Cost
    ) throws(CryptoError) -> [UInt8] {
        try derive(password: password, salt: salt, size: size, passes: cost.passes, memory: cost.memory)
    }

    /// As above, with the cost as numbers; the caller has bounded them.
    static func derive(
        password: [UInt8], salt: [UInt8], size: Int, passes: Int, memory: Int
    ) throws(CryptoError) -> [UInt8] {
        precondition(sizes.contains(size), "an Argon2id output has 16 to 1,024 bytes here")
        guard salt.count == saltByteCount else {
            throw .wrongLength(expected: saltByteCount, actual: salt.count)
        }
        Sodium.start()
        var output = [UInt8](repeating: 0, count: size)
        let status = unsafe password.withUnsafeBytes { buffer in
            // An empty array may have no address at all; libsodium wants one.
            unsafe withUnsafeBytes(of: UInt8(0)) { empty in
                guard let address = unsafe buffer.baseAddress ?? empty.baseAddress else { return Int32(-1) }
                return turn.withLock { _ in
                    unsafe crypto_pwhash(
                        &output, UInt64(size), address.assumingMemoryBound(to: CChar.self), UInt64(buffer.count),
                        salt, UInt64(passes), memory, crypto_pwhash_alg_argon2id13())
                }
            }
        }
        guard status == 0 else { throw .outOfMemory }
        return output
    }
}

extension Argon2id.Cost {
    /// How often the memory is passed over.
    var passes: Int {
        switch self {
        case .minimum: 1
        case .interactive: 2
        case .moderate: 3
        }
    }

    /// Bytes of memory.
    var memory: Int {
        switch self {
        case .minimum: 8 << 10
        case .interactive: 64 << 20
        case .moderate: 256 << 20
        }
    }
}
