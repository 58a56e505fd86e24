import Logging
import NIOCore
import NIOPosix
import StreakCrypto
import StreakEngine
import StreakInternet
import StreakLinks
import StreakMembership
import StreakWire

/// Leaves the engine's notices in the BitTorrent DHT, looks for those of others, and asks nodes there where they see this machine.
///
/// The helper does it, seconds long and beside the node's turns; what it finds comes back as an input of the network.
final class NoticeExchange {
    /// What came of asking.
    enum Answer: Sendable, Equatable {
        case value([UInt8], at: Bytes32)
        /// A search has ended. Whether a node of the DHT answered; nil where that could not be tried.
        case searched(Bytes32, isAnswered: Bool?)
        /// How many nodes have stored a notice; nil where that could not be tried.
        case stored(Int?)
        /// Nodes to begin with next time.
        case nodes([Endpoint])
    }

    /// How the DHT is, as far as what was asked of it has shown.
    enum State: String {
        case ok, failing, idle, off
    }

    private static let nodesSetting = "dht-nodes"
    /// How soon nodes of the DHT are looked for again while none is known: before the network was there, none answered.
    private static let searchInterval: Duration = .seconds(120)
    /// How often nodes are written to the disk.
    private static let keepInterval: Duration = .seconds(3_600)

    private let core: NodeCore
    private let loop: NodeLoop
    private let helper: InternetHelper
    private let isPresent: Bool
    private var isOpen = false
    private var nodes: [Endpoint]
    private var keptAt: MonotonicInstant?
    private var ping = MainlinePing()
    private(set) var nextPing: MonotonicInstant?
    private var lastPing: MonotonicInstant?
    /// How it went with what was put last, and whether the last search reached nobody.
    private var state = State.idle
    private var isSilent = false
    /// When notices were last stored, and values last found, in seconds since 1970.
    private var storedAt: Int64?
    private var foundAt: Int64?

    /// - Parameter isPresent: whether there is a helper.
    init(core: NodeCore, loop: NodeLoop, helper: InternetHelper, isPresent: Bool, nodes: [Endpoint]) {
        (self.core, self.loop, self.helper, self.isPresent, self.nodes) = (core, loop, helper, isPresent, nodes)
    }

    /// The nodes of the DHT that a node has kept.
    static func keptNodes(_ core: NodeCore) -> [Endpoint] {
        var reader = WireReader(core.engine.setting(nodesSetting) ?? [])
        var nodes: [Endpoint] = []
        while nodes.count < HelperLimits.maximumNodes, reader.remainingCount > 0,
            let endpoint = try? reader.readEndpoint()  // what does not read was not written by this version
        {
            nodes.append(endpoint)
        }
        return nodes
    }

    func opened() {
        isOpen = true
        nextPing = core.clock.now.advanced(by: .seconds(1))
    }

    func closed() { (isOpen, nextPing) = (false, nil) }

    // MARK: Notices

    /// - Parameter isOnline: whether this machine has a way to the internet at all.
    func put(_ notice: Notice, isOnline: Bool) {
        let inbox = core.inbox
        guard isOpen, isOnline else { return inbox.put(.dht(.stored(nil))) }
        let item = DHTItem(
            key: notice.key, sequence: notice.sequence, value: notice.value, signature: notice.signature)
        let helper = helper
        let note = stopwatch()
        outsideTurns {
            // Without a helper, or where it fails, nobody has stored it.
            let count = try? await helper.put(item)
            note("notice stored by \(count ?? 0) nodes of the DHT")
            inbox.put(.dht(.stored(count)))
        }
    }

    func look(for key: Bytes32, isOnline: Bool) {
        let inbox = core.inbox
        guard isOpen, isOnline else { return inbox.put(.dht(.searched(key, isAnswered: nil))) }
        let helper = helper
        let note = stopwatch()
        outsideTurns {
            var isAnswered: Bool? = true
            do {
                var isFirst = true
                for try await value in helper.get(key) {
                    if isFirst { note("notice found in the DHT") }
                    isFirst = false
                    inbox.put(.dht(.value(value.value, at: key)))
                }
            } catch {
                // What could not be asked is absent: the engine asks again.
                isAnswered = error as? HelperFailure == .unreachable ? false : nil
            }
            inbox.put(.dht(.searched(key, isAnswered: isAnswered)))
        }
    }

    /// Logs how long something took since this was made.
    private func stopwatch() -> @Sendable (String) -> Void {
        let (logger, clock) = (core.configuration.logger, core.clock)
        let start = clock.now
        return { what in
            let time = start.duration(to: clock.now) / .milliseconds(1)
            logger.debug("\(what) after \(Int(time)) ms")
        }
    }

