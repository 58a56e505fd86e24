import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What all machines of the engine share: this device, its copies of the groups, the links, the clock, chance, and what is to
/// be stored and done.
///
/// Machines change it while they handle something. What concerns another machine they `post`; the engine routes that once
/// they have returned.
struct EngineCore: Sendable {
    let identity: DeviceIdentity
    var store: StoreID
    var entropy: InjectedEntropy
    var links: Links
    var groups = SortedTable<GroupID, GroupReplica>()
    var sessions = SessionTable()
    /// What others may still have this node do.
    var budget: PeerAbuseBudget
    var settings: [String: [UInt8]]
    var places = Places()
    var journal: Journal
    /// Runs of the store that did not fit what precedes them.
    var unfitRuns: [RunKey] = []
    var network = Network()
    /// Whether the keys by which links and beacons are known are to be worked out again.
    var keysAreStale = true
    var outputs: [EngineOutput] = []
    /// What machines have left for the engine to route, in order.
    private var posted = Fifo<Work>()
    var now: MonotonicInstant = .zero
    var wall: WallTime

    /// Groups in which this device has no place any more.
    struct Places: Sendable {
        /// Left, without anybody having heard of it yet.
        var farewells: Set<GroupID> = []
        /// Lost: their records by others are gone.
        var lost: Set<GroupID> = []
    }

    /// What is known of the machine's network.
    struct Network: Sendable {
        /// Whether this node takes packets.
        var isStarted = false
        /// Whether it may call the local networks.
        var callsNetworks = false
        var port: UInt16 = 0
        /// Where others may reach this node; while it is not running, where they last could.
        var ownEndpoints: [Endpoint] = []
        /// Addresses that the user named.
        var namedEndpoints: [Endpoint] = []
    }

    /// What is on its way to the disk.
    struct Journal: Sendable {
        var nextArrival: UInt64
        /// The last arrival that is on disk: what peers are told, so that no number they keep is ever given twice.
        var storedArrival: UInt64
        var arrivals: [ChangeID: UInt64] = [:]
        var nextChange: UInt64 = 1
        /// What follows once a change is on disk.
        var deferred: [ChangeID: [Work]] = [:]
        /// What the start has changed, to be stored with the first input.
        var startChange = DurableChange()
        /// What the shell was told of each group last.
        var publishedDigests: [GroupID: GroupDigest] = [:]
    }

    /// The setting by which a store learns that none of its old epochs is written any more.
    static let epochsRenewedSetting = "epochs-renewed"

    init(
        snapshot: Snapshot, identity: DeviceIdentity, entropy: any EntropySource, wallTime: WallTime,
        linkLimits: LinkLimits, recordPace: RecordPace, ledgers: [GroupID: Ledger]
    ) {
        self.identity = identity
        budget = PeerAbuseBudget(pace: recordPace)
        self.entropy = InjectedEntropy(entropy)
        store = snapshot.store
        // What a store counts in: whatever it says, the next number follows one and can be followed.
        let nextArrival = min(max(1, snapshot.nextArrival), UInt64(Int64.max))
        journal = Journal(nextArrival: nextArrival, storedArrival: nextArrival - 1)
        settings = snapshot.settings
        wall = wallTime
        links = Links(staticKey: identity.linkKey, limits: linkLimits)
        restore(snapshot, ledgers: ledgers)
    }

    // MARK: Routing

    /// Leaves something for another machine.
    mutating func post(_ work: Work) { posted.append(work) }

    /// What is to be routed next.
    mutating func takePosted() -> Work? { posted.popFirst() }

    // MARK: Output

    mutating func publish(_ event: EngineEvent) {
        outputs.append(.publish(event))
    }

    /// Tells who gave a command how it ended: the shell, or the machine that began it by itself.
    mutating func complete(_ id: CommandID, _ outcome: CommandOutcome) {
        if id.isOwn { post(.ownCommandEnded(id, outcome)) } else { outputs.append(.complete(id, outcome)) }
    }

    /// Tells the shell a group's digest where it is another than last told.
    mutating func publishDigest(of group: GroupID) {
        guard let digest = groups[group]?.digest, journal.publishedDigests[group] != digest else { return }
        journal.publishedDigests[group] = digest
        publish(.digestChanged(group, digest))
    }

    // MARK: Storing

    /// Puts out a transaction and what follows it. What follows an empty one waits for those under way, if any: changes
    /// are stored in the order in which they were put out.
    mutating func persist(_ change: DurableChange, then work: [Work] = []) {
        guard !change.isEmpty else {
            let last = ChangeID(number: journal.nextChange - 1)
            if journal.deferred[last] != nil {
                journal.deferred[last]?.append(contentsOf: work)
            } else {
                for item in work { post(item) }
            }
            return
        }
        let id = ChangeID(number: journal.nextChange)
        journal.nextChange += 1
        journal.deferred[id] = work
        journal.arrivals[id] = journal.nextArrival - 1
        outputs.append(.persist(change, id))
    }

    /// Puts out what the start has changed.
    mutating func persistStart() {
        guard !journal.startChange.isEmpty else { return }
        persist(journal.startChange)
        journal.startChange = DurableChange()
    }

    /// A change is on disk: what waited for it goes on.
    mutating func stored(_ change: ChangeID) {
        journal.storedArrival = max(journal.storedArrival, journal.arrivals.removeValue(forKey: change) ?? 0)
        for work in journal.deferred.removeValue(forKey: change) ?? [] { post(work) }
    }

    mutating func takeArrival() -> UInt64 {
        defer { journal.nextArrival += 1 }
        return journal.nextArrival
    }

    /// Keeps a small named value, or forgets it where it is empty.
    mutating func storeSetting(_ name: String, _ value: [UInt8], then work: [Work] = []) {
        settings[name] = value.isEmpty ? nil : value
        var change = DurableChange()
        change.settings[name] = value
        persist(change, then: work)
    }

    // MARK: Chance

    mutating func randomNumber(below bound: Int) -> Int {
        let bytes = entropy.bytes(8)
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(value % UInt64(max(1, bound)))
    }
}
