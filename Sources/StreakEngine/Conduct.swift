import StreakReplication

/// What one peer may have this node look at in vain. It is kept of the device and not of a link, or a new link would make
/// it good.
struct Conduct: Sendable {
    /// Runs that no honest device passes on: malformed ones, or with a wrong signature.
    private var forgeries = TokenBucket(.forgedRuns)
    /// Records that were unpacked, and were here already or had no place.
    private var idleRecords = TokenBucket(.idleRecords)

    /// What looking for a run's place costs where there is none: a run that is held may have to be unpacked for it.
    static let misplacedWeight = 512

    /// Counts a forged run. False where there were too many.
    mutating func takeForgery(at now: MonotonicInstant) -> Bool {
        forgeries.charge(at: now)
        return forgeries.admits(at: now)
    }

    /// Counts records that were looked at in vain. False where there were too many.
    mutating func takeIdle(_ count: Int, at now: MonotonicInstant) -> Bool {
        idleRecords.charge(count, at: now)
        return idleRecords.admits(at: now)
    }
}

extension TokenBucket.Limit {
    /// A run unpacks into 4,096 records at most, so these take half a second at once, and no more than two thousandths of
    /// a processor beyond.
    static let forgedRuns = Self(burst: 256, interval: .seconds(1))
    /// Several peers that serve the same history repeat what each other sends, of a million records some. Beyond that, a
    /// hundredth of a processor.
    static let idleRecords = Self(burst: 4 << 20, interval: .microseconds(50))
}
