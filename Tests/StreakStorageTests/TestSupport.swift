import Foundation
import GRDB
import StreakCrypto
import StreakReplication
import StreakWire
import Synchronization

@testable import StreakStorage

/// A folder that is removed with the last reference to it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/streak-storage-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // What cannot be removed is in the system's temporary folder.
        try? FileManager.default.removeItem(atPath: path)
    }

    func account(_ name: String = "account") throws -> DataFolder {
        let folder = DataFolder(path: path + "/" + name)
        try folder.create()
        return folder
    }
}

/// Store IDs 1, 2, 3, …
final class StoreIDs: Sendable {
    private let last = Mutex<UInt64>(0)

    func next() -> StoreID {
        last.withLock { last in
            last += 1
            return StoreID(bytes: Bytes16(0, last))
        }
    }
}

func id<ID: Identifier32>(_ number: UInt64) -> ID { ID(bytes: Bytes32(number, 2, 3, UInt64.max - number)) }

/// A run that nobody signed: the store does not look.
func run(
    device: UInt64 = 1, epoch: Epoch = Epoch(counter: 1, nonce: .max), first: UInt64 = 1, count: Int = 2, size: Int = 5
) throws -> Run {
    let records = RecordList(
        (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: first &+ UInt64($0)), count: size) })
    return Run(
        feed: FeedID(device: id(device), epoch: epoch), first: first, before: id(first),
        signature: try Signature(rawBytes: (0..<64).map { UInt8($0) }), records: records)
}

func stored(_ run: Run, group: UInt64 = 1, branch: UInt8 = 0, arrival: UInt64) -> StoredRun {
    StoredRun(group: id(group), branch: branch, run: run, after: id(run.first &+ UInt64(run.count)), arrival: arrival)
}

func operation(_ number: UInt64, group: UInt64 = 1, arrival: UInt64) -> StoredOperation {
    StoredOperation(
        group: id(group), id: id(number), bytes: [1, 2, UInt8(truncatingIfNeeded: number)], arrival: arrival)
}

/// A change with something in every part, of groups 1 and 2.
func fullChange() throws -> DurableChange {
    var change = DurableChange()
    change.operations = [operation(10, arrival: 1), operation(11, group: 2, arrival: 3)]
    change.runs = [
        stored(try run(), arrival: 2),
        stored(try run(first: 3, count: 1), branch: 255, arrival: 4),
        stored(try run(device: 2, epoch: Epoch(counter: .max, nonce: 1 << 63)), group: 2, arrival: 5),
    ]
    change.accessKeys = [
        StoredAccessKey(group: id(1), key: [UInt8](repeating: 9, count: 32)),
        StoredAccessKey(group: id(1), key: [UInt8](repeating: 3, count: 32)),
        StoredAccessKey(group: id(2), key: [UInt8](repeating: 3, count: 32)),
    ]
    change.addresses = [
        RememberedAddress(device: id(7), endpoint: Endpoint(ipv4: 0xC000_0201, port: 65_535), lastAnswered: 100),
        RememberedAddress(
            device: id(7), endpoint: Endpoint(address: Bytes16(0xFE80 << 48, 1), port: 0, scope: .max), lastAnswered: -1
        ),
    ]
    for table in LocalTable.allCases {
        for number in 1...2 as ClosedRange<UInt64> { change.local.keep(row(of: table, number), in: table) }
    }
    change.settings = ["name": Array("Anna".utf8), "zeros": [0, 0, 0]]
    return change
}

/// A row of group or user `number`, with something in every column.
func row(of table: LocalTable, _ number: UInt64 = 1) -> [RowValue] {
    func name(_ number: UInt64) -> RowValue { (id(number) as GroupID).rowValue }
    let code = RowValue.text("AAAA-AAAA-AAA\(number)")
    return switch table {
    case .awaitedApprovals, .farewells: [name(number)]
    case .blockedUsers: [name(number), .text("Bea")]
    case .cursors: [name(number), name(5), .bytes([UInt8](repeating: 0xFF, count: 16)), .number(.max)]
    case .denials: [name(number), name(8), name(9)]
    case .endings: [name(number), name(8), .number(-7), .number(1)]
    case .friendCodes: [name(number), code]
    case .inviteLinks: [name(number), name(9), .text("link")]
    case .ownEpochs: [name(number), .number(0xFFFF_FFFF), .number(.min)]
    case .receivedRequests:
        [
            name(number), .text(""), code, name(8), .number(.max), .number(.min), .number(0), name(9),
            .text("link"),
        ]
    case .returns: [name(number), name(8), .number(0)]
    case .sentRequests: [code, name(8), .text("Ann"), .number(5), .number(0), .text("link"), .bytes([1])]
    }
}

/// What can be compared of a snapshot.
struct Contents: Equatable {
    let nextArrival: UInt64
    let mayBeCopy: Bool
    let operations: [StoredOperation]
    let runs: [StoredRun]
    let accessKeys: [StoredAccessKey]
    let addresses: [RememberedAddress]
    let local: LocalRows
    let settings: [String: [UInt8]]
}

extension Store {
    func contents() throws -> Contents {
        let snapshot = try snapshot()
        return Contents(
            nextArrival: snapshot.nextArrival, mayBeCopy: snapshot.mayBeCopy, operations: snapshot.operations,
            runs: snapshot.runs, accessKeys: snapshot.accessKeys, addresses: snapshot.addresses, local: snapshot.local,
            settings: snapshot.settings)
    }

    /// Runs SQL that changes rows of a table whose index stays as it is, as where bytes change on the disk.
    func tamperBesideIndex(of table: String, _ sql: String) throws {
        try database.writeWithoutTransaction { database throws in
            let schema = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master WHERE tbl_name = ?"
            let entries = try Row.fetchAll(database, sql: schema, arguments: [table])
            let names: [String] = try Row.fetchAll(database, sql: "PRAGMA table_info(\(table))").map { $0["name"] }
            let columns = names.map { $0 == "row" ? "row INTEGER PRIMARY KEY" : $0 }.joined(separator: ", ")
            try database.execute(
                sql: """
                    PRAGMA writable_schema = ON;
                    DELETE FROM sqlite_master WHERE tbl_name = '\(table)' AND type = 'index';
                    UPDATE sqlite_master SET sql = 'CREATE TABLE \(table) (\(columns))' WHERE name = '\(table)';
                    PRAGMA writable_schema = RESET;
                    \(sql);
                    PRAGMA writable_schema = ON;
                    DELETE FROM sqlite_master WHERE tbl_name = '\(table)';
                    """)
            for entry in entries {
                try database.execute(
                    sql: "INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)",
                    arguments: StatementArguments(entry.databaseValues))
            }
            try database.execute(sql: "PRAGMA writable_schema = RESET")
            database.clearSchemaCache()
        }
    }

    /// Runs SQL behind the store's back.
    func tamper(_ sql: String) throws {
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}

/// Opens, does `work`, closes.
func withStore<Result>(
    _ folder: DataFolder, _ ids: StoreIDs = StoreIDs(), _ work: (Store) throws -> Result
) throws -> Result {
    let store = try Store(opening: folder, newStoreID: ids.next)
    let result = try work(store)
    try store.close()
    return result
}
