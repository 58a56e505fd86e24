internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The number of the last confirmed change, in a file beside the database.
///
/// SQLite silently drops a write-ahead log from its first damaged frame on. If the database counts fewer changes than this
/// file says, it has lost some. The number is written after a change is on disk, without waiting for the disk. It survives the
/// end of the process. After a power cut it may be too small, but never too large.
final class ConfirmedMark: Sendable {
    private let file: Int32

    /// Makes the file if there is none.
    init(path: String) throws {
        file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw StorageError.system("opening the mark beside the database") }
    }

    deinit { close(file) }

    /// Nil if there is no number, or if it is not complete.
    func read() -> Int64? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, 16, 0) }
        guard count == 16 else { return nil }
        let words = [0, 8].map { start in bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
        return words[0] == ~words[1] ? Int64(exactly: words[0]) : nil
    }

    func write(_ number: Int64) {
        let word = UInt64(bitPattern: number)
        let bytes = [word, ~word].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
        // If this fails, an earlier number stays, or none. Then fewer losses are noticed.
        _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, 16, 0) }
    }
}
