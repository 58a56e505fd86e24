import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

@testable import StreakEngine

/// Any number of engines on a perfect network, which can be cut, and on which anybody else may speak. They have no streams
/// to each other.
struct EngineParty {
    private enum Item {
        case datagram([UInt8], from: Endpoint, to: Int)
        case beacon([UInt8], from: Endpoint, to: Int)
        case input(EngineInput, to: Int)
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private(set) var engines: [MeshEngine] = []
    private(set) var events: [[EngineEvent]] = []
    private(set) var outcomes: [CommandID: CommandOutcome] = [:]
    private(set) var now = MonotonicInstant.zero
    /// The account keys of the engines.
    private(set) var accounts: [SigningSecretKey] = []
    var group = GroupID(bytes: .zero)
    /// For keys that a test makes.
    var entropy = SeededEntropy(seed: 77)
    /// Pairs that hear nothing of each other.
    private var islands: [Int: Int] = [:]
    private var cutWays: Set<[Int]> = []
    /// Datagrams to addresses of nobody here, and beacons answered to them.
    private(set) var strays: [[UInt8]] = []
    private(set) var strayBeacons: [[UInt8]] = []
    private(set) var beacons: [[UInt8]] = []
    /// What engines sent on streams that others opened, and the streams that they closed.
    private var streamBytes: [StreamID: [UInt8]] = [:]
    private(set) var closedStreams: Set<StreamID> = []
    private var lastStream: UInt64 = 0
    private var queue: [Item] = []
    private var lastCommand: UInt64 = 0
    private let linkLimits: LinkLimits
    private let recordPace: RecordPace
    /// How far the clocks of engines are ahead, in milliseconds.
    var clockLeads: [Int: Int64] = [:]
    /// Of datagrams, by who got them.
    private(set) var receivedByteCounts: [Int: Int] = [:]

    static let wall: Int64 = 1_795_000_000_000

    /// - Parameter accounts: whose device each engine is; all are certified by their account's own key.
    init(accounts numbers: [Int], linkLimits: LinkLimits = LinkLimits(), recordPace: RecordPace = RecordPace()) {
        self.linkLimits = linkLimits
        self.recordPace = recordPace
        for (index, number) in numbers.enumerated() {
            var entropy = SeededEntropy(seed: 200 + UInt64(number))
            let account = SigningSecretKey.generate(from: &entropy)
            var own = SeededEntropy(seed: 500 + UInt64(index))
            accounts.append(account)
            add(DeviceIdentity.create(accountKey: account, from: &own), entropy: own)
        }
    }

    /// Adds a device that is not certified by its account.
    mutating func add(_ identity: DeviceIdentity, entropy: SeededEntropy) {
        let index = engines.count
        engines.append(
            MeshEngine(
                snapshot: Snapshot(store: StoreID(bytes: Bytes16(7, UInt64(index)))), identity: identity,
                entropy: entropy, wallTime: WallTime(milliseconds: Self.wall), linkLimits: linkLimits,
                recordPace: recordPace))
        events.append([])
        give(.listening(port: 7_420, addresses: [endpoint(index)], usesDiscovery: true), to: index)
    }

    /// `count` members of one group, the first its owner.
    static func friends(_ count: Int, recordPace: RecordPace = RecordPace()) throws -> EngineParty {
        var party = EngineParty(accounts: Array(0..<count), recordPace: recordPace)
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        for index in 1..<count { try party.join(index, by: link) }
        // The second call on the network, at which those who joined find each other.
        party.run(for: .seconds(20))
        return party
    }

    func endpoint(_ index: Int) -> Endpoint { Endpoint(ipv4: 0x0A00_0001 + UInt32(index), port: 7_420) }

    func user(_ index: Int) -> UserID { engines[index].identity.user }
    func device(_ index: Int) -> DeviceID { engines[index].identity.device }
    func state(_ index: Int) throws -> GroupState {
        guard let state = engines[index].state(of: group) else { throw Failure("node \(index) has no such group") }
        return state
    }
    var handle: GroupHandle { GroupHandle(group) }

