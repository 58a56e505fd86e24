import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What must hold: always, whenever digests are equal, and in the end.
extension Simulation {
    /// After every step: cheap.
    mutating func checkInvariants(of index: Int) {
        guard let engine = nodes[index].engine else { return }
        if !engine.runsLeftOut.isEmpty {
            fail("node \(index) left out \(engine.runsLeftOut.count) runs of its own store")
        }
    }

    /// What was due has been done.
    mutating func checkDeadline(of index: Int) {
        guard let deadline = nodes[index].engine?.nextDeadline,
            deadline.nanoseconds < now.nanoseconds - nodes[index].startedAt.nanoseconds
        else { return }
        fail("node \(index) wants to be woken in the past, at \(deadline)")
    }

    /// The nodes that run and are members.
    var activeMembers: [Int] {
        guard let group = ground.group else { return [] }
        return nodes.indices.filter { nodes[$0].engine?.isMember(of: group) ?? false }
    }

    /// Whether all running members agree.
    var hasConverged: Bool {
        guard let group = ground.group else { return true }
        let digests = activeMembers.map { nodes[$0].engine?.digest(of: group) }
        return digests.allSatisfy { $0 == digests.first }
    }

    /// Whether every running member sees all others.
    var isFullyLinked: Bool {
        let members = activeMembers
        let devices = Set(members.map { nodes[$0].identity.device })
        return members.allSatisfy { member in
            let linked = nodes[member].engine?.linkedDevices.map(\.device) ?? []
            return devices.subtracting(linked) == [nodes[member].identity.device]
        }
    }

    /// Safety: what two nodes with equal digests show is equal, and nothing that was confirmed is missing or undone.
    mutating func checkAgreement() {
        guard let group = ground.group else { return }
        let members = activeMembers
        guard let first = members.first, let engine = nodes[first].engine else { return }
        let records = engine.mergedRecords(of: group)
        for member in members.dropFirst() where nodes[member].engine?.mergedRecords(of: group) != records {
            fail("nodes \(first) and \(member) have equal digests and show different records")
        }
        let counts = members.map { nodes[$0].engine?.countingRecordCount(of: group) ?? 0 }
        if Set(counts).count > 1 { fail("equal digests over different numbers of records: \(counts)") }
        checkNothingIsLost(records)
    }

    /// Whether a node knows that it is in no more, and all it does about that is on its disk.
    func hasLost(_ node: Int, _ group: GroupID) -> Bool {
        let told = nodes[node].events.contains { if case .lostGroup(group, _) = $0 { true } else { false } }
        return told && nodes[node].pending.isEmpty
    }

    /// Who is in no more holds nobody else's records, on its disk neither.
    mutating func checkHoldsNothing(of group: GroupID, at node: Int) {
        let own = nodes.filter { $0.identity.user == nodes[node].identity.user }.map(\.identity.device)
        if !nodes[node].store.authors(in: group).isSubset(of: own) {
            fail("node \(node) is in no more and holds records of others")
        }
        let shown = nodes[node].engine?.mergedRecords(of: group) ?? []
        if shown.contains(where: { $0.key.user != nodes[node].identity.user }) {
            fail("node \(node) is in no more and shows records of others")
        }
    }

    private mutating func checkNothingIsLost(_ records: [MergedRecord]) {
        var values: [RecordKey: [UInt8]] = [:]
        for record in records { values[record.key] = record.value }
        for slot in ground.slots {
            let key = RecordKey(
                user: nodes[slot.node].identity.user, kind: RecordKind.dailyScore.rawValue,
                subject: DailyScore.recordSubject(of: slot.key))
            let shown = shownScore(values[key], subject: key.subject)
            let allowed = ground.erased.contains(slot.node) ? [nil] : ground.allowedValues(of: slot)
            if !allowed.contains(shown) {
                let found = shown.map { "\($0)" } ?? "nothing"
                let wanted = allowed.map { $0.map { "\($0)" } ?? "nothing" }.joined(separator: " or ")
                fail("result \(slot.number) of node \(slot.node) is \(found), not \(wanted)")
                return
            }
        }
    }

    /// The score that a merged value holds; nil for none or a withdrawn one.
    private func shownScore(_ value: [UInt8]?, subject: [UInt8]) -> Int? {
        guard let value, !value.isEmpty else { return nil }
        // Only what this simulation wrote is looked at; -1 is no value it ever writes.
        return (try? DailyScore(subject: subject, value: value, time: .zero))?.score ?? -1
    }

    /// What each node holds, for whoever has to find out why they differ.
    var standing: String {
        guard let group = ground.group else { return "no group" }
        return nodes.indices.map { index -> String in
            guard let engine = nodes[index].engine else { return "  node \(index): down" }
            let digest = engine.digest(of: group).map { $0.description.prefix(8) } ?? "no group"
            let links = engine.linkedDevices.map { linked in
                nodes.first { $0.identity.device == linked.device }.map { "\($0.index)" } ?? "?"
            }
            return "  node \(index): \(digest), \(engine.recordCount(of: group)) records, "
                + "\(engine.state(of: group)?.members.count ?? 0) members, linked to \(links.joined(separator: " "))"
        }.joined(separator: "\n")
    }
}
