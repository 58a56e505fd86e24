import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Friends in homes of their own, and members who lie about who is where.
struct EngineInternetTests {
    private let victim = Endpoint(ipv4: 0xCB00_7101, port: 9_999)

    private func told(_ whereabouts: Whereabouts, age: UInt32 = 0) -> LinkMessage {
        .whereabouts([ToldWhereabouts(age: age, bytes: whereabouts.bytes)])
    }

    private func whereabouts(of node: Int, number: UInt64, at endpoint: Endpoint, _ network: EngineNetwork)
        -> Whereabouts
    {
        Whereabouts(
            number: UInt64(network.wallTime.milliseconds) + number, isSteady: true, isAlwaysOn: false,
            entries: [.init(source: .mapped, endpoint: endpoint)], identity: network.nodes[node].identity)
    }

    @Test func `members who know the founder's address only find each other by what is told`() throws {
        var network = try EngineNetwork.homes(4)
        network.run(for: .seconds(10))
        for one in 0..<4 { for other in 0..<one { #expect(network.isLinked(one, other), "\(one), \(other)") } }
        let device = try #require(network.nodes[1].engine.linkedDevices.first { $0.device == network.device(2) })
        #expect(device.path == .mapped && device.via == .internet && device.openedAt <= network.now)
        let known = try #require(network.nodes[1].engine.whereabouts(of: network.device(2), at: network.now))
        #expect(known.newest.entries.map(\.endpoint) == [network.endpoint(2)] && known.age < .seconds(30))
    }

    @Test func `an invite names where friends on the internet find the inviter, and where neighbours do`() throws {
        var network = try EngineNetwork.homes(1)
        let outside = network.endpoint(0)
        network.nodes[0].endpoint = Endpoint(ipv4: 0xC0A8_0102, port: 7_420)
        network.listen(0)
        #expect(try network.invite(by: 0).addresses == [[outside, network.endpoint(0)]])
        network.give(.internetSettingChanged(.off), to: 0)
        #expect(try network.invite(by: 0).addresses == [[network.endpoint(0)]])
    }

    @Test func `without it they do not`() throws {
        var network = try EngineNetwork.homes(3, internet: .off)
        network.run(for: .seconds(120))
        #expect(network.isLinked(0, 1) && network.isLinked(0, 2) && !network.isLinked(1, 2))
        #expect(network.nodes[1].engine.whereabouts(of: network.device(2), at: network.now) == nil)
    }

    @Test func `a device whose address has changed is found by what a third one tells`() throws {
        var network = try EngineNetwork.homes(3)
        network.run(for: .seconds(120))
        network.nodes[2].isOn = false
        network.run(for: .seconds(120)) { !$0.isLinked(1, 2) && !$0.isLinked(0, 2) }
        network.restart(2)
        network.isCut = { ($0, $1) == (1, 2) || ($0, $1) == (2, 1) }
        network.move(2, to: Endpoint(ipv4: 0xC6FF_0001, port: 7_420))
        network.run(for: .seconds(10))
        #expect(network.isLinked(0, 2) && !network.isLinked(1, 2))
        network.isCut = { _, _ in false }
        network.run(for: .seconds(80))
        #expect(network.isLinked(1, 2))
    }

    @Test func `peers say where a node's datagrams come from, and a lying one is not believed`() throws {
        var network = try EngineNetwork.homes(4)
        network.run(for: .seconds(10))
        for node in 0..<4 { #expect(network.nodes[node].engine.seenEndpoint == network.endpoint(node)) }
        #expect(!network.nodes[0].engine.lacksWitnesses)
        let lie = Endpoint(ipv4: 0xCB00_7101, port: 9_999)
        network.run(for: .seconds(300))
        network.say(.seenAt(lie), from: 1, to: 0)
        #expect(network.nodes[0].engine.seenEndpoint == network.endpoint(0), "two others say otherwise")
        network.nodes[3].isOn = false
        network.run(for: .seconds(1_200))
        #expect(network.nodes[0].engine.seenEndpoint == nil, "one against one")
        #expect(!network.nodes[0].engine.ownEndpoints.contains { $0.endpoint == lie })
    }

    @Test func `whereabouts never reach who shares no group`() throws {
        var network = EngineNetwork(accounts: [0, 1, 2])
        network.cutBeacons()
        for node in 0..<3 { network.move(node, to: Endpoint(ipv4: 0xC612_0001 + UInt32(node) << 16, port: 7_420)) }
        network.group = try network.joinGroup(0, [1], title: "One")
        _ = try network.joinGroup(0, [2], title: "Other")
        network.run(for: .seconds(7_200))
        #expect(network.nodes[0].engine.whereabouts(of: network.device(1), at: network.now) != nil)
        #expect(network.nodes[0].engine.whereabouts(of: network.device(2), at: network.now) != nil)
        #expect(network.nodes[2].engine.whereabouts(of: network.device(1), at: network.now) == nil)
        #expect(network.nodes[1].engine.whereabouts(of: network.device(2), at: network.now) == nil)
        #expect(!network.nodes[2].snapshot.settings.values.contains { $0.contains(network.device(1).bytes.array) })
        // Nor are they taken from who is not in a group with their device.
        let foreign = whereabouts(of: 1, number: 9, at: victim, network)
        network.say(told(foreign), from: 0, to: 2)
        #expect(network.nodes[2].engine.whereabouts(of: network.device(1), at: network.now) == nil)
        network.run(for: .seconds(60))
        #expect(network.strayDatagrams.allSatisfy { $0.target != victim })
    }

    @Test func `who was removed hears nothing more, and is forgotten`() throws {
        var network = try EngineNetwork.homes(3)
        network.run(for: .seconds(10))
        let former = network.device(2)
        #expect(network.command(.remove(network.group, network.user(2)), at: 0) == .done)
        network.run(for: .seconds(130))
        for node in 0..<2 {
            #expect(network.nodes[node].engine.whereabouts(of: former, at: network.now) == nil)
            #expect(!network.nodes[node].snapshot.settings.values.contains { $0.contains(former.bytes.array) })
        }
        network.move(0, to: Endpoint(ipv4: 0xC6FF_0001, port: 7_420))
        network.run(for: .seconds(3_600))
        let known = network.nodes[2].engine.whereabouts(of: network.device(0), at: network.now)
        #expect(known == nil)
    }

    @Test func `whereabouts that are replayed have nobody dial`() throws {
        var network = try EngineNetwork.homes(3)
        network.run(for: .seconds(10))
        let old = Whereabouts(
            number: 7, isSteady: true, isAlwaysOn: false, entries: [.init(source: .mapped, endpoint: victim)],
            identity: network.nodes[2].identity)
        network.nodes[2].isOn = false
        network.run(for: .seconds(3_600))
        for _ in 1...100 { network.say(told(old), from: 1, to: 0) }
        network.run(for: .seconds(60))
        #expect(!network.strayDatagrams.contains { $0.target == victim })
        let known = network.nodes[0].engine.whereabouts(of: network.device(2), at: network.now)
        #expect(known?.newest.number ?? 0 > 7)
    }

    /// The bound of Protocol/reachability.md §6: full messages in an hour from one friend, and all datagrams.
    @Test func `a member that names somebody else's address has each friend send it little`() throws {
        var network = try EngineNetwork.homes(3)
        network.run(for: .seconds(10))
        network.nodes[2].isOn = false
        network.run(for: .seconds(4_000))
        let start = network.now
        for number in 1...360 as ClosedRange<UInt64> {
            let news = whereabouts(of: 2, number: number, at: victim, network)
            network.say(told(news), from: 1, to: 0)
            network.run(for: .seconds(20))
        }
        let reached = network.strayDatagrams.filter { $0.target == victim && $0.from == 0 }
        #expect(!reached.isEmpty)
        for hour in 0..<2 as Range<Int64> {
            let from = start.advanced(by: .seconds(3_600 * hour))
            let sent = reached.filter { $0.at >= from && $0.at < from.advanced(by: .seconds(3_600)) }
            let full = sent.count { $0.hopLimit == nil }
            #expect(full <= 60 && sent.count <= 180, "\(full) of \(sent.count) in hour \(hour)")
        }
        #expect(network.refusedWork(0).contains(.newWhereabouts))
    }

    @Test func `many members that name ports of one address have each friend send it no more than one does`() throws {
        var network = try EngineNetwork.homes(9)
        network.run(for: .seconds(10))
        for liar in 1..<8 { network.nodes[liar].isOn = false }
        network.run(for: .seconds(4_000))
        let start = network.now
        for number in 1...120 as ClosedRange<UInt64> {
            let liar = 1 + Int(number % 7)
            let port = Endpoint(ipv4: 0xCB00_7101, port: 9_000 + UInt16(liar))
            network.say(told(whereabouts(of: liar, number: number, at: port, network)), from: 8, to: 0)
            network.run(for: .seconds(30))
        }
        let sent = network.strayDatagrams.filter {
            $0.from == 0 && $0.hopLimit == nil && $0.at >= start && $0.target.address == victim.address
        }
        #expect((20...120).contains(sent.count), "\(sent.count)")
        #expect(network.refusedWork(0).contains(.messagesToWhereabouts))
    }

    @Test func `a node that keeps to the local network is in no other's reach`() throws {
        var network = try EngineNetwork.homes(2)
        #expect(network.nodes[0].engine.ownReach == .mapped)
        network.give(.internetSettingChanged(.lanOnly), to: 0)
        #expect(network.nodes[0].engine.ownReach == .none)
    }

    @Test func `a link that is lost has both sides expect each other`() throws {
        var network = try EngineNetwork.homes(2)
        network.run(for: .seconds(10))
        network.isCut = { _, _ in true }
        network.run(for: .seconds(200)) { !$0.isLinked(0, 1) && !$0.isLinked(1, 0) }
        #expect(network.nodes[0].engine.isWarm(network.device(1)) && network.nodes[1].engine.isWarm(network.device(0)))
        network.isCut = { _, _ in false }
        network.run(for: .seconds(20))
        #expect(network.isLinked(0, 1) && !network.nodes[0].engine.isWarm(network.device(1)))
    }
}
