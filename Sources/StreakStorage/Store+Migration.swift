internal import Foundation
internal import GRDB

extension Store {
    /// How long the copy from before an update is kept, in seconds: 30 days. After that what the user deleted is gone from it, too.
    static let copyLifetime: TimeInterval = 30 * 86_400

    /// Where the database of the version before is kept, for a user who wants to go back to it (docs/cli.md).
    static func copyPath(of databasePath: String) -> String { databasePath + ".before-update" }

    /// Brings the tables of an earlier version up to this one, after a copy of them is on disk.
    ///
    /// - Throws: `diskFull`, `failed`; errors of SQLite. Then the database is as it was.
    static func migrate(_ database: DatabaseQueue, at path: String, by migrator: DatabaseMigrator) throws {
        let copy = copyPath(of: path)
        let (isNew, isCurrent) = try database.read {
            (try migrator.appliedMigrations($0).isEmpty, try migrator.hasCompletedMigrations($0))
        }
        guard !isCurrent else { return try removeIfOld(copy) }
        if !isNew {
            let unfinished = copy + ".new"
            try DurableFile.remove(unfinished)
            // SQLite takes an empty file for a new one, and does not wait for the disk (lang_vacuum.html).
            try DurableFile.create(unfinished) { _ in
                try database.writeWithoutTransaction {
                    try $0.execute(sql: "VACUUM INTO ?", arguments: [unfinished])
                }
            }
            try DurableFile.move(unfinished, to: copy)
        }
        try migrator.migrate(database)
    }

    private static func removeIfOld(_ copy: String) throws {
        // Without a copy there is nothing to look at.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: copy),
            let written = attributes[.modificationDate] as? Date, Date().timeIntervalSince(written) > copyLifetime
        else { return }
        try DurableFile.remove(copy)
    }
}
