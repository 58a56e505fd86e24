import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire
import Synchronization
import Testing

@testable import StreakEngine

/// Friend codes: from the code to a group of two, however often either side restarts.
struct FriendTests {
    /// Codes cost 60 ms each, so they are made once.
    static let codes = CodeTable()

    /// Node 0 owns the code and answers, node 1 asks.
    private func pair(answers: Bool = true) throws -> EngineNetwork {
        var network = EngineNetwork()
        // A node in no group sends no beacons.
        try network.add(1, hasPrivateGroup: answers)
        try network.add(2, hasPrivateGroup: true)
        if answers { network.command(.setAnswersToCode(Self.codes.keys(of: network.nodes[0].user)), at: 0) }
        network.command(.setAnswersToCode(Self.codes.keys(of: network.nodes[1].user)), at: 1)
        return network
    }

    private func ask(_ network: inout EngineNetwork, name: String = "Bea") -> CommandOutcome? {
        network.command(.addFriend(Self.codes.keys(of: network.nodes[0].user), name: name), at: 1)
    }

    private func code(_ network: EngineNetwork, _ node: Int) -> FriendCode {
        Self.codes.keys(of: network.nodes[node].user).code
    }

    @Test func `a code, an approval, and there is a group of two`() throws {
        var network = try pair()
        #expect(ask(&network) == .done)
        network.run(for: .seconds(3))
        let (owner, asker) = (network.nodes[0].user, network.nodes[1].user)
        #expect(network.nodes[0].friendEvents == [.requestReceived(asker)])
        #expect(network.nodes[1].friendEvents == [.ownerFound(code(network, 0), owner)])
        let request = try #require(network.nodes[0].engine.receivedFriendRequests.first)
        #expect(request.name == "Bea")
        #expect(request.code == code(network, 1))
        #expect(request.stage == .pending)
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.pending(owner)])
        guard case .group(let group)? = network.command(.approveFriend(asker, name: "Ann"), at: 0) else {
            Issue.record("not approved")
            return
        }
        network.run(for: .seconds(5))
        #expect(network.nodes[1].friendEvents.last == .accepted(code(network, 0), group))
        #expect(network.nodes[0].friendEvents.last == .joined(asker, group))
        for node in [0, 1] {
            #expect(network.nodes[node].engine.state(of: group)?.members.map(\.user) == [owner, asker].sorted())
            #expect(network.nodes[node].engine.state(of: group)?.title == "Ann & Bea")
        }
        #expect(network.nodes[1].engine.sentFriendRequests.isEmpty)
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(ask(&network) == .failed(.friend(.alreadyFriend(group))))
        // Nothing is left to do, and nothing of it in the stores.
        for node in [0, 1] {
            let local = network.nodes[node].snapshot.local
            #expect(local.all(FriendRequests.Sent.self).isEmpty && local.all(FriendRequests.Received.self).isEmpty)
        }
    }

    /// After each of these steps one of the two dies and starts from its store.
    @Test(arguments: [0, 1], 0..<4)
    func `either side may restart at every step`(victim: Int, step: Int) throws {
        var network = try pair()
        func mayDie(_ at: Int, _ network: inout EngineNetwork) {
            if at == step { network.restart(victim) }
        }
        #expect(ask(&network) == .done)
        mayDie(0, &network)
        network.run(for: .seconds(30))
        mayDie(1, &network)
        let asker = network.nodes[1].user
        #expect(network.nodes[0].engine.receivedFriendRequests.map(\.user) == [asker])
        guard case .group(let group)? = network.command(.approveFriend(asker, name: "Ann"), at: 0) else {
            Issue.record("not approved")
            return
        }
        mayDie(2, &network)
        network.run(for: .milliseconds(60))
        mayDie(3, &network)
        network.run(for: .seconds(400))
        #expect(network.nodes[1].engine.isMember(of: group))
        #expect(network.nodes[0].engine.state(of: group)?.isMember(asker) == true)
        #expect(network.nodes[1].engine.sentFriendRequests.isEmpty)
    }

    @Test func `the asker waits for an owner who comes later, and gives up after seven days`() throws {
        var network = try pair()
        network.nodes[0].isOn = false
        #expect(ask(&network) == .done)
        network.run(for: .seconds(3_600))
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
        var other = network
        network.nodes[0].isOn = true
        network.run(for: .seconds(400))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
        other.run(for: .seconds(7 * 86_400))
        #expect(other.nodes[1].friendEvents == [.expired(code(other, 0))])
        #expect(other.nodes[1].engine.sentFriendRequests.isEmpty)
        other.run(for: .seconds(1))
        #expect(other.nodes[1].snapshot.local.all(FriendRequests.Sent.self).isEmpty)
    }

    @Test func `named addresses find the owner where beacons do not`() throws {
        var network = try pair()
        network.usesBeacons = false
        for node in [0, 1] { network.restart(node) }
        #expect(ask(&network) == .done)
        network.run(for: .seconds(60))
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        network.command(.dialAddresses([network.nodes[0].endpoint]), at: 1)
        network.run(for: .seconds(400))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
    }

    @Test func `the asker hears of a declined request, and may ask again`() throws {
        var network = try pair()
        _ = ask(&network)
        network.run(for: .seconds(3))
        let asker = network.nodes[1].user
        #expect(network.command(.declineFriend(asker), at: 0) == .done)
        network.run(for: .seconds(3))
        #expect(network.nodes[1].friendEvents.last == .declined(code(network, 0)))
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.declined])
        network.run(for: .seconds(1_000))
        #expect(network.nodes[0].friendEvents == [.requestReceived(asker)])
        // Asked again, the owner may decide otherwise.
        #expect(ask(&network) == .done)
        network.run(for: .seconds(20))
        #expect(network.nodes[0].friendEvents == [.requestReceived(asker), .requestReceived(asker)])
        guard case .group? = network.command(.approveFriend(asker, name: "Ann"), at: 0) else {
            Issue.record("not approved")
            return
        }
    }

    @Test(arguments: [[0], [1], [0, 1]])
    func `two who ask each other end in one group, no matter who says yes`(approvers: [Int]) throws {
        var network = try pair()
        #expect(ask(&network) == .done)
        let codes = Self.codes
        let other = Command.addFriend(codes.keys(of: network.nodes[1].user), name: "Ann")
        #expect(network.command(other, at: 0) == .done)
        network.run(for: .seconds(400))
        for node in 0...1 { #expect(network.nodes[node].engine.receivedFriendRequests.count == 1) }
        network.isCut = { _, _ in true }
        for node in approvers {
            guard case .group? = network.command(.approveFriend(network.nodes[1 - node].user, name: "x"), at: node)
            else { throw EngineNetwork.SetUpFailure() }
        }
        network.isCut = { _, _ in false }
        network.run(for: .seconds(1_500))
        let shared = network.nodes.map { node in
            node.engine.groupIDs.filter { !node.engine.isPrivate($0) }
        }
        #expect(shared[0].count == 1 && shared[0] == shared[1])
        for node in 0...1 {
            #expect(network.nodes[node].engine.state(of: shared[node][0])?.members.count == 2)
            #expect(network.nodes[node].engine.receivedFriendRequests.isEmpty)
            #expect(network.nodes[node].engine.sentFriendRequests.isEmpty)
            #expect(!network.nodes[node].friendEvents.contains { if case .failed = $0 { true } else { false } })
        }
    }

    @Test func `of two who said yes at once the larger account takes the other's link, and the smaller none`() throws {
        var network = try pair()
        #expect(ask(&network) == .done)
        let back = Command.addFriend(Self.codes.keys(of: network.nodes[1].user), name: "Ann")
        #expect(network.command(back, at: 0) == .done)
        network.run(for: .seconds(400))
        network.isCut = { _, _ in true }
        for node in 0...1 {
            network.command(.approveFriend(network.nodes[1 - node].user, name: "x"), at: node)
        }
        for node in 0...1 {
            let (own, other) = (network.nodes[node].user, network.nodes[1 - node].user)
            guard case .approved(_, let text)? = network.nodes[1 - node].engine.friends.requests.received[own]?.decision
            else {
                throw EngineNetwork.SetUpFailure()
            }
            var engine = network.nodes[node].engine
            engine.friends.takeAnswer(
                .accepted(link: text), to: code(network, 1 - node), from: network.nodes[1 - node].identity.certificate,
                core: &engine.core)
            let isJoining = engine.sentFriendRequests.map(\.stage) == [.joining(other)]
            #expect(isJoining == (other < own))
        }
    }

    @Test func `who is blocked hears what one hears who waits`() throws {
        var network = try pair()
        let asker = network.nodes[1].user
        #expect(network.command(.blockFriend(asker, name: "Bea"), at: 0) == .done)
        network.restart(0)
        #expect(network.nodes[0].engine.blockedUsers == [asker])
        #expect(network.nodes[0].engine.local[BlockedUser.self, asker]?.name == "Bea")
        let before = network.derivations
        _ = ask(&network)
        network.run(for: .seconds(3))
        #expect(network.derivations == before + 1, "only the asker works out a code: the owner's")
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
        #expect(network.nodes[0].friendEvents.isEmpty)
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.pending(network.nodes[0].user)])
        #expect(network.command(.unblockFriend(asker), at: 0) == .done)
        network.run(for: .seconds(400))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
    }

    @Test func `who blocks somebody asks them no longer`() throws {
        var network = try pair()
        let owner = network.nodes[0].user
        _ = ask(&network)
        network.run(for: .seconds(3))
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.pending(owner)])
        #expect(network.command(.blockFriend(owner, name: "Ann"), at: 1) == .done)
        #expect(network.nodes[1].engine.sentFriendRequests.isEmpty)
        network.command(.approveFriend(network.nodes[1].user, name: "Ann"), at: 0)
        network.run(for: .seconds(400))
        #expect(network.nodes[1].engine.friendGroups.isEmpty)
    }

    @Test func `who does not answer to the code is not found`() throws {
        var network = try pair(answers: false)
        _ = ask(&network)
        network.command(.dialAddresses([network.nodes[0].endpoint]), at: 1)
        network.run(for: .seconds(600))
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
        #expect(network.sent.allSatisfy { $0.from != 0 })
        // Switched on, then off again.
        network.command(.setAnswersToCode(Self.codes.keys(of: network.nodes[0].user)), at: 0)
        network.command(.setAnswersToCode(nil), at: 0)
        network.restart(0)
        #expect(!network.nodes[0].engine.answersToCode)
        network.run(for: .seconds(600))
        #expect(network.nodes[0].engine.receivedFriendRequests.isEmpty)
    }

    @Test func `wishes that make no sense are refused`() throws {
        var network = try pair()
        let own = Self.codes.keys(of: network.nodes[1].user)
        #expect(network.command(.addFriend(own, name: "B"), at: 1) == .failed(.friend(.ownCode)))
        network.command(.setAnswersToCode(nil), at: 1)
        #expect(network.command(.addFriend(own, name: "B"), at: 1) == .failed(.friend(.ownCode)))
        #expect(ask(&network) == .done)
        #expect(ask(&network) == .failed(.friend(.alreadyAsked)))
        #expect(network.command(.cancelFriend(code(network, 0)), at: 1) == .done)
        #expect(network.command(.cancelFriend(code(network, 0)), at: 1) == .failed(.friend(.unknownRequest)))
        #expect(
            network.command(.approveFriend(network.nodes[1].user, name: "A"), at: 0)
                == .failed(.friend(.unknownRequest)))
    }

    /// Another group may grow; messages need one that stays theirs.
    @Test func `who is alone with somebody in a group by invite may become their friend`() throws {
        var network = try pair()
        let club = try network.joinGroup(0, [1], title: "Club")
        #expect(ask(&network) == .done)
        network.run(for: .seconds(20))
        guard case .group(let group)? = network.command(.approveFriend(network.nodes[1].user, name: "Ann"), at: 0)
        else {
            Issue.record("not approved")
            return
        }
        network.run(for: .seconds(5))
        for node in [0, 1] {
            let groups = network.nodes[node].engine.friendGroups
            #expect(Set(groups.map(\.group)) == [club, group])
            #expect(groups.first { $0.isPair }?.group == group)
        }
        #expect(ask(&network) == .failed(.friend(.alreadyFriend(group))))
    }

    @Test func `somebody who knows the code and is not its owner learns nobody's name`() throws {
        var network = try pair(answers: false)
        // An impostor of a third account answers to the code.
        let impostor = try network.add(3)
        network.command(.setAnswersToCode(Self.codes.keys(of: network.nodes[0].user)), at: impostor)
        _ = ask(&network)
        network.run(for: .seconds(30))
        #expect(network.nodes[1].engine.sentFriendRequests.map(\.stage) == [.looking])
        #expect(network.nodes[impostor].engine.core.sessions.count == 0)
        #expect(network.nodes[impostor].friendEvents.isEmpty)
        // It was dialled, and no third message came.
        let told = network.sent.filter { $0.from == 1 && $0.to == impostor && !$0.isBeacon }.map(\.bytes)
        #expect(!told.isEmpty)
        #expect(told.allSatisfy { $0.first == 1 })
        // The calls that it can read name nobody.
        let keys = Self.codes.keys(of: network.nodes[0].user)
        let hours = (-1...1).map { Beacon.hourKey(keys.beaconKey, hour: Beacon.hour(of: network.wallTime) + $0) }
        let read = network.sent.filter(\.isBeacon).compactMap { Beacon.open($0.bytes, hourKeys: hours)?.content }
        #expect(!read.isEmpty)
        for node in network.nodes {
            #expect(read.allSatisfy { $0.linkKey != node.identity.linkKey.publicKey })
        }
        // The owner is found all the same, once it is there.
        network.command(.setAnswersToCode(keys), at: 0)
        network.run(for: .seconds(700))
        #expect(network.nodes[0].engine.receivedFriendRequests.count == 1)
    }

    @Test(arguments: [
        ("Ann", "Bea", "Ann & Bea"), ("", "\u{7}\u{202E}x", "? & x"),
        (String(repeating: "a", count: 90), String(repeating: "b", count: 90), nil),
        (String(repeating: "👩‍👩‍👧‍👦", count: 40), "b", nil),
    ])
    func `titles of two names are titles`(own: String, other: String, title: String?) throws {
        let made = Friends.pairTitle(own, other)
        if let title { #expect(made == title) }
        var entropy = SeededEntropy(seed: 1)
        _ = try Ledger.found(
            title: made, identity: Forged.stranger, accessKey: .generate(from: &entropy), at: 1, entropy: &entropy)
    }

    @Test func `nothing on the wire tells code, name or key`() throws {
        var network = try pair()
        _ = ask(&network, name: "Beatrice-of-Nowhere")
        network.run(for: .seconds(5))
        network.command(.approveFriend(network.nodes[1].user, name: "Annabel-of-Nowhere"), at: 0)
        network.run(for: .seconds(20))
        #expect(network.nodes[1].friendEvents.count == 2)
        var secrets: [[UInt8]] = [
            Array("Beatrice-of-Nowhere".utf8), Array("Annabel-of-Nowhere".utf8), Array("streakmesh".utf8),
        ]
        for node in network.nodes {
            let keys = Self.codes.keys(of: node.user)
            secrets.append(Array(keys.code.description.utf8))
            secrets.append(keys.code.description.utf8.filter { $0 != 0x2D })
            secrets += [keys.presharedKey.rawBytes(), keys.tagKey.rawBytes(), keys.beaconKey.rawBytes()]
            secrets += [
                node.user.bytes.array, node.identity.device.bytes.array, node.identity.linkKey.publicKey.rawBytes,
            ]
        }
        #expect(network.sent.count > 10)
        for packet in network.sent {
            for secret in secrets { #expect(!packet.bytes.contains(secret)) }
        }
        // Two beacons about one code have nothing in common.
        let beacons = network.sent.filter(\.isBeacon).map(\.bytes)
        #expect(beacons.count > 2)
        for (index, beacon) in beacons.enumerated() {
            for other in beacons.dropFirst(index + 1) where other != beacon {
                let pieces = stride(from: 0, to: beacon.count - 8, by: 1).map { Array(beacon[$0..<($0 + 8)]) }
                #expect(!pieces.contains { other.contains($0) })
            }
        }
    }
}

/// Keys of the accounts that tests use, each made once.
final class CodeTable: Sendable {
    private let table = Mutex<[UserID: FriendCodeKeys]>([:])

    func keys(of user: UserID) -> FriendCodeKeys {
        table.withLock { known in
            if let keys = known[user] { return keys }
            guard let code = try? FriendCode(of: user), let keys = try? FriendCodeKeys(of: code) else {
                preconditionFailure("no memory for a friend code")
            }
            known[user] = keys
            return keys
        }
    }
}
