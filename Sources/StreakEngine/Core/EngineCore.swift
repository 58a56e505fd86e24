import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What all machines of the engine share: this device, its copies of the groups, the links, the clock, randomness, and
/// what is to be stored and done.
///
/// Machines change it while they handle something. What concerns another machine they `post`; the engine routes that
/// once they have returned.
struct EngineCore: Sendable {
    let identity: DeviceIdentity
    var store: StoreID
    var entropy: InjectedEntropy
    var links: Links
    var groups = SortedTable<GroupID, GroupReplica>()
    /// The account's private group; nil before the account has made it.
    var privateGroup: GroupID?
    var accountWord: AccountWord
    var sessions = SessionTable()
    /// How much useless work others may still cause.
    var budget: PeerAbuseBudget
    var answers = AnswerMeter()
    var settings: [String: [UInt8]]
    /// What this machine alone keeps, as the changes that were put out leave it.
    private(set) var local: LocalRows
    var places = Places()
    var journal: Journal
    /// Stored runs that did not fit their predecessors.
    var unfitRuns: [RunKey] = []
    var network = Network()
    /// Whether the keys that identify links and beacons have to be worked out again.
    var keysAreStale = true
    var outputs: [EngineOutput] = []
    /// The machines' posted work, in order.
    private var posted = Fifo<Work>()
    var now: MonotonicInstant = .zero
    var wall: WallTime

    /// Groups in which this device no longer has a place.
    struct Places: Sendable {
        /// This device has left, and nobody has heard so yet.
        var farewells: Set<GroupID> = []
        /// This device has lost its place, and the records of others are deleted.
        var lost: Set<GroupID> = []
    }

    /// What the engine knows of the machine's network.
    struct Network: Sendable {
        /// Whether this node receives packets.
        var isStarted = false
        /// Whether it may send beacons on the local networks.
        var callsNetworks = false
        var port: UInt16 = 0
        /// Where others may reach this node, or last could before it stopped.
        var ownEndpoints: [Endpoint] = []
        /// Addresses that the user named.
        var namedEndpoints: [Endpoint] = []
    }

    /// Changes on their way to the disk.
    struct Journal: Sendable {
        var nextArrival: UInt64
        /// The last arrival that is on disk. Peers are told this one, so that no number that they keep is used twice.
        var storedArrival: UInt64
        var arrivals: [ChangeID: UInt64] = [:]
        var nextChange: UInt64 = 1
        /// The work that follows once a change is on disk.
        var deferred: [ChangeID: [Work]] = [:]
        /// Changes made at start, stored with the first input.
        var startChange = DurableChange()
        /// The digest of each group that the shell was last told.
        var publishedDigests: [GroupID: GroupDigest] = [:]
    }

    /// The setting that says that this store continues none of its old epochs.
    static let epochsRenewedSetting = "epochs-renewed"

    init(
        snapshot: Snapshot, identity: DeviceIdentity, entropy: any EntropySource, wallTime: WallTime,
        linkLimits: LinkLimits, recordPace: RecordPace, ledgers: [GroupID: Ledger]
    ) {
        self.identity = identity
        accountWord = AccountWord(of: identity.user)
        budget = PeerAbuseBudget(pace: recordPace)
        self.entropy = InjectedEntropy(entropy)
        store = snapshot.store
        // Clamped, whatever a store says, so that every arrival has a predecessor and a successor.
        let nextArrival = min(max(1, snapshot.nextArrival), UInt64(Int64.max))
        journal = Journal(nextArrival: nextArrival, storedArrival: nextArrival - 1)
        settings = snapshot.settings
        local = snapshot.local
        wall = wallTime
        links = Links(staticKey: identity.linkKey, limits: linkLimits)
        restore(snapshot, ledgers: ledgers)
    }

    // MARK: Routing

    /// Leaves work for another machine.
    mutating func post(_ work: Work) { posted.append(work) }

    /// The next work to route.
    mutating func takePosted() -> Work? { posted.popFirst() }

    // MARK: Output

    mutating func publish(_ event: EngineEvent) {
        outputs.append(.publish(event))
    }

    /// Reports how a command ended, to the shell or to the machine that gave it.
    mutating func complete(_ id: CommandID, _ outcome: CommandOutcome) {
        if id.isOwn { post(.ownCommandEnded(id, outcome)) } else { outputs.append(.complete(id, outcome)) }
    }

    /// Tells the shell a group's digest if it has changed, after the news that was posted before.
    mutating func publishDigest(of group: GroupID) {
        guard let digest = groups[group]?.digest, journal.publishedDigests[group] != digest else { return }
        journal.publishedDigests[group] = digest
        post(.publish(.digestChanged(group, digest)))
    }

    // MARK: Storing

    /// Puts out a transaction and the work that follows it. If it is empty, the work waits for earlier transactions, if
    /// any: changes are stored in the order in which they were put out.
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
        local.apply(change)
        let id = ChangeID(number: journal.nextChange)
        journal.nextChange += 1
        journal.deferred[id] = work
        journal.arrivals[id] = journal.nextArrival - 1
        outputs.append(.persist(change, id))
    }

    /// Puts out the changes made at start.
    mutating func persistStart() {
        guard !journal.startChange.isEmpty else { return }
        persist(journal.startChange)
        journal.startChange = DurableChange()
    }

    /// A change is on disk: runs the work that waited for it.
    mutating func stored(_ change: ChangeID) {
        journal.storedArrival = max(journal.storedArrival, journal.arrivals.removeValue(forKey: change) ?? 0)
        for work in journal.deferred.removeValue(forKey: change) ?? [] { post(work) }
    }

    mutating func takeArrival() -> UInt64 {
        defer { journal.nextArrival += 1 }
        return journal.nextArrival
    }

    /// Keeps a named value, or deletes it if `value` is empty.
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
