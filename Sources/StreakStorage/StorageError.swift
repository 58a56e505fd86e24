internal import Foundation
internal import GRDB

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Why something could not be stored or read. The store and the folder are then as they were before.
public enum StorageError: Error, Equatable, Sendable {
    /// The folder holds an account already. Nothing was written; use the account, or choose another folder.
    case accountExists
    /// There is a file of this name already. It stays as it is; choose another name.
    case fileExists
    /// There is no such folder. Create an account first.
    case folderMissing
    /// The folder belongs to another user of this machine, and holds that user's account. Choose another folder.
    case othersFolder
    /// Another process has locked the folder: the one with this ID, if it could be read. Stop it, or send it the command.
    case folderInUse(processID: Int32?)
    /// The disk, or the user's share of it, is full. Nothing of the change was kept; reading goes on. Make room, try
    /// again.
    case diskFull
    /// The database cannot be read as one. Reading on would give wrong data. Restore a backup, or begin with a new folder.
    case damaged(String)
    /// A later version of this program has written the database. Use that version.
    case newerFormat
    /// The change breaks a constraint of the store. The caller made a mistake, or did not refuse hostile data.
    case invalidChange(String)
    /// The name of a secret or a text is not allowed. Secrets: 1 to 64 of a–z, 0–9 and "-". Texts: see `Store`.
    case invalidName
    /// A file has more bytes than is allowed.
    case fileTooLarge(limit: Int)
    /// A folder for the control socket exists, but others may write to it. Remove it.
    case unsafeFolder(String)
    /// The store has been closed.
    case closed
    /// The system refused. The text is the system's.
    case failed(String)
}

extension StorageError {
    /// Reads `errno` after a call of the C library failed during `action`.
    static func system(_ action: String, code: Int32 = errno) -> StorageError {
        if code == ENOSPC || code == EDQUOT { return .diskFull }
        return .failed("\(action): \(unsafe String(cString: strerror(code)))")
    }

    /// SQLite's message, without the SQL, which could contain values.
    init(_ error: DatabaseError) {
        let message = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(message)
        case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: self = .invalidChange(message)
        default: self = .failed("\(message) (SQLite \(error.extendedResultCode.rawValue))")
        }
    }

    /// Does `work`, and turns errors of SQLite into this type.
    static func translating<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }
}
