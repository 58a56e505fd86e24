import StreakEngine
import StreakLinks
import StreakWire

/// Strangers who send to a node that everybody can reach. They know no key.
extension Simulation {
    /// The most streams without a link that a node keeps open (Protocol/links.md §8).
    private static let maximumWaitingStreams = 64
    private static let largestDatagram = 1_472

    /// The address of a stranger, each in a network of its own, away from all homes.
    private static func stranger(_ number: Int) -> Endpoint {
        Endpoint(ipv4: 0x6500_0001 + UInt32(number) << 8, port: 40_000)
    }

    static func isStranger(_ endpoint: Endpoint) -> Bool {
        endpoint.ipv4.map { (0x6500_0000..<0x7000_0000).contains($0) } ?? false
    }

    mutating func scheduleStrangers(to index: Int, count: Int, over time: Duration) {
        for number in 0..<count {
            let instant = now.advanced(by: random.duration(from: .zero, to: time))
            queue.add(.strangerSends(number, to: index), at: instant)
        }
    }

    mutating func strangerSends(_ number: Int, to index: Int) {
        guard nodes[index].isRunning else { return }
        let source = Self.stranger(number)
        let target = outsideEndpoint(of: index)
        let bytes = noise()
        if number.isMultiple(of: 4) {
            openStrangersStream(from: source, saying: bytes, to: index)
        } else {
            let departure = Internet.Departure(source: source, hops: Internet.fullHopLimit - Internet.coreHops)
            guard network.internet.receive(departure, to: target, at: now) == nodes[index].endpoint else {
                return fail("node \(index) has no open port", .story)
            }
            give(.link(.datagramReceived(bytes, from: source)), to: index)
        }
        if nodes[index].strangersStreams.count > Self.maximumWaitingStreams {
            fail("node \(index) keeps \(nodes[index].strangersStreams.count) streams of strangers", .engine)
        }
    }

    /// Three in four say nothing. None is closed by its stranger.
    private mutating func openStrangersStream(from source: Endpoint, saying bytes: [UInt8], to index: Int) {
        nodes[index].acceptedStreamCount += 2
        let id = StreamID(nodes[index].acceptedStreamCount)
        nodes[index].strangersStreams.insert(id)
        give(.link(.streamAccepted(id, from: source)), to: index)
        if random.happens(with: 0.25) { give(.link(.streamBytesReceived(id, bytes)), to: index) }
    }

    private mutating func noise() -> [UInt8] {
        let size = 1 + random.number(below: Self.largestDatagram)
        // The first byte is the type of a message; those beyond are unknown.
        return [UInt8(random.number(below: 10))] + (1..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// Notes what a node sends, which must not go to a stranger.
    mutating func noteForStrangers(_ output: LinkOutput, from index: Int) {
        switch output {
        case .sendDatagram(_, let target, _):
            if Self.isStranger(target) { fail("node \(index) answers a stranger at \(target)", .engine) }
        case .sendStream(let id, _):
            if nodes[index].strangersStreams.contains(id) {
                fail("node \(index) answers on a stranger's stream", .engine)
            }
        case .closeStream(let id): nodes[index].strangersStreams.remove(id)
        case .openStream: break
        }
    }
}
