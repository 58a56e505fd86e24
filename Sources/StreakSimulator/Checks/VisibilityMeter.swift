import StreakEngine
import StreakLinks
import StreakReplication

/// Measures the time from a user's command until each other node shows the result.
public struct VisibilityMeter: Sendable {
    private var writtenAt: [[UInt8]: (instant: MonotonicInstant, node: Int)] = [:]
    private var seen: Set<Sighting> = []
    /// Nodes of which nobody asks whether they have seen a result.
    var leftOut: Set<Int> = []
    /// In the order in which they were seen.
    public private(set) var delays: [Duration] = []

    private struct Sighting: Hashable, Sendable {
        let subject: [UInt8]
        let node: Int
    }

    mutating func wrote(_ subject: [UInt8], at node: Int, now: MonotonicInstant) { writtenAt[subject] = (now, node) }

    mutating func merged(_ records: [MergedRecord], at node: Int, now: MonotonicInstant) {
        for record in records {
            guard !leftOut.contains(node), let written = writtenAt[record.key.subject], written.node != node,
                seen.insert(Sighting(subject: record.key.subject, node: node)).inserted
            else { continue }
            delays.append(written.instant.duration(to: now))
        }
    }

    /// The delay that `percent` percent of the sightings do not exceed, by the nearest rank; nil without sightings.
    public func percentile(_ percent: Double) -> Duration? {
        guard !delays.isEmpty else { return nil }
        let rank = Int((percent / 100 * Double(delays.count)).rounded(.up))
        return delays.sorted()[max(0, min(delays.count, rank) - 1)]
    }
}
