import StreakLinks
import StreakReplication

/// What one peer may have this node look at in vain. It is kept of the device and not of a link, or a new link would make
/// it good.
struct Conduct: Sendable {
    /// Runs that no honest device passes on: malformed ones, or with a wrong signature.
    private var forgeries = TokenBucket(.forgedRuns)
    /// Records that were unpacked, and were here already or had no place.
    private var idleRecords = TokenBucket(.idleRecords)

    /// Lines of presence, each of which may have this node tell all others of a group.
    private var presenceEntries = TokenBucket(.presenceEntries)
    /// Exchanges that this peer's digests led to, and that brought nothing.
    private var fruitlessRounds = TokenBucket(.fruitlessRounds)

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

    /// Counts lines of presence. False where there were too many.
    mutating func takePresence(_ count: Int, at now: MonotonicInstant) -> Bool {
        presenceEntries.charge(count, at: now)
        return presenceEntries.admits(at: now)
    }

    /// Counts an exchange that brought nothing.
    mutating func chargeFruitlessRound(at now: MonotonicInstant) { fruitlessRounds.charge(at: now) }

    /// When this peer's next digest may lead to an exchange: at once, unless many brought nothing.
    func nextRound(at now: MonotonicInstant) -> MonotonicInstant {
        fruitlessRounds.admits(at: now) ? now : fruitlessRounds.nextAdmission
    }
}

extension TokenBucket.Limit {
    /// What one link, and all newcomers together, may have this node do that costs an Argon2id or a change on disk.
    static let costlyWork = Self(burst: 8, interval: .seconds(20))
    /// A group of 1,000 that starts says all at once, and again as ways become shorter; after that somebody comes or goes
    /// every few seconds.
    static let presenceEntries = Self(burst: 16_384, interval: .milliseconds(50))
    /// Digests differ for a moment whenever two write at the same time. A peer whose digest never becomes equal costs an
    /// exchange every ten seconds.
    static let fruitlessRounds = Self(burst: 64, interval: .seconds(10))

    /// A run unpacks into 4,096 records at most, so these take half a second at once, and no more than two thousandths of
    /// a processor beyond.
    static let forgedRuns = Self(burst: 256, interval: .seconds(1))
    /// Several peers that serve the same history repeat what each other sends, of a million records some. Beyond that, a
    /// hundredth of a processor.
    static let idleRecords = Self(burst: 4 << 20, interval: .microseconds(50))
}
