import StreakCrypto
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakEngine

/// One account, one private group: machines that have one each, as after a recovery, end up in one (A2).
struct PrivateGroupTests {
    private static let seeds: [UInt64] = [1, 2, 3, 4, 5, 6]

    @Test func `these seeds try both orders of the private groups`() throws {
        let isFirstSmaller = try Self.seeds.map { seed in
            var household = try Household(seed: seed)
            let second = try household.recover()
            return try #require(household.privateGroup(of: 1)) < #require(household.privateGroup(of: second))
        }
        #expect(Set(isFirstSmaller) == [true, false])
    }

    @Test(arguments: seeds) func `a recovered machine and one that was left have one private group once they meet`(
        seed: UInt64
    ) throws {
        var household = try Household(seed: seed)
        let recovered = try household.recover()
        let groups = [1, recovered].compactMap { household.privateGroup(of: $0) }
        try household.set("of the old one", to: "1", at: 1)
        try household.set("of the new one", to: "2", at: recovered)
        try household.set("new here", to: "older", at: 1)
        try household.set("new here", to: "newer", at: recovered)
        try household.set("new there", to: "older", at: recovered)
        try household.set("new there", to: "newer", at: 1)
        try household.set("taken back", to: "x", at: 1)
        try household.write([.setting(name: "taken back", value: [])], at: recovered)

        try household.join(recovered)
        household.network.run(for: .seconds(10))
        let expected = ["of the old one": "1", "of the new one": "2", "new here": "newer", "new there": "newer"]
        for node in [1, recovered] {
            #expect(household.privateGroup(of: node) == groups.min())
            #expect(try household.settings(of: node) == expected)
            #expect(Set(household.network.nodes[node].engine.groupIDs) == [household.club, try #require(groups.min())])
        }
        #expect(household.isOne([1, recovered]))
        let moved = groups[0] < groups[1] ? recovered : 1
        #expect(household.events(of: moved).map(\.1) == [groups.min()])
        #expect(household.events(of: moved == 1 ? recovered : 1).isEmpty)
        #expect(household.network.nodes[0].engine.groupIDs.count == 2, "a friend has its own and the club")
        // What either writes from now on is the other's too, and a start finds it all.
        try household.set("later", to: "3", at: recovered)
        household.network.restart(1)
        household.network.restart(recovered)
        household.network.run(for: .seconds(10))
        for node in [1, recovered] {
            #expect(try household.settings(of: node) == expected.merging(["later": "3"]) { $1 })
        }
        #expect(household.isOne([1, recovered]))
    }

    @Test(arguments: seeds) func `three machines, two of them linked, end in one group, whoever meets whom first`(
        seed: UInt64
    ) throws {
        var household = try Household(seed: seed)
        let linked = try household.linkMachine(to: 1)
        let recovered = try household.recover()
        for (node, name) in [(1, "a"), (linked, "b"), (recovered, "c")] { try household.set(name, to: name, at: node) }
        // The linked machine is away while the other two meet, and writes on.
        household.network.isCut = { $0 == linked || $1 == linked }
        try household.join(recovered)
        household.network.run(for: .seconds(10))
        #expect(household.privateGroup(of: 1) == household.privateGroup(of: recovered))
        try household.set("away", to: "d", at: linked)
        household.network.isCut = { _, _ in false }
        household.network.run(for: .seconds(400))
        for node in [1, linked, recovered] {
            #expect(try household.settings(of: node) == ["a": "a", "b": "b", "c": "c", "away": "d"])
        }
        #expect(household.isOne([1, linked, recovered]))
        let group = try #require(household.privateGroup(of: 1))
        for node in [1, linked, recovered] {
            #expect(Set(household.network.nodes[node].engine.groupIDs) == [household.club, group])
        }
    }

