import StreakEngine
import StreakLinks
import StreakReplication
import StreakWire

/// Checks what must happen in time: each change becomes visible to all reachable members, and after the faults all
/// agree, with nothing left to write to a disk.
public struct LivenessChecker: Sendable {
    /// A new result that is not visible everywhere yet.
    private struct Change: Sendable {
        let author: Int
        /// When everybody must show it; nil until its user got the confirmation.
        var due: MonotonicInstant?
        /// The nodes that do not show it yet.
        var waiting: Set<Int>
    }

    /// How long after its confirmation a result may be missing anywhere; nil for no limit.
    private(set) var limit: Duration?
    private var changes: [[UInt8]: Change] = [:]

    /// Sets or removes the limit for each change from now on.
    mutating func expectEachChange(within limit: Duration?) {
        self.limit = limit
        changes = [:]
    }

    /// A node's user writes a result that the running nodes must show.
    mutating func wrote(_ subject: [UInt8], by author: Int, awaitedAt nodes: [Int]) {
        guard limit != nil else { return }
        changes[subject] = Change(author: author, due: nil, waiting: Set(nodes).subtracting([author]))
    }

    mutating func confirmed(_ subject: [UInt8], at now: MonotonicInstant) {
        guard let limit else { return }
        changes[subject]?.due = now.advanced(by: limit)
    }

    mutating func shown(_ subject: [UInt8], at node: Int) {
        guard changes[subject]?.waiting.remove(node) != nil, changes[subject]?.waiting.isEmpty ?? false else { return }
        changes[subject] = nil
    }

    /// A node stopped: it must catch up when it comes back, and is not waited for.
    mutating func stopped(_ node: Int) {
        for subject in changes.keys { shown(subject, at: node) }
    }

    /// A change that is not visible everywhere in time; nil if there is none.
    func overdue(at now: MonotonicInstant) -> String? {
        let late = changes.values.filter { $0.due.map { $0 < now } ?? false }
        guard let first = late.min(by: { ($0.due ?? .zero, $0.author) < ($1.due ?? .zero, $1.author) }) else {
            return nil
        }
        let nodes = first.waiting.sorted().map(String.init).joined(separator: ", ")
        return "a result of node \(first.author) did not reach \(nodes) in time"
    }

    /// The state of one running member.
    struct Standing: Sendable {
        let node: Int
        let digest: GroupDigest?
        /// Transactions not on disk yet. They may still change the digest.
        let pendingCount: Int
    }

    /// Why the nodes do not agree yet; nil if they do.
    func disagreement(among standings: [Standing]) -> String? {
        guard standings.allSatisfy({ $0.digest == standings.first?.digest }) else {
            let parties = Dictionary(grouping: standings) { $0.digest?.description ?? "" }
            let lists = parties.values.map { party in party.map { "\($0.node)" }.joined(separator: ", ") }.sorted()
            return "nodes " + lists.joined(separator: " differ from ")
        }
        return standings.first { $0.pendingCount > 0 }.map { "node \($0.node) is still writing" }
    }
}
