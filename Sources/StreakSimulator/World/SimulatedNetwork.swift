import StreakEngine
import StreakLinks
import StreakWire

/// The network between the nodes.
struct SimulatedNetwork: Sendable {
    struct Pair: Hashable, Sendable {
        let from: Int
        let to: Int
    }

    /// One end of a stream, for one life of a node.
    struct StreamEnd: Hashable, Comparable, Sendable {
        let node: Int
        let life: Int
        let id: StreamID
        static func < (left: Self, right: Self) -> Bool {
            (left.node, left.life, left.id) < (right.node, right.life, right.id)
        }
    }

    var profile: LinkProfile
    /// Paths that differ from the rest, in one direction.
    var exceptions: [Pair: LinkProfile] = [:]
    /// The island of each node; empty if there is only one.
    var islands: [Int: Int] = [:]
    /// The pairs that can reach each other; nil for all.
    var ways: Set<Pair>?
    /// The other end of every open stream, both ways.
    var peers: [StreamEnd: StreamEnd] = [:]
    /// When the last bytes towards an end arrive. Streams keep their order.
    var arrivals: [StreamEnd: MonotonicInstant] = [:]
    var internet = Internet()
    var dht = SimulatedDHT()
    /// The bytes of datagrams that reached the victim's endpoint.
    var bytesAtVictim = 0

    init(profile: LinkProfile) { self.profile = profile }

    func profile(from: Int, to: Int) -> LinkProfile { exceptions[Pair(from: from, to: to)] ?? profile }

    func isCut(_ from: Int, _ to: Int) -> Bool {
        islands[from, default: 0] != islands[to, default: 0] || !(ways?.contains(Pair(from: from, to: to)) ?? true)
    }

    /// Whether two nodes cannot have a stream, which needs both directions.
    func isCutForStreams(_ from: Int, _ to: Int) -> Bool {
        isCut(from, to) || profile(from: from, to: to).blocksStreams || profile(from: to, to: from).blocksStreams
    }
}

extension Simulation {
    mutating func transmit(_ output: LinkOutput, from index: Int) {
        noteForStrangers(output, from: index)
        switch output {
        case .sendDatagram(let bytes, let target, let hopLimit):
            nodes[index].sentByteCount += bytes.count
            if bytes.first == Self.firstMessage || hopLimit != nil, !target.isLocal { countDial(of: index) }
            sendDatagram(bytes, from: index, to: target, hopLimit: hopLimit.map(Int.init) ?? Internet.fullHopLimit)
        case .openStream(let id, let target):
            openStream(id, from: index, to: target)
        case .sendStream(let id, let bytes):
            nodes[index].sentByteCount += bytes.count
            sendStream(id, bytes, from: index)
        case .closeStream(let id):
            closeStream(SimulatedNetwork.StreamEnd(node: index, life: nodes[index].life, id: id))
        }
    }

    /// The type of a datagram that begins a handshake (links.md §2).
    private static let firstMessage: UInt8 = 1

    private mutating func countDial(of index: Int) {
        let now = now
        nodes[index].dials.removeAll { $0.duration(to: now) >= .seconds(1) }
        nodes[index].dials.append(now)
        nodes[index].mostDials = max(nodes[index].mostDials, nodes[index].dials.count)
    }

    // MARK: Reaching

    func isNeighbour(_ peer: Int, of index: Int) -> Bool { nodes[peer].site.lan == nodes[index].site.lan }

    /// Sends a datagram to an address, through the routers between.
    ///
    /// - Parameter hopLimit: how many devices may pass it on.
    mutating func sendDatagram(
        _ bytes: [UInt8], from index: Int, to target: Endpoint, hopLimit: Int = Internet.fullHopLimit
    ) {
        let site = nodes[index].site
        let peer = nodeByEndpoint[target]
        if let peer, isNeighbour(peer, of: index) {
            return sendDatagram(bytes, from: index, to: peer) { .datagram($0, from: site.endpoint, to: peer) }
        }
        let departure = network.internet.send(
            from: site.endpoint, inHome: site.home, to: target, hopLimit: hopLimit, at: now)
        guard let departure else {
            return tell(index, "sends \(Self.summary(of: bytes)) that gets \(hopLimit) hops far")
        }
        if target == Internet.victim { network.bytesAtVictim += bytes.count }
        if let peer, nodes[peer].site.home == nil {
            return sendDatagram(bytes, from: index, to: peer) { .datagram($0, from: departure.source, to: peer) }
        }
        // No router sends back in what comes from inside.
        guard let home = network.internet.home(at: target.address), home != site.home,
            // All nodes of a home share the path to it.
            let host = peer ?? nodes.firstIndex(where: { $0.site.home == home })
        else { return }
        sendDatagram(bytes, from: index, to: host) { .routed($0, departure, to: target) }
    }

