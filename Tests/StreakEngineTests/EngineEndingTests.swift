import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Who learns that a place in a group has ended, or never existed; and who learns nothing.
struct EngineEndingTests {
    private func newcomer(_ party: inout EngineNetwork, seed: UInt64) -> Int {
        var entropy = SeededEntropy(seed: seed)
        let account = SigningSecretKey.generate(from: &entropy)
        party.add(DeviceIdentity.create(accountKey: account, from: &entropy), entropy: entropy)
        return party.nodes.count - 1
    }

    @Test func `a newcomer admitted by a removed member that had not heard so is told, and comes in by a new invite`()
        throws
    {
        var party = try EngineNetwork.friends(3)
        let new = newcomer(&party, seed: 4_300)
        party.partition([[0, 1], [2, new]])
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        let stale = try party.invite(by: 2)
        try party.join(new, by: stale)
        party.write("Dora", by: new)
        #expect(party.nodes[new].engine.isMember(of: party.group))
        // Only the newcomer meets the others.
        party.partition([[0, 1, new], [2]])
        _ = party.command(.dialAddresses([party.endpoint(0)]), at: new)
        party.run(for: .seconds(5))
        #expect(!party.nodes[new].engine.isMember(of: party.group))
        #expect(party.nodes[new].engine.exclusion(from: party.group) != nil)
        #expect(party.names(new) == ["Dora"], "its own stays")
        #expect(try !party.state(0).isMember(party.user(new)))
        let link = try party.invite(by: 1)
        try party.join(new, by: link)
        party.run(for: .seconds(3))
        #expect(
            party.nodes[new].engine.isMember(of: party.group)
                && party.nodes[new].engine.exclusion(from: party.group) == nil)
        #expect(Set([0, 1, new].map { party.nodes[$0].engine.digest(of: party.group) }).count == 1)
        #expect(party.names(0).contains("Dora"))
    }

    @Test func `a new invite works before the newcomer has heard that it is not in`() throws {
        var party = try EngineNetwork.friends(3)
        let new = newcomer(&party, seed: 4_301)
        party.partition([[0, 1], [2, new]])
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        try party.join(new, by: party.invite(by: 2))
        let link = try party.invite(by: 1)
        party.partition([[0, 1, new], [2]])
        try party.join(new, by: link)
        party.run(for: .seconds(3))
        #expect(try party.state(0).isMember(party.user(new)))
        // A user who is in by every member's ledger is told so at once.
        #expect(
            party.command(.join(link, timeout: .seconds(30)), at: new) == .failed(.alreadyMember(party.group)))
    }

    @Test func `a new invite works beside others who have not heard that they are out either`() throws {
        var party = try EngineNetwork.friends(4)
        let new = newcomer(&party, seed: 4_303)
        party.partition([[0, 1], [2, 3, new]])
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        #expect(party.command(.remove(party.group, party.user(3)), at: 0) == .done)
        try party.join(new, by: party.invite(by: 2))
        _ = party.command(.dialAddresses([party.endpoint(3)]), at: new)
        party.run(for: .seconds(3))
        try #require(Set([2, 3, new].map { party.nodes[$0].engine.digest(of: party.group) }).count == 1)
        let link = try party.invite(by: 0)
        // The newcomer reaches both halves, and has not yet met anybody of the other.
        party.isCut = { $0 != new && $1 != new && ($0 < 2) != ($1 < 2) }
        try party.join(new, by: link)
        party.run(for: .seconds(3))
        #expect(try party.state(0).isMember(party.user(new)))
    }

    @Test func `a member that nobody answers is told after a moment that it is in`() throws {
        var party = try EngineNetwork.friends(3)
        party.run(for: .seconds(2))
        let link = try party.invite(by: 1)
        party.partition([[0, 2], [1]])
        let start = party.now
        #expect(party.command(.join(link, timeout: .seconds(30)), at: 2) == .failed(.alreadyMember(party.group)))
        #expect(start.duration(to: party.now) < .seconds(4))
    }

    @Test func `a newcomer by a link that was revoked unseen is told`() throws {
        var party = try EngineNetwork.friends(3)
        let new = newcomer(&party, seed: 4_302)
        let link = try party.invite(by: 1)
        party.run(for: .seconds(2))
        party.partition([[0], [1, 2, new]])
        let invite = try #require(try party.state(0).invites.first { $0.inviter == party.user(1) })
        #expect(party.command(.revokeInvite(party.group, invite.id), at: 0) == .done)
        try party.join(new, by: link)
        #expect(party.nodes[new].engine.isMember(of: party.group))
        party.partition([[0, 1, 2, new]])
        _ = party.command(.dialEveryone, at: 0)
        party.run(for: .seconds(5))
        #expect(!party.nodes[new].engine.isMember(of: party.group))
        #expect(party.nodes[new].engine.exclusion(from: party.group) != nil)
    }

    @Test func `a made-up device under an old access key hears of nobody`() throws {
        var party = try EngineNetwork.friends(3)
        let key = try #require(party.nodes[2].engine.core.groups[party.group]?.accessKeys.first)
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(2))
        var entropy = SeededEntropy(seed: 4_303)
        let made = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        var intruder = Intruder(made, target: 0)
        let linkKey = LinkKey(
            presharedKey: key.linkPresharedKey, tagKey: key.tagKey, label: .access(party.group, index: 0))
        #expect(intruder.dial(linkKey, peer: party.nodes[0].engine.identity.linkKey.publicKey, in: &party))
        intruder.greet([key], in: &party)
        intruder.say(.operationsRequested(party.handle, known: []), in: &party)
        intruder.say(.tipsRequested(party.handle, store: StoreID(bytes: .zero), arrival: 0), in: &party)
        #expect(intruder.heardOperations.isEmpty && intruder.heardSecrets.isEmpty)
        let tips = intruder.heard.flatMap { message -> [LedgerTip] in
            if case .operationsRequested(_, let known) = message { known } else { [] }
        }
        #expect(tips.isEmpty)
    }

    @Test func `a removal ends the invites of whom it removes, and those by which it came in`() throws {
        var party = try EngineNetwork.friends(3)
        let used = try #require(try party.state(0).member(party.user(2))?.invite)
        _ = try party.invite(by: 2, uses: 5)
        let others = try party.invite(by: 1)
        // By this clock it has expired; by that of whoever answers it may be good.
        party.command(.invite(party.group, uses: 5, lifetime: 60), at: 2)
        party.run(for: .seconds(120))
        let before = try party.state(0).invites
        #expect(before.first { $0.id == used }?.used == 2, "uses of an unlimited invite are counted")
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(2))
        for index in 0...1 {
            let live = try party.state(index).invites.filter { !$0.isRevoked }
            #expect(live.map(\.inviter) == [party.user(1)], "only what it has nothing to do with")
        }
        _ = others
    }

    @Test func `others' invites live on where the remover says so`() throws {
        var party = try EngineNetwork.friends(3)
        let used = try #require(try party.state(0).member(party.user(2))?.invite)
        let own = try party.invite(by: 2)
        party.run(for: .seconds(2))
        #expect(
            party.command(.remove(party.group, party.user(2), keepingOthersInvites: true), at: 0) == .done)
        let live = try party.state(0).invites.filter { !$0.isRevoked }
        #expect(live.map(\.id) == [used])
        _ = own
    }
}
