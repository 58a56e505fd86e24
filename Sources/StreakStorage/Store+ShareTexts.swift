internal import GRDB

/// Pasted share texts, kept as they came so that they can be read again when a parser improves. They stay on this
/// machine: nothing here is part of a snapshot, a record or a message.
extension Store {
    /// A key, in bytes of UTF-8.
    public static let maximumShareTextKeySize = 256
    /// A text, in bytes of UTF-8.
    public static let maximumShareTextSize = 65_536

    /// Keeps `text` under `key`, in place of what was there.
    ///
    /// - Throws: `invalidName`, `fileTooLarge`, `diskFull`, `failed`.
    public func keepShareText(key: String, text: String) throws {
        // SQLite ends a text at a zero in some of its functions.
        guard (1...Self.maximumShareTextKeySize).contains(key.utf8.count), !key.utf8.contains(0) else {
            throw StorageError.invalidName
        }
        guard text.utf8.count <= Self.maximumShareTextSize else {
            throw StorageError.fileTooLarge(limit: Self.maximumShareTextSize)
        }
        try writing { database in
            try database.execute(
                sql: "INSERT INTO share_texts (key, text) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET text = ?2",
                arguments: [key, text])
        }
    }

    /// The text kept under `key`; nil if there is none.
    public func shareText(key: String) throws -> String? {
        try reading { database in
            let sql = "SELECT text FROM share_texts WHERE key = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [key])?.text(0)
        }
    }

    /// The keys of all texts, sorted by their bytes.
    public func shareTextKeys() throws -> [String] {
        try reading { database in
            try Row.fetchAll(database, sql: "SELECT key FROM share_texts ORDER BY key").compactMap { $0.text(0) }
        }
    }

    /// Forgets the text kept under `key`, if there is one.
    public func removeShareText(key: String) throws {
        try writing { database in
            try database.execute(sql: "DELETE FROM share_texts WHERE key = ?", arguments: [key])
        }
    }
}