    /// The node that a stream to an address reaches; nil if a router is in the way.
    private func streamTarget(at target: Endpoint, from index: Int) -> Int? {
        let peer = nodeByEndpoint[target]
        if let peer, nodes[peer].site.home == nil || isNeighbour(peer, of: index) { return peer }
        let open = network.internet.inside(ofOpen: target).flatMap { nodeByEndpoint[$0] }
        return open.flatMap { isNeighbour($0, of: index) ? nil : $0 }
    }

    // MARK: Datagrams

    private mutating func sendDatagram(
        _ bytes: [UInt8], from: Int, to: Int, as event: ([UInt8]) -> Event
    ) {
        let profile = network.profile(from: from, to: to)
        guard !network.isCut(from, to), !profile.blocksDatagrams, bytes.count <= profile.maximumDatagramSize,
            !random.happens(with: profile.loss)
        else { return tell(from, "loses \(Self.summary(of: bytes)) to node \(to)") }
        tell(from, "sends \(Self.summary(of: bytes)) to node \(to)")
        for _ in 0..<(random.happens(with: profile.duplication) ? 2 : 1) {
            var delay = random.duration(from: profile.latency, to: profile.latency + profile.jitter)
            if random.happens(with: profile.reordering) { delay += random.duration(from: .zero, to: .milliseconds(80)) }
            queue.add(event(damaged(bytes, by: profile)), at: now.advanced(by: delay))
        }
        if random.happens(with: profile.replay) {
            let delay = random.duration(from: profile.latency, to: .seconds(600))
            queue.add(event(bytes), at: now.advanced(by: delay))
        }
    }

    /// What an observer sees of a datagram: its type and size.
    private static func summary(of bytes: [UInt8]) -> String {
        "a datagram of type \(bytes.first ?? 0) and \(bytes.count) bytes"
    }

    private mutating func damaged(_ bytes: [UInt8], by profile: LinkProfile) -> [UInt8] {
        var bytes = bytes
        if random.happens(with: profile.corruption) { corrupt(&bytes) }
        if random.happens(with: profile.truncation) { bytes.removeLast(1 + random.number(below: bytes.count)) }
        return bytes
    }

