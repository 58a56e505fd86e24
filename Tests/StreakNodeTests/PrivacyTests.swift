import StreakCrypto
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire
import Testing

@testable import StreakEngine
@testable import StreakNode

/// What a group sees of a user.
@Suite(.timeLimit(.minutes(10))) struct PrivacyTests {
    @Test func `an alias differs from group to group and hides what leads to the account`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            _ = try await node.group(.create(title: "Blue"))
            let red = try await node.privacy(.change(group: "Red", PrivacyChange(anonymous: true)))
            let blue = try await node.privacy(.change(group: "Blue", PrivacyChange(anonymous: true)))
            let user = try await node.call(ProfileRequest.whoami).user
            #expect(red.name.hasPrefix("Player#") && red.name.count == "Player#A1B2".count)
            #expect(red.user.hasPrefix(red.name.dropFirst("Player#".count).lowercased()))
            #expect(Set([red.user, blue.user, user]).count == 3)
            let member = try #require(try await node.members("Red").first)
            #expect((member.user, member.name, member.code, member.devices) == (red.user, red.name, nil, 0))
            // Nor does who knows the code find whom it hides behind.
            let code = try await node.call(ProfileRequest.whoami).friendCode
            await #expect(throws: NodeFailure.unknownMember(code)) {
                try await node.call(PersonRequest.member(group: "Red", user: code))
            }
            try await node.add("Wordle 1,700 3/6")
            let row = try #require(try await node.board(of: "Red").rows.first)
            #expect((row.user, row.name, row.me, row.anonymous) == (red.user, red.name, true, true))
        }
    }

    @Test func `who was anonymous and has left with all their records stays anonymous`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            let alias = try await ben.privacy(.change(group: nil, PrivacyChange(anonymous: true)))
            let user = try await ben.call(ProfileRequest.whoami).user
            try await ada.until { try await $0.members().contains { $0.name == alias.name } }
            _ = try await ben.group(.leave(group: "Red", erasing: true))
            try await ada.until { try await $0.members().count == 1 }
            let former = try await ada.call(MemberRequest.list(group: nil)).former
            #expect(former.map(\.user) == [alias.user] && former.map(\.name) == [alias.name])
            let feed = try await ada.call(FeedRequest.show(group: nil, limit: 50)).entries
            #expect(feed.contains { ($0.kind, $0.user) == ("left", alias.user) })
            #expect(!feed.contains { $0.user == user })
        }
    }

    @Test func `a rename leaves the alias alone, and the name comes back with the mask off`() async throws {
        try await NodeParty.alone { node, party in
            _ = try await node.group(.create(title: "Red"))
            let chosen = try await node.privacy(.change(group: nil, PrivacyChange(alias: "Fox")))
            #expect((chosen.anonymous, chosen.name, chosen.alias) == (true, "Fox", "Fox"))
            _ = try await node.call(ProfileRequest.rename(name: "Adele"))
            #expect(try await node.members().first?.name == "Fox")
            await node.close()
            // A start introduces this user where the name is unknown; an alias is not an unknown name.
            let again = try await party.open("Ada")
            #expect(try await again.members().first?.name == "Fox")
            #expect(try await again.call(ProfileRequest.whoami).name == "Adele")
            let bare = try await again.privacy(.change(group: nil, PrivacyChange(anonymous: false)))
            #expect((bare.anonymous, bare.name) == (false, "Adele"))
            await again.close()
        }
    }

    /// A profile of a later version: what this one cannot read may be an alias.
    private struct LaterProfile: RecordValue {
        static let kind = RecordKind.profile.rawValue
        let recordSubject: [UInt8] = []
        let recordValue: [UInt8] = [255]

        init() {}
        init(subject: [UInt8], value: [UInt8]) {}
    }

    @Test func `who cannot read their own profile in a group is anonymous there`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let group = try #require(await node.activeGroup)
            _ = try await node.execute(.write([(group, [.value(LaterProfile())])]))
            let member = try #require(try await node.members().first)
            #expect(member.anonymous && member.name.hasPrefix("Player#") && member.code == nil)
            let privacy = try await node.privacy(.show(group: nil))
            #expect(privacy.anonymous && privacy.name == member.name)
        }
    }

    /// A newly linked machine, or one that came back, may not know yet which alias its user has in a group.
    @Test(arguments: [false, true])
    func `a group where the user may go by an alias is told no name`(hasOtherMachine: Bool) async throws {
        try await NodeParty.alone { node, party in
            let group = try await node.foundWithoutIntroduction()
            if hasOtherMachine { try await node.publishOtherMachine() }
            _ = try await node.call(ProfileRequest.rename(name: "Adele"))
            #expect(await node.recordCount(in: group) == (hasOtherMachine ? 0 : 1))
            await node.close()
            // A start catches up on what was not told.
            let again = try await party.open("Ada")
            #expect(await again.recordCount(in: group) == (hasOtherMachine ? 0 : 1))
            await again.close()
        }
    }

    @Test func `who is hidden is on no board, and only they see their row`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            try await node.add("Wordle 1,700 3/6")
            #expect(try await node.board().ranked == 1)
            let report = try await node.privacy(.change(group: nil, PrivacyChange(hidden: true, region: "FR")))
            #expect((report.hidden, report.region) == (true, "FR"))
            let board = try await node.board()
            #expect((board.ranked, board.rows.count) == (0, 0))
            #expect((board.mine?.onlyMe, board.mine?.rank, board.mine?.value) == (true, nil, 4))
        }
    }

    @Test(arguments: [
        (PrivacyChange(alias: String(repeating: "x", count: 41)), NodeFailure.invalidAlias(limit: 40)),
        (PrivacyChange(alias: "a\u{202E}b"), .invalidAlias(limit: 40)),
        (PrivacyChange(region: String(repeating: "F", count: 17)), .invalidRegion(limit: 16)),
    ])
    func `what cannot be shown is refused`(change: PrivacyChange, failure: NodeFailure) async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            await #expect(throws: failure) { try await node.privacy(.change(group: nil, change)) }
        }
    }

    @Test func `who hides when they were online is not shown by way of whom they are`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben", "Cleo") { nodes in
            let (ada, ben, cleo) = (nodes[0], nodes[1], nodes[2])
            _ = try await ada.group(.create(title: "Red"))
            let link = try await ada.invite().link
            for friend in [ben, cleo] { try await friend.join(link) }
            try await ben.until { try await $0.members().first { $0.name == "Cleo" }?.by == "Ada" }
            _ = try await cleo.privacy(.change(group: nil, PrivacyChange(lastSeen: false)))
            try await ben.until { try await $0.members().first { $0.name == "Cleo" }?.online == false }
            let shown = try #require(try await ben.members().first { $0.name == "Cleo" })
            #expect((shown.by, shown.via, shown.lastSeen) == (nil, nil, nil))
        }
    }

    @Test func `friends' nodes honour it`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ada.add("Wordle 1,700 3/6")
            try await ben.until { try await $0.board().rows.contains { $0.name == "Ada" && $0.played == 1 } }
            try await ben.until { try await $0.status().groups.map(\.online) == [2] }
            let change = PrivacyChange(anonymous: true, hidden: true, lastSeen: false)
            let alias = try await ada.privacy(.change(group: nil, change)).name
            try await ben.until { try await $0.members().contains { $0.name == alias } }
            let shown = try #require(try await ben.members().first { !$0.me })
            #expect((shown.code, shown.devices, shown.lastSeen, shown.online) == (nil, 0, nil, false))
            #expect(try await ben.status().groups.map(\.online) == [1], "only this user")
            #expect(try await ben.board().rows.allSatisfy { $0.name != alias })
            let peer = try #require(try await ben.status().peers.first)
            #expect((peer.name, peer.user, peer.address) == (alias, shown.user, nil))
            let identity = await ada.identity
            let texts = try await [
                "\(ben.members())", "\(ben.board())", "\(ben.status())",
            ].joined()
            #expect(!texts.contains(identity.user.description))
            #expect(!texts.contains(identity.device.description))
        }
    }
}

