import StreakCrypto
import StreakWire
import Testing

@testable import StreakLinks

/// The handshake under a friend code, packet by packet: the owner reveals itself first; strangers learn nothing.
struct LinksFriendTests {
    private static let codeKey = makeKey(1)
    private static let otherKey = makeKey(2)
    private static let credential = [UInt8](1...200)

    private static func makeKey(_ seed: UInt64) -> LinkKey {
        let key = LinksFixture.makeKey(40 + seed)
        return LinkKey(handshake: .friend, presharedKey: key.presharedKey, tagKey: key.tagKey, label: "code \(seed)")
    }

    /// Node 0 owns the code, node 1 asks.
    private func network(blocksStreams: Bool = true, blocksDatagrams: Bool = false) -> LinksNetwork {
        var network = LinksNetwork()
        network.profile.blocksStreams = blocksStreams
        network.profile.blocksDatagrams = blocksDatagrams
        network.add(11)
        network.add(12)
        network.nodes[0].links.setKeys([Self.codeKey], for: .friend)
        network.nodes[0].links.friendCredential = Self.credential
        return network
    }

    private func shown(_ network: LinksNetwork) -> [(dial: DialID, peer: AgreementPublicKey, credential: [UInt8])] {
        network.nodes[1].events.compactMap {
            if case .responderShown(let dial, let peer, let bytes, _) = $0 { (dial, peer, bytes) } else { nil }
        }
    }

    private func approve(_ network: inout LinksNetwork, peer: AgreementPublicKey? = nil) {
        for entry in shown(network) {
            var entropy = network.nodes[1].entropy
            network.nodes[1].links.approve(entry.dial, peer: peer ?? entry.peer, at: network.now, entropy: &entropy)
            network.nodes[1].entropy = entropy
        }
        network.give(.deadlineReached, to: 1)
    }

