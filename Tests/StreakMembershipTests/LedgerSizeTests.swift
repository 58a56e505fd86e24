import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

/// The cost of one operation for others, whatever members sign. Work is counted, never timed.
struct LedgerSizeTests {
    let olga = Person(1), bob = Person(4), mallory = Person(6)

    /// Mallory's account opens branches without end: as many as allowed on each of its devices, and then more devices.
    private func spread(limit: Int, branches: Int) throws -> (ledger: Ledger, refused: Int) {
        var group = try TestGroup(founder: olga)
        group.ledger.rules.verified = VerifiedOperations()
        group.ledger.rules.maximumBranchesOfGroup = limit
        try group.admit(bob, mallory)
        let heads = group.ledger.heads
        var refused = 0
        var devices = [mallory.identity]
        var previous = group.last(of: mallory.device)
        for index in 0..<branches {
            // A thousand fake signatures: the test is about what a ledger stores of valid ones.
            let isDevice = index % 40 == 0
            let fresh = mallory.anotherDevice(UInt64(2_000 + index))
            let body: OperationBody =
                isDevice ? .addDevice(fresh.certificate) : .rename("Mine \(index)")
            let author = isDevice ? mallory.identity : devices[devices.count - 1]
            let operation = try group.signed(
                body, by: author, parents: Array(Set(heads + [previous?.id].compactMap(\.self))),
                after: nil)
            do {
                _ = try group.ledger.insert(operation)
                previous = operation
                if isDevice { devices.append(fresh) }
            } catch {
                #expect(error == .tooManyOperations(author.device))
                refused += 1
            }
        }
        return (group.ledger, refused)
    }

    @Test func `an operation stores at most one number for each branch, up to the limit`() throws {
        let limit = 60
        let (ledger, refused) = try spread(limit: limit, branches: 200)
        #expect(refused > 100)
        #expect(ledger.tips.count <= limit)
        let kept = ledger.nodes.map { $0.clock.count }
        #expect((kept.max() ?? 0) <= limit)
        #expect(kept.reduce(0, +) <= limit * ledger.count)
        // Two bytes a branch: at the protocol's limit as much as the longest operation.
        #expect(Ledger.maximumBranchesOfGroup * 2 <= ProtocolLimits.maximumOperationSize)
    }

    @Test func `a flood of branches keeps no member from writing, and loses nothing that others wrote`() throws {
        var (ledger, _) = try spread(limit: 60, branches: 200)
        #expect(ledger.tips.count == 60)
        // Bob has written nothing so far; Olga continues.
        for (person, title) in [(bob, nil), (olga, "Ours")] as [(Person, String?)] {
            let body: OperationBody =
                title.map { .rename($0) }
                ?? .invite(InviteSecrets(seed: Bytes16(7, 7)).terms(maximumUses: 0, expiresAt: TestGroup.now + 9))
            _ = try ledger.insert(ledger.draft(body, by: person.identity, at: TestGroup.now))
        }
        #expect(ledger.state.title == "Ours" && ledger.tips.contains { $0.device == bob.device })
        // A newcomer can write too. A second branch of theirs waits until somebody else depends on it.
        let carol = Person(8)
        let invite = try #require(ledger.state.invites.last { $0.author == bob.device })
        let secrets = InviteSecrets(seed: Bytes16(7, 7))
        let claim = JoinClaim(
            invite: invite.id, certificate: carol.identity.certificate,
            proof: JoinProof(
                inviteKey: secrets.inviteKey, group: ledger.group, identity: carol.identity,
                handshakeHash: TestGroup.handshake))
        let admission = try ledger.admission(of: claim, by: bob.identity, at: TestGroup.now)
        _ = try ledger.insert(admission)
        let before = ledger
        let first = try ledger.draft(.leave(Departure(erases: false, cuts: [])), by: carol.identity, at: TestGroup.now)
        _ = try ledger.insert(first)
        let other = try before.draft(
            .leave(Departure(erases: true, cuts: [])), by: carol.identity, at: TestGroup.now + 1)
        #expect(throws: LedgerError.tooManyOperations(carol.device)) { _ = try ledger.insert(other) }
        let rests = try SignedOperation(
            signing: LedgerOperation(
                group: ledger.group, author: bob.device, number: (ledger.chainEnd(of: bob.device)?.number ?? 0) + 1,
                previous: ledger.longestTip(of: bob.device) ?? .none,
                parents: [ledger.longestTip(of: bob.device) ?? .none, other.id], time: 0,
                body: .leave(Departure(erases: false, cuts: []))), with: bob.identity.signingKey)
        _ = try ledger.insert(rests)
        _ = try ledger.insert(other)
        #expect(ledger.contains(other.id) && ledger.contains(rests.id))
    }

    @Test func `who is known and no member begins no branch in a full ledger`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let stranger = Person(9)
        try group.introduce(stranger, by: bob)
        group.ledger.rules.maximumBranchesOfGroup = group.ledger.tips.count
        let word = try group.signed(
            .rename("Mine"), by: stranger.identity, parents: group.ledger.heads, after: nil)
        #expect(throws: LedgerError.tooManyOperations(stranger.device)) { _ = try group.ledger.insert(word) }
        group.ledger.rules.maximumBranchesOfGroup = nil
        _ = try group.ledger.insert(word)
    }

    @Test func `a ledger shown to a newcomer stays within its memory limit`() throws {
        let (whole, _) = try spread(limit: 4_096, branches: 240)
        #expect(whole.tips.count > 100)
        var shown = try Ledger(founding: whole.allOperations[0])
        shown.rules = whole.rules
        shown.rules.maximumClockSize = 2_000
        var refused = 0
        for operation in whole.allOperations.dropFirst() {
            do { _ = try shown.insert(operation, withinLimits: false) } catch { refused += 1 }
        }
        #expect(shown.nodes.reduce(0) { $0 + $1.clock.count } <= 2_000)
        #expect(refused > 0 && shown.count + refused + shown.pendingCount <= whole.count)
    }

    @Test func `strangers do not enter by publishing themselves`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        for seed in 0..<5 as Range<UInt64> {
            let stranger = Person(700 + seed)
            let operation = try group.signed(
                .addDevice(stranger.identity.certificate), by: stranger.identity, parents: group.ledger.heads,
                after: nil)
            #expect(throws: LedgerError.unknownAuthor(stranger.device)) { _ = try group.ledger.insert(operation) }
        }
    }
}
