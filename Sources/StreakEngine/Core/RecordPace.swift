import StreakWire

/// How fast this node accepts the records of one author in one group.
public struct RecordPace: Sendable, Equatable {
    /// Results accepted at once: ten a day for 36 years, so that a history comes as fast as its link.
    public var burst = 131_072
    /// Results a second beyond that, without end (docs/adr/0011).
    public var rate = 100
    /// How many records requested answers may take in advance: a second burst.
    public var overdraft = 131_072

    public init() {}
}
