import Foundation
import StreakCrypto
import StreakEngine
import StreakGames
import StreakLinks
import StreakMembership
import StreakNode
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// What two engines exchange and how fast one merges, from the stores of two real nodes with the same million results.
/// Runs in this process, over a simulated network of 50 ms each way.
struct EngineBench {
    let keeper: DataFolder
    let other: DataFolder

    private static let missed = 100

    func run() throws {
        let (old, writer) = (try Self.start(other), try Self.start(keeper))
        Figure.show("records merged from a store by one core", writer.rate / 1e6, "million/s", target: "–")
        var pair = EnginePair(writer.engine, old.engine)
        guard let group = writer.engine.groupIDs.max(by: { pair.records($0) < pair.records($1) }) else {
            throw BenchFailure.notReady("a group")
        }
        let before = writer.engine.recordCount(of: group)
        for number in 0..<Self.missed { pair.write(Self.result(number), in: group) }
        let own = pair.packedSize(of: group, after: before, missed: Self.missed)
        pair.link()
        guard pair.agree(on: group) else { throw BenchFailure.notReady("equal digests") }
        let name = "catching up with \(Self.missed) results among a million, engines alone"
        Figure.show("\(name): bytes of the records", Double(own), "B", target: "–")
        Figure.show("\(name): bytes beyond them, link opened included", Double(pair.byteCount - own), "B", target: "–")
        Figure.show("\(name): bytes beyond them on the open link", Double(pair.openByteCount - own), "B", target: "–")
        Figure.show("\(name): round trips on the open link", pair.openRoundTrips, "", target: "–")
    }

    /// An engine on a folder's store, and how many records a second it merged when it started.
    private static func start(_ folder: DataFolder) throws -> (engine: MeshEngine, rate: Double) {
        let store = try Store(opening: folder) { StoreID(bytes: .zero) }
        let snapshot = try store.snapshot()
        try store.close()
        let identity = try MeshNode.identity(of: folder)
        let start = ContinuousClock.now
        let engine = MeshEngine(
            snapshot: snapshot, identity: identity, entropy: SystemEntropy(), wallTime: EnginePair.wall)
        let seconds = start.duration(to: .now).milliseconds / 1_000
        let records = engine.groupIDs.reduce(0) { $0 + engine.recordCount(of: $1) }
        return (engine, Double(records) / seconds)
    }

    private static func result(_ number: Int) -> DailyScore {
        DailyScore(
            game: GameID(literal: "birdle"), day: PuzzleDay(daysSinceEpoch: 17_000 + number), score: 3, maxAttempts: 6,
            firstRecordedAt: EnginePair.wall.milliseconds / 1_000)
    }
}

/// Two engines with a network that loses nothing.
private struct EnginePair {
    private struct Item {
        let at: MonotonicInstant
        let input: EngineInput
        let target: Int
    }

    static let wall = WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    private static let latency: Duration = .milliseconds(50)

    private var engines: [MeshEngine]
    private var now = MonotonicInstant.zero
    /// By rising time.
    private var queue: [Item] = []
    private var peers: [Int: [StreamID: StreamID]] = [0: [:], 1: [:]]
    private var accepted: UInt64 = 1 << 32
    private var commands: UInt64 = 0
    /// Bytes of datagrams and of streams, both ways.
    private(set) var byteCount = 0
    /// The byte count and time when both had opened the link.
    private var opened: (bytes: Int, at: MonotonicInstant)?
    private var openCount = 0
    private var agreedAt = MonotonicInstant.zero

    init(_ first: MeshEngine, _ second: MeshEngine) { engines = [first, second] }

    var openByteCount: Int { byteCount - (opened?.bytes ?? 0) }
    var openRoundTrips: Double { (opened?.at ?? now).duration(to: agreedAt) / (Self.latency * 2) }

    func records(_ group: GroupID) -> Int { engines[0].recordCount(of: group) }

    private func endpoint(_ index: Int) -> Endpoint { Endpoint(ipv4: 0x0A00_0001 + UInt32(index), port: 7_420) }

