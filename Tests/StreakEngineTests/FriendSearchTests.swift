import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Finding the owner of a code through somebody both know.
struct FriendSearchTests {
    private let codes = FriendTests.codes

    /// Node 0 owns the code, node 1 asks, node 2 shares a group with either; 0 and 1 do not reach each other.
    private func triangle() throws -> (FriendNetwork, first: GroupID, second: GroupID) {
        var network = FriendNetwork()
        for seed in 1...3 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        let first = try network.joinGroup(2, [0], title: "First")
        let second = try network.joinGroup(2, [1], title: "Second")
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        network.isCut = { [$0, $1].sorted() == [0, 1] }
        return (network, first, second)
    }

    private func ask(_ network: inout FriendNetwork) {
        network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "Bea"), at: 1)
    }

    @Test func `a common friend carries request and answer, and reads neither answer nor link`() throws {
        var (network, _, _) = try triangle()
        ask(&network)
        network.run(for: .seconds(30))
        let (owner, asker) = (network.nodes[0].user, network.nodes[1].user)
        #expect(network.nodes[0].friendEvents == [.requestReceived(asker)])
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.pending(owner)])
        #expect(network.nodes[2].friendEvents.isEmpty)
        guard case .group(let group)? = network.command(.approveFriend(asker, name: "Ann"), at: 0) else {
            Issue.record("not approved")
            return
        }
        network.run(for: .seconds(400))
        // The asker has the link; it gets in once it reaches the owner.
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.joining(owner)])
        #expect(network.nodes[2].snapshot.settings.keys.allSatisfy { !$0.hasPrefix("friend-") })
        network.isCut = { _, _ in false }
        network.run(for: .seconds(700))
        #expect(network.nodes[1].engine.isMember(of: group))
        #expect(network.nodes[2].engine.state(of: group) == nil)
    }

    @Test func `a member of a big group is found there by its code`() throws {
        var network = FriendNetwork()
        for seed in 1...2 as ClosedRange<UInt64> { try network.add(seed) }
        try network.add(3)
        _ = try network.joinGroup(2, [0, 1])
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        network.run(for: .seconds(20))
        network.usesBeacons = false
        ask(&network)
        network.run(for: .seconds(30))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
        guard case .group(let group)? = network.command(.approveFriend(network.nodes[1].user, name: "Ann"), at: 0)
        else { throw FriendNetwork.SetUpFailure() }
        network.run(for: .seconds(400))
        #expect(network.nodes[1].engine.isMember(of: group))
        #expect(network.nodes[2].engine.state(of: group) == nil)
    }

    @Test func `a carrier cannot answer for the owner`() throws {
        var (network, _, _) = try triangle()
        network.nodes[0].isOn = false
        ask(&network)
        let sent = try #require(network.nodes[1].engine.sentFriendRequests.first)
        let request = FriendRequest(
            name: "Bea", code: sent.code, askedAt: sent.askedAt, identity: network.nodes[1].identity)
        #expect(network.nodes[1].engine.sentRequest(named: request.hash) == sent.code)
        // The carrier's own account answers, and signs for a link of its own.
        var entropy = SeededEntropy(seed: 1)
        let forged = CarriedFriendAnswer(.declined, to: request, identity: network.nodes[2].identity).encoded()
        let sealed = try SealedBox.seal(forged, to: network.nodes[1].identity.linkKey.publicKey, from: &entropy)
        network.say(.friend(.friendReplied(request: request.hash, sealed: sealed)), from: 2)
        network.say(.friend(.friendReplied(request: request.hash, sealed: [1, 2, 3])), from: 2)
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
    }

    @Test func `a carrier cannot keep a request for later, nor alter it`() throws {
        var (network, _, _) = try triangle()
        let code = codes.keys(of: network.nodes[0].user).code
        let time = FriendNetwork.wall / 1_000
        let old = FriendRequest(
            name: "Bea", code: code, askedAt: time - 10 * 86_400, identity: network.nodes[1].identity)
        network.say(.friend(.friendCarried(old.bytes)), from: 2)
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        let request = FriendRequest(name: "Bea", code: code, askedAt: time, identity: network.nodes[1].identity)
        network.say(.friend(.friendCarried(request.bytes)), from: 2)
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
        // Altered on its way.
        for position in stride(from: 0, to: request.bytes.count, by: 5) {
            var bytes = request.bytes
            bytes[position] ^= 4
            #expect(throws: WireError.self) { _ = try FriendRequest(decoding: bytes) }
        }
    }

    @Test func `one link cannot have searches made without end`() throws {
        var (network, _, _) = try triangle()
        let before = network.nodes[2].engine.friends.codes.count
        for number in 0..<40 as Range<Int64> {
            let request = FriendRequest(
                name: "x", code: codes.keys(of: network.nodes[2].user).code,
                askedAt: number, identity: network.nodes[1].identity)
            network.say(.friend(.friendSought(request.bytes)), from: 1, letting: .milliseconds(1))
        }
        #expect(network.nodes[2].engine.friends.searches.count <= 4)
        network.run(for: .seconds(20))
        #expect(network.nodes[2].engine.friends.searches.isEmpty)
        #expect(network.nodes[2].engine.friends.codes.count == before + 1)
    }

    @Test func `whoever is no member, or whose certificate is not the account's own, is let in nowhere`() throws {
        var network = FriendNetwork()
        for seed in 1...2 as ClosedRange<UInt64> { try network.add(seed, hasPrivateGroup: true) }
        let club = try network.joinGroup(0, [1], title: "Club")
        try network.add(3)
        network.command(.setAnswersToCode(codes.keys(of: network.nodes[0].user)), at: 0)
        // A device that node 1's device certified in secret, not the account: its certifier may have been revoked.
        var entropy = SeededEntropy(seed: 51)
        let machine = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        let issued = try #require(
            network.nodes[1].identity.certificate(for: machine.consent(to: network.nodes[1].identity.user)))
        let chained = try #require(
            DeviceIdentity(certificate: issued, signingKey: machine.signingKey, linkKey: machine.linkKey))
        network.nodes[1].isOn = false
        let new = try network.add(61, identity: chained)
        for node in [2, new] {
            network.command(.addFriend(codes.keys(of: network.nodes[0].user), name: "x"), at: node)
        }
        network.run(for: .seconds(20))
        for node in [2, new] {
            #expect(!network.nodes[node].engine.isMember(of: club))
            #expect(network.nodes[node].engine.groupIDs.isEmpty)
            // It was not even shown the ledger, which would not have taken it.
            #expect(!network.nodes[node].events.contains(.operationRefused(club)))
        }
    }
}

extension FriendNetwork {
    /// Lets a node say something on all its links.
    mutating func say(_ message: LinkMessage, from node: Int, letting duration: Duration = .milliseconds(500)) {
        for link in nodes[node].engine.links.liveLinks {
            nodes[node].engine.links.send(message.encoded, over: link, as: .reliable, at: now)
        }
        give(.deadlineReached, to: node)
        run(for: duration)
    }
}
