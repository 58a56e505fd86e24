import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

/// How much of a ledger an account can fill, whatever it does. Budgets are small here, so that few signatures reach
/// them.
struct LedgerBudgetTests {
    let olga = Person(1), bob = Person(4), mallory = Person(6)

    private func group(_ change: (inout LedgerBudget) -> Void = { _ in }) throws -> TestGroup {
        var group = try TestGroup(founder: olga)
        group.ledger.rules.budget.ofMember = 60_000
        group.ledger.rules.budget.ofPlain.size = 4_000
        group.ledger.rules.budget.ofDevice = 4_000
        group.ledger.rules.budget.ofStranger = 8_000
        change(&group.ledger.rules.budget)
        try group.admit(bob, mallory)
        return group
    }

    /// Makes invites without end. Returns how many were refused.
    private func flood(_ group: inout TestGroup, by device: DeviceIdentity, count: Int) throws -> Int {
        var refused = 0
        var previous = group.last(of: device.device)
        let heads = group.ledger.heads
        for _ in 0..<count {
            let terms = group.freshSecrets().terms(maximumUses: 1, expiresAt: TestGroup.now + 9)
            let operation = try group.signed(.invite(terms), by: device, parents: heads, after: previous)
            do {
                _ = try group.ledger.insert(operation)
                previous = operation
            } catch {
                #expect(error == .tooManyOperations(device.device))
                refused += 1
            }
        }
        return refused
    }

    @Test func `an account fills at most its budget, and others can still write`() throws {
        var group = try group()
        let refused = try flood(&group, by: mallory.identity, count: 200)
        #expect(refused > 100)
        #expect(group.ledger.usage.byUser[mallory.user] ?? 0 <= 60_000 + 2 * ProtocolLimits.maximumOperationSize)
        try group.perform(.rename("Ours"), by: olga.identity)
        try group.perform(.leave(Departure(erases: false, cuts: [])), by: bob.identity)
        #expect(group.ledger.state.title == "Ours" && !group.has(bob))
    }

    @Test func `a device that has used up its account's budget keeps no other of its devices from speaking`() throws {
        var group = try group()
        let phone = mallory.anotherDevice(61)
        try group.perform(.addDevice(phone.certificate), by: mallory.identity)
        #expect(try flood(&group, by: mallory.identity, count: 150) > 50)
        try group.perform(.addDevice(mallory.anotherDevice(63, certifiedBy: phone).certificate), by: phone)
        // The account key revokes the flooding machine.
        let revocation = group.revocation(of: mallory.identity, by: mallory, hash: group.freshHash())
        try group.perform(.revokeDevice(revocation), by: phone)
        #expect(!group.ledger.state.isCurrentMember(device: mallory.device))
    }

    @Test func `an account that never was a member fills less than one that was`() throws {
        var group = try group()
        let stranger = Person(7)
        try group.introduce(stranger, by: mallory)
        #expect(!group.has(stranger))
        #expect(try flood(&group, by: stranger.identity, count: 40) > 20)
        #expect(group.ledger.usage.byUser[stranger.user] ?? 0 <= 8_000 + ProtocolLimits.maximumOperationSize)
        #expect(try flood(&group, by: bob.identity, count: 40) == 0)
    }

    @Test func `what another account's operation depends on is accepted beyond a budget`() throws {
        var group = try group()
        let before = group
        #expect(try flood(&group, by: mallory.identity, count: 120) > 20)
        // Bob knows another branch and continues it.
        var other = before
        let first = try other.perform(
            .invite(other.freshSecrets().terms(maximumUses: 5, expiresAt: TestGroup.now + 9)), by: mallory.identity)
        let rests = try other.signed(
            .leave(Departure(erases: false, cuts: [])), by: bob.identity, parents: [first.id],
            after: other.last(of: bob.device))
        #expect(throws: LedgerError.tooManyOperations(mallory.device)) { _ = try group.ledger.insert(first) }
        _ = try group.ledger.insert(rests)
        _ = try group.ledger.insert(first)
        #expect(group.ledger.contains(rests.id) && !group.has(bob))
    }