    /// Over datagrams, and over a stream.
    @Test(arguments: [false, true])
    func `the owner shows itself, and hears who asks once it is approved`(usesStream: Bool) {
        var network = network(blocksStreams: !usesStream, blocksDatagrams: usesStream)
        network.dial(1, 0, key: Self.codeKey, knowsPeer: false)
        network.run(for: .seconds(1))
        #expect(shown(network).map(\.peer) == [network.publicKey(0)])
        #expect(shown(network).first?.credential == Self.credential)
        #expect(network.nodes[0].openedCount == 0)
        #expect(network.nodes[1].openedCount == 0)
        approve(&network)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].openedCount == 1)
        #expect(network.nodes[1].openedCount == 1)
        #expect(network.nodes[0].bindings == network.nodes[1].bindings)
        network.send([1, 2, 3], from: 1)
        network.send([4], from: 0)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].messages == [[1, 2, 3]])
        #expect(network.nodes[1].messages == [[4]])
    }

    @Test func `both paths at once end in one link`() {
        var network = network(blocksStreams: false)
        network.dial(1, 0, key: Self.codeKey, knowsPeer: false)
        network.run(for: .milliseconds(500))
        #expect(shown(network).count == 2)
        approve(&network)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].links.liveLinks.count == 1)
        #expect(network.nodes[1].openedCount == 1)
    }

    /// Until approval the asker sends nothing but the same message 1.
    @Test(arguments: [false, true])
    func `an impostor who knows the code learns nothing of who asks`(usesStream: Bool) {
        var network = network(blocksStreams: !usesStream, blocksDatagrams: usesStream)
        network.dial(1, 0, key: Self.codeKey, knowsPeer: false)
        network.run(for: .milliseconds(200))
        let entry = shown(network)[0]
        network.nodes[1].links.refuse(entry.dial, at: network.now)
        network.give(.deadlineReached, to: 1)
        network.run(for: .seconds(30))
        #expect(network.nodes[1].dialFailures == [.handshakeFailed])
        #expect(network.nodes[0].openedCount == 0)
        let told = network.sent.filter { $0.source == network.nodes[1].endpoint }.map(\.bytes)
        #expect(Set(told).count <= 1)
        #expect(told.allSatisfy { $0.first == 1 })
        #expect(network.streamPieces.count { $0.node == 1 } == (usesStream ? 1 : 0))
        // An approval that comes too late has no effect.
        approve(&network)
        network.run(for: .seconds(5))
        #expect(network.nodes[0].openedCount == 0)
    }

    @Test func `another device than the approved one hears nothing`() {
        var network = network()
        network.dial(1, 0, key: Self.codeKey, knowsPeer: false)
        network.run(for: .milliseconds(200))
        approve(&network, peer: LinksFixture.publicKey(seed: 99))
        network.run(for: .seconds(20))
        #expect(network.nodes[0].openedCount == 0)
        #expect(network.nodes[1].drops.contains(.handshakeFailed))
        #expect(!network.sent.contains { $0.bytes.first == 3 })
    }

    @Test func `who does not know the code gets silence, as where nobody answers to one`() {
        for isAnswering in [true, false] {
            var network = network(blocksStreams: false)
            if !isAnswering { network.nodes[0].links.setKeys([], for: .friend) }
            network.dial(1, 0, key: isAnswering ? Self.otherKey : Self.codeKey, knowsPeer: false)
            network.run(for: .seconds(30))
            #expect(network.sent.allSatisfy { $0.source == network.nodes[1].endpoint })
            #expect(network.streamPieces.allSatisfy { $0.node == 1 })
            #expect(shown(network).isEmpty)
        }
    }

    /// Access keys and invite keys open no friend handshake, and friend codes open neither of theirs.
    @Test func `keys of one purpose open nothing of another`() {
        var network = network()
        network.nodes[0].links.setKeys([LinksFixture.inviteKey], for: .invite)
        let code = Self.codeKey
        let asInvite = LinkKey(
            handshake: .invite, presharedKey: code.presharedKey, tagKey: code.tagKey,
            label: LinksFixture.inviteKey.label)
        network.dial(1, 0, key: asInvite, knowsPeer: false)
        let invite = LinksFixture.inviteKey
        let asCode = LinkKey(
            handshake: .friend, presharedKey: invite.presharedKey, tagKey: invite.tagKey, label: code.label)
        network.dial(1, 0, key: asCode, knowsPeer: false)
        network.run(for: .seconds(10))
        #expect(network.sent.allSatisfy { $0.source == network.nodes[1].endpoint })
        #expect(network.nodes[0].drops.allSatisfy { $0 == .invalidTag })
    }

    @Test func `every flipped bit of message 1 gets silence, of message 2 says nothing`() {
        var network = network()
        network.dial(1, 0, key: Self.codeKey, knowsPeer: false)
        network.run(for: .milliseconds(200))
        let initiation = network.sent[0].bytes
        let response = network.sent[1].bytes
        #expect(initiation.count == 1_200)
        #expect(response.count == 1_200)
        #expect(shown(network).count == 1)
        for position in stride(from: 0, to: 1_200, by: 7) {
            var fresh = self.network()
            var altered = initiation
            altered[position] ^= 1 << UInt8(position % 8)
            fresh.give(.datagramReceived(altered, from: network.nodes[1].endpoint), to: 0)
            #expect(fresh.sent.isEmpty)
        }
        for position in stride(from: 1, to: 1_200, by: 7) {
            var fresh = self.network()
            fresh.dial(1, 0, key: Self.codeKey, knowsPeer: false)
            var altered = response
            altered[position] ^= 1 << UInt8(position % 8)
            fresh.give(.datagramReceived(altered, from: fresh.nodes[0].endpoint), to: 1)
            #expect(shown(fresh).isEmpty)
            #expect(fresh.sent.count == 1)
        }
    }

    @Test func `replayed handshakes change nothing`() {
        var network = network()
        network.dial(1, 0, key: Self.codeKey, knowsPeer: false)
        network.run(for: .milliseconds(200))
        approve(&network)
        network.run(for: .seconds(1))
        let past = network.sent
        let link = network.nodes[0].links.liveLinks
        let thief = Endpoint(ipv4: 0x0A00_00FF, port: 9)
        for packet in past {
            for node in [0, 1] { network.give(.datagramReceived(packet.bytes, from: thief), to: node) }
        }
        network.run(for: .seconds(5))
        #expect(network.nodes[0].links.liveLinks == link)
        #expect(network.nodes[0].openedCount == 1)
        network.send([7], from: 1)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].messages == [[7]])
        // Replayed months later against a restarted node: it answers, but without the asker's key there is no link.
        var fresh = self.network()
        fresh.nodes[0].entropy = SeededEntropy(seed: 900)
        for packet in past where packet.source == network.nodes[1].endpoint {
            fresh.give(.datagramReceived(packet.bytes, from: thief), to: 0)
        }
        fresh.run(for: .seconds(30))
        #expect(fresh.nodes[0].openedCount == 0)
    }

    @Test func `one address may not ask for ever who the owner is`() {
        var network = network()
        for _ in 0..<40 {
            network.dial(1, 0, key: Self.codeKey, knowsPeer: false, usesStreams: false)
        }
        network.run(for: .milliseconds(100))
        #expect(shown(network).count == LinkLimits().friendHandshakes.burst)
        #expect(network.nodes[0].drops.contains(.rateLimited))
    }

    @Test func `a used session is renewed without asking for approval again`() {
        var network = network()
        network.dial(1, 0, key: Self.codeKey, knowsPeer: false)
        network.run(for: .milliseconds(200))
        approve(&network)
        network.run(for: .seconds(125))
        network.send([1], from: 1)
        network.run(for: .seconds(70))
        network.send([2], from: 1)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].messages == [[1], [2]])
        #expect(shown(network).count == 1)
        #expect(network.nodes[1].openedCount == 1)
        #expect(network.sent.count { $0.bytes.first == 1 } == 2)
    }
}
