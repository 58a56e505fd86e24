import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Coming back into groups after a recovery because a friend's node names them: nothing happens there without the user.
struct FriendReturnTests {
    private let codes = FriendTests.codes

    /// Node 0 answers to its code and is in a pair's group with node 1's user and in “Club” with it and node 2. Node 1's machine
    /// is gone; node 3 is its user's new one, and has asked node 0.
    private func recovered() throws -> (network: EngineNetwork, pair: GroupID, club: GroupID) {
        var network = EngineNetwork()
        for seed in 1...2 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: 1)
        network.run(for: .seconds(5))
        guard case .group(let pair)? = network.command(.approveFriend(network.nodes[1].user, name: "Ann"), at: 0) else {
            throw EngineNetwork.SetUpFailure()
        }
        network.run(for: .seconds(5))
        try network.add(3)
        let club = try network.joinGroup(0, [1, 2], title: "Club")
        network.nodes[1].isOn = false
        var entropy = SeededEntropy(seed: 50)
        let identity = DeviceIdentity.create(accountKey: network.nodes[1].account, from: &entropy)
        try network.add(60, identity: identity, account: network.nodes[1].account, hasPrivateGroup: true)
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: 3)
        network.run(for: .seconds(20))
        return (network, pair, club)
    }

    @Test func `a recovered device is told of its groups, and publishes nothing before its user says yes`() throws {
        var (network, pair, club) = try recovered()
        let offered = network.nodes[3].engine.offeredReturns
        #expect(offered.map(\.group) == [pair, club].sorted())
        #expect(Set(offered.map(\.title)) == ["Ann & Bea", "Club"])
        #expect(offered.allSatisfy { $0.friend == network.nodes[0].user })
        #expect(network.nodes[3].friendEvents.count == 2)
        for group in [pair, club] {
            #expect(network.nodes[3].friendEvents.contains(.returnOffered(group)))
            #expect(network.nodes[3].engine.state(of: group) == nil)
            #expect(network.nodes[0].engine.state(of: group)?.device(network.nodes[3].identity.device) == nil)
        }
        // It waits on disk, too, and nothing more comes of waiting.
        network.restart(3)
        network.run(for: .seconds(1_000))
        #expect(network.nodes[3].engine.offeredReturns == offered)
        #expect(network.nodes[3].engine.groupIDs.count == 1, "the private one")
        #expect(network.nodes[0].engine.state(of: club)?.device(network.nodes[3].identity.device) == nil)
    }

    @Test func `a recovered device comes back into the groups that its user confirms`() throws {
        var (network, pair, club) = try recovered()
        for group in [pair, club] {
            #expect(network.command(.acceptReturn(group), at: 3) == .group(group))
            network.run(for: .seconds(3))
            for node in [0, 3] {
                let state = network.nodes[node].engine.state(of: group)
                #expect(state?.isCurrentMember(device: network.nodes[3].identity.device) == true)
                #expect(state?.members.count == (group == pair ? 2 : 3))
            }
            #expect(network.nodes[0].engine.digest(of: group) == network.nodes[3].engine.digest(of: group))
            #expect(network.nodes[3].friendEvents.contains(.returned(group)))
        }
        #expect(network.nodes[3].engine.offeredReturns.isEmpty)
        #expect(network.nodes[3].snapshot.local.all(HeldReturn.Row.self).isEmpty)
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(network.nodes[3].engine.sentFriendRequests.isEmpty)
        #expect(network.command(.acceptReturn(club), at: 3) == .failed(.unknownGroup))
    }

    @Test func `a device that comes back while its friend is away finds the group later`() throws {
        var (network, _, club) = try recovered()
        network.nodes[0].isOn = false
        // Only the address at which the friend answered leads there.
        network.usesBeacons = false
        network.restart(3)
        network.run(for: .seconds(400))
        #expect(network.command(.acceptReturn(club), at: 3) == .group(club))
        network.run(for: .seconds(400))
        network.restart(0)
        network.run(for: .seconds(4_000))
        #expect(
            network.nodes[0].engine.state(of: club)?.isCurrentMember(device: network.nodes[3].identity.device) == true)
        #expect(network.nodes[0].engine.digest(of: club) == network.nodes[3].engine.digest(of: club))
    }

    @Test func `a group that its user stays out of is forgotten, with the wish where it is the pair's`() throws {
        var (network, pair, club) = try recovered()
        #expect(network.command(.declineReturn(club), at: 3) == .done)
        #expect(network.nodes[3].engine.offeredReturns.map(\.group) == [pair])
        #expect(network.nodes[3].engine.sentFriendRequests.count == 1)
        #expect(network.command(.declineReturn(pair), at: 3) == .done)
        #expect(network.nodes[3].engine.sentFriendRequests.isEmpty)
        network.restart(3)
        network.run(for: .seconds(1_000))
        #expect(network.nodes[3].engine.offeredReturns.isEmpty)
        #expect(network.nodes[0].engine.state(of: pair)?.device(network.nodes[3].identity.device) == nil)
        #expect(network.nodes[3].snapshot.operations.allSatisfy { $0.group != club && $0.group != pair })
    }

    @Test func `an invite leads into a group that waits, too`() throws {
        var (network, _, club) = try recovered()
        guard case .invite(_, let text)? = network.command(.invite(club, uses: 1, lifetime: 3_600), at: 0) else {
            throw EngineNetwork.SetUpFailure()
        }
        let join = Command.join(try InviteLink(parsing: text), timeout: .seconds(30))
        #expect(network.command(join, at: 3) == .group(club))
        #expect(!network.nodes[3].engine.offeredReturns.map(\.group).contains(club))
        network.restart(3)
        #expect(network.nodes[3].engine.isMember(of: club))
    }

    @Test func `a group that this account never signed for is not even offered`() throws {
        var (network, _, club) = try recovered()
        #expect(network.nodes[0].engine.core.groups[club]?.ledger.holdsWord(of: network.nodes[1].user) == true)
        #expect(
            network.nodes[0].engine.core.groups[club]?.ledger.holdsWord(of: Forged.stranger.user)
                == false)
        // A friend founds a group and says, in every way open to it, that the other account is in it.
        var entropy = SeededEntropy(seed: 9)
        let (liar, victim) = (network.nodes[0].identity, network.nodes[3].identity)
        let key = AccessKey.generate(from: &entropy)
        let founding = try Ledger.found(title: "Trap", identity: liar, accessKey: key, at: 1, entropy: &entropy)
        var ledger = try Ledger(founding: founding)
        let secrets = InviteSecrets.generate(from: &entropy)
        let invite = try ledger.draft(
            .invite(secrets.terms(maximumUses: 0, expiresAt: .max >> 8)), unchecked: liar)
        _ = try ledger.insert(invite)
        // The join proof has the liar's signature instead of the one by the victim's device.
        let honest = JoinProof(
            inviteKey: secrets.inviteKey, group: ledger.group, identity: liar,
            handshakeHash: .init(repeating: 1, count: 64))
        let claim = JoinClaim(invite: invite.id, certificate: victim.certificate, proof: honest)
        var forgeries: [SignedOperation] = []
        for body in [
            OperationBody.admit(claim), .addDevice(victim.certificate),
            .setRole(RoleChange(user: victim.user, change: .admin, cuts: [])),
        ] {
            let forged = try ledger.draft(body, unchecked: liar)
            _ = try? ledger.insert(forged)  // what is refused by itself is shown below all the same
            forgeries.append(forged)
        }
        #expect(forgeries.count == 3)
        #expect(!ledger.holdsWord(of: victim.user) && !ledger.state.isMember(victim.user))
        let before = network.nodes[3].engine.offeredReturns
        let held = Set(ledger.allOperations.map(\.id))
        let operations = (ledger.allOperations + forgeries.filter { !held.contains($0.id) }).map(\.bytes)
        network.say(.welcome(group: ledger.group, accessKeys: [key.key.rawBytes()]), from: 0)
        network.say(.operations(GroupHandle(ledger.group), operations, isFinal: true), from: 0)
        #expect(network.nodes[3].events.contains(.operationRefused(ledger.group)))
        #expect(network.nodes[3].engine.offeredReturns == before)
        #expect(network.nodes[3].engine.state(of: ledger.group) == nil)
    }

    @Test func `what a friend may make this node hold is bounded, however many groups it names`() throws {
        var (network, _, club) = try recovered()
        let link = try #require(network.nodes[3].engine.admission.askedFriends.keys.first)
        let founding = try #require(network.nodes[0].engine.core.groups[club]?.ledger.allOperations.first)
        var engine = network.nodes[3].engine
        for number in 1...100 as ClosedRange<UInt64> {
            engine.admission.receivedOffer(
                of: GroupID(bytes: Bytes32(number, 0, 0, 0)), accessKeys: [], over: link, core: &engine.core)
        }
        #expect(engine.admission.offeredLedgers[link]?.count == HeldReturn.maximumCount - 2, "two wait already")
        // All ledgers together have the limit of one.
        var intake = LedgerIntake(group: GroupID(bytes: founding.id.bytes), accessKeys: [])
        #expect(throws: LedgerError.self) {
            try intake.append([founding.bytes], beside: LedgerIntake.maximumSize - founding.bytes.count + 1)
        }
        try network.corruptReturnSize(of: 3, to: LedgerIntake.maximumSize)
        let third = GroupID(bytes: founding.id.bytes)
        network.command(.declineReturn(third), at: 3)
        network.say(.welcome(group: third, accessKeys: []), from: 0)
        network.say(.operations(GroupHandle(third), [founding.bytes], isFinal: false), from: 0)
        #expect(network.nodes[3].events.contains(.operationRefused(third)))
    }
}

extension EngineNetwork {
    /// Makes all waiting groups seem this large, in bytes.
    fileprivate mutating func corruptReturnSize(of node: Int, to size: Int) throws {
        for (group, held) in nodes[node].engine.admission.returns {
            nodes[node].engine.admission.returns[group] = HeldReturn(
                ledger: held.ledger, accessKeys: held.accessKeys, friend: held.friend, offeredAt: held.offeredAt,
                size: size)
        }
    }
}
