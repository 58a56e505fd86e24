import StreakMembership
import StreakWire
import Testing

/// What holds for any operations whatever. A failure names the seed.
struct LedgerLaws {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `one set of operations gives one state in any order of arrival`(seed: UInt64) throws {
        var random = try RandomLedger(seed: seed, count: 60)
        let original = random.group.ledger
        let operations = original.allOperations
        for _ in 0..<4 {
            var copy = try Ledger(founding: operations[0])
            var added = 1
            for operation in operations.dropFirst().shuffled(using: &random.generator) {
                if case .added(let more) = try copy.insert(operation) { added += more.count }
            }
            let isSameState = copy.state == original.state
            let isSameOrder = copy.allOperations == operations
            #expect(added == operations.count, "seed \(seed)")
            #expect(copy.pendingCount == 0, "seed \(seed)")
            #expect(isSameState, "seed \(seed)")
            #expect(copy.tips == original.tips, "seed \(seed)")
            #expect(copy.countingTips == original.countingTips, "seed \(seed)")
            #expect(copy.heads == original.heads, "seed \(seed)")
            #expect(isSameOrder, "seed \(seed)")
            for operation in operations {
                #expect(copy.refusal(of: operation.id) == original.refusal(of: operation.id), "seed \(seed)")
            }
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `there is always one owner, who is a member`(seed: UInt64) throws {
        let state = try RandomLedger(seed: seed, count: 60).group.ledger.state
        #expect(state.members.filter { $0.role == .owner }.map(\.user) == [state.owner], "seed \(seed)")
        #expect(state.members.map(\.user) == state.members.map(\.user).sorted())
        #expect(state.devices.map(\.device) == state.devices.map(\.device).sorted())
        for device in state.devices where device.isCurrent { #expect(state.isMember(device.user), "seed \(seed)") }
    }

    /// Powers end with the cut: who is neither owner nor admin nor heir now, nor was owner once, can add what it wants.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `whoever has no power takes nobody's place or role, whatever parents it claims`(seed: UInt64) throws {
        var random = try RandomLedger(seed: seed, count: 60)
        for index in RandomLedger.people.indices {
            let person = RandomLedger.people[index]
            let before = random.group.ledger.state
            let wasOwner =
                index == 0
                || random.group.ledger.allOperations.contains {
                    guard case .transfer(let transfer) = $0.operation.body else { return false }
                    return transfer.newOwner == person.user && random.group.ledger.refusal(of: $0.id) == nil
                }
            guard !before.isAtLeastAdmin(person.user), before.heir != person.user, !wasOwner else { continue }
            let start = random.group.ledger
            for _ in 0..<10 { try random.addOne(by: index) }
            let added = random.group.ledger.allOperations.filter { !start.contains($0.id) }
            // The account key's word voids what its own devices did, admissions included; a former admin's departure
            // what it did as an admin.
            let mayMatter: Set<OperationBody.Kind> = [.revokeDevice, .leave]
            guard !added.contains(where: { mayMatter.contains($0.operation.body.kind) }) else {
                random.group.ledger = start
                continue
            }
            let after = random.group.ledger.state
            #expect(after.owner == before.owner, "seed \(seed), account \(index)")
            #expect(after.title == before.title, "seed \(seed), account \(index)")
            #expect(after.settings == before.settings, "seed \(seed), account \(index)")
            for member in before.members where member.user != person.user {
                #expect(after.role(of: member.user) == member.role, "seed \(seed), account \(index)")
            }
            random.group.ledger = start
        }
    }

    /// After an honest removal the removed add nothing, not even a newcomer.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `what a removed account adds past the cut changes nothing`(seed: UInt64) throws {
        var random = try RandomLedger(seed: seed, count: 60)
        let owner = random.group.ledger.state.owner
        guard let ownerIndex = RandomLedger.people.firstIndex(where: { $0.user == owner }),
            random.group.ledger.state.isCurrentMember(device: RandomLedger.people[ownerIndex].device)
        else { return }
        let identity = RandomLedger.people[ownerIndex].identity
        for index in 1..<12 where RandomLedger.people[index].user != owner {
            let person = RandomLedger.people[index]
            guard random.group.has(person) else { continue }
            let start = random.group.ledger
            try random.group.perform(random.group.removal(of: person), by: identity)
            let known = Set(random.group.ledger.allOperations.map(\.id))
            let before = random.group.ledger.state
            for _ in 0..<10 { try random.addOne(by: index) }
            let added = random.group.ledger.allOperations.filter { !known.contains($0.id) }
            let mayMatter: Set<OperationBody.Kind> = [.revokeDevice, .transfer, .leave]
            if !added.contains(where: { mayMatter.contains($0.operation.body.kind) }) {
                let after = random.group.ledger.state
                #expect(after.members == before.members, "seed \(seed), account \(index)")
                #expect(after.invites == before.invites, "seed \(seed), account \(index)")
                #expect(after.title == before.title, "seed \(seed), account \(index)")
                #expect(after.settings == before.settings, "seed \(seed), account \(index)")
            }
            random.group.ledger = start
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `two ledgers exchange what the other lacks by tips`(seed: UInt64) throws {
        var random = try RandomLedger(seed: seed, count: 60)
        let all = random.group.ledger.allOperations
        var sides = [try Ledger(founding: all[0]), try Ledger(founding: all[0])]
        for operation in all.dropFirst() {
            for index in 0...1 where Int.random(in: 0..<10, using: &random.generator) > 0 {
                let isComplete = operation.operation.parents.allSatisfy(sides[index].contains)
                if isComplete { _ = try sides[index].insert(operation) }
            }
        }
        for _ in 0..<8 {
            for (from, to) in [(0, 1), (1, 0)] {
                for operation in sides[from].operations(missingFrom: sides[to].tips) {
                    guard case .pending(let missing) = try sides[to].insert(operation) else { continue }
                    // The other branch of a forked chain, which tips alone did not show: asked for by name.
                    for other in missing.flatMap(sides[from].ancestry) { _ = try sides[to].insert(other) }
                }
            }
        }
        let isSame = sides[0].allOperations == sides[1].allOperations
        #expect(isSame, "seed \(seed)")
        #expect(sides.map(\.pendingCount) == [0, 0], "seed \(seed)")
        #expect(sides[0].operations(missingFrom: sides[1].tips).isEmpty, "seed \(seed)")
    }
}
