import CSodium
import Synchronization

/// Secret bytes that never change, are kept apart from other memory and are wiped when the last owner lets go.
///
/// They sit in `sodium_malloc` memory: between guard pages, behind a canary, locked against swapping where the system
/// allows it, and read-only once filled. Each instance therefore costs several pages and a few system calls (about
/// 30 µs): keep one per long-lived key, not one per message. Beyond `maximumGuardedCount`, and where the system refuses
/// guarded memory, the bytes go to ordinary memory, still wiped at the end.
///
/// A class, so that copying a value that holds a secret does not copy the secret.
// Sendable without the compiler's proof: the memory is written only inside `init`, before anyone else can see it.
@safe
public final class SecretBytes: @unchecked Sendable {
    /// Where the bytes live.
    enum Protection {
        /// Guard pages, canary, read-only. For keys that live long.
        case guarded

        /// Ordinary memory. For intermediate values of a handshake: there are many of them, for a moment.
        case wiped
    }

    /// How many guarded secrets a process holds at most. Each takes four mappings, and of 65,530, Linux's default, ordinary
    /// memory needs some as well: a process that has used them up is ended by its next allocation.
    static let maximumGuardedCount = 8_192
    private static let guardedCount = Atomic<Int>(0)

    /// How many bytes.
    public let count: Int

    private let base: UnsafeMutablePointer<UInt8>
    private let isGuarded: Bool

    /// A protected copy of `bytes`. The caller's array is not wiped.
    public convenience init(bytes: some Collection<UInt8>) {
        self.init(copying: bytes, protection: .guarded)
    }

    /// `count` fresh random bytes.
    public convenience init(random count: Int, from entropy: inout some EntropySource) {
        var bytes = entropy.exactly(count)
        self.init(copying: bytes, protection: .guarded)
        unsafe sodium_memzero(&bytes, count)
    }

    convenience init(copying bytes: some Collection<UInt8>, protection: Protection) {
        unsafe self.init(count: bytes.count, protection: protection) { target in
            // `update` checks the bounds, whatever the collection says of its own count.
            _ = unsafe UnsafeMutableBufferPointer(start: target, count: bytes.count).update(fromContentsOf: bytes)
        }
    }

    /// Memory of `count` bytes, zeroed, then filled by `fill`; if that throws, the memory is wiped and freed at once.
    init<E: Error>(
        count: Int, protection: Protection, fill: (UnsafeMutablePointer<UInt8>) throws(E) -> Void
    ) throws(E) {
        Sodium.start()
        self.count = count
        let isWithinLimit =
            protection == .guarded
            && Self.guardedCount.wrappingAdd(1, ordering: .relaxed).oldValue < Self.maximumGuardedCount
        if isWithinLimit, let memory = unsafe sodium_malloc(count) {
            unsafe base = memory.assumingMemoryBound(to: UInt8.self)
            isGuarded = true
        } else {
            if protection == .guarded { Self.guardedCount.wrappingSubtract(1, ordering: .relaxed) }
            unsafe base = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
            isGuarded = false
        }
        unsafe base.initialize(repeating: 0, count: count)
        try unsafe fill(base)
        if isGuarded {
            // Refusal leaves the memory writable, which nothing here makes use of.
            _ = unsafe sodium_mprotect_readonly(base)
        }
    }

    deinit {
        if isGuarded {
            unsafe sodium_free(base)
            Self.guardedCount.wrappingSubtract(1, ordering: .relaxed)
        } else {
            unsafe sodium_memzero(base, count)
            unsafe base.deallocate()
        }
    }

    /// Lends the bytes to `body`; the pointer must not outlive the call, and nothing may be written through it.
    public func withUnsafeBytes<Result, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> Result
    ) throws(E) -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// As `withUnsafeBytes`, typed as libsodium wants it.
    func withPointer<Result, E: Error>(_ body: (UnsafePointer<UInt8>) throws(E) -> Result) throws(E) -> Result {
        try unsafe body(UnsafePointer(base))
    }

    /// An unprotected copy, for writing key files and recovery texts.
    public func exportedBytes() -> [UInt8] {
        unsafe Array(UnsafeBufferPointer(start: base, count: count))
    }

    /// Whether both hold the same bytes, compared in constant time. The counts are not secret.
    public func isEqual(_ other: SecretBytes) -> Bool {
        unsafe count == other.count && sodium_memcmp(base, other.base, count) == 0
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    /// The size only: a secret never reaches a log by accident.
    public var description: String { "SecretBytes(\(count) bytes)" }

    public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
}