    func lostGroups(_ index: Int) -> [GroupState.Standing] {
        events[index].compactMap { if case .lostGroup(_, let standing) = $0 { standing } else { nil } }
    }
    func refusals(_ index: Int) -> [ReplicationError] {
        events[index].compactMap { if case .runRefused(_, let error) = $0 { error } else { nil } }
    }
    func refusedOperationCount(_ index: Int) -> Int {
        events[index].count { if case .operationRefused = $0 { true } else { false } }
    }
    func names(_ index: Int) -> [String] {
        engines[index].mergedRecords(of: group).compactMap { (try? Profile(value: $0.value))?.name }.sorted()
    }
    func isLinked(_ first: Int, _ second: Int) -> Bool {
        engines[first].linkedDevices.contains { $0.device == device(second) }
    }
    func digests() -> Set<GroupDigest?> { Set(engines.map { $0.digest(of: group) }) }

    // MARK: Doing

    mutating func found(by index: Int) throws -> GroupID {
        guard case .group(let group)? = command(.foundGroup(title: "Friends"), to: index) else {
            throw Failure("no group")
        }
        return group
    }

    mutating func invite(by index: Int, uses: UInt32 = 0, needsApproval: Bool = false) throws -> InviteLink {
        let outcome = command(
            .invite(group, uses: uses, lifetime: 86_400, needsApproval: needsApproval), to: index)
        guard case .invite(_, let text)? = outcome else { throw Failure("no invite: \(String(describing: outcome))") }
        return try InviteLink(parsing: text)
    }

    mutating func join(_ index: Int, by link: InviteLink) throws {
        let outcome = command(.join(link, timeout: .seconds(30)), to: index)
        guard outcome == .group(link.group) else { throw Failure("\(index): \(String(describing: outcome))") }
    }

    mutating func write(_ name: String, by index: Int) {
        _ = command(.write([(group: group, drafts: [.value(Profile(name: name))])]), to: index)
    }

    /// Writes a result that has its own key.
    mutating func write(puzzles: ClosedRange<Int>, by index: Int) {
        for puzzle in puzzles {
            _ = command(.write([(group: group, drafts: [.withdrawnScore(Forged.key(puzzle))])]), to: index)
        }
    }

    @discardableResult
    mutating func command(_ command: Command, to index: Int) -> CommandOutcome? {
        lastCommand += 1
        let id = CommandID(number: lastCommand)
        give(.command(id, command), to: index)
        run(for: .seconds(60)) { $0.outcomes[id] != nil }
        return outcomes[id]
    }

    /// Gives a command and does not wait.
    mutating func begin(_ command: Command, at index: Int) {
        lastCommand += 1
        give(.command(CommandID(number: lastCommand), command), to: index)
    }

    var lastOutcome: CommandOutcome? { outcomes[CommandID(number: lastCommand)] }

    /// Cuts the network into islands, or makes it whole.
    mutating func partition(_ parts: [[Int]]) {
        islands = [:]
        for (number, part) in parts.enumerated() { for index in part { islands[index] = number } }
    }

    /// Cuts the way between two, in both directions.
    mutating func cutWay(between first: Int, and second: Int) {
        cutWays.formUnion([[first, second], [second, first]])
    }

    private func hears(_ first: Int, _ second: Int) -> Bool {
        !cutWays.contains([first, second]) && islands[first, default: 0] == islands[second, default: 0]
    }

    /// Changes an engine as only a hostile program could.
    mutating func corrupt(_ index: Int, _ change: (inout MeshEngine) throws -> Void) rethrows {
        try change(&engines[index])
    }

    /// Lets one engine say something to another on their link.
    mutating func say(_ message: LinkMessage, from source: Int, to target: Int) {
        say(message.encoded, from: source, to: target)
    }

