import StreakEngine
import StreakLinks
import StreakReplication
import StreakWire
import Testing

@testable import StreakSimulator

struct LivenessCheckerTests {
    private func standing(_ node: Int, _ digest: UInt64, pending: Int = 0) -> LivenessChecker.Standing {
        LivenessChecker.Standing(node: node, digest: GroupDigest(bytes: Bytes16(0, digest)), pendingCount: pending)
    }

    @Test func `nodes with equal digests and quiet disks agree`() {
        #expect(LivenessChecker().disagreement(among: [standing(0, 1), standing(1, 1)]) == nil)
        #expect(LivenessChecker().disagreement(among: []) == nil)
    }

    @Test func `a node that lags behind is named`() {
        let text = LivenessChecker().disagreement(among: [standing(0, 1), standing(1, 2), standing(2, 1)])
        #expect(text == "nodes 0, 2 differ from 1")
    }

    @Test func `what is on its way to a disk is waited for`() {
        let text = LivenessChecker().disagreement(among: [standing(0, 1), standing(1, 1, pending: 1)])
        #expect(text == "node 1 is still writing")
    }
}

/// The time limit for each change.
struct ChangeDeadlineTests {
    private func checker() -> LivenessChecker {
        var checker = LivenessChecker()
        checker.expectEachChange(within: .seconds(1))
        checker.wrote([7], by: 0, awaitedAt: [0, 1, 2])
        return checker
    }

    private func at(_ milliseconds: Int64) -> MonotonicInstant { .zero.advanced(by: .milliseconds(milliseconds)) }

    @Test func `a result that somebody lacks a second after its confirmation is overdue`() {
        var checker = checker()
        // Its user has no confirmation yet.
        #expect(checker.overdue(at: at(5_000)) == nil)
        checker.confirmed([7], at: at(5_000))
        checker.shown([7], at: 2)
        #expect(checker.overdue(at: at(6_000)) == nil)
        #expect(checker.overdue(at: at(6_001)) == "a result of node 0 did not reach 1 in time")
        checker.shown([7], at: 1)
        #expect(checker.overdue(at: at(9_000)) == nil)
    }

    @Test func `a result that came before its confirmation is in time, and who went down is not waited for`() {
        var checker = checker()
        checker.shown([7], at: 1)
        checker.stopped(2)
        checker.confirmed([7], at: at(1))
        #expect(checker.overdue(at: at(9_000)) == nil)
    }
}
