import StreakCrypto
import StreakWire
import Testing

@testable import StreakLinks

/// Strangers, eavesdroppers and misbehaving peers have no visible effect.
struct LinksHostileTests {
    private let stranger = Endpoint(ipv4: 0x0A00_00FF, port: 9)

    private func livePair(_ profile: LinksNetwork.Profile = .init()) -> LinksNetwork {
        var network = LinksNetwork()
        network.profile = profile
        network.add(11, invites: [LinksFixture.inviteKey])
        network.add(12, invites: [LinksFixture.inviteKey])
        network.dial(0, 1)
        network.run(for: .seconds(1))
        for number in 0..<5 as Range<UInt8> {
            network.send([UInt8](repeating: number, count: 3_000), from: 0)
            network.send([number], from: 1, as: .rumour)
        }
        network.run(for: .seconds(1))
        return network
    }

    /// Every datagram of a link's life: both kinds of handshake, messages, renewal.
    private func captured() -> [LinksNetwork.Datagram] {
        var network = livePair(.init(blocksStreams: true))
        network.run(for: .seconds(130))
        network.send([1], from: 0)
        network.run(for: .seconds(2))
        network.close(0)
        network.run(for: .seconds(1))
        network.dial(0, 1, key: LinksFixture.inviteKey, knowsPeer: false)
        network.run(for: .seconds(2))
        return network.sent
    }

    @Test func `strangers get silence`() {
        var network = LinksNetwork()
        network.add(11, invites: [LinksFixture.inviteKey])
        network.add(12, keys: [LinksFixture.otherKey])
        var random = SeededEntropy(seed: 5)
        // Garbage of every type, and of the sizes that some packet has.
        for type in 0...255 {
            for size in [0, 1, 13, 30, 64, 69, 73, 86, 105, 134, 500, 1_200, 1_201, 9_000] {
                var bytes = random.bytes(size)
                if size > 0 { bytes[0] = UInt8(type) }
                if size > 1, type == 1 { bytes[1] = 1 }
                network.give(.datagramReceived(bytes, from: stranger), to: 0)
            }
        }
        var junk = [UInt8](repeating: 0, count: HandshakeMessages.memberInitiationSize)
        (junk[0], junk[1]) = (1, 1)
        for _ in 0..<20 { network.give(.datagramReceived(junk, from: stranger), to: 0) }
        let isLimited = network.nodes[0].drops.contains(.rateLimited)
        #expect(isLimited)
        // Dials under keys that the node does not have.
        network.dial(1, 0, key: LinksFixture.otherKey)
        network.dial(1, 0, key: LinksFixture.otherKey, knowsPeer: false)
        network.run(for: .seconds(30))
        #expect(network.sent.allSatisfy { $0.source == network.nodes[1].endpoint })
        #expect(network.streamPieces.allSatisfy { $0.node == 1 })
        #expect(network.nodes[0].openedCount == 0)
        #expect(network.nodes[0].links.nextDeadline == nil)
        #expect(network.nodes[1].dialFailures.count == 2)
        let hasInvalidTags = network.nodes[0].drops.contains(.invalidTag)
        #expect(hasInvalidTags)
    }

    @Test func `the right tag with the wrong key gets silence`() {
        var network = LinksNetwork()
        network.add(11)
        network.add(12)
        // A dial to node 0's address with another node's key: the tag is valid, the handshake is not.
        var entropy = SeededEntropy(seed: 77)
        network.nodes[1].links.dial(
            peer: LinksFixture.publicKey(seed: 500), key: LinksFixture.key, to: network.nodes[0].endpoint,
            at: .zero, entropy: &entropy)
        network.give(.deadlineReached, to: 1)
        network.run(for: .seconds(30))
        #expect(!network.sent.isEmpty)
        #expect(network.sent.allSatisfy { $0.source == network.nodes[1].endpoint })
        #expect(network.streamPieces.allSatisfy { $0.node == 1 })
        #expect(network.nodes[0].drops.contains(.handshakeFailed))
        #expect(network.nodes[1].openedCount == 0)
    }