    @Test func `an owner whom somebody helps fills at most a hard limit`() throws {
        let bounds = 45_000...60_000 + ProtocolLimits.maximumOperationSize
        let used = try floodWithHelper(upTo: 60_000)
        #expect(bounds.contains(used), "\(used)")
        // Nothing else would stop them.
        #expect(try floodWithHelper(upTo: .max) > bounds.upperBound)
    }

    /// What all operations weigh in the end; a helper's need all of the owner's that are refused.
    private func floodWithHelper(upTo limit: Int) throws -> Int {
        var group = try group {
            $0.ofMember = 30_000
            $0.ofOwner = .init(size: 30_000, end: .max)
            $0.whole = limit
        }
        var last = group.last(of: olga.device)
        var helperLast = group.last(of: mallory.device)
        for _ in 0..<8 {
            // A chain that is refused at its first operation, or its second.
            var chain: [SignedOperation] = []
            for _ in 0..<40 {
                let terms = group.freshSecrets().terms(maximumUses: 1, expiresAt: TestGroup.now + 9)
                let parents = chain.isEmpty ? group.ledger.heads : []
                chain.append(
                    try group.signed(.invite(terms), by: olga.identity, parents: parents, after: chain.last ?? last))
            }
            for operation in chain { _ = try? group.ledger.insert(operation) }  // refused beyond the budget
            let terms = group.freshSecrets().terms(maximumUses: 1, expiresAt: TestGroup.now + 9)
            let helper = try group.signed(
                .invite(terms), by: mallory.identity, parents: chain.suffix(1).map(\.id), after: helperLast)
            _ = try? group.ledger.insert(helper)  // waits
            for operation in chain { _ = try? group.ledger.insert(operation) }  // needed now
            last = group.last(of: olga.device)
            helperLast = group.last(of: mallory.device)
        }
        return group.ledger.usage.total
    }

    @Test func `a full ledger is not too large, and one operation more than any can hold makes it so`() throws {
        let end = 60_000
        var group = try group {
            $0.ofMember = 30_000
            $0.ofOwner = .init(size: 30_000, end: end)
            $0.whole = end
        }
        #expect(try flood(&group, by: olga.identity, count: 200) > 100)
        #expect(!group.ledger.isTooLarge)
        // As a newcomer is shown a ledger: without the limits.
        let largest = ProtocolLimits.maximumOperationSize + LedgerUsage.weightOfOperation
        var previous = group.last(of: mallory.device)
        let heads = group.ledger.heads
        var before = 0
        while !group.ledger.isTooLarge {
            before = group.ledger.usage.total
            try #require(before < 2 * end)
            let terms = group.freshSecrets().terms(maximumUses: 1, expiresAt: TestGroup.now + 9)
            let operation = try group.signed(.invite(terms), by: mallory.identity, parents: heads, after: previous)
            _ = try group.ledger.insert(operation, withinLimits: false)
            previous = operation
        }
        // A few bytes beside that for each device.
        #expect(group.ledger.usage.total > end + largest && before < end + largest + 100)
    }

    // MARK: All accounts together

    /// A ledger whose total is bounded at sizes that few signatures reach.
    private func smallGroup() throws -> TestGroup {
        try group {
            $0.ofAll = 80_000
            $0.whole = 120_000
            $0.ofPlain = .init(size: 6_000, end: 160_000)
            $0.ofAdmin = .init(size: 20_000, end: 240_000)
            $0.ofOwner = .init(size: 100_000, end: 320_000)
        }
    }

    private func people(_ count: Int, admittedTo group: inout TestGroup) throws -> [Person] {
        let people = (0..<UInt64(count)).map { Person(800 + $0) }
        let invite = try group.invite(by: olga)
        for person in people { try group.admit(person, by: olga, under: invite) }
        return people
    }

    /// A newcomer is let in by a plain member, an admin and the owner, and takes the ledger.
    private func expectJoins(_ group: inout TestGroup, by hosts: [Person]) throws {
        for host in hosts {
            let newcomer = Person(900 + UInt64(group.users.count))
            let invite = try group.invite(by: host)
            try group.admit(newcomer, by: host, under: invite)
            #expect(group.has(newcomer))
        }
        #expect(group.ledger.servedOperations.reduce(0) { $0 + $1.bytes.count } < 320_000)
    }

