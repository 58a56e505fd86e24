import StreakLinks
import StreakMembership
import StreakWire

/// Work that others can cause, and that is limited: it may be useless, or come too fast.
public enum ChargedWork: String, CaseIterable, Sendable {
    /// Runs that no honest device passes on: malformed, or with a wrong signature.
    case forgedRuns
    /// Records that were unpacked, and were here already or had no place.
    case redundantRecords
    /// Records that were verified and are new.
    case newRecords
    /// Ledger operations that nobody has asked for.
    case pushedOperations
    /// Operations that were refused or wait for their ancestors, and all that somebody sent who is no member.
    case strangeOperations
    /// Lines of presence, each of which may have this node tell all others of a group.
    case presenceEntries
    /// Exchanges that a digest led to, and that brought nothing.
    case fruitlessRounds
    /// Requests to be let in, certified or befriended: each costs signature checks.
    case requests
    /// Ledgers sent to who is in none: up to 2 MiB for a request of a hundred bytes.
    case ledgerCopies
    /// New requests for friendship, each of which costs an Argon2id and a change on disk.
    case friendRequests
    /// Devices that claim to own a friend code that is looked for: each costs an Argon2id.
    case codeClaims
    /// Datagrams that may be beacons, from one address.
    case beaconsOfSource
    /// The same from all addresses.
    case beacons
}

/// Useless work a peer may cause. Kept of accounts and addresses, so reconnecting does not reset it; in memory only.
struct PeerAbuseBudget: Sendable {
    /// Who pays.
    enum Payer: Hashable, Sendable {
        /// An account, by whichever of its devices and links.
        case account(UserID)
        /// The author of something in a group, no matter which device passes it on.
        case author(UserID, GroupID)
        /// Somebody whose account no ledger here knows: an address, or a network (`Endpoint.network`).
        case source(Endpoint)
        /// All of them together.
        case everybody
    }

    struct Limit: Sendable {
        /// How much is done at once.
        let burst: Int
        /// The time after which one more is.
        let interval: Duration
        /// Whether the link ends over which more comes: no honest peer sends so much.
        var endsLink = false
    }

    /// How much of each is done for one payer.
    static func limit(of work: ChargedWork, pace: RecordPace) -> Limit {
        switch work {
        // A run unpacks into 4,096 records at most: half a second of work at once, then two thousandths of a processor.
        case .forgedRuns: Limit(burst: 256, interval: .seconds(1), endsLink: true)
        // Several peers that serve one history repeat each other, of a million records some. Then a hundredth of a processor.
        case .redundantRecords: Limit(burst: 4 << 20, interval: .microseconds(50), endsLink: true)
        case .newRecords: Limit(burst: pace.burst, interval: .nanoseconds(1_000_000_000 / Int64(max(1, pace.rate))))
        // What is more comes in rounds, many at a time, so that no flood has the ledger resolved for each.
        case .pushedOperations: Limit(burst: 256, interval: .milliseconds(250))
        // A signature check each, some 70 µs.
        case .strangeOperations: Limit(burst: 1_024, interval: .milliseconds(50), endsLink: true)
        // A group of 1,000 that starts says all at once, and again as ways become shorter; then somebody comes or goes every
        // few seconds.
        case .presenceEntries: Limit(burst: 16_384, interval: .milliseconds(50), endsLink: true)
        // Digests differ for a moment whenever two write at the same time.
        case .fruitlessRounds: Limit(burst: 64, interval: .seconds(10))
        // A household behind one address joins at once, and asks again every two seconds until a member knows the invite.
        case .requests: Limit(burst: 64, interval: .seconds(1))
        case .ledgerCopies: Limit(burst: 32, interval: .seconds(20))
        // Of all newcomers together: there is one processor and one disk.
        case .friendRequests: Limit(burst: 8, interval: .seconds(20))
        case .codeClaims: Limit(burst: 4, interval: .seconds(20))
        case .beaconsOfSource: Limit(burst: 40, interval: .milliseconds(100))
        case .beacons: Limit(burst: 200, interval: .milliseconds(20))
        }
    }

    private struct Account: Hashable, Sendable {
        let work: ChargedWork
        let payer: Payer
    }

    /// Addresses remembered for each kind of work: anybody can speak from as many as it likes.
    static let maximumSources = 1_024
    /// From how many buckets on full ones are forgotten, which say nothing.
    private static let leastTidyCount = 1_024

    let pace: RecordPace
    /// Of accounts and authors, which ledgers name, and so bounded as those are.
    private var buckets: [Account: TokenBucket] = [:]
    private var sources: [ChargedWork: SourceLimiter] = [:]
    private var tidyCount = leastTidyCount

    init(pace: RecordPace) { self.pace = pace }

    /// How many payers are remembered.
    var count: Int { buckets.count + sources.values.reduce(0) { $0 + $1.sourceCount } }