    @Test func `a holder of the key is heard while strangers shout from the same address`() {
        var network = LinksNetwork()
        network.add(11)
        network.add(12)
        network.dial(1, 0, usesStreams: false)
        var junk = [UInt8](repeating: 0, count: HandshakeMessages.memberInitiationSize)
        (junk[0], junk[1]) = (1, 1)
        for _ in 0..<4 { network.give(.datagramReceived(junk, from: network.nodes[1].endpoint), to: 0) }
        network.run(for: .seconds(1))
        #expect(network.nodes[0].openedCount == 1)
    }

    @Test func `thirty members behind one address all get in`() {
        var network = LinksNetwork()
        network.add(100)
        for member in 1...30 {
            network.add(100 + UInt64(member), at: Endpoint(ipv4: 0x0A00_0042, port: UInt16(member)))
        }
        for member in 1...30 { network.dial(member, 0) }
        network.run(for: .seconds(3))
        #expect(network.nodes[0].links.liveLinks.count == 30)
    }

    @Test func `every captured packet replayed at any time changes nothing`() {
        let original = captured()
        var network = livePair(.init(blocksStreams: true))
        // The other run had the same seeds, so its packets are this link's own past and future. Take the past ones.
        let past = network.sent
        #expect(original.starts(with: past, by: { $0.bytes == $1.bytes }))
        let nodes = network.nodes
        for source in [nil, stranger] {
            for datagram in past {
                let target = datagram.target == nodes[0].endpoint ? 0 : 1
                network.give(.datagramReceived(datagram.bytes, from: source ?? datagram.source), to: target)
            }
        }
        for (before, after) in zip(nodes, network.nodes) {
            #expect(after.messages == before.messages)
            #expect(after.openedCount == 1 && after.closings.isEmpty)
            #expect(after.summary?.endpoint == before.summary?.endpoint)
            #expect(after.datagramCount == before.datagramCount)
        }
        network.send([42], from: 0)
        network.send([43], from: 1)
        network.run(for: .seconds(1))
        #expect(network.nodes[1].messages.last == [42])
        #expect(network.nodes[0].messages.last == [43])
    }

