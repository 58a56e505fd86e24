import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// The machine that knows where others are, alone: what it tells of itself, what it takes and passes on, and whom it expects.
struct WhereaboutsTests {
    private let mapped = Whereabouts.Entry(source: .mapped, endpoint: Endpoint(ipv4: 0xC612_0001, port: 7_420))
    private let there = Endpoint(ipv4: 0xC613_0001, port: 7_420)

    private func start(_ bench: inout MachineBench, _ setting: InternetSetting = .on) -> Reachability {
        var reachability = Reachability(snapshot: Snapshot(store: bench.core.store), core: &bench.core)
        reachability.change(setting, core: &bench.core)
        reachability.startNetwork(port: 7_420, usesDiscovery: false, core: &bench.core)
        reachability.refreshKeys(joining: [], friends: [], core: &bench.core)
        return reachability
    }

    private func whereabouts(
        of identity: DeviceIdentity, number: UInt64 = 5, at endpoints: [Endpoint]? = nil,
        source: Whereabouts.Source = .mapped
    ) -> Whereabouts {
        Whereabouts(
            number: number, isSteady: true, isAlwaysOn: false,
            entries: (endpoints ?? [there]).map { .init(source: source, endpoint: $0) }, identity: identity)
    }

    private func give(
        _ told: Whereabouts, age: UInt32 = 0, over link: LinkID, to reachability: inout Reachability,
        _ bench: inout MachineBench
    ) {
        reachability.receivedWhereabouts(
            [ToldWhereabouts(age: age, bytes: told.bytes)], over: link, core: &bench.core)
    }

    /// What was told over a link since the last call.
    private func told(over link: LinkID, _ bench: inout MachineBench) throws -> [(age: UInt32, Whereabouts)] {
        try bench.said(over: link).flatMap { message -> [(age: UInt32, Whereabouts)] in
            guard case .whereabouts(let told) = message else { return [] }
            return try told.map { ($0.age, try Whereabouts(decoding: $0.bytes)) }
        }
    }

    private func run(_ duration: Duration, _ reachability: inout Reachability, _ bench: inout MachineBench) {
        let end = bench.core.now.advanced(by: duration)
        while let next = reachability.nextDeadline, next <= end {
            bench.core.now = max(bench.core.now, next)
            reachability.runTimers(core: &bench.core)
        }
        bench.core.now = end
    }

    // MARK: This device

