import StreakCrypto
import StreakLinks
import StreakRandom
import StreakWire
import Testing

/// A small virtual network of `Links` with one clock. It loses, duplicates and reorders datagrams, but not streams.
/// Everything follows from the seed.
struct LinksNetwork {
    struct Profile {
        var latency: Duration = .milliseconds(10)
        /// Random extra latency of a datagram, so that datagrams overtake each other.
        var jitter: Duration = .zero
        /// Shares of datagrams, 0 to 1.
        var loss = 0.0
        var duplication = 0.0
        var blocksDatagrams = false
        var blocksStreams = false
    }

    struct Node {
        var links: Links
        var endpoint: Endpoint
        var entropy: SeededEntropy
        var events: [LinkEvent] = []
        var datagramCount = 0
        /// A node that is off receives and does nothing.
        var isOn = true
    }

    struct Datagram {
        let source: Endpoint
        let target: Endpoint
        let bytes: [UInt8]
    }

    private enum Happening {
        case datagram(Datagram)
        case stream(node: Int, LinkInput)
    }

    private struct StreamEnd: Hashable {
        let node: Int
        let id: StreamID
    }

    var nodes: [Node] = []
    var profile = Profile()
    /// Nodes whose session packets are all lost; their answers to handshakes arrive.
    var muteNodes: Set<Int> = []
    private(set) var now = MonotonicInstant.zero
    /// Every datagram sent, in order.
    private(set) var sent: [Datagram] = []
    /// Every piece sent on a stream, by node and stream.
    private(set) var streamPieces: [(node: Int, id: StreamID, bytes: [UInt8])] = []
    private var queue: [(at: MonotonicInstant, order: Int, what: Happening)] = []
    private var order = 0
    private var other: [StreamEnd: StreamEnd] = [:]
    private var acceptedCount: UInt64 = 0
    private var random: SplitMix64

    init(seed: UInt64 = 1) { random = SplitMix64(seed: seed) }

    /// 0 to 1.
    mutating func chance() -> Double { Double.random(in: 0..<1, using: &random) }

    @discardableResult
    mutating func add(
        _ seed: UInt64, at endpoint: Endpoint? = nil, keys: [LinkKey] = [LinksFixture.key], invites: [LinkKey] = [],
        limits: LinkLimits = LinkLimits()
    ) -> Int {
        var entropy = SeededEntropy(seed: seed)
        let secret = AgreementSecretKey.generate(from: &entropy)
        var links = Links(staticKey: secret, limits: limits)
        links.setKeys(keys, for: .member)
        links.setKeys(invites, for: .invite)
        let place = endpoint ?? Endpoint(ipv4: 0x0A00_0001 + UInt32(nodes.count), port: 7420)
        nodes.append(Node(links: links, endpoint: place, entropy: entropy))
        return nodes.count - 1
    }

    func publicKey(_ node: Int) -> AgreementPublicKey { nodes[node].links.publicKey }

    // MARK: Actions

    mutating func dial(
        _ from: Int, _ to: Int, key: LinkKey = LinksFixture.key, knowsPeer: Bool = true, usesDatagrams: Bool = true,
        usesStreams: Bool = true
    ) {
        let target = nodes[to].endpoint
        let peer = knowsPeer ? publicKey(to) : nil
        var entropy = nodes[from].entropy
        nodes[from].links.dial(
            peer: peer, key: key, to: target, usesDatagrams: usesDatagrams,
            usesStreams: usesStreams, at: now, entropy: &entropy)
        nodes[from].entropy = entropy
        collect(from)
    }

    @discardableResult
    mutating func send(_ message: [UInt8], from node: Int, as urgency: Urgency = .reliable) -> Bool {
        guard let link = nodes[node].links.liveLinks.first else { return false }
        let isSent = nodes[node].links.send(message, over: link, as: urgency, at: now)
        collect(node)
        return isSent
    }

    mutating func close(_ node: Int) {
        for link in nodes[node].links.liveLinks { nodes[node].links.close(link, at: now) }
        collect(node)
    }

    mutating func give(_ input: LinkInput, to node: Int) {
        var entropy = nodes[node].entropy
        nodes[node].links.handle(input, at: now, entropy: &entropy)
        nodes[node].entropy = entropy
        collect(node)
    }

    /// Cuts every stream. Both ends see it closed, and nothing under way arrives.
    mutating func cutStreams() {
        queue.removeAll { if case .stream = $0.what { true } else { false } }
        let ends = other.keys.sorted { ($0.node, $0.id) < ($1.node, $1.id) }
        other = [:]
        for end in ends { give(.streamClosed(end.id), to: end.node) }
    }

    /// Lets time pass. Stops early once `isDone` returns true.
    mutating func run(for duration: Duration, until isDone: (LinksNetwork) -> Bool = { _ in false }) {
        let end = now.advanced(by: duration)
        while !isDone(self) {
            let deadline = nodes.indices.compactMap { index in
                nodes[index].isOn ? nodes[index].links.nextDeadline.map { ($0, index) } : nil
            }.min { $0.0 < $1.0 }
            let next = queue.indices.min { (queue[$0].at, queue[$0].order) < (queue[$1].at, queue[$1].order) }
            if let next, queue[next].at <= deadline?.0 ?? end, queue[next].at <= end {
                let happening = queue.remove(at: next)
                now = max(now, happening.at)
                deliver(happening.what)
            } else if let deadline, deadline.0 <= end {
                now = max(now, deadline.0)
                give(.deadlineReached, to: deadline.1)
            } else {
                now = end
                return
            }
        }
    }

