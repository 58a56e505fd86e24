import Foundation
import GRDB
import StreakCrypto
import StreakReplication
import StreakWire
import Testing

@testable import StreakStorage

/// Stores that earlier versions wrote.
struct MigrationTests {
    let temporary: TemporaryFolder
    let folder: DataFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
    }

    /// Makes the account's store anew as the first version had it, with what that kept of `change`.
    private func writeFirstVersion(_ change: DurableChange, breakingRun broken: Int? = nil) throws {
        try withStore(folder) { _ in }
        let database = try DatabaseQueue(path: folder.databasePath)
        try database.writeWithoutTransaction { database throws in
            try database.execute(
                sql: """
                    CREATE TEMP TABLE kept AS SELECT id, store, next_arrival, may_be_copy, generation, database_file, machine,
                      generation_file_before, generation_file FROM main.state
                    """)
            let names = try String.fetchAll(database, sql: "SELECT name FROM main.sqlite_master WHERE type = 'table'")
            for name in names { try database.execute(sql: "DROP TABLE main.\(name)") }
        }
        try Schema.migrator.migrate(database, upTo: "v1")
        try database.write { database throws in
            try database.execute(sql: "INSERT INTO state SELECT * FROM kept")
            for (number, stored) in change.runs.enumerated() {
                var checksum = RowChecksum.checksum(of: stored, covering: nil)
                if number == broken { checksum[0] ^= 1 }
                try insert(stored, checksum: checksum, into: database)
            }
            for operation in change.operations {
                try database.execute(
                    sql:
                        "INSERT INTO operations (group_id, operation, bytes, arrival, checksum) VALUES (?, ?, ?, ?, ?)",
                    arguments: [
                        operation.group.stored, operation.id.stored, operation.bytes.stored, Int64(operation.arrival),
                        RowChecksum.checksum(of: operation).stored,
                    ])
            }
            for (name, value) in change.settings {
                try database.execute(
                    sql: "INSERT INTO settings (name, value) VALUES (?, ?)", arguments: [name, value.stored])
            }
            try database.execute(sql: "UPDATE state SET next_arrival = 6")
            #expect(throws: (any Error).self) {  // It is the first version: it has no room for more.
                try database.execute(sql: "INSERT INTO settings (name, value) VALUES ('x', zeroblob(65537))")
            }
        }
        try database.close()
    }

    private func insert(_ stored: StoredRun, checksum: [UInt8], into database: Database) throws {
        let run = stored.run
        try database.execute(
            sql: """
                INSERT INTO runs (group_id, device, epoch_counter, epoch_nonce, branch, first, count, before, signature,
                  packed, arrival, checksum)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                stored.group.stored, run.feed.device.stored, Int64(run.feed.epoch.counter),
                Int64(bitPattern: run.feed.epoch.nonce), Int64(stored.branch), Int64(run.first), Int64(run.count),
                run.before.stored, run.signature.rawBytes.stored, run.packed.stored, Int64(stored.arrival),
                checksum.stored,
            ])
    }

    private static func change() throws -> DurableChange {
        var change = try fullChange()
        change.settings["undo"] = [UInt8](repeating: 7, count: 65_536)
        change.runs = try change.runs.map { stored throws in
            StoredRun(
                group: stored.group, branch: stored.branch, run: stored.run,
                after: FeedChain.hash(after: stored.run.before, records: try stored.run.records()),
                arrival: stored.arrival)
        }
        return change
    }

    @Test func `a store of the first version keeps its runs, settings and undo, and takes more`() throws {
        let change = try Self.change()
        try writeFirstVersion(change)
        try withStore(folder) { store throws in
            let contents = try store.contents()
            #expect(contents.runs == change.runs)
            #expect(contents.operations == change.operations)
            #expect(contents.settings == change.settings)
            #expect(contents.nextArrival == 6)
            #expect(!contents.mayBeCopy)
            var more = DurableChange()
            more.settings = ["undo": [UInt8](repeating: 8, count: 1 << 20)]
            more.runs = [stored(try run(device: 3), arrival: 6)]
            try store.apply(more)
        }
        try withStore(folder) { store throws in
            let contents = try store.contents()
            #expect(contents.runs.count == change.runs.count + 1)
            #expect(contents.settings["undo"]?.count == 1 << 20)
            #expect(contents.settings["name"] == change.settings["name"])
        }
    }

    @Test func `of what the first version kept as settings, who is blocked, what is offered and what was left stays`()
        throws
    {
        var change = try Self.change()
        func bytes(_ number: UInt64) -> [UInt8] { (id(number) as GroupID).bytes.array }
        let former: [String: [UInt8]] = [
            "friend-block-" + bytes(1).prefix(16).hexadecimal: bytes(1), "friend-block-short": [1],
            "return-" + bytes(2).prefix(16).hexadecimal: bytes(2) + bytes(3) + [5], "return-short": bytes(2),
            "farewell-" + bytes(1).prefix(16).hexadecimal: [1], "farewell-unknown": [1], "friend-in-a": [1],
            "friend-out-a": [1], "invite-a": [1], "denied-a": [1], "waiting-a": [1], "removed-a": [1], "ended-a": [1],
            "code-a": [1], "blocked-a": [1],
        ]
        let kept = change.settings.merging(["friend-own": [1], "friend-code": [2], "active-group": [3]]) { $1 }
        change.settings = kept.merging(former) { $1 }
        try writeFirstVersion(change)
        let contents = try withStore(folder) { try $0.contents() }
        #expect(contents.settings == kept)
        var local = LocalRows()
        local.keep([.bytes(bytes(1)), .text("")], in: .blockedUsers)
        local.keep([.bytes(bytes(2)), .bytes(bytes(3)), .number(0)], in: .returns)
        local.keep([.bytes(bytes(1))], in: .farewells)
        #expect(contents.local == local)
    }

    @Test func `before an update the database is copied, and the copy goes after a month`() throws {
        let change = try Self.change()
        try writeFirstVersion(change)
        let copy = Store.copyPath(of: folder.databasePath)
        try withStore(folder) { _ in }
        let database = try DatabaseQueue(path: copy)
        let (migrations, runs) = try database.read { database throws in
            (
                try Schema.migrator.appliedMigrations(database),
                try Int.fetchOne(database, sql: "SELECT count(*) FROM runs")
            )
        }
        try database.close()
        #expect(migrations == ["v1"] && runs == change.runs.count)
        let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
        #expect(mode == 0o600)

        func age(_ seconds: TimeInterval) throws {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -seconds)], ofItemAtPath: copy)
            try withStore(folder) { _ in }
        }
        try age(Store.copyLifetime - 3_600)
        #expect(FileManager.default.fileExists(atPath: copy))
        try age(Store.copyLifetime + 3_600)
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test func `a new database is not copied`() throws {
        try withStore(folder) { _ in }
        #expect(!FileManager.default.fileExists(atPath: Store.copyPath(of: folder.databasePath)))
    }

    @Test func `without a copy nothing is updated`() throws {
        try writeFirstVersion(try Self.change())
        // What cannot be replaced by a file: a folder with something in it.
        try FileManager.default.createDirectory(
            atPath: Store.copyPath(of: folder.databasePath) + ".new/x", withIntermediateDirectories: true)
        #expect(throws: StorageError.self) { try withStore(folder) { _ in } }
        let database = try DatabaseQueue(path: folder.databasePath)
        #expect(try database.read { try Schema.migrator.appliedMigrations($0) } == ["v1"])
        try database.close()
    }

    @Test func `a row the first version's disk damaged is not mended by the migration`() throws {
        let change = try Self.change()
        try writeFirstVersion(change, breakingRun: 1)
        let contents = try withStore(folder) { try $0.contents() }
        #expect(contents.runs == [change.runs[0], change.runs[2]])
    }
}
