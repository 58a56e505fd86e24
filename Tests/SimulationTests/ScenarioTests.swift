import StreakSimulator
import Testing

struct ScenarioTests {
    @Test func `two friends agree`() throws {
        let report = try Simulation.play(.pair, seed: 1) { print($0) }
        print(report)
    }
}