    mutating func write(_ score: DailyScore, in group: GroupID) {
        command(.write([(group, [.score(score)])]), at: 0)
        settle()
    }

    /// The size of the newest records, packed in runs as they are sent.
    func packedSize(of group: GroupID, after count: Int, missed: Int) -> Int {
        let engine = engines[0]
        let own = engine.storedRuns(of: group).filter { $0.run.feed.device == engine.identity.device }
        var left = missed
        var size = 0
        for stored in own.sorted(by: { $0.arrival > $1.arrival }) where left > 0 {
            size += stored.run.packed.count
            left -= stored.run.count
        }
        return size
    }

    /// Lets both listen, and the second dial the first.
    mutating func link() {
        for index in engines.indices {
            give(.listening(port: 7_420, addresses: [endpoint(index)], usesDiscovery: false), to: index)
        }
        byteCount = 0
        command(.dialAddresses([endpoint(0)]), at: 1)
    }

    /// Lets up to a minute pass, until both have the same digest.
    mutating func agree(on group: GroupID) -> Bool {
        let end = now.advanced(by: .seconds(60))
        while engines[0].digest(of: group) != engines[1].digest(of: group) {
            guard step(until: end) else { return false }
        }
        agreedAt = now
        return true
    }

    private mutating func settle() { while queue.contains(where: { $0.at <= now }) { _ = step(until: now) } }

    private mutating func step(until end: MonotonicInstant) -> Bool {
        let timers = engines.indices.compactMap { index in engines[index].nextDeadline.map { (at: $0, index: index) } }
        let timer = timers.min { $0.at < $1.at }
        if let next = queue.first, next.at <= timer?.at ?? end, next.at <= end {
            queue.removeFirst()
            now = max(now, next.at)
            give(next.input, to: next.target)
        } else if let timer, timer.at <= end {
            now = max(now, timer.at)
            give(.deadlineReached, to: timer.index)
        } else {
            return false
        }
        return true
    }

    private mutating func command(_ command: Command, at index: Int) {
        commands += 1
        give(.command(CommandID(number: commands), command), to: index)
    }

    private mutating func give(_ input: EngineInput, to index: Int) {
        for output in engines[index].handle(input, at: now, wallTime: Self.wall) { perform(output, of: index) }
    }

    private mutating func send(_ input: EngineInput, to target: Int, after delay: Duration = latency) {
        let item = Item(at: now.advanced(by: delay), input: input, target: target)
        queue.insert(item, at: queue.firstIndex { $0.at > item.at } ?? queue.endIndex)
    }

    private mutating func perform(_ output: EngineOutput, of index: Int) {
        let other = 1 - index
        switch output {
        case .link(.sendDatagram(let bytes, let target, _)) where target == endpoint(other):
            byteCount += bytes.count
            send(.link(.datagramReceived(bytes, from: endpoint(index))), to: other)
        case .link(.openStream(let id, let target)) where target == endpoint(other):
            accepted += 2
            peers[index]?[id] = StreamID(accepted)
            peers[other]?[StreamID(accepted)] = id
            send(.link(.streamAccepted(StreamID(accepted), from: endpoint(index))), to: other)
            send(.link(.streamOpened(id)), to: index, after: Self.latency * 2)
        case .link(.sendStream(let id, let bytes)):
            byteCount += bytes.count
            if let peer = peers[index]?[id] { send(.link(.streamBytesReceived(peer, bytes)), to: other) }
        case .link(.closeStream(let id)):
            if let peer = peers[index]?.removeValue(forKey: id) { send(.link(.streamClosed(peer)), to: other) }
        case .persist(_, let id): send(.changeStored(id), to: index, after: .zero)
        case .publish(.linkOpened):
            openCount += 1
            if openCount == 2 { opened = (byteCount, now) }
        case .link(.sendDatagram), .link(.openStream), .sendBeacon, .complete, .deriveCode, .putNotice, .getNotice,
            .publish:
            break
        }
    }
}
