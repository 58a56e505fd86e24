import StreakCrypto
import StreakEngine
public import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Nodes with their networks and disks, driven by one clock. Everything follows from the seed.
///
/// The nodes run the same engine as real nodes. Only sockets, clocks, randomness and disks are simulated.
public struct Simulation: Sendable {
    enum Event: Sendable {
        case datagram([UInt8], from: Endpoint, to: Int)
        /// Reaches the outermost router of a home, or nobody.
        case routed([UInt8], Internet.Departure, to: Endpoint)
        case beacon([UInt8], from: Endpoint, to: Int)
        case stream(LinkInput, to: Int, life: Int)
        case stored(ChangeID, at: Int, life: Int)
        case derived(FriendCode, of: UserID, at: Int, life: Int)
        case noticeFound([UInt8], Bytes32, at: Int, life: Int)
        case noticeSearched(Bytes32, at: Int, life: Int)
        case putFailed(at: Int, life: Int)
        case wake(Int, life: Int)
        case restart(Int, life: Int)
        case write(Int)
        case say(Int)
        case askForPort(Int, life: Int)
        case askWitnesses(Int, life: Int)
        case changeAddress(of: Int)
        case strangerSends(Int, to: Int)
    }

    /// The wall clock at the start of a node whose clock is right, in milliseconds since 1970.
    static let firstWallTime: Int64 = 1_795_000_000_000
    static let port: UInt16 = 7_420
    /// How often one engine may wake up at one instant before it counts as spinning.
    static let maximumWakes = 64

    public let seed: UInt64
    public internal(set) var now: MonotonicInstant = .zero
    var nodes: [SimulatedNode] = []
    var network: SimulatedNetwork
    var queue = EventQueue<Event>()
    var random: SimulatedRandom
    var trace = TraceHash()
    var ground = GroundTruth()
    /// Nodes that run, or ran, a hostile program.
    var liars: Set<Int> = []
    /// The address of each node; behind a router, the one reachable only from its own LAN.
    var nodeByEndpoint: [Endpoint: Int] = [:]
    var safety = SafetyChecker()
    /// Whether states are checked during the run. Measurements switch this off.
    var checksSafety = true
    /// Nodes whose state may have changed since the last check, and the time of the next check.
    var changedNodes: Set<Int> = []
    var nextMoment: MonotonicInstant = .zero
    /// Counts events that may change agreement or presence.
    private(set) var changeCount = 0
    var liveness = LivenessChecker()
    /// Ledgers in nodes' stores that were verified before; only used by measurements.
    var ledgers: [GroupID: Ledger] = [:]
    /// Called when results become visible, for measurements.
    var visibility: VisibilityMeter?
    private var lastCommand: UInt64 = 0
    /// The first failure.
    private(set) var failure: (reason: String, kind: SimulationFailure.Kind)?
    /// Called for every step, for a trace.
    var onTrace: (@Sendable (String) -> Void)?

    init(seed: UInt64, profile: LinkProfile) {
        self.seed = seed
        random = SimulatedRandom(seed: seed)
        network = SimulatedNetwork(profile: profile)
    }

    /// A hash of everything that has happened; equal for two runs of one scenario and seed.
    public var traceHash: UInt64 { trace.value }

    // MARK: Nodes

    /// Adds a node that is down. Its device is its own or another node's; so is its account.
    mutating func addNode(
        at place: Scenario.Place = .lan(0), clockLead: Duration = .zero, deviceOf twin: Int? = nil,
        accountOf relative: Int? = nil
    ) {
        let index = nodes.count
        var entropy = SeededEntropy(seed: seed &* 1_000_003 &+ UInt64(index))
        let fresh = SigningSecretKey.generate(from: &entropy)
        let account = (relative ?? twin).map { nodes[$0].accountKey } ?? fresh
        let own = DeviceIdentity.create(accountKey: account, from: &entropy)
        let site = makeSite(of: index, at: place)
        nodes.append(
            SimulatedNode(
                index: index, identity: twin.map { nodes[$0].identity } ?? own, accountKey: account,
                site: site, clockLead: clockLead,
                store: SimulatedStore(id: StoreID(bytes: Bytes16(entropy.bytes(16)) ?? .zero))))
    }

    /// The current wall-clock time of a node.
    func wallTime(of node: Int) -> WallTime {
        let lead = now.advanced(by: clockLead(of: node)).nanoseconds / 1_000_000
        return WallTime(milliseconds: Self.firstWallTime + lead)
    }

