import StreakCrypto
public import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Nodes, the networks between them and their disks, driven by one clock. Whatever happens follows from the seed.
///
/// The nodes run the engine that real nodes run; only sockets, clocks, randomness and disks are simulated.
public struct Simulation: Sendable {
    enum Event: Sendable {
        case datagram([UInt8], from: Endpoint, to: Int)
        case beacon([UInt8], from: Endpoint, to: Int)
        case stream(LinkInput, to: Int, life: Int)
        case stored(ChangeID, at: Int, life: Int)
        case derived(FriendCode, of: UserID, at: Int, life: Int)
        case wake(Int, life: Int)
        case restart(Int, life: Int)
        case write(Int)
    }

    /// The wall clock of a node without lead at the start, in milliseconds since 1970.
    static let firstWallTime: Int64 = 1_795_000_000_000
    static let port: UInt16 = 7_420
    /// Wake-ups of one engine at one instant before it counts as spinning.
    static let maximumWakes = 64

    public let seed: UInt64
    public internal(set) var now: MonotonicInstant = .zero
    var nodes: [SimulatedNode] = []
    var network: SimulatedNetwork
    var queue = EventQueue<Event>()
    var random: SimulatedRandom
    var trace = TraceHash()
    var ground = GroundTruth()
    private var lastCommand: UInt64 = 0
    /// What went wrong first.
    var failure: String?
    /// Told every step, where somebody wants to see it.
    var onTrace: (@Sendable (String) -> Void)?

    init(seed: UInt64, profile: LinkProfile) {
        self.seed = seed
        random = SimulatedRandom(seed: seed)
        network = SimulatedNetwork(profile: profile)
    }

    /// Stands for all that has happened; equal for two runs of one scenario and seed.
    public var traceHash: UInt64 { trace.value }

    // MARK: Nodes

    /// Adds a node that is down, with a device of its own or that of another node, of an account of its own or of
    /// another node's.
    mutating func addNode(
        lan: Int = 0, clockLead: Duration = .zero, deviceOf twin: Int? = nil, accountOf relative: Int? = nil
    ) {
        let index = nodes.count
        var entropy = SeededEntropy(seed: seed &* 1_000_003 &+ UInt64(index))
        let fresh = SigningSecretKey.generate(from: &entropy)
        let account = (relative ?? twin).map { nodes[$0].accountKey } ?? fresh
        let own = DeviceIdentity.create(accountKey: account, from: &entropy)
        // 10.LAN.0.x is local to its LAN only by the beacons; addresses are reachable from everywhere.
        let address = UInt32(0x0A00_0001 + (lan << 16) + index)
        nodes.append(
            SimulatedNode(
                index: index, identity: twin.map { nodes[$0].identity } ?? own, accountKey: account,
                endpoint: Endpoint(ipv4: address, port: Self.port), lan: lan, clockLead: clockLead,
                store: SimulatedStore(id: StoreID(bytes: Bytes16(entropy.bytes(16)) ?? .zero))))
    }

    /// What a node's wall clock shows now.
    func wallTime(of node: Int) -> WallTime {
        let lead = now.advanced(by: nodes[node].clockLead).nanoseconds / 1_000_000
        return WallTime(milliseconds: Self.firstWallTime + lead)
    }

    mutating func start(_ index: Int) {
        guard !nodes[index].isRunning else { return }
        nodes[index].life += 1
        nodes[index].startedAt = now
        nodes[index].wakeAt = nil
        nodes[index].pending = []
        nodes[index].lastStoredAt = now
        nodes[index].acceptedStreamCount = 0
        let entropy = SeededEntropy(
            seed: seed &* 31 &+ UInt64(index) &* 1_000_033 &+ UInt64(nodes[index].life) &* 7_777_777)
        nodes[index].engine = MeshEngine(
            snapshot: nodes[index].store.snapshot, identity: nodes[index].identity, entropy: entropy,
            wallTime: wallTime(of: index))
        tell(index, "starts")
        give(
            .listening(port: Self.port, addresses: [nodes[index].endpoint], usesDiscovery: true), to: index)
    }

    /// Ends a node's process. Of what was on its way to the disk some first part may have arrived.
    mutating func crash(_ index: Int) {
        guard nodes[index].isRunning else { return }
        tell(index, "crashes")
        let survivors = random.number(below: nodes[index].pending.count + 1)
        for entry in nodes[index].pending.prefix(survivors) { nodes[index].store.apply(entry.change) }
        stop(index)
    }

