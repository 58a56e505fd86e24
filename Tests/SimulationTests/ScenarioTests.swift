import StreakSimulator
import Testing

/// Four scenarios that together use most of the engine, with one seed each. `script/test` plays all scenarios with many
/// seeds in a release build. A failure prints the command that replays it.
struct ScenarioTests {
    @Test(arguments: ["device-linked", "chaos"])
    func `a seed comes to its good end, and a second time to the same one`(scenario name: String) throws {
        let scenario = try #require(Scenario.named(name, seed: 1))
        let report = try Simulation.play(scenario, seed: 1)
        #expect(try Simulation.play(scenario, seed: 1) == report)
    }

    @Test(arguments: [(2, 50), (8, 50), (12, 22), (20, 8), (50, 5)])
    func `a short soak plays large scenarios with fewer seeds`(nodes: Int, seeds: Int) {
        let scenario = Scenario("any", "any", nodes: nodes, steps: [])
        #expect(scenario.shortSeedCount(of: 50) == seeds)
        #expect(scenario.shortSeedCount(of: 3) == 3)
    }

    @Test func `another seed is another story`() throws {
        let scenario = try #require(Scenario.named("pair", seed: 1))
        let hashes = try (1...4).map { try Simulation.play(scenario, seed: $0).traceHash }
        #expect(Set(hashes).count == hashes.count)
    }

    @Test func `no two scenarios share a name`() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
    }
}