@Suite(.timeLimit(.minutes(10))) struct PseudonymTests {
    @Test func `it grows where four digits collide`() {
        let group = GroupID(bytes: .zero)
        let pseudonym = Pseudonym(of: UserID(bytes: .zero), in: group)
        #expect(pseudonym.alias().count == 11)
        #expect(pseudonym.alias(digits: 6).hasPrefix(pseudonym.alias()))
        #expect(Pseudonym(of: UserID(bytes: .zero), in: GroupID(bytes: Bytes32(1, 0, 0, 0))) != pseudonym)
    }
}

extension MeshNode {
    /// Founds a group that knows nothing of this user.
    fileprivate func foundWithoutIntroduction() async throws -> GroupID {
        guard case .group(let group) = try await execute(.foundGroup(title: "Red")) else { throw NodeFailure.noGroup() }
        return group
    }

    /// Publishes another machine of this account in every group.
    fileprivate func publishOtherMachine() throws {
        var entropy = SystemEntropy()
        let other = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        guard let certificate = identity.certificate(for: other.consent(to: identity.user)) else {
            throw NodeFailure.accountDamaged
        }
        var writer = engine
        for group in writer.groupIDs where writer.state(of: group)?.isMember(identity.user) ?? false {
            try writer.core.append([.addDevice(certificate)], to: group)
        }
        // With the next handled input.
        let outputs = writer.handle(.deadlineReached, at: core.clock.now, wallTime: core.clock.wallTime)
        for case .persist(let change, _) in outputs { try store.apply(change) }
        core.restart(from: try store.snapshot())
        services.rebuildViews()
    }

    fileprivate func recordCount(in group: GroupID) -> Int { engine.recordCount(of: group) }
}