    @Test func `a whole conversation replayed to a node that forgot it opens no link`() {
        let past = captured()
        var network = LinksNetwork()
        network.add(11, invites: [LinksFixture.inviteKey])
        network.add(12, invites: [LinksFixture.inviteKey])
        network.nodes[0].entropy = SeededEntropy(seed: 91)
        network.nodes[1].entropy = SeededEntropy(seed: 92)
        for _ in 0..<3 {
            for datagram in past {
                let target = datagram.target == network.nodes[0].endpoint ? 0 : 1
                network.give(.datagramReceived(datagram.bytes, from: stranger), to: target)
            }
        }
        // Handshakes are answered (once each, with less than was sent), but nothing follows.
        let initiations = Set(past.filter { $0.bytes.first == 1 }.map(\.bytes)).count
        #expect(
            network.nodes[0].links.sessions.answerCount + network.nodes[1].links.sessions.answerCount <= initiations)
        network.run(for: .seconds(30))
        for node in network.nodes {
            #expect(node.openedCount == 0)
            #expect(node.links.sessions.isEmpty)
            #expect(node.links.nextDeadline == nil)
        }
    }

    @Test func `replays of a captured handshake during a live link leave it alone`() {
        var network = livePair(.init(blocksStreams: true))
        let initiations = network.sent.filter { $0.bytes.first == 1 }
        var other = livePair(.init(blocksStreams: true))
        other.nodes[0].entropy = SeededEntropy(seed: 1_234)
        other.close(1)
        other.run(for: .seconds(1))
        for _ in 0..<20 {
            other.dial(0, 1, usesStreams: false)
            other.profile.blocksDatagrams = true
            other.run(for: .seconds(10))
        }
        // Twenty more message 1 from the same peer, never answered, arrive at the same time.
        let stock = initiations + other.sent.filter { $0.bytes.first == 1 }
        for _ in 0..<3 {
            for datagram in stock { network.give(.datagramReceived(datagram.bytes, from: stranger), to: 1) }
        }
        #expect(network.nodes[1].links.sessions.answerCount <= 4)
        #expect(network.nodes[1].openedCount == 1)
        network.send([42], from: 0)
        network.send([43], from: 1)
        network.run(for: .seconds(200))
        #expect(network.nodes[1].messages.last == [42])
        #expect(network.nodes[0].messages.last == [43])
        #expect(network.nodes.allSatisfy { $0.openedCount == 1 && $0.closings.isEmpty })
        #expect(network.nodes[1].links.sessions.count == 1)
    }

    @Test func `no flipped bit and no cut of any packet gets through`() {
        var network = LinksNetwork()
        network.profile.blocksStreams = true
        network.add(11, invites: [LinksFixture.inviteKey])
        network.add(12, invites: [LinksFixture.inviteKey])
        network.dial(0, 1)
        network.dial(0, 1, key: LinksFixture.inviteKey, knowsPeer: false)
        // Before each datagram, all its damaged forms arrive.
        var seen = 0
        for step in 0..<40 {
            if step == 20 { network.send([UInt8](repeating: 1, count: 100), from: 0) }
            if step == 25 { network.send([UInt8](repeating: 2, count: 100), from: 1, as: .rumour) }
            for datagram in network.sent[seen...] {
                damage(datagram, in: &network)
            }
            seen = network.sent.count
            network.run(for: .milliseconds(10))
        }
        for node in network.nodes {
            #expect(node.closings.allSatisfy { $0 == .superseded || $0 == .closedByPeer })
            #expect(node.messages.count == 1)
            #expect(node.links.liveLinks.count == 1)
        }
    }

    private func damage(_ datagram: LinksNetwork.Datagram, in network: inout LinksNetwork) {
        let target = datagram.target == network.nodes[0].endpoint ? 0 : 1
        let before = network.nodes[target]
        for position in datagram.bytes.indices {
            var bytes = datagram.bytes
            bytes[position] ^= 1 << UInt8(position % 8)
            // From a new source each time. Otherwise the limit on messages without a tag would hide the other checks.
            let source = Endpoint(ipv4: 0x0B00_0000 + UInt32(position), port: 1)
            network.give(.datagramReceived(bytes, from: source), to: target)
            network.give(.datagramReceived(Array(datagram.bytes[..<position]), from: source), to: target)
        }
        network.give(.datagramReceived(datagram.bytes + [0], from: stranger), to: target)
        let after = network.nodes[target]
        #expect(after.datagramCount == before.datagramCount)
        #expect(
            after.events.count { if case .dropped = $0 { false } else { true } }
                == before.events.count { if case .dropped = $0 { false } else { true } })
    }

    // MARK: Streams

    @Test func `half-open streams are bounded, silent and closed after five seconds`() {
        var network = LinksNetwork()
        network.add(11)
        for number in 1...5_000 as ClosedRange<UInt64> {
            let source = Endpoint(ipv4: UInt32(number), port: 1)
            network.give(.streamAccepted(StreamID(number * 2), from: source), to: 0)
            network.give(.streamBytesReceived(StreamID(number * 2), [0]), to: 0)
            network.give(.streamBytesReceived(StreamID(number * 2), [134, 1, 1, 0]), to: 0)
        }
        #expect(network.nodes[0].links.streams.count == 64)
        #expect(network.nodes[0].links.streams.values.allSatisfy { $0.buffer.count == 5 })
        #expect(network.streamPieces.isEmpty)
        network.run(for: .seconds(5))
        #expect(network.nodes[0].links.streams.isEmpty)
        #expect(network.nodes[0].links.nextDeadline == nil)
    }

    @Test func `one address holds a quarter of the waiting streams, and four do not keep a fifth out`() {
        var network = LinksNetwork()
        network.add(11)
        func accept(_ number: UInt64, from address: UInt32) {
            network.give(
                .streamAccepted(StreamID(number * 2), from: Endpoint(ipv4: address, port: UInt16(number))), to: 0)
        }
        for number in 1...30 as ClosedRange<UInt64> { accept(number, from: 1) }
        #expect(network.nodes[0].links.streams.count == 16)
        for number in 31...120 as ClosedRange<UInt64> { accept(number, from: 2 + UInt32(number) % 3) }
        #expect(network.nodes[0].links.streams.count == 64)
        accept(200, from: 9)
        #expect(network.nodes[0].links.streams.count == 64)
        #expect(network.nodes[0].links.streams[StreamID(400)] != nil)
        // An accepted stream stays, and a source cannot displace one from a source with no more streams than itself.
        for number in 201...300 as ClosedRange<UInt64> { accept(number, from: 10) }
        #expect(network.nodes[0].links.streams[StreamID(400)] != nil)
        let byAddress = Dictionary(grouping: network.nodes[0].links.streams.values) { $0.endpoint.address }
        let counts = byAddress.values.map(\.count).sorted()
        #expect(byAddress.count == 6 && counts == [1, 12, 12, 13, 13, 13], "\(counts)")
        #expect(network.nodes[0].links.streams.count == 64)
    }

    @Test func `a stream without a valid tag is closed without a byte`() {
        let wrong: [[UInt8]] = [
            [0, 0], [0, 1, 1], [5, 1], [255, 255], [0, 134] + [1, 1] + [UInt8](repeating: 7, count: 132),
            [0, 86] + [1, 1] + [UInt8](repeating: 7, count: 84), [0, 134] + [UInt8](repeating: 4, count: 134),
            Array("GET / HTTP/1.1\r\n\r\n".utf8),
        ]
        for (number, bytes) in wrong.enumerated() {
            var network = LinksNetwork()
            network.add(11, invites: [LinksFixture.inviteKey])
            let id = StreamID(UInt64(number + 1) * 2)
            network.give(.streamAccepted(id, from: stranger), to: 0)
            network.give(.streamBytesReceived(id, bytes), to: 0)
            #expect(network.nodes[0].links.streams.isEmpty, "\(bytes)")
            #expect(network.streamPieces.isEmpty)
            #expect(network.nodes[0].drops.count == 1)
        }
    }

    @Test func `streams that begin with garbage count against their source`() {
        var network = LinksNetwork()
        network.add(11)
        for number in 1...6 as ClosedRange<UInt64> {
            network.give(.streamAccepted(StreamID(number * 2), from: stranger), to: 0)
            network.give(.streamBytesReceived(StreamID(number * 2), [255, 255]), to: 0)
        }
        #expect(network.nodes[0].drops.suffix(2).contains(.rateLimited), "\(network.nodes[0].drops)")
    }

    @Test func `a handshake captured on a stream opens nothing when replayed`() {
        var network = livePair(.init(blocksDatagrams: true))
        let pieces = network.streamPieces.filter { $0.node == 0 }
        let before = network.nodes[1]
        for round in 0..<20 as Range<UInt64> {
            let id = StreamID(1_000 + round * 2)
            network.give(.streamAccepted(id, from: stranger), to: 1)
            for piece in pieces.prefix(round == 0 ? pieces.count : 1) {
                network.give(.streamBytesReceived(id, piece.bytes), to: 1)
            }
        }
        // At most four wait for their initiator.
        #expect(network.nodes[1].links.streams.count <= 5)
        network.run(for: .seconds(6))
        #expect(network.nodes[1].links.streams.count == 1)
        #expect(network.nodes[1].messages == before.messages)
        #expect(network.nodes[1].openedCount == 1 && network.nodes[1].closings.isEmpty)
    }

    @Test func `a damaged frame closes its stream, and the link goes on over datagrams`() throws {
        var network = livePair()
        let stream = try #require(network.nodes[1].links.streams.keys.first)
        network.give(.streamBytesReceived(stream, [0, 20] + [UInt8](repeating: 0, count: 20)), to: 1)
        network.run(for: .seconds(1))
        #expect(network.nodes.allSatisfy { $0.closings.isEmpty && $0.summary?.hasStream == false })
        network.send([8], from: 0)
        network.run(for: .seconds(1))
        #expect(network.nodes[1].messages.last == [8])
    }

    /// A length of 65,535 in place of a short frame: everything after it would be taken for the rest of the frame.
    @Test(arguments: [(pauseSeconds: 120, limit: 10), (pauseSeconds: 4, limit: 60)])
    func `a stream whose frame never ends is given up, and what it swallowed comes again`(
        pauseSeconds: Int, limit: Int
    ) throws {
        var network = livePair()
        let stream = try #require(network.nodes[1].links.streams.keys.first)
        let before = network.nodes[1].messages.count
        network.give(.streamBytesReceived(stream, [0xFF, 0xFF, 0]), to: 1)
        let end = network.now.advanced(by: .seconds(limit))
        network.send([8], from: 0)
        var sent = 1
        while network.now.advanced(by: .seconds(pauseSeconds)) < end {
            network.run(for: .seconds(pauseSeconds))
            network.send([8], from: 0)
            sent += 1
        }
        network.run(for: network.now.duration(to: end) - .milliseconds(100))
        #expect(network.nodes[1].messages.count == before)
        network.run(for: .seconds(1))
        #expect(network.nodes[1].messages.dropFirst(before) == ArraySlice(repeating: [8], count: sent))
        #expect(network.nodes.allSatisfy { $0.closings.isEmpty && $0.summary?.hasStream == false })
    }

    @Test func `a slow frame is waited for`() throws {
        var network = livePair(.init(blocksDatagrams: true))
        let stream = try #require(network.nodes[1].links.streams.keys.first)
        let pieces = network.streamPieces.count
        network.nodes[1].isOn = false
        network.send([8], from: 0)
        network.run(for: .seconds(1))
        network.nodes[1].isOn = true
        let frame = try #require(network.streamPieces.dropFirst(pieces).first).bytes
        // 8 s apart, in at most eight parts.
        for start in stride(from: 0, to: frame.count, by: frame.count / 6) {
            network.give(.streamBytesReceived(stream, Array(frame[start...].prefix(frame.count / 6))), to: 1)
            network.run(for: .seconds(8))
        }
        #expect(network.nodes[1].messages.last == [8])
        #expect(network.nodes[1].links.streams[stream] != nil)
    }

    @Test func `streams may come in single bytes`() {
        var network = LinksNetwork()
        network.add(11)
        network.add(12)
        network.profile.blocksDatagrams = true
        network.dial(0, 1)
        network.run(for: .milliseconds(25))
        let id = network.nodes[1].links.streams.keys[0]
        for byte in network.streamPieces[0].bytes { network.give(.streamBytesReceived(id, [byte]), to: 1) }
        #expect(network.streamPieces.count == 2)
    }

    // MARK: Bounds

    @Test func `links and dials are limited`() {
        var limits = LinkLimits()
        limits.maximumLinks = 4
        limits.maximumDials = 8
        limits.maximumStreams = 2
        limits.maximumStrangerStreams = 2
        var network = LinksNetwork()
        network.add(100, limits: limits)
        for member in 1...10 as ClosedRange<UInt64> { network.add(100 + member) }
        for member in 1...10 { network.dial(member, 0) }
        network.run(for: .seconds(10))
        #expect(network.nodes[0].links.liveLinks.count == 4)
        #expect(network.nodes[0].links.streams.count <= 2)
        for _ in 0..<20 {
            var entropy = SeededEntropy(seed: 1)
            network.nodes[1].links.dial(
                peer: LinksFixture.publicKey(seed: 900), key: LinksFixture.key, to: stranger, at: network.now,
                entropy: &entropy)
        }
        #expect(network.nodes[1].links.dials.count <= 256)
    }

    @Test func `a member that floods handshakes fills nothing`() {
        var limits = LinkLimits()
        limits.maximumProvisionalSessions = 16
        var network = LinksNetwork()
        network.add(11, invites: [LinksFixture.inviteKey], limits: limits)
        for number in 0..<400 as Range<UInt64> {
            var entropy = SeededEntropy(seed: 10_000 + number % 100)
            let secret = AgreementSecretKey.generate(from: &entropy)
            var attacker = Links(staticKey: secret)
            var fresh = SeededEntropy(seed: 50_000 + number)
            attacker.dial(
                peer: number % 2 == 0 ? network.publicKey(0) : nil,
                key: number % 2 == 0 ? LinksFixture.key : LinksFixture.inviteKey, to: network.nodes[0].endpoint,
                usesStreams: false, at: .zero, entropy: &fresh)
            for case .sendDatagram(let bytes, _, _) in attacker.drain().outputs {
                network.give(.datagramReceived(bytes, from: stranger), to: 0)
            }
        }
        let links = network.nodes[0].links
        #expect(links.sessions.answerCount <= 16)
        #expect(links.sessions.count <= 16)
        #expect(links.out.timers.count <= 16)
        network.run(for: .seconds(11))
        #expect(network.nodes[0].links.sessions.isEmpty)
        #expect(network.nodes[0].links.nextDeadline == nil)
    }
}
