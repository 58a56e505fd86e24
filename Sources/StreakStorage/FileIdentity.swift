internal import StreakCrypto

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Sixteen bytes that distinguish a file from every copy of it, as long as the file exists. They are hashes of its
/// inode number, and of a value that distinguishes earlier inodes of that number (Linux: its generation; macOS: the
/// file's birth).
///
/// The device number is left out: Linux gives another one to the same disk after a restart.
enum FileIdentity {
    /// Linux: `FS_IOC_GETVERSION`, `_IOR('v', 1, long)` of linux/fs.h, on the 64-bit machines this runs on.
    private static let generationRequest: UInt = 0x8008_7601

    /// The identity of an open file. If `contents` are given, they and the time when they were written are part of it.
    static func identity(of file: Int32, contents: [UInt8]? = nil) throws -> [UInt8] {
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw StorageError.system("reading a file's state") }
        var text = "inode \(status.st_ino) of \(incarnation(of: file, status))"
        if let contents { text += " written \(modified(status)): \(contents)" }
        return Blake2b.hash(Array(text.utf8), size: 16)
    }

    /// The identity of the file at `path`; nil where there is none.
    ///
    /// Never called while SQLite has the file open: closing any descriptor of a file gives up the process's locks on it
    /// (POSIX fcntl).
    static func identity(ofFileAt path: String) throws -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StorageError.system("opening a file")
        }
        defer { close(file) }
        return try identity(of: file)
    }

    /// When a file was written, in whole seconds.
    static func modified(_ status: stat) -> Int {
        #if canImport(Darwin)
            status.st_mtimespec.tv_sec
        #else
            status.st_mtim.tv_sec
        #endif
    }

    private static func incarnation(of file: Int32, _ status: stat) -> String {
        #if canImport(Darwin)
            return "\(status.st_birthtimespec.tv_sec).\(status.st_birthtimespec.tv_nsec)"
        #else
            var generation: UInt64 = 0
            // A file system without generations (tmpfs) leaves the zero, and the inode number stands alone.
            _ = unsafe ioctl(file, generationRequest, &generation)
            return String(generation)
        #endif
    }
}

/// The machine a process runs on, as sixteen bytes that tell nothing else about it.
enum Machine {
    /// Nil where the system gives no stable name.
    ///
    /// machine-id(5) wants its content hashed under an application's own key before it is stored.
    static func identity() -> [UInt8]? {
        guard let name, !name.isEmpty else { return nil }
        return Blake2b.keyedHash(name, key: Array("streakmesh/v1/machine".utf8), size: 16)
    }

    private static var name: [UInt8]? {
        #if canImport(Darwin)
            var bytes = [UInt8](repeating: 0, count: 16)
            var wait = timespec(tv_sec: 1, tv_nsec: 0)
            return unsafe gethostuuid(&bytes, &wait) == 0 ? bytes : nil
        #else
            // Unreadable is the same as absent: the other signs of a copy remain.
            let text = try? DurableFile.read("/etc/machine-id", maximumSize: 256)
            return text?.filter { $0 > UInt8(ascii: " ") }
        #endif
    }
}
