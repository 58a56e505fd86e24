import Foundation
import Testing

@testable import StreakStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct DataFolderTests {
    let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    @Test(arguments: [
        (["STREAKMESH_DATA": "/a", "XDG_DATA_HOME": "/b", "HOME": "/h"], "/a"),
        (["STREAKMESH_DATA": "", "XDG_DATA_HOME": "/b", "HOME": "/h"], "/b/streakmesh"),
        (["XDG_DATA_HOME": "b", "HOME": "/h"], "/h/.local/share/streakmesh"),
        (["HOME": "/h"], "/h/.local/share/streakmesh"),
    ])
    func `the environment names the folder`(environment: [String: String], path: String) {
        #if os(Linux)
            #expect(DataFolder.defaultPath(environment: environment) == path)
        #endif
    }

    @Test func `a path is absolute and has no slash at its end`() {
        #expect(DataFolder(path: "/a/b//").path == "/a/b")
        #expect(DataFolder(path: "/").path == "/")
        #expect(DataFolder(path: "a").path == FileManager.default.currentDirectoryPath + "/a")
    }

    @Test func `a new folder is closed to others, and so is all in it`() throws {
        let folder = DataFolder(path: temporary.path + "/one/two")
        #expect(!folder.hasAccount)
        try folder.create()
        #expect(!folder.hasAccount)
        #expect(try mode(folder.path) == 0o700)
        let lock = try folder.lock()
        try folder.writeSecret([1, 2, 3], named: "device")
        #expect(!folder.hasAccount, "it is not finished")
        try folder.finish()
        #expect(folder.hasAccount)
        let store = try Store(opening: folder, newStoreID: StoreIDs().next)
        try store.apply(try fullChange())
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(
            names == [
                "device.secret", "generation", "lock", "streakmesh.sqlite", "streakmesh.sqlite-confirmed",
                "streakmesh.sqlite-wal",
            ])
        for name in names { #expect(try mode(folder.path + "/" + name) == 0o600, "\(name)") }
        withExtendedLifetime(lock) {}
    }

    @Test func `an open folder is closed`() throws {
        let folder = DataFolder(path: temporary.path + "/open")
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        try folder.create().close()
        #expect(try mode(folder.path) == 0o700)
        // Whatever has opened it since.
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        try folder.lock().close()
        #expect(try mode(folder.path) == 0o700)
    }

    @Test func `an account is not written over`() throws {
        let folder = try temporary.account("a")
        try folder.create()
        try withStore(folder) { _ in }
        try folder.finish()
        #expect(throws: StorageError.accountExists) { try folder.create() }
        let other = try temporary.account("b")
        try other.finish()
        try other.writeSecret([1], named: "account")
        #expect(throws: StorageError.accountExists) { try other.create() }
        try other.eraseSecret(named: "account")
        try other.create()
    }

    @Test func `what another process is putting into the folder stays; what it left goes`() throws {
        let folder = DataFolder(path: temporary.path + "/b")
        let lock = try folder.create()
        try folder.writeSecret([1], named: "device")
        #expect(throws: StorageError.folderInUse(processID: getpid())) { try folder.create() }
        #expect(folder.hasSecret(named: "device"))
        lock.close()
        try folder.create()
        #expect(!folder.hasSecret(named: "device"))
    }

    @Test func `what was put aside is removed once its process has ended`() throws {
        let folder = try temporary.account()
        let mine = try folder.putAside([1, 2])
        #expect(try readFile(mine, maximumSize: 10) == [1, 2] && mode(mine) == 0o600)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "true"]
        try process.run()
        process.waitUntilExit()
        let left = ["import-\(process.processIdentifier)-7", "import-", "import-x"].map { "\(folder.path)/\($0)" }
        for path in left { try writeNewFile([3], to: path) }
        try folder.removeAbandonedFiles()
        for path in left { #expect(!FileManager.default.fileExists(atPath: path), "\(path)") }
        #expect(FileManager.default.fileExists(atPath: mine))
    }

    @Test func `a file in the folder's place is refused`() throws {
        let path = temporary.path + "/file"
        try Data([1]).write(to: URL(fileURLWithPath: path))
        #expect(throws: StorageError.self) { try DataFolder(path: path).create() }
        #expect(throws: StorageError.self) { try DataFolder(path: path + "/below").create() }
    }

    @Test func `one process at a time`() throws {
        let folder = try temporary.account()
        let lock = try folder.lock()
        #expect(throws: StorageError.folderInUse(processID: getpid())) { try folder.lock() }
        lock.close()
        lock.close()
        var second: DataFolderLock? = try folder.lock()
        #expect(throws: StorageError.folderInUse(processID: getpid())) { try folder.lock() }
        withExtendedLifetime(second) {}
        second = nil
        _ = try folder.lock()
    }

    @Test func `a folder that was given up is free, though a program that is being started has the descriptor still`()
        throws
    {
        let folder = try temporary.account()
        let lock = try folder.lock()
        var wanted = stat()
        #expect(unsafe stat(folder.lockPath, &wanted) == 0)
        let held = try #require(
            (3..<1_024 as Range<Int32>).first { file in
                var found = stat()
                guard unsafe fstat(file, &found) == 0 else { return false }
                return found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev
            })
        // What a child has between fork and exec.
        let inherited = dup(held)
        defer { close(inherited) }
        lock.close()
        let second = try folder.lock()
        withExtendedLifetime(second) {}
    }

    @Test(arguments: ["", "no number", "99999999999999", String(repeating: "7", count: 1_000)])
    func `a lock file of nonsense locks nobody out and tells nobody`(text: String) throws {
        let folder = try temporary.account()
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.lockPath))
        let lock = try folder.lock()
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.lockPath))
        #expect(throws: StorageError.folderInUse(processID: nil)) { try folder.lock() }
        withExtendedLifetime(lock) {}
    }

    @Test func `a program started from here does not hold the lock`() throws {
        let folder = try temporary.account()
        let lock = try folder.lock()
        var file = stat()
        #expect(unsafe stat(folder.lockPath, &file) == 0)
        var found = 0
        for descriptor in Int32(0)..<1_024 {
            var other = stat()
            guard unsafe fstat(descriptor, &other) == 0, other.st_ino == file.st_ino, other.st_dev == file.st_dev else {
                continue
            }
            found += 1
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(found == 1)
        withExtendedLifetime(lock) {}
    }

    @Test func `a secret comes back`() throws {
        let folder = try temporary.account()
        #expect(try folder.readSecret(named: "device", maximumSize: 10) == nil)
        try folder.writeSecret([1, 2, 3], named: "device")
        try folder.writeSecret([UInt8](repeating: 7, count: 10_000), named: "device")
        #expect(try folder.readSecret(named: "device", maximumSize: 10_000)?.count == 10_000)
        #expect(throws: StorageError.fileTooLarge(limit: 9_999)) {
            try folder.readSecret(named: "device", maximumSize: 9_999)
        }
        try folder.writeSecret([], named: "device")
        #expect(try folder.readSecret(named: "device", maximumSize: 0) == [])
        try folder.eraseSecret(named: "device")
        try folder.eraseSecret(named: "device")
        #expect(try folder.readSecret(named: "device", maximumSize: 10) == nil)
    }

    @Test func `an account whose making a crash cut short is made anew`() throws {
        let folder = DataFolder(path: temporary.path + "/cut-short")
        try folder.create()
        try folder.writeSecret([1], named: "account")
        try withStore(folder) { try $0.apply(try fullChange()) }
        #expect(!folder.hasAccount)
        try folder.create()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["lock", "unfinished"])
        try folder.writeSecret([2], named: "account")
        try folder.finish()
        #expect(folder.hasAccount)
    }

    @Test func `what a crash left of a secret is no hindrance`() throws {
        let folder = try temporary.account()
        try folder.finish()
        try Data([9]).write(to: URL(fileURLWithPath: folder.path + "/device.secret.new"))
        #expect(!folder.hasAccount)
        #expect(try folder.readSecret(named: "device", maximumSize: 10) == nil)
        try folder.writeSecret([1], named: "device")
        #expect(try folder.readSecret(named: "device", maximumSize: 10) == [1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["device.secret", "lock"])
    }

    @Test(arguments: ["", "a/b", "..", "A", "ä", "a b", "a\0", String(repeating: "a", count: 65)])
    func `a secret's name is no path`(name: String) throws {
        let folder = try temporary.account()
        #expect(throws: StorageError.invalidName) { try folder.writeSecret([1], named: name) }
        #expect(throws: StorageError.invalidName) { try folder.readSecret(named: name, maximumSize: 1) }
        #expect(throws: StorageError.invalidName) { try folder.eraseSecret(named: name) }
    }

    @Test func `a socket's path always fits, and is one for every way to the folder`() throws {
        let short = try temporary.account("s")
        #expect(short.controlSocketPath.hasSuffix("/s/control.sock"))
        try short.prepareControlSocketFolder()

        let long = try temporary.account(String(repeating: "n", count: 120))
        let path = long.controlSocketPath
        #expect(path.utf8.count <= DataFolder.maximumSocketPathSize)
        let link = temporary.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: long.path)
        #expect(DataFolder(path: link).controlSocketPath == path)
        #expect(try temporary.account(String(repeating: "m", count: 120)).controlSocketPath != path)

        let socketFolder = String(path.dropLast("/control.sock".count))
        defer {
            // Left behind only if the test failed before it was made.
            try? FileManager.default.removeItem(atPath: socketFolder)
        }
        try long.prepareControlSocketFolder()
        try long.prepareControlSocketFolder()
        #expect(try mode(socketFolder) == 0o700)
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: socketFolder)
        #expect(throws: StorageError.unsafeFolder(socketFolder)) { try long.prepareControlSocketFolder() }
        try FileManager.default.removeItem(atPath: socketFolder)
        try FileManager.default.createSymbolicLink(atPath: socketFolder, withDestinationPath: long.path)
        #expect(throws: StorageError.unsafeFolder(socketFolder)) { try long.prepareControlSocketFolder() }
    }
}
