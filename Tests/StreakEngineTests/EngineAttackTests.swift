import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// What removed members, thieves and newcomers with modified programs try, and that it achieves nothing.
struct EngineAttackTests {
    /// Three friends, of whom the last was removed after writing ten results. Its node still runs, in the hands of
    /// somebody who wants to come back.
    private func afterRemoval() throws -> (party: EngineNetwork, before: MeshEngine) {
        var party = try EngineNetwork.friends(3)
        party.write(puzzles: 1...10, by: 2)
        party.run(for: .seconds(3))
        let before = party.nodes[2].engine
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(2))
        return (party, before)
    }

    private func key(of party: EngineNetwork) throws -> AccessKey {
        try #require(party.nodes[2].engine.core.groups[party.group]?.accessKeys.last)
    }

    /// What the two remaining members show.
    private func shown(_ party: EngineNetwork) -> [Int] {
        (0...1).map { party.nodes[$0].engine.mergedRecords(of: party.group).count }
    }

    // MARK: Records of an ex-member

    /// When an ex-member claims to have written something: seconds after its removal.
    private static let dates: [Int64] = [-30_000_000, -86_400, -1, 1, 86_400]

    /// A result dated by its author's choice.
    private func record(of puzzle: Int, dated date: Int64) -> [UInt8] {
        let time = HybridTime(milliseconds: EngineNetwork.wall + 23_000 + date * 1_000, counter: 0)
        return RecordDraft.withdrawnScore(Forged.key(puzzle)).record(at: time).encoded
    }

    @Test(arguments: dates, [3, 30])
    func `an ex-member's results from after its cut are refused, whatever day they bear`(date: Int64, puzzle: Int)
        throws
    {
        var (party, before) = try afterRemoval()
        let digest = party.nodes[0].engine.digest(of: party.group)
        let run = continuation(of: before, in: party.group, [record(of: puzzle, dated: date)])
        for target in 0...1 { party.say(.rumour(party.handle, run), from: 2, to: target) }
        // And by an accomplice who is a member.
        party.say(.rumour(party.handle, run), from: 1, to: 0)
        #expect(party.refusals(0) == [.pastCut])
        #expect(party.nodes[0].engine.digest(of: party.group) == digest && shown(party) == [10, 10])
    }

    @Test(arguments: dates, [3, 30])
    func `an ex-member that re-issues a number below its cut is refused, whatever day it bears`(
        date: Int64, puzzle: Int
    ) throws {
        var (party, before) = try afterRemoval()
        let feed = try #require(before.core.groups[party.group]?.feeds.feeds.first)
        var other = FeedReplica(feed.id, in: party.group)
        let records = RecordList([record(of: puzzle, dated: date)])
        let run = other.write(records, key: before.identity.signingKey, arrival: 1).run
        party.say(.rumour(party.handle, run), from: 1, to: 0)
        #expect(party.refusals(0) == [.pastCut])
        #expect(party.nodes[0].engine.hasFork(in: party.group) == false && shown(party) == [10, 10])
    }

    @Test func `an ex-member's new epoch does not count`() throws {
        var (party, before) = try afterRemoval()
        let run = Forged.run(by: before.identity, in: party.group)
        party.say(.rumour(party.handle, run), from: 1, to: 0)
        #expect(party.refusals(0) == [.pastCut])
        #expect(shown(party) == [10, 10])
    }

    @Test func `what lies past a cut is neither merged nor served`() throws {
        var party = try EngineNetwork.friends(3)
        party.write(puzzles: 1...4, by: 2)
        party.run(for: .seconds(3))
        // One of the two remaining members hears more of it than the other, who removes it.
        party.partition([[0], [1, 2]])
        // So many that the other combines them in one run, which goes beyond the cut.
        party.write(puzzles: 5...80, by: 2)
        party.run(for: .seconds(1))
        #expect(party.nodes[1].engine.recordCount(of: party.group) == 80)
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.partition([[0, 1], [2]])
        party.run(for: .seconds(3_600)) {
            $0.nodes[0].engine.digest(of: $0.group) == $0.nodes[1].engine.digest(of: $0.group)
        }
        #expect(shown(party) == [4, 4])
        #expect(party.nodes[1].engine.recordCount(of: party.group) == 80, "kept, should the removal be annulled")
        let feed = try #require(party.nodes[1].engine.core.groups[party.group]?.feeds.feeds.first)
        #expect(feed.storedRuns.contains { $0.run.first <= 4 && $0.run.last > 4 })
        var comparisons = 9
        let served = party.nodes[1].engine.core.groups[party.group]?.runs(
            RunsWanted(feed: feed.id, held: []), maximumSize: 100_000, comparisons: &comparisons)
        #expect(served?.runs.map(\.last).max() == 4)
        // A newcomer gets the four, from either node.
        let entropy = SeededEntropy(seed: 4_242)
        var own = entropy
        let account = SigningSecretKey.generate(from: &own)
        party.add(DeviceIdentity.create(accountKey: account, from: &own), entropy: own)
        party.partition([[0], [1, 3], [2]])
        try party.join(3, by: party.invite(by: 1))
        party.run(for: .seconds(5))
        #expect(party.nodes[3].engine.recordCount(of: party.group) == 4)
        #expect(party.nodes[3].engine.digest(of: party.group) == party.nodes[1].engine.digest(of: party.group))
    }

    private func continuation(of engine: MeshEngine, in group: GroupID, _ records: [[UInt8]]) -> Run {
        guard var feed = engine.core.groups[group]?.feeds.feeds.first(where: { $0.id.device == engine.identity.device })
        else { preconditionFailure("it has written") }
        return feed.write(
            RecordList(records), key: engine.identity.signingKey, arrival: 99
        ).run
    }

    // MARK: Operations of an ex-member

    @Test func `an ex-member that replays old operations, or signs new ones under old parents, changes nothing`() throws
    {
        var (party, before) = try afterRemoval()
        let state = try party.state(0)
        let old = try #require(before.core.groups[party.group]?.ledger)
        party.say(.operations(party.handle, old.allOperations.map(\.bytes), isFinal: false), from: 2, to: 0)
        #expect(try party.state(0) == state)
        let invite = InviteSecrets(seed: Bytes16(1, 1)).terms(
            maximumUses: 0, expiresAt: EngineNetwork.wall / 1_000 + 3_600)
        let operation = try old.draft(.invite(invite), by: before.identity, at: EngineNetwork.wall / 1_000)
        let removal = Removal(user: party.user(0), cuts: [], accessKeyHash: Bytes32(1, 1, 1, 1))
        let counter = try old.draft(.remove(removal), unchecked: before.identity)
        for forged in [operation, counter] {
            party.say(.operations(party.handle, [forged.bytes], isFinal: false), from: 2, to: 0)
        }
        #expect(try party.state(0).members == state.members)
        #expect(try party.state(0).invites == state.invites)
        #expect(shown(party) == [10, 10])
    }

    @Test func `an ex-member cannot come back by an invite that it once used`() throws {
        var party = EngineNetwork(accounts: [0, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        try party.join(1, by: link)
        party.run(for: .seconds(2))
        #expect(party.command(.remove(party.group, party.user(1)), at: 0) == .done)
        party.run(for: .seconds(2))
        #expect(party.command(.join(link, timeout: .seconds(30)), at: 1) == .failed(.joinRefused(.removed)))
        #expect(try party.state(0).members.count == 1)
        // A new invite is a new decision.
        try party.join(1, by: party.invite(by: 0))
        #expect(party.nodes[1].engine.isMember(of: party.group) && party.lostGroups(1).count == 1)
    }

    @Test(arguments: [false, true])
    func `old keys open a link to an ex-member, which gets its removal, nothing else, and is closed`(
        overStream: Bool
    ) throws {
        var (party, before) = try afterRemoval()
        let key = try key(of: party)
        party.partition([[0, 1], [2]])
        #expect(party.command(.rename(party.group, title: "Without you"), at: 0) == .done)
        party.run(for: .seconds(400))
        var intruder = Intruder(before.identity, target: 0)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        let isOpen = intruder.dial(linkKey(key, of: party), peer: peer, overStream: overStream, in: &party)
        #expect(isOpen)
        intruder.greet([key], in: &party)
        let zero = StoreID(bytes: .zero)
        let hashes = try party.state(0).accessKeyHashes
        intruder.say(.digest(party.handle, GroupDigest(bytes: .zero), arrival: 1, count: 1, clock: 1), in: &party)
        intruder.say(.tipsRequested(party.handle, store: zero, arrival: 0), in: &party)
        intruder.say(.accessKeysRequested(party.handle, hashes), in: &party)
        intruder.say(.operationsRequested(party.handle, known: []), in: &party)
        let feeds = party.nodes[0].engine.core.groups[party.group]?.countingTips(changedSince: 0) ?? []
        intruder.say(
            .runsRequested(party.handle, feeds.map { RunsWanted(feed: $0.feed, held: []) }), in: &party)
        #expect(intruder.heardSecrets.isEmpty, "\(intruder.heardSecrets)")
        guard case .removed(let removal)? = try party.state(0).device(before.identity.device)?.standing else {
            Issue.record("not removed")
            return
        }
        let ancestry = Set(party.nodes[0].engine.core.groups[party.group]?.ledger.ancestry(of: removal).map(\.id) ?? [])
        #expect(Set(intruder.heardOperations.map(\.id)) == ancestry)
        party.run(for: .seconds(61))
        intruder.exchange(with: &party)
        #expect(intruder.isClosed)
    }

    @Test func `an ex-member who calls out under its old key is neither answered nor dialled`() throws {
        var (party, before) = try afterRemoval()
        let key = try key(of: party)
        party.partition([[0, 1], [2]])
        party.run(for: .seconds(400))
        let content = Beacon.Content(
            kind: .query, port: Intruder.endpoint.port, linkKey: before.identity.linkKey.publicKey)
        let wall = WallTime(milliseconds: EngineNetwork.wall + party.now.nanoseconds / 1_000_000)
        var entropy = SeededEntropy(seed: 5)
        let hour = Beacon.hourKey(key.beaconKey, hour: Beacon.hour(of: wall))
        let heard = party.call(Beacon.make([(hour, content)], entropy: &entropy), from: Intruder.endpoint)
        #expect(heard.answers.isEmpty && heard.dials.isEmpty)
        // Except to a member who knows no newer key.
        let member = Beacon.Content(
            kind: .query, port: Intruder.endpoint.port, linkKey: party.nodes[1].engine.identity.linkKey.publicKey)
        let second = party.call(Beacon.make([(hour, member)], entropy: &entropy), from: Intruder.endpoint)
        #expect(!second.answers.isEmpty || !second.dials.isEmpty)
    }

    private func linkKey(_ key: AccessKey, of party: EngineNetwork) -> LinkKey {
        LinkKey(
            presharedKey: key.linkPresharedKey, tagKey: key.tagKey, label: .access(party.group, index: 0))
    }

    // MARK: Thieves and newcomers

    @Test func `a revoked laptop that goes on certifying devices gets none of them in`() throws {
        var party = EngineNetwork(accounts: [0, 1, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        for index in 1...2 { try party.join(index, by: link) }
        party.run(for: .seconds(2))
        let thief = party.nodes[2].engine
        #expect(party.command(.revokeDevice(party.device(2), accountKey: party.nodes[1].account), at: 1) == .done)
        party.run(for: .seconds(2))
        let state = try party.state(0)
        let certified = try (0..<2).map { _ in
            let signing = SigningSecretKey.generate(from: &party.entropy)
            let linkKey = AgreementSecretKey.generate(from: &party.entropy)
            let certificate = try #require(
                thief.identity.certificate(
                    for: DeviceConsent(
                        user: thief.identity.user, signingKey: signing, linkKey: linkKey.publicKey)))
            return try #require(
                DeviceIdentity(certificate: certificate, signingKey: signing, linkKey: linkKey))
        }
        let ledger = try #require(thief.core.groups[party.group]?.ledger)
        let operation = try ledger.draft(.addDevice(certified[0].certificate), by: thief.identity, at: 0)
        party.say(.operations(party.handle, [operation.bytes], isFinal: false), from: 2, to: 0)
        #expect(try party.state(0).members == state.members)
        #expect(try party.state(0).isCurrentMember(device: certified[0].device) == false)
        // Nor can it by an invite, known or not.
        for (index, device) in certified.enumerated() {
            party.add(device, entropy: SeededEntropy(seed: 8 + UInt64(index)))
            #expect(
                party.command(.join(link, timeout: .seconds(30)), at: 3 + index) == .failed(.joinRefused(.other)))
            #expect(party.nodes[3 + index].engine.state(of: party.group) == nil)
        }
    }

    @Test func `a proof of joining that was copied serves no other key and no other handshake`() throws {
        var party = EngineNetwork(accounts: [0, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        let key = EngineCore.linkKey(
            of: link.secrets.presharedKey, label: .invite(link.group, OperationID(bytes: .zero)))
        var own = SeededEntropy(seed: 31)
        let account = SigningSecretKey.generate(from: &own)
        let newcomer = DeviceIdentity.create(accountKey: account, from: &own)
        // The proof is of another handshake.
        var replayer = Intruder(newcomer, target: 0)
        #expect(replayer.dial(key, peer: nil, in: &party))
        replayer.join(by: link, as: newcomer, handshake: [UInt8](repeating: 3, count: 32), in: &party)
        #expect(replayer.heard.contains(.joinRefused(.invalidProof)))
        // The certificate is of another device than the one at the other end.
        var copier = Intruder(Forged.stranger, target: 0, seed: 668)
        #expect(copier.dial(key, peer: nil, in: &party))
        copier.join(by: link, as: newcomer, in: &party)
        #expect(copier.heard.contains(.joinRefused(.invalidProof)))
        #expect(try party.state(0).members.count == 1)
        // Both right: it is admitted.
        var honest = Intruder(newcomer, target: 0, seed: 669)
        #expect(honest.dial(key, peer: nil, in: &party))
        honest.join(by: link, as: newcomer, in: &party)
        #expect(try party.state(0).members.count == 2)
    }

    @Test func `a stranger with an old key who floods operations is cut off after a thousand`() throws {
        var (party, before) = try afterRemoval()
        let group = party.group
        var ledger = try #require(before.core.groups[group]?.ledger)
        let count = party.nodes[0].engine.core.groups[group]?.ledger.count ?? 0
        var flood: [[UInt8]] = []
        for number in 0..<200 {
            let operation = try ledger.draft(.rename("x\(number)"), unchecked: before.identity)
            _ = try ledger.insert(operation)
            flood.append(operation.bytes)
        }
        let garbage = (0..<2_000).map { number in [UInt8](repeating: UInt8(number % 251), count: 300) }
        for start in stride(from: 0, to: flood.count, by: 100) {
            let batch = Array(flood[start..<start + 100])
            party.say(.operations(party.handle, batch, isFinal: false), from: 2, to: 0)
        }
        #expect(party.nodes[0].engine.core.groups[group]?.ledger.count == count + 200, "kept, and void")
        #expect(try party.state(0).title == "Friends")
        for start in stride(from: 0, to: garbage.count, by: 100) {
            let batch = Array(garbage[start..<start + 100])
            party.say(.operations(party.handle, batch, isFinal: false), from: 2, to: 0)
        }
        let most = ChargedWork.strangeOperations.burst
        // One more every 50 ms, for some five seconds.
        #expect((most...most + 110).contains(party.refusedOperationCount(0) + 200))
        #expect(party.refusedWork(0) == [.strangeOperations])
        #expect(!party.isLinked(0, 2))
        #expect(try party.state(0).members.count == 2)
    }

    @Test func `keys that the ledger does not name are not kept`() throws {
        var party = try EngineNetwork.friends(2)
        let forged = AccessKey.generate(from: &party.entropy)
        party.say(.accessKeys(party.handle, [forged.key.rawBytes()]), from: 1, to: 0)
        #expect(party.nodes[0].engine.core.groups[party.group]?.accessKeys.count == 1)
    }

    @Test(arguments: [false, true])
    func `a newcomer that is shown a stale ledger takes nothing of it`(isStale: Bool) throws {
        var party = EngineNetwork(accounts: [0, 1, 2])
        party.group = try party.found(by: 0)
        try party.join(1, by: party.invite(by: 0))
        party.run(for: .seconds(2))
        let old = try #require(party.nodes[1].engine.core.groups[party.group])
        let link = try party.invite(by: 0)
        party.run(for: .seconds(2))
        let whole = try #require(party.nodes[1].engine.core.groups[party.group])
        let shown = isStale ? old : whole
        // Anybody with the invite's secrets can answer and show any ledger: here one from before the invite.
        party.begin(.join(link, timeout: .seconds(10)), at: 2)
        party.run(for: .seconds(5)) { party in
            party.nodes[2].engine.admission.joins.values.contains { if case .asked = $0.stage { true } else { false } }
        }
        party.partition([[0], [1], [2]])
        let group = party.group
        party.corrupt(2) { engine in
            guard let over = engine.admission.joins.values.first?.stage.link else { return }
            engine.admission.receivedWelcome(
                group, accessKeys: shown.accessKeys.map { $0.key.rawBytes() }, over: over, core: &engine.core)
            let bytes = shown.ledger.allOperations.map(\.bytes)
            _ = engine.admission.receivedOperationsWhileJoining(
                bytes, isFinal: true, handle: GroupHandle(group), over: over, core: &engine.core)
        }
        party.run(for: .seconds(20))
        #expect(party.lastOutcome == .failed(.ledgerRejected))
        #expect(party.nodes[2].engine.groupIDs.isEmpty)
    }

    @Test func `a device that equivocates keeps both branches, everybody the same, and counts once`() throws {
        var party = try EngineNetwork.friends(3)
        let ledger = try #require(party.nodes[2].engine.core.groups[party.group]?.ledger)
        let forks = try ["a", "b"].map { name in
            let seed = name == "a" ? Bytes16(1, 2) : Bytes16(3, 4)
            let terms = InviteSecrets(seed: seed).terms(
                maximumUses: 1, expiresAt: EngineNetwork.wall / 1_000 + 3_600)
            return try ledger.draft(
                .invite(terms), by: party.nodes[2].engine.identity, at: EngineNetwork.wall / 1_000)
        }
        party.say(.operations(party.handle, [forks[0].bytes], isFinal: false), from: 2, to: 0)
        party.say(.operations(party.handle, [forks[1].bytes], isFinal: false), from: 2, to: 1)
        party.run(for: .seconds(10))
        #expect(party.digests().count == 1)
        #expect(try party.state(0) == party.state(1))
        #expect(try party.state(0).invites.count == 3)
        let tips = party.nodes[0].engine.core.groups[party.group]?.ledger.tips.filter { $0.device == party.device(2) }
        #expect(tips?.count == 2)
    }
}

extension Ledger {
    /// An operation that only a modified program signs: it does not check whether it would count.
    func draft(_ body: OperationBody, unchecked identity: DeviceIdentity) throws -> SignedOperation {
        let end = tips.last { $0.device == identity.device }
        var parents = heads
        if let end, !parents.contains(end.operation) { parents.append(end.operation) }
        let operation = LedgerOperation(
            group: group, author: identity.device, number: (end?.number ?? 0) + 1,
            previous: end?.operation ?? OperationID(bytes: .zero), parents: parents.sorted(), time: 0, body: body)
        return try SignedOperation(signing: operation, with: identity.signingKey)
    }
}