    /// Sets a clock and its rate from now on.
    mutating func setClock(of node: Int, lead: Duration, drift: Duration = .zero) {
        nodes[node].clockLead = lead
        nodes[node].clockDrift = drift
        nodes[node].clockSetAt = now
    }

    /// How far a node's clock is ahead now.
    func clockLead(of node: Int) -> Duration {
        let seconds = Double(now.nanoseconds - nodes[node].clockSetAt.nanoseconds) / 1e9
        return nodes[node].clockLead + nodes[node].clockDrift * seconds
    }

    mutating func start(_ index: Int) {
        guard !nodes[index].isRunning else { return }
        nodes[index].life += 1
        nodes[index].startedAt = now
        nodes[index].wakeAt = nil
        nodes[index].pending = []
        nodes[index].lastStoredAt = now
        nodes[index].acceptedStreamCount = 0
        nodes[index].strangersStreams = []
        nodes[index].namedEndpoints = []
        nodes[index].outputsToLive = nil
        let entropy = SeededEntropy(
            seed: seed &* 31 &+ UInt64(index) &* 1_000_033 &+ UInt64(nodes[index].life) &* 7_777_777)
        nodes[index].engine = MeshEngine(
            snapshot: nodes[index].store.snapshot, identity: nodes[index].identity, entropy: entropy,
            wallTime: wallTime(of: index), ledgers: ledgers)
        // The store deletes what the engine could not use.
        var repair = DurableChange()
        repair.removedRuns = nodes[index].engine?.runsLeftOut ?? []
        nodes[index].store.apply(repair)
        changed(index)
        if !repair.removedRuns.isEmpty, !nodes[index].isAged {
            fail("node \(index) left out \(repair.removedRuns.count) runs of its own store", .engine)
        }
        tell(index, "starts")
        give(.internetSettingChanged(nodes[index].internetSetting), to: index)
        give(.lettersChanged(nodes[index].leavesLetters), to: index)
        give(
            .listening(port: Self.port, addresses: [nodes[index].endpoint], usesDiscovery: true), to: index)
        giveOwnEndpoints(to: index)
        askForPortSoon(index, within: Self.mappingTime)
        scheduleWitnesses(of: index, at: now.advanced(by: .seconds(2)))
    }

    /// Kills a node's process. Of the pending writes, any number of the first ones may have reached the disk.
    mutating func crash(_ index: Int) {
        guard nodes[index].isRunning else { return }
        tell(index, "crashes")
        let survivors = random.number(below: nodes[index].pending.count + 1)
        for entry in nodes[index].pending.prefix(survivors) { keep(entry.change, of: index) }
        stop(index)
    }

    mutating func stop(_ index: Int) {
        nodes[index].engine = nil
        nodes[index].liar = nil
        nodes[index].pending = []
        nodes[index].life += 1
        changed(index)
        liveness.stopped(index)
        breakStreams(of: index)
    }

    /// Stops a node's process as its user would: peers are told.
    mutating func quit(_ index: Int) {
        let instant = age(of: index)
        let outputs = nodes[index].engine?.closeLinks(at: instant) ?? []
        for output in outputs { perform(output, of: index) }
        closePorts(of: index)
        stop(index)
    }

