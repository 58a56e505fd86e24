internal import Foundation
internal import StreakCrypto
internal import StreakWire

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The folder that holds one account's data: the database, the secrets, the lock and the control socket. Only its owner
/// may enter it (mode 0700).
public struct DataFolder: Sendable, Hashable {
    /// Absolute, without a slash at the end.
    public let path: String

    /// A relative path is taken from the working directory.
    public init(path: String) {
        var path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    /// Where data is kept unless the user names a folder: `STREAKMESH_DATA`; else, on macOS,
    /// `~/Library/Application Support/StreakMesh`, and elsewhere `streakmesh` in `XDG_DATA_HOME` or in
    /// `~/.local/share`.
    ///
    /// A relative `XDG_DATA_HOME` is ignored, as the XDG base directory specification demands.
    public static func defaultPath(environment: [String: String]) -> String {
        if let path = environment["STREAKMESH_DATA"], !path.isEmpty { return path }
        let named = environment["HOME"] ?? ""
        let home = named.hasPrefix("/") ? named : NSHomeDirectory()
        #if canImport(Darwin)
            return home + "/Library/Application Support/StreakMesh"
        #else
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/streakmesh" }
            return home + "/.local/share/streakmesh"
        #endif
    }

    /// The SQLite database.
    public var databasePath: String { path + "/streakmesh.sqlite" }

    /// Rewritten at every opening of the database, so that an old state of either is noticed.
    var generationPath: String { path + "/generation" }
    var confirmedPath: String { databasePath + "-confirmed" }

    var lockPath: String { path + "/lock" }

    /// This file exists from `create` until `finish`. As long as it does, nothing in the folder was ever confirmed to anybody.
    private var unfinishedPath: String { path + "/unfinished" }

    private var isUnfinished: Bool { unsafe access(unfinishedPath, F_OK) == 0 }

    /// Whether the folder holds a database or a secret of an account that was made completely.
    public var hasAccount: Bool { !isUnfinished && holdsAnything }

    private var holdsAnything: Bool {
        if unsafe access(databasePath, F_OK) == 0 { return true }
        // A folder that cannot be listed does not exist, or the next use of it reports the error.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.contains { $0.hasSuffix(Self.secretSuffix) }
    }

    /// Makes the folder and those above it, and locks it for this process. Removes what is left of an account whose making a
    /// crash interrupted. Until `finish` the folder counts as having no account.
    ///
    /// - Throws: `accountExists`, `folderInUse`, `diskFull`, `failed`.
    @discardableResult
    public func create() throws -> DataFolderLock {
        guard !hasAccount else { throw StorageError.accountExists }
        try makeFolder()
        // Another process may be making an account here at this moment: its files are not leftovers.
        let lock = try lock()
        guard !hasAccount else { throw StorageError.accountExists }
        if isUnfinished {
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where Self.isOfAccount(name) {
                try DurableFile.remove(path + "/" + name)
            }
        } else {
            try DurableFile.create(unfinishedPath) { _ in }
            try DurableFile.synchronizeFolder(of: unfinishedPath)
        }
        return lock
    }

    /// Makes the folder and those above it, and closes it to other users.
    ///
    /// - Throws: `diskFull`, `failed`.
    public func makeFolder() throws {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            if unsafe mkdir(made, 0o700) == 0 {
                try DurableFile.synchronizeFolder(of: made)
            } else if errno != EEXIST, unsafe access(made, F_OK) != 0 {
                throw StorageError.system("creating the folder")
            }
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw StorageError.system("entering the folder") }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw StorageError.failed("the data folder is not a folder") }
        guard unsafe chmod(path, 0o700) == 0 else { throw StorageError.system("closing the folder to others") }
    }

    private static func isOfAccount(_ name: String) -> Bool {
        name.hasSuffix(secretSuffix) || name.hasPrefix("streakmesh.sqlite") || name == "generation"
    }

    /// From here on the folder counts as having an account.
    ///
    /// - Throws: `failed`.
    public func finish() throws { try DurableFile.remove(unfinishedPath) }

    /// Makes sure that the folder, if it exists, belongs to this user. The administrator may use any folder.
    ///
    /// - Throws: `othersFolder`.
    public func checkOwner() throws {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            if errno == EACCES { throw StorageError.othersFolder }
            return
        }
        guard status.st_uid == geteuid() || geteuid() == 0 else { throw StorageError.othersFolder }
    }

    /// Locks the folder for this process, and takes other users' access away if somebody gave it. Nothing in the folder is
    /// opened or written before this.
    ///
    /// - Throws: `folderInUse`, `folderMissing`, `othersFolder`, `failed`.
    public func lock() throws -> DataFolderLock {
        try checkOwner()
        let lock = try DataFolderLock(path: lockPath)
        var status = stat()
        if unsafe stat(path, &status) == 0, status.st_mode & 0o077 != 0 {
            guard unsafe chmod(path, 0o700) == 0 else { throw StorageError.system("closing the folder to others") }
        }
        return lock
    }
}

// MARK: - A folder within

extension DataFolder {
    /// A folder of the same kind inside this one.
    public func inner(_ name: String) -> DataFolder { DataFolder(path: path + "/" + name) }

    /// Deletes the folder and all that is in it. The caller holds its lock, or knows that nobody uses it.
    ///
    /// - Throws: `failed`.
    public func delete() throws {
        guard unsafe access(path, F_OK) == 0 else { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw StorageError.failed("deleting the folder")
        }
    }
}

