import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Limited work that others can cause. It may be useless, or come too fast.
public enum ChargedWork: String, CaseIterable, Sendable {
    /// Runs that no honest device passes on: malformed, or with a wrong signature.
    case forgedRuns
    /// Records that were unpacked but were held already, or connect to nothing.
    case redundantRecords
    /// Records that were verified and are new.
    case newRecords
    /// Ledger operations that nobody asked for.
    case pushedOperations
    /// Operations that were refused or wait for ancestors, and everything sent by somebody who is not a member.
    case strangeOperations
    /// Entries of presence; each may make this node tell all others of a group.
    case presenceEntries
    /// Exchanges that a digest started and that brought nothing.
    case fruitlessRounds
    /// Bytes said in answer to a peer, beyond one copy of what is here for each device; looking for them counts as well.
    case answers
    /// Requests to be admitted, certified or befriended. Each costs signature checks.
    case requests
    /// Ledgers sent to somebody who is in none: up to 2 MiB for a request of a hundred bytes.
    case ledgerCopies
    /// Groups handed to another machine of this account, ledgers and keys.
    case handedGroups
    /// Groups that another machine of this account hands over: each is stored, and told to everybody who is linked.
    case receivedGroups
    /// New requests for friendship, each of which costs an Argon2id and a change on disk.
    case friendRequests
    /// Devices that claim to own a friend code that this node looks for. Each costs an Argon2id.
    case codeClaims
    /// Datagrams that may be beacons, from one address.
    case beaconsOfSource
    /// The same from all addresses.
    case beacons
    /// Whereabouts that a peer tells: each new one costs a signature check, and is stored and passed on.
    case whereabouts
    /// New whereabouts of one device.
    case newWhereabouts
    /// Whereabouts of one device that have this node dial it: it may have named somebody else's address.
    case dialsToWhereabouts
    /// Messages by which this node dials an address that whereabouts name, without the small hop limit. Many devices may
    /// name one victim.
    case messagesToWhereabouts
    /// What one device says about where this one's datagrams come from.
    case seenEndpoints
    /// Datagrams by which this node dials beyond the local network, to addresses that nobody here has named.
    case dialsBeyondLAN
}

/// Limits the useless work that others may cause. It counts accounts and addresses, so a new link resets nothing. In
/// memory only.
struct PeerAbuseBudget: Sendable {
    /// Who pays.
    enum Payer: Hashable, Sendable {
        /// An account, over all its devices and links.
        case account(UserID)
        /// The author of something in a group, whichever device passes it on.
        case author(UserID, GroupID)
        /// One device of a ledger, whichever peer tells of it.
        case device(DeviceID)
        /// An address, or a network (`Endpoint.network`), where no ledger here knows the account.
        case source(Endpoint)
        /// All senders together.
        case everybody
    }

    struct Limit: Sendable {
        /// How much may be done at once.
        let burst: Int
        /// After how long one more is allowed.
        let interval: Duration
        /// Whether going over the limit closes the link: no honest peer sends so much.
        var endsLink = false
    }

