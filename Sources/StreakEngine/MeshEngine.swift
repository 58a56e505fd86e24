public import StreakCrypto
public import StreakLinks
public import StreakMembership
public import StreakReplication
public import StreakWire

/// The node's mind: everything it decides, and nothing it does.
///
/// Pure. Whatever happens comes in through `handle`, with the time; what is to be done goes out, in order. The shell
/// performs outputs in that order; what depends on a stored change is put out only after `changeStored`.
public struct MeshEngine: Sendable {
    public let identity: DeviceIdentity
    public internal(set) var store: StoreID

    var entropy: InjectedEntropy
    var links: Links
    var groups = SortedTable<GroupID, GroupReplica>()
    var sessions = SessionTable()
    var cursors: [CursorKey: Cursor] = [:]
    var rumours = Rumours()
    /// Who is online, by group.
    var presence: [GroupID: Presence] = [:]
    var pacing: Pacing
    /// By the link keys of devices that have shared a group: no more than its ledger has.
    var conduct: [AgreementPublicKey: Conduct] = [:]
    var dialler = Dialler()
    var discovery = Discovery()
    var joins: [CommandID: JoinAttempt] = [:]
    /// Machines being linked here, by the command that asked.
    var deviceIntakes: [CommandID: DeviceIntake] = [:]
    /// Groups in which this user goes by an alias: their members are not asked to be friends, for a request names its
    /// asker.
    public var aliasGroups: Set<GroupID> = []
    var friends = FriendRequests()
    /// Groups of this account that friends know, and into which its user has not decided to come back.
    var returns: [GroupID: HeldReturn] = [:]
    var settings: [String: [UInt8]]
    /// Groups that this device has left without anybody having heard of it yet.
    var farewells: Set<GroupID> = []
    /// Groups that this device is in no more, and whose records by others are gone.
    var lost: Set<GroupID> = []
    /// What members said last of their copies, also while they are away; in memory only.
    var told: [CursorKey: ToldState] = [:]
    var nextArrival: UInt64
    /// The last arrival that is on disk: what peers are told, so that no number they keep is ever given twice.
    var storedArrival: UInt64
    var arrivalOfChange: [ChangeID: UInt64] = [:]
    var nextChange: UInt64 = 1
    /// What follows once a change is on disk.
    var deferred: [ChangeID: [Deferred]] = [:]
    /// Groups whose digest is to be told to every link soon, and when.
    var announcements: [GroupID: MonotonicInstant] = [:]
    /// Groups that have changed, and when links are looked at on which that is not known yet.
    var comparisons: [GroupID: MonotonicInstant] = [:]
    var unfitRuns: [RunKey] = []
    /// What the start has changed, to be stored with the first input.
    var startChange = DurableChange()
    /// When keepalives are to say what they should now.
    var keepaliveRefresh: MonotonicInstant?
    /// Where others may reach this node; while it is not running, where they last could.
    var ownEndpoints: [Endpoint] = []
    var publishedDigests: [GroupID: GroupDigest] = [:]
    var outputs: [EngineOutput] = []
    var now: MonotonicInstant = .zero
    var wall: WallTime

    struct CursorKey: Hashable, Comparable, Sendable {
        let group: GroupID
        let peer: DeviceID
        static func < (left: CursorKey, right: CursorKey) -> Bool {
            (left.group, left.peer) < (right.group, right.peer)
        }
    }

    /// What a member said of its copy of a group.
    struct ToldState: Sendable {
        let digest: GroupDigest
        let recordCount: UInt64
    }

    /// Work that waits for a change to be on disk.
    enum Deferred: Sendable {
        case complete(CommandID, CommandOutcome)
        case publish(EngineEvent)
        case pushRun(GroupID, Run)
        case greet(LinkID)
        case continueRound(LinkID, GroupID)
        case passOnOperations(GroupID, [SignedOperation], except: LinkID?)
        case authorise(GroupID)
        case digestMoved(GroupID)
        case publishRevocations(GroupID)
        case welcome(LinkID, GroupID)
        case refuseJoin(LinkID, JoinRefusal)
        case sayFarewell(GroupID)
        case introduceDevice(LinkID, DeviceCertificate)
        case answerFriend(UserID)
    }