    private mutating func deliver(_ what: Happening) {
        switch what {
        case .datagram(let datagram):
            guard let node = nodes.firstIndex(where: { $0.endpoint == datagram.target && $0.isOn }) else { return }
            give(.datagramReceived(datagram.bytes, from: datagram.source), to: node)
        case .stream(let node, let input):
            guard nodes[node].isOn else { return }
            give(input, to: node)
        }
    }

    private mutating func collect(_ node: Int) {
        let (outputs, events) = nodes[node].links.drain()
        nodes[node].events += events
        guard nodes[node].isOn else { return }
        for output in outputs {
            switch output {
            case .sendDatagram(let bytes, let target, _):
                let datagram = Datagram(source: nodes[node].endpoint, target: target, bytes: bytes)
                nodes[node].datagramCount += 1
                #expect(bytes.count <= ProtocolLimits.maximumDatagramSize)
                sent.append(datagram)
                if bytes.first != 4 || !muteNodes.contains(node) { transmit(datagram) }
            case .openStream(let id, let target): open(id, from: node, to: target)
            case .sendStream(let id, let bytes):
                streamPieces.append((node, id, bytes))
                guard let end = other[StreamEnd(node: node, id: id)] else { continue }
                enqueue(.stream(node: end.node, .streamBytesReceived(end.id, bytes)), after: profile.latency)
            case .closeStream(let id):
                guard let end = other.removeValue(forKey: StreamEnd(node: node, id: id)) else { continue }
                other[end] = nil
                enqueue(.stream(node: end.node, .streamClosed(end.id)), after: profile.latency)
            }
        }
    }

    private mutating func transmit(_ datagram: Datagram) {
        guard !profile.blocksDatagrams, chance() >= profile.loss else { return }
        for _ in 0..<(chance() < profile.duplication ? 2 : 1) {
            enqueue(.datagram(datagram), after: profile.latency + profile.jitter * chance())
        }
    }

    private mutating func open(_ id: StreamID, from node: Int, to target: Endpoint) {
        guard !profile.blocksStreams, let peer = nodes.firstIndex(where: { $0.endpoint == target && $0.isOn }) else {
            return enqueue(.stream(node: node, .streamFailed(id)), after: profile.latency)
        }
        acceptedCount += 2
        let accepted = StreamID(acceptedCount)
        other[StreamEnd(node: node, id: id)] = StreamEnd(node: peer, id: accepted)
        other[StreamEnd(node: peer, id: accepted)] = StreamEnd(node: node, id: id)
        enqueue(.stream(node: peer, .streamAccepted(accepted, from: nodes[node].endpoint)), after: profile.latency)
        enqueue(.stream(node: node, .streamOpened(id)), after: profile.latency * 2)
    }

    private mutating func enqueue(_ what: Happening, after delay: Duration) {
        order += 1
        queue.append((now.advanced(by: delay), order, what))
    }
}

/// Keys and shortcuts for tests of links.
enum LinksFixture {
    static let key = makeKey(1)
    static let otherKey = makeKey(2)
    static let inviteKey = makeInviteKey(3)

    static func makeKey(_ seed: UInt64) -> LinkKey {
        var entropy = SeededEntropy(seed: 1_000 + seed)
        return LinkKey(
            handshake: .member, presharedKey: .generate(from: &entropy), tagKey: .generate(from: &entropy),
            label: "key \(seed)")
    }

    static func makeInviteKey(_ seed: UInt64) -> LinkKey {
        let key = makeKey(seed)
        return LinkKey(
            handshake: .invite, presharedKey: key.presharedKey, tagKey: key.tagKey, label: "invite \(seed)")
    }

    /// The key of a node made by `LinksNetwork.add(seed)`.
    static func publicKey(seed: UInt64) -> AgreementPublicKey {
        var entropy = SeededEntropy(seed: seed)
        return AgreementSecretKey.generate(from: &entropy).publicKey
    }
}

extension LinksNetwork.Node {
    var messages: [[UInt8]] {
        events.compactMap { if case .messageReceived(_, let bytes, _) = $0 { bytes } else { nil } }
    }

    var openedCount: Int { events.count { if case .opened = $0 { true } else { false } } }
    var closings: [LinkCloseReason] {
        events.compactMap { if case .closed(_, let reason) = $0 { reason } else { nil } }
    }
    var drops: [DropReason] { events.compactMap { if case .dropped(let reason) = $0 { reason } else { nil } } }
    var dialFailures: [DialFailure] {
        events.compactMap { if case .dialFailed(_, _, _, let reason) = $0 { reason } else { nil } }
    }
    var bindings: [[UInt8]] {
        events.compactMap { if case .opened(_, _, _, let hash, _, _) = $0 { hash } else { nil } }
    }
    var summary: LinkPathSummary? { links.liveLinks.first.flatMap { links.pathSummary($0) } }
}
