import StreakCrypto
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

@testable import StreakEngine

/// Two members of a group on a perfect network, one of which can be made to say anything.
struct EnginePair {
    enum Side: Int { case honest, hostile }

    private enum Item {
        case datagram([UInt8], from: Endpoint, to: Int)
        case input(EngineInput, to: Int)
    }

    struct SetUpFailure: Error {}

    private(set) var engines: [MeshEngine] = []
    private(set) var events: [[EngineEvent]] = [[], []]
    private(set) var changes: [[DurableChange]] = [[], []]
    private(set) var outcomes: [CommandID: CommandOutcome] = [:]
    private(set) var now = MonotonicInstant.zero
    private(set) var group = GroupID(bytes: .zero)
    /// Datagrams to addresses of neither side, not yet taken.
    private var strays: [[UInt8]] = []
    private var queue: [Item] = []
    private var lastCommand: UInt64 = 0
    private let endpoints = [Endpoint(ipv4: 0x0A00_0001, port: 7_420), Endpoint(ipv4: 0x0A00_0002, port: 7_420)]

    private static let wall: Int64 = 1_795_000_000_000

    init() throws {
        for side in 0..<2 {
            var entropy = SeededEntropy(seed: 100 + UInt64(side))
            let account = SigningSecretKey.generate(from: &entropy)
            let identity = DeviceIdentity.create(accountKey: account, from: &entropy)
            let snapshot = Snapshot(store: StoreID(bytes: Bytes16(7, UInt64(side))))
            engines.append(
                MeshEngine(
                    snapshot: snapshot, identity: identity, entropy: entropy,
                    wallTime: WallTime(milliseconds: Self.wall)))
            give(.listening(port: 7_420, addresses: [endpoints[side]], usesDiscovery: false), to: side)
        }
        guard case .group(let group)? = command(.foundGroup(title: "Friends"), to: .honest) else {
            throw SetUpFailure()
        }
        self.group = group
        guard case .invite(_, let text)? = command(.invite(group, uses: 0, lifetime: 3_600), to: .honest),
            command(.join(try InviteLink(parsing: text), timeout: .seconds(30)), to: .hostile) == .group(group)
        else { throw SetUpFailure() }
        run(for: .seconds(1))
        events = [[], []]
        changes = [[], []]
    }

    func engine(_ side: Side) -> MeshEngine { engines[side.rawValue] }

    var handle: GroupHandle { GroupHandle(group) }

    /// What the honest node has refused since the start, or the last call.
    mutating func takeRefusals() -> [ReplicationError] {
        defer { events[0] = [] }
        return events[0].compactMap { if case .runRefused(_, let error) = $0 { error } else { nil } }
    }

    func eventCount(_ isWanted: (EngineEvent) -> Bool) -> Int { events[0].count(where: isWanted) }

    // MARK: Doing

    /// Lets the hostile side say something on its authenticated link.
    mutating func say(_ message: LinkMessage) { say(message.encoded) }

    mutating func say(_ bytes: [UInt8]) {
        let side = Side.hostile.rawValue
        for link in engines[side].links.liveLinks {
            engines[side].links.send(bytes, over: link, as: .reliable, at: now)
        }
        give(.deadlineReached, to: side)
        run(for: .milliseconds(100))
    }

    /// Lets a third party send a datagram to the honest side. Returns what comes back within a moment.
    mutating func deliver(_ datagram: [UInt8], from endpoint: Endpoint) -> [[UInt8]] {
        give(.link(.datagramReceived(datagram, from: endpoint)), to: Side.honest.rawValue)
        run(for: .milliseconds(5))
        defer { strays = [] }
        return strays
    }

    /// Where the honest side is.
    var honestEndpoint: Endpoint { endpoints[0] }

    @discardableResult
    mutating func command(_ command: Command, to side: Side) -> CommandOutcome? {
        lastCommand += 1
        let id = CommandID(number: lastCommand)
        give(.command(id, command), to: side.rawValue)
        run(for: .seconds(5)) { $0.outcomes[id] != nil }
        return outcomes[id]
    }

    private mutating func give(_ input: EngineInput, to side: Int) {
        let wall = WallTime(milliseconds: Self.wall + now.nanoseconds / 1_000_000)
        for output in engines[side].handle(input, at: now, wallTime: wall) {
            switch output {
            case .link(.sendDatagram(let bytes, let target)):
                guard let peer = endpoints.firstIndex(of: target) else {
                    strays.append(bytes)
                    continue
                }
                queue.append(.datagram(bytes, from: endpoints[side], to: peer))
            case .link(.openStream(let id, _)):
                queue.append(.input(.link(.streamFailed(id)), to: side))
            case .persist(let change, let id):
                changes[side].append(change)
                queue.append(.input(.changeStored(id), to: side))
            case .complete(let id, let outcome):
                outcomes[id] = outcome
            case .publish(let event):
                events[side].append(event)
            case .link, .sendBeacon:
                break
            }
        }
    }

    mutating func run(for duration: Duration, until isDone: (EnginePair) -> Bool = { _ in false }) {
        let end = now.advanced(by: duration)
        while !isDone(self) {
            if !queue.isEmpty {
                switch queue.removeFirst() {
                case .datagram(let bytes, let source, let side):
                    give(.link(.datagramReceived(bytes, from: source)), to: side)
                case .input(let input, let side):
                    give(input, to: side)
                }
                continue
            }
            let due = engines.indices.compactMap { side in engines[side].nextDeadline.map { ($0, side) } }
                .min { $0.0 < $1.0 }
            guard let (deadline, side) = due, deadline <= end else {
                now = end
                return
            }
            now = max(now, deadline)
            give(.deadlineReached, to: side)
        }
    }
}

/// Records and runs as somebody might forge them.
enum Forged {
    static let records = (1...3).map { number in
        Record(
            kind: .dailyScore, time: HybridTime(milliseconds: 1_795_000_000_000, counter: UInt16(number)),
            subject: [0, UInt8(number)], value: [1, 2, 3]
        ).encoded
    }

    /// A run of `records` by an identity, in a group.
    static func run(by identity: DeviceIdentity, in group: GroupID, records: [[UInt8]] = records) -> Run {
        var feed = FeedReplica(
            FeedID(device: identity.device, epoch: Epoch(counter: 9, nonce: 9)), in: group)
        return feed.write(records, key: identity.signingKey, arrival: 1).run
    }

    /// Somebody who is in no group.
    static var stranger: DeviceIdentity {
        var entropy = SeededEntropy(seed: 999)
        let account = SigningSecretKey.generate(from: &entropy)
        return DeviceIdentity.create(accountKey: account, from: &entropy)
    }

    /// A result of its own for each number.
    static func key(_ puzzle: Int) -> ScoreKey {
        guard let game = GameID("wordle") else { preconditionFailure("a game of the catalogue") }
        return ScoreKey(game: game, axis: .puzzle(puzzle))
    }

    static let otherGroup = GroupID(bytes: Bytes32(1, 2, 3, 4))
}
