import StreakEngine
import StreakReplication
import StreakWire
import Testing

@testable import StreakSimulator

/// Each rule of the safety checker against a fault planted in what a node shows.
struct SafetyCheckerTests {
    /// Node 0 has written one confirmed result; node 1 has written one that is not confirmed.
    private struct Story {
        var truth = GroundTruth()
        let confirmed = GroundTruth.Slot(node: 0, number: 0)
        let unconfirmed = GroundTruth.Slot(node: 1, number: 0)

        init() {
            var random = SimulatedRandom(seed: 1)
            for node in 0...1 {
                guard let draft = truth.draft(by: node, onlyNew: true, random: &random) else { continue }
                let command = CommandID(number: UInt64(node))
                truth.issued(command, [(draft.slot, draft.index)])
                if node == 0 { _ = truth.completed(command, .done) }
            }
        }

        func observation(
            by node: Int = 0, of results: [GroundTruth.Slot: Int], digest: UInt64 = 1, fingerprint: Int = 1,
            strange: [String] = [], knownCuts: Set<Int> = [], isWaiting: Bool = false, isAhead: Bool = false,
            isAged: Bool = false
        ) -> Observation {
            Observation(
                node: node, digest: GroupDigest(bytes: Bytes16(0, digest)), fingerprint: fingerprint,
                countingRecords: results.count, results: results, strange: strange, knownCuts: knownCuts,
                isWaiting: isWaiting, isAhead: isAhead, isAged: isAged)
        }
    }

    private func rule(_ observations: [Observation], _ truth: GroundTruth) -> SafetyChecker.Rule? {
        var checker = SafetyChecker()
        for observation in observations {
            if let violation = checker.violation(in: observation, of: truth) { return violation.rule }
        }
        return nil
    }

    @Test func `what was written and confirmed is in order`() {
        let story = Story()
        #expect(rule([story.observation(of: [story.confirmed: 1, story.unconfirmed: 2])], story.truth) == nil)
        #expect(rule([story.observation(of: [story.confirmed: 1])], story.truth) == nil)
        // Another node need not know it.
        #expect(rule([story.observation(by: 1, of: [:])], story.truth) == nil)
    }

    @Test func `a confirmed result that its own node does not show is noticed`() {
        let story = Story()
        #expect(rule([story.observation(of: [:])], story.truth) == .confirmedIsLost)
        // A disk from a backup may lack it, and a clock that was set back may delay it.
        #expect(rule([story.observation(of: [:], isAged: true)], story.truth) == nil)
        #expect(rule([story.observation(of: [:], isWaiting: true)], story.truth) == nil)
    }

    @Test func `a confirmed result that nobody shows once all agree is noticed`() {
        let story = Story()
        let shown = story.observation(by: 1, of: [:])
        #expect(SafetyChecker.lostResult(inAgreed: shown, of: story.truth, liars: [])?.rule == .confirmedIsLost)
        #expect(SafetyChecker.lostResult(inAgreed: shown, of: story.truth, liars: [0]) == nil)
    }

    @Test func `a result that nobody wrote is noticed`() {
        let story = Story()
        #expect(rule([story.observation(of: [story.confirmed: 77])], story.truth) == .unwrittenIsShown)
        let other = GroundTruth.Slot(node: 1, number: 9)
        #expect(rule([story.observation(of: [story.confirmed: 1, other: 2])], story.truth) == .unwrittenIsShown)
        let strange = story.observation(of: [story.confirmed: 1], strange: ["a result about nothing"])
        #expect(rule([strange], story.truth) == .unwrittenIsShown)
    }

    @Test func `what a member wrote after its removal is noticed where that is known`() {
        var story = Story()
        story.truth.cut(1)
        var random = SimulatedRandom(seed: 2)
        let late = story.truth.draft(by: 1, onlyNew: true, random: &random)?.slot ?? story.unconfirmed
        let results = [story.confirmed: 1, story.unconfirmed: 2, late: 3]
        #expect(rule([story.observation(of: results, knownCuts: [1])], story.truth) == .cutIsPassed)
        #expect(rule([story.observation(of: results)], story.truth) == nil)
    }

    @Test func `a node that knows where somebody is in no group with it is noticed`() {
        var story = Story()
        let groups = [UInt64(1), 2].map { GroupID(bytes: Bytes32($0, 0, 0, 0)) }
        story.truth.join(0, groups[0])
        story.truth.join(1, groups[0])
        story.truth.join(1, groups[1])
        story.truth.join(2, groups[1])
        func knowing(_ nodes: Set<Int>) -> SafetyChecker.Rule? {
            var shown = story.observation(of: [story.confirmed: 1])
            shown.located = nodes
            return rule([shown], story.truth)
        }
        #expect(knowing([1]) == nil)
        #expect(knowing([1, 2]) == .placeIsLeaked)
        #expect(SafetyChecker.leak(to: 2, of: [1], truth: story.truth) == nil)
        #expect(SafetyChecker.leak(to: 2, of: [0], truth: story.truth)?.rule == .placeIsLeaked)
    }

    @Test func `a node that tells a stranger's address as its own is noticed`() {
        let story = Story()
        var shown = story.observation(of: [story.confirmed: 1])
        shown.strangeEndpoints = ["198.51.100.1:7420"]
        #expect(rule([shown], story.truth) == .strangeAddressIsTold)
    }

    @Test func `a node that holds whereabouts of too many devices is noticed`() {
        let story = Story()
        var shown = story.observation(of: [story.confirmed: 1])
        shown.whereaboutsCount = 576
        #expect(rule([shown], story.truth) == nil)
        shown.whereaboutsCount = 577
        #expect(rule([shown], story.truth) == .whereaboutsAreHoarded)
    }

    @Test func `equal digests over different records are noticed`() {
        let story = Story()
        let results = [story.confirmed: 1]
        let first = story.observation(of: results)
        let other = story.observation(by: 1, of: results, fingerprint: 2)
        #expect(rule([first, other], story.truth) == .digestIsAmbiguous)
        // The same node at another moment counts as another state.
        #expect(rule([first, story.observation(of: results, fingerprint: 2)], story.truth) == .digestIsAmbiguous)
        #expect(rule([first, story.observation(of: results, digest: 2, fingerprint: 2)], story.truth) == nil)
        #expect(rule([first, story.observation(of: results, fingerprint: 2, isWaiting: true)], story.truth) == nil)
        #expect(rule([first, story.observation(of: results, fingerprint: 2, isAhead: true)], story.truth) == nil)
    }
}
