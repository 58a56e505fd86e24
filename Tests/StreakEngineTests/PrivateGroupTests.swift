import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// The private group, whose machines may have been made with the account's key without knowing each other.
struct PrivateGroupTests {
    static let memberKinds: [OperationBody.Kind] = [.request, .admit, .setRole, .transfer, .remove, .leave]

    @Test func `machines that never met have one private group, and nothing but to link`() throws {
        var household = try Household(seed: 1)
        let recovered = try household.recover()
        let group = try #require(household.privateGroup(of: 1))
        #expect(household.privateGroup(of: recovered) == group)
        #expect(household.privateGroup(of: 0) != group, "another account has another one")
        try household.set("new here", to: "older", at: 1)
        try household.set("new here", to: "newer", at: recovered)
        try household.set("taken back", to: "x", at: 1)
        try household.write([.setting(name: "taken back", value: [])], at: recovered)
        // They share no other group, and find each other by beacon under the group's first key.
        household.network.run(for: .seconds(60))
        #expect(household.isOne([1, recovered]))
        for node in [1, recovered] { #expect(try household.settings(of: node) == ["new here": "newer"]) }
        #expect(!household.network.nodes[0].engine.groupIDs.contains(group))
        try household.set("later", to: "3", at: recovered)
        household.network.restart(1)
        household.network.restart(recovered)
        household.network.run(for: .seconds(60))
        for node in [1, recovered] {
            #expect(try household.settings(of: node) == ["new here": "newer", "later": "3"])
        }
    }

    @Test func `three machines, two of them linked, are in one group, whatever the order in which they meet`() throws {
        var household = try Household(seed: 2)
        let linked = try household.linkMachine(to: 1)
        let recovered = try household.recover()
        household.network.isCut = { $0 == 1 || $1 == 1 }
        for (node, name) in [(1, "a"), (linked, "b"), (recovered, "c")] { try household.set(name, to: name, at: node) }
        household.network.run(for: .seconds(60))
        #expect(try household.settings(of: linked) == ["b": "b", "c": "c"])
        household.network.isCut = { _, _ in false }
        household.network.run(for: .seconds(400))
        for node in [1, linked, recovered] {
            #expect(try household.settings(of: node) == ["a": "a", "b": "b", "c": "c"])
        }
        #expect(household.isOne([1, linked, recovered]))
    }

    @Test(arguments: [1, 2], 1...4) func `a kill at any step changes nothing about the end`(victim: Int, step: Int)
        throws
    {
        var household = try Household(seed: 3)
        try #require(household.recover() == 2)
        for node in [1, 2] {
            for number in 0..<5 { try household.set("\(node)/\(number)", to: "x", at: node) }
        }
        let writes = household.network.nodes[victim].writes
        household.network.run(for: .seconds(60)) { $0.nodes[victim].writes >= writes + step }
        household.network.restart(victim)
        household.network.run(for: .seconds(400))
        #expect(household.isOne([1, 2]))
        for node in [1, 2] { #expect(try household.settings(of: node).count == 10) }
    }

    @Test func `a machine introduces itself to one that no ledger knows, and not to another account's`() throws {
        let household = try Household(seed: 9)
        let group = try #require(household.privateGroup(of: 1))
        let handle = GroupHandle(group)
        for (peer, isTold) in [(Forged.stranger, true), (household.network.nodes[0].identity, false)] {
            var core = household.network.nodes[1].engine.core
            let link = LinkID(9_000)
            var session = PeerSession(
                link: link, key: peer.linkKey.publicKey, handshakeHash: [UInt8](repeating: 1, count: 32),
                label: .access(group, index: 0), isInitiator: false)
            session.groups[group] = PeerGroup()
            core.sessions[link] = session
            var greeting = Greeting()
            greeting.openUnauthorised(group, over: link, core: &core)
            var isIntroduced = false
            while let bytes = core.sessions[link]?.sending.next() {
                if case .operations(handle, _, isFinal: _) = try LinkMessage(decoding: bytes) { isIntroduced = true }
                core.sessions[link]?.sending.advance()
            }
            #expect(isIntroduced == isTold)
        }
    }

    // MARK: A stolen machine

    /// Node 1 is stolen. Another machine was linked by it, and a third one made by the key.
    private func theft(isRevokedWhereKnown: Bool) throws -> (household: Household, linked: Int, recovered: Int) {
        var household = try Household(seed: 4)
        let linked = try household.linkMachine(to: 1)
        try household.set("before", to: "1", at: 1)
        household.network.run(for: .seconds(10))
        household.network.nodes[1].isOn = false
        household.network.isCut = { $0 == 1 || $1 == 1 }
        let recovered = try household.recover()
        // The machine that revokes it has met none that has it in the private group.
        if !isRevokedWhereKnown {
            household.network.isCut = { $0 == 1 || $1 == 1 || Set([$0, $1]) == [linked, recovered] }
        }
        try household.join(recovered)
        household.network.run(for: .seconds(60))
        let account = household.network.nodes[1].account
        let revoke = Command.revokeDevice(household.network.nodes[1].identity.device, accountKey: account)
        #expect(household.network.command(revoke, at: recovered) == .done)
        household.network.run(for: .seconds(5))
        household.network.nodes[1].isOn = true
        household.network.isCut = { _, _ in false }
        return (household, linked, recovered)
    }

    @Test(arguments: [true, false])
    func `once it is given up it gets nothing more, and what it wrote before stays`(isRevokedWhereKnown: Bool) throws {
        var (household, linked, recovered) = try theft(isRevokedWhereKnown: isRevokedWhereKnown)
        household.network.run(for: .seconds(400))
        try household.set("secret", to: "2", at: linked)
        try household.set("secret too", to: "3", at: recovered)
        let group = try #require(household.privateGroup(of: 1))
        let theft = RecordDraft.setting(name: "by the thief", value: [4])
        household.network.command(.write([(group: group, drafts: [theft])]), at: 1)
        household.network.run(for: .seconds(400))
        for node in [linked, recovered] {
            #expect(try household.settings(of: node) == ["before": "1", "secret": "2", "secret too": "3"])
        }
        #expect(try household.settings(of: 1).filter { $0.key.hasPrefix("secret") } == [:])
        #expect(!household.network.nodes[linked].engine.isShutOut)
    }

    @Test func `a machine that it certifies after that is nobody's`() throws {
        var (household, linked, recovered) = try theft(isRevokedWhereKnown: true)
        // The thief keeps the stolen machine from hearing of it, and links one of its own.
        let bare = try household.network.add(900)
        let own = [1, bare]
        household.network.isCut = { own.contains($0) != own.contains($1) }
        guard case .invite(_, let text)? = household.network.command(.linkDevice, at: 1) else {
            throw EngineNetwork.SetUpFailure()
        }
        let request = Command.requestDevice(try InviteLink(parsing: text, purpose: .device), timeout: .seconds(20))
        guard case .deviceLinked(let linking)? = household.network.command(request, at: bare) else {
            throw EngineNetwork.SetUpFailure()
        }
        household.network.nodes[bare].isOn = false
        let thief = try household.network.add(linked: linking, of: household.network.nodes[bare].identity)
        household.network.isCut = { _, _ in false }
        try household.set("secret", to: "2", at: linked)
        household.network.run(for: .seconds(400))
        #expect(try household.settings(of: recovered)["secret"] == "2")
        #expect(try household.settings(of: thief)["secret"] == nil)
    }

    @Test func `a device made up under an old access key learns only the machines' IDs`() throws {
        var household = try Household(seed: 5)
        let group = try #require(household.privateGroup(of: 1))
        let key = try #require(household.network.nodes[1].engine.core.groups[group]?.accessKeys.first)
        try household.set("secret", to: "2", at: 1)
        // It knows the key and the founding, but belongs to another account.
        let stranger = try household.network.add(901)
        let founding = try #require(household.network.nodes[1].engine.core.groups[group]?.ledger.allOperations.first)
        var change = DurableChange()
        try household.network.nodes[stranger].engine.core.start(founding, accessKey: key, change: &change)
        household.network.nodes[stranger].snapshot.apply(change)
        household.network.restart(stranger)
        household.network.run(for: .seconds(60))
        #expect(household.network.nodes[stranger].engine.mergedRecords(of: group).isEmpty)
        #expect(
            household.network.nodes[1].engine.state(of: group)?.members.map(\.user) == [household.network.nodes[1].user]
        )
    }

    // MARK: Operations about members

    @Test(arguments: memberKinds) func `no operation about members comes into a private group`(
        kind: OperationBody.Kind
    ) throws {
        var household = try Household(seed: 3)
        let linked = try household.linkMachine(to: 1)
        let group = try #require(household.privateGroup(of: linked))
        let ledger = try #require(household.network.nodes[1].engine.core.groups[group]?.ledger)
        let operations = try household.operations(of: kind, by: 1, in: ledger)
        household.network.say(
            [.operations(GroupHandle(group), operations.map(\.bytes), isFinal: false)], from: 1, to: linked)
        let engine = household.network.nodes[linked].engine
        let held = try #require(engine.core.groups[group]?.ledger)
        #expect(held.contains(operations[0].id) && !held.contains(operations[1].id))
        #expect(engine.state(of: group)?.members.map(\.user) == [household.network.nodes[1].user])
        try household.set("mine", to: "2", at: linked)
        #expect(try household.settings(of: linked) == ["mine": "2"])
        // Nor from a store.
        for operation in operations {
            household.network.nodes[1].snapshot.operations.append(
                StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: 10_000))
        }
        household.network.restart(1)
        #expect(household.network.nodes[1].engine.isMember(of: group))
        household.network.run(for: .seconds(400))
        #expect(household.isOne([1, linked]))
    }
}
