import Foundation
import GRDB
import StreakReplication
import StreakWire
import Testing

@testable import StreakStorage

/// A write that fails at any statement of a transaction leaves nothing of it.
struct FailingWriteTests {
    let temporary: TemporaryFolder
    let folder: DataFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
        try withStore(folder) { try $0.apply(try fullChange()) }
    }

    /// A change that inserts, replaces and deletes in every table.
    private func secondChange() throws -> DurableChange {
        var change = DurableChange()
        change.operations = [operation(10, arrival: 20), operation(30, arrival: 21)]
        change.removedRuns = [stored(try run(), arrival: 2).key]
        change.runs = [stored(try run(first: 3, count: 4), branch: 255, arrival: 22), stored(try run(), arrival: 23)]
        change.accessKeys = [StoredAccessKey(group: id(1), key: [8])]
        change.addresses = (0..<9).map {
            RememberedAddress(device: id(7), endpoint: Endpoint(ipv4: 9, port: $0), lastAnswered: 1_000)
        }
        for table in LocalTable.allCases {
            change.local.keep(row(of: table, 1), in: table)
            change.local.keep(row(of: table, 3), in: table)
        }
        change.settings = ["name": [1], "zeros": [], "new": [2]]
        change.droppedGroups = [id(2)]
        return change
    }

    static let statements: [String] = {
        var statements = ["operations", "runs", "settings"].flatMap { table in
            ["INSERT", "UPDATE", "DELETE"].map { "\($0) ON \(table)" }
        }
        statements += [
            "INSERT ON access_keys", "DELETE ON access_keys", "INSERT ON addresses", "DELETE ON addresses",
            "UPDATE ON state",
        ]
        for table in LocalTable.allCases {
            statements.append("INSERT ON \(table.rawValue)")
            if table.isOfGroups { statements.append("DELETE ON \(table.rawValue)") }
        }
        return statements
    }()

    @Test(arguments: statements)
    func `at each statement`(statement: String) throws {
        try withStore(folder) { store throws in
            let before = try store.contents()
            try store.tamper("CREATE TRIGGER fault AFTER \(statement) BEGIN SELECT RAISE(ABORT, 'fault'); END")
            #expect(throws: StorageError.invalidChange("fault")) { try store.apply(try secondChange()) }
            #expect(try store.contents() == before)
            // The store goes on working, and the change can be made again.
            try store.tamper("DROP TRIGGER fault")
            try store.apply(try secondChange())
            #expect(try store.contents() != before)
            #expect(try store.snapshot().nextArrival == 24)
        }
    }

    @Test func `at each statement, seen by the next opening`() throws {
        let before = try withStore(folder) { store throws in
            let before = try store.contents()
            try store.tamper("CREATE TRIGGER fault AFTER DELETE ON own_epochs BEGIN SELECT RAISE(ABORT, 'fault'); END")
            #expect(throws: StorageError.self) { try store.apply(try secondChange()) }
            return before
        }
        #expect(try withStore(folder) { try $0.contents() } == before)
    }

    @Test func `when the disk is full`() async throws {
        let store = try Store(opening: folder, newStoreID: StoreIDs().next)
        let before = try store.contents()
        try limitGrowth(of: store, pages: 4)
        var large = try secondChange()
        large.runs = try (0..<20).map {
            stored(try run(device: 50, first: $0 * 40 + 1, count: 40, size: 1_500), group: 9, arrival: 30 + $0)
        }
        try syncApply(large, to: store)
        #expect(try store.contents() == before)
        await #expect(throws: StorageError.diskFull) { try await store.apply(large) }
        #expect(try store.contents() == before)
        #expect(throws: StorageError.diskFull) {
            for number in 0..<100 {
                try store.apply(
                    DurableChange(), keeping: [ShareText(key: "\(number)", text: String(repeating: "x", count: 60_000))]
                )
            }
        }
        // Room is made: everything works again.
        try store.tamper("PRAGMA max_page_count = 1000000")
        try await store.apply(large)
        #expect(try store.snapshot().runs.count { $0.group == id(9) } == 20)
    }

    private func limitGrowth(of store: Store, pages: Int) throws {
        let count = try store.database.read { try Int.fetchOne($0, sql: "PRAGMA page_count") }
        try store.tamper("PRAGMA max_page_count = \(try #require(count) + pages)")
    }

    private func syncApply(_ change: DurableChange, to store: Store) throws {
        #expect(throws: StorageError.diskFull) { try store.apply(change) }
    }

    @Test func `when the machine stops in the middle of it`() throws {
        let store = try Store(opening: folder, newStoreID: StoreIDs().next)
        try store.tamper("PRAGMA wal_checkpoint(TRUNCATE)")
        let before = try store.contents()
        // A dropped group would empty the log at once.
        var change = try secondChange()
        change.droppedGroups = []
        try store.apply(change)
        let after = try store.contents()
        let database = try Data(contentsOf: URL(fileURLWithPath: folder.databasePath))
        let log = try Data(contentsOf: URL(fileURLWithPath: folder.databasePath + "-wal"))
        try #require(log.count > 10_000)
        // The log as it may be found: any part of it written, the change confirmed only when all of it was.
        let ends = Array(stride(from: 0, to: log.count, by: 1_500)) + [log.count - 1, log.count]
        for end in ends {
            let found = try temporary.account("stopped-\(end)")
            try database.write(to: URL(fileURLWithPath: found.databasePath))
            try log.prefix(end).write(to: URL(fileURLWithPath: found.databasePath + "-wal"))
            let state = try withStore(found) { store in
                // The one difference of a copy.
                try store.tamper("UPDATE state SET may_be_copy = 0")
                #expect(try store.checkIntegrity().isEmpty)
                return try store.contents()
            }
            #expect(state == (end == log.count ? after : before), "\(end) of \(log.count) bytes")
        }
    }

    @Test func `when it was never committed`() throws {
        let store = try Store(opening: folder, newStoreID: StoreIDs().next)
        let before = try store.contents()
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.writing { database in
                try database.execute(sql: "DELETE FROM runs; DELETE FROM operations; DELETE FROM settings")
                throw Stop()
            }
        }
        #expect(try store.contents() == before)
    }

    @Test func `when the store is closed`() throws {
        let store = try Store(opening: folder, newStoreID: StoreIDs().next)
        try store.close()
        #expect(throws: StorageError.closed) { try store.apply(try secondChange()) }
        #expect(throws: StorageError.closed) { try store.snapshot() }
        #expect(throws: StorageError.closed) { try store.checkIntegrity() }
        try store.close()
    }
}
