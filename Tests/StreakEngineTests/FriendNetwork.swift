import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

@testable import StreakEngine

/// Some engines on one local network without losses: beacons reach all, streams nobody. Each has a store from which it
/// can start again.
struct FriendNetwork {
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

    var nodes: [Node] = []
    /// Everything that was on the wire.
    private(set) var sent: [Packet] = []
    private(set) var outcomes: [CommandID: CommandOutcome] = [:]
    private(set) var now = MonotonicInstant.zero
    /// Pairs of nodes that do not reach each other.
    var isCut: (Int, Int) -> Bool = { _, _ in false }
    var usesBeacons = true
    private var isBeaconCut = false
    /// Codes as the nodes' shells work them out, and how often they had to.
    var derives: @Sendable (UserID) -> FriendCode? = { FriendNetwork.realCode(of: $0) }
    private(set) var derivations = 0

    static func realCode(of user: UserID) -> FriendCode? { FriendTests.codes.keys(of: user).code }
    private var queue: [(input: EngineInput, to: Int)] = []
    private var lastCommand: UInt64 = 0
    private var strays: [[UInt8]] = []
    private var strayEndpoint: Endpoint?

    static let wall: Int64 = 1_795_000_000_000

    var wallTime: WallTime { WallTime(milliseconds: Self.wall + now.nanoseconds / 1_000_000) }

