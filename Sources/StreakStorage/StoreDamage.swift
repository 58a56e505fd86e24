public import StreakReplication
public import StreakWire

/// Something in a store that is not as it was written.
public enum StoreDamage: Hashable, Sendable {
    /// The run's row does not match its checksum.
    case run(RunKey)
    /// The run is whole, but follows a damaged one in its feed and cannot be used before that is fetched again.
    case runBehindDamage(RunKey)
    /// The operation's row does not match its checksum.
    case operation(group: GroupID, id: OperationID)
    /// A row of this table holds values of a kind that is never written there.
    case row(table: String)
    /// What SQLite says about the file's structure.
    case structure(String)

    /// Whether the user is told. They are not told of what comes back by itself: an intact run after a damaged one, addresses,
    /// access keys, which other machines have, and friend codes, which are worked out again.
    public var isTold: Bool {
        switch self {
        case .run, .operation, .structure: true
        case .runBehindDamage: false
        case .row(let table): !["access_keys", "addresses", LocalTable.friendCodes.rawValue].contains(table)
        }
    }
}

/// The contents of a store, and the damage that was found.
public struct StoredState: Sendable {
    /// Everything that is intact.
    public var snapshot: Snapshot
    /// The damage that was found. Damaged rows are not in the snapshot.
    public var damage: [StoreDamage] = []
}

/// A row that is damaged, or that cannot be used because another is.
public struct DamagedRow: Hashable, Sendable {
    let row: Int64
    let isRun: Bool
    /// Whether the row itself is whole.
    let sound: Bool
    public let damage: StoreDamage
}
