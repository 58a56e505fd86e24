import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

@testable import StreakEngine

/// Engines on one local network without losses. It can be cut, and others can send on it. Beacons reach everybody;
/// streams reach only others that are not engines. Each engine has a store from which it can start again.
struct EngineNetwork {
    struct Node {
        var engine: MeshEngine
        var snapshot: Snapshot
        let account: SigningSecretKey
        let identity: DeviceIdentity
        var endpoint: Endpoint
        var events: [EngineEvent] = []
        var isOn = true
        var restarts: UInt64 = 0
        /// Transactions so far.
        var writes = 0
        /// Bytes of datagrams that it got.
        var receivedByteCount = 0
        /// How far its clock is ahead, in milliseconds.
        var clockLead: Int64 = 0

        var user: UserID { identity.user }
        var friendEvents: [FriendEvent] {
            events.compactMap { if case .friend(let event) = $0 { event } else { nil } }
        }
    }

    struct Packet {
        let from: Int
        let to: Int
        let bytes: [UInt8]
        let isBeacon: Bool
    }

    /// A datagram to an address of nobody here.
    struct Stray {
        let from: Int
        let target: Endpoint
        let hopLimit: UInt8?
        let at: MonotonicInstant
    }

    /// A test could not be prepared.
    struct SetUpFailure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String = "not prepared") { self.description = description }
    }

    var nodes: [Node] = []
    /// The group that a test is about, if it is about one.
    var group = GroupID(bytes: .zero)
    /// Everything that was on the wire between nodes.
    private(set) var sent: [Packet] = []
    private(set) var outcomes: [CommandID: CommandOutcome] = [:]
    private(set) var now = MonotonicInstant.zero
    /// Pairs of nodes that cannot reach each other.
    var isCut: (Int, Int) -> Bool = { _, _ in false }
    var usesBeacons = true
    private var isBeaconCut = false
    /// Codes as the nodes' shells work them out, and how often they had to.
    var derives: @Sendable (UserID) -> FriendCode? = { EngineNetwork.realCode(of: $0) }
    private(set) var derivations = 0
    /// For keys that a test makes.
    var entropy = SeededEntropy(seed: 77)
    /// What was sent since the last call to addresses that no node has: datagrams, and beacons.
    private var strays: [[UInt8]] = []
    private var strayBeacons: [[UInt8]] = []
    /// What lies in the DHT, and who has put and asked for what.
    var notices: [Bytes32: Notice] = [:]
    private(set) var puts: [(node: Int, notice: Notice)] = []
    private(set) var gets: [(node: Int, key: Bytes32)] = []
    /// Whether nothing is found there.
    var dhtIsCut = false
    /// All of them so far, by where they went.
    private(set) var strayDatagrams: [Stray] = []
    /// What nodes sent on streams that others opened, and which streams they closed.
    private var streamBytes: [StreamID: [UInt8]] = [:]
    private(set) var closedStreams: Set<StreamID> = []
    private var lastStream: UInt64 = 0
    private var queue: [(input: EngineInput, to: Int)] = []
    private var lastCommand: UInt64 = 0
    private var linkLimits = LinkLimits()
    private var recordPace = RecordPace()

    static let wall: Int64 = 1_795_000_000_000

    static func realCode(of user: UserID) -> FriendCode? { FriendTests.codes.keys(of: user).code }

    // MARK: Nodes

    init() {}

    /// - Parameter accounts: whose device each node is; all are certified by their account's own key.
    init(accounts numbers: [Int], linkLimits: LinkLimits = LinkLimits(), recordPace: RecordPace = RecordPace()) {
        self.linkLimits = linkLimits
        self.recordPace = recordPace
        for (index, number) in numbers.enumerated() {
            var entropy = SeededEntropy(seed: 200 + UInt64(number))
            let account = SigningSecretKey.generate(from: &entropy)
            var own = SeededEntropy(seed: 500 + UInt64(index))
            add(DeviceIdentity.create(accountKey: account, from: &own), account: account, entropy: own)
        }
    }

    /// `count` members of one group, the first its owner.
    static func friends(_ count: Int, recordPace: RecordPace = RecordPace()) throws -> EngineNetwork {
        var network = EngineNetwork(accounts: Array(0..<count), recordPace: recordPace)
        network.group = try network.found(by: 0)
        let link = try network.invite(by: 0)
        for index in 1..<count { try network.join(index, by: link) }
        // The second call on the network, by which those who joined find each other.
        network.run(for: .seconds(20))
        return network
    }

    /// Members of one group in homes of their own, all open, each with another provider. Nobody hears beacons; all but the founder
    /// know the founder's address only.
    static func homes(_ count: Int, internet: InternetSetting = .on) throws -> EngineNetwork {
        var network = EngineNetwork(accounts: Array(0..<count))
        network.cutBeacons()
        for index in 0..<count {
            network.move(index, to: Endpoint(ipv4: 0xC612_0001 + UInt32(index) << 16, port: 7_420), internet)
        }
        network.group = try network.found(by: 0)
        let link = try network.invite(by: 0)
        for index in 1..<count { try network.join(index, by: link) }
        return network
    }

    /// Gives a node another address on the internet.
    mutating func move(_ node: Int, to endpoint: Endpoint, _ internet: InternetSetting = .on) {
        nodes[node].endpoint = endpoint
        give(.internetSettingChanged(internet), to: node)
        listen(node)
        give(.ownEndpointsFound([.init(source: .mapped, endpoint: endpoint)]), to: node)
    }

    /// A node with a given identity. Only the test that made it knows the account's key.
    @discardableResult
    mutating func add(
        _ identity: DeviceIdentity, account: SigningSecretKey? = nil, entropy: SeededEntropy, store: StoreID? = nil
    ) -> Int {
        var entropy = entropy
        let index = nodes.count
        let account = account ?? SigningSecretKey.generate(from: &entropy)
        let snapshot = Snapshot(store: store ?? StoreID(bytes: Bytes16(7, UInt64(index))))
        let engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: entropy, wallTime: wallTime, linkLimits: linkLimits,
            recordPace: recordPace)
        let endpoint = Endpoint(ipv4: 0x0A00_0001 + UInt32(index), port: 7_420)
        nodes.append(
            Node(engine: engine, snapshot: snapshot, account: account, identity: identity, endpoint: endpoint))
        listen(index)
        return index
    }

    /// A node of a new account, or with a given identity.
    @discardableResult
    mutating func add(
        _ seed: UInt64, identity: DeviceIdentity? = nil, account: SigningSecretKey? = nil,
        hasPrivateGroup: Bool = false
    ) throws -> Int {
        var entropy = SeededEntropy(seed: seed)
        let account = account ?? SigningSecretKey.generate(from: &entropy)
        let identity = identity ?? DeviceIdentity.create(accountKey: account, from: &entropy)
        let store = StoreID(bytes: Bytes16(seed, seed))
        let index = add(identity, account: account, entropy: entropy, store: store)
        if hasPrivateGroup { command(.openPrivateGroup(accountKey: account), at: index) }
        return index
    }

    /// A node of an account that was linked: it starts with what it was handed.
    mutating func add(linked linking: DeviceLinking, of machine: DeviceIdentity) throws -> Int {
        guard
            let identity = DeviceIdentity(
                certificate: linking.certificate, signingKey: machine.signingKey, linkKey: machine.linkKey)
        else { throw SetUpFailure() }
        let node = try add(UInt64(1_000 + nodes.count), identity: identity)
        var change = DurableChange()
        var arrival: UInt64 = 1
        for group in linking.groups {
            for bytes in group.operations {
                let id = try SignedOperation(decoding: bytes).id
                change.operations.append(
                    StoredOperation(group: group.group, id: id, bytes: bytes, arrival: arrival))
                arrival += 1
            }
            change.accessKeys += group.accessKeys.map { StoredAccessKey(group: group.group, key: $0) }
        }
        nodes[node].snapshot.apply(change)
        restart(node)
        return node
    }

    mutating func listen(_ node: Int) {
        give(.listening(port: 7_420, addresses: [nodes[node].endpoint], usesDiscovery: usesBeacons), to: node)
    }

    /// Kills a node and starts it from its store.
    mutating func restart(_ node: Int) {
        queue.removeAll { $0.to == node }
        nodes[node].restarts += 1
        nodes[node].engine = MeshEngine(
            snapshot: nodes[node].snapshot, identity: nodes[node].identity,
            entropy: SeededEntropy(seed: 5_000 + nodes[node].restarts * 64 + UInt64(node)), wallTime: wall(node),
            linkLimits: linkLimits, recordPace: recordPace)
        nodes[node].isOn = true
        listen(node)
    }

    /// Changes an engine as only a hostile program could.
    mutating func corrupt(_ index: Int, _ change: (inout MeshEngine) throws -> Void) rethrows {
        try change(&nodes[index].engine)
    }

    var wallTime: WallTime { WallTime(milliseconds: Self.wall + now.nanoseconds / 1_000_000) }

    /// What a node's clock says.
    func wall(_ index: Int) -> WallTime { WallTime(milliseconds: wallTime.milliseconds + nodes[index].clockLead) }

    // MARK: Reading

    func endpoint(_ index: Int) -> Endpoint { nodes[index].endpoint }
    func user(_ index: Int) -> UserID { nodes[index].user }
    func device(_ index: Int) -> DeviceID { nodes[index].identity.device }
    func state(_ index: Int) throws -> GroupState {
        guard let state = nodes[index].engine.state(of: group) else {
            throw SetUpFailure("node \(index) has no such group")
        }
        return state
    }
    var handle: GroupHandle { GroupHandle(group) }

    func lostGroups(_ index: Int) -> [GroupState.Standing] {
        nodes[index].events.compactMap { if case .lostGroup(_, let standing) = $0 { standing } else { nil } }
    }
    func refusals(_ index: Int) -> [ReplicationError] {
        nodes[index].events.compactMap { if case .runRefused(_, let error) = $0 { error } else { nil } }
    }
    func refusedOperationCount(_ index: Int) -> Int {
        nodes[index].events.count { if case .operationRefused = $0 { true } else { false } }
    }
    /// The work for which others went over a node's budget.
    func refusedWork(_ index: Int) -> Set<ChargedWork> {
        Set(nodes[index].events.compactMap { if case .overBudget(let work) = $0 { work } else { nil } })
    }
    func names(_ index: Int) -> [String] {
        nodes[index].engine.mergedRecords(of: group).compactMap { (try? Profile(value: $0.value))?.name }.sorted()
    }
    func isLinked(_ first: Int, _ second: Int) -> Bool {
        nodes[first].engine.linkedDevices.contains { $0.device == device(second) }
    }
    func digests() -> Set<GroupDigest?> { Set(nodes.map { $0.engine.digest(of: group) }) }
    /// Beacons that nodes heard of each other.
    var beacons: [[UInt8]] { sent.filter(\.isBeacon).map(\.bytes) }

    // MARK: Commands

    @discardableResult
    mutating func command(_ command: Command, at node: Int, within duration: Duration = .seconds(60)) -> CommandOutcome?
    {
        let id = begin(command, at: node)
        run(for: duration) { $0.outcomes[id] != nil }
        return outcomes[id]
    }

    /// Gives a command and does not wait.
    @discardableResult
    mutating func begin(_ command: Command, at node: Int) -> CommandID {
        lastCommand += 1
        let id = CommandID(number: lastCommand)
        give(.command(id, command), to: node)
        return id
    }

    var lastOutcome: CommandOutcome? { outcomes[CommandID(number: lastCommand)] }

    mutating func found(by index: Int) throws -> GroupID {
        guard case .group(let group)? = command(.foundGroup(title: "Friends"), at: index) else {
            throw SetUpFailure("no group")
        }
        return group
    }

    mutating func invite(by index: Int, uses: UInt32 = 0, needsApproval: Bool = false) throws -> InviteLink {
        let outcome = command(
            .invite(group, uses: uses, lifetime: 86_400, needsApproval: needsApproval), at: index)
        guard case .invite(_, let text)? = outcome else {
            throw SetUpFailure("no invite: \(String(describing: outcome))")
        }
        return try InviteLink(parsing: text)
    }

    mutating func join(_ index: Int, by link: InviteLink) throws {
        let outcome = command(.join(link, timeout: .seconds(30)), at: index)
        guard outcome == .group(link.group) else { throw SetUpFailure("\(index): \(String(describing: outcome))") }
    }

    /// Founds a group and admits others.
    mutating func joinGroup(_ founder: Int, _ others: [Int], title: String = "Club") throws -> GroupID {
        guard case .group(let group)? = command(.foundGroup(title: title), at: founder),
            case .invite(_, let text)? = command(.invite(group, uses: 0, lifetime: 3_600), at: founder)
        else { throw SetUpFailure() }
        for other in others { try join(other, by: try InviteLink(parsing: text)) }
        run(for: .seconds(2))
        return group
    }

    mutating func write(_ name: String, by index: Int) {
        _ = command(.write([(group: group, drafts: [.value(Profile(name: name))])]), at: index)
    }

    /// Writes a result that has its own key.
    mutating func write(puzzles: ClosedRange<Int>, by index: Int) {
        for puzzle in puzzles {
            _ = command(.write([(group: group, drafts: [.withdrawnScore(Forged.key(puzzle))])]), at: index)
        }
    }

    // MARK: The wire

    /// Cuts the network into islands, or makes it whole.
    mutating func partition(_ parts: [[Int]]) {
        var islands: [Int: Int] = [:]
        for (number, part) in parts.enumerated() { for index in part { islands[index] = number } }
        isCut = { islands[$0, default: 0] != islands[$1, default: 0] }
    }

    /// Beacons reach nobody any longer, as if each node were at home.
    mutating func cutBeacons() {
        usesBeacons = false
        isBeaconCut = true
    }

    private mutating func transmit(_ packet: Packet) {
        sent.append(packet)
        guard !isCut(packet.from, packet.to), !isCut(packet.to, packet.from), !(packet.isBeacon && isBeaconCut) else {
            return
        }
        let source = nodes[packet.from].endpoint
        queue.append(
            (
                packet.isBeacon
                    ? .beaconReceived(packet.bytes, from: source)
                    : .link(.datagramReceived(packet.bytes, from: source)), packet.to
            ))
    }

    /// Makes a node send messages to another one on their link.
    mutating func say(_ messages: [LinkMessage], from node: Int, to peer: Int) {
        for message in messages { send(message.encoded, from: node, to: peer) }
        give(.deadlineReached, to: node)
        run(for: .milliseconds(200))
    }

    mutating func say(_ message: LinkMessage, from source: Int, to target: Int) {
        say([message], from: source, to: target)
    }

    mutating func say(_ bytes: [UInt8], from source: Int, to target: Int) {
        send(bytes, from: source, to: target)
        say([LinkMessage](), from: source, to: target)
    }

    private mutating func send(_ bytes: [UInt8], from node: Int, to peer: Int) {
        let key = nodes[peer].identity.linkKey.publicKey
        for link in nodes[node].engine.core.sessions.keys where nodes[node].engine.core.sessions[link]?.key == key {
            nodes[node].engine.core.links.send(bytes, over: link, as: .reliable, at: now)
        }
    }

    // MARK: Others on the network

    /// Sends a datagram from an address that no node has. Returns the answers of the next moment.
    mutating func deliver(
        _ datagram: [UInt8], from endpoint: Endpoint, to index: Int, letting duration: Duration = .milliseconds(5)
    ) -> [[UInt8]] {
        give(.link(.datagramReceived(datagram, from: endpoint)), to: index)
        run(for: duration)
        return takeStrays()
    }

    /// Lets time pass, and returns what was sent to others meanwhile.
    mutating func wait(until instant: MonotonicInstant) -> [[UInt8]] {
        _ = takeStrays()
        run(for: max(.zero, now.duration(to: instant)))
        return takeStrays()
    }

    /// What was sent since the last call to addresses that no node has.
    mutating func takeStrays() -> [[UInt8]] {
        defer { strays = [] }
        return strays
    }

    /// Sends a beacon from an address that no node has. Returns the answers.
    mutating func call(
        _ beacon: [UInt8], from endpoint: Endpoint, letting duration: Duration = .milliseconds(5)
    ) -> (answers: [[UInt8]], dials: [[UInt8]]) {
        strays = []
        strayBeacons = []
        for index in nodes.indices { give(.beaconReceived(beacon, from: endpoint), to: index) }
        run(for: duration)
        return (strayBeacons, takeStrays())
    }

    /// Opens a stream from an address that no node has.
    mutating func openStream(from endpoint: Endpoint, to index: Int) -> StreamID {
        lastStream += 2
        let id = StreamID(lastStream)
        give(.link(.streamAccepted(id, from: endpoint)), to: index)
        return id
    }

    mutating func sendStream(_ id: StreamID, _ bytes: [UInt8], to index: Int) {
        give(.link(.streamBytesReceived(id, bytes)), to: index)
    }

    mutating func closeStream(_ id: StreamID, to index: Int) { give(.link(.streamClosed(id)), to: index) }

    /// What arrived on a stream since the last call.
    mutating func takeStreamBytes(_ id: StreamID) -> [UInt8] {
        defer { streamBytes[id] = nil }
        return streamBytes[id] ?? []
    }

    // MARK: Running

    mutating func give(_ input: EngineInput, to node: Int) {
        guard nodes[node].isOn else { return }
        if case .link(.datagramReceived(let bytes, _)) = input { nodes[node].receivedByteCount += bytes.count }
        for output in nodes[node].engine.handle(input, at: now, wallTime: wall(node)) { perform(output, of: node) }
    }

    private mutating func perform(_ output: EngineOutput, of node: Int) {
        switch output {
        case .link(.sendDatagram(let bytes, let target, let hopLimit)):
            guard let peer = nodes.firstIndex(where: { $0.endpoint == target }) else {
                strayDatagrams.append(Stray(from: node, target: target, hopLimit: hopLimit, at: now))
                return strays.append(bytes)
            }
            if peer != node { transmit(Packet(from: node, to: peer, bytes: bytes, isBeacon: false)) }
        case .link(.openStream(let id, _)): queue.append((.link(.streamFailed(id)), node))
        case .link(.sendStream(let id, let bytes)): streamBytes[id, default: []] += bytes
        case .link(.closeStream(let id)): closedStreams.insert(id)
        case .sendBeacon(let bytes, let target):
            if let target, !nodes.contains(where: { $0.endpoint == target }) { strayBeacons.append(bytes) }
            for peer in nodes.indices where peer != node && (target == nil || nodes[peer].endpoint == target) {
                transmit(Packet(from: node, to: peer, bytes: bytes, isBeacon: true))
            }
        case .persist(let change, let id):
            nodes[node].snapshot.apply(change)
            nodes[node].writes += 1
            queue.append((.changeStored(id), node))
        case .complete(let id, let outcome): outcomes[id] = outcome
        case .deriveCode(let user):
            derivations += 1
            queue.append((.codeDerived(user, derives(user)), node))
        case .putNotice(let notice):
            if notices[notice.key].map({ $0.sequence < notice.sequence }) ?? true { notices[notice.key] = notice }
            puts.append((node, notice))
        case .getNotice(let key):
            gets.append((node, key))
            if !dhtIsCut, let notice = notices[key] { queue.append((.noticeFound(notice.value, at: key), node)) }
            queue.append((.noticeSearched(key), node))
        case .publish(let event): nodes[node].events.append(event)
        }
    }

    mutating func run(for duration: Duration, until isDone: (EngineNetwork) -> Bool = { _ in false }) {
        let end = now.advanced(by: duration)
        while !isDone(self) {
            if !queue.isEmpty {
                let next = queue.removeFirst()
                give(next.input, to: next.to)
                continue
            }
            let due = nodes.indices.compactMap { node in
                nodes[node].isOn ? nodes[node].engine.nextDeadline.map { ($0, node) } : nil
            }.min { $0.0 < $1.0 }
            guard let (deadline, node) = due, deadline <= end else {
                now = end
                return
            }
            now = max(now, deadline)
            give(.deadlineReached, to: node)
        }
    }
}

