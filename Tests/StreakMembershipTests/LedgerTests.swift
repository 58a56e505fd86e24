import StreakCrypto
import StreakMembership
import StreakWire
import Testing

struct LedgerTests {
    let olga = Person(1), bob = Person(4)

    @Test func `what arrives early waits, and arrives with what it waited for`() throws {
        var group = try TestGroup(founder: olga)
        var other = group.ledger
        try group.admit(bob)
        let invite = try group.invite(by: bob)
        let all = group.ledger.allOperations
        let last = try #require(group.ledger.operation(invite.id))
        #expect(try other.insert(last) == .pending(missing: [all[2].id]))
        #expect(try other.insert(last) == .duplicate)
        #expect(try other.insert(all[2]) == .pending(missing: [all[1].id]))
        #expect(other.pendingCount == 2)
        #expect(try other.insert(all[1]) == .added([all[1], all[2], last]))
        #expect(try other.insert(all[1]) == .duplicate)
        #expect(other.pendingCount == 0)
        #expect(other.state == group.ledger.state)
    }

    @Test func `a limited number of operations may wait`() throws {
        let group = try TestGroup(founder: olga)
        var ledger = group.ledger
        for number in 0..<UInt64(Ledger.maximumPending) {
            let orphan = try group.signed(
                .rename("x"), by: olga.identity, parents: [OperationID(bytes: Bytes32(9, 9, 9, number))],
                after: group.last(of: olga.device))
            _ = try ledger.insert(orphan)
        }
        let one = try group.signed(
            .rename("y"), by: olga.identity, parents: [OperationID(bytes: Bytes32(9, 9, 9, 9))],
            after: group.last(of: olga.device))
        #expect(throws: LedgerError.tooManyPending) { _ = try ledger.insert(one) }
        ledger.discardPending()
        #expect(try ledger.insert(one) == .pending(missing: [OperationID(bytes: Bytes32(9, 9, 9, 9))]))
    }

    @Test func `what waited for an operation that is refused goes with it`() throws {
        let mallory = Person(6)
        let group = try TestGroup(founder: olga)
        var ledger = group.ledger
        let founding = try #require(group.last(of: olga.device))
        let stranger = try group.signed(.rename("x"), by: mallory.identity, parents: [founding.id], after: nil)
        let after = try group.signed(.rename("y"), by: olga.identity, parents: [stranger.id], after: founding)
        #expect(try ledger.insert(after) == .pending(missing: [stranger.id]))
        #expect(throws: LedgerError.unknownAuthor(mallory.device)) { _ = try ledger.insert(stranger) }
        #expect(ledger.pendingCount == 0)
        #expect(ledger.count == 1)
    }

    @Test func `a removed device gets its removal and what came before, nothing else`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob)
        let removal = try group.perform(group.removal(of: bob), by: olga.identity)
        let before = group.ledger.allOperations
        try group.perform(.rename("Without Bob"), by: olga.identity)
        #expect(group.ledger.ancestry(of: removal.id) == before)
        guard case .removed(by: removal.id) = group.ledger.state.device(bob.device)?.standing else {
            Issue.record("a removed device says by what")
            return
        }
    }

    @Test func `a ledger belongs to one founding`() throws {
        let group = try TestGroup(founder: olga)
        let other = try TestGroup(founder: bob)
        let founding = try #require(other.ledger.allOperations.first)
        var ledger = group.ledger
        #expect(throws: LedgerError.notFounding) { _ = try ledger.insert(founding) }
        let foreign = try other.ledger.draft(.rename("x"), by: bob.identity, at: TestGroup.now)
        #expect(throws: LedgerError.wrongGroup(other.ledger.group)) { _ = try ledger.insert(foreign) }
        #expect(throws: LedgerError.notFounding) { _ = try Ledger(founding: foreign) }
    }

    @Test func `a copy keeps its own state`() throws {
        var group = try TestGroup(founder: olga)
        let before = group.ledger
        #expect(before.state.title == "Friends")
        try group.perform(.rename("Others"), by: olga.identity)
        #expect(before.state.title == "Friends")
        #expect(group.ledger.state.title == "Others")
    }

    @Test func `live invites are limited where they are made, and one member's keep nobody from inviting`() throws {
        let adam = Person(2), bob = Person(4)
        var group = try TestGroup(founder: olga)
        try group.admit(adam, bob)
        try group.promote(adam)
        for person in [bob, adam, olga] {
            let limit =
                person.user == bob.user
                ? ProtocolLimits.maximumLiveInvitesOfMember : ProtocolLimits.maximumLiveInvitesOfAdmin
            let live = group.ledger.state.invites.count { $0.inviter == person.user }
            for _ in live..<limit { _ = try group.invite(by: person) }
            #expect(throws: LedgerError.refused(.tooManyInvites(limit: limit))) { _ = try group.invite(by: person) }
        }
    }

    @Test func `an account with too many invites gets its own unanswered, and nobody else's`() throws {
        let bob = Person(4), mallory = Person(6)
        var group = try TestGroup(founder: olga)
        try group.admit(bob, mallory)
        let ours = [try group.invite(by: bob).id, try group.invite(by: olga).id]
        for _ in 0..<200 {
            let invite = try group.signed(
                .invite(group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 1_000)),
                by: mallory.identity, parents: group.ledger.heads, after: group.last(of: mallory.device))
            _ = try group.ledger.insert(invite)
        }
        let state = group.ledger.state
        let live = state.invites.filter { $0.isLive(at: TestGroup.now) }
        #expect(live.count == 203, "every one of them counts: a clock decides nothing")
        let answered = state.answered(live)
        #expect(answered.count { $0.inviter == mallory.user } == ProtocolLimits.maximumLiveInvitesOfMember)
        #expect(Set(answered.map(\.id)).isSuperset(of: ours))
        // If there is still not enough room, the owner's come first, then one of each account.
        #expect(
            state.answered(live, atMost: 4).map(\.inviter).sorted() == [olga, olga, bob, mallory].map(\.user).sorted())
    }

    @Test func `two branches of one chain find each other`() throws {
        var group = try TestGroup(founder: Person(1))
        let founder = group.founder.identity
        var other = group.ledger
        let here = try group.ledger.draft(.rename("Here"), by: founder, at: TestGroup.now)
        _ = try group.ledger.insert(here)
        for title in ["There", "Further"] {
            _ = try other.insert(try other.draft(.rename(title), by: founder, at: TestGroup.now))
        }
        for operation in other.operations(missingFrom: group.ledger.tips) { _ = try group.ledger.insert(operation) }
        for operation in group.ledger.operations(missingFrom: other.tips) { _ = try other.insert(operation) }
        #expect(other.count == 4)
        #expect(group.ledger.count == 4)
        #expect(group.ledger.countingTips == other.countingTips)
    }
}
