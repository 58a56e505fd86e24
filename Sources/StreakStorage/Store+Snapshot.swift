internal import GRDB
internal import StreakCrypto
public import StreakReplication
internal import StreakWire

extension Store {
    /// Everything in the store, in the order of arrival; what is damaged is left out, as `load` says.
    ///
    /// - Throws: `damaged` when the file's structure is broken; `failed`.
    public func snapshot() throws -> Snapshot { try load().snapshot }

    /// Everything in the store, and what was found damaged.
    ///
    /// First, this machine's own tables are rebuilt if their keys are out of order. Then damaged runs and operations are set
    /// aside, and with a damaged run every later one of its branch; `damageSetAside` names them. The feed now ends before the
    /// damage, and the rest is fetched from others like any missing record. If the damage is, or may be, in the epoch that this
    /// device writes, `Snapshot.mayBeCopy` becomes true, because continuing the epoch would fork the feed. O(n): about a
    /// microsecond for each kilobyte and each row.
    ///
    /// - Throws: `damaged` when the file's structure is broken; `failed`.
    public func load() throws -> StoredState {
        let localDamage: [StoreDamage]
        do {
            localDamage = try mendLocalTables()
        } catch StorageError.diskFull {
            // As below: reading goes on, and the next start mends.
            localDamage = []
        }
        var (state, bad) = try reading { try Self.read(storeID, in: $0) }
        state.damage += localDamage
        if mayBeUnnotedCopy { state.snapshot.mayBeCopy = true }
        guard !bad.isEmpty else { return state }
        let feeds = Set(state.snapshot.runs.map(\.key.ofFeed) + bad.compactMap(\.wholeKey?.ofFeed))
        let hitsOwnEpoch = bad.contains { $0.isRun && state.snapshot.owns($0.damage, wholeFeeds: feeds) }
        if hitsOwnEpoch { state.snapshot.mayBeCopy = true }
        do {
            try settingAside(bad) { database in
                if hitsOwnEpoch { try database.execute(sql: "UPDATE state SET may_be_copy = 1") }
            }
        } catch StorageError.diskFull {
            // A full disk does not stop reading. The rows stay where they are and are found again next time.
        }
        return state
    }

    /// What has been set aside since the store was made, oldest first, operations before runs.
    public func damageSetAside() throws -> [StoreDamage] {
        try reading { database in
            let operations = try Row.fetchAll(
                database, sql: "SELECT group_id, operation FROM set_aside_operations ORDER BY id"
            ).map { row -> StoreDamage in
                guard let group: GroupID = row.identifier(0), let id: OperationID = row.identifier(1) else {
                    return .row(table: "operations")
                }
                return .operation(group: group, id: id)
            }
            let runs = try Row.fetchAll(
                database,
                sql: """
                    SELECT group_id, device, epoch_counter, epoch_nonce, branch, first, sound FROM set_aside_runs
                    ORDER BY id
                    """
            ).map { row -> StoreDamage in
                guard let key = Self.runKey(row) else { return .row(table: "runs") }
                return row.integer(6) == 1 ? .runBehindDamage(key) : .run(key)
            }
            return operations + runs
        }
    }

    /// Examines the file's structure, its constraints and every checksum, and changes nothing. Empty when all is well.
    /// O(n).
    public func checkIntegrity() throws -> [StoreDamage] {
        do {
            return try reading { database in
                let findings = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
                let (state, bad) = try Self.read(storeID, in: database)
                return findings.map { .structure($0) }
                    + state.damage.filter { damage in
                        !bad.contains { $0.damage == damage && $0.sound }
                    }
            }
        } catch StorageError.damaged(let reason) {
            return [.structure(reason)]
        }
    }

    static func runKey(_ row: Row) -> RunKey? {
        guard let group: GroupID = row.identifier(0), let device: DeviceID = row.identifier(1),
            let epoch = row.epoch(2), let branch = row.integer(4).flatMap({ UInt8(exactly: $0) }),
            let first = row.integer(5).flatMap({ UInt64(exactly: $0) })
        else { return nil }
        return RunKey(group: group, feed: FeedID(device: device, epoch: epoch), branch: branch, first: first)
    }
}

extension Snapshot {
    /// Whether damage is, or may be, in an epoch that this device writes. `wholeFeeds` are those that have whole runs.
    fileprivate func owns(_ damage: StoreDamage, wholeFeeds: Set<RunKey>) -> Bool {
        switch damage {
        case .row: true
        case .run(let key):
            // No other device has an epoch with the same 64 random bits. If no intact run has the name of this feed, the
            // name itself may be damaged, and the run may be of any feed.
            local[OwnEpoch.self, key.group]?.epoch == key.feed.epoch
                || !wholeFeeds.contains(key.ofFeed)
        case .runBehindDamage, .operation, .structure: false
        }
    }
}

extension DamagedRow {
    /// The key of a run that is whole itself.
    fileprivate var wholeKey: RunKey? {
        if case .runBehindDamage(let key) = damage { key } else { nil }
    }
}

// MARK: - Reading