    @Test
    func `a device tells where it is, again when that changes, twice at once, then once a minute, and every half hour`()
        throws
    {
        var bench = try MachineBench()
        var reachability = start(&bench)
        run(.seconds(3_600), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).isEmpty, "there is nothing to tell")
        reachability.found([mapped], core: bench.core)
        run(OwnWhereabouts.delay, &reachability, &bench)
        let first = try told(over: bench.links[0], &bench)
        #expect(first.map(\.1.entries) == [[mapped]] && first[0].age == 0 && first[0].1.isSigned)
        #expect(try told(over: bench.links[1], &bench).map(\.1) == first.map(\.1))
        reachability.found([], core: bench.core)
        run(OwnWhereabouts.delay, &reachability, &bench)
        let second = try told(over: bench.links[0], &bench)
        #expect(second.map(\.1.entries) == [[]] && second[0].1.number > first[0].1.number, "it is there no longer")
        reachability.found([mapped], core: bench.core)
        run(.seconds(60) - OwnWhereabouts.delay - .milliseconds(1), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).isEmpty)
        run(.milliseconds(1), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).map(\.1.entries) == [[mapped]])
        reachability.found([], core: bench.core)
        run(.seconds(60), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).map(\.1.entries) == [[]])
        run(.seconds(7_200), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).isEmpty, "nothing, and that is known")
        reachability.found([mapped], core: bench.core)
        run(OwnWhereabouts.delay + .seconds(3_600), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).count == 3)
    }

    @Test(arguments: [InternetSetting.off, .lanOnly])
    func `who may not tells, takes and passes on nothing, and expects nobody`(setting: InternetSetting) throws {
        var bench = try MachineBench()
        var reachability = start(&bench, setting)
        reachability.found([mapped], core: bench.core)
        give(whereabouts(of: bench.friends[0]), over: bench.links[1], to: &reachability, &bench)
        run(.seconds(7_200), &reachability, &bench)
        #expect(try bench.links.allSatisfy { try told(over: $0, &bench).isEmpty })
        #expect(reachability.whereabouts.devices.isEmpty && bench.core.links.drain().outputs.isEmpty)
        // What is held from before is told once that is allowed.
        reachability.change(.on, core: &bench.core)
        run(.seconds(2), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).map(\.1.entries) == [[mapped]])
    }

    @Test func `what two witnesses see is told, unless the router has opened a port there`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        let seen = Endpoint(ipv4: 0xC612_0001, port: 40_000)
        reachability.seen(at: seen, by: Endpoint(ipv4: 0xCB00_7101, port: 6_881), core: bench.core)
        run(.seconds(10), &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).isEmpty, "one alone may lie")
        reachability.seen(at: seen, by: Endpoint(ipv4: 0xC633_6401, port: 6_881), core: bench.core)
        run(OwnWhereabouts.delay, &reachability, &bench)
        var said = try told(over: bench.links[0], &bench)
        #expect(said.map(\.1.entries) == [[.init(source: .seen, endpoint: seen)]] && said[0].1.isSteady)
        #expect(reachability.reach(core: bench.core) == .steady)
        reachability.found([mapped], core: bench.core)
        run(OwnWhereabouts.delay, &reachability, &bench)
        said = try told(over: bench.links[0], &bench)
        #expect(said.map(\.1.entries) == [[mapped]] && reachability.reach(core: bench.core) == .mapped)
        // Another router behind it, or a lie.
        let elsewhere = Whereabouts.Entry(source: .mapped, endpoint: Endpoint(ipv4: 0xC612_0002, port: 7_420))
        reachability.found([elsewhere], core: bench.core)
        run(.seconds(60), &reachability, &bench)
        said = try told(over: bench.links[0], &bench)
        #expect(said.last?.1.entries == [elsewhere, .init(source: .seen, endpoint: seen)])
        // Nobody says it any longer.
        reachability.found([], core: bench.core)
        run(Witnesses.patience, &reachability, &bench)
        #expect(try told(over: bench.links[0], &bench).last?.1.entries == [])
    }

    @Test func `the number rises over a restart, a clock that went back and a store that was restored`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        reachability.found([mapped], core: bench.core)
        run(.seconds(120), &reachability, &bench)
        let first = try #require(reachability.whereabouts[bench.core.identity.device]).whereabouts
        #expect(first.number == UInt64(bench.core.wall.milliseconds))
        var snapshot = Snapshot(store: bench.core.store)
        for change in bench.changes { snapshot.apply(change) }
        bench.core.wall = WallTime(milliseconds: 1_000)
        func restarted() -> Reachability { Reachability(snapshot: snapshot, core: &bench.core) }
        var again = restarted()
        #expect(again.whereabouts[bench.core.identity.device]?.whereabouts == first)
        again.change(.on, core: &bench.core)
        again.found([mapped], core: bench.core)
        again.startNetwork(port: 7_420, usesDiscovery: false, core: &bench.core)
        run(.seconds(2), &again, &bench)
        #expect(again.whereabouts[bench.core.identity.device]?.whereabouts.number == first.number + 1)
        // A friend holds a higher one.
        let newer = whereabouts(of: bench.core.identity, number: first.number + 100)
        give(newer, over: bench.links[0], to: &again, &bench)
        run(OwnWhereabouts.delay, &again, &bench)
        #expect(again.whereabouts[bench.core.identity.device]?.whereabouts.number == first.number + 101)
        let last = whereabouts(of: bench.core.identity, number: .max)
        give(last, over: bench.links[0], to: &again, &bench)
        run(.seconds(7_200), &again, &bench)
        #expect(again.whereabouts[bench.core.identity.device]?.whereabouts.number ?? 0 < .max)
    }

    @Test func `who was online in twenty of the last twenty-four hours is always on`() throws {
        let bench = try MachineBench()
        var own = OwnWhereabouts()
        own.setting = .on
        func make(hour: Int64) -> Whereabouts? {
            let wall = WallTime(milliseconds: hour * 3_600_000)
            _ = own.noteOnline(at: bench.core.now, wall: wall)
            return own.make(.init(), identity: bench.core.identity, at: bench.core.now, wall: wall)
        }
        for hour in 0..<20 as Range<Int64> { #expect(make(hour: hour)?.isAlwaysOn == false) }
        #expect(make(hour: 20)?.isAlwaysOn == true)
        #expect(make(hour: 25)?.isAlwaysOn == true, "20 of hours 1 to 24")
        #expect(make(hour: 30)?.isAlwaysOn == false)
        #expect(own.hoursOnline.count <= 25)
    }

    // MARK: Others

    @Test func `news is passed on to other members, older by as long as it was held`() throws {
        var bench = try MachineBench(friends: 3)
        var reachability = start(&bench)
        let news = whereabouts(of: bench.friends[0])
        give(news, age: 100, over: bench.links[1], to: &reachability, &bench)
        #expect(try told(over: bench.links[2], &bench).map(\.age) == [100])
        #expect(try told(over: bench.links[1], &bench).isEmpty, "it has said so")
        #expect(try told(over: bench.links[0], &bench).isEmpty, "it knows where it is")
        give(news, age: 60, over: bench.links[1], to: &reachability, &bench)
        #expect(try told(over: bench.links[2], &bench).isEmpty, "known")
        bench.advance(by: .seconds(50))
        reachability.tellWhereabouts(over: bench.links[2], again: true, core: &bench.core)
        #expect(try told(over: bench.links[2], &bench).map(\.age) == [150])
        #expect(bench.events.contains(.whereaboutsChanged(bench.friends[0].device)))
    }

    @Test func `a wrong age counts until somebody tells the right one, and no number is news for ever`() throws {
        var bench = try MachineBench(friends: 3)
        var reachability = start(&bench)
        let news = whereabouts(of: bench.friends[0])
        bench.close(bench.links[0])
        give(news, age: 30 * 86_400, over: bench.links[1], to: &reachability, &bench)
        #expect(reachability.warm[news.device] == nil, "nobody is there after so long")
        _ = try told(over: bench.links[2], &bench)
        give(news, over: bench.links[2], to: &reachability, &bench)
        #expect(reachability.warm[news.device] != nil)
        #expect(try told(over: bench.links[1], &bench).map(\.age) == [0])
        _ = try told(over: bench.links[2], &bench)
        let other = whereabouts(of: bench.friends[0], number: 6)
        var age: UInt32 = 30 * 86_400
        while age > 0 {
            give(other, age: age, over: bench.links[1], to: &reachability, &bench)
            age = age * 98 / 100
        }
        #expect((10...22).contains(try told(over: bench.links[2], &bench).count))
        for _ in 0..<100 {
            bench.advance(by: .seconds(100))
            give(other, over: bench.links[1], to: &reachability, &bench)
        }
        #expect(try told(over: bench.links[2], &bench).isEmpty, "it is as old as it was held")
        #expect(reachability.whereabouts[news.device]?.age(at: bench.core.now) ?? .zero >= .seconds(10_000))
    }

    @Test func `who has not proven to be a member hears nothing, and is not listened to`() throws {
        var bench = try MachineBench()
        let unproven = bench.open(bench.friends[1], isProven: false)
        let stranger = bench.open(Forged.stranger)
        var reachability = start(&bench)
        give(whereabouts(of: bench.friends[0]), over: bench.links[1], to: &reachability, &bench)
        give(whereabouts(of: bench.friends[1]), over: unproven, to: &reachability, &bench)
        give(whereabouts(of: bench.friends[1]), over: stranger, to: &reachability, &bench)
        for link in [unproven, stranger] {
            reachability.tellWhereabouts(over: link, again: true, core: &bench.core)
            #expect(bench.said(over: link).isEmpty)
        }
        give(whereabouts(of: Forged.stranger), over: unproven, to: &reachability, &bench)
        #expect(reachability.whereabouts.devices == [bench.friends[0].device])
        #expect(reachability.unknownWhereabouts.devices.isEmpty)
    }

    @Test func `what is told of a newcomer before the ledger names it is taken once the ledger does`() throws {
        var bench = try MachineBench(friends: 2)
        var reachability = start(&bench)
        let newcomer = MachineBench.identity(77)
        give(whereabouts(of: newcomer, number: 7), age: 100, over: bench.links[0], to: &reachability, &bench)
        give(whereabouts(of: newcomer, number: 6), over: bench.links[0], to: &reachability, &bench)
        var bytes = whereabouts(of: newcomer, number: 8).bytes
        bytes[40] ^= 1
        give(try Whereabouts(decoding: bytes), over: bench.links[0], to: &reachability, &bench)
        reachability.membersChanged(core: &bench.core)
        #expect(reachability.whereabouts.devices.isEmpty)
        #expect(try told(over: bench.links[1], &bench).isEmpty, "nobody is told of a stranger")
        bench.advance(by: .seconds(50))
        try bench.admit(newcomer)
        reachability.membersChanged(core: &bench.core)
        #expect(reachability.whereabouts[newcomer.device]?.whereabouts.number == 7)
        #expect(reachability.warm[newcomer.device] != nil)
        #expect(try told(over: bench.links[1], &bench).map(\.age) == [150])
        #expect(reachability.unknownWhereabouts.devices.isEmpty)
    }

    @Test func `whereabouts are taken from who is in no group with that device, and are not told to them`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        var change = DurableChange()
        let club = try bench.core.startGroup(title: "Another club", change: &change)
        let newcomer = MachineBench.identity(700)
        try bench.admit(newcomer, to: club)
        give(whereabouts(of: newcomer), over: bench.links[0], to: &reachability, &bench)
        #expect(reachability.whereabouts[newcomer.device]?.whereabouts.number == 5)
        #expect(try bench.links.flatMap { try told(over: $0, &bench) }.isEmpty, "the club is open on no link")
    }

    @Test func `a member that makes up devices has few of them kept`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        give(
            whereabouts(of: MachineBench.identity(1_300)), age: 30 * 86_400 + 1, over: bench.links[1],
            to: &reachability, &bench)
        #expect(reachability.unknownWhereabouts.devices.isEmpty)
        for seed in 1_000..<1_200 as Range<UInt64> {
            give(
                whereabouts(of: MachineBench.identity(seed)), age: UInt32(1_200 - seed), over: bench.links[1],
                to: &reachability, &bench)
        }
        let newest = (1_136..<1_200 as Range<UInt64>).map { MachineBench.identity($0).device }
        #expect(Set(reachability.unknownWhereabouts.devices) == Set(newest))
        #expect(WhereaboutsTable.maximumUnknown == newest.count)
        reachability.change(.off, core: &bench.core)
        #expect(reachability.unknownWhereabouts.devices.isEmpty)
        #expect(reachability.whereabouts.devices.isEmpty)
    }

    @Test func `of devices of no group, forged, replayed or outdated ones nothing is taken`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        let (friend, link) = (bench.friends[0], bench.links[1])
        give(whereabouts(of: Forged.stranger), over: link, to: &reachability, &bench)
        var bytes = whereabouts(of: friend).bytes
        bytes[40] ^= 1
        let forged = try Whereabouts(decoding: bytes)
        for _ in 1...10 { give(forged, over: link, to: &reachability, &bench) }
        give(whereabouts(of: friend), age: 30 * 86_400 + 1, over: link, to: &reachability, &bench)
        reachability.receivedWhereabouts(
            [ToldWhereabouts(age: 0, bytes: [1, 2, 3])], over: link, core: &bench.core)
        #expect(reachability.whereabouts.devices.isEmpty)
        // Forged ones have used up nothing of the friend's.
        give(whereabouts(of: friend, number: 9), over: link, to: &reachability, &bench)
        give(whereabouts(of: friend, number: 8, at: []), over: link, to: &reachability, &bench)
        give(whereabouts(of: friend, number: 9, at: []), over: link, to: &reachability, &bench)
        #expect(reachability.whereabouts[friend.device]?.whereabouts.entries.map(\.endpoint) == [there])
    }

    @Test func `a former member's are dropped, on disk as well, and no longer taken`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        let (former, link) = (bench.friends[0], bench.links[1])
        give(whereabouts(of: former), over: link, to: &reachability, &bench)
        run(.seconds(60), &reachability, &bench)
        #expect(bench.changes.last?.settings["whereabouts"]?.count ?? 0 > 100)
        try bench.remove(0)
        reachability.membersChanged(core: &bench.core)
        run(.seconds(1), &reachability, &bench)
        #expect(reachability.whereabouts.devices.isEmpty && bench.changes.last?.settings["whereabouts"] == [0])
        _ = try told(over: bench.links[1], &bench)
        give(whereabouts(of: former, number: 99), over: link, to: &reachability, &bench)
        reachability.foundWhereabouts(whereabouts(of: former, number: 100).bytes, core: &bench.core)
        #expect(reachability.whereabouts.devices.isEmpty)
        #expect(try told(over: bench.links[1], &bench).isEmpty)
    }

    @Test func `at most one change a minute of one device is read`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        var taken = 0
        for number in 1...600 as ClosedRange<UInt64> {
            give(
                whereabouts(of: bench.friends[0], number: number), over: bench.links[1], to: &reachability, &bench)
            if reachability.whereabouts[bench.friends[0].device]?.whereabouts.number == number { taken += 1 }
            bench.advance(by: .seconds(1))
        }
        #expect((12...15).contains(taken), "\(taken)")
    }

    @Test func `no more than 512 are held, the newest, and none for longer than 30 days`() {
        var table = WhereaboutsTable()
        let identities = (0..<520).map { MachineBench.identity(9_000 + UInt64($0)) }
        for (index, identity) in identities.enumerated() {
            table.take(whereabouts(of: identity), age: .seconds(Int64(index)), at: .zero)
        }
        #expect(
            table.devices.count == 512 && table[identities[0].device] != nil && table[identities[519].device] == nil)
        #expect(table.told(at: .zero) { _ in true }.map(\.age) == (0..<512).map { UInt32($0) })
        let wall = WallTime(milliseconds: EngineNetwork.wall)
        let stored = table.encoded(at: .zero, wall: wall)
        let later = WallTime(milliseconds: wall.milliseconds + 1_000_000)
        let restored = WhereaboutsTable(stored: stored, wall: later)
        #expect(restored.told(at: .zero) { _ in true }.map(\.age) == (0..<512).map { UInt32($0) + 1_000 })
        for count in [0, 1, 2, 100, stored.count - 1] {
            let cut = WhereaboutsTable(stored: Array(stored.prefix(count)), wall: wall)
            #expect(cut.devices.count < 512)
        }
        let end = MonotonicInstant.zero.advanced(by: WhereaboutsTable.lifetime)
        #expect(table.told(at: end) { _ in true }.count == 1)
        let hasChanged = table.keep(at: end) { _ in true }
        #expect(hasChanged && table.devices == [identities[0].device])
        let outdated = WallTime(milliseconds: wall.milliseconds + 31 * 86_400_000)
        #expect(WhereaboutsTable(stored: stored, wall: outdated).devices.isEmpty)
    }

    // MARK: Warm devices

    /// When which datagrams go out: seconds, and the hop limit.
    private func dials(
        for duration: Duration, _ reachability: inout Reachability, _ bench: inout MachineBench
    ) -> [(at: Double, to: Endpoint, hopLimit: UInt8?)] {
        var sent: [(at: Double, to: Endpoint, hopLimit: UInt8?)] = []
        let start = bench.core.now
        let end = start.advanced(by: duration)
        while true {
            let due = [reachability.nextDeadline, bench.core.links.nextDeadline].compactMap(\.self).min()
            let next = min(end, max(bench.core.now, due ?? end))
            bench.core.now = next
            reachability.runTimers(core: &bench.core)
            bench.core.links.handle(.deadlineReached, at: next, entropy: &bench.core.entropy)
            for case .sendDatagram(_, let target, let hopLimit) in bench.core.links.drain().outputs {
                sent.append((Double(start.duration(to: next).nanoseconds) / 1e9, target, hopLimit))
            }
            if next == end { return sent }
        }
    }

    @Test func `an expected device is dialled, then knocked at, every fourth time in full, until it is cold`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        give(whereabouts(of: bench.friends[0]), over: bench.links[1], to: &reachability, &bench)
        let sent = dials(for: .seconds(3_600), &reachability, &bench)
        let first = sent.prefix { $0.at < 20 }
        #expect(first.map(\.at) == [0, 0.25, 0.75, 1.75, 3.75])
        #expect(first.map(\.hopLimit) == [5, nil, nil, nil, nil])
        let knocks = sent.dropFirst(first.count)
        #expect(knocks.map(\.at) == (1..<45).map { Double($0) * 20 }, "20 s apart, for 15 minutes")
        #expect(knocks.map(\.hopLimit) == (1..<45).map { $0.isMultiple(of: 4) ? nil : 5 })
        #expect(sent.allSatisfy { $0.to == there })
    }

    @Test func `who told where it is long ago, or is nowhere, is not dialled; a link ends the expectation`() throws {
        var bench = try MachineBench()
        var reachability = start(&bench)
        let (friend, link) = (bench.friends[0], bench.links[1])
        give(whereabouts(of: friend, number: 1), age: 35 * 60 + 1, over: link, to: &reachability, &bench)
        give(whereabouts(of: friend, number: 2, at: []), over: link, to: &reachability, &bench)
        #expect(dials(for: .seconds(60), &reachability, &bench).isEmpty)
        give(whereabouts(of: friend, number: 3), age: 35 * 60, over: link, to: &reachability, &bench)
        #expect(dials(for: .seconds(60), &reachability, &bench).count == 8)
        reachability.peerKnown(friend.device, over: bench.links[0], core: &bench.core)
        #expect(dials(for: .seconds(60), &reachability, &bench).isEmpty)
    }

    @Test func `of six endpoints four are dialled, IPv6 first, and streams where a port is open`() throws {
        let v6 = Endpoint(address: Bytes16(0x2001_0DB8 << 32, 1), port: 7_420)
        func entry(_ source: Whereabouts.Source, _ number: UInt32) -> Whereabouts.Entry {
            .init(source: source, endpoint: Endpoint(ipv4: 0xC613_0000 + number, port: 7_420))
        }
        let seen = entry(.seen, 1), named = entry(.named, 2), mapped = entry(.mapped, 3), second = entry(.mapped, 4)
        let own = Whereabouts.Entry(source: .ipv6, endpoint: v6)
        let friend = MachineBench.identity(1)
        let all = Whereabouts(
            number: 1, isSteady: true, isAlwaysOn: false, entries: [seen, named, mapped, second, own], identity: friend)
        #expect(Array(all.dialled) == [own, mapped, second, named])
        var bench = try MachineBench()
        var reachability = start(&bench)
        let few = Whereabouts(
            number: 1, isSteady: true, isAlwaysOn: false, entries: [seen, mapped], identity: bench.friends[0])
        give(few, over: bench.links[1], to: &reachability, &bench)
        reachability.runTimers(core: &bench.core)
        let streams = bench.core.links.drain().outputs.compactMap { output -> Endpoint? in
            if case .openStream(_, let target) = output { target } else { nil }
        }
        #expect(streams == [mapped.endpoint])
    }

    @Test func `however many are expected, 32 are, and sixty datagrams a second leave for them`() throws {
        var bench = try MachineBench(friends: 41)
        var reachability = start(&bench)
        let endpoints = (0..<4).map { Endpoint(ipv4: 0xC613_0001 + $0, port: 7_420) }
        for friend in bench.friends.dropLast() {
            give(whereabouts(of: friend, at: endpoints), over: bench.links[40], to: &reachability, &bench)
        }
        #expect(bench.friends.count { reachability.warm[$0.device] != nil } == WarmDevices.maximumCount)
        let sent = dials(for: .seconds(120), &reachability, &bench)
        for (index, first) in sent.enumerated() {
            let together = sent[index...].prefix { $0.at < first.at + 1 }.count
            #expect(together <= 60, "\(together) in the second from \(first.at)")
        }
        #expect(sent.count >= 32 * 4 * 5, "all are dialled in the end")
    }
}
