internal import GRDB
internal import StreakReplication
public import StreakWire

/// One account's database: ledgers, records, cursors, keys, settings (SQLite, by GRDB).
///
/// What `apply` has returned from is on disk and survives a crash of the machine. The caller holds the folder's lock
/// for as long as the store is open. Every method may be called from any task; they run one after the other.
public final class Store: Sendable {
    /// The setting by which an engine tells that it has opened new epochs everywhere: a change that sets it to `[1]`
    /// ends `Snapshot.mayBeCopy`. It is never among a snapshot's settings.
    public static let epochsRenewedSetting = "epochs-renewed"

    let database: DatabaseQueue

    /// Named anew when this opening found a sign of a copy.
    public let storeID: StoreID

    /// The signs of a copy that this opening found. `Snapshot.mayBeCopy` stays true beyond it, until the epochs are
    /// renewed.
    public let copySigns: [CopySign]

    /// Opens the database in `folder`, making it if there is none.
    ///
    /// `newStoreID` gives sixteen random bytes; it is asked for a new store and for one that may be a copy.
    ///
    /// - Throws: `folderMissing`, `newerFormat`, `damaged`, `diskFull`, `failed`.
    public init(opening folder: DataFolder, newStoreID: () -> StoreID) throws {
        let detector = try CopyDetector(folder: folder)
        (database, storeID, copySigns) = try StorageError.translating {
            let database = try Self.open(folder.databasePath)
            let finding = try detector.openGeneration(in: database, newStoreID: newStoreID)
            return (database, finding.store, finding.signs)
        }
    }

    /// Closes the database; everything after that fails. Without it, the last reference closes.
    public func close() throws {
        try StorageError.translating { try database.close() }
    }

    /// One view of the whole database, in which `work` reads.
    func reading<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try transaction(.deferred, work)
    }

    /// One transaction: what `work` writes is on disk when this returns, and undone if this throws.
    func writing<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try transaction(.immediate, work)
    }

    private func transaction<Result>(
        _ kind: Database.TransactionKind, _ work: (Database) throws -> Result
    ) throws -> Result {
        try StorageError.translating {
            try database.writeWithoutTransaction { try Self.transaction(kind, in: $0, work) }
        }
    }

    static func transaction<Result>(
        _ kind: Database.TransactionKind, in database: Database, _ work: (Database) throws -> Result
    ) throws -> Result {
        // GRDB hands a closed connection to SQLite, which traps on it.
        guard unsafe database.sqliteConnection != nil else { throw StorageError.closed }
        var result: Result?
        try database.inTransaction(kind) {
            result = try work(database)
            return .commit
        }
        guard let result else { preconditionFailure("a transaction that does not throw has run") }
        return result
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "streakmesh"
        configuration.journalMode = .wal
        configuration.foreignKeysEnabled = true
        // Somebody who looks into the database with another program must not make a write fail.
        configuration.busyMode = .timeout(5)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.writeWithoutTransaction { database in
            // Only now: GRDB sets NORMAL when it turns WAL on, after any preparation that a configuration may ask for.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            // What is deleted is overwritten with zeros; some systems' SQLite does so by itself, others don't.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // macOS: without these, fsync leaves the bytes in the drive's cache. Nothing elsewhere.
            try database.execute(sql: "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
            guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
                throw StorageError.failed("SQLite does not wait for the disk")
            }
        }
        let migrator = Schema.migrator
        guard try database.read({ try !migrator.hasBeenSuperseded($0) }) else { throw StorageError.newerFormat }
        try migrator.migrate(database)
        return database
    }
}
