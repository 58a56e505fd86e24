import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Every machine of an account is in all its groups: what one enters, it hands to the others (Protocol/friends.md §8).
struct OwnGroupsTests {
    /// Seconds of the network within which machines that reach each other agree.
    private static let patience: Duration = .seconds(5)

    private func isIn(_ node: Int, _ group: GroupID, _ household: Household) -> Bool {
        household.network.nodes[node].engine.isMember(of: group)
    }

    @Test func `a group that one machine founds or joins is on the other at once, and its friends agree`() throws {
        var household = try Household(seed: 31)
        let second = try household.linkMachine(to: 1)
        let founded = try household.network.joinGroup(1, [0], title: "Founded")
        let joined = try household.network.joinGroup(0, [second], title: "Joined")
        household.network.run(for: Self.patience)
        for group in [founded, joined] {
            for node in [0, 1, second] {
                #expect(isIn(node, group, household))
                #expect(
                    household.network.nodes[node].engine.digest(of: group)
                        == household.network.nodes[0].engine.digest(of: group))
            }
        }
        #expect(household.network.nodes[second].friendEvents == [.brought(founded)])
        #expect(household.network.nodes[1].friendEvents == [.brought(joined)])
        // What the machine was brought is on its disk.
        household.network.restart(second)
        #expect(isIn(second, founded, household))
        // And it is a member like others: what it writes comes to the friend.
        let draft = RecordDraft.value(Profile(name: "Ann"))
        #expect(household.network.command(.write([(group: founded, drafts: [draft])]), at: second) == .done)
        household.network.run(for: .seconds(120))
        let names = household.network.nodes[0].engine.mergedRecords(of: founded).map {
            try? Profile(value: $0.value).name
        }
        #expect(names.contains("Ann"))
    }

    @Test func `a group that is founded while the machines are linked is one at once, also before anybody joins`()
        throws
    {
        var household = try Household(seed: 30)
        let second = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        let group = try #require(household.network.command(.foundGroup(title: "Alone"), at: 1).flatMap(\.group))
        household.network.run(for: .seconds(1))
        let profile = RecordDraft.value(Profile(name: "Ann"))
        #expect(household.network.command(.write([(group: group, drafts: [profile])]), at: 1) == .done)
        household.network.run(for: .seconds(1))
        #expect(household.network.nodes[second].engine.mergedRecords(of: group).count == 1)
        #expect(
            household.network.nodes[1].engine.digest(of: group)
                == household.network.nodes[second].engine.digest(of: group))
    }

    @Test func `machines that were apart bring each other what each has entered meanwhile`() throws {
        var household = try Household(seed: 32)
        let second = try household.linkMachine(to: 1)
        household.network.isCut = { Set([$0, $1]) == [1, second] }
        let first = try household.network.joinGroup(1, [0], title: "First")
        // The friend, whom both reach, is in both groups, and says nothing of either.
        let other = try household.network.joinGroup(second, [0], title: "Second")
        household.network.run(for: .seconds(60))
        #expect(!isIn(second, first, household) && !isIn(1, other, household))
        household.network.isCut = { _, _ in false }
        household.network.restart(second)
        household.network.run(for: Self.patience)
        for node in [1, second] { for group in [first, other] { #expect(isIn(node, group, household)) } }
        #expect(
            household.network.nodes[0].engine.state(of: first)?.devices.filter(\.isCurrent).count == 3)
    }

    @Test func `a machine made with the recovery key gets the groups of one that is still there`() throws {
        var household = try Household(seed: 33)
        let recovered = try household.recover()
        household.network.run(for: .seconds(60))
        #expect(isIn(recovered, household.club, household))
        #expect(household.isOne([1, recovered]))
    }

    @Test func `a new machine gets forty groups at once`() throws {
        var household = try Household(seed: 34)
        let groups = try (0..<40).map { number in
            try #require(
                household.network.command(.foundGroup(title: "Group \(number)"), at: 1).flatMap(\.group))
        }
        let second = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        for group in groups { #expect(isIn(second, group, household)) }
    }

    @Test(arguments: 1...5) func `a kill at any step changes nothing about the end`(step: Int) throws {
        for victim in [1, 2] {
            var household = try Household(seed: 34)
            try #require(household.linkMachine(to: 1) == 3)
            household.network.nodes[2].isOn = false
            household.network.nodes[3].isOn = false
            let group = try household.network.joinGroup(1, [0], title: "Later")
            household.network.restart(3)
            let node = victim == 2 ? 3 : victim
            let writes = household.network.nodes[node].writes
            household.network.run(for: Self.patience) { $0.nodes[node].writes >= writes + step }
            household.network.restart(node)
            household.network.run(for: .seconds(120))
            #expect(isIn(3, group, household))
            #expect(
                household.network.nodes[3].engine.digest(of: group)
                    == household.network.nodes[0].engine.digest(of: group))
        }
    }

    @Test func `a group that the user has left on one machine is not brought back by another that was away`() throws {
        var household = try Household(seed: 35)
        let second = try household.linkMachine(to: 1)
        household.network.nodes[second].isOn = false
        #expect(household.network.command(.leave(household.club, erasing: false), at: 1) == .done)
        household.network.run(for: .seconds(5))
        // The machine comes back where the friend does not reach it.
        household.network.isCut = { Set([$0, $1]) == [0, second] }
        household.network.restart(second)
        household.network.run(for: .seconds(60))
        #expect(!isIn(1, household.club, household))
        household.network.isCut = { _, _ in false }
        household.network.run(for: .seconds(400))
        for node in [1, second] { #expect(!isIn(node, household.club, household)) }
    }

    @Test func `a revoked machine is brought nothing, and brings nothing`() throws {
        var household = try Household(seed: 36)
        let stolen = try household.linkMachine(to: 1)
        household.network.isCut = { $0 == stolen || $1 == stolen }
        let (account, device) = (household.network.nodes[1].account, household.network.nodes[stolen].identity.device)
        #expect(household.network.command(.revokeDevice(device, accountKey: account), at: 1) == .done)
        let later = try household.network.joinGroup(1, [0], title: "Later")
        let trap = try #require(household.network.command(.foundGroup(title: "Trap"), at: stolen).flatMap(\.group))
        household.network.isCut = { _, _ in false }
        household.network.run(for: .seconds(120))
        #expect(!isIn(stolen, later, household) && !isIn(1, trap, household))
        #expect(household.network.nodes[1].engine.state(of: later)?.device(device) == nil)
        // By hand, over the link that its old keys still open: it says that it is in the group.
        let replica = try #require(household.network.nodes[stolen].engine.core.groups[trap])
        household.network.say(
            [
                .welcome(group: trap, accessKeys: replica.accessKeys.map { $0.key.rawBytes() }),
                .operations(replica.handle, replica.ledger.allOperations.map(\.bytes), isFinal: true),
            ], from: stolen, to: 1)
        #expect(household.network.nodes[1].engine.state(of: trap) == nil)
    }

    @Test func `nobody but the account's own machines brings it anywhere`() throws {
        var household = try Household(seed: 37)
        let second = try household.linkMachine(to: 1)
        // The machine's group, in which both machines are; a friend got hold of it.
        household.network.nodes[second].isOn = false
        let group = try household.network.joinGroup(1, [0], title: "Later")
        let messages: [LinkMessage] = try {
            let replica = try #require(household.network.nodes[0].engine.core.groups[group])
            return [
                .welcome(group: group, accessKeys: replica.accessKeys.map { $0.key.rawBytes() }),
                .operations(replica.handle, replica.ledger.allOperations.map(\.bytes), isFinal: true),
            ]
        }()
        household.network.nodes[1].isOn = false
        household.network.restart(second)
        household.network.run(for: .seconds(60))
        #expect(household.network.isLinked(0, second))
        household.network.say(messages, from: 0, to: second)
        #expect(!isIn(second, group, household))
        // From its own machine the same would have been taken.
        household.network.restart(1)
        household.network.run(for: .seconds(60))
        #expect(isIn(second, group, household))
    }

    @Test(arguments: Wrong.allCases) func `what a machine hands over is checked as a whole`(wrong: Wrong) throws {
        var household = try Household(seed: 38)
        let second = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        let (own, target) = (household.network.nodes[1].identity, household.network.nodes[second].identity)
        var entropy = SeededEntropy(seed: 5)
        let key = AccessKey.generate(from: &entropy)
        let founding = try Ledger.found(title: "Made up", identity: own, accessKey: key, at: 1, entropy: &entropy)
        var ledger = try Ledger(founding: founding)
        if wrong != .thisMachineMissing {
            let linkKey = AgreementSecretKey.generate(from: &entropy).publicKey
            let consent = DeviceConsent(user: target.user, signingKey: target.signingKey, linkKey: linkKey)
            let other = DeviceCertificate(accountKey: household.network.nodes[1].account, device: consent)
            let certificate = wrong == .otherLinkKey ? other : target.certificate
            _ = try ledger.insert(ledger.draft(.addDevice(certificate), by: own, at: 2))
        }
        var operations = ledger.allOperations.map(\.bytes)
        if wrong == .noFounding { operations.removeFirst() }
        let sentKey = wrong == .otherKey ? AccessKey.generate(from: &entropy) : key
        household.network.say(
            [
                .welcome(group: ledger.group, accessKeys: [sentKey.key.rawBytes()]),
                .operations(GroupHandle(ledger.group), operations, isFinal: true),
            ], from: 1, to: second)
        #expect(isIn(second, ledger.group, household) == (wrong == .nothing))
        #expect(household.network.nodes[second].engine.core.groups.count == (wrong == .nothing ? 3 : 2))
    }

    enum Wrong: CaseIterable { case nothing, thisMachineMissing, otherLinkKey, otherKey, noFounding }

    @Test func `a machine that has a group already is not sent it again`() throws {
        var household = try Household(seed: 39)
        let second = try household.linkMachine(to: 1)
        _ = try household.network.joinGroup(1, [0], title: "Later")
        household.network.run(for: Self.patience)
        for node in [second, 1, second] {
            household.network.restart(node)
            household.network.run(for: .seconds(30))
            for own in [1, second] {
                let sessions = household.network.nodes[own].engine.core.sessions
                #expect(sessions.keys.allSatisfy { sessions[$0]?.offeredGroups.isEmpty ?? true })
            }
        }
    }

    // MARK: Limits

    /// A machine of the account, linked and at rest, and what a group of it with both machines looks like on the way.
    private func household(seed: UInt64) throws -> (household: Household, second: Int) {
        var household = try Household(seed: seed)
        let second = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        return (household, second)
    }

    private func handOver(
        _ title: String, adding extra: Int = 0, in household: Household, to second: Int, entropy: inout SeededEntropy
    ) throws -> (welcome: LinkMessage, group: GroupID, operations: [[UInt8]]) {
        let (own, target) = (household.network.nodes[1].identity, household.network.nodes[second].identity)
        let key = AccessKey.generate(from: &entropy)
        let founding = try Ledger.found(title: title, identity: own, accessKey: key, at: 1, entropy: &entropy)
        var ledger = try Ledger(founding: founding)
        let introduction = try ledger.draft(.addDevice(target.certificate), by: own, at: 2)
        _ = try ledger.insert(introduction)
        var operations = [founding, introduction]
        // Branches of fewer than a thousand operations each, as long as an operation may be.
        while operations.count < extra {
            var last = introduction
            for number in 0..<min(900, extra - operations.count) {
                let operation = LedgerOperation(
                    group: ledger.group, author: own.device, number: UInt64(3 + number), previous: last.id,
                    parents: [last.id], time: 3, body: .rename("\(operations.count)"),
                    tail: [UInt8](repeating: 1, count: ProtocolLimits.maximumTailSize))
                last = try SignedOperation(signing: operation, with: own.signingKey)
                operations.append(last)
            }
        }
        let welcome = LinkMessage.welcome(group: ledger.group, accessKeys: [key.key.rawBytes()])
        return (welcome, ledger.group, operations.map(\.bytes))
    }

    @Test func `sixty groups come in turns, also where the link breaks again and again`() throws {
        var (household, second) = try household(seed: 40)
        household.network.nodes[second].isOn = false
        let groups = try (0..<60).map { number in
            try #require(household.network.command(.foundGroup(title: "Group \(number)"), at: 1).flatMap(\.group))
        }
        for round in 1...3 {
            household.network.restart(second)
            household.network.run(for: .seconds(10)) { brought($0, groups, second) >= 4 * round }
        }
        household.network.run(for: Self.patience)
        #expect(
            brought(household.network, groups, second) >= 16,
            "none of what may be handed over at once is lost but what was under way")
        household.network.run(for: .seconds(5 * 60))
        #expect(brought(household.network, groups, second) == 60)
    }

    private func brought(_ network: EngineNetwork, _ groups: [GroupID], _ second: Int) -> Int {
        groups.count { network.nodes[second].engine.isMember(of: $0) }
    }

    @Test func `what a machine has refused because it had too many at once comes later on the same link`() throws {
        var (household, second) = try household(seed: 45)
        household.network.nodes[second].isOn = false
        let groups = try (0..<20).map { number in
            try #require(household.network.command(.foundGroup(title: "Group \(number)"), at: 1).flatMap(\.group))
        }
        let device = household.network.nodes[1].identity.device
        household.network.restart(second)
        household.network.corrupt(second) { engine in
            // As after many restarts of the other machine, which forgets what it has handed over.
            for _ in 0..<64 { _ = engine.core.charge(.receivedGroups, to: .device(device)) }
        }
        household.network.run(for: Self.patience)
        let few = brought(household.network, groups, second)
        #expect(few < 5)
        let sessions = household.network.nodes[1].engine.core.sessions
        #expect(sessions.keys.allSatisfy { (sessions[$0]?.offeredGroups.count ?? 0) <= 8 + few }, "eight are under way")
        household.network.run(for: .seconds(400))
        #expect(brought(household.network, groups, second) == 20)
    }

    @Test func `a machine that floods another with groups brings it few, and keeps away none of a third one`() throws {
        var (household, second) = try household(seed: 41)
        let third = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        household.network.nodes[third].isOn = false
        let groups = household.network.nodes[second].engine.core.groups.count
        var entropy = SeededEntropy(seed: 6)
        // Welcomes that no ledger follows, and then ledgers.
        household.network.say(
            try (0..<40).map { try handOver("\($0)", in: household, to: second, entropy: &entropy).welcome },
            from: 1, to: second)
        let engine = household.network.nodes[second].engine
        #expect(engine.admission.offeredLedgers.values.map(\.count) == [8])
        household.network.run(for: .seconds(70))
        for number in 0..<75 {
            let made = try handOver("Made \(number)", in: household, to: second, entropy: &entropy)
            household.network.say(
                [made.welcome, .operations(GroupHandle(made.group), made.operations, isFinal: true)], from: 1,
                to: second)
        }
        let taken = household.network.nodes[second].engine.core.groups.count - groups
        #expect((50..<75).contains(taken))
        #expect(household.network.nodes[second].events.contains(.overBudget(.receivedGroups)))
        household.network.nodes[1].isOn = false
        household.network.restart(third)
        let honest = try #require(household.network.command(.foundGroup(title: "Honest"), at: third).flatMap(\.group))
        household.network.run(for: .seconds(10))
        #expect(isIn(second, honest, household))
    }

    @Test func `a ledger that is larger than any group's may be is not taken`() throws {
        var (household, second) = try household(seed: 42)
        var entropy = SeededEntropy(seed: 7)
        let link = try #require(
            household.network.nodes[second].engine.core.sessions.keys.first { link in
                household.network.nodes[second].engine.core.sessions[link]?.key
                    == household.network.nodes[1].identity.linkKey.publicKey
            })
        for (extra, isTaken) in [(300, true), (6_000, false)] {
            let made = try handOver("\(extra)", adding: extra, in: household, to: second, entropy: &entropy)
            guard case .welcome(let group, let keys) = made.welcome else { continue }
            household.network.corrupt(second) { engine in
                engine.admission.receivedOffer(of: group, accessKeys: keys, over: link, core: &engine.core)
                for start in stride(from: 0, to: made.operations.count, by: 500) {
                    let part = Array(made.operations[start..<min(start + 500, made.operations.count)])
                    _ = engine.admission.receivedOfferedOperations(
                        part, isFinal: start + 500 >= made.operations.count, handle: GroupHandle(group), over: link,
                        core: &engine.core)
                }
            }
            #expect(isIn(second, group, household) == isTaken)
            #expect(household.network.nodes[second].engine.admission.offeredLedgers.values.allSatisfy { $0.isEmpty })
        }
    }

    @Test(arguments: [true, false]) func `all ledgers together have a limit, those that stay included`(
        isFull: Bool
    ) throws {
        var (household, second) = try household(seed: 43)
        var entropy = SeededEntropy(seed: 8)
        // What came by a machine that was shut out since does not count.
        let stolen = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        let junk = try #require(household.network.command(.foundGroup(title: "Junk"), at: stolen).flatMap(\.group))
        household.network.run(for: .seconds(5))
        try #require(isIn(second, junk, household))
        let (account, device) = (household.network.nodes[1].account, household.network.nodes[stolen].identity.device)
        #expect(household.network.command(.revokeDevice(device, accountKey: account), at: 1) == .done)
        household.network.nodes[stolen].isOn = false
        household.network.run(for: .seconds(5))
        let made = try handOver("More", in: household, to: second, entropy: &entropy)
        let replicas = household.network.nodes[second].engine.core.groups
        let held = replicas.keys.filter { $0 != junk }.reduce(0) { $0 + (replicas[$1]?.ledger.weight ?? 0) }
        let ledger = try #require(replicas[household.club]?.ledger)
        household.network.corrupt(second) { engine in
            engine.admission.returns[made.group] = HeldReturn(
                ledger: ledger, accessKeys: [], friend: engine.identity.user, offeredAt: 0,
                size: LedgerIntake.maximumSize - held - (isFull ? 0 : made.operations.reduce(0) { $0 + $1.count }))
        }
        household.network.say(
            [made.welcome, .operations(GroupHandle(made.group), made.operations, isFinal: true)], from: 1, to: second)
        #expect(isIn(second, made.group, household) == !isFull)
    }

    @Test func `what one revocation of a machine keeps is kept, whatever another that did not know of it says`() throws
    {
        var household = try Household(seed: 46)
        let second = try household.recover()
        household.network.run(for: .seconds(60))
        let stolen = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        // Only the second machine knows whom the stolen one has certified before it was stolen.
        household.network.isCut = { $0 == 1 || $1 == 1 }
        let before = try #require(household.network.command(.foundGroup(title: "Before"), at: 1).flatMap(\.group))
        let honest = try household.linkMachine(to: stolen)
        let kept = household.network.nodes[honest].identity.certificate
        household.network.run(for: .seconds(10))
        household.network.nodes[stolen].isOn = false
        let (account, device) = (household.network.nodes[1].account, household.network.nodes[stolen].identity.device)
        for node in [1, second] {
            #expect(household.network.command(.revokeDevice(device, accountKey: account), at: node) == .done)
        }
        // Until it hears of the other revocation, the first machine does without the honest one, and no more than that.
        let first = household.network.nodes[1].engine
        #expect(first.isShutOut(device) && first.isGivenUp(kept) && !first.isShutOut(kept.device))
        household.network.isCut = { _, _ in false }
        household.network.run(for: .seconds(120))
        for node in [1, second, honest] {
            let engine = household.network.nodes[node].engine
            #expect(!engine.isGivenUp(kept) && !engine.isShutOut(kept.device))
            #expect(engine.privateGroup.flatMap(engine.state)?.isCurrentMember(device: kept.device) ?? false)
        }
        let after = try #require(household.network.command(.foundGroup(title: "After"), at: 1).flatMap(\.group))
        household.network.run(for: .seconds(30))
        for group in [before, after, household.club] { #expect(isIn(honest, group, household)) }
        #expect(household.network.nodes[1].engine.state(of: after)?.isCurrentMember(device: device) == false)
    }

    @Test func `joining ends at once where a machine that was shut out lets this one in`() throws {
        var household = try Household(seed: 47)
        let stolen = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        let (account, device) = (household.network.nodes[1].account, household.network.nodes[stolen].identity.device)
        household.network.isCut = { $0 == 1 || $1 == 1 }
        #expect(household.network.command(.revokeDevice(device, accountKey: account), at: 1) == .done)
        let later = try household.network.joinGroup(0, [stolen], title: "Later")
        guard case .invite(_, let text)? = household.network.command(.invite(later, uses: 0, lifetime: 3_600), at: 0)
        else { throw EngineNetwork.SetUpFailure() }
        household.network.run(for: .seconds(5))
        household.network.isCut = { Set([$0, $1]) == [0, 1] }
        let start = household.network.now
        #expect(
            household.network.command(.join(try InviteLink(parsing: text), timeout: .seconds(60)), at: 1)
                == .group(later))
        #expect(household.network.now < start.advanced(by: .seconds(10)))
    }

    @Test func `a machine that was shut out is given nothing by the others, where it still is in a group, either`()
        throws
    {
        var (household, second) = try household(seed: 44)
        let stolen = try household.linkMachine(to: 1)
        household.network.run(for: .seconds(30))
        let (account, device) = (household.network.nodes[1].account, household.network.nodes[stolen].identity.device)
        // The machine joins a friend's group, and invites; that comes to the second machine, and not to the first.
        household.network.isCut = { $0 == 1 || $1 == 1 }
        let later = try household.network.joinGroup(0, [stolen], title: "Later")
        guard
            case .invite(_, let text)? = household.network.command(.invite(later, uses: 0, lifetime: 3_600), at: stolen)
        else { throw EngineNetwork.SetUpFailure() }
        household.network.run(for: .seconds(10))
        try #require(isIn(second, later, household))
        #expect(household.network.command(.revokeDevice(device, accountKey: account), at: 1) == .done)
        // The machine certifies another one, after that.
        let made = household.network.nodes[try household.linkMachine(to: stolen)].identity
        household.network.run(for: .seconds(10))
        #expect(household.network.nodes[0].engine.state(of: later)?.isCurrentMember(device: made.device) ?? false)
        // The friend hears nothing of it, and so keeps the machine up to date.
        household.network.isCut = { Set([$0, $1]) == [0, 1] || Set([$0, $1]) == [1, stolen] }
        household.network.run(for: .seconds(120))
        try #require(isIn(1, later, household))
        for node in [1, second] {
            let engine = household.network.nodes[node].engine
            #expect(engine.state(of: later)?.isCurrentMember(device: device) ?? false)
            #expect(engine.isGivenUp(household.network.nodes[stolen].identity.certificate))
            for link in engine.core.sessions.keys
            where engine.core.sessions[link]?.key == household.network.nodes[stolen].identity.linkKey.publicKey {
                #expect(engine.core.access(of: link, in: later) == [.proofs])
            }
        }
        // Nobody comes in by its invite where only the account's own machines answer.
        let stranger = try household.network.add(999)
        let stolenInvite = try InviteLink(parsing: text)
        household.network.isCut = { Set([$0, $1]) != [second, stranger] }
        #expect(
            household.network.command(.join(stolenInvite, timeout: .seconds(20)), at: stranger)
                == .failed(.joinRefused(.revoked)))
        // A second word of the account ends it there, too.
        household.network.isCut = { _, _ in false }
        #expect(household.network.command(.revokeDevice(device, accountKey: account), at: 1) == .done)
        household.network.run(for: .seconds(10))
        for node in [0, 1, second] {
            let state = household.network.nodes[node].engine.state(of: later)
            for lost in [device, made.device] { #expect(state?.isCurrentMember(device: lost) == false) }
        }
        #expect(!isIn(stolen, later, household))
    }
}
