import StreakSimulator
import Testing

/// Every scenario with a few seeds. What fails prints the line that replays it.
struct ScenarioTests {
    /// As many as keep all scenarios together within two minutes in a build for debugging; fewer of those that take
    /// long. `streakmesh-sim soak` plays thousands.
    static let seedCount: UInt64 = 4
    static let costlySeedCount: UInt64 = 2
    static let costly: Set<String> = [
        "storm", "chaos", "removals-in-halves", "removals-mutual", "removal-apart", "torn", "full-disks",
        "clock-drifts", "two-liars", "liar-record-flood", "homes-forgetful", "deaf-halves", "copy-unnoticed", "crash",
        "replayed", "device-linked", "leave-apart", "apart", "mobile", "liar-endless-questions",
    ]

    @Test(arguments: Scenario.all.map(\.name))
    func `every seed comes to its good end, and the first one twice to the same`(scenario name: String) throws {
        var reports: [SimulationReport] = []
        for seed in 1...(Self.costly.contains(name) ? Self.costlySeedCount : Self.seedCount) {
            let scenario = try #require(Scenario.named(name, seed: seed))
            do {
                reports.append(try Simulation.play(scenario, seed: seed))
                if seed == 1 { #expect(try Simulation.play(scenario, seed: seed) == reports[0]) }
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(Set(reports.map(\.traceHash)).count == reports.count)
    }

    @Test func `no two scenarios share a name`() {
        #expect(Set(Scenario.all.map(\.name)).count == Scenario.all.count)
    }
}
