internal import GRDB
internal import StreakReplication
public import StreakWire
internal import Synchronization

/// One account's database: ledgers, records, cursors, keys, settings (SQLite, by GRDB).
///
/// What `apply` has returned from is on disk and survives a crash of the machine. The caller holds the folder's lock
/// for as long as the store is open. Every method may be called from any task; they run one after the other.
public final class Store: Sendable {
    /// The setting by which an engine says that it has opened new epochs everywhere. A change that sets it to `[1]`
    /// ends `Snapshot.mayBeCopy`. It is never among a snapshot's settings.
    public static let epochsRenewedSetting = "epochs-renewed"

    let database: DatabaseQueue

    /// A new one if this opening found a sign of a copy.
    public let storeID: StoreID

    /// The signs of a copy that this opening found. `Snapshot.mayBeCopy` stays true beyond it, until the epochs are
    /// renewed.
    public let copySigns: [CopySign]

    /// How many confirmed changes were found missing, at this opening and at those since `forgetLostChanges`.
    public let lostChanges: Int

    private let detector: CopyDetector
    private let finding: CopyDetector.Finding
    private let mark: ConfirmedMark
    /// Whether this opening is noted in the database. Where the disk was full it is not, and nothing is written before.
    private let isOpeningNoted: Atomic<Bool>

    /// Opens the database in `folder`, making it if there is none.
    ///
    /// `newStoreID` gives sixteen random bytes; it is asked for a new store and for one that may be a copy. On a full disk a
    /// store opens, and is read; what is written throws `diskFull` until there is room.
    ///
    /// - Throws: `folderMissing`, `newerFormat`, `damaged`, `diskFull` where there is no store yet, `failed`.
    public init(opening folder: DataFolder, newStoreID: () -> StoreID) throws {
        let detector = try CopyDetector(folder: folder)
        let mark = try ConfirmedMark(path: folder.confirmedPath)
        let database = try StorageError.translating { try Self.open(folder.databasePath) }
        let finding = try StorageError.translating {
            try database.read { try detector.examine($0, confirmed: mark.read(), newStoreID: newStoreID) }
        }
        var isNoted = true
        do {
            try StorageError.translating {
                try database.writeWithoutTransaction { try detector.openGeneration(after: finding, in: $0) }
            }
        } catch StorageError.diskFull where finding.isReadable {
            isNoted = false
        }
        let known = try StorageError.translating {
            try database.read { try Row.fetchOne($0, sql: "SELECT changes, lost_changes FROM state") }
        }
        // From here on the mark is the database's own count again.
        if isNoted { mark.write(known?.integer(0) ?? 0) }
        lostChanges = Int(clamping: (known?.integer(1) ?? 0) &+ (isNoted ? 0 : min(finding.lostChanges, 1_000_000)))
        (self.database, storeID, copySigns) = (database, finding.store, finding.signs)
        (self.detector, self.finding, self.mark) = (detector, finding, mark)
        isOpeningNoted = Atomic(isNoted)
    }

    /// The user knows what was lost.
    public func forgetLostChanges() throws {
        try writing { try $0.execute(sql: "UPDATE state SET lost_changes = 0") }
    }

    /// Whether epochs of this store must not be continued, though the database does not say so yet.
    var mayBeUnnotedCopy: Bool { !isOpeningNoted.load(ordering: .relaxed) && !copySigns.isEmpty }

    /// Closes the database; everything after that fails. Without it, the last reference closes.
    public func close() throws {
        try StorageError.translating { try database.close() }
    }

    /// One view of the whole database, in which `work` reads.
    func reading<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try StorageError.translating {
            try database.writeWithoutTransaction { try Self.transaction(.deferred, in: $0, work) }
        }
    }

    /// One transaction: what `work` writes is on disk when this returns, and undone if this throws.
    func writing<Result>(_ work: (Database) throws -> Result) throws -> Result {
        try StorageError.translating {
            try database.writeWithoutTransaction { try confirmedChange(in: $0, work) }
        }
    }

    /// The same on the database's own queue: counts the change, and notes it beside the database once it is on disk.
    func confirmedChange<Result>(in database: Database, _ work: (Database) throws -> Result) throws -> Result {
        guard unsafe database.sqliteConnection != nil else { throw StorageError.closed }
        if !isOpeningNoted.load(ordering: .relaxed) {
            try detector.openGeneration(after: finding, in: database)
            isOpeningNoted.store(true, ordering: .relaxed)
        }
        let (result, number) = try Self.transaction(.immediate, in: database) { database in
            let result = try work(database)
            // A damaged count must not stop the program.
            let number = try Int64.fetchOne(
                database.cachedStatement(
                    sql: "UPDATE state SET changes = max(0, changes % 4611686018427387904) + 1 RETURNING changes"))
            return (result, number)
        }
        if let number { mark.write(number) }
        return result
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
        configuration.foreignKeysEnabled = true
        // Somebody who looks into the database with another program must not make the opening fail.
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // The folder's lock keeps other processes out. So SQLite keeps the index of the log in memory and not in a file,
            // for which a full disk has no room.
            try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try database.writeWithoutTransaction { database in
            // Not by GRDB, which writes to the database to make a log.
            guard try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL") == "wal" else {
                throw StorageError.failed("SQLite keeps no write-ahead log")
            }
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
        try migrate(database, at: path, by: migrator)
        return database
    }
}
