internal import GRDB
public import StreakReplication
internal import StreakWire

/// How far an examination of a store's rows has come.
public struct Examination: Equatable, Sendable {
    enum Table: Sendable { case operations, runs }

    var table = Table.operations
    /// The last row that was looked at.
    var row: Int64 = .min

    /// From the beginning.
    public init() {}
}

extension Store {
    /// Reads about `maximumSize` bytes of rows from the disk and compares each with its checksum. Changes nothing.
    ///
    /// What this process remembers of the file is forgotten first, so that a page which was damaged meanwhile is seen.
    /// `next` is where to go on, nil at the end. About 2 ms for a mebibyte.
    ///
    /// - Throws: `damaged` when the file's structure is broken; `closed`, `failed`.
    public func examine(
        from position: Examination, maximumSize: Int = 1 << 20
    ) throws -> (damaged: [DamagedRow], next: Examination?) {
        try StorageError.translating {
            try database.writeWithoutTransaction { database in
                guard unsafe database.sqliteConnection != nil else { throw StorageError.closed }
                try database.execute(sql: "PRAGMA shrink_memory")
            }
        }
        return try reading { try Self.examine($0, from: position, maximumSize: maximumSize) }
    }

    /// Sets damaged rows aside and makes a change, with what should stand there, in one transaction.
    ///
    /// - Throws: as `apply`.
    public func replace(_ damaged: [DamagedRow], by change: DurableChange) throws {
        try Self.check(change)
        try settingAside(damaged) { _ = try Self.write(change, in: $0) }
        // The damage may be in the log, which a start would read from its beginning.
        database.writeWithoutTransaction { Self.emptyLog(of: $0) }
    }

    /// Sets rows aside and does `work`, in one transaction.
    func settingAside(_ rows: [DamagedRow], _ work: (Database) throws -> Void) throws {
        func attempt(rebuildsIndexes: Bool) throws {
            try writing { database in
                if rebuildsIndexes { try database.execute(sql: "REINDEX operations; REINDEX runs") }
                for row in rows { try row.setAside(in: database) }
                try work(database)
            }
        }
        do {
            try attempt(rebuildsIndexes: false)
        } catch StorageError.damaged {
            // Where the damage is in a column of the key, the index still has the old one, and SQLite refuses to delete.
            try attempt(rebuildsIndexes: true)
        }
    }

    /// What a row takes beside its bytes of any length, about; in bytes.
    private static let operationOverhead = 100
    private static let runOverhead = 300

    private static func examine(
        _ database: Database, from position: Examination, maximumSize: Int
    ) throws -> (damaged: [DamagedRow], next: Examination?) {
        var damaged: [DamagedRow] = []
        var size = 0
        var position = position
        if position.table == .operations {
            let rows = try Row.fetchCursor(
                database, sql: "SELECT \(operationColumns) FROM operations WHERE row > ? ORDER BY row",
                arguments: [position.row])
            while let row = try rows.next() {
                guard size < maximumSize else { return (damaged, position) }
                if case .damaged(let found) = operationRow(row) { damaged.append(found) }
                size += operationOverhead + (row.bytes(3)?.count ?? 0)
                position.row = row.integer(0) ?? .max
            }
            position.table = .runs
            position.row = .min
        }
        let rows = try Row.fetchCursor(
            database, sql: "SELECT \(runColumns) FROM runs WHERE row > ? ORDER BY row", arguments: [position.row])
        while let row = try rows.next() {
            guard size < maximumSize else { return (damaged, position) }
            if case .damaged(let found) = runRow(row) { damaged.append(found) }
            size += runOverhead + (row.bytes(9)?.count ?? 0)
            position.row = row.integer(12) ?? .max
        }
        return (damaged, nil)
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
    fileprivate func setAside(in database: Database) throws {
        if isRun {
            try database.execute(
                sql: "INSERT INTO set_aside_runs SELECT NULL, ?, * FROM runs WHERE row = ?",
                arguments: [sound ? 1 : 0, row])
            try database.execute(sql: "DELETE FROM runs WHERE row = ?", arguments: [row])
        } else {
            try database.execute(
                sql: "INSERT INTO set_aside_operations SELECT NULL, * FROM operations WHERE row = ?", arguments: [row])
            try database.execute(sql: "DELETE FROM operations WHERE row = ?", arguments: [row])
        }
    }
}
