internal import Foundation
internal import GRDB
internal import StreakReplication

/// The tables of `LocalTable`.
extension Store {
    static func write(_ local: LocalRows, in database: Database) throws {
        for (key, row) in local.rows {
            let named = key.table.keyColumns.map { "\($0) = ?" }.joined(separator: " AND ")
            let places = repeatElement("?", count: row.count).joined(separator: ", ")
            let sql =
                row.isEmpty
                ? "DELETE FROM \(key.table.rawValue) WHERE \(named)"
                : "INSERT OR REPLACE INTO \(key.table.rawValue) VALUES (\(places))"
            try database.cachedStatement(sql: sql)
                .execute(arguments: StatementArguments((row.isEmpty ? key.values : row).map(\.stored)))
        }
    }

    static func readLocalRows(into state: inout StoredState, in database: Database) throws {
        for table in LocalTable.allCases {
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM \(table.rawValue) NOT INDEXED")
            while let row = try rows.next() {
                let values = Array(row.databaseValues).map { RowValue($0) }
                if values.contains(nil) {
                    state.damage.append(.row(table: table.rawValue))
                } else {
                    state.snapshot.local.keep(values.compactMap(\.self), in: table)
                }
            }
        }
    }
}

extension RowValue {
    /// Nil for a number with a fraction: no column holds one.
    fileprivate init?(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let number): self = .number(number)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .bytes(Array(data))
        case .double: return nil
        }
    }

    fileprivate var stored: DatabaseValue {
        switch self {
        case .null: .null
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): bytes.stored.databaseValue
        }
    }
}