    @Test func `plain members who flood leave to each other member its share`() throws {
        var group = try smallGroup()
        let ada = Person(20)
        try group.admit(ada)
        try group.promote(ada)
        let helpers = try people(6, admittedTo: &group)
        for helper in helpers { #expect(try flood(&group, by: helper.identity, count: 120) > 0) }
        #expect((80_000...120_000).contains(group.ledger.usage.total))
        // Once the ledger is that full, each has its share and no more.
        let last = group.ledger.usage.byUser[helpers[5].user] ?? 0
        #expect(last >= 6_000 && last <= 6_000 + 2_000)
        try expectJoins(&group, by: [bob, ada, olga])
        try group.perform(group.removal(of: helpers[0]), by: ada.identity)
        try group.perform(.leave(Departure(erases: false, cuts: [])), by: bob.identity)
        #expect(!group.has(bob) && !group.has(helpers[0]))
    }

    @Test func `several admins who flood, and are demoted, leave to each other member its share`() throws {
        var group = try smallGroup()
        let admins = try people(4, admittedTo: &group)
        let ada = Person(20)
        try group.admit(ada)
        for admin in admins + [ada] { try group.promote(admin) }
        for admin in admins { #expect(try flood(&group, by: admin.identity, count: 120) > 0) }
        #expect((80_000...160_000).contains(group.ledger.usage.total))
        try expectJoins(&group, by: [bob, ada, olga])
        for admin in admins { try group.perform(group.demotion(of: admin), by: olga.identity) }
        #expect(try flood(&group, by: admins[0].identity, count: 1) == 1)
        try expectJoins(&group, by: [bob, ada, olga])
    }

    @Test func `plain members fill less than admins, and these less than the owner, whatever their number`() throws {
        var group = try smallGroup()
        let ada = Person(20)
        try group.admit(ada)
        try group.promote(ada)
        // Of many accounts each has a share.
        group.ledger.rules.budget.ofAll = 10_000
        let total = group.ledger.usage.total
        let helpers = try people(24, admittedTo: &group)
        #expect(group.ledger.usage.total > total)
        for helper in helpers { _ = try flood(&group, by: helper.identity, count: 12) }
        #expect((160_000...162_000).contains(group.ledger.usage.total))
        #expect(throws: LedgerError.tooManyOperations(bob.device)) { try group.invite(by: bob) }
        try expectJoins(&group, by: [ada, olga])
        group.ledger.rules.budget.ofAdmin = .init(size: 1_000_000, end: 240_000)
        #expect(try flood(&group, by: ada.identity, count: 150) > 0)
        #expect((240_000...242_000).contains(group.ledger.usage.total))
        try expectJoins(&group, by: [olga])
        #expect(try flood(&group, by: olga.identity, count: 150) > 0)
        #expect(group.ledger.usage.total <= 322_000)
    }

    // MARK: Leaving

    @Test func `a full ledger keeps nobody from leaving or giving up a device`() throws {
        var group = try group()
        let phone = bob.anotherDevice(62)
        try group.perform(.addDevice(phone.certificate), by: bob.identity)
        _ = try flood(&group, by: mallory.identity, count: 20)
        group.ledger.rules.budget.ofPlain.end = 1
        let terms = group.freshSecrets().terms(maximumUses: 1, expiresAt: TestGroup.now + 9)
        #expect(throws: LedgerError.tooManyOperations(bob.device)) {
            try group.perform(.invite(terms), by: bob.identity)
        }
        // Nor does what names another's device pass for giving up one's own.
        let foreign = DeviceRevocation(
            accountKey: mallory.accountKey, everywhere: phone.device, accessKeyHash: group.freshHash())
        #expect(throws: LedgerError.tooManyOperations(mallory.device)) {
            try group.perform(.revokeDevice(foreign), by: mallory.identity)
        }
        // Even with a large share of his own.
        group.ledger.rules.budget.ofPlain.size = 1
        let revocation = group.revocation(of: phone, by: bob, hash: group.freshHash())
        try group.perform(.revokeDevice(revocation), by: bob.identity)
        #expect(!group.ledger.state.isCurrentMember(device: phone.device))
        try group.perform(.leave(Departure(erases: false, cuts: [])), by: bob.identity)
        #expect(!group.has(bob))
        // The member who filled the ledger can leave as well.
        try group.perform(.leave(Departure(erases: false, cuts: [])), by: mallory.identity)
        #expect(!group.has(mallory))
    }

