import StreakEngine
import StreakReplication
import StreakWire

/// Checks what must never happen, whatever networks, disks, clocks and liars do.
public struct SafetyChecker: Sendable {
    /// A rule that must always hold.
    public enum Rule: Sendable, Equatable, CaseIterable {
        /// A result is missing although its user got the confirmation.
        case confirmedIsLost
        /// A result is visible that its user never wrote.
        case unwrittenIsShown
        /// A node that knows of a removal shows something that the removed member wrote afterwards.
        case cutIsPassed
        /// Two nodes with equal digests, or one node at two moments, show different records, and none is quarantined or
        /// ahead.
        case digestIsAmbiguous
        /// A node learns where somebody is who was never in a group with it.
        case placeIsLeaked
        /// A node tells an address as its own that neither it nor its router ever had.
        case strangeAddressIsTold
        /// A node holds whereabouts of more devices than it may.
        case whereaboutsAreHoarded
    }

    /// Of devices in its groups, and of others (Protocol/reachability.md §6).
    static let maximumWhereabouts = 512 + 64

    struct Violation: Equatable {
        let rule: Rule
        let text: String
    }

    /// The state first seen with each digest, and at which node.
    private var states: [GroupDigest: (node: Int, fingerprint: Int, countingRecords: Int)] = [:]

    /// Checks one node; nil if nothing is wrong.
    mutating func violation(in observation: Observation, of truth: GroundTruth) -> Violation? {
        let node = observation.node
        if let strange = observation.strange.first {
            return Violation(rule: .unwrittenIsShown, text: "node \(node) shows \(strange), which nobody wrote")
        }
        for slot in observation.results.keys.sorted() {
            guard let value = observation.results[slot] else { continue }
            guard truth.histories[slot]?.contains(where: { $0.value == value }) ?? false else {
                return Violation(
                    rule: .unwrittenIsShown, text: "node \(node) shows \(value) as \(slot), which nobody wrote")
            }
            if observation.knownCuts.contains(slot.node), !truth.allowedValues(of: slot).contains(value) {
                return Violation(
                    rule: .cutIsPassed, text: "node \(node) shows \(value) as \(slot), written after the removal")
            }
        }
        if let strange = observation.strangeEndpoints.first {
            return Violation(rule: .strangeAddressIsTold, text: "node \(node) tells a stranger's \(strange) as its own")
        }
        if observation.whereaboutsCount > Self.maximumWhereabouts {
            let text = "node \(node) holds whereabouts of \(observation.whereaboutsCount) devices"
            return Violation(rule: .whereaboutsAreHoarded, text: text)
        }
        return Self.leak(to: node, of: observation.located, truth: truth)
            ?? lostResult(in: observation, of: truth) ?? ambiguity(of: observation)
    }

    /// Where somebody is, told to a node in no group with it.
    static func leak(to node: Int, of located: Set<Int>, truth: GroundTruth) -> Violation? {
        located.sorted().first { !truth.haveSharedGroup(node, $0) }.map {
            Violation(rule: .placeIsLeaked, text: "node \(node) knows where node \($0) is, in no group with it")
        }
    }

    /// A node must have its own results: no lost message excuses their absence.
    private func lostResult(in observation: Observation, of truth: GroundTruth) -> Violation? {
        guard !observation.isAged, !observation.isWaiting, !truth.isCut(observation.node),
            !truth.erased.contains(observation.node)
        else { return nil }
        return truth.slots.lazy.filter { $0.node == observation.node }.compactMap { slot in
            Self.loss(of: slot, in: observation, of: truth)
        }.first
    }

    /// What every node must show once all agree: everybody's confirmed results.
    static func lostResult(inAgreed observation: Observation, of truth: GroundTruth, liars: Set<Int>) -> Violation? {
        truth.slots.lazy.filter { !liars.contains($0.node) }.compactMap { loss(of: $0, in: observation, of: truth) }
            .first
    }

    private static func loss(
        of slot: GroundTruth.Slot, in observation: Observation, of truth: GroundTruth
    ) -> Violation? {
        let shown = observation.results[slot]
        let allowed = truth.erased.contains(slot.node) ? [nil] : truth.allowedValues(of: slot)
        guard !allowed.contains(shown) else { return nil }
        let found = shown.map { "\($0)" } ?? "nothing"
        let wanted = allowed.map { $0.map { "\($0)" } ?? "nothing" }.joined(separator: " or ")
        return Violation(
            rule: .confirmedIsLost,
            text: "at node \(observation.node) result \(slot.number) of node \(slot.node) is \(found), not \(wanted)")
    }

    private mutating func ambiguity(of observation: Observation) -> Violation? {
        guard !observation.isWaiting, !observation.isAhead else { return nil }
        guard let first = states[observation.digest] else {
            states[observation.digest] = (
                observation.node, observation.fingerprint, observation.countingRecords
            )
            return nil
        }
        guard first.fingerprint != observation.fingerprint || first.countingRecords != observation.countingRecords
        else { return nil }
        return Violation(
            rule: .digestIsAmbiguous,
            text: "nodes \(first.node) and \(observation.node) have equal digests and show different records "
                + "(\(first.countingRecords) and \(observation.countingRecords) count)")
    }
}
