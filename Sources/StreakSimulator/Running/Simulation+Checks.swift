import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What must hold: always, whenever digests are equal, and at the end.
extension Simulation {
    /// The longest time between two checks of a node whose state has changed.
    static let momentInterval: Duration = .seconds(1)

    /// Checks every node that has changed since the last check.
    mutating func checkMoment() {
        nextMoment = now.advanced(by: Self.momentInterval)
        guard checksSafety else { return }
        for index in changedNodes.sorted() {
            guard let observation = observation(of: index) else { continue }
            report(safety.violation(in: observation, of: ground))
        }
        changedNodes = []
        for liar in liars.sorted() {
            let told = nodes[liar].liar?.told.map(\.device) ?? []
            report(SafetyChecker.leak(to: liar, of: othersAmong(told, than: liar), truth: ground))
        }
        if let overdue = liveness.overdue(at: now) { fail(overdue, .liveness) }
    }

    private mutating func report(_ violation: SafetyChecker.Violation?) {
        guard let violation else { return }
        fail(violation.text, .safety(violation.rule))
    }

    /// The honest running nodes that are members.
    var activeMembers: [Int] {
        guard let group = ground.group else { return [] }
        return nodes.indices.filter { nodes[$0].ask { $0.isMember(of: group) } ?? false }
    }

    private var standings: [LivenessChecker.Standing] {
        guard let group = ground.group else { return [] }
        return activeMembers.map { index in
            LivenessChecker.Standing(
                node: index, digest: nodes[index].ask { $0.digest(of: group) } ?? nil,
                pendingCount: nodes[index].pending.count)
        }
    }

    /// Why the running members do not agree; nil if they do.
    var disagreement: String? { LivenessChecker().disagreement(among: standings) }

    /// Whether every running member is linked with all others.
    var isFullyLinked: Bool { areLinked(activeMembers) }

    /// Whether each of some nodes is linked with all others of them.
    func areLinked(_ members: [Int]) -> Bool {
        let devices = Set(members.map { nodes[$0].identity.device })
        return members.allSatisfy { member in
            let linked = nodes[member].ask { $0.linkedDevices.map(\.device) } ?? []
            return devices.subtracting(linked) == [nodes[member].identity.device]
        }
    }

    /// Whether every running member knows that all others are online.
    var isPresenceKnown: Bool {
        guard let group = ground.group else { return false }
        let members = activeMembers
        let devices = members.map { nodes[$0].identity.device }
        return members.allSatisfy { member in
            let own = nodes[member].identity.device
            return nodes[member].ask { engine in
                devices.allSatisfy { $0 == own || engine.route(to: $0, in: group) != nil }
            } ?? false
        }
    }

    /// Once all agree: they show the same, and nothing confirmed is missing or undone.
    mutating func checkAgreement() {
        changedNodes.formUnion(activeMembers)
        checkMoment()
        // By now, every node has recovered its own missing records.
        for member in activeMembers {
            nodes[member].isAged = false
            guard let observation = observation(of: member), !observation.isWaiting else { continue }
            report(SafetyChecker.lostResult(inAgreed: observation, of: ground, liars: liars))
        }
        checkTalk()
        checkEvents()
    }

    /// Whether a node knows that it is no longer in a group, and has stored all that follows.
    func hasLost(_ node: Int, _ group: GroupID) -> Bool {
        nodes[node].lostGroups.contains(group) && nodes[node].pending.isEmpty
    }

    /// A node that is no longer in a group has no records of others, not even on disk.
    mutating func checkHoldsNothing(of group: GroupID, at node: Int) {
        let own = nodes.filter { $0.identity.user == nodes[node].identity.user }.map(\.identity.device)
        if !nodes[node].store.authors(in: group).isSubset(of: own) {
            fail("node \(node) is no longer a member and holds records of others", .safety(.cutIsPassed))
        }
        let shown = nodes[node].engine?.mergedRecords(of: group) ?? []
        if shown.contains(where: { $0.key.user != nodes[node].identity.user }) {
            fail("node \(node) is no longer a member and shows records of others", .safety(.cutIsPassed))
        }
    }

    /// The most bytes that any honest node has sent since the lies began.
    var largestTraffic: Int {
        nodes.indices.filter { !liars.contains($0) }
            .map { nodes[$0].sentByteCount - nodes[$0].sentByteCountBeforeLies }.max() ?? 0
    }

    /// What each node has, to find out why they differ.
    var standing: String {
        guard let group = ground.group else { return "no group" }
        return nodes.indices.map { index -> String in
            guard let engine = nodes[index].engine else {
                return "  node \(index): " + (nodes[index].liar == nil ? "down" : "lies")
            }
            let digest = engine.digest(of: group).map { $0.description.prefix(8) } ?? "no group"
            let links = engine.linkedDevices.map { linked in
                nodes.first { $0.identity.device == linked.device }.map { "\($0.index)" } ?? "?"
            }
            return "  node \(index): \(digest), \(engine.recordCount(of: group)) records, "
                + "\(engine.state(of: group)?.members.count ?? 0) members, linked to \(links.joined(separator: " "))"
        }.joined(separator: "\n")
    }
}