    private func outsideTurns(_ work: @escaping @Sendable () async -> Void) {
        _ = MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask(work)
    }

    func take(_ answer: Answer) {
        switch answer {
        case .value(let value, let key):
            foundAt = core.clock.wallTime.seconds
            if isOpen { loop.tell(.noticeFound(value, at: key)) }
        case .searched(let key, let isAnswered):
            if let isAnswered { isSilent = !isAnswered }
            if isOpen { loop.tell(.noticeSearched(key)) }
            pingSoon()
        case .stored(let count):
            pingSoon()
            if count ?? 0 > 0 {
                (state, isSilent, storedAt) = (.ok, false, core.clock.wallTime.seconds)
            } else {
                if count != nil || isPresent { state = .failing }
                if isOpen { loop.tell(.putNoticeFailed) }
            }
        case .nodes(let found): keep(found)
        }
    }

    private func keep(_ found: [Endpoint]) {
        guard !found.isEmpty, found != nodes else { return }
        if nodes.isEmpty { lastPing = nil }
        nodes = found
        pingSoon()
        let now = core.clock.now
        guard isOpen, keptAt.map({ $0.advanced(by: Self.keepInterval) <= now }) ?? true else { return }
        keptAt = now
        var writer = WireWriter()
        for node in found.prefix(HelperLimits.maximumNodes) { writer.write(node) }
        loop.post(.keepSetting(name: Self.nodesSetting, value: writer.bytes))
    }

    // MARK: Witnesses

    private func pingSoon() {
        guard let nextPing else { return }
        // Who looks for friends has often got another address.
        let earliest = lastPing?.advanced(by: MainlinePing.shortestInterval) ?? .zero
        self.nextPing = min(nextPing, max(core.clock.now, earliest))
    }

    func deadlineReached() {
        guard isOpen, let nextPing, nextPing <= core.clock.now else { return }
        lastPing = core.clock.now
        self.nextPing = core.clock.now.advanced(by: ping.pause(isReachKnown: core.engine.ownReach != .unknown))
        guard core.configuration.usesInternet, core.engine.lacksWitnesses else { return }
        guard !nodes.isEmpty else {
            self.nextPing = core.clock.now.advanced(by: Self.searchInterval)
            return findNodes()
        }
        var entropy = SystemEntropy()
        var networks: Set<Bytes16> = []
        // One of each provider first: two of one are one witness, but one of them may be gone.
        var (firsts, others): ([Endpoint], [Endpoint]) = ([], [])
        for node in nodes.shuffled() {
            if networks.insert(node.provider).inserted { firsts.append(node) } else { others.append(node) }
        }
        let queries = ping.ask((firsts + others).map { ($0, .init(entropy.bytes(24))) }, at: sinceStart)
        for (query, node) in queries { loop.send(query, to: node) }
    }

    /// Looks for nodes of the DHT where none is known, as after the installation: they are asked as soon as they are found.
    private func findNodes() {
        let helper = helper
        var entropy = SystemEntropy()
        guard let key = Bytes32(entropy.bytes(32)) else { return }
        outsideTurns {
            // Nothing is there: what counts is who is met on the way. Who met nobody tries again at the next ping.
            do { for try await _ in helper.get(key) {} } catch {}
        }
    }

    /// The addresses of this machine may be others now.
    func networkChanged() {
        if isOpen, nextPing != nil { nextPing = core.clock.now.advanced(by: .seconds(1)) }
        ping.hurry()
    }

    /// Takes a datagram that answers a ping. Returns whether it did.
    func takes(_ bytes: [UInt8], from source: Endpoint) -> Bool {
        guard isOpen, ping.expects(bytes, from: source) else { return false }
        if let witness = ping.receive(bytes, from: source, at: sinceStart), witness.seen.mayBeTold {
            loop.tell(.seenFromOutside(witness.seen, by: witness.by))
        }
        return true
    }

    private var sinceStart: Duration { MonotonicInstant.zero.duration(to: core.clock.now) }

    // MARK: Reading

    /// Whether nobody in the DHT has stored the last notice, or answered the last search.
    var isFailing: Bool { isOpen && (isSilent || state == .failing) }

    func report() -> InternetReport.DHT {
        func time(_ seconds: Int64?) -> String? { seconds.map { Timestamp(seconds: $0).text } }
        return InternetReport.DHT(
            state: (isOpen ? isSilent ? .failing : state : .off).rawValue, published: time(storedAt),
            lookedUp: time(foundAt))
    }
}
