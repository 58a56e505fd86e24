import StreakWire

/// How fast the records of one author in one group are taken over.
public struct RecordPace: Sendable, Equatable {
    /// What an author may bring at once: a whole feed, so that a history of years comes as fast as its link.
    public var burst = Int(ProtocolLimits.maximumFeedLength)
    /// Records a second beyond that, for ever (docs/adr/0011).
    public var rate = 2_000
    /// How far beyond that an answer that was asked for may go: what one window holds, however it is packed.
    public var overdraft = 131_072

    public init() {}
}
