import GRDB
import StreakReplication
import StreakWire
import Testing

@testable import StreakStorage

/// The tables of what this machine alone keeps: what they refuse, and what damage in a row costs.
struct LocalRowTests {
    let temporary: TemporaryFolder
    let folder: DataFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
    }

    /// Columns that may be empty.
    private static let optionalColumns = ["pair", "link", "owner"]

    @Test(arguments: LocalTable.allCases)
    func `a key is the first columns, and the table has a column for each value`(table: LocalTable) throws {
        try withStore(folder) { store throws in
            let columns = try columns(of: table, in: store)
            #expect(columns.count == row(of: table).count)
            #expect(Array(columns.prefix(table.keyColumns.count)) == table.keyColumns)
            let sql = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
            let key = try store.reading { try String.fetchAll($0, sql: sql, arguments: [table.rawValue]) }
            #expect(key == table.keyColumns)
        }
    }

    private func columns(of table: LocalTable, in store: Store) throws -> [String] {
        try store.reading {
            try String.fetchAll($0, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table.rawValue])
        }
    }

    @Test(arguments: LocalTable.allCases)
    func `each column refuses what is not of its kind, too long, or missing`(table: LocalTable) throws {
        try withStore(folder) { store throws in
            var sound = DurableChange()
            sound.local.keep(row(of: table), in: table)
            for (index, column) in try columns(of: table, in: store).enumerated() {
                var wrong: [RowValue] = [.text(String(repeating: "x", count: 5_000)), .bytes([])]
                if !Self.optionalColumns.contains(column) { wrong.append(.null) }
                if column != "owner" { wrong.append(.bytes([UInt8](repeating: 1, count: 31))) }
                if column.hasPrefix("is_") { wrong.append(.number(2)) }
                for value in wrong {
                    var values = row(of: table)
                    values[index] = value
                    var change = sound
                    change.local.keep(values, in: table)
                    change.settings["with it"] = [1]
                    #expect(throws: StorageError.self, "\(column) took \(value)") { try store.apply(change) }
                    #expect(try store.snapshot().local.isEmpty && store.snapshot().settings.isEmpty)
                }
            }
            try store.apply(sound)
            #expect(try store.snapshot().local == sound.local)
        }
    }

    @Test(
        arguments: [
            (.sentRequests, 4, .number(1)), (.receivedRequests, 6, .number(1)), (.receivedRequests, 7, .null),
            (.receivedRequests, 8, .null),
        ] as [(LocalTable, Int, RowValue)])
    func `an answer is a refusal or a whole approval`(table: LocalTable, column: Int, value: RowValue) throws {
        try withStore(folder) { store throws in
            var values = row(of: table)
            values[column] = value
            var change = DurableChange()
            change.local.keep(values, in: table)
            #expect(throws: StorageError.self) { try store.apply(change) }
        }
    }

    @Test(arguments: LocalTable.allCases)
    func `a row is replaced and deleted by its key`(table: LocalTable) throws {
        let key = LocalRows.Key(table: table, values: Array(row(of: table).prefix(table.keyColumns.count)))
        try withStore(folder) { store throws in
            var change = try fullChange()
            try store.apply(change)
            try store.apply(change)
            #expect(try store.snapshot().local == change.local)
            change = DurableChange()
            change.local.rows[key] = []
            try store.apply(change)
        }
        try withStore(folder) { store throws in
            var left = try fullChange().local
            var deletion = DurableChange()
            deletion.local.rows[key] = []
            left.apply(deletion)
            #expect(try store.snapshot().local == left)
        }
    }

    @Test(arguments: LocalTable.allCases)
    func `damage in a row costs that row alone, and is told of once`(table: LocalTable) throws {
        let change = try fullChange()
        let key = table.keyColumns[0]
        try withStore(folder) { store throws in
            try store.apply(change)
            let least = "(SELECT min(\(key)) FROM \(table.rawValue))"
            let damaged = key == "code" ? "'x'" : "x'01'"
            try store.tamper(
                """
                PRAGMA ignore_check_constraints = ON;
                UPDATE \(table.rawValue) SET \(key) = \(damaged) WHERE \(key) = \(least);
                PRAGMA ignore_check_constraints = OFF;
                """)
            let state = try store.load()
            #expect(state.damage == [.row(table: table.rawValue)])
            #expect(state.damage[0].isTold == (table != .friendCodes))
            #expect(state.snapshot.local.rows.count == change.local.rows.count - 1)
            #expect(state.snapshot.local.rows.allSatisfy { change.local.rows[$0.key] == $0.value })
        }
        try withStore(folder) { store throws in
            #expect(try store.load().damage.isEmpty && store.checkIntegrity().isEmpty)
            try store.apply(change)
            #expect(try store.snapshot().local == change.local)
        }
    }
}
