internal import Synchronization

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// One process's hold on a data folder. Given up by `close`, with the last reference, or by the end of the process,
/// however it ends (flock(2)).
public final class DataFolderLock: Sendable {
    /// The lock file's descriptor; nil once closed. Closed on exec, so that a program started from here does not hold
    /// it.
    private let file: Mutex<Int32?>

    init(path: String) throws {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else {
            throw errno == ENOENT ? StorageError.folderMissing : StorageError.system("opening the lock file")
        }
        do {
            try Self.take(file)
        } catch {
            _ = systemClose(file)
            throw error
        }
        self.file = Mutex(file)
    }

    deinit { close() }

    /// Gives the folder up. The file stays: removing it would let two processes lock two files of one name.
    public func close() {
        file.withLock { file in
            guard let open = file else { return }
            // Removes the process ID, so that nobody is told one that has ended. The lock itself ends with the descriptor.
            _ = ftruncate(open, 0)
            // A program that is being started has a copy of the descriptor until it runs; it must not hold the folder.
            _ = flock(open, LOCK_UN)
            _ = systemClose(open)
            file = nil
        }
    }

    private static func take(_ file: Int32) throws {
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw StorageError.system("locking the folder") }
            // The error names the holder if it is known; what matters is that the lock is held.
            let text = (try? DurableFile.readAll(file, maximumSize: 32)) ?? []
            let digits = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            throw StorageError.folderInUse(processID: Int32(digits))
        }
        guard ftruncate(file, 0) == 0 else { throw StorageError.system("writing the lock file") }
        do {
            try DurableFile.writeAll(Array("\(getpid())\n".utf8), to: file)
        } catch StorageError.diskFull {
            // The lock holds without the process ID in it; on a full disk reading must still be possible.
        }
    }
}

// Outside the type, in which `close` means its own method.
private func systemClose(_ file: Int32) -> Int32 { close(file) }