    /// The setting by which a store learns that none of its old epochs is written any more.
    static let epochsRenewedSetting = "epochs-renewed"
    /// How long digests are gathered before links are told, so that a burst costs one message.
    static let announcementDelay: Duration = .milliseconds(20)
    /// How long after a change a link is looked at on which it is not known yet, and how long a difference may last while
    /// nothing is under way.
    static let comparisonDelay: Duration = .milliseconds(800)

    /// Starts from what a store holds. `damaged` in the result names stored runs or operations that do not fit and were
    /// left out; peers will send them again.
    public init(
        snapshot: Snapshot, identity: DeviceIdentity, entropy: any EntropySource, wallTime: WallTime,
        linkLimits: LinkLimits = LinkLimits(), recordPace: RecordPace = RecordPace()
    ) {
        self.identity = identity
        pacing = Pacing(recordPace)
        self.entropy = InjectedEntropy(entropy)
        store = snapshot.store
        // What a store counts in: whatever it says, the next number follows one and can be followed.
        nextArrival = min(max(1, snapshot.nextArrival), UInt64(Int64.max))
        storedArrival = nextArrival - 1
        settings = snapshot.settings
        wall = wallTime
        links = Links(staticKey: identity.linkKey, limits: linkLimits)
        restore(snapshot)
        restoreFriends()
        for address in snapshot.addresses { dialler.remember(address) }
        refreshKeys()
    }

    /// The engine's one entry: takes in what happened at an instant and a wall-clock reading, and answers with all that
    /// is to be done. Instants never go back; wall-clock readings may.
    public mutating func handle(
        _ input: EngineInput, at instant: MonotonicInstant, wallTime: WallTime
    ) -> [EngineOutput] {
        now = max(now, instant)
        wall = wallTime
        if !startChange.isEmpty {
            persist(startChange)
            startChange = DurableChange()
        }
        switch input {
        case .link(let input):
            if case .datagramReceived(let bytes, let endpoint) = input, handleBeacon(bytes, from: endpoint) { break }
            links.handle(input, at: now, entropy: &entropy)
        case .beaconReceived(let bytes, let endpoint):
            _ = handleBeacon(bytes, from: endpoint)
        case .listening(let port, let addresses, let usesDiscovery):
            keepOwnEndpoints(addresses)
            startNetwork(port: port, usesDiscovery: usesDiscovery)
        case .networkChanged(let addresses):
            keepOwnEndpoints(addresses)
            networkChanged()
        case .command(let id, let command):
            handle(command, id: id)
        case .codeDerived(let user, let code):
            codeDerived(code, of: user)
        case .changeStored(let change):
            storedArrival = max(storedArrival, arrivalOfChange.removeValue(forKey: change) ?? 0)
            for work in deferred.removeValue(forKey: change) ?? [] { perform(work) }
        case .deadlineReached:
            links.handle(.deadlineReached, at: now, entropy: &entropy)
        }
        runTimers()
        processLinkEvents()
        sendQueued()
        processLinkEvents()
        sessions.refresh()
        defer { outputs = [] }
        return outputs
    }

    /// When `deadlineReached` is due next; nil where nothing waits for time to pass.
    public var nextDeadline: MonotonicInstant? {
        var candidates = [links.nextDeadline, rumours.nextDeadline]
        candidates += [announcements.values.min(), comparisons.values.min()]
        candidates.append(dialler.isStarted ? dialler.nextDeadline : nil)
        candidates.append(discovery.nextDeadline)
        candidates.append(keepaliveRefresh)
        candidates.append(nextFriendDeadline)
        candidates.append(joins.values.map(\.nextDeadline).min())
        candidates.append(sessions.deadline)
        // The least of all is the same in any order.
        candidates.append(presence.values.lazy.compactMap(\.due).min())
        for group in groups.values { candidates.append(group.nextRelease(at: now, wall: wall)) }
        return candidates.compactMap { $0 }.min()
    }