    /// A node of a new account, or with a given identity.
    @discardableResult
    mutating func add(
        _ seed: UInt64, identity: DeviceIdentity? = nil, account: SigningSecretKey? = nil,
        hasPrivateGroup: Bool = false
    ) throws -> Int {
        var entropy = SeededEntropy(seed: seed)
        let account = account ?? SigningSecretKey.generate(from: &entropy)
        let identity = identity ?? DeviceIdentity.create(accountKey: account, from: &entropy)
        let snapshot = Snapshot(store: StoreID(bytes: Bytes16(seed, seed)))
        let engine = MeshEngine(snapshot: snapshot, identity: identity, entropy: entropy, wallTime: wallTime)
        let endpoint = Endpoint(ipv4: 0x0A00_0001 + UInt32(nodes.count), port: 7_420)
        nodes.append(
            Node(engine: engine, snapshot: snapshot, account: account, identity: identity, endpoint: endpoint))
        let index = nodes.count - 1
        listen(index)
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

    /// Nobody hears beacons any more, as where all are at homes of their own.
    mutating func cutBeacons() {
        usesBeacons = false
        isBeaconCut = true
    }

    mutating func listen(_ node: Int) {
        give(
            .listening(port: 7_420, addresses: [nodes[node].endpoint], usesDiscovery: usesBeacons), to: node)
    }

    /// Kills a node and starts it from its store.
    mutating func restart(_ node: Int) {
        queue.removeAll { $0.to == node }
        nodes[node].restarts += 1
        nodes[node].engine = MeshEngine(
            snapshot: nodes[node].snapshot, identity: nodes[node].identity,
            entropy: SeededEntropy(seed: 5_000 + nodes[node].restarts * 64 + UInt64(node)), wallTime: wallTime)
        nodes[node].isOn = true
        listen(node)
    }

    @discardableResult
    mutating func command(_ command: Command, at node: Int, within duration: Duration = .seconds(30)) -> CommandOutcome?
    {
        let id = begin(command, at: node)
        run(for: duration) { $0.outcomes[id] != nil }
        return outcomes[id]
    }

    @discardableResult
    mutating func begin(_ command: Command, at node: Int) -> CommandID {
        lastCommand += 1
        let id = CommandID(number: lastCommand)
        give(.command(id, command), to: node)
        return id
    }

    /// Makes two nodes members of one group.
    mutating func joinGroup(_ founder: Int, _ others: [Int], title: String = "Club") throws -> GroupID {
        guard case .group(let group)? = command(.foundGroup(title: title), at: founder),
            case .invite(_, let text)? = command(.invite(group, uses: 0, lifetime: 3_600), at: founder)
        else { throw SetUpFailure() }
        for other in others {
            guard command(.join(try InviteLink(parsing: text), timeout: .seconds(30)), at: other) == .group(group)
            else { throw SetUpFailure() }
        }
        run(for: .seconds(2))
        return group
    }

    struct SetUpFailure: Error {}

    mutating func give(_ input: EngineInput, to node: Int) {
        guard nodes[node].isOn else { return }
        for output in nodes[node].engine.handle(input, at: now, wallTime: wallTime) { perform(output, of: node) }
    }

    private mutating func perform(_ output: EngineOutput, of node: Int) {
        switch output {
        case .link(.sendDatagram(let bytes, let target)):
            if target == strayEndpoint { return strays.append(bytes) }
            guard let peer = nodes.firstIndex(where: { $0.endpoint == target }), peer != node else { return }
            transmit(Packet(from: node, to: peer, bytes: bytes, isBeacon: false))
        case .link(.openStream(let id, _)):
            queue.append((.link(.streamFailed(id)), node))
        case .sendBeacon(let bytes, let target):
            for peer in nodes.indices where peer != node && (target == nil || nodes[peer].endpoint == target) {
                transmit(Packet(from: node, to: peer, bytes: bytes, isBeacon: true))
            }
        case .persist(let change, let id):
            nodes[node].snapshot.apply(change)
            nodes[node].writes += 1
            queue.append((.changeStored(id), node))
        case .complete(let id, let outcome):
            outcomes[id] = outcome
        case .deriveCode(let user):
            derivations += 1
            queue.append((.codeDerived(user, derives(user)), node))
        case .publish(let event):
            nodes[node].events.append(event)
        case .link:
            break
        }
    }

    /// Gives a node a third party's packet; returns what it sends to that party at once.
    mutating func exchange(_ input: EngineInput, with node: Int, as endpoint: Endpoint) -> [[UInt8]] {
        strays = []
        strayEndpoint = endpoint
        give(input, to: node)
        run(for: .milliseconds(1))
        return strays
    }

    /// Has a node say things to another one on their link.
    mutating func say(_ messages: [LinkMessage], from node: Int, to peer: Int) {
        let key = nodes[peer].identity.linkKey.publicKey
        for link in nodes[node].engine.core.sessions.keys where nodes[node].engine.core.sessions[link]?.key == key {
            for message in messages {
                nodes[node].engine.core.links.send(message.encoded, over: link, as: .reliable, at: now)
            }
        }
        give(.deadlineReached, to: node)
        run(for: .milliseconds(200))
    }

    /// Lets time pass, and returns what the node sends to a third party meanwhile.
    mutating func wait(until instant: MonotonicInstant, with node: Int, as endpoint: Endpoint) -> [[UInt8]] {
        strays = []
        strayEndpoint = endpoint
        run(for: max(.zero, now.duration(to: instant)))
        return strays
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

    mutating func run(for duration: Duration, until isDone: (FriendNetwork) -> Bool = { _ in false }) {
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
    /// As a store would; enough for what these tests write.
    mutating func apply(_ change: DurableChange) {
        for operation in change.operations where !operations.contains(where: { $0.id == operation.id }) {
            operations.append(operation)
        }
        runs += change.runs
        accessKeys += change.accessKeys
        for cursor in change.cursors {
            cursors.removeAll { $0.group == cursor.group && $0.peer == cursor.peer }
            cursors.append(cursor)
        }
        for own in change.ownEpochs {
            ownEpochs.removeAll { $0.group == own.group }
            ownEpochs.append(own)
        }
        for group in change.droppedGroups {
            operations.removeAll { $0.group == group }
            runs.removeAll { $0.group == group }
            ownEpochs.removeAll { $0.group == group }
            accessKeys.removeAll { $0.group == group }
        }
        for address in change.addresses {
            addresses.removeAll { $0.device == address.device && $0.endpoint == address.endpoint }
            addresses.append(address)
        }
        for (name, value) in change.settings.sorted(by: { $0.key < $1.key }) {
            settings[name] = value.isEmpty ? nil : value
        }
        let arrivals = change.operations.map(\.arrival) + change.runs.map(\.arrival)
        nextArrival = max(nextArrival, (arrivals.max() ?? 0) + 1)
    }
}
