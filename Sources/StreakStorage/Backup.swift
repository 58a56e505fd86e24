internal import GRDB
public import StreakCrypto

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a backup holds in addition to the database.
public struct BackupContent: Sendable, Equatable {
    /// A secret as the data folder keeps it.
    public struct Secret: Sendable, Equatable {
        public let name: String
        public let bytes: [UInt8]

        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    public var secrets: [Secret]

    public init(secrets: [Secret]) {
        self.secrets = secrets
    }
}

/// A sealed copy of a data folder in one file.
///
/// Inside the `SealedArchive`: version u8 (1) · number of secrets u8 · for each: size of the name u8, name, size u16, bytes ·
/// the database, the rest. Integers are big-endian.
public enum Backup {
    private static let version: UInt8 = 1
    private static let maximumSecrets = 16
    private static let maximumSecretSize = 16_384
    /// Read and sealed at a time.
    private static let pieceSize = 1 << 20

    /// Writes a sealed copy of a store and of `secrets` to a new file of mode 0600. Returns its size in bytes. The store
    /// goes on working meanwhile; the copy is of one moment. Takes a second for the passphrase, and room in the data
    /// folder for a copy of the database while it lasts.
    ///
    /// - Throws: `StorageError`: `fileExists`, `diskFull`, `failed`; `SealedArchiveError`.
    public static func write(
        _ store: Store, _ content: BackupContent, in folder: DataFolder, to path: String, passphrase: String,
        cost: Argon2id.Cost = .moderate, entropy: inout some EntropySource
    ) throws -> Int {
        let copy = folder.databasePath + ".backup"
        try store.copyDatabase(to: copy)
        defer {
            // If it cannot be removed, the next backup replaces it.
            try? DurableFile.remove(copy)
        }
        var writer: SealedArchive.Writer? = try SealedArchive.Writer(
            passphrase: passphrase, cost: cost, from: &entropy)
        var size = 0
        try DurableFile.create(path) { file in
            func write(_ bytes: [UInt8]?) throws {
                try DurableFile.writeAll(bytes ?? [], to: file)
                size += bytes?.count ?? 0
            }
            try write(writer?.seal(try header(of: content)))
            try DurableFile.readPieces(copy, size: pieceSize) { try write(writer?.seal($0)) }
            try write(writer.take()?.finish())
        }
        return size
    }

    private static func header(of content: BackupContent) throws -> [UInt8] {
        guard content.secrets.count <= maximumSecrets else { throw StorageError.failed("too many secrets") }
        var bytes = [version, UInt8(content.secrets.count)]
        for secret in content.secrets {
            guard (1...64).contains(secret.name.utf8.count), secret.bytes.count <= maximumSecretSize else {
                throw StorageError.invalidName
            }
            bytes += [UInt8(secret.name.utf8.count)] + Array(secret.name.utf8)
            bytes += [UInt8(secret.bytes.count >> 8), UInt8(secret.bytes.count & 255)] + secret.bytes
        }
        return bytes
    }

    /// Opens a backup and puts its database into a folder that has no account. Once the whole file is verified, `accept` gets
    /// the secrets to store. If anything fails, the folder stays without an account.
    ///
    /// The database is now another file than before. Opening it notices that, gives the store a new ID, and begins new
    /// epochs. So it never contradicts what was written since the backup.
    ///
    /// - Throws: `StorageError`: `accountExists`, `failed`, `diskFull`, `damaged`; `SealedArchiveError`; what `accept`
    ///   throws.
    public static func restore(
        from path: String, passphrase: String, to folder: DataFolder, accept: (BackupContent) throws -> Void
    ) throws {
        let fresh = folder.databasePath + ".new"
        var parser = HeaderParser()
        var reader: SealedArchive.Reader? = SealedArchive.Reader(passphrase: passphrase)
        do {
            try DurableFile.remove(fresh)
            try DurableFile.create(fresh) { file in
                let isThere = try DurableFile.readPieces(path, size: pieceSize) { piece in
                    try DurableFile.writeAll(try parser.take(try reader?.open(piece) ?? []), to: file)
                }
                guard isThere else { throw StorageError.failed("there is no such file") }
                try reader.take()?.finish()
            }
            guard let content = parser.content else { throw StorageError.damaged("the backup holds no account") }
            try accept(content)
            try DurableFile.move(fresh, to: folder.databasePath)
        } catch {
            // The first error is the one to tell.
            try? DurableFile.remove(fresh)
            throw error
        }
    }

    /// Reads the secrets at the beginning of a backup's contents.
    struct HeaderParser {
        private(set) var content: BackupContent?
        private var waiting: [UInt8] = []

        /// Returns the part of `bytes` that belongs to the database.
        mutating func take(_ bytes: [UInt8]) throws -> [UInt8] {
            guard content == nil else { return bytes }
            waiting += bytes
            guard let (content, end) = try parsed() else { return [] }
            self.content = content
            defer { waiting = [] }
            return Array(waiting[end...])
        }

        /// Nil until enough bytes have come.
        private func parsed() throws -> (BackupContent, end: Int)? {
            guard waiting.count >= 2 else { return nil }
            guard waiting[0] == version else { throw StorageError.newerFormat }
            guard waiting[1] <= maximumSecrets else { throw StorageError.damaged("too many secrets") }
            var content = BackupContent(secrets: [])
            var place = 2
            for _ in 0..<waiting[1] {
                guard waiting.count > place else { return nil }
                let nameEnd = place + 1 + Int(waiting[place])
                guard waiting.count >= nameEnd + 2 else { return nil }
                let size = Int(waiting[nameEnd]) << 8 | Int(waiting[nameEnd + 1])
                guard size <= maximumSecretSize else { throw StorageError.damaged("a secret is too long") }
                guard waiting.count >= nameEnd + 2 + size else { return nil }
                let name = String(decoding: waiting[(place + 1)..<nameEnd], as: UTF8.self)
                content.secrets.append(.init(name: name, bytes: Array(waiting[(nameEnd + 2)..<(nameEnd + 2 + size)])))
                place = nameEnd + 2 + size
            }
            return (content, place)
        }
    }
}

extension Store {
    /// Writes a copy of the database, as it is at one moment, to a new file.
    func copyDatabase(to path: String) throws {
        try DurableFile.remove(path)
        try StorageError.translating {
            try database.writeWithoutTransaction { database in
                guard unsafe database.sqliteConnection != nil else { throw StorageError.closed }
                // Whole, without free pages and without a log beside it (SQLite, lang_vacuum.html).
                try database.execute(sql: "VACUUM INTO ?", arguments: [path])
            }
        }
    }
}
