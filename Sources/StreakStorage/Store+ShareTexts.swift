internal import GRDB

/// A pasted share text, kept as it came so that it can be read again when a parser improves. It stays on this machine: it is
/// no part of a snapshot, a record or a message.
public struct ShareText: Hashable, Sendable {
    /// What it is about; a text replaces the one before it with the same key.
    public let key: String
    public let text: String

    public init(key: String, text: String) {
        self.key = key
        self.text = text
    }
}

extension Store {
    /// A key, in bytes of UTF-8.
    static let maximumShareTextKeySize = 256
    /// A text, in bytes of UTF-8.
    public static let maximumShareTextSize = 65_536

    /// What the schema cannot check of texts.
    static func check(_ texts: [ShareText]) throws {
        for text in texts {
            // SQLite ends a text at a zero in some of its functions.
            guard (1...maximumShareTextKeySize).contains(text.key.utf8.count), !text.key.utf8.contains(0) else {
                throw StorageError.invalidName
            }
            guard text.text.utf8.count <= maximumShareTextSize else {
                throw StorageError.fileTooLarge(limit: maximumShareTextSize)
            }
        }
    }

    static func write(_ texts: [ShareText], in database: Database) throws {
        for text in texts {
            try database.cachedStatement(
                sql: "INSERT INTO share_texts (key, text) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET text = ?2"
            ).execute(arguments: [text.key, text.text])
        }
    }

    /// The text kept under `key`; nil if there is none.
    public func shareText(key: String) throws -> String? {
        try reading { database in
            let sql = "SELECT text FROM share_texts WHERE key = ?"
            return try Row.fetchOne(database, sql: sql, arguments: [key])?.text(0)
        }
    }
}