    /// The limit of each kind of work for one payer.
    static func limit(of work: ChargedWork, pace: RecordPace) -> Limit {
        switch work {
        // A run unpacks into 4,096 records at most. This allows half a second of work at once, then 0.2 % of a
        // processor.
        case .forgedRuns: Limit(burst: 256, interval: .seconds(1), endsLink: true)
        // Peers that serve the same history repeat each other, some of them a million records. Then 1 % of a processor.
        case .redundantRecords: Limit(burst: 4 << 20, interval: .microseconds(50), endsLink: true)
        case .newRecords: Limit(burst: pace.burst, interval: .nanoseconds(1_000_000_000 / Int64(max(1, pace.rate))))
        // The rest comes in rounds, many at a time, so a flood cannot make the ledger resolve for each one.
        case .pushedOperations: Limit(burst: 256, interval: .milliseconds(250))
        // A signature check each, some 70 µs.
        case .strangeOperations: Limit(burst: 1_024, interval: .milliseconds(50), endsLink: true)
        // A group of 1,000 that starts reports everything at once, and again as routes become shorter. Later somebody
        // comes or goes every few seconds.
        case .presenceEntries: Limit(burst: 16_384, interval: .milliseconds(50), endsLink: true)
        // Digests differ for a moment whenever two write at the same time.
        case .fruitlessRounds: Limit(burst: 64, interval: .seconds(10))
        // What a peer asks for while it catches up is nearly all free. Tips are not, nor what an interrupted exchange asks for again.
        case .answers: Limit(burst: 64 << 20, interval: .microseconds(30))
        // A household behind one address joins at once, and asks every two seconds until a member knows the invite.
        case .requests: Limit(burst: 64, interval: .seconds(1))
        case .ledgerCopies: Limit(burst: 32, interval: .seconds(20))
        // A new machine gets its groups by linking. Later ones come one by one, and at once after a time apart.
        case .handedGroups: Limit(burst: 32, interval: .seconds(5))
        // More than an honest machine hands over, so none of its groups is refused, except after its restart: it has
        // forgotten then how many it sent.
        case .receivedGroups: Limit(burst: 64, interval: .seconds(4))
        // For all newcomers together, because there is one processor and one disk.
        case .friendRequests: Limit(burst: 8, interval: .seconds(20))
        case .codeClaims: Limit(burst: 4, interval: .seconds(20))
        case .beaconsOfSource: Limit(burst: 40, interval: .milliseconds(100))
        case .beacons: Limit(burst: 200, interval: .milliseconds(20))
        // A new link tells 512 at most. Then a group of 1,000 says 0.6 a second.
        case .whereabouts: Limit(burst: 2_048, interval: .milliseconds(50))
        // A device says so twice at once and then once a minute, also after a restart, and news may come by ways of different
        // length.
        case .newWhereabouts: Limit(burst: 5, interval: .seconds(60))
        // Six in any hour: five full messages each, to four endpoints.
        case .dialsToWhereabouts: Limit(burst: 3, interval: .seconds(1_200))
        // Three dials of four ports, and as many as one device causes in an hour. A household has one address, and is
        // found at the first dial.
        case .messagesToWhereabouts: Limit(burst: 60, interval: .seconds(60))
        case .seenEndpoints: Limit(burst: 3, interval: .seconds(60))
        // Sixty in any second.
        case .dialsBeyondLAN: Limit(burst: 30, interval: .nanoseconds(33_333_334))
        }
    }

    private struct Account: Hashable, Sendable {
        let work: ChargedWork
        let payer: Payer
    }

    /// Addresses remembered for each kind of work. Anybody can send from as many as they like.
    static let maximumSources = 1_024
    /// Above this many buckets, full ones are forgotten: they hold no information.
    private static let leastTidyCount = 1_024

    let pace: RecordPace
    /// Accounts and authors come from ledgers, so their number is bounded.
    private var buckets: [Account: TokenBucket] = [:]
    private var sources: [ChargedWork: SourceLimiter] = [:]
    private var tidyCount = leastTidyCount

    init(pace: RecordPace) { self.pace = pace }

    /// How many payers are remembered.
    var count: Int { buckets.count + sources.values.reduce(0) { $0 + $1.sourceCount } }

    /// Charges a payer for work. False, and nothing changes, if its budget is empty: do not do the work. A payer that
    /// has anything left may overdraw by as much as one message holds, and waits longer afterwards.
    mutating func charge(_ work: ChargedWork, _ count: Int = 1, to payer: Payer, at now: MonotonicInstant) -> Bool {
        if case .source(let endpoint) = payer {
            let fresh = SourceLimiter(bucketLimit(of: work), maximumSources: Self.maximumSources)
            return sources[work, default: fresh].take(endpoint, count, at: now)
        }
        var bucket = bucket(of: work, payer)
        guard bucket.take(count, at: now) else { return false }
        setBucket(bucket, of: work, payer, at: now)
        return true
    }

