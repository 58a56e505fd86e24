import StreakCrypto
import StreakWire
import Testing

@testable import StreakLinks

/// Two nodes under random faults: loss, blocked paths, cut streams, new addresses, restarts, dials from both sides,
/// closed links.
struct LinksStormTests {
    private struct Storm {
        var network: LinksNetwork
        /// Messages sent, by node and by the binding of the link they were sent on.
        var sent: [[[UInt8]: [[UInt8]]]] = [[:], [:]]
        var number: UInt32 = 0
        var restarts: UInt64 = 0
        let seed: UInt64

        init(seed: UInt64) {
            self.seed = seed
            network = LinksNetwork(seed: seed)
            for node in 0..<2 as Range<UInt64> { network.add(11 + node, invites: [LinksFixture.inviteKey]) }
        }

        mutating func pick(_ count: Int) -> Int { Int(network.chance() * Double(count)) }

        func binding(_ node: Int) -> [UInt8]? {
            guard let link = network.nodes[node].links.liveLinks.first else { return nil }
            return network.nodes[node].links.links[link]?.binding
        }

        mutating func send(_ node: Int) {
            guard let binding = binding(node) else { return }
            number += 1
            var message = [UInt8](repeating: 7, count: pick(5_000) + 4)
            for byte in 0..<4 { message[byte] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * byte)) }
            if network.send(message, from: node) { sent[node][binding, default: []].append(message) }
        }

        mutating func restart(_ node: Int) {
            restarts += 1
            var fresh = LinksNetwork()
            fresh.add(11 + UInt64(node), invites: [LinksFixture.inviteKey])
            network.cutStreams()
            network.nodes[node].links = fresh.nodes[0].links
            network.nodes[node].entropy = SeededEntropy(seed: seed &* 1_000 &+ restarts)
        }

        mutating func act() {
            let node = pick(2)
            switch pick(14) {
            case 0, 1: network.dial(node, 1 - node)
            case 2: network.dial(node, 1 - node, usesStreams: false)
            case 3: network.dial(node, 1 - node, usesDatagrams: false)
            case 4: network.dial(node, 1 - node, key: LinksFixture.inviteKey, knowsPeer: false)
            case 5: network.profile.blocksDatagrams.toggle()
            case 6: network.profile.blocksStreams.toggle()
            case 7: network.cutStreams()
            case 8 where pick(3) == 0: restart(node)
            case 9:
                network.nodes[node].endpoint = Endpoint(ipv4: 0x0A00_0100 + UInt32(pick(200)), port: UInt16(node + 1))
            case 10 where pick(4) == 0: network.close(node)
            case 11: network.run(for: .seconds(pick(200)))
            default: for _ in 0..<pick(8) { send(node) }
            }
            network.run(for: .milliseconds(pick(400)))
        }

        /// On each link, the messages that arrived are the first ones that were sent, without a gap.
        func check() {
            for node in 0..<2 {
                var bindings: [LinkID: [UInt8]] = [:]
                var received: [[UInt8]: [[UInt8]]] = [:]
                for event in network.nodes[node].events {
                    switch event {
                    case .opened(let link, _, _, let binding, _, _): bindings[link] = binding
                    case .messageReceived(let link, let bytes, _):
                        received[bindings[link] ?? [], default: []].append(bytes)
                    default: break
                    }
                }
                for (binding, messages) in received {
                    let isPrefix = sent[1 - node][binding, default: []].starts(with: messages)
                    #expect(isPrefix, "seed \(seed), node \(node)")
                }
                let links = network.nodes[node].links
                #expect(links.liveLinks.count <= 1)
                #expect(links.sessions.count <= 10 && links.sessions.answerCount <= 8 && links.out.timers.count <= 80)
                #expect(links.streams.count <= 64)
            }
        }
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `what a link delivers is what was sent on it, and peace brings one link`(seed: UInt64) {
        var storm = Storm(seed: seed)
        storm.network.profile = .init(jitter: .milliseconds(15), loss: 0.1, duplication: 0.05)
        for _ in 0..<150 { storm.act() }
        storm.check()
        storm.network.profile = .init()
        storm.network.run(for: .seconds(400))
        storm.network.dial(0, 1)
        storm.network.run(for: .seconds(30))
        for node in 0..<2 { storm.send(node) }
        storm.network.run(for: .seconds(30))
        storm.check()
        #expect(storm.binding(0) != nil && storm.binding(0) == storm.binding(1), "seed \(seed)")
        for node in 0..<2 {
            let last = storm.binding(node).flatMap { storm.sent[1 - node][$0]?.last }
            #expect(last != nil && storm.network.nodes[node].messages.last == last, "seed \(seed)")
            #expect(storm.network.nodes[node].summary?.hasStream == true)
            #expect(storm.network.nodes[node].summary?.hasDatagrams == true)
            #expect(!storm.network.nodes[node].closings.contains(.protocolViolation), "seed \(seed)")
        }
    }
}
