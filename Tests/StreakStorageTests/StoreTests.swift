import Foundation
import GRDB
import StreakCrypto
import StreakReplication
import StreakWire
import Testing

@testable import StreakStorage

struct StoreTests {
    let temporary: TemporaryFolder
    let folder: DataFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
    }

    @Test func `a new store is empty`() throws {
        try withStore(folder) { store throws in
            let snapshot = try store.snapshot()
            #expect(snapshot.store == StoreID(bytes: Bytes16(0, 1)))
            #expect(snapshot.nextArrival == 1)
            #expect(!snapshot.mayBeCopy)
            #expect(snapshot.runs.isEmpty && snapshot.operations.isEmpty && snapshot.settings.isEmpty)
            #expect(store.copySigns.isEmpty)
        }
    }

    @Test func `every part of a change comes back after reopening`() throws {
        let change = try fullChange()
        try withStore(folder) { try $0.apply(change) }
        let contents = try withStore(folder) { try $0.contents() }
        #expect(contents.operations == change.operations)
        #expect(contents.runs == change.runs)
        #expect(contents.accessKeys == change.accessKeys)
        #expect(contents.addresses == change.addresses)
        #expect(contents.local == change.local)
        #expect(contents.settings == change.settings)
        #expect(contents.nextArrival == 6)
        #expect(!contents.mayBeCopy)
    }

    @Test func `a change made twice is a change made once`() throws {
        let change = try fullChange()
        try withStore(folder) { store throws in
            try store.apply(change)
            let once = try store.contents()
            try store.apply(change)
            #expect(try store.contents() == once)
        }
    }

    @Test func `a change is made without waiting, too`() async throws {
        let change = try fullChange()
        let store = try Store(opening: folder, newStoreID: StoreIDs().next)
        try await store.apply(change)
        #expect(try store.snapshot().runs == change.runs)
        var wrong = DurableChange()
        wrong.settings = [String(repeating: "n", count: 65): [1]]
        await #expect(throws: StorageError.self) { try await store.apply(wrong) }
    }

    @Test func `a cancelled task's change is made`() async throws {
        let store = try Store(opening: folder, newStoreID: StoreIDs().next)
        let change = try fullChange()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try await store.apply(change)
        }
        try await task.value
        #expect(try store.snapshot().operations == change.operations)
    }

    @Test func `SQLite waits for the disk, and keeps a write-ahead log`() throws {
        try withStore(folder) { store throws in
            try store.database.read { database throws in
                #expect(try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2)
                #expect(try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal")
                #expect(try Int.fetchOne(database, sql: "PRAGMA foreign_keys") == 1)
            }
            // The setting outlives writes and reads.
            try store.apply(try fullChange())
            #expect(try store.database.read { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 2)
        }
    }

    @Test func `rows come in the order of arrival, however they were written`() throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            change.operations = [operation(1, arrival: 9), operation(2, arrival: 3)]
            change.runs = [stored(try run(first: 5), arrival: 8), stored(try run(first: 1), arrival: 4)]
            try store.apply(change)
            let snapshot = try store.snapshot()
            #expect(snapshot.operations.map(\.arrival) == [3, 9])
            #expect(snapshot.runs.map(\.arrival) == [4, 8])
        }
    }

    @Test func `runs are removed before the run that replaces them is added`() throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            let single = try (1...3).map { stored(try run(first: $0, count: 1), arrival: $0) }
            change.runs = single
            try store.apply(change)
            var packed = DurableChange()
            packed.removedRuns = single.map(\.key)
            packed.runs = [stored(try run(first: 1, count: 3), arrival: 3)]
            try store.apply(packed)
            #expect(try store.snapshot().runs == packed.runs)
        }
    }

    /// All that the data folder's files hold.
    private func fileBytes() throws -> Data {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().reduce(into: Data()) {
            $0 += FileManager.default.contents(atPath: "\(folder.path)/\($1)") ?? Data()
        }
    }

    enum Erasure: CaseIterable {
        case run, partOfRun, group
    }

    @Test(arguments: Erasure.allCases)
    func `no bytes of what is erased stay in any file`(erasure: Erasure) throws {
        try withStore(folder) { store throws in
            let name = Array("Geraldine Fitzwilliam-Ottoway".utf8)
            let records = RecordList([name, name + name])
            let whole = Run(
                feed: FeedID(device: id(1), epoch: Epoch(counter: 1, nonce: .max)), first: 1, before: id(1),
                signature: try Signature(rawBytes: (0..<64).map { UInt8($0) }), records: records)
            var change = try fullChange()
            change.runs = [stored(whole, arrival: 2)]
            change.operations.append(
                StoredOperation(group: id(1), id: id(99), bytes: Array("Geraldine founded".utf8), arrival: 9))
            try store.apply(change)
            let marks = erasure == .group ? [Data("Geraldine founded".utf8), Data(whole.packed)] : [Data(whole.packed)]
            for mark in marks { #expect(try fileBytes().range(of: mark) != nil) }
            var removal = DurableChange()
            switch erasure {
            case .run: removal.removedRuns = [stored(whole, arrival: 2).key]
            case .partOfRun:
                removal.removedRuns = [stored(whole, arrival: 2).key]
                removal.runs = [stored(try run(count: 1), arrival: 2)]
            case .group: removal.droppedGroups = [id(1)]
            }
            try store.apply(removal)
            for mark in marks { #expect(try fileBytes().range(of: mark) == nil) }
        }
    }

    @Test func `packing runs anew does not empty the log`() throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            change.runs = try (1...2).map { stored(try run(first: $0, count: 1), arrival: $0) }
            try store.apply(change)
            var packed = DurableChange()
            packed.removedRuns = change.runs.map(\.key)
            packed.runs = [stored(try run(first: 1, count: 2), arrival: 3)]
            try store.apply(packed)
            let log = FileManager.default.contents(atPath: folder.databasePath + "-wal")
            #expect(log?.isEmpty == false)
        }
    }

    @Test func `a removed row's arrival is not given again`() throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            change.runs = [stored(try run(), arrival: 41)]
            try store.apply(change)
            var removal = DurableChange()
            removal.removedRuns = change.runs.map(\.key)
            try store.apply(removal)
        }
        #expect(try withStore(folder) { try $0.snapshot().nextArrival } == 42)
    }

    @Test func `a dropped group leaves nothing`() throws {
        try withStore(folder) { store throws in
            try store.apply(try fullChange())
            var drop = DurableChange()
            drop.droppedGroups = [id(1)]
            drop.operations = [operation(12, arrival: 9)]
            try store.apply(drop)
            let kept = try store.snapshot()
            let other: GroupID = id(2)
            #expect(kept.operations.map(\.group) == [other])
            #expect(kept.runs.map(\.group) == [other])
            #expect(kept.accessKeys.map(\.group) == [other])
            #expect(kept.addresses.count == 2)
            // Users go by the same names here; what is about them stays.
            let gone = LocalTable.allCases.filter(\.isOfGroups).map { row(of: $0) }
            #expect(gone.count == 8 && kept.local.rows.count == 2 * LocalTable.allCases.count - gone.count)
            #expect(kept.local.rows.allSatisfy { !$0.key.table.isOfGroups || $0.value[0] == other.rowValue })
            #expect(kept.nextArrival == 10)
        }
    }

    @Test func `a device's eight newest addresses are kept`() throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            change.addresses = (0..<12).map {
                RememberedAddress(device: id(1), endpoint: Endpoint(ipv4: 1, port: UInt16($0)), lastAnswered: Int64($0))
            }
            change.addresses.append(
                RememberedAddress(device: id(2), endpoint: Endpoint(ipv4: 2, port: 1), lastAnswered: 0))
            try store.apply(change)
            let kept = try store.snapshot().addresses
            #expect(kept.filter { $0.device == id(1) }.map(\.lastAnswered) == (4..<12).reversed().map(Int64.init))
            #expect(kept.filter { $0.device == id(2) }.count == 1)
        }
    }

    @Test(arguments: [[100, 50], [50, 100], [100, 0]] as [[Int64]])
    func `an address keeps the last time at which it answered, in whatever order that is stored`(times: [Int64]) throws
    {
        try withStore(folder) { store throws in
            for time in times {
                var change = DurableChange()
                change.addresses = [
                    RememberedAddress(device: id(1), endpoint: Endpoint(ipv4: 1, port: 1), lastAnswered: time)
                ]
                try store.apply(change)
            }
            #expect(try store.snapshot().addresses.map(\.lastAnswered) == [100])
        }
    }

    @Test func `an empty setting is deleted`() throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            change.settings = ["a": [1], "b": [2]]
            try store.apply(change)
            change.settings = ["a": [], "b": [3], "c": []]
            try store.apply(change)
            #expect(try store.snapshot().settings == ["b": [3]])
        }
    }

    @Test(arguments: [UInt64(0), UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
    func `an arrival that SQLite cannot hold is refused`(arrival: UInt64) throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            change.operations = [operation(1, arrival: arrival)]
            #expect(throws: StorageError.invalidChange("an arrival is out of range")) { try store.apply(change) }
            #expect(try store.snapshot().operations.isEmpty)
        }
    }

    static let brokenChanges: [(String, @Sendable (inout DurableChange) throws -> Void)] = [
        ("no record", { $0.runs = [stored(try run(count: 0), arrival: 1)] }),
        ("record zero", { $0.runs = [stored(try run(first: 0), arrival: 1)] }),
        ("a record past the end", { $0.runs = [stored(try run(first: 1 << 20 + 1), arrival: 1)] }),
        ("a record far past the end", { $0.removedRuns = [stored(try run(first: .max), arrival: 1).key] }),
        ("too many bytes", { $0.runs = [stored(try run(count: 50, size: 1_500), arrival: 1)] }),
        (
            "an empty operation",
            { $0.operations = [StoredOperation(group: id(1), id: id(1), bytes: [], arrival: 1)] }
        ),
        ("an empty key", { $0.accessKeys = [StoredAccessKey(group: id(1), key: [])] }),
        ("a long setting", { $0.settings = ["a": [UInt8](repeating: 1, count: 67_108_865)] }),
        ("a nameless setting", { $0.settings = ["": [1]] }),
        ("a setting that is not ASCII", { $0.settings = ["ä": [1]] }),
        (
            "a cursor's arrival",
            { $0.local.keep(Cursor(group: id(1), peer: id(1), store: StoreID(bytes: .zero), arrival: .max)) }
        ),
    ]

    @Test(arguments: brokenChanges.indices)
    func `a change that breaks a limit is refused whole`(index: Int) throws {
        let (name, breaking) = Self.brokenChanges[index]
        try withStore(folder) { store throws in
            var change = try fullChange()
            try breaking(&change)
            do {
                try store.apply(change)
                Issue.record("\(name) was taken")
            } catch StorageError.invalidChange {
                // As it should be.
            }
            #expect(try store.contents().nextArrival == 1)
            #expect(try store.snapshot().local.isEmpty)
        }
    }

    @Test func `share texts are kept, and are no part of a snapshot`() throws {
        try withStore(folder) { store throws in
            try store.apply(DurableChange(), keeping: [ShareText(key: "wordle 1", text: "Wordle 1 3/6\n🟩")])
            try store.apply(DurableChange(), keeping: [ShareText(key: "a", text: "")])
            try store.apply(DurableChange(), keeping: [ShareText(key: "wordle 1", text: "Wordle 1 4/6")])
        }
        try withStore(folder) { store throws in
            #expect(try store.shareText(key: "wordle 1") == "Wordle 1 4/6")
            #expect(try store.shareText(key: "a") == "")
            #expect(try store.shareText(key: "b") == nil)
            #expect(try store.snapshot().settings.isEmpty)
            #expect(throws: StorageError.invalidName) {
                try store.apply(DurableChange(), keeping: [ShareText(key: "", text: "")])
            }
            #expect(throws: StorageError.fileTooLarge(limit: 65_536)) {
                try store.apply(
                    DurableChange(), keeping: [ShareText(key: "c", text: String(repeating: "x", count: 65_537))])
            }
        }
    }

    @Test func `a database of a later version is left alone`() throws {
        try withStore(folder) { try $0.tamper("INSERT INTO grdb_migrations VALUES ('v999')") }
        #expect(throws: StorageError.newerFormat) { try withStore(folder) { _ in } }
    }

    @Test func `a folder that is not there is said to be missing`() throws {
        let folder = DataFolder(path: temporary.path + "/nowhere")
        #expect(throws: StorageError.folderMissing) { try withStore(folder) { _ in } }
        #expect(throws: StorageError.folderMissing) { try folder.lock() }
    }
}
