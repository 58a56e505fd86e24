import StreakCrypto
import StreakLinks
import StreakMembership
import StreakWire
import Testing

@testable import StreakEngine

/// Who is online, as linked nodes tell each other.
struct PresenceTests {
    private let own = DeviceHandle(value: 1)
    private let ada = DeviceHandle(value: 2)
    private let ben = DeviceHandle(value: 3)
    private let cleo = DeviceHandle(value: 4)
    private let toAda = LinkID(1)
    private let toBen = LinkID(2)

    private func entry(_ device: DeviceHandle, _ hops: UInt8?) -> PresenceEntry {
        PresenceEntry(device: device, hops: hops)
    }

    /// A node that is linked to Ada, and to Ben.
    private func refreshed(_ presence: inout Presence) -> Bool {
        presence.refresh(direct: [(toAda, ada), (toBen, ben)], own: own)
    }

    @Test func `who is linked is one link away, and whom it names one further`() {
        var presence = Presence()
        presence.take([entry(cleo, 1), entry(own, 1)], from: toAda, at: .zero)
        #expect(presence.due == .zero.advanced(by: Presence.delay))
        #expect(refreshed(&presence))
        #expect(presence.route(to: ada) == Presence.Route(hops: 1, link: toAda))
        #expect(presence.route(to: cleo) == Presence.Route(hops: 2, link: toAda))
        #expect(presence.route(to: own) == nil && presence.count == 3)
        #expect(presence.isNeighbour(cleo, of: toAda) && !presence.isNeighbour(cleo, of: toBen))
        // Nothing has changed.
        #expect(!refreshed(&presence) && presence.due == nil)
    }

    @Test func `a peer is told what it lacks, once, and that it is gone`() {
        var presence = Presence()
        presence.take([entry(cleo, 1)], from: toAda, at: .zero)
        _ = refreshed(&presence)
        #expect(presence.news(for: toBen, from: own, to: ben) == [entry(ada, 1), entry(cleo, 2)])
        // The way to Cleo leads over Ada.
        #expect(presence.news(for: toAda, from: own, to: ada) == [entry(ben, 1)])
        #expect(presence.news(for: toBen, from: own, to: ben).isEmpty)
        presence.closed(toAda, at: .zero)
        _ = presence.refresh(direct: [(toBen, ben)], own: own)
        #expect(presence.route(to: cleo) == nil && presence.route(to: ada) == nil)
        #expect(presence.news(for: toBen, from: own, to: ben) == [entry(ada, nil), entry(cleo, nil)])
    }

    @Test func `a peer that has a shorter way is told of neighbours only`() {
        var presence = Presence()
        presence.take([entry(cleo, 3)], from: toAda, at: .zero)
        presence.take([entry(cleo, 1), entry(ada, 1)], from: toBen, at: .zero)
        _ = refreshed(&presence)
        #expect(presence.route(to: cleo) == Presence.Route(hops: 2, link: toBen))
        // Without Ben it is four links, and Ben needs one.
        #expect(presence.news(for: toBen, from: own, to: ben) == [entry(ada, 1)])
        #expect(presence.news(for: toAda, from: own, to: ada) == [entry(ben, 1), entry(cleo, 2)])
    }

    @Test func `a peer is never told of somebody who is reached over it`() {
        for hops in 1...Presence.maximumHops {
            var presence = Presence()
            presence.take([entry(cleo, hops)], from: toAda, at: .zero)
            _ = refreshed(&presence)
            #expect(presence.news(for: toAda, from: own, to: ada) == [entry(ben, 1)], "over \(hops) links")
            // Nor once there is another way, as long as Ada's is the shortest.
            presence.take([entry(cleo, min(hops + 1, Presence.maximumHops))], from: toBen, at: .zero)
            _ = refreshed(&presence)
            #expect(presence.news(for: toAda, from: own, to: ada).isEmpty, "over \(hops) links")
        }
    }

    @Test func `two who believe each other about somebody who is gone count to fifteen and stop`() {
        // Ada and Ben are linked, and both were linked to Cleo; each heard of her from the other.
        var sides = [Presence(), Presence()]
        let link = LinkID(9)
        let handles = [ada, ben]
        for side in 0...1 { sides[side].take([entry(cleo, 5)], from: link, at: .zero) }
        var messages = 0
        for _ in 0..<40 {
            for side in 0...1 {
                _ = sides[side].refresh(direct: [(link, handles[1 - side])], own: handles[side])
                let news = sides[side].news(for: link, from: handles[side], to: handles[1 - side])
                messages += news.isEmpty ? 0 : 1
                sides[1 - side].take(news, from: link, at: .zero)
            }
        }
        // By split horizon, neither tells the other what only the other has told it. What remains is what each heard
        // once.
        #expect(messages == 0)
        sides[0].take([entry(cleo, nil)], from: link, at: .zero)
        _ = sides[0].refresh(direct: [(link, ben)], own: ada)
        #expect(sides[0].route(to: cleo) == nil)
    }