    mutating func say(_ bytes: [UInt8], from source: Int, to target: Int) {
        let key = engines[target].identity.linkKey.publicKey
        for link in engines[source].core.sessions.keys where engines[source].core.sessions[link]?.key == key {
            engines[source].core.links.send(bytes, over: link, as: .reliable, at: now)
        }
        give(.deadlineReached, to: source)
        run(for: .milliseconds(200))
    }

    /// Lets somebody who is no engine send a datagram. Returns what comes back within a moment.
    mutating func deliver(_ datagram: [UInt8], from endpoint: Endpoint, to index: Int) -> [[UInt8]] {
        give(.link(.datagramReceived(datagram, from: endpoint)), to: index)
        run(for: .milliseconds(5))
        return takeStrays()
    }

    /// Lets somebody who is no engine open a stream.
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

    /// What came on a stream since the last call.
    mutating func takeStreamBytes(_ id: StreamID) -> [UInt8] {
        defer { streamBytes[id] = nil }
        return streamBytes[id] ?? []
    }

    /// What was sent to nobody here since the last call.
    mutating func takeStrays() -> [[UInt8]] {
        defer { strays = [] }
        return strays
    }

    /// Lets somebody who is no engine call out. Returns the answers.
    mutating func call(
        _ beacon: [UInt8], from endpoint: Endpoint, letting duration: Duration = .milliseconds(5)
    ) -> (answers: [[UInt8]], dials: [[UInt8]]) {
        strays = []
        strayBeacons = []
        for index in engines.indices { give(.beaconReceived(beacon, from: endpoint), to: index) }
        run(for: duration)
        return (strayBeacons, strays)
    }

    /// What an engine's clock says.
    func wall(_ index: Int) -> WallTime {
        WallTime(milliseconds: Self.wall + now.nanoseconds / 1_000_000 + clockLeads[index, default: 0])
    }

    private mutating func give(_ input: EngineInput, to side: Int) {
        if case .link(.datagramReceived(let bytes, _)) = input { receivedByteCounts[side, default: 0] += bytes.count }
        for output in engines[side].handle(input, at: now, wallTime: wall(side)) {
            switch output {
            case .link(.sendDatagram(let bytes, let target)):
                guard let peer = engines.indices.first(where: { endpoint($0) == target }) else {
                    strays.append(bytes)
                    continue
                }
                if hears(side, peer) { queue.append(.datagram(bytes, from: endpoint(side), to: peer)) }
            case .link(.openStream(let id, _)):
                queue.append(.input(.link(.streamFailed(id)), to: side))
            case .link(.sendStream(let id, let bytes)):
                streamBytes[id, default: []] += bytes
            case .link(.closeStream(let id)):
                closedStreams.insert(id)
            case .deriveCode(let user):
                queue.append(.input(.codeDerived(user, FriendTests.codes.keys(of: user).code), to: side))
            case .sendBeacon(let bytes, let target):
                beacons.append(bytes)
                if let target, !engines.indices.contains(where: { endpoint($0) == target }) {
                    strayBeacons.append(bytes)
                }
                for peer in engines.indices where peer != side && hears(side, peer) {
                    guard target == nil || target == endpoint(peer) else { continue }
                    queue.append(.beacon(bytes, from: endpoint(side), to: peer))
                }
            case .persist(_, let id):
                queue.append(.input(.changeStored(id), to: side))
            case .complete(let id, let outcome):
                outcomes[id] = outcome
            case .publish(let event):
                events[side].append(event)
            }
        }
    }

    mutating func run(for duration: Duration, until isDone: (EngineParty) -> Bool = { _ in false }) {
        let end = now.advanced(by: duration)
        while !isDone(self) {
            if !queue.isEmpty {
                switch queue.removeFirst() {
                case .datagram(let bytes, let source, let side):
                    give(.link(.datagramReceived(bytes, from: source)), to: side)
                case .beacon(let bytes, let source, let side):
                    give(.beaconReceived(bytes, from: source), to: side)
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