    @Test(arguments: [1, 2], 1...8) func `a kill at any step changes nothing about the end`(victim: Int, step: Int)
        throws
    {
        for seed in [1, 2, 3] as [UInt64] {
            var household = try Household(seed: seed)
            let recovered = try household.recover()
            try #require(recovered == 2)
            for node in [1, 2] {
                for number in 0..<5 { try household.set("\(node)/\(number)", to: "x", at: node) }
            }
            try household.join(recovered)
            let writes = household.network.nodes[victim].writes
            household.network.run(for: .seconds(5)) { $0.nodes[victim].writes >= writes + step }
            household.network.restart(victim)
            household.network.run(for: .seconds(400))
            #expect(household.isOne([1, 2]))
            for node in [1, 2] { #expect(try household.settings(of: node).count == 10) }
        }
    }

    @Test(arguments: seeds) func `what stands copied is copied once, and high scores contend as they did`(seed: UInt64)
        throws
    {
        var household = try Household(seed: seed)
        let recovered = try household.recover()
        func score(_ value: Int, edited: Bool = false) throws -> RecordDraft {
            .score(
                DailyScore(
                    game: try #require(GameID("custom-blocks")),
                    day: PuzzleDay(daysSinceEpoch: 20_778),
                    score: value, isEdited: edited, contends: !edited))
        }
        // The edit on one machine settles what came before it on the other, and nothing that came after it.
        try household.write([score(900)], at: 1)
        try household.write([score(400, edited: true)], at: recovered)
        try household.write([score(450)], at: recovered)
        try household.write([score(500)], at: 1)
        try household.write([score(430)], at: recovered)
        try household.join(recovered)
        household.network.run(for: .seconds(10))
        #expect(household.isOne([1, recovered]))
        let group = try #require(household.privateGroup(of: 1))
        for node in [1, recovered] {
            let scores = household.network.nodes[node].engine.mergedRecords(of: group).compactMap {
                try? DailyScore(subject: $0.key.subject, value: $0.value, time: $0.time).score
            }
            #expect(scores == [500])
        }
        let count = household.network.nodes[1].engine.recordCount(of: group)
        for _ in 0..<2 {
            household.network.restart(1)
            household.network.restart(recovered)
            household.network.run(for: .seconds(10))
        }
        #expect(household.network.nodes[1].engine.recordCount(of: group) == count)
    }

    // MARK: Who gets nothing

    /// Node 1 is the stolen machine, which had linked another one. The account was recovered, and the stolen one revoked there.
    private func theft(seed: UInt64) throws -> (household: Household, linked: Int, recovered: Int) {
        var household = try Household(seed: seed)
        let linked = try household.linkMachine(to: 1)
        let recovered = try household.recover()
        try household.set("before", to: "1", at: 1)
        household.network.run(for: .seconds(2))
        household.network.isCut = { $0 == linked || $1 == linked }
        // Not before it is revoked does the new machine meet the stolen one.
        household.network.nodes[1].isOn = false
        try household.join(recovered)
        let revoke = Command.revokeDevice(
            household.network.nodes[1].identity.device, accountKey: household.network.nodes[1].account)
        #expect(household.network.command(revoke, at: recovered) == .done)
        household.network.nodes[1].isOn = true
        household.network.run(for: .seconds(5))
        household.network.isCut = { _, _ in false }
        return (household, linked, recovered)
    }

    @Test(arguments: seeds) func `a stolen machine gets nothing of the group that the others end in`(seed: UInt64)
        throws
    {
        var (household, linked, recovered) = try theft(seed: seed)
        household.network.run(for: .seconds(400))
        let stolen = household.privateGroup(of: 1)
        #expect(household.isOne([linked, recovered]))
        #expect(household.privateGroup(of: linked) != stolen)
        try household.set("secret", to: "2", at: linked)
        try household.set("secret too", to: "3", at: recovered)
        household.network.run(for: .seconds(400))
        for node in [linked, recovered] {
            #expect(try household.settings(of: node) == ["before": "1", "secret": "2", "secret too": "3"])
        }
        #expect(try household.settings(of: 1) == ["before": "1"])
        #expect(household.network.nodes[1].engine.groupIDs.allSatisfy { [household.club, stolen].contains($0) })
    }

    @Test func `a stolen machine that only the private group holds gets nothing more, and makes no machine`() throws {
        var (household, linked, recovered) = try theft(seed: 2)
        // The linked machine hears of it from a friend, and not from the new one.
        household.network.isCut = { Set([$0, $1]) == [linked, recovered] }
        household.network.run(for: .seconds(400))
        #expect(household.privateGroup(of: linked) == household.privateGroup(of: 1), "nobody has said where else to go")
        try household.set("secret", to: "2", at: linked)
        household.network.run(for: .seconds(400))
        #expect(try household.settings(of: 1) == ["before": "1"])
        let bare = try household.network.add(900)
        guard case .invite(_, let text)? = household.network.command(.linkDevice, at: 1) else {
            throw FriendNetwork.SetUpFailure()
        }
        household.network.run(for: .seconds(5))
        household.network.isCut = { Set([$0, $1]) == [bare, 1] }
        let request = Command.requestDevice(try InviteLink(parsing: text, purpose: .device), timeout: .seconds(20))
        let group = try #require(household.privateGroup(of: linked))
        let invites = household.network.nodes[linked].engine.state(of: group)?.invites ?? []
        #expect(
            invites.contains { $0.author == household.network.nodes[1].identity.device }, "it has heard of the link")
        #expect(household.network.command(request, at: bare) == .failed(.deviceRefused(.unknownLink)))
    }