    mutating func stop(_ index: Int) {
        nodes[index].engine = nil
        nodes[index].pending = []
        nodes[index].life += 1
        breakStreams(of: index)
    }

    // MARK: Time

    /// Lets time pass, until `isDone` says that it is enough; true if it did.
    @discardableResult
    mutating func run(for duration: Duration, until isDone: (Simulation) -> Bool = { _ in false }) -> Bool {
        let end = now.advanced(by: duration)
        if isDone(self) { return true }
        while failure == nil, let next = queue.next, next <= end, let (instant, event) = queue.pop() {
            now = max(now, instant)
            perform(event)
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
        case .beacon(let bytes, let source, let node):
            guard nodes[node].isRunning else { return }
            give(.beaconReceived(bytes, from: source), to: node)
        case .stream(let input, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            give(.link(input), to: node)
        case .stored(let id, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            if let first = nodes[node].pending.first {
                nodes[node].store.apply(first.change)
                nodes[node].pending.removeFirst()
            }
            give(.changeStored(id), to: node)
        case .derived(let code, let user, let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            give(.codeDerived(user, code), to: node)
        case .wake(let node, let life):
            guard nodes[node].isRunning, nodes[node].life == life else { return }
            if nodes[node].wakeAt == now { nodes[node].wakeAt = nil }
            countWake(of: node)
            give(.deadlineReached, to: node)
        case .restart(let node, let life):
            guard !nodes[node].isRunning, nodes[node].life == life else { return }
            start(node)
        case .write(let node):
            write(by: node)
        }
    }

    private mutating func countWake(of node: Int) {
        if nodes[node].wakesAtInstant.instant != now { nodes[node].wakesAtInstant = (now, 0) }
        nodes[node].wakesAtInstant.count += 1
        if nodes[node].wakesAtInstant.count > Self.maximumWakes { fail("node \(node) spins at \(now)") }
    }

    // MARK: The engine

    /// Gives a command and returns its number, under which the node keeps the outcome.
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
        let instant = MonotonicInstant(nanoseconds: now.nanoseconds - nodes[index].startedAt.nanoseconds)
        let wall = wallTime(of: index)
        let outputs = nodes[index].engine?.handle(input, at: instant, wallTime: wall) ?? []
        let life = nodes[index].life
        for output in outputs {
            guard nodes[index].life == life else { return }
            perform(output, of: index)
        }
        guard nodes[index].isRunning, nodes[index].life == life else { return }
        scheduleWake(of: index)
        if case .deadlineReached = input { checkDeadline(of: index) }
        checkInvariants(of: index)
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
            ground.completed(id, outcome)
            tell(index, "completes \(id.number): \(outcome)")
        case .deriveCode(let user):
            queue.add(
                .derived(SimulatedCode.code(of: user), of: user, at: index, life: nodes[index].life),
                at: now.advanced(by: Self.derivationTime))
        case .publish(let event):
            nodes[index].events.append(event)
            tell(index, Self.summary(of: event))
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

    private mutating func scheduleWake(of index: Int) {
        guard let deadline = nodes[index].engine?.nextDeadline else { return }
        let instant = max(now, nodes[index].startedAt.advanced(by: .nanoseconds(deadline.nanoseconds)))
        if let wake = nodes[index].wakeAt, wake <= instant { return }
        nodes[index].wakeAt = instant
        queue.add(.wake(index, life: nodes[index].life), at: instant)
    }

    // MARK: Telling

    private static func summary(of event: EngineEvent) -> String {
        switch event {
        case .recordsMerged(_, let records): "merges \(records.count) records"
        case .recordsReset: "merges all records anew"
        case .ledgerChanged: "has another ledger"
        case .digestChanged(_, let digest): "has digest \(digest.description.prefix(8))"
        case .linkOpened(let device, _, let endpoint): "is linked to \(device.description.prefix(8)) at \(endpoint)"
        case .linkClosed(let device): "has lost its link to \(device.description.prefix(8))"
        case .syncBegan(_, let device): "asks \(device.description.prefix(8))"
        case .syncEnded(_, let device): "has asked \(device.description.prefix(8))"
        default: "says \(event)"
        }
    }

    mutating func fail(_ reason: String) {
        if failure == nil { failure = reason }
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
        }
    }
}
