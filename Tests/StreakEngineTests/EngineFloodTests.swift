import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// A member who signs more than any honest one can only be a nuisance to a group.
struct EngineFloodTests {
    @Test func `a member that shows everybody other branches of its chain does not split the group`() throws {
        var party = try EngineNetwork.friends(3)
        let mallory = party.nodes[2].engine.identity
        let heads = try #require(party.nodes[2].engine.core.groups[party.group]?.ledger.heads)
        let group = party.group
        party.partition([[0], [1], [2]])
        for target in 0...1 {
            // Each counts: a device may be published again and again.
            let forks = try (0..<UInt64(Ledger.maximumBranches)).map { index in
                try SignedOperation(
                    signing: LedgerOperation(
                        group: party.group, author: mallory.device, number: 1, previous: OperationID(bytes: .zero),
                        parents: heads, time: Int64(index) + 1_000 * Int64(target),
                        body: .addDevice(mallory.certificate)),
                    with: mallory.signingKey)
            }
            try party.corrupt(target) { engine in
                var change = DurableChange()
                for fork in forks { _ = try engine.core.insert(fork, in: group, change: &change) }
                engine.core.ledgerChanged(group, change: change, then: [])
            }
            let ledger = try #require(party.nodes[target].engine.core.groups[party.group]?.ledger)
            #expect(ledger.tips.count { $0.device == mallory.device } == Ledger.maximumBranches)
        }
        #expect(party.command(.rename(party.group, title: "Ours"), at: 0) == .done)
        _ = try party.invite(by: 1)
        for index in 0...1 {
            let operations = party.nodes[index].engine.core.groups[party.group]?.ledger.operations(
                from: party.device(index), after: 0)
            #expect(operations?.last?.operation.parents.count ?? 0 > LedgerOperation.maximumParents - 3)
        }
        party.partition([[0, 1], [2]])
        party.run(for: .seconds(120))
        // Nodes may differ about the liar's own devices until it is removed, but not about anybody else's.
        for index in 0...1 {
            let state = try party.state(index)
            #expect(state.title == "Ours" && state.invites.count == 2)
        }
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(10))
        #expect(try party.state(1).isMember(mallory.user) == false)
        #expect(party.nodes[0].engine.digest(of: party.group) == party.nodes[1].engine.digest(of: party.group))
        #expect(try party.state(0).members == party.state(1).members)
        // A newcomer gets all of it.
        let entropy = SeededEntropy(seed: 4_242)
        var own = entropy
        let account = SigningSecretKey.generate(from: &own)
        party.add(DeviceIdentity.create(accountKey: account, from: &own), entropy: own)
        try party.join(3, by: party.invite(by: 1))
        party.run(for: .seconds(5))
        #expect(party.nodes[3].engine.digest(of: party.group) == party.nodes[1].engine.digest(of: party.group))
    }

    // MARK: Large ledgers

    /// A member's operations of some 1,100 bytes each.
    private func bulk(_ count: Int, by identity: DeviceIdentity, in ledger: Ledger) throws -> [SignedOperation] {
        var previous = ledger.operations(from: identity.device, after: 0).last
        return try (0..<count).map { index in
            let operation = try SignedOperation(
                signing: LedgerOperation(
                    group: ledger.group, author: identity.device, number: (previous?.operation.number ?? 0) + 1,
                    previous: previous?.id ?? OperationID(bytes: .zero), parents: previous.map { [$0.id] } ?? [],
                    time: Int64(index), body: .rename("Large \(index)"), tail: Array(repeating: 7, count: 1_024)),
                with: identity.signingKey)
            previous = operation
            return operation
        }
    }

    @Test func `a ledger larger than what a link queues is sent as fast as it is taken`() throws {
        var limits = LinkLimits()
        limits.maximumQueuedByteCount = 128 << 10
        var party = EngineNetwork(accounts: [0, 1, 2], linkLimits: limits)
        party.group = try party.found(by: 0)
        let group = party.group
        let ledger = try #require(party.nodes[0].engine.core.groups[group]?.ledger)
        let operations = try bulk(500, by: party.nodes[0].engine.identity, in: ledger)
        try party.corrupt(0) { engine in
            var change = DurableChange()
            for operation in operations { _ = try engine.core.insert(operation, in: group, change: &change) }
            engine.core.ledgerChanged(group, change: change, then: [])
        }
        let link = try party.invite(by: 0)
        for index in 1...2 { try party.join(index, by: link) }
        party.run(for: .seconds(20))
        #expect(party.digests().count == 1)
        #expect(
            party.nodes[2].engine.core.groups[group]?.ledger.count
                == party.nodes[0].engine.core.groups[group]?.ledger.count)
    }

    @Test func `what a welcome may bring is bounded`() throws {
        var party = EngineNetwork(accounts: [0, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        party.begin(.join(link, timeout: .seconds(30)), at: 1)
        party.run(for: .seconds(30)) { party in
            party.nodes[1].engine.admission.joins.values.contains {
                if case .welcomed = $0.stage { true } else { false }
            }
        }
        let handle = party.handle
        let found = party.nodes[0].engine.core.groups[party.group]?.ledger.allOperations.map(\.bytes) ?? []
        party.corrupt(1) { engine in
            guard let id = engine.admission.joins.keys.first,
                case .welcomed(let link)? = engine.admission.joins[id]?.stage
            else {
                Issue.record("not welcomed")
                return
            }
            engine.admission.joins[id]?.intake?.size = LedgerIntake.maximumSize
            _ = engine.admission.receivedOperationsWhileJoining(
                found, isFinal: true, handle: handle, over: link, core: &engine.core)
            #expect(engine.admission.joins[id]?.stage == .dialling && engine.admission.joins[id]?.intake == nil)
            #expect(engine.core.groups.isEmpty)
        }
    }

    @Test func `what a member pushes without end is looked at in its pace`() throws {
        var party = try EngineNetwork.friends(2)
        let group = party.group
        let author = party.nodes[1].engine.identity
        let heads = try #require(party.nodes[1].engine.core.groups[group]?.ledger.heads)
        var previous = party.nodes[1].engine.core.groups[group]?.ledger.longestTip(of: author.device)
        var number = UInt64(0)
        let pushed = try (0..<400).map { index in
            number += 1
            let operation = try SignedOperation(
                signing: LedgerOperation(
                    group: group, author: author.device, number: number, previous: previous ?? .none,
                    parents: previous.map { [$0] } ?? heads, time: 0,
                    body: .invite(
                        InviteSecrets(seed: Bytes16(9, UInt64(index))).terms(maximumUses: 1, expiresAt: 1))),
                with: author.signingKey)
            previous = operation.id
            return operation
        }
        let before = try #require(party.nodes[0].engine.core.groups[group]?.ledger.count)
        for start in stride(from: 0, to: pushed.count, by: 100) {
            let batch = pushed[start..<(start + 100)].map(\.bytes)
            party.say(.operations(party.handle, batch, isFinal: false), from: 1, to: 0)
        }
        let taken = try #require(party.nodes[0].engine.core.groups[group]?.ledger.count) - before
        // The first at once, and a few in the time that this took.
        #expect((ChargedWork.pushedOperations.burst...ChargedWork.pushedOperations.burst + 16).contains(taken))
        #expect(party.refusedWork(0) == [.pushedOperations])
    }

    // MARK: Strangers

    @Test func `a stranger can add only a limited number of operations that do not count`() throws {
        var party = try EngineNetwork.friends(3)
        let group = party.group
        let mallory = party.nodes[2].engine.identity
        #expect(party.command(.remove(group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(2))
        let ledger = try #require(party.nodes[0].engine.core.groups[group]?.ledger)
        let admission = try #require(ledger.allOperations.last { $0.operation.body.kind == .admit })
        let branches = try (0..<5).map { branch in
            var previous: SignedOperation?
            return try (0..<900).map { index in
                let operation = try SignedOperation(
                    signing: LedgerOperation(
                        group: group, author: mallory.device, number: UInt64(index) + 1,
                        previous: previous?.id ?? OperationID(bytes: .zero), parents: [previous?.id ?? admission.id],
                        time: Int64(branch), body: .rename("Mine")),
                    with: mallory.signingKey)
                previous = operation
                return operation
            }
        }
        let flood = branches.flatMap { $0 }
        let state = try party.state(0)
        for start in stride(from: 0, to: flood.count, by: 250) {
            let batch = flood[start..<min(start + 250, flood.count)].map(\.bytes)
            // Whoever brings them; Mallory's link is closed after some.
            party.say(.operations(party.handle, batch, isFinal: false), from: start < 1_000 ? 2 : 1, to: 0)
            let now = try #require(party.nodes[0].engine.core.groups[group]?.ledger)
            #expect(now.idleCount <= GroupReplica.maximumIdleOperations)
            #expect(now.count - now.idleCount == ledger.count - ledger.idleCount)
        }
        #expect(try party.state(0) == state)
    }

    @Test func `a device whose chain is four fifths full lets nobody in, and another does`() throws {
        var party = EngineNetwork(accounts: [0, 1, 2])
        party.group = try party.found(by: 0)
        let group = party.group
        try party.join(1, by: party.invite(by: 0))
        party.run(for: .seconds(2))
        let link = try party.invite(by: 1)
        party.run(for: .seconds(2))
        let ledger = try #require(party.nodes[0].engine.core.groups[group]?.ledger)
        let own = ledger.operations(from: party.device(0), after: 0).count
        let count = Int(Admission.maximumAdmittingNumber) - own
        for (index, isFull) in [(count - 1, false), (count, true)] {
            var copy = party
            let operations = try bulk(index, by: copy.nodes[0].engine.identity, in: ledger)
            try copy.corrupt(0) { engine in
                var change = DurableChange()
                for operation in operations { _ = try engine.core.insert(operation, in: group, change: &change) }
                engine.core.ledgerChanged(group, change: change, then: [])
            }
            copy.partition([[0, 2], [1]])
            let outcome = copy.command(.join(link, timeout: .seconds(10)), at: 2)
            #expect(outcome == (isFull ? .failed(.joinRefused(.other)) : .group(group)))
            guard isFull else { continue }
            copy.partition([])
            copy.run(for: .seconds(400))
            try copy.join(2, by: link)
        }
    }
}