    /// Has somebody pay for work. False, and nothing changed, where it has nothing left: the work is not to be done. Who has
    /// anything left may go beyond it by what one message holds, and has to wait the longer then.
    mutating func charge(_ work: ChargedWork, _ count: Int = 1, to payer: Payer, at now: MonotonicInstant) -> Bool {
        if case .source(let endpoint) = payer {
            let fresh = SourceLimiter(bucketLimit(of: work), maximumSources: Self.maximumSources)
            return sources[work, default: fresh].take(endpoint, count, at: now)
        }
        var bucket = bucket(of: work, payer)
        guard bucket.take(count, at: now) else { return false }
        keep(bucket, of: work, payer, at: now)
        return true
    }

    /// When somebody may cause such work again: now, unless it has nothing left.
    func nextTurn(of work: ChargedWork, for payer: Payer, at now: MonotonicInstant) -> MonotonicInstant {
        max(now, buckets[Account(work: work, payer: payer)]?.nextAdmission ?? now)
    }

    // MARK: New records

    /// Packed bytes that weigh as much as a record.
    static let bytesPerRecord = 16
    /// What looking for a run's place costs where there is none, in records: a run that is held may have to be unpacked for it;
    /// where an author has made the branch, it takes a signature check and a look at up to three full runs, some 5 ms.
    static let misplacedWeight = 512

    /// What stored records weigh.
    static func weight(count: Int, packedSize: Int) -> Int { max(count, packedSize / bytesPerRecord) }

    /// Whether an author's records may be asked for, or pushed.
    func isReady(_ author: Payer, at now: MonotonicInstant) -> Bool {
        bucket(of: .newRecords, author).balance(at: now) > 0
    }

    /// Whether a run of an author is taken that comes in answer: such ones may go further than its budget, for they were asked for.
    func takesAnswer(of author: Payer, at now: MonotonicInstant) -> Bool {
        bucket(of: .newRecords, author).balance(at: now) > -pace.overdraft
    }

    /// Has an author pay for records that were taken, whatever it has left.
    mutating func chargeRecords(_ weight: Int, to author: Payer, at now: MonotonicInstant) {
        var bucket = bucket(of: .newRecords, author)
        bucket.overdraw(weight, at: now)
        keep(bucket, of: .newRecords, author, at: now)
    }

    /// When it is worth asking for an author's records again: as many may come as do in a second.
    func nextRecords(of author: Payer, at now: MonotonicInstant) -> MonotonicInstant {
        let lacking = min(pace.rate, pace.burst) - bucket(of: .newRecords, author).balance(at: now)
        return now.advanced(by: bucketLimit(of: .newRecords).interval * max(0, lacking) + .milliseconds(1))
    }

    // MARK: Buckets

    private func bucketLimit(of work: ChargedWork) -> TokenBucket.Limit {
        let limit = Self.limit(of: work, pace: pace)
        return TokenBucket.Limit(burst: limit.burst, interval: limit.interval)
    }

    private func bucket(of work: ChargedWork, _ payer: Payer) -> TokenBucket {
        buckets[Account(work: work, payer: payer)] ?? TokenBucket(bucketLimit(of: work))
    }

    private mutating func keep(
        _ bucket: TokenBucket, of work: ChargedWork, _ payer: Payer, at now: MonotonicInstant
    ) {
        buckets[Account(work: work, payer: payer)] = bucket
        guard buckets.count >= tidyCount else { return }
        buckets = buckets.filter { !$0.value.isFull(at: now) }
        tidyCount = max(Self.leastTidyCount, 2 * buckets.count)
    }
}

extension EngineCore {
    /// Who pays for what comes over a link: the account of the device at its other end, by a group that both know; else the
    /// address that it speaks from.
    func payer(of link: LinkID) -> PeerAbuseBudget.Payer {
        guard let key = sessions[link]?.key else { return .everybody }
        for group in sessions[link]?.groups.keys.sorted() ?? [] {
            if let device = groups[group]?.state.device(linkKey: key) { return .account(device.user) }
        }
        return links.pathSummary(link).map { .source($0.endpoint) } ?? .everybody
    }

    /// Has who sent something over a link pay for it. False where it has nothing left: then the work is not done, and a link
    /// is closed over which no honest peer sends so much.
    mutating func charge(_ work: ChargedWork, _ count: Int = 1, over link: LinkID) -> Bool {
        guard !charge(work, count, to: payer(of: link)) else { return true }
        if PeerAbuseBudget.limit(of: work, pace: budget.pace).endsLink { links.close(link, at: now) }
        return false
    }

    mutating func charge(_ work: ChargedWork, _ count: Int = 1, to payer: PeerAbuseBudget.Payer) -> Bool {
        if budget.charge(work, count, to: payer, at: now) { return true }
        publish(.overBudget(work))
        return false
    }
}
