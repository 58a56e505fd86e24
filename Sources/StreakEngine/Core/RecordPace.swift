import StreakWire

/// How fast this node accepts the records of one author in one group.
public struct RecordPace: Sendable, Equatable {
    /// Records accepted at once: a whole feed, so that a history of years comes as fast as its link.
    public var burst = Int(ProtocolLimits.maximumFeedLength)
    /// Records a second beyond that, without end (docs/adr/0011).
    public var rate = 2_000
    /// How many records a requested answer may overdraw: as many as one window holds, however it is packed.
    public var overdraft = 131_072

    public init() {}
}
