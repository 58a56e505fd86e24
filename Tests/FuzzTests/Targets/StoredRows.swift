import Foundation
import GRDB
import StreakCrypto
import StreakReplication
import StreakWire

@testable import StreakStorage

/// A store whose rows a fuzzer overwrites, as a failing disk or another program may.
struct StoredRows: Sendable {
    private let store: Store
    /// By table, the columns of it.
    private let columns: [(table: String, columns: [String])]

    private static let tables =
        [
            "operations", "runs", "cursors", "access_keys", "own_epochs", "addresses", "settings",
            "share_texts", "set_aside_operations", "set_aside_runs",
        ] + LocalTable.allCases.map(\.rawValue)

    /// One for all runs of a process; the folder is the system's to clear away.
    static let lab: StoredRows? = accepted { try StoredRows() }

    private init() throws {
        let shared = "/dev/shm"
        let base = FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
        let folder = DataFolder(path: "\(base)/streakmesh-fuzz-\(getpid())")
        try folder.delete()
        try folder.create()
        store = try Store(opening: folder) { StoreID(bytes: Bytes16(1, 1)) }
        // Open files stay usable, and nothing is left behind.
        try folder.delete()
        columns = try store.reading { database in
            try Self.tables.map { table in
                (table, try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table]))
            }
        }
        try store.database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA ignore_check_constraints = ON") }
    }

    /// Rows as they were written, then whatever the bytes make of them.
    func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        try store.writing { database in
            for (table, _) in columns { try database.execute(sql: "DELETE FROM \(table)") }
            try database.execute(sql: "UPDATE state SET may_be_copy = 0, next_arrival = 1")
        }
        try store.apply(try Self.change())
        while !source.isEmpty {
            guard let (table, columns) = source.element(of: columns), let column = source.element(of: columns) else {
                continue
            }
            let (row, value) = (Int(source.byte()), Self.value(from: &source))
            // What the schema's types refuse stays as it was.
            try? store.writing { database in
                try database.execute(
                    sql: """
                        UPDATE \(table) SET \(column) = ?
                        WHERE \(column) IS (SELECT \(column) FROM \(table) LIMIT 1 OFFSET ?)
                        """, arguments: [value, row % 4])
            }
        }
        let damage = try store.checkIntegrity()
        let first = try store.load()
        try demand(first.damage.isEmpty || !damage.isEmpty, "a check finds what loading finds")
        _ = try store.damageSetAside()
        let second = try store.load()
        try demand(second.snapshot.runs == first.snapshot.runs, "loading twice gives the same runs")
        try demand(second.snapshot.operations == first.snapshot.operations, "loading twice gives the same operations")
        try demand(
            second.damage.allSatisfy { if case .row = $0 { true } else { false } }, "what is damaged is set aside once")
        guard first.snapshot.nextArrival < UInt64(Int64.max) - 8 else { return }
        var change = DurableChange()
        change.settings = ["later": [1]]
        try store.apply(change)
        let settings = try store.snapshot().settings
        try demand(settings["later"] == [1], "a damaged store goes on")
    }

    private static func value(from source: inout ByteSource) -> DatabaseValue {
        switch source.choice(of: 5) {
        case 0: .null
        case 1: Int64(bitPattern: source.number()).databaseValue
        case 2: Data(source.piece()).databaseValue
        case 3: source.text().databaseValue
        default: Double(bitPattern: source.number()).databaseValue
        }
    }

    private static func change() throws -> DurableChange {
        func id<ID: Identifier32>(_ number: UInt64) -> ID { ID(bytes: Bytes32(number, 1, 1, 1)) }
        let records = RecordList([[1, 2, 3], [4, 5, 6]] as [[UInt8]])
        let signature = try Signature(rawBytes: [UInt8](repeating: 1, count: Signature.byteCount))
        var change = DurableChange()
        change.operations = (1...2 as ClosedRange<UInt64>).map {
            StoredOperation(group: id(1), id: id($0), bytes: [1, 2], arrival: $0)
        }
        change.runs = (0..<3 as Range<UInt64>).map { number in
            let run = Run(
                feed: FeedID(device: id(2), epoch: Epoch(counter: 1, nonce: 1)), first: number * 2 + 1,
                before: id(number + 10), signature: signature, records: records)
            return StoredRun(group: id(1), branch: 0, run: run, after: id(number + 11), arrival: number + 3)
        }
        change.local.keep(Cursor(group: id(1), peer: id(3), store: StoreID(bytes: .zero), arrival: 9))
        change.accessKeys = [StoredAccessKey(group: id(1), key: [UInt8](repeating: 2, count: 32))]
        change.local.keep(OwnEpoch(group: id(1), epoch: Epoch(counter: 1, nonce: 1)))
        change.addresses = [
            RememberedAddress(device: id(3), endpoint: Endpoint(ipv4: 9, port: 9), lastAnswered: 9)
        ]
        change.local.keep([(id(1) as GroupID).rowValue], in: .farewells)
        change.local.keep([(id(2) as UserID).rowValue, .text("Bea")], in: .blockedUsers)
        change.settings = ["a": [1], "b": [2]]
        return change
    }
}

extension FuzzTarget {
    @Sendable static func storedRows(_ bytes: [UInt8]) throws {
        guard let lab = StoredRows.lab else { throw FuzzFinding(description: "the store could not be made") }
        try lab.run(bytes)
    }
}
