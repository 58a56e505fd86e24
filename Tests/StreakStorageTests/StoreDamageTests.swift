import Foundation
import GRDB
import StreakRandom
import StreakReplication
import StreakWire
import Testing

@testable import StreakStorage

struct StoreDamageTests {
    let temporary: TemporaryFolder
    let folder: DataFolder
    /// Four runs of one feed, one of its other branch, one of another device.
    let runs: [StoredRun]

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
        runs =
            try (0..<4).map { stored(try run(first: $0 * 2 + 1), arrival: $0 + 1) } + [
                stored(try run(first: 7), branch: 1, arrival: 5),
                stored(try run(device: 2, first: 9), arrival: 6),
            ]
        var change = DurableChange()
        change.runs = runs
        change.operations = [operation(1, arrival: 7), operation(2, arrival: 8)]
        try withStore(folder) { try $0.apply(change) }
    }

    @Test(arguments: [
        "packed = x'0501010101010502020202ff'", "packed = x''", "packed = zeroblob(70000)", "signature = zeroblob(64)",
        "signature = zeroblob(63)", "before = zeroblob(32)", "before = NULL", "before = 7", "count = 0",
        "count = -9223372036854775808", "count = 3", "count = 'x'", "arrival = 99", "arrival = -1", "arrival = 1.5",
        "checksum = zeroblob(16)", "checksum = NULL",
    ])
    func `a damaged run ends its feed's branch there, and is set aside`(assignment: String) throws {
        let whole = [runs[0], runs[4], runs[5]]
        let damage: [StoreDamage] = [.run(runs[1].key), .runBehindDamage(runs[2].key), .runBehindDamage(runs[3].key)]
        try withStore(folder) { store throws in
            try loosen(store)
            try store.tamper("UPDATE runs SET \(assignment) WHERE row = 2")
            let integrity = try store.checkIntegrity()
            #expect(integrity.contains(damage[0]) && !integrity.contains(damage[1]))
            let state = try store.load()
            #expect(state.snapshot.runs == whole)
            #expect(state.damage == damage)
            #expect(!state.snapshot.mayBeCopy)
            #expect(state.snapshot.nextArrival == 9)
        }
        try withStore(folder) { store throws in
            let state = try store.load()
            #expect(state.snapshot.runs == whole)
            #expect(state.damage.isEmpty)
            #expect(try store.damageSetAside() == damage)
            // What is fetched again takes the place, packed differently too.
            var change = DurableChange()
            change.runs = [stored(try run(first: 3, count: 6), arrival: 9)]
            try store.apply(change)
            #expect(try store.snapshot().runs == whole + change.runs)
        }
    }

    @Test(arguments: [
        "group_id = zeroblob(31)", "device = NULL", "epoch_counter = -1", "epoch_counter = 4294967296",
        "epoch_nonce = 'x'", "branch = 256", "first = -1",
    ])
    func `a run that does not tell whose it is makes the store one that may be old`(assignment: String) throws {
        try withStore(folder) { store throws in
            try loosen(store)
            try store.tamper("UPDATE runs SET \(assignment) WHERE row = 6")
            let state = try store.load()
            #expect(state.snapshot.runs == Array(runs[..<5]))
            #expect(state.damage == [.row(table: "runs")])
            #expect(state.snapshot.mayBeCopy)
            #expect(try store.damageSetAside() == [.row(table: "runs")])
        }
    }

    @Test func `damage in the epoch that this device writes makes the store one that may be old`() throws {
        try withStore(folder) { store throws in
            var change = DurableChange()
            change.local.keep(OwnEpoch(group: id(1), epoch: runs[0].run.feed.epoch))
            try store.apply(change)
            try store.tamper("UPDATE runs SET count = 1 WHERE row = 4")
            #expect(try store.load().snapshot.mayBeCopy)
        }
        // Until the epochs are renewed, beyond the damage's being set aside.
        #expect(try withStore(folder) { try $0.snapshot().mayBeCopy })
    }

    @Test(arguments: ["bytes = x'01'", "arrival = 77", "checksum = NULL", "operation = zeroblob(32)", "bytes = NULL"])
    func `a damaged operation is set aside`(assignment: String) throws {
        try withStore(folder) { store throws in
            try loosen(store)
            try store.tamper("UPDATE operations SET \(assignment) WHERE row = 1")
            let state = try store.load()
            #expect(state.snapshot.operations == [operation(2, arrival: 8)])
            #expect(state.damage.count == 1)
            #expect(try store.damageSetAside().count == 1)
            #expect(try store.load().damage.isEmpty)
        }
    }

    @Test func `rows that say nothing are left out and named`() throws {
        try withStore(folder) { store throws in
            try store.apply(try fullChange())
            try loosen(store)
            try store.tamper(
                """
                UPDATE cursors SET arrival = 0.5 WHERE group_id = (SELECT min(group_id) FROM cursors);
                UPDATE access_keys SET key = 'text' WHERE row = 2;
                UPDATE own_epochs SET counter = 0.5 WHERE group_id = (SELECT min(group_id) FROM own_epochs);
                UPDATE addresses SET port = 70000 WHERE port = 0;
                UPDATE settings SET value = NULL WHERE name = 'name';
                """)
            let state = try store.load()
            #expect(state.snapshot.local.all(StreakReplication.Cursor.self).count == 1)
            #expect(state.snapshot.accessKeys.count == 2)
            #expect(state.snapshot.local.all(OwnEpoch.self).count == 1)
            #expect(state.snapshot.addresses.count == 1)
            #expect(state.snapshot.settings == ["zeros": [0, 0, 0]])
            let tables = ["access_keys", "addresses", "settings", "cursors", "own_epochs"]
            #expect(state.damage == tables.map { .row(table: $0) })
            #expect(try Set(store.checkIntegrity()).isSuperset(of: state.damage))
        }
    }

    @Test(arguments: [
        "store = zeroblob(3)", "store = NULL", "generation = 'x'", "database_file = NULL", "generation_file = 7",
        "next_arrival = NULL", "next_arrival = -5", "may_be_copy = 'x'",
    ])
    func `a state that cannot be read is said to be damaged`(assignment: String) throws {
        try withStore(folder) { store throws in
            try loosen(store)
            try store.tamper("UPDATE state SET \(assignment)")
        }
        #expect(throws: StorageError.damaged("the store's own state cannot be read")) {
            try withStore(folder) { _ = try $0.snapshot() }
        }
    }

    @Test(arguments: ["next_arrival = 0", "next_arrival = 3", "may_be_copy = 0", "machine = 'x'"])
    func `a state that can be made up for is`(assignment: String) throws {
        try withStore(folder) { store throws in
            try loosen(store)
            try store.tamper("UPDATE state SET \(assignment)")
        }
        let snapshot = try withStore(folder) { try $0.snapshot() }
        #expect(snapshot.nextArrival == 9)
        #expect(!snapshot.mayBeCopy)
    }

    /// The last run's records, as they stand in the file.
    private static let needle = Data([5, 9, 9, 9, 9, 9, 5, 10, 10, 10, 10, 10])

    /// Changes one byte of the file, counted from the last run's records.
    private func changeByte(at offset: Int) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.databasePath))
        let file = try #require(try handle.readToEnd())
        let place = try #require(file.range(of: Self.needle)).lowerBound + offset
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: [file[place] ^ 1])
        try handle.close()
    }

    @Test func `a byte changed in the file is found`() throws {
        try changeByte(at: 3)
        try withStore(folder) { store throws in
            #expect(try store.checkIntegrity() == [.run(runs[5].key)])
            #expect(try store.load().snapshot.runs == Array(runs[..<5]))
            #expect(try store.checkIntegrity().isEmpty)
        }
    }

    /// Before the records stand 64 bytes of signature, 32 of the hash before, three of numbers, 32 of the device.
    @Test func `a byte changed in what names a run is found, though the index has the old name`() throws {
        try changeByte(at: -64 - 32 - 3 - 7)
        try withStore(folder) { store throws in
            let state = try store.load()
            #expect(state.snapshot.runs == Array(runs[..<5]))
            #expect(state.damage.count == 1 && state.damage != [.run(runs[5].key)])
            #expect(try store.checkIntegrity().isEmpty)
        }
    }

    @Test func `a file that is no database is said to be damaged`() throws {
        try Data(repeating: 0x41, count: 9_000).write(to: URL(fileURLWithPath: folder.databasePath))
        #expect {
            try withStore(folder) { _ in }
        } throws: { error in
            if case StorageError.damaged = error { true } else { false }
        }
    }

    @Test(arguments: 0..<40)
    func `no page of rubbish traps`(seed: Int) throws {
        let url = URL(fileURLWithPath: folder.databasePath)
        var file = try Data(contentsOf: url)
        var random = SplitMix64(seed: UInt64(seed))
        for _ in 0..<200 {
            file[Int.random(in: 100..<file.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
        }
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: file)
        try handle.close()
        do {
            try withStore(folder) { store throws in
                _ = try store.checkIntegrity()
                _ = try store.load()
                _ = try store.damageSetAside()
            }
        } catch is StorageError {
            // Refused with a reason, which is what is asked for.
        }
    }

    @Test func `a whole store has no damage`() throws {
        try withStore(folder) { store throws in
            try store.apply(try fullChange())
            #expect(try store.checkIntegrity().isEmpty)
            #expect(try store.load().damage.isEmpty)
            #expect(try store.damageSetAside().isEmpty)
        }
    }

    /// Lets any value into any column, as a damaged file may: takes STRICT, NOT NULL and CHECK out of the schema.
    private func loosen(_ store: Store) throws {
        try store.database.writeWithoutTransaction { database throws in
            for table in [
                "operations", "runs", "cursors", "access_keys", "own_epochs", "addresses", "settings", "state",
            ] {
                let columns = try Row.fetchAll(database, sql: "PRAGMA table_info(\(table))")
                let names: [String] = columns.map { $0["name"] }
                let row = names.first == "row" ? "row INTEGER PRIMARY KEY, " : ""
                let rest = names.filter { $0 != "row" }.joined(separator: ", ")
                let unique = uniqueColumns[table].map { ", UNIQUE (\($0))" } ?? ""
                try database.execute(
                    sql: """
                        CREATE TABLE loose (\(row)\(rest)\(unique));
                        INSERT INTO loose SELECT * FROM \(table);
                        DROP TABLE \(table);
                        ALTER TABLE loose RENAME TO \(table);
                        """)
            }
        }
    }

    private let uniqueColumns = [
        "operations": "group_id, operation",
        "runs": "group_id, device, epoch_counter, epoch_nonce, branch, first",
        "state": "id",
    ]

    @Test(arguments: ["settings", "share_texts", "runs", "operations", "blocked_users"])
    func `a lost row that a user may miss is told`(table: String) { #expect(StoreDamage.row(table: table).isTold) }

    @Test(arguments: ["addresses", "access_keys", "friend_codes"])
    func `a lost row that comes back is not told`(table: String) { #expect(!StoreDamage.row(table: table).isTold) }
}