    /// An invite by a machine of the account, and the operation that takes a stranger in under it.
    private func admission(by node: Int, in household: Household) throws -> [SignedOperation] {
        let group = try #require(household.privateGroup(of: node))
        let (author, time) = (household.network.nodes[node].identity, household.network.wallTime.seconds)
        var ledger = try #require(household.network.nodes[node].engine.groups[group]?.ledger)
        var entropy = SeededEntropy(seed: 78)
        let secrets = InviteSecrets.generate(from: &entropy)
        let invite = try ledger.draft(
            .invite(secrets.terms(maximumUses: 0, expiresAt: time + 600)), by: author, at: time)
        _ = try ledger.insert(invite)
        let proof = JoinProof(
            inviteKey: secrets.inviteKey, group: group, identity: Forged.stranger,
            handshakeHash: [UInt8](repeating: 0, count: 64))
        let claim = JoinClaim(invite: invite.id, certificate: Forged.stranger.certificate, proof: proof)
        return [invite, try ledger.admission(of: claim, by: author, at: time)]
    }

    @Test func `a machine that is stolen and not revoked yet brings nobody into the private group`() throws {
        var household = try Household(seed: 3)
        let linked = try household.linkMachine(to: 1)
        let group = try #require(household.privateGroup(of: linked))
        let operations = try admission(by: 1, in: household)
        for operation in operations {
            _ = try household.network.nodes[1].engine.groups[group]?.insert(operation, arrival: 10_000)
        }
        #expect(household.network.nodes[1].engine.state(of: group)?.members.count == 2)
        try household.set("by the stolen one", to: "1", at: 1)
        household.network.run(for: .seconds(10))
        let engine = household.network.nodes[linked].engine
        #expect(engine.groups[group]?.ledger.contains(operations[0].id) == true, "it was asked what it knows")
        #expect(engine.state(of: group)?.members.map(\.user) == [household.network.nodes[1].user])
        try household.set("mine", to: "2", at: linked)
        #expect(try household.settings(of: linked)["mine"] == "2")
        // What nobody can bring in, nobody takes over with a group either.
        #expect(engine.groups[group]?.ledger.isPrivate(to: engine.identity.user) == true)
        let spoilt = household.network.nodes[1].engine.groups[group]?.ledger
        #expect(spoilt?.isPrivate(to: engine.identity.user) == false)
    }

