import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// What a machine of the account may try that was stolen, and is not revoked yet or was not noticed (Protocol/friends.md §7).
struct PrivateGroupAttackTests {
    private static let seeds: [UInt64] = [1, 2, 3]
    static let memberKinds: [OperationBody.Kind] = [.request, .admit, .setRole, .transfer, .remove, .leave]

    // MARK: Offers

    /// Node 1 and a thief's machine are in one private group.
    private func theft(seed: UInt64) throws -> (household: Household, thief: Int) {
        var household = try Household(seed: seed)
        let thief = try household.recover()
        try household.set("mine", to: "1", at: 1)
        try household.join(thief)
        household.network.run(for: .seconds(10))
        try #require(household.isOne([1, thief]))
        return (household, thief)
    }

    /// Ever smaller groups, all of them below the present one.
    private func offers(
        _ count: Int, by thief: Int, with others: [DeviceCertificate] = [], above least: GroupID? = nil,
        in household: Household
    ) throws -> [Household.Offer] {
        var entropy = SeededEntropy(seed: 99)
        let (present, victim) = (try #require(household.privateGroup(of: 1)), household.network.nodes[1].identity)
        var offers: [Household.Offer] = []
        while offers.count < count {
            let offer = try household.offer(by: thief, to: [victim.certificate] + others, from: &entropy)
            if offer.group < present, least.map({ $0 < offer.group }) ?? true { offers.append(offer) }
        }
        return offers.sorted { $1.group < $0.group }
    }

    @Test(arguments: seeds) func `fifty offers move a machine three times, and one that is honest is taken up later`(
        seed: UInt64
    ) throws {
        var (household, thief) = try theft(seed: seed)
        let honest = try household.recover()
        let least = try household.takeSmallGroup(at: honest)
        try household.set("of the honest one", to: "2", at: honest)
        let moved = household.events(of: 1).count
        for offer in try offers(50, by: thief, above: least, in: household) {
            household.make(offer, by: thief, to: 1)
        }
        #expect(household.events(of: 1).count == moved + 3)
        #expect(try household.settings(of: 1) == ["mine": "1"])
        // The thief's machine is in each group that follows, so there is nobody to be told in those before.
        #expect(household.groups(of: 1).count == 2)
        try household.join(honest)
        household.network.run(for: .seconds(600))
        #expect(household.events(of: 1).count == moved + 3)
        household.network.run(for: .seconds(3_600))
        #expect(household.privateGroup(of: 1) == least)
        for node in [1, honest] {
            #expect(try household.settings(of: node) == ["mine": "1", "of the honest one": "2"])
        }
        household.network.run(for: .seconds(3_600))
        #expect(household.isOne([1, thief, honest]))
        #expect(household.groups(of: 1) == [household.club, least])
    }

    @Test func `no more than eight former groups are kept, and none whose devices are all given up`() throws {
        var (household, thief) = try theft(seed: 2)
        // A machine that nobody has seen is in each of the groups, so each has somebody left to be told.
        let account = household.network.nodes[1].account
        var entropy = SeededEntropy(seed: 98)
        let hidden = DeviceIdentity.create(accountKey: account, from: &entropy)
        for offer in try offers(20, by: thief, with: [hidden.certificate], in: household) {
            // As after hours.
            household.network.nodes[1].engine.moves = PrivateGroupMoves()
            household.make(offer, by: thief, to: 1)
        }
        let held = household.network.nodes[1].engine.formerPrivateGroups
        #expect(held.count == PrivateGroupMoves.maximumFormerGroups)
        #expect(household.groups(of: 1).count == held.count + 2)
        #expect(try household.settings(of: 1) == ["mine": "1"])
        for device in [household.network.nodes[thief].identity.device, hidden.device] {
            #expect(household.network.command(.revokeDevice(device, accountKey: account), at: 1) == .done)
        }
        household.network.run(for: .seconds(5))
        let present = try #require(household.privateGroup(of: 1))
        #expect(household.groups(of: 1) == [household.club, present])
        #expect(try household.settings(of: 1) == ["mine": "1"])
        // The store says the same.
        household.network.restart(1)
        #expect(household.groups(of: 1) == [household.club, present])
        #expect(household.network.nodes[1].engine.formerPrivateGroups.isEmpty)
        #expect(try household.settings(of: 1) == ["mine": "1"])
        // There is room again.
        let honest = try household.recover()
        let least = try household.takeSmallGroup(at: honest)
        household.network.nodes[thief].isOn = false
        try household.join(honest)
        household.network.run(for: .seconds(10))
        #expect(household.isOne([1, honest]))
        #expect(household.privateGroup(of: 1) == min(present, least))
    }

    @Test func `a former group is kept until the last device in it has named the present one`() throws {
        var household = try Household(seed: 3)
        let linked = try household.linkMachine(to: 1)
        let recovered = try household.recover()
        let old = try #require(household.privateGroup(of: 1))
        let least = try household.takeSmallGroup(at: recovered)
        try #require(least < old)
        household.network.isCut = { $0 == linked || $1 == linked }
        try household.join(recovered)
        household.network.run(for: .seconds(10))
        #expect(household.groups(of: 1) == [household.club, least, old])
        // Let in, and not yet there: a member by the ledger alone.
        let certificate = household.network.nodes[linked].identity.certificate
        #expect(household.network.command(.addDevice(certificate), at: 1) == .done)
        household.network.run(for: .seconds(10))
        household.network.restart(1)
        household.network.run(for: .seconds(10))
        #expect(household.groups(of: 1) == [household.club, least, old])
        try household.set("away", to: "1", at: linked)
        household.network.isCut = { _, _ in false }
        household.network.run(for: .seconds(400))
        for node in [1, linked, recovered] {
            #expect(household.groups(of: node) == [household.club, least])
            #expect(try household.settings(of: node) == ["away": "1"])
        }
    }

    @Test func `a former group is kept while the present one lacks a word of the account that it holds`() throws {
        var household = try Household(seed: 3)
        let former = try #require(household.privateGroup(of: 1))
        var entropy = SeededEntropy(seed: 77)
        let account = household.network.nodes[1].account
        let lost = DeviceIdentity.create(accountKey: account, from: &entropy)
        #expect(household.network.command(.addDevice(lost.certificate), at: 1) == .done)
        #expect(household.network.command(.revokeDevice(lost.device, accountKey: account), at: 1) == .done)
        var engine = household.network.nodes[1].engine
        let offer = try household.offer(by: 1, to: [], from: &entropy)
        let present = offer.group
        engine.groups[present] = GroupReplica(ledger: offer.ledger, accessKeys: [offer.key])
        engine.settings[MeshEngine.privateGroupSetting] = present.bytes.array
        engine.formerPrivateGroups = [former]
        #expect(!engine.isDone(with: former, since: present))
        var change = DurableChange()
        #expect(engine.publishRevocations(to: present, change: &change).count == 1)
        #expect(engine.isDone(with: former, since: present))
    }

    // MARK: What is said

    private func talk(of node: Int, with peer: Int, in household: Household) -> PrivateGroupTalk? {
        let key = household.network.nodes[peer].identity.linkKey.publicKey
        return household.network.nodes[node].engine.sessions.values.first { $0.key == key }?.privateGroups
    }

    private func naming(_ group: GroupID) -> LinkMessage {
        .friend(.privateGroupNamed(group, holdsRevoked: false, revocations: []))
    }

    @Test func `what is said besides takes nothing from the naming of private groups`() throws {
        var (household, thief) = try theft(seed: 2)
        household.network.say(
            (0..<8).map { _ in .joinRequested(certificate: [1], proof: [1]) }, from: thief, to: 1)
        let key = household.network.nodes[thief].identity.linkKey.publicKey
        let links = household.network.nodes[1].engine.sessions.keys.filter {
            household.network.nodes[1].engine.sessions[$0]?.key == key
        }
        #expect(links.allSatisfy { !household.network.nodes[1].engine.takeRequest(of: $0) })
        let other = GroupID(bytes: Bytes32(.max, 1, 1, 1))
        household.network.say([naming(other)], from: thief, to: 1)
        #expect(talk(of: 1, with: thief, in: household)?.heard?.group == other)
    }

    @Test func `of namings that come too fast the newest is looked at in its time`() throws {
        var (household, thief) = try theft(seed: 2)
        let groups = (1...30 as ClosedRange<UInt64>).map { GroupID(bytes: Bytes32(.max, 1, 1, $0)) }
        household.network.say(groups.map(naming), from: thief, to: 1)
        #expect(talk(of: 1, with: thief, in: household)?.heard?.group != groups.last)
        household.network.run(for: .seconds(21))
        #expect(talk(of: 1, with: thief, in: household)?.heard?.group == groups.last)
        #expect(talk(of: 1, with: thief, in: household)?.unread == nil)
    }

    @Test func `no group is named before the move into it is on disk`() throws {
        var (household, other) = try theft(seed: 2)
        household.network.nodes[1].engine.moves.begin(isFlight: false, at: household.network.now)
        household.network.restart(other)
        household.network.run(for: .seconds(10))
        #expect(talk(of: 1, with: other, in: household)?.told == nil)
        #expect(talk(of: other, with: 1, in: household)?.heard == nil)
        #expect(talk(of: other, with: 1, in: household)?.told != nil)
    }

    /// Both machines are in one group; then one of them is in a larger one of its own, and the other believes that it was handed
    /// over already.
    private func lostHandOver(
        _ forget: (inout PrivateGroupTalk) -> Void, then act: (inout Household, Int) throws -> Void
    ) throws -> Household {
        var (household, other) = try theft(seed: 2)
        let present = try #require(household.privateGroup(of: 1))
        var group = present
        while group <= present {
            guard case .group(let founded)? = household.network.command(.foundGroup(title: "Private"), at: other)
            else { throw FriendNetwork.SetUpFailure() }
            group = founded
        }
        household.network.command(
            .keepSetting(name: MeshEngine.privateGroupSetting, value: group.bytes.array), at: other)
        let key = household.network.nodes[other].identity.linkKey.publicKey
        for link in household.network.nodes[1].engine.sessions.keys
        where household.network.nodes[1].engine.sessions[link]?.key == key {
            household.network.nodes[1].engine.sessions[link]?.privateGroups.answered = group
            household.network.nodes[1].engine.sessions[link]?.privateGroups.heard = .init(
                group: group, holdsRevoked: false, revocations: [])
            var talk = try #require(household.network.nodes[1].engine.sessions[link]?.privateGroups)
            forget(&talk)
            household.network.nodes[1].engine.sessions[link]?.privateGroups = talk
        }
        for link in household.network.nodes[other].engine.sessions.keys {
            household.network.nodes[other].engine.sessions[link]?.privateGroups.told = .init(
                group: group, holdsRevoked: false, revocations: [])
        }
        // A device of this account may come back into a group that it was in.
        household.network.nodes[other].engine.formerPrivateGroups = [present]
        try act(&household, other)
        household.network.run(for: .seconds(5))
        #expect(household.privateGroup(of: other) == present)
        return household
    }

    @Test func `a device that names its group again is handed over again`() throws {
        _ = try lostHandOver { _ in
        } then: { household, other in
            let group = try #require(household.privateGroup(of: other))
            household.network.say([naming(group)], from: other, to: 1)
        }
    }

    @Test func `a device that has changed what it says hands over again`() throws {
        _ = try lostHandOver {
            $0.told = nil
        } then: { household, _ in
            guard case .invite? = household.network.command(.linkDevice, at: 1) else {
                throw FriendNetwork.SetUpFailure()
            }
        }
    }

    // MARK: Operations about members

    @Test(arguments: memberKinds) func `no operation about members comes into a private group`(
        kind: OperationBody.Kind
    ) throws {
        var household = try Household(seed: 3)
        let linked = try household.linkMachine(to: 1)
        let group = try #require(household.privateGroup(of: linked))
        let ledger = try #require(household.network.nodes[1].engine.groups[group]?.ledger)
        let operations = try household.operations(of: kind, by: 1, in: ledger)
        for operation in operations {
            _ = try household.network.nodes[1].engine.groups[group]?.insert(operation, arrival: 10_000)
        }
        let handle = GroupHandle(group)
        household.network.say(
            [.operations(handle, operations.map(\.bytes), isFinal: false)], from: 1, to: linked)
        let engine = household.network.nodes[linked].engine
        let held = try #require(engine.groups[group]?.ledger)
        #expect(held.contains(operations[0].id))
        #expect(!held.contains(operations[1].id))
        #expect(engine.state(of: group)?.members.map(\.user) == [household.network.nodes[1].user])
        #expect(engine.isMember(of: group))
        try household.set("mine", to: "2", at: linked)
        #expect(try household.settings(of: linked) == ["mine": "2"])
    }

    @Test(arguments: memberKinds) func `nobody moves into a group whose ledger holds such an operation`(
        kind: OperationBody.Kind
    ) throws {
        for isSpoilt in [true, false] {
            var (household, thief) = try theft(seed: 2)
            var offer = try #require(try offers(1, by: thief, in: household).first)
            if isSpoilt {
                for operation in try household.operations(of: kind, by: thief, in: offer.ledger) {
                    _ = try offer.ledger.insert(operation)
                }
            }
            household.make(offer, by: thief, to: 1)
            #expect((household.privateGroup(of: 1) == offer.group) == !isSpoilt)
        }
    }

    @Test(arguments: memberKinds.filter { $0 != .leave && $0 != .remove })
    func `no machine is linked into a group whose ledger holds such an operation`(kind: OperationBody.Kind) throws {
        for isSpoilt in [true, false] {
            var household = try Household(seed: 3)
            let group = try #require(household.privateGroup(of: 1))
            let ledger = try #require(household.network.nodes[1].engine.groups[group]?.ledger)
            if isSpoilt {
                for operation in try household.operations(of: kind, by: 1, in: ledger) {
                    _ = try household.network.nodes[1].engine.groups[group]?.insert(operation, arrival: 10_000)
                }
            }
            guard case .invite(_, let text)? = household.network.command(.linkDevice, at: 1) else {
                throw FriendNetwork.SetUpFailure()
            }
            let bare = try household.network.add(901)
            let request = Command.requestDevice(
                try InviteLink(parsing: text, purpose: .device), timeout: .seconds(20))
            let outcome = household.network.command(request, at: bare)
            if isSpoilt {
                #expect(outcome == .failed(.ledgerRejected))
            } else {
                guard case .deviceLinked? = outcome else {
                    Issue.record("not linked: \(String(describing: outcome))")
                    return
                }
            }
        }
    }

    @Test(arguments: memberKinds) func `a store that holds such an operation puts the account out of nothing`(
        kind: OperationBody.Kind
    ) throws {
        var household = try Household(seed: 3)
        let group = try #require(household.privateGroup(of: 1))
        try household.set("mine", to: "1", at: 1)
        let ledger = try #require(household.network.nodes[1].engine.groups[group]?.ledger)
        for operation in try household.operations(of: kind, by: 1, in: ledger) {
            household.network.nodes[1].snapshot.operations.append(
                StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: 10_000))
        }
        household.network.restart(1)
        let engine = household.network.nodes[1].engine
        #expect(engine.isMember(of: group))
        #expect(engine.groups[group]?.ledger.isPrivate(to: engine.identity.user) == true)
        try household.set("later", to: "2", at: 1)
        #expect(try household.settings(of: 1) == ["mine": "1", "later": "2"])
        let linked = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(10))
        #expect(household.isOne([1, linked]))
        let recovered = try household.recover()
        try household.join(recovered)
        household.network.run(for: .seconds(400))
        #expect(household.isOne([1, linked, recovered]))
        #expect(try household.settings(of: recovered) == ["mine": "1", "later": "2"])
    }

    // MARK: Given-up devices

    @Test func `a group with a device of another account, or a given-up one, holds a revoked device`() throws {
        var household = try Household(seed: 3)
        let linked = try household.linkMachine(to: 1)
        let group = try #require(household.privateGroup(of: 1))
        var engine = household.network.nodes[1].engine
        #expect(!engine.holdsRevoked(engine.state(of: group)))
        let ledger = try #require(engine.groups[group]?.ledger)
        for operation in try household.operations(of: .admit, by: 1, in: ledger) {
            _ = try engine.groups[group]?.insert(operation, arrival: 10_000)
        }
        #expect(engine.holdsRevoked(engine.state(of: group)))
        engine = household.network.nodes[1].engine
        engine.heardRevocations = [
            DeviceRevocation(
                accountKey: household.network.nodes[1].account,
                everywhere: household.network.nodes[linked].identity.device, keeping: [], accessKeyHash: .zero)
        ]
        #expect(engine.holdsRevoked(engine.state(of: group)))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `where both groups hold a given-up device the smaller one's makes a new one, however often they moved`(
        seed: UInt64
    ) throws {
        var household = try Household(seed: seed)
        let account = household.network.nodes[1].account
        // Each of two machines has a group with one that is given up and has signed there, which only its own ledger could cut.
        let left = try household.linkMachine(to: 1)
        let recovered = try household.recover()
        household.network.isCut = { Set([$0, $1]) == [left, recovered] || $0 == 1 || $1 == 1 }
        try household.join(recovered)
        let second = try household.linkMachine(to: recovered)
        household.network.isCut = {
            Set([$0, $1]) == [left, recovered] || Set([$0, $1]) == [left, second] || $0 == 1 || $1 == 1
        }
        guard case .invite? = household.network.command(.linkDevice, at: second) else {
            throw FriendNetwork.SetUpFailure()
        }
        household.network.run(for: .seconds(400))
        try household.set("left", to: "1", at: left)
        try household.set("recovered", to: "2", at: recovered)
        let groups = try [left, recovered].map { try #require(household.privateGroup(of: $0)) }
        let lost = household.network.nodes[second].identity.device
        let stolen = household.network.nodes[1].identity.device
        household.network.nodes[second].isOn = false
        household.network.nodes[1].isOn = false
        // Each by a machine whose private group does not know the device.
        #expect(household.network.command(.revokeDevice(lost, accountKey: account), at: left) == .done)
        #expect(household.network.command(.revokeDevice(stolen, accountKey: account), at: recovered) == .done)
        // They look for each other, and what thieves have had them do does not keep them.
        for node in [left, recovered] { household.network.restart(node) }
        for node in [left, recovered] {
            for _ in 0..<3 {
                household.network.nodes[node].engine.moves.begin(isFlight: false, at: household.network.now)
                household.network.nodes[node].engine.moves.end()
            }
        }
        household.network.isCut = { $0 == 1 || $1 == 1 || $0 == second || $1 == second }
        household.network.run(for: .seconds(400))
        #expect(household.isOne([left, recovered]))
        #expect(!groups.contains { $0 == household.privateGroup(of: left) })
        let smaller = groups[0] < groups[1] ? left : recovered
        let present = try #require(household.privateGroup(of: left))
        let founding = household.network.nodes[left].engine.groups[present]?.ledger.allOperations.first
        #expect(founding?.operation.author == household.network.nodes[smaller].identity.device)
        #expect(household.network.nodes[left].engine.state(of: present)?.devices.count == 2)
        for node in [left, recovered] {
            #expect(household.events(of: node).map(\.1) == [present])
            #expect(try household.settings(of: node) == ["left": "1", "recovered": "2"])
            #expect(household.groups(of: node) == [household.club, present])
        }
    }
}
