import Foundation
import StreakReplication
import StreakWire
import Testing

@testable import StreakStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct CopyDetectorTests {
    let temporary: TemporaryFolder
    let folder: DataFolder
    let ids = StoreIDs()

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
        try withStore(folder, ids) { try $0.apply(try fullChange()) }
    }

    private struct Opening: Equatable {
        let store: UInt64
        let mayBeCopy: Bool
        let signs: [CopySign]
    }

    private func open(_ folder: DataFolder) throws -> Opening {
        try withStore(folder, ids) { store throws in
            let snapshot = try store.snapshot()
            let runs = try fullChange().runs
            #expect(snapshot.store == store.storeID)
            #expect(snapshot.runs == runs)
            return Opening(store: snapshot.store.bytes.w1, mayBeCopy: snapshot.mayBeCopy, signs: store.copySigns)
        }
    }

    private let same = Opening(store: 1, mayBeCopy: false, signs: [])

    private func renewEpochs(_ folder: DataFolder) throws {
        var change = DurableChange()
        change.settings = [Store.epochsRenewedSetting: [1]]
        try withStore(folder, ids) { try $0.apply(change) }
    }

    @Test func `a restart is not a copy`() throws {
        for _ in 0..<5 { #expect(try open(folder) == same) }
    }

    @Test func `a store that nobody closed is not a copy`() throws {
        var left: Store? = try Store(opening: folder, newStoreID: ids.next)
        try left?.apply(DurableChange(), keeping: [ShareText(key: "a", text: "b")])
        left = nil
        #expect(try open(folder) == same)
    }

    @Test func `a folder moved within the file system is not a copy`() throws {
        let moved = DataFolder(path: temporary.path + "/moved")
        try FileManager.default.moveItem(atPath: folder.path, toPath: moved.path)
        #expect(try open(moved) == same)
        #expect(try open(moved) == same)
    }

    @Test func `a copied folder is one, until its epochs are renewed`() throws {
        let copy = DataFolder(path: temporary.path + "/copy")
        try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
        let first = try open(copy)
        #expect(first == Opening(store: 2, mayBeCopy: true, signs: [.databaseFileReplaced, .generationFileDiffers]))
        // The session ended before the epochs were renewed: the fact stays, the new name too.
        #expect(try open(copy) == Opening(store: 2, mayBeCopy: true, signs: []))
        try renewEpochs(copy)
        #expect(try open(copy) == Opening(store: 2, mayBeCopy: false, signs: []))
        #expect(try open(folder) == same)
    }

    @Test func `the setting that ends it is not kept as one`() throws {
        try renewEpochs(folder)
        let settings = try fullChange().settings
        #expect(try withStore(folder, ids) { try $0.snapshot().settings } == settings)
    }

    @Test(arguments: [[UInt8](), [0], [1, 1]])
    func `no other value of the setting ends it`(value: [UInt8]) throws {
        try withStore(folder, ids) { store throws in
            try store.tamper("UPDATE state SET may_be_copy = 1")
            var change = DurableChange()
            change.settings = [Store.epochsRenewedSetting: value]
            try store.apply(change)
            #expect(try store.snapshot().mayBeCopy)
        }
    }

    @Test func `a file in a removed one's place is another, even under its number`() throws {
        let path = temporary.path + "/file"
        var identities: Set<[UInt8]> = []
        var numbers: Set<UInt64> = []
        for _ in 0..<20 {
            try DurableFile.write([1], toFresh: path)
            numbers.insert(try number(path))
            identities.insert(try #require(try FileIdentity.identity(ofFileAt: path)))
        }
        // Where the file system does not tell, the numbers are all there is.
        #expect(identities.count == (tellsIncarnations ? 20 : numbers.count))
    }

    private func number(_ path: String) throws -> UInt64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.systemFileNumber] as? NSNumber).uint64Value
    }

    /// Whether the file system under the tests distinguishes files of one number; overlay file systems do not.
    private var tellsIncarnations: Bool {
        #if os(Linux)
            let file = systemOpen(folder.databasePath, O_RDONLY)
            defer { close(file) }
            var generation: UInt64 = 0
            return unsafe ioctl(file, UInt(0x8008_7601), &generation) == 0
        #else
            return true
        #endif
    }

    @Test func `a folder removed and brought back is a copy`() throws {
        // The file system may well give the files the numbers that the removed ones had.
        guard tellsIncarnations else { return }
        let backup = temporary.path + "/backup"
        try FileManager.default.copyItem(atPath: folder.path, toPath: backup)
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.copyItem(atPath: backup, toPath: folder.path)
        #expect(try open(folder).mayBeCopy)
    }

    @Test func `an older state written over the files is a copy`() throws {
        let database = try Data(contentsOf: URL(fileURLWithPath: folder.databasePath))
        let generation = try Data(contentsOf: URL(fileURLWithPath: folder.generationPath))
        #expect(try open(folder) == same)
        try overwrite(folder.databasePath, with: database)
        try overwrite(folder.generationPath, with: generation)
        #expect(try open(folder).signs == [.generationFileDiffers])
    }

    @Test func `an older database written over the newer one is a copy`() throws {
        let database = try Data(contentsOf: URL(fileURLWithPath: folder.databasePath))
        #expect(try open(folder) == same)
        #expect(try open(folder) == same)
        try overwrite(folder.databasePath, with: database)
        #expect(try open(folder) == Opening(store: 2, mayBeCopy: true, signs: [.generationFileDiffers]))
    }

    /// Keeps the file, changes what is in it.
    private func overwrite(_ path: String, with data: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
    }

    @Test func `a database without its generation file is a copy`() throws {
        #expect(try open(folder) == same)
        try FileManager.default.removeItem(atPath: folder.generationPath)
        #expect(try open(folder).signs == [.generationFileMissing])
    }

    @Test(arguments: [0, 10, 100_000])
    func `a damaged generation file is a sign, not a fault`(size: Int) throws {
        try overwrite(folder.generationPath, with: Data(repeating: 0xFF, count: size))
        #expect(try open(folder).signs == [.generationFileDiffers])
        #expect(try open(folder).signs.isEmpty)
    }

    @Test func `a lost database is a sign`() throws {
        try FileManager.default.removeItem(atPath: folder.databasePath)
        try withStore(folder, ids) { store throws in
            #expect(store.copySigns == [.databaseLost])
            #expect(try store.snapshot().mayBeCopy)
        }
    }

    @Test func `another machine is a sign`() throws {
        try withStore(folder, ids) { try $0.tamper("UPDATE state SET machine = zeroblob(16)") }
        let signs = try open(folder).signs
        // A machine without a name says nothing.
        #expect(signs == (Machine.identity() == nil ? [] : [.otherMachine]))
    }

    @Test func `a machine without a name is no sign`() throws {
        try withStore(folder, ids) { try $0.tamper("UPDATE state SET machine = NULL") }
        #expect(try open(folder) == same)
    }

    @Test func `a crash between the two writes of an opening is not a copy`() throws {
        // The database was written, the generation file not yet replaced: as if the rename had not happened.
        let kept = temporary.path + "/kept"
        try FileManager.default.linkItem(atPath: folder.generationPath, toPath: kept)
        #expect(try open(folder) == same)
        try FileManager.default.removeItem(atPath: folder.generationPath)
        try FileManager.default.moveItem(atPath: kept, toPath: folder.generationPath)
        #expect(try open(folder) == same)
        #expect(try open(folder) == same)
    }

    @Test func `a crash in the very first opening is not a copy`() throws {
        let fresh = try temporary.account("fresh")
        try withStore(fresh, ids) { _ in }
        try FileManager.default.removeItem(atPath: fresh.generationPath)
        #expect(try withStore(fresh, ids) { $0.copySigns }.isEmpty)
    }

    @Test func `a generation number at its end is no fault`() throws {
        try withStore(folder, ids) { try $0.tamper("UPDATE state SET generation = 9223372036854775807") }
        #expect(try open(folder) == same)
        #expect(try open(folder) == same)
    }
}

#if os(Linux)
    // Outside the suite, in which `open` means its own method.
    private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { unsafe open(path, flags) }
#endif
