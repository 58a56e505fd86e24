internal import GRDB
internal import StreakWire

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// A sign that a store is a copy of another, or an old state of itself.
public enum CopySign: Hashable, Sendable {
    /// The database lies in another file than the one it was last opened in: copied, or brought back from a backup.
    case databaseFileReplaced
    /// The database was last opened on another machine.
    case otherMachine
    /// The generation file beside the database is not the one the database wrote last: one of them is older.
    case generationFileDiffers
    /// There is no generation file beside the database: the database was moved or brought back alone.
    case generationFileMissing
    /// There is a generation file, but the database is new: the old one was lost.
    case databaseLost
    /// The database lacks changes that were confirmed: it, or its log, was damaged or set back.
    case changesLost
}

/// Notices at opening that a store may be a copy, or older than it once was. An epoch that such a store continued could
/// be continued elsewhere too, and the feed would fork.
///
/// A small *generation file* lies beside the database and is replaced by a fresh one at every opening. The database
/// remembers the identity (see `FileIdentity`) of itself and of that file, and the machine. A restart, a move within
/// the file system and a crash at any moment change none of these. A copy, a backup brought back, and either of the two
/// files brought back alone, change at least one.
///
/// Two cases go unnoticed. The whole file system was set back on the same machine (a virtual machine's snapshot, a disk
/// image). Or the database was overwritten in place with a state of the same session, and its generation file was not.
/// Peers notice these: they show a tip of this device's own feed that it does not have. One case is mistaken for a
/// copy: a store on a file system that renumbers its files at every mount (FAT, some of FUSE). That costs an epoch at
/// each such opening.
struct CopyDetector {
    let folder: DataFolder
    /// The file that the database is in. Taken before SQLite opens it.
    private let databaseFile: [UInt8]
    private let machine: [UInt8]?

    /// Makes the database's file if there is none, empty and closed to others, and takes its identity.
    init(folder: DataFolder) throws {
        self.folder = folder
        let file = unsafe open(folder.databasePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == ENOENT ? StorageError.folderMissing : StorageError.system("opening the database")
        }
        defer { close(file) }
        databaseFile = try FileIdentity.identity(of: file)
        machine = Machine.identity()
    }

    /// What was found when the store was opened.
    struct Finding {
        let store: StoreID
        let signs: [CopySign]
        /// How many confirmed changes the database lacks.
        let lostChanges: Int64
        fileprivate let state: State?
        fileprivate let generationFile: GenerationFile
        /// Whether the database holds a store, which can be read without opening the next generation.
        var isReadable: Bool { state != nil }
    }

    /// Compares, and changes nothing. `confirmed` is the number of the last change that the mark beside the database knows.
    func examine(_ database: Database, confirmed: Int64?, newStoreID: () -> StoreID) throws -> Finding {
        let found = try generationFile(at: folder.generationPath)
        let state = try State(in: database)
        var signs = signs(against: state, generationFile: found)
        let missing = (confirmed ?? 0).subtractingReportingOverflow(state?.changes ?? 0)
        let lost = missing.overflow ? 0 : max(0, missing.partialValue)
        // Friends may have what is lost: another record in its place would fork the feed.
        if lost > 0, state != nil { signs.append(.changesLost) }
        let store = if let state, signs.isEmpty { state.store } else { newStoreID() }
        return Finding(store: store, signs: signs, lostChanges: lost, state: state, generationFile: found)
    }

    /// Opens the next generation. A crash between its two writes does not look like a copy: the database remembers the
    /// generation file it found and the one it is about to write.
    func openGeneration(after finding: Finding, in database: Database) throws {
        let next = folder.generationPath + ".new"
        try Store.transaction(.immediate, in: database) { database in
            // Wrapping, because a damaged number must not stop the program; it only has to change.
            let generation = finding.state.map { $0.generation < Int64.max ? $0.generation + 1 : 1 } ?? 1
            try DurableFile.write(Array("store \(finding.store)\ngeneration \(generation)\n".utf8), toFresh: next)
            guard case .identity(let written) = try generationFile(at: next) else {
                throw StorageError.failed("the generation file vanished")
            }
            var before: [UInt8]?
            if case .identity(let identity) = finding.generationFile { before = identity }
            try database.execute(
                sql: """
                    INSERT INTO state (id, store, next_arrival, may_be_copy, generation, database_file, machine,
                      generation_file_before, generation_file, lost_changes)
                    VALUES (1, ?1, 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                    ON CONFLICT (id) DO UPDATE SET store = ?1, may_be_copy = max(may_be_copy, ?2), generation = ?3,
                      database_file = ?4, machine = coalesce(?5, machine), generation_file_before = ?6,
                      generation_file = ?7, lost_changes = min(lost_changes, 1000000) + ?8
                    """,
                arguments: [
                    finding.store.bytes.array.stored, finding.signs.isEmpty ? 0 : 1, generation, databaseFile.stored,
                    machine?.stored, before?.stored, written.stored, min(finding.lostChanges, 1_000_000),
                ])
        }
        try DurableFile.move(next, to: folder.generationPath)
    }

    fileprivate enum GenerationFile {
        case missing, unreadable
        case identity([UInt8])
    }

    private func generationFile(at path: String) throws -> GenerationFile {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return .missing }
            throw StorageError.system("opening the generation file")
        }
        defer { close(file) }
        do {
            let contents = try DurableFile.readAll(file, maximumSize: 256)
            return .identity(try FileIdentity.identity(of: file, contents: contents))
        } catch StorageError.fileTooLarge {
            return .unreadable
        }
    }

    private func signs(against state: State?, generationFile: GenerationFile) -> [CopySign] {
        guard let state else {
            if case .missing = generationFile { return [] }
            return [.databaseLost]
        }
        var signs: [CopySign] = []
        if state.databaseFile != databaseFile { signs.append(.databaseFileReplaced) }
        // A machine without a name, for example a container, gives no sign.
        if let known = state.machine, let machine, known != machine { signs.append(.otherMachine) }
        switch generationFile {
        // None was there before the very first opening, which may have ended between its two writes.
        case .missing:
            if state.generationFileBefore != nil || state.generation != 1 { signs.append(.generationFileMissing) }
        case .unreadable: signs.append(.generationFileDiffers)
        case .identity(let identity):
            if identity != state.generationFile, identity != state.generationFileBefore {
                signs.append(.generationFileDiffers)
            }
        }
        return signs
    }

    /// The part of the table `state` that is compared.
    fileprivate struct State {
        let store: StoreID
        let generation: Int64
        let databaseFile: [UInt8]
        let machine: [UInt8]?
        let generationFileBefore: [UInt8]?
        let generationFile: [UInt8]
        let changes: Int64

        /// Nil in a new database.
        init?(in database: Database) throws {
            let columns = "store, generation, database_file, machine, generation_file_before, generation_file, changes"
            guard let row = try Row.fetchOne(database, sql: "SELECT \(columns) FROM state") else { return nil }
            guard let store = row.bytes(0).flatMap(Bytes16.init), let generation = row.integer(1),
                let databaseFile = row.bytes(2), let generationFile = row.bytes(5)
            else { throw StorageError.damaged("the store's own state cannot be read") }
            self.store = StoreID(bytes: store)
            self.generation = generation
            self.databaseFile = databaseFile
            machine = row.bytes(3)
            generationFileBefore = row.bytes(4)
            self.generationFile = generationFile
            changes = row.integer(6) ?? 0
        }
    }
}