    @Test func `a device keeps its last operations for leaving, shutting one out and bringing one in`() throws {
        var group = try TestGroup(founder: olga)
        try group.admit(mallory)
        var last = group.last(of: mallory.identity.device)
        let heads = group.ledger.heads
        let free = ProtocolLimits.maximumOperationsPerDevice - Ledger.reservedOperations
        for number in (last?.operation.number ?? 0)..<free {
            let terms = group.freshSecrets().terms(maximumUses: 1, expiresAt: TestGroup.now + 9)
            let operation = try group.signed(.invite(terms), by: mallory.identity, parents: heads, after: last)
            _ = try group.ledger.insert(operation)
            #expect(operation.operation.number == number + 1)
            last = operation
        }
        let invite = try #require(last).id
        #expect(throws: LedgerError.tooManyOperations(mallory.identity.device)) {
            try group.ledger.draft(.revokeInvite(invite), by: mallory.identity, at: TestGroup.now)
        }
        let phone = mallory.anotherDevice(61)
        let bodies: [OperationBody] = [
            .addDevice(phone.certificate),
            .revokeDevice(group.revocation(of: phone, by: mallory, hash: group.freshHash())),
            .leave(Departure(erases: false, cuts: [])),
        ]
        for body in bodies {
            _ = try group.ledger.insert(group.ledger.draft(body, by: mallory.identity, at: TestGroup.now))
        }
        #expect(!group.has(mallory))
    }

    @Test func `revocations fill a ledger no further than admins may, and the owner can still remove`() throws {
        var group = try group()
        let phone = bob.anotherDevice(62)
        try group.perform(.addDevice(phone.certificate), by: bob.identity)
        group.ledger.rules.budget.ofPlain.end = 1
        group.ledger.rules.budget.ofAdmin.end = group.ledger.usage.total
        let revocation = group.revocation(of: phone, by: bob, hash: group.freshHash())
        #expect(throws: LedgerError.tooManyOperations(bob.device)) {
            try group.perform(.revokeDevice(revocation), by: bob.identity)
        }
        #expect(throws: LedgerError.tooManyOperations(mallory.device)) {
            try group.perform(.leave(Departure(erases: false, cuts: [])), by: mallory.identity)
        }
        try group.perform(group.removal(of: bob), by: olga.identity)
        #expect(!group.has(bob))
    }

    @Test func `no share is beyond what the owner may write, and none beyond the disk`() {
        let budget = LedgerBudget()
        let ends = [budget.ofAll, budget.whole, budget.ofPlain.end, budget.ofAdmin.end, budget.ofOwner.end]
        #expect(ends == ends.sorted())
        #expect(budget.ofOwner.end <= 8 << 20)
    }

    @Test func `a departure that ends nothing is held to the limits`() throws {
        var group = try group()
        let invite = try group.invite(by: mallory)
        let old = group.last(of: mallory.device)
        try group.perform(.leave(Departure(erases: false, cuts: [])), by: mallory.identity)
        let again = try group.invite(by: olga)
        try group.admit(mallory, by: olga, under: again, handshake: 9)
        #expect(group.has(mallory) && group.ledger.contains(invite.id))
        group.ledger.rules.budget.ofPlain.end = 1
        group.ledger.rules.budget.ofOwner.end = 1
        // On the branch of before she left: she stays, and could repeat it without end.
        let void = try group.signed(
            .leave(Departure(erases: true, cuts: [])), by: mallory.identity, parents: [], after: old)
        #expect(throws: LedgerError.tooManyOperations(mallory.device)) { _ = try group.ledger.insert(void) }
        #expect(throws: LedgerError.tooManyOperations(olga.device)) {
            let owners = try group.signed(
                .leave(Departure(erases: false, cuts: [])), by: olga.identity, parents: group.ledger.heads,
                after: group.last(of: olga.device))
            _ = try group.ledger.insert(owners)
        }
        try group.perform(.leave(Departure(erases: false, cuts: [])), by: mallory.identity)
        #expect(!group.has(mallory))
    }

    // MARK: Devices and keys

    @Test func `an account's devices are limited, and a thief's leave room for its own`() throws {
        var group = try group { $0.devices = 4 }
        var refused = 0
        let heads = group.ledger.heads
        // Each device claims to know none of the others.
        for seed in 0..<8 as Range<UInt64> {
            let stolen = bob.anotherDevice(900 + seed, certifiedBy: bob.identity)
            let operation = try group.signed(
                .addDevice(stolen.certificate), by: bob.identity, parents: heads, after: nil)
            do { _ = try group.ledger.insert(operation) } catch { refused += 1 }
        }
        #expect(refused == 4)
        let own = bob.anotherDevice(999)
        let operation = try group.signed(.addDevice(own.certificate), by: own, parents: heads, after: nil)
        _ = try group.ledger.insert(operation)
        #expect(group.ledger.state.isCurrentMember(device: own.device))
    }

    @Test func `an account's revocations name a limited number of access keys`() throws {
        var group = try group { $0.ofMember = 4 << 20 }
        for seed in 0..<40 as Range<UInt64> {
            let device = bob.anotherDevice(1_000 + seed)
            let general = DeviceRevocation(
                accountKey: bob.accountKey, everywhere: device.device, accessKeyHash: group.freshHash())
            try group.perform(.revokeDevice(general), by: bob.identity)
        }
        #expect(group.ledger.state.accessKeyHashes.count == 1 + ProtocolLimits.maximumKeysOfRevocations)
        // A removal still changes the access key.
        try group.perform(group.removal(of: bob), by: olga.identity)
        #expect(group.ledger.state.accessKeyHashes.count == 2 + ProtocolLimits.maximumKeysOfRevocations)
    }
}

