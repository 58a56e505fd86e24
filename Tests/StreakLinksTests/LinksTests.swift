import StreakCrypto
import StreakLinks
import StreakWire
import Testing

/// Two nodes exchange messages over networks of any quality.
struct LinksTests {
    private func pair(
        _ profile: LinksNetwork.Profile = .init(), seed: UInt64 = 1, limits: LinkLimits = LinkLimits()
    ) -> LinksNetwork {
        var network = LinksNetwork(seed: seed)
        network.profile = profile
        network.add(11, limits: limits)
        network.add(12, limits: limits)
        return network
    }

    private func message(_ number: Int, size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    }

    @Test func `a dial opens one link over both paths`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(20))
        for node in network.nodes {
            #expect(node.openedCount == 1)
            #expect(node.closings.isEmpty)
            #expect(node.drops.isEmpty)
            #expect(node.dialFailures.isEmpty)
            #expect(node.summary?.hasStream == true)
            #expect(node.summary?.hasDatagrams == true)
            #expect(node.summary?.via == .lan)
        }
        #expect(network.nodes[0].bindings == network.nodes[1].bindings)
        #expect(network.nodes[0].bindings.first?.count == 32)
        #expect(network.nodes[0].links.link(to: network.publicKey(1)) == network.nodes[0].links.liveLinks.first)
        #expect(network.nodes[0].summary?.roundTripTime == .milliseconds(20))
    }

    @Test func `an invite opens a link with a peer not known before`() {
        var network = LinksNetwork()
        network.add(11, keys: [])
        network.add(12, keys: [], invites: [LinksFixture.otherKey, LinksFixture.inviteKey])
        network.dial(0, 1, key: LinksFixture.inviteKey, knowsPeer: false)
        network.run(for: .seconds(20))
        for node in network.nodes {
            #expect(node.openedCount == 1)
            #expect(node.closings.isEmpty)
            #expect(node.drops.isEmpty)
            #expect(node.summary?.hasStream == true)
            #expect(node.summary?.hasDatagrams == true)
        }
        #expect(network.nodes[0].bindings == network.nodes[1].bindings)
        let keys = network.nodes.map { node in
            node.events.compactMap { event -> (AgreementPublicKey, LinkKey, Bool)? in
                guard case .opened(_, let peer, let key, _, let isInitiator, _) = event else { return nil }
                return (peer, key, isInitiator)
            }
        }
        #expect(keys[0].first?.0 == network.publicKey(1))
        #expect(keys[1].first?.0 == network.publicKey(0))
        #expect(keys[1].first?.1 == LinksFixture.inviteKey)
        #expect(keys.map { $0.first?.2 } == [true, false])
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `messages arrive once and in order over any paths`(datagrams: Bool, streams: Bool) {
        var network = pair(.init(blocksDatagrams: !datagrams, blocksStreams: !streams))
        network.dial(0, 1)
        network.run(for: .seconds(1))
        let messages = (0..<50).map { message($0, size: $0 * 1_000) }
        for message in messages { network.send(message, from: 0) }
        for message in messages.reversed() { network.send(message, from: 1) }
        network.run(for: .seconds(20))
        #expect(network.nodes[1].messages == messages)
        #expect(network.nodes[0].messages == messages.reversed())
        #expect(network.nodes.allSatisfy { $0.links.queuedByteCount($0.links.liveLinks[0]) == 0 })
        #expect(network.nodes.allSatisfy { $0.closings.isEmpty })
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a megabyte passes intact over datagrams that are lost, doubled and overtaken`(seed: UInt64) {
        let profile = LinksNetwork.Profile(
            latency: .milliseconds(5), jitter: .milliseconds(5), loss: 0.2, duplication: 0.05, blocksStreams: true)
        var network = pair(profile, seed: seed)
        network.dial(0, 1)
        network.run(for: .seconds(5))
        let messages = (0..<20).map { message($0, size: 52_429) }
        for message in messages { network.send(message, from: 0) }
        let start = network.now
        network.run(for: .seconds(120)) { $0.nodes[1].messages.count == 20 }
        #expect(network.nodes[1].messages == messages)
        #expect(start.duration(to: network.now) < .seconds(15))
        #expect(network.nodes[0].openedCount == 1)
    }

    @Test func `rumours take one datagram if they fit, and the stream or channel if not`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(1))
        let before = network.sent.count
        network.send(message(1, size: 1_000), from: 0, as: .rumour)
        #expect(network.sent.count == before + 1)
        network.send(message(2, size: 1_170), from: 0, as: .rumour)
        network.send(message(3, size: 1_171), from: 0, as: .rumour)
        network.run(for: .seconds(1))
        let paths = network.nodes[1].events.compactMap { event -> LinkPath? in
            if case .messageReceived(_, _, let path) = event { path } else { nil }
        }
        #expect(paths == [.datagram, .datagram, .stream])
        let areTaken = [60_000, 60_001].map { network.send(message(4, size: $0), from: 0) }
        #expect(areTaken == [true, false])
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `both dialling at once gives one link and loses nothing`(seed: UInt64) {
        let profile = LinksNetwork.Profile(jitter: .milliseconds(20), loss: seed > 10 ? 0.2 : 0, duplication: 0.1)
        var network = pair(profile, seed: seed)
        network.dial(0, 1)
        network.dial(1, 0)
        var sent: [[[UInt8]]] = [[], []]
        for round in 0..<100 {
            network.run(for: .milliseconds(7))
            for node in 0..<2 {
                let text = message(round + node * 1_000, size: 300)
                if network.send(text, from: node) { sent[node].append(text) }
            }
        }
        network.run(for: .seconds(100))
        #expect(network.nodes[0].messages == sent[1])
        #expect(network.nodes[1].messages == sent[0])
        for node in network.nodes {
            #expect(node.openedCount == 1)
            #expect(node.closings.isEmpty)
            #expect(node.dialFailures.isEmpty)
            #expect(node.summary?.hasStream == true)
            #expect(node.summary?.hasDatagrams == true)
        }
        #expect(network.nodes[0].bindings == network.nodes[1].bindings)
        #expect(!sent[0].isEmpty && !sent[1].isEmpty)
    }

    @Test func `a stream that dies under way loses nothing, the channel takes over`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(1))
        let messages = (0..<60).map { message($0, size: 20_000) }
        for message in messages.prefix(30) { network.send(message, from: 0) }
        network.run(for: .milliseconds(5))
        network.cutStreams()
        #expect(network.nodes[0].summary?.hasStream == false)
        for message in messages.dropFirst(30) { network.send(message, from: 0) }
        network.run(for: .seconds(20))
        #expect(network.nodes[1].messages == messages)
        #expect(network.nodes[0].closings.isEmpty && network.nodes[1].closings.isEmpty)
        // A new stream joins the link and continues.
        network.dial(0, 1, usesDatagrams: false)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].summary?.hasStream == true)
        network.send([7], from: 0)
        network.run(for: .seconds(1))
        #expect(network.nodes[1].messages.last == [7])
        #expect(network.nodes[1].openedCount == 1)
    }

    @Test func `datagrams that stop getting through leave the stream to carry everything`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(1))
        network.profile.blocksDatagrams = true
        network.run(for: .seconds(400))
        for node in network.nodes {
            #expect(node.closings.isEmpty)
            #expect(node.summary?.hasDatagrams == false)
            #expect(node.summary?.hasStream == true)
        }
        network.send([1], from: 0)
        network.send([2], from: 0, as: .rumour)
        network.run(for: .seconds(1))
        #expect(network.nodes[1].messages == [[1], [2]])
        network.profile.blocksDatagrams = false
        network.dial(1, 0, usesStreams: false)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].summary?.hasDatagrams == true)
        #expect(network.nodes[0].openedCount == 1)
    }

    @Test func `a stream that joins takes over what datagrams lost`() {
        var network = pair(.init(blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .seconds(1))
        network.profile.blocksDatagrams = true
        let messages = (0..<10).map { message($0, size: 10_000) }
        for message in messages { network.send(message, from: 0) }
        network.run(for: .seconds(2))
        network.profile.blocksStreams = false
        network.dial(1, 0, usesDatagrams: false)
        network.run(for: .seconds(5))
        #expect(network.nodes[1].messages == messages)
        #expect(network.nodes[1].openedCount == 1)
    }

    @Test func `a late packet of a peer's former life does not bring it back`() {
        var network = pair(.init(blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .milliseconds(15))
        // Node 1 has answered; node 0's next packet is blocked.
        network.profile.blocksDatagrams = true
        network.run(for: .milliseconds(10))
        guard let late = network.sent.last(where: { $0.bytes.first == 4 }) else {
            Issue.record("no packet was held up")
            return
        }
        var fresh = LinksNetwork()
        fresh.add(11)
        network.nodes[0].links = fresh.nodes[0].links
        network.nodes[0].entropy = SeededEntropy(seed: 99)
        network.nodes[0].events = []
        network.profile.blocksDatagrams = false
        network.dial(0, 1)
        network.run(for: .seconds(1))
        network.give(.datagramReceived(late.bytes, from: late.source), to: 1)
        network.run(for: .seconds(1))
        #expect(network.nodes.allSatisfy { $0.openedCount == 1 && $0.closings.isEmpty })
        #expect(network.nodes[1].drops == [.unknownSession])
    }

    @Test func `a silent peer is given up after 1.8 intervals, an idle one is kept`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(3_600))
        #expect(network.nodes.allSatisfy { $0.closings.isEmpty })
        // Both are on the LAN: one keepalive each way every 110 s, and no renewal of unused sessions.
        #expect(network.nodes[0].datagramCount < 45)
        network.nodes[1].isOn = false
        network.run(for: .seconds(85))
        #expect(network.nodes[0].closings.isEmpty)
        network.run(for: .seconds(115))
        #expect(network.nodes[0].closings == [.timedOut])
        #expect(network.nodes[0].links.liveLinks.isEmpty)
    }

    @Test func `behind an internet address keepalives go every 25 seconds`() {
        var network = LinksNetwork()
        network.add(11, at: Endpoint(ipv4: 0x0808_0808, port: 1))
        network.add(12, at: Endpoint(ipv4: 0x0909_0909, port: 1))
        network.nodes[0].links.keepalivePayload = [UInt8](repeating: 5, count: 16)
        network.dial(0, 1, usesStreams: false)
        network.run(for: .seconds(1))
        let before = network.sent.filter { $0.source == network.nodes[0].endpoint }
        network.run(for: .seconds(250))
        let after = network.sent.filter { $0.source == network.nodes[0].endpoint }
        #expect(after.count - before.count == 10)
        let bytes = after.dropFirst(before.count).reduce(0) { $0 + $1.bytes.count + 28 }
        #expect(bytes <= 250 * 5)
        #expect(
            network.nodes[1].events.contains { event in
                if case .keepaliveReceived(_, let payload) = event {
                    payload == [UInt8](repeating: 5, count: 16)
                } else {
                    false
                }
            })
        network.nodes[0].links.setKeepalivePayload([6], for: network.nodes[0].links.liveLinks[0])
        network.run(for: .seconds(25))
        guard case .keepaliveReceived(_, [6]) = network.nodes[1].events.last else {
            Issue.record("the link's own payload did not come")
            return
        }
        network.nodes[1].isOn = false
        // It was last heard a moment ago: pings go after 30 s and each 2.5 s, and it is given up after 45 s.
        network.run(for: .seconds(29))
        let silent = network.sent.count { $0.source == network.nodes[0].endpoint }
        network.run(for: .seconds(15))
        #expect(network.nodes[0].closings.isEmpty)
        #expect(network.sent.count { $0.source == network.nodes[0].endpoint } - silent == 6)
        network.run(for: .seconds(2))
        #expect(network.nodes[0].closings == [.timedOut])
    }

    @Test func `a stream on which nothing comes is given up as soon as datagrams are`() {
        var network = LinksNetwork()
        network.profile.blocksDatagrams = true
        network.add(11, at: Endpoint(ipv4: 0x0808_0808, port: 1))
        network.add(12, at: Endpoint(ipv4: 0x0909_0909, port: 1))
        network.dial(0, 1)
        network.run(for: .seconds(251))
        #expect(network.nodes[0].summary?.hasStream == true)
        network.nodes[1].isOn = false
        network.run(for: .seconds(43))
        #expect(network.nodes[0].closings.isEmpty)
        network.run(for: .seconds(4))
        #expect(network.nodes[0].closings == [.timedOut])
    }

    @Test func `closing tells the peer`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(1))
        network.close(0)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].closings == [.closedHere])
        #expect(network.nodes[1].closings == [.closedByPeer])
        network.dial(1, 0)
        network.run(for: .seconds(1))
        #expect(network.nodes.allSatisfy { $0.openedCount == 2 && $0.links.liveLinks.count == 1 })
    }

    @Test func `a peer that restarted is a new link`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(1))
        network.send([1], from: 0)
        network.run(for: .seconds(1))
        // Node 1 forgets everything but its key.
        var fresh = LinksNetwork()
        fresh.add(12)
        network.nodes[1].links = fresh.nodes[0].links
        network.nodes[1].entropy = SeededEntropy(seed: 99)
        network.nodes[1].events = []
        network.dial(1, 0)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].closings == [.superseded])
        #expect(network.nodes[0].openedCount == 2)
        #expect(network.nodes[1].openedCount == 1)
        #expect(network.nodes[0].bindings.last == network.nodes[1].bindings.last)
        network.send([2], from: 0)
        network.send([3], from: 1)
        network.run(for: .seconds(1))
        #expect(network.nodes[1].messages == [[2]])
        #expect(network.nodes[0].messages == [[3]])
        network.run(for: .seconds(500))
        #expect(network.nodes[0].openedCount == 2)
    }

    @Test(arguments: [false, true])
    func `a session in use is renewed, and nothing is lost or repeated meanwhile`(isInvite: Bool) {
        var network = LinksNetwork()
        network.profile = .init(jitter: .milliseconds(10), loss: 0.1, duplication: 0.1, blocksStreams: true)
        network.add(11, invites: [LinksFixture.inviteKey])
        network.add(12, invites: [LinksFixture.inviteKey])
        network.dial(
            0, 1, key: isInvite ? LinksFixture.inviteKey : LinksFixture.key, knowsPeer: !isInvite, usesStreams: false)
        network.run(for: .seconds(3))
        var messages: [[UInt8]] = []
        for number in 0..<1_000 {
            let text = message(number, size: 2_000)
            network.send(text, from: number % 3 == 0 ? 1 : 0)
            if number % 3 != 0 { messages.append(text) }
            network.run(for: .milliseconds(500))
        }
        network.run(for: .seconds(20))
        #expect(network.nodes[1].messages == messages)
        #expect(network.nodes[0].openedCount == 1 && network.nodes[1].openedCount == 1)
        let initiations = network.sent.filter { $0.bytes.first == 1 }
        #expect(Set(initiations.map(\.bytes)).count == 5)
    }

    @Test func `a renewal nobody answers ends the session`() {
        var network = pair(.init(blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .seconds(1))
        network.nodes[1].links.setKeys([], for: .member)
        for _ in 0..<200 {
            network.send([1], from: 0)
            network.run(for: .seconds(1))
        }
        #expect(network.nodes[0].closings == [.rekeyingFailed])
    }

    @Test func `a changed address is followed once it answers`() {
        var network = pair(.init(blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .seconds(1))
        let moved = Endpoint(ipv4: 0x0A00_0099, port: 1_234)
        network.nodes[1].endpoint = moved
        network.send([1], from: 1)
        network.run(for: .seconds(2))
        #expect(network.nodes[0].messages == [[1]])
        #expect(network.nodes[0].summary?.endpoint == moved)
        network.send([2], from: 0)
        network.run(for: .seconds(1))
        #expect(network.nodes[1].messages == [[2]])
    }

    @Test func `a packet sent on from elsewhere moves nothing`() throws {
        var network = pair(.init(blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .seconds(1))
        let home = network.nodes[1].endpoint
        network.profile.blocksDatagrams = true
        network.send([9], from: 1, as: .rumour)
        let captured = try #require(network.sent.last)
        network.profile.blocksDatagrams = false
        network.give(.datagramReceived(captured.bytes, from: Endpoint(ipv4: 0x0A00_0055, port: 5)), to: 0)
        network.run(for: .seconds(5))
        #expect(network.nodes[0].messages == [[9]])
        #expect(network.nodes[0].summary?.endpoint == home)
    }

    @Test func `a local address is not given up for an internet one, but the other way round`() {
        let (local, remote) = (Endpoint(ipv4: 0x0A00_0001, port: 1), Endpoint(ipv4: 0x0808_0808, port: 1))
        for (first, second) in [(local, remote), (remote, local)] {
            var network = LinksNetwork()
            network.profile.blocksStreams = true
            network.add(11, at: Endpoint(ipv4: 0x0A00_0002, port: 1))
            network.add(12, at: first)
            network.dial(0, 1)
            network.run(for: .seconds(1))
            network.nodes[1].endpoint = second
            network.dial(0, 1)
            network.run(for: .milliseconds(30))
            #expect(network.nodes[0].summary?.endpoint == local)
            #expect(network.nodes[0].openedCount == 1)
        }
    }

    @Test func `a dial nobody answers fails after five seconds`() {
        var network = pair(.init(blocksDatagrams: true, blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .milliseconds(4_900))
        #expect(network.nodes[0].dialFailures.isEmpty)
        // At 0, 250, 750, 1,750 and 3,750 ms.
        #expect(network.sent.count == 5)
        network.run(for: .milliseconds(200))
        #expect(network.nodes[0].dialFailures == [.unanswered])
        #expect(network.nodes[0].links.nextDeadline == nil)
    }

    @Test func `a link whose responder is never heard ends after five seconds`() {
        var network = pair(.init(blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .milliseconds(15))
        network.nodes[1].isOn = false
        network.run(for: .milliseconds(4_900))
        #expect(network.nodes[0].openedCount == 1 && network.nodes[0].closings.isEmpty)
        network.run(for: .milliseconds(200))
        #expect(network.nodes[0].closings == [.timedOut])
        #expect(network.nodes[0].links.nextDeadline == nil)
    }

    @Test func `a session that was given up while its responder counts on it serves again once a packet comes`() {
        var network = pair(.init(blocksStreams: true))
        network.dial(0, 1)
        network.run(for: .seconds(1))
        network.muteNodes = [1]
        network.dial(0, 1)
        network.run(for: .seconds(6))
        network.muteNodes = []
        network.send([1], from: 1, as: .rumour)
        network.send([2], from: 0, as: .rumour)
        // Longer than old sessions are kept.
        network.run(for: .seconds(300))
        network.send([3], from: 1, as: .rumour)
        network.send([4], from: 0, as: .rumour)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].messages == [[1], [3]])
        #expect(network.nodes[1].messages == [[2], [4]])
        #expect(network.nodes.allSatisfy { $0.drops.isEmpty && $0.closings.isEmpty })
    }

    @Test func `dialling oneself fails`() {
        var network = pair()
        network.add(13, invites: [LinksFixture.inviteKey])
        network.dial(0, 0)
        network.dial(2, 2, key: LinksFixture.inviteKey, knowsPeer: false)
        network.run(for: .seconds(10))
        #expect(network.nodes[0].dialFailures == [.ownDevice])
        #expect(network.nodes[2].dialFailures.count == 1)
        #expect(network.nodes[2].openedCount == 0)
    }

    @Test func `an idle stream is closed while datagrams get through`() {
        var network = pair()
        network.dial(0, 1)
        network.run(for: .seconds(290))
        #expect(network.nodes[0].summary?.hasStream == true)
        network.run(for: .seconds(60))
        for node in network.nodes {
            #expect(node.summary?.hasStream == false)
            #expect(node.summary?.hasDatagrams == true)
            #expect(node.closings.isEmpty)
        }
    }

    @Test func `the same seed gives the same packets`() {
        var runs: [[[UInt8]]] = []
        for _ in 0..<2 {
            var network = pair(.init(jitter: .milliseconds(9), loss: 0.3, duplication: 0.2))
            network.dial(0, 1)
            network.dial(1, 0)
            network.run(for: .seconds(1))
            for number in 0..<20 { network.send(message(number, size: 3_000), from: number % 2) }
            network.run(for: .seconds(150))
            runs.append(network.sent.map(\.bytes) + network.streamPieces.map(\.bytes))
        }
        #expect(runs[0] == runs[1])
    }
}
