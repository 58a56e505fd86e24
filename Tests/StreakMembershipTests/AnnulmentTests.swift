import StreakWire
import Testing

@testable import StreakMembership

/// What the owner can annul of an admin's actions, and the announced consequences.
@Suite struct AnnulmentTests {
    private let olga = Person(1), mallory = Person(2), bob = Person(3), eve = Person(4)

    /// Mallory is admin; Bob and Eve are members.
    private func group() throws -> TestGroup {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory, bob, eve)
        try group.promote(mallory)
        return group
    }

    private func annulments(in group: TestGroup, by person: Person) -> [Annulment] {
        group.ledger.annulments(by: person.identity, at: TestGroup.now)
    }

    @Test func `what is said of an annulment is what comes of it`() throws {
        var group = try group()
        let removal = try group.perform(group.removal(of: bob, upTo: nil), by: mallory.identity)
        try group.perform(.rename("Mallory’s"), by: mallory.identity)
        try group.perform(group.removal(of: eve), by: mallory.identity)
        let found = annulments(in: group, by: olga)
        #expect(found.map(\.user) == [eve.user, bob.user], "the newest first")
        let annulment = try #require(found.last)
        #expect(annulment.removal == removal.id && annulment.author == mallory.user)
        #expect(annulment.time == TestGroup.now && annulment.voided == 2)
        let body = try #require(group.ledger.annulment(of: removal.id))
        try group.perform(body, by: olga.identity)
        #expect(group.ledger.state == annulment.state)
        #expect(group.has(bob) && group.has(eve) && group.ledger.state.title == "Friends")
        #expect(group.ledger.state.role(of: mallory.user) == .member)
        #expect(annulments(in: group, by: olga) == [])
    }

    @Test func `what the admin did before stays`() throws {
        var group = try group()
        try group.perform(.rename("Mallory’s"), by: mallory.identity)
        try group.perform(group.removal(of: eve), by: mallory.identity)
        let removal = try group.perform(group.removal(of: bob), by: mallory.identity)
        let found = try #require(annulments(in: group, by: olga).first)
        #expect(found.removal == removal.id && found.voided == 0)
        #expect(found.state.isMember(bob.user) && !found.state.isMember(eve.user))
        #expect(found.state.title == "Mallory’s")
    }

    @Test func `only the owner annuls, and only what an admin did to somebody who is out`() throws {
        var group = try group()
        try group.perform(group.removal(of: bob), by: mallory.identity)
        #expect(annulments(in: group, by: mallory) == [])
        #expect(annulments(in: group, by: eve) == [])
        #expect(annulments(in: group, by: olga).count == 1)
        // Removing oneself, and another member's departure.
        try group.perform(group.removal(of: eve), by: olga.identity)
        #expect(annulments(in: group, by: olga).map(\.user) == [bob.user])
        let cuts = group.ledger.cuts(of: mallory.user) { _ in [] }
        try group.perform(.leave(Departure(erases: false, cuts: cuts)), by: mallory.identity)
        #expect(annulments(in: group, by: olga) == [], "a former member cannot be demoted")
    }

    @Test func `what the owner did takes up no place in the list`() throws {
        var group = try group()
        let removal = try group.perform(group.removal(of: bob), by: mallory.identity)
        let invite = try group.invite(by: olga)
        for seed in 100..<100 + UInt64(Ledger.maximumAnnulments) {
            let newcomer = Person(seed)
            try group.admit(newcomer, by: olga, under: invite)
            try group.perform(group.removal(of: newcomer), by: olga.identity)
        }
        #expect(annulments(in: group, by: olga).map(\.removal) == [removal.id])
    }

    @Test func `a removal of somebody who is in again is not listed`() throws {
        var group = try group()
        try group.perform(group.removal(of: bob), by: mallory.identity)
        try group.admit(bob)
        #expect(group.has(bob) && annulments(in: group, by: olga) == [])
    }

    @Test func `a demotion that left the removal to its author is not undone by another`() throws {
        var group = try group()
        let removal = try group.perform(group.removal(of: bob), by: mallory.identity)
        try group.perform(group.demotion(of: mallory), by: olga.identity)
        #expect(annulments(in: group, by: olga) == [])
        let body = try #require(group.ledger.annulment(of: removal.id))
        try group.perform(body, by: olga.identity)
        #expect(!group.has(bob), "so it would not help")
    }

    @Test func `where another removal stands, somebody stays out`() throws {
        var group = try group()
        let adam = Person(5)
        try group.admit(adam)
        try group.promote(adam)
        let heads = group.ledger.heads
        let bodies = [group.removal(of: bob), group.removal(of: bob)]
        let both = try zip(bodies, [mallory, adam]).map { body, admin in
            try group.signed(body, by: admin.identity, parents: heads, after: group.last(of: admin.device))
        }
        group.ledger = try inserting(both, into: group.ledger)
        let found = annulments(in: group, by: olga)
        #expect(Set(found.map(\.author)) == [mallory.user, adam.user])
        #expect(found.allSatisfy { !$0.state.isMember(bob.user) })
    }

    @Test func `nothing but a removal is annulled`() throws {
        var group = try group()
        let title = try group.perform(.rename("Mallory’s"), by: mallory.identity)
        #expect(group.ledger.annulment(of: title.id) == nil)
        #expect(group.ledger.annulment(of: OperationID(bytes: .zero)) == nil)
    }
}
