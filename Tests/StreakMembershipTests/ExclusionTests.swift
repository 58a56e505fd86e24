import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

/// Who was let in for nothing, and which operation says so.
struct ExclusionTests {
    let olga = Person(1), bob = Person(4), mallory = Person(6), carol = Person(8), dan = Person(9)

    /// Olga removes Mallory. Returns her copy, one that has not heard of it, and the removal.
    private func split() throws -> (heard: TestGroup, unheard: TestGroup, removal: OperationID) {
        var group = try TestGroup(founder: olga)
        try group.admit(bob, mallory)
        let unheard = group
        let removal = try group.perform(group.removal(of: mallory), by: olga.identity)
        return (group, unheard, removal.id)
    }

    /// Tells the one copy what the other has.
    private func tell(_ group: inout TestGroup, of other: TestGroup) throws {
        for operation in other.ledger.operations(missingFrom: group.ledger.tips) {
            _ = try group.ledger.insert(operation)
        }
    }

    private func exclusion(of person: Person, in group: TestGroup) -> OperationID? {
        group.ledger.exclusion(of: person.identity.linkKey.publicKey)
    }

    @Test func `who came by an invite that a removed member made unheard is told of the removal`() throws {
        var (heard, unheard, removal) = try split()
        let invite = try unheard.invite(by: mallory)
        try unheard.admit(carol, by: bob, under: invite)
        #expect(exclusion(of: carol, in: unheard) == nil && unheard.has(carol))
        try tell(&heard, of: unheard)
        #expect(exclusion(of: carol, in: heard) == removal && !heard.has(carol))
    }

    @Test func `who was let in by one whom a removed member let in is told of the removal, too`() throws {
        var (heard, unheard, removal) = try split()
        let invite = try unheard.invite(by: olga)
        try unheard.admit(carol, by: mallory, under: invite)
        try unheard.admit(dan, by: carol, under: invite, handshake: 8)
        try tell(&heard, of: unheard)
        for newcomer in [carol, dan] {
            #expect(exclusion(of: newcomer, in: heard) == removal && !heard.has(newcomer))
        }
    }

    @Test func `nobody is told of a reason who is in, or whom nobody let in`() throws {
        let (heard, _, _) = try split()
        #expect(exclusion(of: bob, in: heard) == nil && exclusion(of: dan, in: heard) == nil)
    }
}
