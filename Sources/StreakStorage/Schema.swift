internal import GRDB
internal import StreakReplication
internal import StreakWire

/// The tables. Constraints stand here, so that no program can break them.
///
/// Numbers without a sign of 64 bits are kept as the signed number of the same bits. Rows with blobs of some size have
/// a row number; the others are kept in their key's order (SQLite advises so, withoutrowid.html §3).
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.execute(sql: stateTables)
            try database.execute(sql: replicatedTables)
            try database.execute(sql: localTables)
        }
        migrator.registerMigration("runs say their end") { database in
            try database.execute(sql: "ALTER TABLE runs ADD COLUMN after BLOB CHECK (length(after) = 32)")
            try database.execute(sql: "ALTER TABLE set_aside_runs ADD COLUMN after")
            try addEnds(in: database)
        }
        // To undo an import of 20,000 results takes half a megabyte.
        migrator.registerMigration("settings may be large") { database in
            try database.execute(sql: largeSettings)
        }
        migrator.registerMigration("changes are counted") { database in
            try database.execute(
                sql: """
                    ALTER TABLE state ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
                    ALTER TABLE state ADD COLUMN lost_changes INTEGER NOT NULL DEFAULT 0;
                    """)
        }
        migrator.registerMigration("what this machine alone keeps is rows") { database in
            try database.execute(sql: localRows + formerSettings)
        }
        return migrator
    }

    /// Computes the chain hash after each run. A damaged row gets none, and is found damaged when it is read.
    private static func addEnds(in database: Database) throws {
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT group_id, device, epoch_counter, epoch_nonce, branch, first, count, before, signature, packed,
                  arrival, checksum, row, before FROM runs
                """)
        var ends: [(row: Int64, stored: StoredRun)] = []
        while let row = try rows.next() {
            guard let number = row.integer(12), let old = Store.storedRun(row),
                row.bytes(11) == RowChecksum.checksum(of: old, covering: nil),
                let records = try? old.run.records()  // as above
            else { continue }
            let after = FeedChain.hash(after: old.run.before, records: records)
            ends.append(
                (
                    number,
                    StoredRun(
                        group: old.group, branch: old.branch, run: old.run, after: after, arrival: old.arrival)
                ))
        }
        for (row, stored) in ends {
            try database.execute(
                sql: "UPDATE runs SET after = ?, checksum = ? WHERE row = ?",
                arguments: [stored.after.stored, RowChecksum.checksum(of: stored).stored, row])
        }
    }

    /// One row: what this store is, and what `CopyDetector` compares.
    private static let stateTables = """
        CREATE TABLE state (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          store BLOB NOT NULL CHECK (length(store) = 16),
          next_arrival INTEGER NOT NULL CHECK (next_arrival >= 1),
          may_be_copy INTEGER NOT NULL CHECK (may_be_copy IN (0, 1)),
          generation INTEGER NOT NULL CHECK (generation >= 1),
          database_file BLOB NOT NULL CHECK (length(database_file) = 16),
          machine BLOB CHECK (length(machine) = 16),
          generation_file_before BLOB CHECK (length(generation_file_before) = 16),
          generation_file BLOB NOT NULL CHECK (length(generation_file) = 16)
        ) STRICT;
        """

    /// Data that other devices may have too. Each row has a checksum: see `RowChecksum`.
    private static let replicatedTables = """
        CREATE TABLE operations (
          row INTEGER PRIMARY KEY,
          group_id BLOB NOT NULL CHECK (length(group_id) = 32),
          operation BLOB NOT NULL CHECK (length(operation) = 32),
          bytes BLOB NOT NULL CHECK (length(bytes) BETWEEN 1 AND 8192),
          arrival INTEGER NOT NULL CHECK (arrival >= 1),
          checksum BLOB NOT NULL CHECK (length(checksum) = 16),
          UNIQUE (group_id, operation)
        ) STRICT;
        CREATE TABLE runs (
          row INTEGER PRIMARY KEY,
          group_id BLOB NOT NULL CHECK (length(group_id) = 32),
          device BLOB NOT NULL CHECK (length(device) = 32),
          epoch_counter INTEGER NOT NULL CHECK (epoch_counter BETWEEN 0 AND 4294967295),
          epoch_nonce INTEGER NOT NULL,
          branch INTEGER NOT NULL CHECK (branch BETWEEN 0 AND 255),
          first INTEGER NOT NULL CHECK (first BETWEEN 1 AND 1048576),
          count INTEGER NOT NULL CHECK (count BETWEEN 1 AND 4096),
          before BLOB NOT NULL CHECK (length(before) = 32),
          signature BLOB NOT NULL CHECK (length(signature) = 64),
          packed BLOB NOT NULL CHECK (length(packed) BETWEEN 1 AND 65536),
          arrival INTEGER NOT NULL CHECK (arrival >= 1),
          checksum BLOB NOT NULL CHECK (length(checksum) = 16),
          UNIQUE (group_id, device, epoch_counter, epoch_nonce, branch, first)
        ) STRICT;
        CREATE TABLE set_aside_operations (
          id INTEGER PRIMARY KEY, row, group_id, operation, bytes, arrival, checksum
        );
        CREATE TABLE set_aside_runs (
          id INTEGER PRIMARY KEY, sound,
          row, group_id, device, epoch_counter, epoch_nonce, branch, first, count, before, signature, packed, arrival,
          checksum
        );
        """

    private static let localTables = """
        CREATE TABLE cursors (
          group_id BLOB NOT NULL CHECK (length(group_id) = 32),
          peer BLOB NOT NULL CHECK (length(peer) = 32),
          store BLOB NOT NULL CHECK (length(store) = 16),
          arrival INTEGER NOT NULL CHECK (arrival >= 0),
          PRIMARY KEY (group_id, peer)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE access_keys (
          row INTEGER PRIMARY KEY,
          group_id BLOB NOT NULL CHECK (length(group_id) = 32),
          key BLOB NOT NULL CHECK (length(key) BETWEEN 1 AND 64),
          UNIQUE (group_id, key)
        ) STRICT;
        CREATE TABLE own_epochs (
          group_id BLOB NOT NULL PRIMARY KEY CHECK (length(group_id) = 32),
          counter INTEGER NOT NULL CHECK (counter BETWEEN 0 AND 4294967295),
          nonce INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE addresses (
          device BLOB NOT NULL CHECK (length(device) = 32),
          address BLOB NOT NULL CHECK (length(address) = 16),
          port INTEGER NOT NULL CHECK (port BETWEEN 0 AND 65535),
          scope INTEGER NOT NULL CHECK (scope BETWEEN 0 AND 4294967295),
          last_answered INTEGER NOT NULL,
          PRIMARY KEY (device, address, port, scope)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE settings (
          row INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 64),
          value BLOB NOT NULL CHECK (length(value) BETWEEN 1 AND 65536)
        ) STRICT;
        CREATE TABLE share_texts (
          row INTEGER PRIMARY KEY,
          key TEXT NOT NULL UNIQUE CHECK (length(CAST(key AS BLOB)) BETWEEN 1 AND 256),
          text TEXT NOT NULL CHECK (length(CAST(text AS BLOB)) <= 65536)
        ) STRICT;
        """

    /// The tables of `LocalTable`.
    private static let localRows = [
        table("awaited_approvals", key: "group_id", id("group_id")),
        table("blocked_users", key: "user", id("user"), text("name", 0...640)),
        table("denials", key: "group_id, user, invite", id("group_id"), id("user"), id("invite")),
        table(
            "endings", key: "group_id", id("group_id"), id("operation"), "noted_at INTEGER NOT NULL",
            flag("is_dismissed")),
        table("farewells", key: "group_id", id("group_id")),
        table("friend_codes", key: "user", id("user"), text("code", 14...14)),
        table("invite_links", key: "group_id, invite", id("group_id"), id("invite"), text("link", 1...4_096)),
        table(
            "received_requests", key: "user", id("user"), text("name", 0...640), text("code", 14...14), id("link_key"),
            "asked_at INTEGER NOT NULL, received_at INTEGER NOT NULL", flag("is_declined"),
            "pair BLOB CHECK (length(pair) = 32), link TEXT CHECK (length(CAST(link AS BLOB)) BETWEEN 1 AND 4096)",
            "CHECK ((pair IS NULL) = (link IS NULL) AND (pair IS NULL OR is_declined = 0))"),
        table("returns", key: "group_id", id("group_id"), id("friend"), "offered_at INTEGER NOT NULL"),
        table(
            "sent_requests", key: "code", text("code", 14...14), id("root"), text("name", 0...640),
            "asked_at INTEGER NOT NULL", flag("is_declined"),
            "link TEXT CHECK (length(CAST(link AS BLOB)) BETWEEN 1 AND 4096)",
            "owner BLOB CHECK (length(owner) BETWEEN 1 AND 4096)", "CHECK (link IS NULL OR is_declined = 0)"),
    ].joined()

    private static func table(_ name: String, key: String, _ columns: String...) -> String {
        let columns = columns.joined(separator: ", ")
        return "CREATE TABLE \(name) (\(columns), PRIMARY KEY (\(key))) STRICT, WITHOUT ROWID;\n"
    }

    /// Thirty-two bytes.
    private static func id(_ name: String) -> String { "\(name) BLOB NOT NULL CHECK (length(\(name)) = 32)" }
    private static func flag(_ name: String) -> String { "\(name) INTEGER NOT NULL CHECK (\(name) IN (0, 1))" }

    /// - Parameter sizes: in bytes of UTF-8.
    private static func text(_ name: String, _ sizes: ClosedRange<Int>) -> String {
        "\(name) TEXT NOT NULL CHECK (length(CAST(\(name) AS BLOB)) BETWEEN \(sizes.lowerBound) AND \(sizes.upperBound))"
    }

    /// Forgets what version 0.1 kept of this as settings. Who is blocked, which groups a friend offers and of which
    /// departures nobody has heard stays.
    private static let formerSettings = """
        INSERT OR IGNORE INTO blocked_users SELECT value, '' FROM settings
          WHERE name GLOB 'friend-block-*' AND length(value) = 32;
        INSERT OR IGNORE INTO returns SELECT substr(value, 1, 32), substr(value, 33, 32), 0 FROM settings
          WHERE name GLOB 'return-*' AND length(value) > 64;
        INSERT OR IGNORE INTO farewells SELECT DISTINCT group_id FROM operations
          JOIN settings ON name = 'farewell-' || lower(hex(substr(group_id, 1, 16)));
        DELETE FROM settings WHERE name GLOB 'friend-in-*' OR name GLOB 'friend-out-*' OR name GLOB 'friend-block-*'
          OR name GLOB 'invite-*' OR name GLOB 'farewell-*' OR name GLOB 'denied-*' OR name GLOB 'waiting-*' OR name GLOB 'return-*' OR name GLOB 'removed-*'
          OR name GLOB 'ended-*' OR name GLOB 'code-*' OR name GLOB 'blocked-*';
        """

    /// Settings of up to 64 MiB.
    private static let largeSettings = """
        CREATE TABLE large_settings (
          row INTEGER PRIMARY KEY,
          name TEXT NOT NULL UNIQUE CHECK (length(CAST(name AS BLOB)) BETWEEN 1 AND 64),
          value BLOB NOT NULL CHECK (length(value) BETWEEN 1 AND 67108864)
        ) STRICT;
        INSERT INTO large_settings (row, name, value) SELECT row, name, value FROM settings;
        DROP TABLE settings;
        ALTER TABLE large_settings RENAME TO settings;
        """
}