    @Test func `two who reach somebody alike fall silent`() {
        let link = LinkID(9)
        let handles = [ada, ben]
        let friends = [own, DeviceHandle(value: 9)]
        var sides = [Presence(), Presence()]
        // Each has a friend who is linked to Cleo.
        for side in 0...1 { sides[side].take([entry(cleo, 1)], from: toAda, at: .zero) }
        var last = 0
        for round in 1...20 {
            let news = (0...1).map { side in
                _ = sides[side].refresh(
                    direct: [(toAda, friends[side]), (link, handles[1 - side])], own: handles[side])
                return sides[side].news(for: link, from: handles[side], to: handles[1 - side])
            }
            // Both send at once.
            for side in 0...1 where !news[side].isEmpty {
                sides[1 - side].take(news[side], from: link, at: .zero)
                last = round
            }
        }
        #expect(last <= 3)
    }

    @Test func `what one peer says is bounded`() {
        var presence = Presence()
        let many = (0..<UInt64(Presence.maximumEntries + 100)).map { entry(DeviceHandle(value: 100 + $0), 2) }
        presence.take(many, from: toAda, at: .zero)
        presence.take([entry(cleo, 15)], from: toBen, at: .zero)
        _ = refreshed(&presence)
        #expect(presence.count == Presence.maximumEntries + 2)
        // Sixteen links are too many.
        #expect(presence.route(to: cleo) == nil)
    }

    @Test func `devices that come and go without end take no room without end`() {
        var presence = Presence()
        presence.take([entry(cleo, 1)], from: toBen, at: .zero)
        for round in 0..<40 as Range<UInt64> {
            let names = (0..<600).map { DeviceHandle(value: 1_000 + round * 600 + $0) }
            for hops in [2, nil] as [UInt8?] {
                presence.take(names.map { entry($0, hops) }, from: toAda, at: .zero)
                #expect(refreshed(&presence))
                #expect(presence.news(for: toBen, from: own, to: ben).count >= 600)
            }
        }
        #expect(presence.placeCount < 10_000)
        #expect(presence.count == 3 && presence.route(to: cleo) == Presence.Route(hops: 2, link: toBen))
        #expect(presence.isNeighbour(cleo, of: toBen))
        #expect(presence.news(for: toBen, from: own, to: ben).isEmpty, "what was told is remembered")
    }

    // MARK: In the engine

    @Test func `members that have no link to each other know who is online, and through whom`() throws {
        var party = try EngineNetwork.friends(3)
        party.run(for: .seconds(2))
        #expect(party.nodes[1].engine.route(to: party.device(2), in: party.group)?.hops == 1)
        // From now on the second and the third hear only the first.
        party.isCut = { Set([$0, $1]) == [1, 2] }
        party.run(for: .seconds(400))
        #expect(!party.isLinked(1, 2))
        let route = try #require(party.nodes[1].engine.route(to: party.device(2), in: party.group))
        #expect(route.hops == 2 && route.via == party.device(0))
        party.partition([[0, 1], [2]])
        party.run(for: .seconds(400))
        #expect(party.nodes[1].engine.route(to: party.device(2), in: party.group) == nil)
        #expect(party.nodes[1].engine.route(to: party.device(0), in: party.group)?.hops == 1)
    }

    @Test func `a member that floods presence loses its link`() throws {
        var party = try EngineNetwork.friends(2)
        let handle = GroupHandle(party.group)
        for round in 0..<40 {
            let entries = (0..<UInt64(600)).map { entry(DeviceHandle(value: $0), round.isMultiple(of: 2) ? 3 : nil) }
            party.say(.presence(handle, entries), from: 1, to: 0)
        }
        #expect(party.nodes[0].engine.core.sessions.count == 0)
    }

    @Test func `a device that was removed is reached no longer, whatever others say`() throws {
        var party = try EngineNetwork.friends(3)
        party.run(for: .seconds(1))
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.say(
            .presence(GroupHandle(party.group), [entry(DeviceHandle(party.device(2)), 1)]), from: 1, to: 0)
        party.run(for: .seconds(2))
        #expect(try party.state(0).device(party.device(2))?.isCurrent == false)
        #expect(party.nodes[0].engine.route(to: party.device(2), in: party.group) == nil)
    }
}
