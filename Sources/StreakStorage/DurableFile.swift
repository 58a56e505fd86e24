#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Small files that are whole or absent after a crash, readable by their owner only.
enum DurableFile {
    /// Replaces the file at `path` by one of mode 0600 that holds `bytes`. It is on disk when this returns.
    static func replace(_ path: String, with bytes: [UInt8]) throws {
        let temporary = path + ".new"
        try write(bytes, toFresh: temporary)
        try move(temporary, to: path)
    }

    /// Writes `bytes` to a new file at `path` and waits until they are on disk. A file that a crash left there is
    /// removed.
    static func write(_ bytes: [UInt8], toFresh path: String) throws {
        if unsafe unlink(path) != 0, errno != ENOENT { throw StorageError.system("removing a left-over file") }
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw StorageError.system("creating a file") }
        do {
            defer { close(file) }
            try writeAll(bytes, to: file)
            // Whole even seconds, which every file system keeps as they are: see `FileIdentity`.
            var status = stat()
            guard unsafe fstat(file, &status) == 0 else { throw StorageError.system("reading a file's state") }
            let second = timespec(tv_sec: FileIdentity.modified(status) / 2 * 2, tv_nsec: 0)
            let times = [second, second]
            guard unsafe futimens(file, times) == 0 else { throw StorageError.system("setting a file's time") }
            try synchronize(file)
        } catch {
            // The first error is reported. If the file cannot be removed now, the next write removes it.
            _ = unsafe unlink(path)
            throw error
        }
    }

    /// Makes a file of mode 0600 that `body` writes, and waits until it is on disk. If that fails, removes it.
    ///
    /// - Throws: `fileExists` where there is one, which then stays as it is; `diskFull`, `failed`; what `body` throws.
    static func create(_ path: String, _ body: (Int32) throws -> Void) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            switch errno {
            case EEXIST: throw StorageError.fileExists
            case ENOENT, ENOTDIR: throw StorageError.failed("there is no such folder")
            case EACCES, EPERM, EROFS: throw StorageError.failed("nothing may be written there")
            default: throw StorageError.system("creating a file")
            }
        }
        do {
            defer { close(file) }
            try body(file)
            try synchronize(file)
        } catch {
            // The first error is the one to tell.
            _ = unsafe unlink(path)
            throw error
        }
        try synchronizeFolder(of: path)
    }

    /// Passes a file's bytes on in pieces of `size`; the last piece may be shorter.
    ///
    /// - Returns: whether the file exists.
    @discardableResult
    static func readPieces(_ path: String, size: Int, _ body: ([UInt8]) throws -> Void) throws -> Bool {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return false }
            throw StorageError.system("opening a file")
        }
        defer { close(file) }
        var piece = [UInt8](repeating: 0, count: size)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe systemRead(file, $0) }
            if count == 0 { return true }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw StorageError.system("reading a file")
            }
            try body(Array(piece[..<count]))
        }
    }

    /// Overwrites a file with zeros, waits until they are on disk, and removes it. Flash memory or a journalling file system
    /// may still keep old copies.
    static func erase(_ path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return }
            throw StorageError.system("opening a file")
        }
        do {
            defer { close(file) }
            var status = stat()
            guard unsafe fstat(file, &status) == 0 else { throw StorageError.system("reading a file's state") }
            try writeAll([UInt8](repeating: 0, count: max(0, min(Int(status.st_size), 1 << 20))), to: file)
            try synchronize(file)
        }
        try remove(path)
    }

    /// Renames a file within a folder and waits until the folder is on disk.
    static func move(_ source: String, to target: String) throws {
        guard unsafe rename(source, target) == 0 else {
            let error = StorageError.system("renaming a file")
            _ = unsafe unlink(source)
            throw error
        }
        try synchronizeFolder(of: target)
    }

    /// The bytes of a file; nil where there is none.
    ///
    /// - Throws: `fileTooLarge` before more than `maximumSize` bytes are kept; `failed`.
    static func read(_ path: String, maximumSize: Int) throws -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StorageError.system("opening a file")
        }
        defer { close(file) }
        return try readAll(file, maximumSize: maximumSize)
    }

    static func readAll(_ file: Int32, maximumSize: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe systemRead(file, $0) }
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw StorageError.system("reading a file")
            }
            guard bytes.count + count <= maximumSize else { throw StorageError.fileTooLarge(limit: maximumSize) }
            bytes += chunk[..<count]
        }
    }

    /// Removes a file, if there is one, and waits until the folder is on disk.
    static func remove(_ path: String) throws {
        guard unsafe unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw StorageError.system("removing a file")
        }
        try synchronizeFolder(of: path)
    }

    static func writeAll(_ bytes: [UInt8], to file: Int32) throws {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe systemWrite(file, UnsafeRawBufferPointer(rebasing: $0[written...]))
            }
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw StorageError.system("writing a file")
            }
            written += count
        }
    }

    static func synchronizeFolder(of path: String) throws {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let folder = end == path.startIndex ? "/" : String(path[..<end])
        let file = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { throw StorageError.system("opening a folder") }
        defer { close(file) }
        try synchronize(file)
    }

    private static func synchronize(_ file: Int32) throws {
        #if canImport(Darwin)
            // fsync(2) of macOS leaves the bytes in the drive's cache.
            if unsafe fcntl(file, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(file) == 0 else { throw StorageError.system("writing to disk") }
    }
}

// Outside the type, in which `read` and `write` mean its own functions.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe read(file, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
    unsafe write(file, buffer.baseAddress, buffer.count)
}
