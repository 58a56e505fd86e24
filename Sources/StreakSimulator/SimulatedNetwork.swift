import StreakEngine
import StreakWire

/// What is between the nodes.
struct SimulatedNetwork: Sendable {
    struct Pair: Hashable, Sendable {
        let from: Int
        let to: Int
    }

    /// One end of a stream, in one life of a node.
    struct StreamEnd: Hashable, Comparable, Sendable {
        let node: Int
        let life: Int
        let id: StreamID
        static func < (left: Self, right: Self) -> Bool {
            (left.node, left.life, left.id) < (right.node, right.life, right.id)
        }
    }

    var profile: LinkProfile
    /// Ways that differ, in one direction.
    var exceptions: [Pair: LinkProfile] = [:]
    /// The island that each node is on; all on one where empty.
    var islands: [Int: Int] = [:]
    /// The other end of every open stream, both ways.
    var peers: [StreamEnd: StreamEnd] = [:]
    /// When the last bytes towards an end arrive: streams keep their order.
    var arrivals: [StreamEnd: MonotonicInstant] = [:]

    init(profile: LinkProfile) { self.profile = profile }

    func profile(from: Int, to: Int) -> LinkProfile { exceptions[Pair(from: from, to: to)] ?? profile }

    func isCut(_ from: Int, _ to: Int) -> Bool { islands[from, default: 0] != islands[to, default: 0] }
}

extension Simulation {
    func node(at endpoint: Endpoint) -> Int? {
        nodes.firstIndex { $0.endpoint.address == endpoint.address && $0.endpoint.port == endpoint.port }
    }

    mutating func transmit(_ output: LinkOutput, from index: Int) {
        switch output {
        case .sendDatagram(let bytes, let target):
            nodes[index].sentByteCount += bytes.count
            guard let peer = node(at: target) else { return }
            sendDatagram(bytes, from: index, to: peer) { .datagram($0, from: $1, to: peer) }
        case .openStream(let id, let target):
            openStream(id, from: index, to: target)
        case .sendStream(let id, let bytes):
            nodes[index].sentByteCount += bytes.count
            sendStream(id, bytes, from: index)
        case .closeStream(let id):
            closeStream(SimulatedNetwork.StreamEnd(node: index, life: nodes[index].life, id: id))
        }
    }

    private mutating func sendDatagram(
        _ bytes: [UInt8], from: Int, to: Int, as event: ([UInt8], Endpoint) -> Event
    ) {
        let profile = network.profile(from: from, to: to)
        guard !network.isCut(from, to), !profile.blocksDatagrams, bytes.count <= profile.maximumDatagramSize,
            !random.happens(with: profile.loss)
        else { return }
        for _ in 0..<(random.happens(with: profile.duplication) ? 2 : 1) {
            var delay = random.duration(from: profile.latency, to: profile.latency + profile.jitter)
            if random.happens(with: profile.reordering) { delay += random.duration(from: .zero, to: .milliseconds(80)) }
            queue.add(event(bytes, nodes[from].endpoint), at: now.advanced(by: delay))
        }
    }

    /// A beacon to everybody on the LAN, or to one address.
    mutating func sendBeacon(_ bytes: [UInt8], to target: Endpoint?, from index: Int) {
        nodes[index].sentByteCount += bytes.count
        if let target {
            guard let peer = node(at: target) else { return }
            return sendDatagram(bytes, from: index, to: peer) { .datagram($0, from: $1, to: peer) }
        }
        for peer in nodes.indices where nodes[peer].lan == nodes[index].lan && peer != index {
            sendDatagram(bytes, from: index, to: peer) { .beacon($0, from: $1, to: peer) }
        }
    }

    // MARK: Streams

    private mutating func openStream(_ id: StreamID, from index: Int, to target: Endpoint) {
        let life = nodes[index].life
        let peer = node(at: target)
        let profile = network.profile(from: index, to: peer ?? index)
        guard let peer, nodes[peer].isRunning, !profile.blocksStreams, !network.isCut(index, peer) else {
            // Refused at once, or given up after a while.
            let delay: Duration = peer.map { nodes[$0].isRunning } ?? false ? .seconds(4) : profile.latency * 2
            queue.add(.stream(.streamFailed(id), to: index, life: life), at: now.advanced(by: delay))
            return
        }
        nodes[peer].acceptedStreamCount += 2
        let near = SimulatedNetwork.StreamEnd(node: index, life: life, id: id)
        let far = SimulatedNetwork.StreamEnd(
            node: peer, life: nodes[peer].life, id: StreamID(nodes[peer].acceptedStreamCount))
        network.peers[near] = far
        network.peers[far] = near
        // The far port of an accepted stream is any.
        let source = Endpoint(address: nodes[index].endpoint.address, port: 40_000 + UInt16(id.number % 20_000))
        deliver(.streamAccepted(far.id, from: source), to: far, after: profile.latency)
        deliver(.streamOpened(id), to: near, after: profile.latency * 2)
    }

    private mutating func sendStream(_ id: StreamID, _ bytes: [UInt8], from index: Int) {
        let near = SimulatedNetwork.StreamEnd(node: index, life: nodes[index].life, id: id)
        guard let far = network.peers[near] else { return }
        let profile = network.profile(from: index, to: far.node)
        var delay = random.duration(from: profile.latency, to: profile.latency + profile.jitter)
        // What is lost is sent again after a while, and holds up what follows.
        while random.happens(with: min(profile.loss, 0.8)) { delay += .milliseconds(200) }
        deliver(.streamBytesReceived(far.id, bytes), to: far, after: delay)
    }

    private mutating func closeStream(_ near: SimulatedNetwork.StreamEnd) {
        guard let far = network.peers.removeValue(forKey: near) else { return }
        network.peers[far] = nil
        deliver(.streamClosed(far.id), to: far, after: network.profile(from: near.node, to: far.node).latency)
    }

    /// In order.
    private mutating func deliver(
        _ input: LinkInput, to end: SimulatedNetwork.StreamEnd, after delay: Duration
    ) {
        let instant = max(now.advanced(by: delay), network.arrivals[end] ?? .zero)
        network.arrivals[end] = instant
        queue.add(.stream(input, to: end.node, life: end.life), at: instant)
    }

    /// A process has ended: its peers' streams are closed by its system.
    mutating func breakStreams(of index: Int) {
        for near in network.peers.keys.sorted() where near.node == index { closeStream(near) }
    }

    /// Streams between islands break; both ends notice after a while.
    mutating func breakCutStreams() {
        for near in network.peers.keys.sorted() {
            guard let far = network.peers[near], network.isCut(near.node, far.node) else { continue }
            network.peers[near] = nil
            network.peers[far] = nil
            for end in [near, far] {
                deliver(.streamClosed(end.id), to: end, after: random.duration(from: .seconds(1), to: .seconds(15)))
            }
        }
    }
}