// MARK: - Files put aside

extension DataFolder {
    private static let asidePrefix = "import-"

    /// Writes bytes to a new file of the folder, for another process to read, and returns its path. The caller removes it. If
    /// the process ends before that, the next opening of the folder removes it.
    ///
    /// - Throws: `diskFull`, `failed`.
    public func putAside(_ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(Self.asidePrefix)\(getpid())-\(UInt64.random(in: .min ... .max))"
        try writeNewFile(bytes, to: file)
        return file
    }

    /// Removes what processes that have ended put aside. The caller holds the folder.
    ///
    /// - Throws: `failed`.
    public func removeAbandonedFiles() throws {
        // If the folder cannot be listed, the next use of it reports the error.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        where name.hasPrefix(Self.asidePrefix) {
            let process = Int32(name.dropFirst(Self.asidePrefix.count).prefix { $0 != "-" })
            // Signal 0 only asks whether there is such a process (kill(2)).
            if let process, process > 0, kill(process, 0) == 0 || errno != ESRCH { continue }
            try DurableFile.remove(path + "/" + name)
        }
    }
}

/// Writes a new file of mode 0600 outside any data folder, on a user's order. It is on disk when this returns.
///
/// - Throws: `StorageError.fileExists` where there is one, which then stays as it is; `diskFull`, `failed`.
public func writeNewFile(_ bytes: [UInt8], to path: String) throws {
    try DurableFile.create(path) { try DurableFile.writeAll(bytes, to: $0) }
}

/// The bytes of a file outside any data folder, on a user's order; nil where there is none.
///
/// - Throws: `StorageError.fileTooLarge` before more than `maximumSize` bytes are kept; `failed`.
public func readFile(_ path: String, maximumSize: Int) throws -> [UInt8]? {
    try DurableFile.read(path, maximumSize: maximumSize)
}

// MARK: - Control socket

extension DataFolder {
    /// Bytes of a socket's path, the zero at the end not counted: `sun_path` of sockaddr_un, 108 on Linux, 104
    /// elsewhere.
    static let maximumSocketPathSize: Int = {
        #if os(Linux)
            107
        #else
            103
        #endif
    }()

    /// The socket at which a running node listens to the command line. It is in the folder, unless that path is too long for
    /// a socket. Then it is in a folder of this user in /tmp, under a name made from the folder's real path, which every
    /// process of the user finds. Call `prepareControlSocketFolder` first.
    public var controlSocketPath: String {
        let inside = realPath + "/control.sock"
        if inside.utf8.count <= Self.maximumSocketPathSize { return inside }
        return fallbackSocketFolder + "/control.sock"
    }

    /// Makes sure that only this user can have put a socket at `controlSocketPath`.
    ///
    /// - Throws: `unsafeFolder`, `failed`.
    public func prepareControlSocketFolder() throws {
        guard !controlSocketPath.hasPrefix(realPath + "/") else { return }
        let folder = fallbackSocketFolder
        if unsafe mkdir(folder, 0o700) != 0, errno != EEXIST {
            throw StorageError.system("creating the folder of the control socket")
        }
        var status = stat()
        guard unsafe lstat(folder, &status) == 0 else {
            throw StorageError.system("entering the folder of the control socket")
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw StorageError.unsafeFolder(folder)
        }
    }

    private var fallbackSocketFolder: String {
        let name = Blake2b.hash(Array(realPath.utf8), size: 12).hexadecimal
        return "/tmp/streakmesh-\(geteuid())-\(name)"
    }

    /// The path with symbolic links followed, so that the folder has one name; the path as given if the folder does not exist.
    private var realPath: String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

extension DataFolder {
    /// How many bytes this user may still write to the folder's disk; nil where the system does not say.
    public var freeBytes: Int64? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0 else { return nil }
        return Int64(
            clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue)
    }
}

// MARK: - Secrets

extension DataFolder {
    private static let secretSuffix = ".secret"

    /// Keeps `bytes` under a name, in place of what was there. The name has 1 to 64 of a–z, 0–9 and "-". The bytes are on disk
    /// when this returns. A crash leaves the old bytes or the new, never a part.
    ///
    /// - Throws: `invalidName`, `diskFull`, `failed`.
    public func writeSecret(_ bytes: [UInt8], named name: String) throws {
        try DurableFile.replace(try secretPath(name), with: bytes)
    }

    /// The bytes kept under a name; nil if there are none.
    ///
    /// - Throws: `invalidName`, `fileTooLarge`, `failed`.
    public func readSecret(named name: String, maximumSize: Int) throws -> [UInt8]? {
        try DurableFile.read(try secretPath(name), maximumSize: maximumSize)
    }

    /// Overwrites the bytes kept under a name, and removes them. They are gone from the file when this returns.
    ///
    /// - Throws: `invalidName`, `failed`.
    public func eraseSecret(named name: String) throws {
        try DurableFile.erase(try secretPath(name))
    }

    /// Whether anything is kept under a name.
    public func hasSecret(named name: String) -> Bool {
        guard let path = try? secretPath(name) else { return false }  // no such name is allowed
        return unsafe access(path, F_OK) == 0
    }

    private func secretPath(_ name: String) throws -> String {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
        guard isName, (1...64).contains(name.utf8.count) else { throw StorageError.invalidName }
        return path + "/" + name + Self.secretSuffix
    }
}