extension Store {
    private static func read(_ store: StoreID, in database: Database) throws -> (StoredState, [DamagedRow]) {
        guard let row = try Row.fetchOne(database, sql: "SELECT next_arrival, may_be_copy FROM state"),
            let nextArrival = row.integer(0).flatMap({ UInt64(exactly: $0) }), let mayBeCopy = row.integer(1)
        else { throw StorageError.damaged("the store's own state cannot be read") }
        var state = StoredState(
            snapshot: Snapshot(store: store, nextArrival: max(1, nextArrival), mayBeCopy: mayBeCopy != 0))
        var bad: [DamagedRow] = []
        state.snapshot.operations = try readOperations(in: database, bad: &bad)
        state.snapshot.runs = try readRuns(in: database, bad: &bad)
        state.damage = bad.map(\.damage)
        try readSmallRows(into: &state, in: database)
        try readLocalRows(into: &state, in: database)
        let last = max(
            state.snapshot.operations.last?.arrival ?? 0, state.snapshot.runs.last?.arrival ?? 0)
        state.snapshot.nextArrival = max(state.snapshot.nextArrival, last + 1)
        return (state, bad)
    }

    private static func readOperations(in database: Database, bad: inout [DamagedRow]) throws -> [StoredOperation] {
        var operations: [StoredOperation] = []
        let rows = try Row.fetchCursor(database, sql: "SELECT \(operationColumns) FROM operations ORDER BY row")
        while let row = try rows.next() {
            switch operationRow(row) {
            case .sound(let operation): operations.append(operation)
            case .damaged(let damaged): bad.append(damaged)
            }
        }
        // Operations of one arrival keep the order in which they were written.
        return operations.enumerated().sorted { ($0.element.arrival, $0.offset) < ($1.element.arrival, $1.offset) }
            .map(\.element)
    }

    private static func readRuns(in database: Database, bad: inout [DamagedRow]) throws -> [StoredRun] {
        var runs: [(row: Int64, stored: StoredRun)] = []
        /// The first damaged record of each feed and branch; keyed by the key of a run whose number is 0.
        var ends: [RunKey: UInt64] = [:]
        let rows = try Row.fetchCursor(database, sql: "SELECT \(runColumns) FROM runs ORDER BY row")
        while let row = try rows.next() {
            switch runRow(row) {
            case .sound(let stored): runs.append((row.integer(12) ?? 0, stored))
            case .damaged(let damaged):
                bad.append(damaged)
                guard case .run(let key) = damaged.damage else { continue }
                ends[key.feedKey] = min(ends[key.feedKey] ?? .max, key.first)
            }
        }
        if !ends.isEmpty {
            let behind = runs.filter { $0.stored.key.first > ends[$0.stored.key.feedKey] ?? .max }
            bad += behind.map {
                DamagedRow(row: $0.row, isRun: true, sound: true, damage: .runBehindDamage($0.stored.key))
            }
            runs.removeAll { $0.stored.key.first > ends[$0.stored.key.feedKey] ?? .max }
        }
        return runs.map(\.stored).sorted { ($0.arrival, $0.key) < ($1.arrival, $1.key) }
    }

    static func storedRun(_ row: Row) -> StoredRun? {
        guard let key = runKey(row), let count = row.integer(6), (1...Int64(Run.maximumCount)).contains(count),
            let before: ChainHash = row.identifier(7), let raw = row.bytes(8), raw.count == Signature.byteCount,
            // Of the right length, so this gives one.
            let signature = try? Signature(rawBytes: raw), let packed = row.bytes(9),
            let arrival = row.integer(10).flatMap({ UInt64(exactly: $0) }), let after: ChainHash = row.identifier(13)
        else { return nil }
        let run = Run(
            feed: key.feed, first: key.first, before: before, signature: signature, packed: packed, count: Int(count))
        return StoredRun(group: key.group, branch: key.branch, run: run, after: after, arrival: arrival)
    }

    private static func readSmallRows(into state: inout StoredState, in database: Database) throws {
        func all<Value>(_ table: String, _ query: String, _ value: (Row) -> Value?) throws -> [Value] {
            var values: [Value] = []
            let rows = try Row.fetchCursor(database, sql: query)
            while let row = try rows.next() {
                if let value = value(row) { values.append(value) } else { state.damage.append(.row(table: table)) }
            }
            return values
        }
        state.snapshot.accessKeys = try all("access_keys", "SELECT group_id, key FROM access_keys ORDER BY row") {
            row in
            guard let group: GroupID = row.identifier(0), let key = row.bytes(1) else { return nil }
            return StoredAccessKey(group: group, key: key)
        }
        state.snapshot.addresses = try all(
            "addresses",
            """
            SELECT device, address, port, scope, last_answered FROM addresses
            ORDER BY device, last_answered DESC, address, port, scope
            """
        ) { row in
            guard let device: DeviceID = row.identifier(0), let address = row.bytes(1).flatMap({ Bytes16($0) }),
                let port = row.integer(2).flatMap({ UInt16(exactly: $0) }),
                let scope = row.integer(3).flatMap({ UInt32(exactly: $0) }), let answered = row.integer(4)
            else { return nil }
            let endpoint = Endpoint(address: address, port: port, scope: scope)
            return RememberedAddress(device: device, endpoint: endpoint, lastAnswered: answered)
        }
        let settings = try all("settings", "SELECT name, value FROM settings ORDER BY name") { row in
            row.text(0).flatMap { name in row.bytes(1).map { (name, $0) } }
        }
        // Damage may have made two names equal. Either value will do.
        state.snapshot.settings = Dictionary(settings, uniquingKeysWith: { first, _ in first })
    }
}

extension RunKey {
    /// The same for all runs of a feed's branch.
    fileprivate var feedKey: RunKey { RunKey(group: group, feed: feed, branch: branch, first: 0) }
    /// The same for all runs of a feed.
    fileprivate var ofFeed: RunKey { RunKey(group: group, feed: feed, branch: 0, first: 0) }
}
