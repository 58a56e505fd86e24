public import StreakWire

/// Why a run was not taken over. The feed is unchanged in every case.
public enum ReplicationError: Error, Equatable, Sendable {
    /// The run does not decode. The sender is broken or lying: its link may be closed.
    case malformed(WireError)
    /// The feed's device is not one that this group's ledger names: a record of a non-member, or of another group.
    case unknownAuthor(DeviceID)
    /// The signature does not cover this chain: tampered with, or made for another group, feed or number.
    case invalidSignature
    /// The run starts after records that are missing here. They are to be fetched from `tip` on.
    case gap(tip: Tip)
    /// The run follows a record that is not ours at that number: a false chain hash, or another branch that must be
    /// fetched from its start.
    case differentHistory
    /// The feed, its epochs or its branches reached their limit.
    case limitReached
    /// What follows a device's cut counts for nothing.
    case pastCut
}