/// Operations that do not count and that nobody depends on. Nobody has to know them.
struct IdleOperationTests {
    @Test func `what is idle changes nothing for who does not know it`() throws {
        var idleCount = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            let random = try RandomLedger(seed: seed, count: 70)
            var rest = try random.fresh()
            for operation in random.ledger.servedOperations where !rest.contains(operation.id) {
                _ = try rest.insert(operation)
            }
            idleCount += random.ledger.idleCount
            #expect(rest.count == random.ledger.count - random.ledger.idleCount, "seed \(seed)")
            #expect(rest.state == random.ledger.state, "seed \(seed)")
            #expect(rest.countingTips == random.ledger.countingTips, "seed \(seed)")
            // Nobody asks again for operations that are not served.
            #expect(random.ledger.servedTips.allSatisfy { rest.contains($0.operation) }, "seed \(seed)")
            #expect(random.ledger.operations(missingFrom: rest.tips).isEmpty, "seed \(seed)")
            var dropped = random.ledger
            let names = dropped.dropIdle(keeping: random.operations[0].operation.author)
            #expect(dropped.state == random.ledger.state && names.count <= random.ledger.idleCount, "seed \(seed)")
        }
        #expect(idleCount > 100, "there must be some to leave out")
    }

    @Test func `what counts again once a removal is annulled comes back from nodes that have it`() throws {
        let olga = Person(1), bob = Person(4), ada = Person(6)
        var group = try TestGroup(founder: olga)
        try group.admit(bob, ada)
        try group.promote(ada)
        var bobs = group
        let removal = try group.perform(group.removal(of: bob, upTo: nil), by: ada.identity)
        let late = try bobs.perform(
            .invite(bobs.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 9)), by: bob.identity)
        _ = try group.ledger.insert(late)
        #expect(group.ledger.idleCount == 1)
        #expect(group.ledger.dropIdle(keeping: olga.device) == [late.id])
        #expect(group.ledger.contains(removal.id) && !group.ledger.contains(late.id))
        // The owner ends the admin's power, from before the removal on.
        let cut = DeviceCut(device: ada.device, lastOperation: .none, feeds: [])
        try group.perform(
            .setRole(RoleChange(user: ada.user, change: .member, cuts: [cut])), by: olga.identity)
        for operation in group.ledger.servedOperations where !bobs.ledger.contains(operation.id) {
            _ = try bobs.ledger.insert(operation)
        }
        #expect(bobs.ledger.countingTips != group.ledger.countingTips)
        for operation in bobs.ledger.operations(missingFrom: group.ledger.tips) {
            _ = try group.ledger.insert(operation)
        }
        #expect(group.ledger.countingTips == bobs.ledger.countingTips && group.ledger.state == bobs.ledger.state)
        #expect(group.ledger.state.invites.contains { $0.id == late.id })
    }
}
