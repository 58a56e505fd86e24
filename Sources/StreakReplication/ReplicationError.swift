public import StreakWire

/// Why a run was refused. The feed is unchanged in every case.
public enum ReplicationError: Error, Equatable, Sendable {
    /// The run cannot be decoded. The sender is broken or lying: its link may be closed.
    case malformed(WireError)
    /// This group's ledger does not name the feed's device: the record is from a non-member or another group.
    case unknownAuthor(DeviceID)
    /// The signature does not cover this chain: it was changed, or made for another group, feed or number.
    case invalidSignature
    /// Records before this run are missing here. Fetch them from `tip` on.
    case gap(tip: Tip)
    /// The run follows another record than ours at that number: the chain hash is false, or it is another branch that
    /// must be fetched from its start.
    case differentHistory
    /// The feed, its epochs or its branches have reached their limit.
    case limitReached
    /// Records after a device's cut do not count.
    case pastCut
}