    /// A node's own monotonic clock.
    private func age(of index: Int) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: now.nanoseconds - nodes[index].startedAt.nanoseconds)
    }

    private mutating func keep(_ change: DurableChange, of index: Int) {
        if !nodes[index].diskForgets { nodes[index].store.apply(change) }
    }

    /// Marks a node whose visible state may have changed.
    mutating func changed(_ index: Int) {
        changedNodes.insert(index)
        changeCount += 1
    }

    // MARK: Time

    /// Lets time pass until `isDone` returns true. Returns whether it did.
    @discardableResult
    mutating func run(for duration: Duration, until isDone: (Simulation) -> Bool = { _ in false }) -> Bool {
        let end = now.advanced(by: duration)
        if isDone(self) { return true }
        while failure == nil, let next = queue.next, next <= end, let (instant, event) = queue.pop() {
            now = max(now, instant)
            perform(event)
            if now >= nextMoment { checkMoment() }
            if isDone(self) { return true }
        }
        if failure == nil { now = end }
        return false
    }

    private mutating func perform(_ event: Event) {
        switch event {
        case .datagram(let bytes, let source, let node):
            guard nodes[node].isRunning else { return }
            give(.link(.datagramReceived(bytes, from: source)), to: node)
        case .routed(let bytes, let departure, let target):
            let inside = network.internet.receive(departure, to: target, at: now)
            guard let node = inside.flatMap({ nodeByEndpoint[$0] }), nodes[node].isRunning else { return }
            give(.link(.datagramReceived(bytes, from: departure.source)), to: node)
        case .beacon(let bytes, let source, let node):
            guard nodes[node].isRunning else { return }
            give(.beaconReceived(bytes, from: source), to: node)
        case .stream(let input, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            give(.link(input), to: node)
        case .stored(let id, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            if let first = nodes[node].pending.first {
                keep(first.change, of: node)
                nodes[node].pending.removeFirst()
                if nodes[node].pending.isEmpty { changeCount += 1 }
            }
            give(.changeStored(id), to: node)
        case .derived(let code, let user, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            give(.codeDerived(user, code), to: node)
        case .noticeFound(let value, let key, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            give(.noticeFound(value, at: key), to: node)
        case .noticeSearched(let key, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            give(.noticeSearched(key), to: node)
            askWitnessesSoon(node)
        case .putFailed(let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            give(.putNoticeFailed, to: node)
        case .wake(let node, let life):
            // An event that was due later than a new one was put back in after it.
            guard nodes[node].isRunning, nodes[node].life == life, nodes[node].wakeAt == now else { return }
            nodes[node].wakeAt = nil
            countWake(of: node)
            give(.deadlineReached, to: node)
        case .restart(let node, let life):
            guard !nodes[node].isRunning, nodes[node].life == life else { return }
            start(node)
        case .write(let node):
            write(by: node)
        case .say(let node):
            say(by: node)
        case .askForPort(let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            askForPort(node)
        case .askWitnesses(let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            askWitnesses(node)
        case .changeAddress(let node):
            changeAddresses(of: [node])
        case .strangerSends(let number, let node):
            strangerSends(number, to: node)
        }
    }

    private mutating func countWake(of node: Int) {
        if nodes[node].wakesAtInstant.instant != now { nodes[node].wakesAtInstant = (now, 0) }
        nodes[node].wakesAtInstant.count += 1
        if nodes[node].wakesAtInstant.count > Self.maximumWakes {
            fail("node \(node) spins at \(now)", .engine)
        }
    }

    // MARK: The engine

    /// Gives a command and returns its ID, under which the node stores the outcome.
    @discardableResult
    mutating func command(_ command: Command, to node: Int) -> CommandID {
        let id = nextCommand()
        give(.command(id, command), to: node)
        return id
    }

    mutating func nextCommand() -> CommandID {
        lastCommand += 1
        return CommandID(number: lastCommand)
    }

    mutating func give(_ input: EngineInput, to index: Int) {
        guard nodes[index].isRunning else { return }
        record(input, to: index)
        let instant = age(of: index)
        let wall = wallTime(of: index)
        let (outputs, deadline) = nodes[index].handle(input, at: instant, wallTime: wall)
        let life = nodes[index].life
        for output in outputs {
            guard nodes[index].life == life, outlivesOutput(index) else { return }
            perform(output, of: index)
        }
        guard nodes[index].isRunning, nodes[index].life == life else { return }
        scheduleWake(of: index, at: deadline)
        if case .deadlineReached = input, let deadline, deadline < instant {
            fail("node \(index) wants to be woken in the past, at \(deadline)", .engine)
        }
    }

    /// Whether a process that is to end between two outputs still runs. If not, it has just ended.
    private mutating func outlivesOutput(_ index: Int) -> Bool {
        guard let rest = nodes[index].outputsToLive else { return true }
        nodes[index].outputsToLive = rest - 1
        guard rest <= 0 else { return true }
        let delay = nodes[index].restartDelay
        crash(index)
        queue.add(.restart(index, life: nodes[index].life), at: now.advanced(by: delay))
        return false
    }

    private mutating func perform(_ output: EngineOutput, of index: Int) {
        switch output {
        case .link(let output):
            transmit(output, from: index)
        case .sendBeacon(let bytes, let target):
            sendBeacon(bytes, to: target, from: index)
        case .persist(let change, let id):
            persist(change, id: id, of: index)
        case .complete(let id, let outcome):
            nodes[index].outcomes[id] = outcome
            ground.talk.completed(id, outcome)
            for slot in ground.completed(id, outcome) {
                liveness.confirmed(DailyScore.recordSubject(of: slot.key), at: now)
            }
            changedNodes.insert(index)
            tell(index, "completes \(id.number): \(outcome)")
        case .deriveCode(let user):
            queue.add(
                .derived(SimulatedCode.code(of: user), of: user, at: index, life: nodes[index].life),
                at: now.advanced(by: Self.derivationTime))
        case .putNotice(let notice): put(notice, from: index)
        case .getNotice(let key): get(key, for: index)
        case .publish(let event):
            note(event, of: index)
            tell(index, Self.summary(of: event))
        }
    }

    private mutating func note(_ event: EngineEvent, of index: Int) {
        switch event {
        case .digestChanged, .ledgerChanged, .recordsReset:
            changed(index)
        case .recordsMerged(_, let records):
            changed(index)
            visibility?.merged(records, at: index, now: now)
            for record in records { liveness.shown(record.key.subject, at: index) }
        case .presenceChanged:
            changeCount += 1
        case .whereaboutsChanged:
            changedNodes.insert(index)
        case .lostGroup(let group, _):
            nodes[index].lostGroups.insert(group)
            changed(index)
        case .linkOpened, .linkClosed, .clockHeard, .syncBegan,
            .syncEnded, .runRefused, .operationRefused, .epochReplaced, .dropped, .friend, .messageRefused,
            .overBudget:
            break
        }
    }

    private mutating func persist(_ change: DurableChange, id: ChangeID, of index: Int) {
        guard !nodes[index].diskIsFull else {
            tell(index, "finds its disk full")
            stop(index)
            queue.add(.restart(index, life: nodes[index].life), at: now.advanced(by: .seconds(1)))
            return
        }
        nodes[index].pending.append((change, id))
        let delay = random.duration(from: .microseconds(200), to: .milliseconds(8))
        // A disk writes in order.
        let instant = max(now.advanced(by: delay), nodes[index].lastStoredAt)
        nodes[index].lastStoredAt = instant
        queue.add(.stored(id, at: index, life: nodes[index].life), at: instant)
    }

    private mutating func scheduleWake(of index: Int, at deadline: MonotonicInstant?) {
        guard let deadline else { return }
        let instant = max(now, nodes[index].startedAt.advanced(by: .nanoseconds(deadline.nanoseconds)))
        if let wake = nodes[index].wakeAt, wake <= instant { return }
        nodes[index].wakeAt = instant
        queue.add(.wake(index, life: nodes[index].life), at: instant)
    }

    // MARK: Reporting

    private static func summary(of event: EngineEvent) -> String {
        switch event {
        case .recordsMerged(_, let records): "merges \(records.count) records"
        case .recordsReset: "merges all records again"
        case .ledgerChanged: "has another ledger"
        case .digestChanged(_, let digest): "has digest \(digest.description.prefix(8))"
        case .linkOpened(let device, _, let endpoint): "is linked to \(device.description.prefix(8)) at \(endpoint)"
        case .linkClosed(let device): "has lost its link to \(device.description.prefix(8))"
        case .syncBegan(_, let device): "asks \(device.description.prefix(8))"
        case .syncEnded(_, let device): "has asked \(device.description.prefix(8))"
        case .lostGroup, .presenceChanged, .whereaboutsChanged, .clockHeard, .runRefused,
            .operationRefused, .epochReplaced, .dropped, .friend, .messageRefused,
            .overBudget:
            "says \(event)"
        }
    }

    mutating func fail(_ reason: String, _ kind: SimulationFailure.Kind) {
        if failure == nil { failure = (reason, kind) }
    }

    func tell(_ node: Int, _ text: @autoclosure () -> some StringProtocol) {
        guard let onTrace else { return }
        onTrace("\(Double(now.nanoseconds / 1_000) / 1e6) node \(node) \(text())")
    }

    private mutating func record(_ input: EngineInput, to index: Int) {
        trace.add(UInt64(bitPattern: now.nanoseconds))
        trace.add(UInt64(index))
        switch input {
        case .link(.datagramReceived(let bytes, _)), .beaconReceived(let bytes, _): trace.add(bytes)
        case .link(.streamBytesReceived(let id, let bytes)):
            trace.add(id.number)
            trace.add(bytes)
        case .link: trace.add(1)
        case .listening, .networkChanged: trace.add(2)
        case .command(let id, _): trace.add(id.number)
        case .changeStored(let id): trace.add(id.number)
        case .deadlineReached: trace.add(3)
        case .codeDerived: trace.add(4)
        case .internetSettingChanged, .ownEndpointsFound, .seenFromOutside, .lettersChanged: trace.add(5)
        case .noticeFound(let bytes, _): trace.add(bytes)
        case .noticeSearched, .putNoticeFailed: trace.add(6)
        }
    }
}
