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
