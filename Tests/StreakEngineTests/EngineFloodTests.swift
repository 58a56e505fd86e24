import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// What somebody who signs more than anybody honest would can do to a group: be a nuisance.
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
        // What the liar says of its own device may differ until it is removed; what the others say may not.
        for index in 0...1 {
            let state = try party.state(index)
            #expect(state.title == "Ours" && state.invites.count == 2)
        }
        #expect(party.command(.remove(party.group, party.user(2)), at: 0) == .done)
        party.run(for: .seconds(10))
        #expect(try party.state(1).isMember(mallory.user) == false)
        #expect(party.nodes[0].engine.digest(of: party.group) == party.nodes[1].engine.digest(of: party.group))
        #expect(try party.state(0).members == party.state(1).members)
        // Who joins now is given all of it.
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

    // MARK: Who is no member

    @Test func `of what counts for nothing no more than so much is taken from who is no member`() throws {
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
        try party.corrupt(0) { engine in
            var change = DurableChange()
            for operation in flood.prefix(Sync.maximumRefusedOperations) {
                _ = try engine.core.insert(operation, in: group, change: &change)
            }
        }
        let more = flood[Sync.maximumRefusedOperations]
        party.say(.operations(party.handle, [more.bytes], isFinal: false), from: 2, to: 0)
        #expect(party.nodes[0].engine.core.groups[group]?.ledger.contains(more.id) == false)
        // A member's word is taken, since it may have had to take it itself; what is idle then does not stay.
        let state = try party.state(0)
        party.say(.operations(party.handle, [more.bytes], isFinal: false), from: 1, to: 0)
        #expect(party.nodes[0].engine.core.groups[group]?.ledger.idleCount == 0)
        #expect(party.nodes[0].engine.core.groups[group]?.ledger.count == ledger.count)
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