extension Snapshot {
    /// As a store would.
    mutating func apply(_ change: DurableChange) {
        if !change.operations.isEmpty {
            var known = Set(operations.map { OperationKey(group: $0.group, id: $0.id) })
            operations += change.operations.filter { known.insert(OperationKey(group: $0.group, id: $0.id)).inserted }
        }
        if !change.removedOperations.isEmpty {
            let gone = Set(change.removedOperations)
            operations.removeAll { gone.contains(OperationKey(group: $0.group, id: $0.id)) }
        }
        if !change.removedRuns.isEmpty {
            let gone = Set(change.removedRuns)
            runs.removeAll { gone.contains($0.key) }
        }
        runs += change.runs
        accessKeys += change.accessKeys
        for group in change.droppedGroups {
            operations.removeAll { $0.group == group }
            runs.removeAll { $0.group == group }
            accessKeys.removeAll { $0.group == group }
        }
        for address in change.addresses {
            addresses.removeAll { $0.device == address.device && $0.endpoint == address.endpoint }
            addresses.append(address)
        }
        local.apply(change)
        for (name, value) in change.settings.sorted(by: { $0.key < $1.key }) {
            settings[name] = value.isEmpty ? nil : value
        }
        let arrivals = change.operations.map(\.arrival) + change.runs.map(\.arrival)
        nextArrival = max(nextArrival, (arrivals.max() ?? 0) + 1)
    }
}
