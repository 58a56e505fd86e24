import StreakEngine
import StreakSimulator
import Testing

/// The simulator notices faults: a checker that never fails proves nothing.
struct CheckerTests {
    private func failure(_ steps: [Scenario.Step], nodes: Int = 2) -> String {
        do {
            _ = try Simulation.play(Scenario("made-to-fail", "fails", nodes: nodes, steps: steps), seed: 5)
            return ""
        } catch {
            return "\(error)"
        }
    }

    private let together: [Scenario.Step] = [.start([0, 1]), .found(by: 0), .invite(by: 0), .join([1])]

    @Test func `a confirmed result that is gone is noticed`() {
        let text = failure(
            together + [
                .write([0, 1], count: 2, over: .seconds(1)), .partition([[0], [1]]), .backUp(1),
                .writeNew(1, count: 3), .restore(1, isNoticed: true), .start([1]), .heal,
                .converge(within: .seconds(600)),
            ])
        #expect(text.contains("of node 1 is nothing, not"))
        #expect(text.contains("streakmesh-sim run --scenario made-to-fail --seed 5"))
    }

    @Test func `a disk that confirms and keeps nothing is noticed while the run goes on`() {
        let text = failure(
            together + [
                .partition([[0], [1]]), .setDiskForgets(1, true), .writeNew(1, count: 2), .crash([1]), .start([1]),
                .run(.seconds(2)),
            ])
        #expect(text.contains("of node 1 is nothing, not"))
        #expect(text.contains("step 8 "))
    }

    @Test func `nodes that cannot agree are noticed`() {
        let text = failure(
            together + [
                .partition([[0], [1]]), .write([0], count: 2, over: .seconds(1)), .converge(within: .seconds(30)),
            ])
        #expect(text.contains("no agreement within"))
    }

    @Test func `a command that fails otherwise than it should is noticed`() {
        let text = failure([.start([0, 1]), .found(by: 0), .invite(by: 0), .joinFails(1, .linkExpired)])
        #expect(text.contains("instead of"))
    }

    @Test func `a node that does not learn of its removal is noticed`() {
        let text = failure(
            together + [.partition([[0], [1]]), .remove(1, by: 0), .expectLost(1, within: .seconds(100))])
        #expect(text.contains("has not learnt"))
    }

    @Test func `nodes that do not find each other are noticed`() {
        let text = failure(
            together + [.partition([[0], [1]]), .run(.seconds(200)), .expectLinkedAmong([0, 1], within: .seconds(5))])
        #expect(text.contains("are not all linked within"))
    }

    @Test func `a stranger who gets more or less than allowed is noticed`() {
        #expect(failure(together + [.expectAtStranger(bytes: 0...0, over: .seconds(60))]) == "")
        let text = failure(together + [.expectAtStranger(bytes: 1...10, over: .seconds(60))])
        #expect(text.contains("0 bytes came to the stranger"))
    }

    @Test func `a fork is noticed`() {
        let text = failure(
            together + [
                .write([1], count: 2, over: .seconds(1)), .backUp(1), .writeNew(1, count: 2),
                .converge(within: .seconds(5)), .partition([[0], [1]]), .restore(1, isNoticed: false), .start([1]),
                .writeNew(1, count: 2), .heal, .converge(within: .seconds(120)), .expectNoFork,
            ])
        #expect(text.contains("holds a forked feed"))
    }
}
