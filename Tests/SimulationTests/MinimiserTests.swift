import StreakEngine
import Testing

@testable import StreakSimulator

struct MinimiserTests {
    /// A disk that forgets confirmed writes, in the middle of unrelated events.
    private let scenario = Scenario(
        "made-to-fail", "fails", nodes: 4, profile: .bad(loss: 0.1),
        steps: [
            .start([0, 1, 2, 3]), .found(by: 0), .invite(by: 0), .join([1, 2, 3]),
            .write([0, 1, 2], count: 3, over: .seconds(1)), .crash([2]), .start([2]), .jumpClock(3, by: .seconds(5)),
            .partition([[0, 2, 3], [1]]), .setDiskForgets(1, true), .writeNew(1, count: 2), .crash([1]), .start([1]),
            .run(.seconds(2)), .write([0], count: 2, over: .seconds(1)), .heal, .converge(within: .seconds(60)),
        ])

    private func failure(without reduction: ScenarioReduction = .none) -> SimulationFailure? {
        do throws(SimulationFailure) {
            _ = try Simulation.play(scenario, seed: 3, without: reduction)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a failure becomes shorter and stays the same`() throws {
        let first = try #require(failure())
        #expect(first.kind == .safety(.confirmedIsLost))
        var minimiser = Minimiser(scenario, failing: first)
        let shorter = minimiser.minimise()
        #expect(shorter.kind == first.kind)
        #expect(shorter.reduction.nodes.isSuperset(of: [2, 3]))
        #expect(shorter.reduction.isCalm)
        // Of seventeen steps it needs those that found, write, forget and restart.
        #expect(shorter.reduction.steps.isSuperset(of: [4, 5, 6, 7, 14]))
        #expect(shorter.reduction.steps.isDisjoint(with: [0, 1, 9, 10]))
        #expect(minimiser.runCount <= minimiser.maximumRuns)
        // The printed command contains all of it.
        #expect(shorter.replayLine.hasPrefix("streakmesh-sim run --scenario made-to-fail --seed 3 --without-nodes 2,3"))
        #expect(shorter.replayLine.hasSuffix(" --calm"))
        let replayed = try #require(failure(without: shorter.reduction))
        #expect(replayed.reason == shorter.reason)
    }

    @Test func `who is online cannot be asked for without a group`() throws {
        let scenario = Scenario(
            "no-group", "nobody founds", nodes: 2, steps: [.start([0, 1]), .expectPresence(within: .seconds(1))])
        #expect {
            _ = try Simulation.play(scenario, seed: 1)
        } throws: { ($0 as? SimulationFailure)?.kind == .story }
    }

    @Test func `it stops after as many runs as it may take`() throws {
        var minimiser = Minimiser(scenario, failing: try #require(failure()))
        minimiser.maximumRuns = 3
        _ = minimiser.minimise()
        #expect(minimiser.runCount == 3)
    }
}
