import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// What somebody who knows a code, or is asked by one, can make a node do: little, and nothing without an end.
struct FriendHostileTests {
    private let codes = FriendTests.codes

    /// Node 0 owns the code and answers, node 1 may ask.
    private func pair() throws -> EngineNetwork {
        var network = EngineNetwork()
        for seed in 1...2 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        return network
    }

    private func ask(_ network: inout EngineNetwork) {
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: 1)
        network.run(for: .seconds(3))
    }

    // MARK: What never ends

    @Test func `a request that nobody answers is forgotten after a month, in memory and on disk`() throws {
        var network = try pair()
        ask(&network)
        network.nodes[1].isOn = false
        network.run(for: .seconds(29 * 86_400))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
        network.run(for: .seconds(2 * 86_400))
        network.give(.deadlineReached, to: 0)
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].snapshot.local.all(FriendRequests.Received.self).isEmpty)
    }

    @Test func `a request that was approved stays as long as its invite is good`() throws {
        var network = try pair()
        ask(&network)
        network.nodes[1].isOn = false
        guard case .group(let group)? = network.command(.approveFriend(network.nodes[1].user, name: "Ann"), at: 0)
        else { throw EngineNetwork.SetUpFailure() }
        network.run(for: .seconds(40 * 86_400))
        network.give(.deadlineReached, to: 0)
        #expect(network.nodes[0].engine.receivedFriendRequests.map(\.stage) == [.approved(group)])
        network.run(for: .seconds(60 * 86_400))
        network.give(.deadlineReached, to: 0)
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
    }

    @Test func `at most sixty-four requests wait, no matter who sends them`() throws {
        var network = try pair()
        for number in 0..<70 {
            var engine = network.nodes[0].engine
            engine.core.budget = PeerAbuseBudget(pace: RecordPace())
            network.nodes[0].engine = engine
            network.feign(from: UInt64(1_000 + number), to: 0)
        }
        #expect(network.nodes[0].engine.receivedFriendRequests.count == FriendRequests.maximumPending)
    }

    // MARK: What costs

    @Test func `requests under ever new names write as little to the disk as new requests`() throws {
        var network = try pair()
        ask(&network)
        let code = codes.keys(of: network.nodes[0].user).code
        let before = network.nodes[0].writes
        for number in 0..<200 {
            let request = FriendRequest(
                name: "Bea \(number)", code: code, askedAt: EngineNetwork.wall / 1_000,
                identity: network.nodes[1].identity)
            // Over ever new links.
            network.nodes[0].engine.drive { $0.takeRequest(request, over: LinkID(UInt64(9_000 + number)), core: &$1) }
        }
        network.give(.deadlineReached, to: 0)
        network.run(for: .seconds(1))
        #expect(network.nodes[0].writes - before <= ChargedWork.friendRequests.burst + 1)
    }

    @Test func `a member's new device has the ledgers no oftener than an address may have copies`() throws {
        var network = try pair()
        _ = try network.joinGroup(0, [1], title: "Two")
        var entropy = SeededEntropy(seed: 50)
        let identity = DeviceIdentity.create(accountKey: network.nodes[1].account, from: &entropy)
        network.nodes[1].isOn = false
        try network.add(60, identity: identity, account: network.nodes[1].account, hasPrivateGroup: true)
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: 2)
        network.run(for: .seconds(3))
        let request = FriendRequest(
            name: "Bea", code: codes.keys(of: network.nodes[0].user).code, askedAt: EngineNetwork.wall / 1_000,
            identity: identity)
        let before = network.sent.filter { $0.from == 0 }.reduce(0) { $0 + $1.bytes.count }
        for _ in 0..<100 {
            network.say(.friend(.friendRequested(request.bytes)), from: 2, letting: .milliseconds(1))
        }
        network.run(for: .seconds(2))
        let bytes = network.sent.filter { $0.from == 0 }.reduce(0) { $0 + $1.bytes.count } - before
        #expect(
            bytes < 2_500 * ChargedWork.ledgerCopies.burst + 20_000, "\(bytes) bytes, where one ledger is some 2,000")
    }

    @Test func `a device that answers to a code can make this node work out only a few codes`() throws {
        var network = try pair()
        network.command(.setAnswersToCode(nil), at: 0)
        // An impostor who knows the code answers from one address as account after account.
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        ask(&network)
        let engine = network.nodes[1].engine
        var copy = engine
        let key = Friends.linkKey(of: codes.keys(of: network.nodes[0].user))
        var asked = 0
        for number in 0..<50 as Range<UInt64> {
            var entropy = SeededEntropy(seed: 3_000 + number)
            let liar = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
            let dial = copy.core.links.dial(
                peer: nil, key: key, to: Endpoint(ipv4: 0x0A00_0063, port: 9_000), usesStreams: false, at: network.now,
                entropy: &entropy)
            copy.friends.credentialShown(
                liar.certificate.encoded(), of: liar.linkKey.publicKey, under: key, dial: dial, core: &copy.core)
            asked += copy.friends.requests.derivations.finish(liar.user).count
        }
        #expect(asked == ChargedWork.codeClaims.burst)
        // Another address has its own budget.
        var entropy = SeededEntropy(seed: 4_000)
        let other = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        let dial = copy.core.links.dial(
            peer: nil, key: key, to: Endpoint(ipv4: 0x0A00_0064, port: 9_000), usesStreams: false, at: network.now,
            entropy: &entropy)
        copy.friends.credentialShown(
            other.certificate.encoded(), of: other.linkKey.publicKey, under: key, dial: dial, core: &copy.core)
        #expect(copy.friends.requests.derivations.finish(other.user).count == 1)
    }

    @Test func `codes are worked out one at a time, own wishes first, and only a limited number wait`() {
        var derivations = CodeDerivations()
        let users = (1...100 as ClosedRange<UInt64>).map { UserID(bytes: Bytes32($0, 0, 0, 0)) }
        let certificate = Forged.stranger.certificate
        guard
            let code = FriendCode(
                "0000-0000-000"
                    + ("0123456789ABCDEFGHJKMNPQRSTVWXYZ".first {
                        FriendCode("0000-0000-000\($0)") != nil
                    }.map(String.init) ?? ""))
        else { preconditionFailure("one checksum fits") }
        let request = FriendRequest(name: "x", code: code, askedAt: 0, identity: Forged.stranger)
        var taken = 0
        for user in users.prefix(50) where derivations.add(user, for: .request(request)) { taken += 1 }
        #expect(taken == CodeDerivations.maximumWaiting)
        let first = [derivations.begin(), derivations.begin()]
        #expect(first == [users[0], nil])
        let isTaken = derivations.add(users[99], for: .verification(DialID(1), certificate, code))
        #expect(isTaken)
        var finished = [derivations.finish(users[0]).count]
        let second = derivations.begin()
        finished += [derivations.finish(users[99]).count, derivations.finish(users[99]).count]
        let third = derivations.begin()
        #expect(finished == [1, 1, 0] && second == users[99] && third == users[1])
    }

    @Test func `a request is noted only once its code is known, and not at all where that fails`() throws {
        var network = try pair()
        network.derives = { _ in nil }
        ask(&network)
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
        network.derives = { EngineNetwork.realCode(of: $0) }
        network.run(for: .seconds(400))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
    }

    // MARK: Names and groups

    @Test func `a member of a group where the user goes by an alias is not asked there`() throws {
        var network = EngineNetwork()
        for seed in 1...3 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        let club = try network.joinGroup(2, [0, 1])
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        network.run(for: .seconds(20))
        network.cutBeacons()
        network.nodes[1].engine.aliasGroups = [club]
        ask(&network)
        network.run(for: .seconds(600))
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(network.nodes[1].engine.friends.requests.sent.values.allSatisfy { $0.compared.isEmpty })
        // There the name may be told now.
        network.nodes[1].engine.aliasGroups = []
        network.run(for: .seconds(600))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
    }

    @Test(arguments: [false, true])
    func `who asks to be a friend is led into no other group`(isMember: Bool) throws {
        var network = try pair()
        try network.add(3)
        let club = try network.joinGroup(0, isMember ? [1, 2] : [2], title: "Club")
        network.run(for: .seconds(2))
        ask(&network)
        // The owner's program answers with an invite to a group of three.
        guard case .invite(_, let text)? = network.command(.invite(club, uses: 0, lifetime: 86_400), at: 0) else {
            throw EngineNetwork.SetUpFailure()
        }
        let asker = network.nodes[1].user
        network.nodes[0].engine.friends.requests.received[asker]?.decision = .approved(club, link: text)
        network.nodes[0].engine.drive { $0.answerFriend(asker, core: &$1) }
        network.give(.deadlineReached, to: 0)
        network.run(for: .seconds(30))
        #expect(network.nodes[1].engine.isMember(of: club) == isMember)
        #expect(!network.nodes[1].friendEvents.contains { if case .accepted = $0 { true } else { false } })
        #expect(network.nodes[1].engine.sentFriendRequests.count == 1, "it goes on asking")
    }

    @Test func `an owner who answers with somebody else's link is not followed`() throws {
        var network = try pair()
        try network.add(3)
        let club = try network.joinGroup(2, [0], title: "Club")
        network.run(for: .seconds(2))
        ask(&network)
        guard case .invite(_, let text)? = network.command(.invite(club, uses: 0, lifetime: 86_400), at: 2) else {
            throw EngineNetwork.SetUpFailure()
        }
        var writer = WireWriter()
        FriendAnswer.accepted(link: text).write(to: &writer)
        network.say([.friend(.friendAnswered(writer.bytes))], from: 0, to: 1)
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.pending(network.nodes[0].user)])
        network.run(for: .seconds(30))
        #expect(!network.nodes[1].engine.isMember(of: club))
    }

    // MARK: Revoked devices

    /// A pair where node 1's account has another machine, which is stolen later. It was brought along into “Club”.
    private func robbed() throws -> (network: EngineNetwork, lost: DeviceIdentity, thief: Int, club: GroupID) {
        var network = try pair()
        var entropy = SeededEntropy(seed: 70)
        let lost = DeviceIdentity.create(accountKey: network.nodes[1].account, from: &entropy)
        let thief = try network.add(61, identity: lost, account: network.nodes[1].account, hasPrivateGroup: true)
        let club = try network.joinGroup(0, [1], title: "Club")
        network.run(for: .seconds(5))
        #expect(network.nodes[thief].engine.isMember(of: club))
        return (network, lost, thief, club)
    }

    @Test func `a device that is revoked in one group is shown the ledger of no other`() throws {
        var (network, lost, thief, club) = try robbed()
        let revocation = Command.revokeDevice(lost.device, accountKey: network.nodes[1].account)
        #expect(network.command(revocation, at: 1) == .done)
        network.run(for: .seconds(2))
        // Founded later: its ledger knows neither the device nor its revocation.
        let later = try network.joinGroup(0, [1], title: "Later")
        #expect(network.nodes[0].engine.state(of: later)?.device(lost.device) == nil)
        guard case .invite(_, let text)? = network.command(.invite(later, uses: 0, lifetime: 86_400), at: 0) else {
            throw EngineNetwork.SetUpFailure()
        }
        network.nodes[1].isOn = false
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: thief)
        network.run(for: .seconds(20))
        #expect(network.nodes[thief].engine.offeredReturns.isEmpty)
        // Nor does an invite admit it as another device of a member.
        let join = Command.join(try InviteLink(parsing: text), timeout: .seconds(30))
        if case .group? = network.command(join, at: thief) { Issue.record("let in") }
        #expect(network.nodes[0].engine.state(of: later)?.device(lost.device) == nil)
        #expect(network.nodes[0].engine.state(of: club)?.isCurrentMember(device: lost.device) == false)
    }

    @Test func `a group that waits for its user's decision says who was shut out, and goes on saying it`() throws {
        var (network, lost, thief, club) = try robbed()
        var entropy = SeededEntropy(seed: 71)
        network.nodes[thief].isOn = false
        let revocation = Command.revokeDevice(lost.device, accountKey: network.nodes[1].account)
        #expect(network.command(revocation, at: 1) == .done)
        network.run(for: .seconds(2))
        network.nodes[1].isOn = false
        // The account's next machine knows of the revocation by nothing but the ledger of the group that waits.
        let machine = DeviceIdentity.create(accountKey: network.nodes[1].account, from: &entropy)
        let new = try network.add(62, identity: machine, account: network.nodes[1].account, hasPrivateGroup: true)
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: new)
        network.run(for: .seconds(20))
        #expect(network.nodes[new].engine.offeredReturns.map(\.group) == [club])
        #expect(network.nodes[new].engine.isGivenUp(lost.certificate))
        network.nodes[0].isOn = false
        network.restart(thief)
        network.run(for: .seconds(60))
        #expect(network.nodes[new].engine.offeredReturns.map(\.group) == [club], "the thief has brought nothing")
        // A store may date again what it holds, so that the founding operation comes last.
        let founding = network.nodes[new].snapshot.operations.firstIndex { $0.group == club }
        network.nodes[new].snapshot.operations.append(
            network.nodes[new].snapshot.operations.remove(at: try #require(founding)))
        network.restart(new)
        network.run(for: .seconds(60))
        #expect(network.nodes[new].engine.isGivenUp(lost.certificate))
        #expect(network.nodes[new].engine.offeredReturns.map(\.group) == [club])
    }
}

extension EngineNetwork {
    /// Gives a node the request of an account that is made up, as over a link under its code.
    fileprivate mutating func feign(from seed: UInt64, to node: Int) {
        var entropy = SeededEntropy(seed: seed)
        let asker = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        guard let code = nodes[node].engine.friends.requests.own?.code else { return }
        let request = FriendRequest(name: "x", code: code, askedAt: Self.wall / 1_000, identity: asker)
        nodes[node].engine.drive { $0.takeRequest(request, over: LinkID(9_999), core: &$1) }
        // Any code will do here.
        nodes[node].engine.drive { $0.codeDerived(code, of: asker.user, core: &$1) }
    }
}
