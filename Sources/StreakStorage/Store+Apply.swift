internal import GRDB
internal import StreakCrypto
public import StreakReplication
internal import StreakWire

extension Store {
    /// Addresses kept for each device, the ones that answered last.
    static let maximumAddressesPerDevice = 8

    /// Makes a change, in one transaction: all of it is on disk when this returns, and none of it if this throws.
    ///
    /// `removedRuns` are removed before `runs` are added. `droppedGroups` are deleted last, whatever else the change says about
    /// them. A row with the same key is replaced. Rows that were set aside stay so. Erased bytes are overwritten in the files,
    /// unless another program reads them at that moment. `texts` are stored in the same transaction.
    ///
    /// - Throws: `diskFull`, `invalidChange`, `failed`, `damaged`; of texts `invalidName`, `fileTooLarge`.
    public func apply(_ change: DurableChange, keeping texts: [ShareText] = []) throws {
        guard !change.isEmpty || !texts.isEmpty else { return }
        try Self.check(change)
        try Self.check(texts)
        let isErasing = try writing { database in
            try Self.write(texts, in: database)
            return try Self.write(change, in: database)
        }
        if isErasing { database.writeWithoutTransaction { Self.emptyLog(of: $0) } }
    }

    /// Makes a change without holding up the caller's actor. It is made even if the task is cancelled meanwhile.
    ///
    /// - Throws: as the variant that waits.
    public func apply(_ change: DurableChange) async throws {
        guard !change.isEmpty else { return }
        try Self.check(change)
        // Not GRDB's own async write: that one undoes the change when the task is cancelled.
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            database.asyncWriteWithoutTransaction { database in
                continuation.resume(
                    with: Result {
                        try StorageError.translating {
                            let isErasing = try self.confirmedChange(in: database) {
                                try Self.write(change, in: $0)
                            }
                            if isErasing { Self.emptyLog(of: database) }
                        }
                    })
            }
        }
    }

    /// Moves the write-ahead log into the database, where deleted data is overwritten, and truncates the log: otherwise
    /// the old pages would stay in it.
    static func emptyLog(of database: Database) {
        guard unsafe database.sqliteConnection != nil else { return }
        // The change is made already. Where another program's reading keeps the log, the next erasure tries again.
        try? database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// What the schema cannot check: numbers that SQLite's integers do not hold.
    static func check(_ change: DurableChange) throws {
        let arrivals = change.operations.map(\.arrival) + change.runs.map(\.arrival)
        // The next arrival must be storable too.
        guard arrivals.allSatisfy({ 1..<UInt64(Int64.max) ~= $0 }) else {
            throw StorageError.invalidChange("an arrival is out of range")
        }
        let firsts = change.runs.map(\.run.first) + change.removedRuns.map(\.first)
        guard firsts.allSatisfy({ 1...ProtocolLimits.maximumFeedLength ~= $0 }) else {
            throw StorageError.invalidChange("a record's number is out of range")
        }
        guard change.settings.keys.allSatisfy({ $0.utf8.allSatisfy { $0 < 128 } }) else {
            throw StorageError.invalidChange("a setting's name is not ASCII")
        }
    }

    /// Returns whether records are gone for good.
    static func write(_ change: DurableChange, in database: Database) throws -> Bool {
        try writeOperations(change.operations, in: database)
        try removeOperations(change.removedOperations, in: database)
        let removed = try remove(change.removedRuns, in: database)
        try writeRuns(change.runs, in: database)
        try writeLocalRows(change, in: database)
        try writeAddresses(change.addresses, in: database)
        try write(change.local, in: database)
        try writeSettings(change.settings, in: database)
        for group in change.droppedGroups { try drop(group, in: database) }
        let last = max(change.operations.map(\.arrival).max() ?? 0, change.runs.map(\.arrival).max() ?? 0)
        if last > 0 {
            // Kept apart from the rows, because a removed row's number must not be given again.
            try database.cachedStatement(sql: "UPDATE state SET next_arrival = ?1 WHERE next_arrival < ?1")
                .execute(arguments: [Int64(last) + 1])
        }
        // Runs that others replace have their records in those.
        var added: [Branch: UInt64] = [:]
        for stored in change.runs { added[Branch(stored.key), default: 0] += UInt64(stored.run.count) }
        return !change.droppedGroups.isEmpty || removed.contains { $0.value > added[$0.key, default: 0] }
    }

    /// One branch of one feed.
    private struct Branch: Hashable {
        let group: GroupID
        let feed: FeedID
        let number: UInt8

        init(_ key: RunKey) {
            (group, feed, number) = (key.group, key.feed, key.branch)
        }
    }

    private static func writeOperations(_ operations: [StoredOperation], in database: Database) throws {
        guard !operations.isEmpty else { return }
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO operations (group_id, operation, bytes, arrival, checksum) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (group_id, operation) DO UPDATE SET bytes = ?3, arrival = ?4, checksum = ?5
                """)
        for operation in operations {
            try insertion.execute(arguments: [
                operation.group.stored, operation.id.stored, operation.bytes.stored, Int64(operation.arrival),
                RowChecksum.checksum(of: operation).stored,
            ])
        }
    }

    private static func removeOperations(_ keys: [OperationKey], in database: Database) throws {
        guard !keys.isEmpty else { return }
        let removal = try database.cachedStatement(sql: "DELETE FROM operations WHERE group_id = ? AND operation = ?")
        for key in keys { try removal.execute(arguments: [key.group.stored, key.id.stored]) }
    }

    /// Returns how many records went with the runs.
    private static func remove(_ keys: [RunKey], in database: Database) throws -> [Branch: UInt64] {
        guard !keys.isEmpty else { return [:] }
        let removal = try database.cachedStatement(
            sql: """
                DELETE FROM runs WHERE group_id = ? AND device = ? AND epoch_counter = ? AND epoch_nonce = ?
                  AND branch = ? AND first = ? RETURNING count
                """)
        var removed: [Branch: UInt64] = [:]
        for key in keys {
            let count = try Int64.fetchOne(
                removal,
                arguments: [
                    key.group.stored, key.feed.device.stored, Int64(key.feed.epoch.counter),
                    Int64(bitPattern: key.feed.epoch.nonce), Int64(key.branch), Int64(key.first),
                ])
            // A row of a damaged store may hold any number.
            if let count { removed[Branch(key), default: 0] &+= UInt64(clamping: count) }
        }
        return removed
    }

    private static func writeRuns(_ runs: [StoredRun], in database: Database) throws {
        guard !runs.isEmpty else { return }
        let insertion = try database.cachedStatement(
            sql: """
                INSERT INTO runs (group_id, device, epoch_counter, epoch_nonce, branch, first, count, before, signature,
                  packed, arrival, checksum, after)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                ON CONFLICT (group_id, device, epoch_counter, epoch_nonce, branch, first)
                DO UPDATE SET count = ?7, before = ?8, signature = ?9, packed = ?10, arrival = ?11, checksum = ?12,
                  after = ?13
                """)
        for stored in runs {
            let run = stored.run
            try insertion.execute(arguments: [
                stored.group.stored, run.feed.device.stored, Int64(run.feed.epoch.counter),
                Int64(bitPattern: run.feed.epoch.nonce), Int64(stored.branch), Int64(run.first), Int64(run.count),
                run.before.stored, run.signature.rawBytes.stored, run.packed.stored, Int64(stored.arrival),
                RowChecksum.checksum(of: stored).stored, stored.after.stored,
            ])
        }
    }

    private static func writeLocalRows(_ change: DurableChange, in database: Database) throws {
        for accessKey in change.accessKeys {
            // Keys are kept in the order in which they came.
            try database.cachedStatement(
                sql: "INSERT INTO access_keys (group_id, key) VALUES (?, ?) ON CONFLICT (group_id, key) DO NOTHING"
            ).execute(arguments: [accessKey.group.stored, accessKey.key.stored])
        }
    }

    private static func writeAddresses(_ addresses: [RememberedAddress], in database: Database) throws {
        for address in addresses {
            try database.cachedStatement(
                sql: """
                    INSERT INTO addresses (device, address, port, scope, last_answered) VALUES (?1, ?2, ?3, ?4, ?5)
                    ON CONFLICT (device, address, port, scope) DO UPDATE SET last_answered = max(last_answered, ?5)
                    """
            ).execute(arguments: [
                address.device.stored, address.endpoint.address.array.stored, Int64(address.endpoint.port),
                Int64(address.endpoint.scope), address.lastAnswered,
            ])
        }
        for device in Set(addresses.map(\.device)).sorted() {
            try database.cachedStatement(
                sql: """
                    DELETE FROM addresses WHERE device = ?1 AND (address, port, scope) NOT IN (
                      SELECT address, port, scope FROM addresses WHERE device = ?1
                      ORDER BY last_answered DESC, address, port, scope LIMIT ?2)
                    """
            ).execute(arguments: [device.stored, maximumAddressesPerDevice])
        }
    }

    private static func writeSettings(_ settings: [String: [UInt8]], in database: Database) throws {
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
            if name == epochsRenewedSetting {
                if value == [1] { try database.execute(sql: "UPDATE state SET may_be_copy = 0") }
            } else if value.isEmpty {
                try database.cachedStatement(sql: "DELETE FROM settings WHERE name = ?").execute(arguments: [name])
            } else {
                try database.cachedStatement(
                    sql: """
                        INSERT INTO settings (name, value) VALUES (?1, ?2)
                        ON CONFLICT (name) DO UPDATE SET value = ?2
                        """
                ).execute(arguments: [name, value.stored])
            }
        }
    }

    private static func drop(_ group: GroupID, in database: Database) throws {
        let tables =
            ["operations", "runs", "set_aside_operations", "set_aside_runs", "access_keys"]
            + LocalTable.allCases.filter(\.isOfGroups).map(\.rawValue)
        for table in tables {
            try database.cachedStatement(sql: "DELETE FROM \(table) WHERE group_id = ?")
                .execute(arguments: [group.stored])
        }
    }
}
