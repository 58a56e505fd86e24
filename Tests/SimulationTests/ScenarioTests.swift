import StreakSimulator
import Testing

/// Every scenario with twenty seeds. What fails prints the line that replays it.
struct ScenarioTests {
    static let seeds: ClosedRange<UInt64> = 1...20

    @Test(arguments: Scenario.all.map(\.name))
    func `every seed comes to its good end`(scenario name: String) throws {
        let scenario = try #require(Scenario.named(name))
        for seed in Self.seeds {
            do {
                _ = try Simulation.play(scenario, seed: seed)
            } catch {
                Issue.record("\(error)")
            }
        }
    }

    @Test(arguments: Scenario.all.map(\.name))
    func `a seed replays byte for byte`(scenario name: String) throws {
        let scenario = try #require(Scenario.named(name))
        let first = try Simulation.play(scenario, seed: 4_711)
        #expect(try Simulation.play(scenario, seed: 4_711) == first)
        let other = try Simulation.play(scenario, seed: 4_712)
        #expect(other.traceHash != first.traceHash)
    }

    @Test func `no two scenarios share a name`() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
    }
}
