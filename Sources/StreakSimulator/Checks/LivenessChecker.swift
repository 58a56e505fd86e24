import StreakEngine
import StreakLinks
import StreakReplication
import StreakWire

/// Looks for what has to happen, and in what time: that each change is seen by all who can be reached, and that all agree, with
/// nothing under way to a disk, once the faults have ended.
public struct LivenessChecker: Sendable {
    /// A new result on its way to the others.
    private struct Change: Sendable {
        let author: Int
        /// When all have to show it; nil until its user was told that it is stored.
        var due: MonotonicInstant?
        /// Who does not show it yet.
        var waiting: Set<Int>
    }

    /// How long after its confirmation a result may be missing anywhere; nil while none is demanded.
    private(set) var limit: Duration?
    private var changes: [[UInt8]: Change] = [:]

    /// Demands from now on that each change is everywhere in time, or no longer.
    mutating func expectEachChange(within limit: Duration?) {
        self.limit = limit
        changes = [:]
    }

    /// A node's user writes a result that others run to see.
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

    /// A node went down: it has to catch up when it comes back, and is not waited for.
    mutating func stopped(_ node: Int) {
        for subject in changes.keys { shown(subject, at: node) }
    }

    /// A change that has not come everywhere in its time; nil if there is none.
    func overdue(at now: MonotonicInstant) -> String? {
        let late = changes.values.filter { $0.due.map { $0 < now } ?? false }
        guard let first = late.min(by: { ($0.due ?? .zero, $0.author) < ($1.due ?? .zero, $1.author) }) else {
            return nil
        }
        let nodes = first.waiting.sorted().map(String.init).joined(separator: ", ")
        return "a result of node \(first.author) did not reach \(nodes) in time"
    }

    /// How one running member stands.
    struct Standing: Sendable {
        let node: Int
        let digest: GroupDigest?
        /// Transactions on their way to its disk: they may still change its digest.
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