    private mutating func runTimers() {
        for (link, message) in dueRumours() { sendDatagram(message, over: link) }
        for group in announcements.keys.sorted() where announcements[group].map({ $0 <= now }) ?? false {
            announcements[group] = nil
            tellDigest(of: group, except: nil)
        }
        for group in comparisons.keys.sorted() where comparisons[group].map({ $0 <= now }) ?? false {
            comparisons[group] = nil
            settleDifferences(in: group)
        }
        for group in groups.keys { releaseQuarantined(of: group) }
        if let due = keepaliveRefresh, due <= now { refreshKeepalives() }
        if sessions.areDue(at: now) {
            endOverdueRounds()
            resumeRounds()
            actOnDifferences()
            closeLinksOfStrangers()
        }
        endOverdueJoins()
        pursueFriends()
        dialWhoIsDue()
        announcePresence()
        tellPresence()
    }

    private mutating func releaseQuarantined(of group: GroupID) {
        var change = DurableChange()
        let released = groups[group]?.releaseQuarantined(at: now, wall: wall) ?? (changes: [], removed: [])
        leaveOut(released.removed, change: &change)
        leaveOut(groups[group]?.rebuildIfStale(at: now, wall: wall) ?? [], change: &change)
        if groups[group]?.takeReset() ?? false { publish(.recordsReset(group)) }
        if !released.changes.isEmpty { publish(.recordsMerged(group, released.changes)) }
        if !change.isEmpty { persist(change) }
    }

    // MARK: Output

    mutating func publish(_ event: EngineEvent) {
        outputs.append(.publish(event))
    }

    /// Puts out a transaction and what follows it. What follows an empty one waits for those under way, if any: changes
    /// are stored in the order in which they were put out.
    mutating func persist(_ change: DurableChange, then work: [Deferred] = []) {
        guard !change.isEmpty else {
            let last = ChangeID(number: nextChange - 1)
            if deferred[last] != nil {
                deferred[last]?.append(contentsOf: work)
            } else {
                for item in work { perform(item) }
            }
            return
        }
        let id = ChangeID(number: nextChange)
        nextChange += 1
        deferred[id] = work
        arrivalOfChange[id] = nextArrival - 1
        outputs.append(.persist(change, id))
    }

    mutating func takeArrival() -> UInt64 {
        defer { nextArrival += 1 }
        return nextArrival
    }

    private mutating func perform(_ work: Deferred) {
        switch work {
        case .complete(let id, let outcome):
            outputs.append(.complete(id, outcome))
        case .publish(let event):
            publish(event)
        case .pushRun(let group, let run):
            push(run, in: group, except: nil)
        case .passOnOperations(let group, let operations, let source):
            push(operations, in: group, except: source)
        case .authorise(let group):
            refreshAuthorisation(of: group)
        case .publishRevocations(let group):
            publishRevocations(in: group)
        case .digestMoved(let group):
            publishDigest(of: group)
            refreshKeepalivesSoon()
            if comparisons[group] == nil { comparisons[group] = now.advanced(by: Self.comparisonDelay) }
        case .welcome(let link, let group):
            welcome(to: group, over: link)
        case .refuseJoin(let link, let reason):
            refuseJoin(reason, over: link)
        case .sayFarewell(let group):
            for link in sessions.keys { sayFarewell(to: group, over: link) }
        case .introduceDevice(let link, let certificate):
            introduceDevice(certificate, over: link)
        case .answerFriend(let user):
            answerFriend(user)
        case .greet(let link):
            greet(link)
        case .continueRound(let link, let group):
            continueRound(link, group)
        }
    }

    /// Tells the shell a group's digest where it is another than last told.
    mutating func publishDigest(of group: GroupID) {
        guard let digest = groups[group]?.digest, publishedDigests[group] != digest else { return }
        publishedDigests[group] = digest
        publish(.digestChanged(group, digest))
    }

    mutating func sendDatagram(_ message: [UInt8], over link: LinkID) {
        links.send(message, over: link, as: .rumour, at: now)
    }

    mutating func randomNumber(below bound: Int) -> Int {
        let bytes = entropy.bytes(8)
        let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(value % UInt64(max(1, bound)))
    }
}
