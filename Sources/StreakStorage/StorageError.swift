internal import Foundation
internal import GRDB

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Why something could not be kept or read. After any of these the store and the folder are as they were before.
public enum StorageError: Error, Equatable, Sendable {
    /// The folder holds an account already. Nothing was written; use the account, or choose another folder.
    case accountExists
    /// There is a file of this name already. It stays as it is; choose another name.
    case fileExists
    /// There is no such folder. Create an account first.
    case folderMissing
    /// The folder belongs to another user of this machine, whose account it holds. Use a folder of one's own.
    case othersFolder
    /// Another process works in the folder, the one with this ID where it could be read. Stop it, or talk to it.
    case folderInUse(processID: Int32?)
    /// The disk, or the user's share of it, is full. Nothing of the change was kept; reading goes on. Make room, try
    /// again.
    case diskFull
    /// The database cannot be read as one. Reading further would give wrong data; restore a backup or start afresh.
    case damaged(String)
    /// A later version of this program has written the database. Use that version.
    case newerFormat
    /// The change breaks a constraint of the store; the caller's mistake, or hostile data that should have been
    /// refused.
    case invalidChange(String)
    /// A secret's name, or the name of a text, is not one: 1 to 64 of a–z, 0–9 and "-"; for texts see `Store`.
    case invalidName
    /// A file is larger than what it may hold, in bytes.
    case fileTooLarge(limit: Int)
    /// A folder for the control socket exists, but others may write to it. Remove it.
    case unsafeFolder(String)
    /// The store has been closed.
    case closed
    /// The system refused, in its own words.
    case failed(String)
}

extension StorageError {
    /// What the C library's last call left in `errno`, while doing `action`.
    static func system(_ action: String, code: Int32 = errno) -> StorageError {
        if code == ENOSPC || code == EDQUOT { return .diskFull }
        return .failed("\(action): \(unsafe String(cString: strerror(code)))")
    }

    /// What SQLite says, without its SQL, in which values might stand.
    init(_ error: DatabaseError) {
        let message = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(message)
        case .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: self = .invalidChange(message)
        default: self = .failed("\(message) (SQLite \(error.extendedResultCode.rawValue))")
        }
    }

    /// Does `work`, whose errors of SQLite become errors of this type.
    static func translating<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch let error as DatabaseError {
            throw StorageError(error)
        }
    }
}
