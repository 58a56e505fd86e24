import StreakReplication
import StreakWire

/// Looks for what has to happen once the faults have ended: that all agree, and nothing is under way to a disk.
public struct LivenessChecker: Sendable {
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