    @Test func `a device of another account is shut out of a private group that has one`() throws {
        let household = try Household(seed: 3)
        var engine = household.network.nodes[1].engine
        let group = try #require(engine.privateGroup)
        for operation in try admission(by: 1, in: household) {
            _ = try engine.groups[group]?.insert(operation, arrival: 10_000)
        }
        let stranger = try #require(engine.state(of: group)?.device(Forged.stranger.device))
        #expect(stranger.isCurrent)
        #expect(engine.isShutOut(stranger, of: group))
        #expect(!engine.isShutOut(stranger, of: household.club))
    }

    @Test func `what a given-up machine still writes into a former group is not taken over`() throws {
        var household = try Household(seed: 3)
        let linked = try household.linkMachine(to: 1)
        let former = try #require(household.privateGroup(of: linked))
        try household.set("bad", to: "1", at: 1)
        try household.set("good", to: "1", at: linked)
        household.network.run(for: .seconds(10))
        #expect(try household.settings(of: linked).count == 2)
        guard case .group(let group)? = household.network.command(.foundGroup(title: "Private"), at: linked) else {
            throw FriendNetwork.SetUpFailure()
        }
        let stolen = household.network.nodes[1]
        let ledger = try #require(household.network.nodes[linked].engine.groups[former]?.ledger)
        let kept = ledger.keptLinks(revoking: stolen.identity.device, of: stolen.user)
        for isRevoked in [true, false] {
            var engine = household.network.nodes[linked].engine
            engine.settings[MeshEngine.privateGroupSetting] = group.bytes.array
            engine.formerPrivateGroups = [former]
            engine.growingFormerGroups = [former]
            if isRevoked {
                engine.heardRevocations = [
                    DeviceRevocation(
                        accountKey: stolen.account, everywhere: stolen.identity.device, keeping: kept,
                        accessKeyHash: Bytes32.zero)
                ]
            }
            engine.carryOver()
            let names = engine.mergedRecords(of: group).map { String(decoding: $0.key.subject, as: UTF8.self) }
            #expect(names == (isRevoked ? ["good"] : ["bad", "good"]))
        }
    }

