import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Friends who find each other in the DHT, leave letters there, and lie there.
@Suite struct EngineNoticeTests {
    private static let day = EngineNetwork.wall / 1_000 / 86_400
    private let elsewhere = Endpoint(ipv4: 0xC6FF_0001, port: 7_420)

    /// Friends who are online and cannot reach each other.
    private func strangers(_ setting: InternetSetting = .on, among count: Int = 2) throws -> EngineNetwork {
        var network = try EngineNetwork.homes(count)
        if setting != .on { for node in 0..<count { network.move(node, to: network.endpoint(node), setting) } }
        network.isCut = { _, _ in true }
        network.run(for: .seconds(200)) { network in network.nodes.allSatisfy { $0.engine.linkedDevices.isEmpty } }
        return network
    }

    private func place(
        of node: Int, in network: EngineNetwork, keyOf holder: Int? = nil, day: Int64 = day
    ) throws -> NoticePlace {
        let keys = try #require(network.nodes[holder ?? node].engine.core.groups[network.group]?.accessKeys)
        return RendezvousKey(of: try #require(keys.first)).place(of: network.device(node), day: day)
    }

    /// What a node has left for its group on a day.
    private func content(of node: Int, in network: EngineNetwork, day: Int64 = day) throws -> Notice.Content? {
        let place = try place(of: node, in: network, day: day)
        return network.notices[place.key].flatMap { place.open($0.value) }
    }

    private func run(of node: Int, upTo size: Int, in network: EngineNetwork) throws -> Run {
        let replica = try #require(network.nodes[node].engine.core.groups[network.group])
        let feed = FeedID(device: network.device(node), epoch: try #require(replica.ownEpoch))
        return try #require(replica.feeds[feed]?.newest(upTo: size))
    }

    private func leave(_ runs: Run..., by node: Int, as other: Int, in network: inout EngineNetwork) throws {
        var writer = WireWriter()
        for run in runs { run.encode(into: &writer) }
        let place = try place(of: other, in: network, keyOf: node)
        let content = Notice.Content(whereabouts: nil, letter: writer.bytes)
        network.notices[place.key] = place.notice(of: content, sequence: .max, entropy: &network.entropy)
    }

    @Test func `two whose addresses have both changed meet by what lies in the DHT`() throws {
        var network = try EngineNetwork.homes(2)
        network.run(for: .seconds(30))
        network.nodes[0].isOn = false
        network.nodes[1].isOn = false
        network.run(for: .seconds(600))
        for node in 0..<2 {
            network.restart(node)
            network.move(node, to: Endpoint(ipv4: 0xC6FF_0001 + UInt32(node) << 16, port: 7_420))
        }
        network.run(for: .seconds(15))
        #expect(!network.isLinked(0, 1), "neither knows where the other is")
        network.run(for: .seconds(60)) { $0.isLinked(0, 1) }
        #expect(network.isLinked(0, 1))
    }

    @Test func `a letter is read by who is never linked, stored, and passed on like any record`() throws {
        var network = try strangers()
        network.write("Ada", by: 0)
        network.run(for: .seconds(440)) { $0.names(1) == ["Ada"] }
        #expect(network.names(1) == ["Ada"])
        network.restart(1)
        #expect(network.names(1) == ["Ada"])
        #expect(network.digests().count == 1, "all of it, with its signature")
    }

    /// The runs in what a node has left.
    private func letter(of node: Int, in network: EngineNetwork, day: Int64 = day) throws -> [Run] {
        var reader = WireReader(try #require(try content(of: node, in: network, day: day)).letter)
        var runs: [Run] = []
        while reader.remainingCount > 0 { runs.append(try Run(from: &reader)) }
        return runs
    }

    @Test func `what a letter has brought goes on in the reader's own, when the writer's is gone`() throws {
        var network = try strangers(among: 3)
        network.nodes[2].isOn = false
        network.write("Ada", by: 0)
        network.write("Ben", by: 1)
        network.run(for: .seconds(440)) { $0.names(1) == ["Ada", "Ben"] }
        network.run(for: .seconds(125))
        #expect(try letter(of: 1, in: network).map(\.feed.device) == [network.device(0), network.device(1)])
        network.nodes[0].isOn = false
        network.notices[try place(of: 0, in: network).key] = nil
        network.restart(2)
        network.move(2, to: network.endpoint(2))
        network.run(for: .seconds(440)) { $0.names(2) == ["Ada", "Ben"] }
        #expect(network.names(2) == ["Ada", "Ben"])
    }

    @Test func `a letter carries two friends who wrote last and are away, for two days, and fits`() throws {
        var network = try EngineNetwork.homes(5)
        network.run(for: .seconds(30))
        for node in 0..<5 {
            network.write("Friend \(node)", by: node)
            network.write(puzzles: 1...40, by: node)
            network.run(for: .seconds(30))
        }
        #expect(network.digests().count == 1)
        #expect(try letter(of: 3, in: network).map(\.feed.device) == [network.device(3)], "all are online")
        for node in [0, 1, 2, 4] { network.nodes[node].isOn = false }
        network.run(for: .seconds(2_400))
        let runs = try letter(of: 3, in: network)
        #expect(runs.map(\.feed.device) == [4, 2, 3].map { network.device($0) })
        #expect(runs.allSatisfy { $0.count > 1 } && runs[2].count > runs[0].count)
        network.run(for: .seconds(2 * 86_400))
        #expect(try letter(of: 3, in: network, day: Self.day + 2).map(\.feed.device) == [network.device(3)])
    }

    @Test func `with letters off nothing is left but where the device is`() throws {
        var network = try strangers()
        network.give(.lettersChanged(false), to: 0)
        network.write("Ada", by: 0)
        network.run(for: .seconds(600))
        #expect(network.names(1).isEmpty)
        let left = try #require(try content(of: 0, in: network))
        #expect(left.letter.isEmpty && left.whereabouts?.entries.map(\.endpoint) == [network.endpoint(0)])
    }

    @Test(arguments: [InternetSetting.off, .lanOnly])
    func `a node that may not tell where it is leaves and asks nothing`(setting: InternetSetting) throws {
        var network = try strangers(setting)
        let (puts, gets) = (network.puts.count, network.gets.count)
        network.write("Ada", by: 0)
        network.run(for: .seconds(7_200))
        #expect(network.puts.count == puts && network.gets.count == gets)
    }

    @Test func `a member who writes at another's place brings in no word of that other's`() throws {
        var network = try strangers()
        network.write("Eva", by: 1)
        let own = try run(of: 1, upTo: 731, in: network)
        // Its own run at the other's place, and one that names the other's feed.
        network.give(.lettersChanged(false), to: 0)
        network.write("Ada", by: 0)
        let ada = try run(of: 0, upTo: 731, in: network)
        let forged = Run(
            feed: ada.feed, first: ada.first, before: ada.before, signature: own.signature, packed: own.packed,
            count: own.count)
        for run in [own, forged] {
            network.nodes[1].events = []
            try leave(run, by: 1, as: 0, in: &network)
            network.run(for: .seconds(301))
            #expect(network.names(1) == ["Eva"])
        }
        #expect(network.refusals(1) == [.invalidSignature])
        try leave(forged, forged, ada, by: 1, as: 0, in: &network)
        network.nodes[1].events = []
        network.run(for: .seconds(301))
        #expect(network.refusals(1) == [.invalidSignature], "the rest of that letter is not looked at")
        #expect(network.names(1) == ["Eva"])
        try leave(ada, by: 1, as: 0, in: &network)
        network.run(for: .seconds(301))
        #expect(network.names(1) == ["Ada", "Eva"])
    }

    @Test func `a letter whose predecessors are missing is left out, and the next whole one is taken`() throws {
        var network = try strangers()
        network.give(.lettersChanged(false), to: 0)
        network.write("Ada", by: 0)
        network.write(puzzles: 1...3, by: 0)
        network.write("Adele", by: 0)
        let last = try run(of: 0, upTo: 180, in: network)
        try #require(last.first > 1)
        try leave(last, by: 1, as: 0, in: &network)
        network.run(for: .seconds(301))
        #expect(network.names(1).isEmpty && network.nodes[1].engine.showsRecordsAhead(of: network.group) == false)
        try leave(run(of: 0, upTo: 731, in: network), by: 1, as: 0, in: &network)
        network.run(for: .seconds(301))
        #expect(network.names(1) == ["Adele"])
    }

    @Test func `where everybody is online nobody is looked for, and notices are renewed each half hour`() throws {
        var network = try EngineNetwork.homes(3)
        network.run(for: .seconds(60))
        let (puts, gets) = (network.puts.count, network.gets.count)
        network.run(for: .seconds(4 * 3_600))
        #expect(network.gets.dropFirst(gets).allSatisfy { $0.node == 0 }, "who made an invite looks for newcomers")
        // Each half hour one.
        let renewed = network.puts.dropFirst(puts)
        for node in 1..<3 { #expect(renewed.count { $0.node == node } == 8) }
    }

    @Test func `the lonely look at first soon, then every five minutes`() throws {
        var network = try strangers()
        network.dhtIsCut = true
        let gets = network.gets.count
        network.run(for: .seconds(3_600))
        let rounds = network.gets.dropFirst(gets).count { $0.node == 1 }
        // Each round asks for today, then for yesterday and tomorrow.
        #expect((11 * 3...14 * 3).contains(rounds), "\(rounds)")
    }

    @Test func `who has lost the last link looks five seconds later, and a minute without a link is enough`() throws {
        var network = try EngineNetwork.homes(2)
        network.run(for: .seconds(300))
        network.nodes[0].isOn = false
        let start = network.now
        network.run(for: .seconds(60)) { $0.nodes[1].engine.core.sessions.keys.isEmpty }
        #expect(network.nodes[1].engine.core.sessions.keys.isEmpty)
        let gets = network.gets.count
        network.run(for: .milliseconds(4_900))
        #expect(network.gets.count == gets)
        network.run(for: .milliseconds(200))
        #expect(network.gets.dropFirst(gets).contains { $0.node == 1 })
        #expect(start.duration(to: network.now) < .seconds(60))
        // With other addresses it looks again, though its pause is longer now.
        network.run(for: .seconds(200))
        let later = network.gets.count
        network.give(.networkChanged(addresses: [Endpoint(ipv4: 0xC6FF_0001, port: 7_420)]), to: 1)
        network.run(for: .milliseconds(5_100))
        #expect(network.gets.count > later)
    }

    @Test func `a look that sought nobody puts off none`() throws {
        var network = try EngineNetwork.homes(2)
        network.run(for: .seconds(300)) { $0.nodes[1].engine.core.sessions.keys.isEmpty == false }
        network.nodes[0].isOn = false
        let start = network.now
        network.run(for: .seconds(60)) { $0.nodes[1].engine.core.sessions.keys.isEmpty }
        // The first look with a link was 40 s after it.
        #expect((.seconds(41)..<(.seconds(60))).contains(start.duration(to: network.now)))
        let gets = network.gets.count
        network.run(for: .milliseconds(5_100))
        #expect(network.gets.dropFirst(gets).contains { $0.node == 1 })
    }

    @Test(arguments: [false, true])
    func `who was removed finds no later notice, and is looked for no longer`(restarts: Bool) throws {
        var network = try EngineNetwork.homes(3)
        network.run(for: .seconds(60))
        let old = try place(of: 0, in: network)
        #expect(network.notices[old.key] != nil)
        #expect(network.command(.remove(network.group, network.user(2)), at: 0) == .done)
        network.nodes[2].isOn = false
        for node in [0, 1] where restarts {
            network.restart(node)
            network.move(node, to: network.endpoint(node))
        }
        network.notices = [:]
        network.write("Ada", by: 0)
        network.run(for: .seconds(3_600))
        #expect(network.notices[old.key] == nil)
        #expect(try content(of: 0, in: network)?.letter.isEmpty == false)
        #expect(try place(of: 0, in: network).key != old.key)
    }

    @Test func `a link whose addresses are all old leads in`() throws {
        var network = EngineNetwork(accounts: [0, 1])
        network.cutBeacons()
        network.move(0, to: Endpoint(ipv4: 0xC612_0001, port: 7_420))
        network.move(1, to: Endpoint(ipv4: 0xC613_0001, port: 7_420))
        network.group = try network.found(by: 0)
        let link = try network.invite(by: 0)
        network.move(0, to: elsewhere)
        network.run(for: .seconds(150))
        #expect(network.command(.join(link, timeout: .seconds(30)), at: 1) == .group(network.group))
    }

    @Test func `an address that changes after a link was made is told in a minute or so`() throws {
        var network = EngineNetwork(accounts: [0, 1])
        network.cutBeacons()
        network.move(0, to: Endpoint(ipv4: 0xC612_0001, port: 7_420))
        network.move(1, to: Endpoint(ipv4: 0xC613_0001, port: 7_420))
        network.group = try network.found(by: 0)
        let link = try network.invite(by: 0)
        network.run(for: .seconds(15))
        network.move(0, to: elsewhere)
        // Where it is told at all, a minute later at the latest.
        network.run(for: .seconds(75))
        #expect(network.command(.join(link, timeout: .seconds(40)), at: 1) == .group(network.group))
    }

    @Test func `what reached nobody is left again after pauses that grow, or once the device has moved`() throws {
        var network = EngineNetwork(accounts: [0])
        network.cutBeacons()
        network.move(0, to: Endpoint(ipv4: 0xC612_0001, port: 7_420))
        network.group = try network.found(by: 0)
        _ = try network.invite(by: 0)
        network.run(for: .seconds(120))
        var puts = network.puts.count
        for pause in [20, 60, 300, 300] as [Int64] {
            network.give(.putNoticeFailed, to: 0)
            network.give(.putNoticeFailed, to: 0)
            network.run(for: .seconds(pause - 1))
            #expect(network.puts.count == puts, "\(pause) s")
            network.run(for: .seconds(12))
            #expect(network.puts.count == puts + 1, "\(pause) s")
            puts = network.puts.count
        }
        network.give(.putNoticeFailed, to: 0)
        network.move(0, to: elsewhere)
        network.run(for: .seconds(75))
        #expect(network.puts.count == puts + 1)
        puts = network.puts.count
        // Where it is now, the first pause is short again.
        network.give(.putNoticeFailed, to: 0)
        network.run(for: .seconds(32))
        #expect(network.puts.count == puts + 1)
    }

    @Test func `addresses that change all the time are told every two minutes`() throws {
        var network = EngineNetwork(accounts: [0])
        network.cutBeacons()
        network.group = try network.found(by: 0)
        _ = try network.invite(by: 0)
        network.run(for: .seconds(60))
        let puts = network.puts.count
        for number in 0..<120 as Range<UInt32> {
            network.move(0, to: Endpoint(ipv4: 0xC612_0001 + number, port: 7_420))
            network.run(for: .seconds(10))
        }
        #expect((10...13).contains(network.puts.count - puts), "\(network.puts.count - puts)")
    }

    @Test func `who holds a link has its maker send a few small datagrams to an address, and no more`() throws {
        var network = EngineNetwork(accounts: [0])
        network.cutBeacons()
        network.move(0, to: Endpoint(ipv4: 0xC612_0001, port: 7_420))
        network.group = try network.found(by: 0)
        let link = try network.invite(by: 0)
        var entropy = SeededEntropy(seed: 5)
        let liar = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        let place = RendezvousKey(ofInvite: link.secrets.presharedKey).place(of: DeviceID(bytes: .zero), day: Self.day)
        for number in 0..<60 as Range<UInt32> {
            let victims = (0..<6 as Range<UInt32>).map {
                Whereabouts.Entry(
                    source: .mapped, endpoint: Endpoint(ipv4: 0xCB00_7101, port: UInt16(2_000 + number * 6 + $0)))
            }
            let told = Whereabouts(
                number: UInt64(number), isSteady: true, isAlwaysOn: false, entries: victims, identity: liar)
            network.notices[place.key] = place.notice(
                of: .init(whereabouts: told), sequence: Int64(number), entropy: &entropy)
            network.run(for: .seconds(60))
        }
        let sent = network.strayDatagrams.filter { $0.target.address == Endpoint(ipv4: 0xCB00_7101, port: 0).address }
        #expect(!sent.isEmpty && sent.allSatisfy { $0.hopLimit == LinkLimits().knockHopLimit })
        // Four addresses each two minutes in the first hour, each for 320 s with one every 20 s.
        #expect(sent.count <= 30 * 4 * 17)
        #expect(spacing(of: sent) >= .seconds(20))
        #expect(network.nodes[0].engine.linkedDevices.isEmpty)
    }

    /// The shortest time between two datagrams to one endpoint.
    private func spacing(of sent: [EngineNetwork.Stray]) -> Duration {
        var shortest: Duration = .seconds(3_600)
        for datagrams in Dictionary(grouping: sent, by: \.target).values {
            let instants = datagrams.map(\.at).sorted()
            for (one, next) in zip(instants, instants.dropFirst()) { shortest = min(shortest, one.duration(to: next)) }
        }
        return shortest
    }

    @Test func `who others say is online is looked for, unless they have signed something lately`() throws {
        var bench = try MachineBench(friends: 2)
        let (near, far) = (bench.friends[0], bench.friends[1])
        bench.close(bench.links[1])
        bench.core.network.isStarted = true
        var presence = Presence()
        presence.take(
            [PresenceEntry(device: DeviceHandle(far.device), hops: 1)], from: bench.links[0], at: .zero)
        _ = presence.refresh(
            direct: [(bench.links[0], DeviceHandle(near.device))], own: DeviceHandle(bench.core.identity.device))
        func searches(signedAt number: Int64?) -> Int {
            var (bench, notices, table) = (bench, Notices(), WhereaboutsTable())
            if let number {
                let told = Whereabouts(
                    number: UInt64(number), isSteady: true, isAlwaysOn: false, entries: [], identity: far)
                table.take(told, age: .zero, at: .zero)
            }
            let around = Notices.Surroundings(
                isAllowed: true, table: table, presence: [bench.group: presence], joining: [])
            notices.runTimers(around, core: &bench.core)
            bench.advance(by: .seconds(60))
            notices.runTimers(around, core: &bench.core)
            return bench.core.outputs.count { if case .getNotice = $0 { true } else { false } }
        }
        let now = EngineNetwork.wall
        #expect(searches(signedAt: nil) == 1)
        #expect(searches(signedAt: now - 69 * 60_000) == 0)
        #expect(searches(signedAt: now - 71 * 60_000) == 1)
        #expect(searches(signedAt: now + 71 * 60_000) == 1)
        #expect(searches(signedAt: .max) == 1)
    }
}
