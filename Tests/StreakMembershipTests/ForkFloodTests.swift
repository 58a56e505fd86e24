import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

/// A device that makes more branches than are kept, and shows each node different ones.
struct ForkFloodTests {
    let olga = Person(1), bob = Person(4), mallory = Person(6)

    /// Room for both halves.
    private var large: LedgerBudget {
        var budget = LedgerBudget()
        (budget.ofAll, budget.whole, budget.ofMember, budget.ofPlain.end) = (8 << 20, 12 << 20, 4 << 20, 16 << 20)
        return budget
    }

    /// Two copies of a group. Each has as many of the liar's branches as are kept, and no branch is in both.
    private func split(
        depth: Int, after prepare: (inout TestGroup) throws -> Void = { _ in }
    ) throws -> (olga: TestGroup, bob: TestGroup) {
        var group = try TestGroup(founder: olga)
        group.ledger.rules.budget = large
        try group.admit(bob, mallory)
        try prepare(&group)
        let heads = group.ledger.heads
        var copies = [group, group]
        for index in 0..<2 * Ledger.maximumBranches {
            let copy = index / Ledger.maximumBranches
            var previous: SignedOperation?
            for _ in 0..<depth {
                let terms = group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 1_000)
                let operation = try group.signed(
                    .invite(terms), by: mallory.identity, parents: heads, after: previous)
                _ = try copies[copy].ledger.insert(operation)
                previous = operation
            }
        }
        return (copies[0], copies[1])
    }

    /// What a node does in a round: request what it lacks, and accept what it can.
    private func catchUp(_ ledger: inout Ledger, from other: Ledger) {
        for operation in other.operations(missingFrom: ledger.tips) {
            do { _ = try ledger.insert(operation) } catch {
                #expect(error == .tooManyOperations(mallory.device))
            }
        }
    }

    @Test(arguments: [1, 3, 30]) func `what others depend on is accepted beyond the limits`(depth: Int) throws {
        var (first, second) = try split(depth: depth)
        let one = try first.perform(.rename("Ours"), by: olga.identity)
        let phone = bob.anotherDevice(41, certifiedBy: bob.identity)
        let other = try second.perform(.addDevice(phone.certificate), by: bob.identity)
        for _ in 0..<2 {
            catchUp(&first.ledger, from: second.ledger)
            catchUp(&second.ledger, from: first.ledger)
        }
        #expect(second.ledger.contains(one.id) && first.ledger.contains(other.id))
        // Copies that receive them in another order do the same.
        try first.perform(first.removal(of: mallory), by: olga.identity)
        for _ in 0..<2 {
            catchUp(&second.ledger, from: first.ledger)
            catchUp(&first.ledger, from: second.ledger)
        }
        #expect(first.ledger.state == second.ledger.state)
        #expect(first.ledger.countingTips == second.ledger.countingTips)
        #expect(!second.has(mallory))
    }

    @Test func `a device with more branches than one operation names can be removed at once`() throws {
        var (group, _) = try split(depth: 1)
        try group.perform(group.removal(of: mallory), by: olga.identity)
        #expect(!group.has(mallory))
    }

    @Test func `what does not count is not named`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(bob, mallory)
        let old = group.ledger.heads
        let removal = try group.perform(group.removal(of: mallory), by: olga.identity)
        for index in 0..<5 {
            let fork = try group.signed(.rename("Mine \(index)"), by: mallory.identity, parents: old, after: nil)
            _ = try group.ledger.insert(fork)
        }
        // An operation that counts is named although it is not at the end of a chain.
        let phone = bob.anotherDevice(41, certifiedBy: bob.identity)
        let added = try group.perform(.addDevice(phone.certificate), by: bob.identity)
        #expect(added.operation.parents == [removal.id])
        let beyond = try group.signed(.rename("Mine"), by: mallory.identity, parents: [added.id], after: nil)
        _ = try group.ledger.insert(beyond)
        let next = try group.perform(.rename("Ours"), by: olga.identity)
        #expect(Set(next.operation.parents) == [removal.id, added.id])
    }

    @Test func `an own operation, or a stranger's, does not lift the limits`() throws {
        let phone = mallory.anotherDevice(99), stranger = Person(9)
        // All of them are known to the ledger.
        let (first, second) = try split(depth: 1) { group in
            try group.perform(.addDevice(phone.certificate), by: phone)
            try group.introduce(stranger, by: bob)
        }
        let forks = first.ledger.operations(from: mallory.device, after: 0)
        let excess = forks.filter { !second.ledger.contains($0.id) }
        #expect(excess.count == Ledger.maximumBranches)
        for author in [mallory.identity, phone, stranger.identity] {
            var ledger = second.ledger
            let one = try first.signed(
                .rename("Mine"), by: author, parents: excess.prefix(20).map(\.id),
                after: author.device == mallory.device ? excess[0] : first.last(of: author.device))
            // Before and after what it rests on was refused.
            for _ in 0..<2 {
                do { _ = try ledger.insert(one) } catch { #expect(error == .tooManyOperations(mallory.device)) }
                for fork in excess {
                    #expect(throws: LedgerError.tooManyOperations(mallory.device)) { _ = try ledger.insert(fork) }
                }
            }
        }
    }

    @Test func `a ledger that was checked before is accepted as a whole`() throws {
        var (first, second) = try split(depth: 2)
        try first.perform(.rename("Ours"), by: olga.identity)
        for _ in 0..<2 { catchUp(&second.ledger, from: first.ledger) }
        let all = second.ledger.allOperations
        #expect(second.ledger.tips.count { $0.device == mallory.device } > Ledger.maximumBranches)
        var copy = try Ledger(founding: all[0])
        for operation in all.dropFirst() { _ = try copy.insert(operation, withinLimits: false) }
        #expect(copy.allOperations == all && copy.state == second.ledger.state)
    }
}
