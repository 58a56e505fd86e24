import StreakEngine
import StreakReplication

/// Measures how long a result takes from its user's command until each other node shows it.
public struct VisibilityMeter: Sendable {
    private var writtenAt: [[UInt8]: (instant: MonotonicInstant, node: Int)] = [:]
    private var seen: Set<Sighting> = []
    /// In the order of the sightings.
    public private(set) var delays: [Duration] = []

    private struct Sighting: Hashable, Sendable {
        let subject: [UInt8]
        let node: Int
    }

    mutating func wrote(_ subject: [UInt8], at node: Int, now: MonotonicInstant) { writtenAt[subject] = (now, node) }

    mutating func merged(_ records: [MergedRecord], at node: Int, now: MonotonicInstant) {
        for record in records {
            guard let written = writtenAt[record.key.subject], written.node != node,
                seen.insert(Sighting(subject: record.key.subject, node: node)).inserted
            else { continue }
            delays.append(written.instant.duration(to: now))
        }
    }

    /// The delay that a share of all sightings does not exceed; nil where there were none.
    public func percentile(_ share: Double) -> Duration? {
        let sorted = delays.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }
}