    @Test(arguments: seeds) func `a word that only one of two machines knows goes along when they meet`(seed: UInt64)
        throws
    {
        var household = try Household(seed: seed)
        let recovered = try household.recover()
        // Unknown in the club, so it stands in the recovered one's private group alone.
        var entropy = SeededEntropy(seed: 77)
        let lost = DeviceIdentity.create(accountKey: household.network.nodes[1].account, from: &entropy)
        #expect(household.network.command(.addDevice(lost.certificate), at: recovered) == .done)
        #expect(
            household.network.command(
                .revokeDevice(lost.device, accountKey: household.network.nodes[1].account), at: recovered) == .done)
        try household.join(recovered)
        household.network.run(for: .seconds(10))
        #expect(household.isOne([1, recovered]))
        for node in [1, recovered] {
            let group = try #require(household.privateGroup(of: node))
            let ledger = try #require(household.network.nodes[node].engine.groups[group]?.ledger)
            #expect(ledger.isRevokedEverywhere(lost.device, of: household.network.nodes[1].user))
        }
    }

    /// A recovered machine that will move to the private group of the one that was left.
    private func moving() throws -> (household: Household, recovered: Int, target: GroupID) {
        for seed in Self.seeds {
            var household = try Household(seed: seed)
            let recovered = try household.recover()
            let target = try #require(household.privateGroup(of: 1))
            if try target < #require(household.privateGroup(of: recovered)) { return (household, recovered, target) }
        }
        throw FriendNetwork.SetUpFailure()
    }

    /// More than two machines tell each other, so that the last are known to the one that moves alone.
    @Test func `every word that a machine holds goes along when it moves`() throws {
        var (household, recovered, target) = try moving()
        let account = household.network.nodes[1].account
        var entropy = SeededEntropy(seed: 79)
        // Half are certified by the machine: so many the account key may not certify in one group.
        let machine = household.network.nodes[recovered].engine.identity
        let lost = try (0..<(FriendMessage.maximumRevocations + 2)).map { index in
            let made = DeviceIdentity.create(accountKey: account, from: &entropy)
            guard index.isMultiple(of: 2) else { return made.certificate }
            return try #require(machine.certificate(for: made.consent(to: machine.user)))
        }
        for device in lost {
            #expect(household.network.command(.addDevice(device), at: recovered) == .done)
            #expect(
                household.network.command(.revokeDevice(device.device, accountKey: account), at: recovered) == .done)
        }
        try household.join(recovered)
        household.network.run(for: .seconds(10))
        #expect(household.isOne([1, recovered]) && household.privateGroup(of: recovered) == target)
        for node in [1, recovered] {
            let ledger = try #require(household.network.nodes[node].engine.groups[target]?.ledger)
            let user = household.network.nodes[1].user
            #expect(lost.count { ledger.isRevokedEverywhere($0.device, of: user) } == lost.count)
        }
    }

    @Test func `no machine moves into a group that somebody else was in, though nobody else is now`() throws {
        var (household, recovered, target) = try moving()
        let own = household.privateGroup(of: recovered)
        for operation in try admission(by: 1, in: household) {
            _ = try household.network.nodes[1].engine.groups[target]?.insert(operation, arrival: 10_000)
        }
        let ledger = try #require(household.network.nodes[1].engine.groups[target]?.ledger)
        let removal = try ledger.draft(
            .remove(Removal(user: Forged.stranger.user, cuts: [], accessKeyHash: Bytes32(1, 1, 1, 1))),
            by: household.network.nodes[1].identity, at: household.network.wallTime.seconds)
        _ = try household.network.nodes[1].engine.groups[target]?.insert(removal, arrival: 10_001)
        #expect(household.network.nodes[1].engine.state(of: target)?.members.count == 1)
        try household.join(recovered)
        household.network.run(for: .seconds(10))
        #expect(household.privateGroup(of: 1) == target && household.privateGroup(of: recovered) == own)
    }

    /// What a friend may say that is not of the account.
    enum Lie: CaseIterable, Sendable {
        case naming, place, placeInGroupOfTwo
    }

    @Test(arguments: Lie.allCases) func `somebody of another account moves nobody, and is told nothing`(lie: Lie) throws
    {
        var party = try EngineParty.friends(2)
        let shared = party.group
        let own = try party.found(by: 1)
        _ = party.command(.keepSetting(name: MeshEngine.privateGroupSetting, value: own.bytes.array), to: 1)
        var group = try party.found(by: 0)
        while group > own { group = try party.found(by: 0) }
        party.group = shared
        party.corrupt(0) { engine in
            engine.settings[MeshEngine.privateGroupSetting] = group.bytes.array
        }
        let ledger = try #require(party.engines[0].groups[lie == .placeInGroupOfTwo ? shared : group])
        party.say(.friend(.privateGroupNamed(ledger.id, holdsRevoked: false, revocations: [])), from: 0, to: 1)
        if lie != .naming {
            let certificate = party.engines[1].identity.certificate.encoded()
            party.say(
                .friend(.deviceCertified(certificate: certificate, groups: [ledger.id])), from: 0, to: 1)
            let keys = ledger.accessKeys.map { $0.key.rawBytes() }
            party.say(.welcome(group: ledger.id, accessKeys: keys), from: 0, to: 1)
            let operations = ledger.ledger.allOperations.map(\.bytes)
            party.say(.operations(ledger.handle, operations, isFinal: true), from: 0, to: 1)
        }
        #expect(party.engines[1].privateGroup == own)
        #expect(party.engines[1].groupIDs == [shared, own].sorted())
        #expect(party.engines[1].state(of: own)?.devices.count == 1)
        for link in party.engines[0].sessions.keys.sorted() {
            #expect(party.engines[0].sessions[link]?.privateGroups.heard == nil)
        }
    }
}
