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

    /// Whether results or members' operations were damaged here: neither a whole run behind others, nor a row that only
    /// concerns this machine, as where a friend's was last found.
    public var isOfGroup: Bool {
        switch self {
        case .run, .operation, .structure: true
        case .runBehindDamage: false
        case .row(let table): table == "runs" || table == "operations"
        }
    }
}

/// What a store holds and what of it was damaged.
public struct StoredState: Sendable {
    /// Everything that is whole.
    public var snapshot: Snapshot
    /// What was found damaged in making the snapshot, and is not in it.
    public var damage: [StoreDamage] = []
}

/// A row that is not as it was written, or cannot be used because of one.
public struct DamagedRow: Hashable, Sendable {
    let row: Int64
    let isRun: Bool
    /// Whether the row itself is whole.
    let sound: Bool
    public let damage: StoreDamage
}