    private mutating func corrupt(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return }
        bytes[random.number(below: bytes.count)] ^= UInt8(1 + random.number(below: 255))
    }

    /// A beacon to the whole LAN, or to one address.
    mutating func sendBeacon(_ bytes: [UInt8], to target: Endpoint?, from index: Int) {
        nodes[index].sentByteCount += bytes.count
        if let target {
            return sendDatagram(bytes, from: index, to: target)
        }
        let source = nodes[index].endpoint
        for peer in nodes.indices where isNeighbour(peer, of: index) && peer != index {
            sendDatagram(bytes, from: index, to: peer) { .beacon($0, from: source, to: peer) }
        }
    }

    // MARK: Streams

    private mutating func openStream(_ id: StreamID, from index: Int, to target: Endpoint) {
        let life = nodes[index].life
        let peer = streamTarget(at: target, from: index)
        let profile = network.profile(from: index, to: peer ?? index)
        guard let peer, nodes[peer].isRunning, !network.isCutForStreams(index, peer) else {
            // Refused immediately, or timed out.
            let isRefused = peer.map { !nodes[$0].isRunning && !network.isCutForStreams(index, $0) } ?? false
            let delay: Duration = isRefused ? profile.latency * 2 : .seconds(4)
            queue.add(.stream(.streamFailed(id), to: index, life: life), at: now.advanced(by: delay))
            return
        }
        nodes[peer].acceptedStreamCount += 2
        let near = SimulatedNetwork.StreamEnd(node: index, life: life, id: id)
        let far = SimulatedNetwork.StreamEnd(
            node: peer, life: nodes[peer].life, id: StreamID(nodes[peer].acceptedStreamCount))
        network.peers[near] = far
        network.peers[far] = near
        // An accepted stream's far port is arbitrary.
        let outside =
            isNeighbour(peer, of: index)
            ? nil
            : nodes[index].site.home.flatMap {
                network.internet.outermostAddress(ofHome: $0)
            }
        let source = Endpoint(
            address: outside ?? nodes[index].endpoint.address, port: 40_000 + UInt16(id.number % 20_000))
        deliver(.streamAccepted(far.id, from: source), to: far, after: profile.latency)
        deliver(.streamOpened(id), to: near, after: profile.latency * 2)
    }

    private mutating func sendStream(_ id: StreamID, _ bytes: [UInt8], from index: Int) {
        let near = SimulatedNetwork.StreamEnd(node: index, life: nodes[index].life, id: id)
        guard let far = network.peers[near] else { return }
        let profile = network.profile(from: index, to: far.node)
        var delay = random.duration(from: profile.latency, to: profile.latency + profile.jitter)
        // Lost pieces are sent again after a while and delay those that follow.
        while random.happens(with: min(profile.loss, 0.8)) { delay += .milliseconds(200) }
        if random.happens(with: profile.streamBreakage) {
            let part = Array(bytes.prefix(random.number(below: bytes.count)))
            if !part.isEmpty { deliver(.streamBytesReceived(far.id, part), to: far, after: delay) }
            return breakStream(near, noticedAfter: delay)
        }
        var bytes = bytes
        if random.happens(with: profile.streamCorruption) { corrupt(&bytes) }
        // A stream's pieces differ from what was written.
        let split = bytes.count > 1 && random.happens(with: 0.25) ? 1 + random.number(below: bytes.count - 1) : 0
        if split > 0 {
            deliver(.streamBytesReceived(far.id, Array(bytes.prefix(split))), to: far, after: delay)
            bytes.removeFirst(split)
        }
        deliver(.streamBytesReceived(far.id, bytes), to: far, after: delay)
    }

    private mutating func closeStream(_ near: SimulatedNetwork.StreamEnd) {
        guard let far = network.peers.removeValue(forKey: near) else { return }
        network.peers[far] = nil
        network.arrivals[near] = nil
        deliver(.streamClosed(far.id), to: far, after: network.profile(from: near.node, to: far.node).latency)
        network.arrivals[far] = nil
    }

    /// Delivers in order.
    private mutating func deliver(
        _ input: LinkInput, to end: SimulatedNetwork.StreamEnd, after delay: Duration
    ) {
        let instant = max(now.advanced(by: delay), network.arrivals[end] ?? .zero)
        network.arrivals[end] = instant
        queue.add(.stream(input, to: end.node, life: end.life), at: instant)
    }

    /// A process has ended: its system closes its peers' streams.
    mutating func breakStreams(of index: Int) {
        for near in network.peers.keys.sorted() where near.node == index { closeStream(near) }
    }

    /// Streams between islands break.
    mutating func breakCutStreams() {
        breakStreams { $0.network.isCutForStreams($1, $2) }
    }

    /// Streams between some nodes break. Both ends hear so at once, when TCP gives up after a quarter of an hour, or at
    /// any time in between.
    mutating func breakStreams(where isBroken: (Simulation, Int, Int) -> Bool) {
        for near in network.peers.keys.sorted() {
            guard let far = network.peers[near], isBroken(self, near.node, far.node) else { continue }
            breakStream(near, noticedAfter: random.duration(from: .seconds(1), to: .seconds(900)))
        }
    }

    private mutating func breakStream(_ near: SimulatedNetwork.StreamEnd, noticedAfter delay: Duration) {
        guard let far = network.peers.removeValue(forKey: near) else { return }
        network.peers[far] = nil
        for end in [near, far] {
            deliver(.streamClosed(end.id), to: end, after: delay)
            network.arrivals[end] = nil
        }
    }
}
