import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// The machine that knows where others are, alone.
struct ReachabilityTests {
    private func start(_ bench: inout MachineBench) -> Reachability {
        Reachability(snapshot: Snapshot(store: bench.core.store), core: &bench.core)
    }

    @Test func `a node that listens calls the local network, and a replayed call gets no answer`() throws {
        var bench = try MachineBench(friends: 1)
        var reachability = start(&bench)
        reachability.startNetwork(port: 7_420, usesDiscovery: true, core: &bench.core)
        reachability.refreshKeys(joining: [], friends: [], core: &bench.core)
        reachability.runTimers(core: &bench.core)
        guard case .sendBeacon(let call, to: nil)? = bench.core.outputs.last else {
            Issue.record("nobody is called")
            return
        }
        bench.core.outputs = []
        // A friend with the same access key hears it, and dials.
        let endpoint = Endpoint(ipv4: 0x0A00_0009, port: 7_420)
        let key = try #require(bench.core.groups[bench.group]?.accessKeys.first)
        let hour = Beacon.hourKey(key.beaconKey, hour: Beacon.hour(of: bench.core.wall))
        let read = try #require(Beacon.open(call, hourKeys: [hour]))
        #expect(read.content.linkKey == bench.core.identity.linkKey.publicKey && read.content.port == 7_420)
        #expect(reachability.handleBeacon(call, from: endpoint, core: &bench.core), "one's own, and no answer")
        #expect(bench.core.outputs.isEmpty)
        let content = Beacon.Content(kind: .query, port: 7_420, linkKey: bench.friends[0].linkKey.publicKey)
        let theirs = Beacon.make([(hour, content)], entropy: &bench.core.entropy)
        #expect(reachability.handleBeacon(theirs, from: endpoint, core: &bench.core))
        #expect(!reachability.handleBeacon(theirs, from: endpoint, core: &bench.core))
        #expect(reachability.dialler.addresses[bench.friends[0].device]?.map(\.endpoint) == [endpoint])
    }

    @Test func `the addresses that the user names take the place of those before`() {
        let (first, second, third) = (
            Endpoint(ipv4: 1, port: 1), Endpoint(ipv4: 2, port: 1), Endpoint(ipv4: 3, port: 1)
        )
        var dialler = Dialler()
        dialler.start()
        dialler.name([first, second], at: .zero)
        #expect(dialler.dueEndpoints(at: .zero) { .zero }.map { $0.endpoint } == [first, second])
        dialler.name([second, third], at: .zero)
        #expect(dialler.namedEndpoints == [second, third])
        #expect(
            dialler.dueEndpoints(at: .zero) { .zero }.map { $0.endpoint } == [third], "the other has just been dialled")
    }

    @Test func `a group with enough links has no further member dialled who is reached`() {
        var dialler = Dialler()
        let group = GroupID(bytes: Bytes32(1, 2, 3, 4))
        func hasRoom(links: Int, isReached: Bool = true, at seconds: Int64) -> Bool {
            dialler.takeRoom(
                in: [group], links: [group: links], isReached: isReached, at: .zero.advanced(by: .seconds(seconds)))
        }
        // A dial counts for a second as a link does.
        #expect(hasRoom(links: Dialler.wantedLinks - 1, at: 1))
        #expect(!hasRoom(links: Dialler.wantedLinks - 1, at: 1))
        #expect(hasRoom(links: Dialler.wantedLinks - 1, at: 3))
        #expect(!hasRoom(links: Dialler.wantedLinks, at: 5))
        // Who is offline, as far as the group knows, may be on another island.
        #expect(hasRoom(links: Dialler.wantedLinks, isReached: false, at: 5))
    }

    @Test func `members report whom they reach, and routes lead through them`() throws {
        var bench = try MachineBench(friends: 3)
        var reachability = start(&bench)
        let far = bench.friends[2]
        bench.core.sessions[bench.links[2]]?.groups = [:]
        reachability.notePresence(of: bench.group, core: bench.core)
        reachability.receivedPresence(
            [PresenceEntry(device: DeviceHandle(far.device), hops: 1)], of: bench.group, over: bench.links[0],
            core: &bench.core)
        #expect(reachability.route(to: far.device, in: bench.group, core: bench.core) == nil)
        bench.advance(by: Presence.delay)
        reachability.runTimers(core: &bench.core)
        let route = try #require(reachability.route(to: far.device, in: bench.group, core: bench.core))
        #expect(route.hops == 2 && route.via == bench.friends[0].device)
        guard case .presence(bench.handle, let told)? = bench.said(over: bench.links[1]).first else {
            Issue.record("the second friend is not told")
            return
        }
        #expect(told.contains(PresenceEntry(device: DeviceHandle(far.device), hops: 2)))
        #expect(bench.said(over: bench.links[2]).isEmpty, "it has not proven to know the group")
        #expect(bench.events == [.presenceChanged(bench.group)])
    }

    @Test func `a peer that sends too much presence loses its link`() throws {
        var bench = try MachineBench(friends: 1)
        var reachability = start(&bench)
        let entries = [PresenceEntry](
            repeating: PresenceEntry(device: DeviceHandle(value: 1), hops: 1), count: LinkMessage.maximumPresenceEntries
        )
        for _ in 0...(ChargedWork.presenceEntries.burst / entries.count) {
            reachability.receivedPresence(entries, of: bench.group, over: bench.links[0], core: &bench.core)
        }
        #expect(bench.events.isEmpty)
        reachability.receivedPresence(entries, of: bench.group, over: bench.links[0], core: &bench.core)
        #expect(bench.events == [.overBudget(.presenceEntries)])
    }

    @Test func `own addresses are stored where they are news, without those of one link only`() throws {
        var bench = try MachineBench(friends: 0)
        var reachability = start(&bench)
        let own = Endpoint(ipv4: 0x0A00_0001, port: 7_420)
        let local = Endpoint(address: Bytes16(0xFE80 << 48, 1), port: 7_420)
        for _ in 1...2 { reachability.keepOwnEndpoints([local, own], core: &bench.core) }
        #expect(bench.core.network.ownEndpoints == [own] && bench.changes.count == 1)
        #expect(reachability.inviteAddresses(of: bench.group, core: bench.core) == [[own]])
    }
}
