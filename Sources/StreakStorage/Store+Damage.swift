internal import GRDB
internal import StreakReplication
internal import StreakWire

extension Store {
    /// Sets rows aside and does `work`, in one transaction.
    ///
    /// The tables are rebuilt instead of deleting rows: if a column of the key is damaged, SQLite would refuse to delete the
    /// row, or would remove another row's entry from the index.
    func settingAside(_ rows: [DamagedRow], _ work: (Database) throws -> Void) throws {
        try writing { database in
            for isRun in [false, true] {
                let numbers = rows.filter { $0.isRun == isRun }
                if !numbers.isEmpty { try Self.setAside(numbers, from: isRun ? "runs" : "operations", in: database) }
            }
            try work(database)
        }
    }

    private static func setAside(_ rows: [DamagedRow], from table: String, in database: Database) throws {
        let last = try Int64.fetchOne(database, sql: "SELECT coalesce(max(id), 0) FROM set_aside_\(table)") ?? 0
        for row in rows { try row.copy(from: table, in: database) }
        try rebuild(table, in: database) { old in
            // Where two rows have the same key, the one that was written later stays.
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO \(table) SELECT * FROM \(old) NOT INDEXED
                    WHERE row NOT IN (SELECT row FROM set_aside_\(table) WHERE id > ?) ORDER BY row
                    """, arguments: [last])
        }
    }

    /// Replaces a table by a new, empty one, with new indexes.
    ///
    /// - Parameter fill: fills the new table. It gets the name of the old one, which is deleted afterwards.
    static func rebuild(_ table: String, in database: Database, fill: (String) throws -> Void) throws {
        let schema = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
        guard let definition = try String.fetchOne(database, sql: schema, arguments: [table]) else {
            throw StorageError.damaged("there is no table \(table)")
        }
        let old = "damaged_\(table)"
        try database.execute(sql: "ALTER TABLE \(table) RENAME TO \(old)")
        try database.execute(sql: definition)
        try fill(old)
        try database.execute(sql: "DROP TABLE \(old)")
    }

    /// The tables of this machine alone.
    private static let localTables =
        ["access_keys", "addresses", "settings", "share_texts"] + LocalTable.allCases.map(\.rawValue)

    /// Rebuilds each table whose index is out of order, or that has rows which break a constraint. Writing to such a table
    /// could fail or change another row.
    ///
    /// Rows that break a constraint are lost. Where several rows have the same key, only the first stays.
    ///
    /// - Returns: one entry for each lost row. One entry for a rebuilt table that lost none: damage changed a row's key there.
    func mendLocalTables() throws -> [StoreDamage] {
        let broken = try reading { database in
            try Self.localTables.filter {
                try String.fetchAll(database, sql: "PRAGMA integrity_check('\($0)')") != ["ok"]
            }
        }
        guard !broken.isEmpty else { return [] }
        return try writing { database in try broken.flatMap { try Self.mend($0, in: database) } }
    }

    private static func mend(_ table: String, in database: Database) throws -> [StoreDamage] {
        var lost = 0
        try rebuild(table, in: database) { old in
            let rows = try Row.fetchCursor(database, sql: "SELECT * FROM \(old) NOT INDEXED")
            while let row = try rows.next() {
                let places = repeatElement("?", count: row.count).joined(separator: ", ")
                do {
                    try database.cachedStatement(sql: "INSERT INTO \(table) VALUES (\(places))")
                        .execute(arguments: StatementArguments(row.databaseValues))
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    lost += 1
                }
            }
        }
        return Array(repeating: .row(table: table), count: max(1, lost))
    }
}

// MARK: - Rows

/// What a row with a checksum holds.
enum RowContent<Value> {
    case sound(Value)
    case damaged(DamagedRow)
}

extension Store {
    static let operationColumns = "row, group_id, operation, bytes, arrival, checksum"
    static let runColumns = """
        group_id, device, epoch_counter, epoch_nonce, branch, first, count, before, signature, packed, arrival, checksum,
        row, after
        """

    /// Reads a row of `operationColumns`.
    static func operationRow(_ row: Row) -> RowContent<StoredOperation> {
        let number = row.integer(0) ?? 0
        guard let group: GroupID = row.identifier(1), let id: OperationID = row.identifier(2),
            let bytes = row.bytes(3), let arrival = row.integer(4).flatMap({ UInt64(exactly: $0) })
        else {
            return .damaged(DamagedRow(row: number, isRun: false, sound: false, damage: .row(table: "operations")))
        }
        let operation = StoredOperation(group: group, id: id, bytes: bytes, arrival: arrival)
        guard row.bytes(5) == RowChecksum.checksum(of: operation) else {
            let damage = StoreDamage.operation(group: group, id: id)
            return .damaged(DamagedRow(row: number, isRun: false, sound: false, damage: damage))
        }
        return .sound(operation)
    }

    /// Reads a row of `runColumns`.
    static func runRow(_ row: Row) -> RowContent<StoredRun> {
        let number = row.integer(12) ?? 0
        if let stored = storedRun(row), row.bytes(11) == RowChecksum.checksum(of: stored) { return .sound(stored) }
        let damage = runKey(row).map(StoreDamage.run) ?? .row(table: "runs")
        return .damaged(DamagedRow(row: number, isRun: true, sound: false, damage: damage))
    }
}

extension DamagedRow {
    fileprivate func copy(from table: String, in database: Database) throws {
        let columns = isRun ? "NULL, \(sound ? 1 : 0)" : "NULL"
        try database.execute(
            sql: "INSERT INTO set_aside_\(table) SELECT \(columns), * FROM \(table) NOT INDEXED WHERE row = ?",
            arguments: [row])
    }
}
