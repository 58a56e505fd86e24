import Foundation
import StreakReplication
import Testing

@testable import StreakStorage

/// A database that lacks what was confirmed.
struct LostChangesTests {
    let temporary: TemporaryFolder
    let folder: DataFolder
    let ids = StoreIDs()

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
        try withStore(folder, ids) { try $0.apply(try fullChange()) }
    }

    /// Writes three settings, and leaves the files as the end of the process would; `damage` changes the log before.
    private func kill(_ damage: (inout Data) -> Void) throws {
        var files: [(path: String, bytes: Data)] = []
        try withStore(folder, ids) { store throws in
            for number in 1...3 {
                var change = DurableChange()
                change.settings = ["number": [UInt8(number)]]
                try store.apply(change)
            }
            for path in [folder.databasePath, folder.databasePath + "-wal"] {
                files.append((path, try Data(contentsOf: URL(fileURLWithPath: path))))
            }
        }
        damage(&files[1].bytes)
        for (path, bytes) in files {
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            }
            // In place: another file would be a copy.
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: bytes)
            try file.close()
        }
    }

    @Test func `what was confirmed before a kill is there, and nothing is told`() throws {
        try kill { _ in }
        try withStore(folder, ids) { store throws in
            #expect(store.copySigns.isEmpty && store.lostChanges == 0)
            #expect(try store.snapshot().settings["number"] == [3])
        }
    }

    @Test func `a damaged end of the log is told, and no epoch goes on`() throws {
        try kill { $0[$0.count - 100] ^= 1 }
        try withStore(folder, ids) { store throws in
            #expect(try store.snapshot().settings["number"] == [2])
            #expect(store.copySigns == [.changesLost] && store.lostChanges == 1)
            #expect(try store.load().snapshot.mayBeCopy)
        }
        // Until somebody was told.
        try withStore(folder, ids) { store throws in
            #expect(store.copySigns.isEmpty && store.lostChanges == 1)
            try store.forgetLostChanges()
        }
        try withStore(folder, ids) { #expect($0.lostChanges == 0) }
    }

    @Test func `a log that is gone is told`() throws {
        try kill { $0 = Data() }
        try withStore(folder, ids) { store throws in
            #expect(store.copySigns.contains(.changesLost) && store.lostChanges == 3)
        }
    }

    @Test(arguments: [0, 8, 15])
    func `a mark that is not whole says nothing`(damaged: Int) throws {
        try kill { _ in }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.confirmedPath))
        bytes[damaged] ^= 0x40
        try bytes.write(to: URL(fileURLWithPath: folder.confirmedPath))
        try withStore(folder, ids) { #expect($0.copySigns.isEmpty && $0.lostChanges == 0) }
    }

    @Test func `a change that is not made is not counted`() throws {
        struct Stop: Error {}
        try withStore(folder, ids) { store throws -> Void in
            #expect(throws: Stop.self) { try store.writing { _ throws -> Void in throw Stop() } }
        }
        try withStore(folder, ids) { #expect($0.copySigns.isEmpty && $0.lostChanges == 0) }
    }
}
