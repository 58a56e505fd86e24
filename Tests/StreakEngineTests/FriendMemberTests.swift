import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// If the owner of a code is in a common group, they are asked there, and nobody else hears of it.
struct FriendMemberTests {
    private let codes = FriendTests.codes

    /// Node 0 owns the code and answers to it, node 1 asks, node 2 is in a group with both; beacons reach nobody.
    private func club() throws -> (EngineNetwork, group: GroupID) {
        var network = EngineNetwork()
        for seed in 1...3 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        let group = try network.joinGroup(2, [0, 1])
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        network.run(for: .seconds(20))
        network.cutBeacons()
        return (network, group)
    }

    private func ask(_ network: inout EngineNetwork) {
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: 1)
    }

    private func request(_ network: EngineNetwork) -> FriendRequest {
        FriendRequest(
            name: "Bea", code: codes.keys(of: network.nodes[0].user).code, askedAt: EngineNetwork.wall / 1_000,
            identity: network.nodes[1].identity)
    }

    @Test func `a member is found by its code and asked over the link there is`() throws {
        var (network, _) = try club()
        ask(&network)
        network.run(for: .seconds(30))
        let (owner, asker) = (network.nodes[0].user, network.nodes[1].user)
        #expect(network.nodes[0].friendEvents == [.requestReceived(asker)])
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.pending(owner)])
        guard case .group(let group)? = network.command(.approveFriend(asker, name: "Ann"), at: 0) else {
            throw EngineNetwork.SetUpFailure()
        }
        network.run(for: .seconds(400))
        #expect(network.nodes[1].engine.isMember(of: group))
        #expect(network.nodes[2].engine.state(of: group) == nil)
    }

    @Test func `the other members of the group hear nothing of it`() throws {
        var (network, _) = try club()
        let before = network.nodes[2].events.count
        let first = network.sent.count
        // Nothing but the search makes it speak.
        ask(&network)
        network.run(for: .seconds(30))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
        #expect(network.nodes[2].events.count == before)
        #expect(network.nodes[2].engine.friends.requests.received.isEmpty)
        #expect(!network.sent[first...].contains { $0.from == 1 && $0.to == 2 && !$0.isBeacon && $0.bytes.count > 100 })
    }

    @Test func `who shares no group with the owner and does not reach it goes on looking, and tells nobody`() throws {
        var network = EngineNetwork()
        for seed in 1...3 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        _ = try network.joinGroup(2, [0], title: "First")
        _ = try network.joinGroup(2, [1], title: "Second")
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        network.run(for: .seconds(20))
        network.cutBeacons()
        network.isCut = { [$0, $1].sorted() == [0, 1] }
        ask(&network)
        network.run(for: .seconds(600))
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(network.nodes[2].engine.friends.requests.received.isEmpty)
    }

    @Test func `an owner that does not answer to its code does not answer members, either`() throws {
        var (network, _) = try club()
        network.command(.setAnswersToCode(nil), at: 0)
        ask(&network)
        network.run(for: .seconds(600))
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
    }

    @Test func `another member cannot answer for the owner, nor ask in another's name`() throws {
        var (network, _) = try club()
        network.nodes[0].isOn = false
        ask(&network)
        network.run(for: .seconds(30))
        var writer = WireWriter()
        FriendAnswer.declined.write(to: &writer)
        network.say([.friend(.friendAnswered(writer.bytes))], from: 2, to: 1)
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
        network.nodes[0].isOn = true
        // As if it had heard somebody's request, or made one up.
        network.nodes[1].isOn = false
        network.say([.friend(.friendRequested(request(network).bytes))], from: 2, to: 0)
        network.run(for: .seconds(30))
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
    }

    @Test func `members are compared one at a time, each once for a wish`() throws {
        var network = EngineNetwork()
        for seed in 1...6 as ClosedRange<UInt64> { try network.add(seed) }
        _ = try network.joinGroup(2, [1, 3, 4, 5])
        network.run(for: .seconds(20))
        network.cutBeacons()
        let before = network.derivations
        ask(&network)
        network.run(for: .milliseconds(600))
        #expect((1...3).contains(network.derivations - before))
        network.run(for: .seconds(2_000))
        #expect(network.derivations - before == 4)
    }

    @Test func `a blocked member is not asked`() throws {
        var (network, _) = try club()
        let (owner, code) = (network.nodes[0].user, codes.keys(of: network.nodes[0].user).code)
        network.command(.blockFriend(owner, name: "Ann"), at: 1)
        ask(&network)
        network.run(for: .seconds(30))
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(network.nodes[1].friendEvents.contains(.failed(code, .blocked)))
    }

    @Test func `only a device that a member's account certified itself is shown a group by a code`() throws {
        var network = EngineNetwork()
        for seed in 1...2 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        let club = try network.joinGroup(0, [1], title: "Club")
        let keys = codes.keys(of: network.nodes[0].user)
        network.command(.setAnswersToCode(keys), at: 0)
        var entropy = SeededEntropy(seed: 51)
        let machine = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        // A device that node 1's device certified in secret, not the account: its certifier may have been revoked.
        let issued = try #require(
            network.nodes[1].identity.certificate(for: machine.consent(to: network.nodes[1].identity.user)))
        let chained = try #require(
            DeviceIdentity(certificate: issued, signingKey: machine.signingKey, linkKey: machine.linkKey))
        let new = DeviceIdentity.create(accountKey: network.nodes[1].account, from: &entropy)
        network.nodes[1].isOn = false
        for (number, (asker, isShown)) in [(Forged.stranger, false), (chained, false), (new, true)].enumerated() {
            var intruder = Intruder(asker, target: 0, seed: 700 + UInt64(number))
            let isLinked = intruder.dial(Friends.linkKey(of: keys), peer: nil, in: &network)
            #expect(isLinked)
            let request = FriendRequest(
                name: "x", code: keys.code, askedAt: EngineNetwork.wall / 1_000, identity: asker)
            intruder.say(.friend(.friendRequested(request.bytes)), in: &network)
            let isWelcome = intruder.heard.contains { message in
                if case .welcome(club, _) = message { true } else { false }
            }
            #expect(isWelcome == isShown, "asker \(number)")
            #expect(network.nodes[0].engine.state(of: club)?.device(asker.device) == nil)
        }
    }
}

extension EngineNetwork {
    /// Lets a node say something on all its links.
    mutating func say(_ message: LinkMessage, from node: Int, letting duration: Duration = .milliseconds(500)) {
        for link in nodes[node].engine.core.links.liveLinks {
            nodes[node].engine.core.links.send(message.encoded, over: link, as: .reliable, at: now)
        }
        give(.deadlineReached, to: node)
        run(for: duration)
    }
}