    /// The same, but only where there is enough for all of it.
    mutating func chargeAll(_ work: ChargedWork, _ count: Int, to payer: Payer, at now: MonotonicInstant) -> Bool {
        bucket(of: work, payer).balance(at: now) >= count && charge(work, count, to: payer, at: now)
    }

    /// Whether a payer has anything left for such work, which is charged once it is known how much it was.
    func admits(_ work: ChargedWork, of payer: Payer, at now: MonotonicInstant) -> Bool {
        if case .source(let endpoint) = payer { return sources[work]?.admits(endpoint, at: now) ?? true }
        return bucket(of: work, payer).admits(at: now)
    }

    /// When a payer may cause such work again: now, unless its budget is empty.
    func nextTurn(of work: ChargedWork, for payer: Payer, at now: MonotonicInstant) -> MonotonicInstant {
        max(now, buckets[Account(work: work, payer: payer)]?.nextAdmission ?? now)
    }

    // MARK: New records

    /// Bytes of a record, unpacked, that are charged as another result.
    static let bytesPerRecord = 64
    /// The charge for a record of another kind: one of few bytes takes some 350 bytes of memory, a result 80.
    static let weightOfOtherKinds = 4
    /// The charge, in records, for looking for the place of a run that connects to nothing. A held run may have to be
    /// unpacked for it. If an author made the branch, it takes a signature check and a search of up to three full runs,
    /// some 5 ms.
    static let misplacedWeight = 512

    /// The charge for stored records, in results: what they take in memory, however small they were packed.
    static func weight(of records: RecordList) -> Int {
        records.reduce(0) { sum, record in
            let isResult = record.first == RecordKind.dailyScore.rawValue
            return sum + (isResult ? 1 : weightOfOtherKinds) + record.count / bytesPerRecord
        }
    }

    /// Whether an author's records may be asked for, or pushed.
    func isReady(_ author: Payer, at now: MonotonicInstant) -> Bool {
        bucket(of: .newRecords, author).balance(at: now) > 0
    }

    /// Whether to accept a requested run of an author. Requested runs may overdraw the author's budget.
    func takesAnswer(of author: Payer, at now: MonotonicInstant) -> Bool {
        bucket(of: .newRecords, author).balance(at: now) > -pace.overdraft
    }

    /// Charges an author for accepted records, whatever is left of its budget.
    mutating func chargeRecords(_ weight: Int, to author: Payer, at now: MonotonicInstant) {
        var bucket = bucket(of: .newRecords, author)
        bucket.overdraw(weight, at: now)
        setBucket(bucket, of: .newRecords, author, at: now)
    }

    /// When to ask for an author's records again: once its budget has a second's worth of records.
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

    private mutating func setBucket(
        _ bucket: TokenBucket, of work: ChargedWork, _ payer: Payer, at now: MonotonicInstant
    ) {
        buckets[Account(work: work, payer: payer)] = bucket
        guard buckets.count >= tidyCount else { return }
        buckets = buckets.filter { !$0.value.isFull(at: now) }
        tidyCount = max(Self.leastTidyCount, 2 * buckets.count)
    }
}

extension EngineCore {
    /// Who pays for what comes over a link: the account of the device at its other end, if both know a common group;
    /// otherwise the address it sends from.
    func payer(of link: LinkID) -> PeerAbuseBudget.Payer {
        guard let key = sessions[link]?.key else { return .everybody }
        for group in sessions[link]?.groups.keys.sorted() ?? [] {
            if let device = groups[group]?.state.device(linkKey: key) { return .account(device.user) }
        }
        return links.pathSummary(link).map { .source($0.endpoint) } ?? .everybody
    }

    /// Charges the sender of something that came over a link. False if its budget is empty: then the work is not done,
    /// and the link is closed if no honest peer sends so much.
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
