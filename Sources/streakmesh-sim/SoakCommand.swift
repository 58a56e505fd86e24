import ArgumentParser
import StreakSimulator

struct SoakCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Play every scenario with many seeds, as over night.",
        discussion: """
            Prints one line for each scenario and one for each failure, with the command that replays it; the first \
            failure of a scenario is made as short as it can be. Ends with exit code 1 if anything failed.
            """)

    @Option(help: "The seeds, first and last, as in 1-1000.")
    var seeds: SeedRange

    @Option(help: "One scenario only, as `list` names it.")
    var scenario = "all"

    func validate() throws { _ = try ScenarioNames.named(scenario) }

    func run() throws {
        var failureCount = 0
        for name in try ScenarioNames.named(scenario) {
            let watch = Stopwatch()
            let failures = play(name)
            failureCount += failures
            say("\(name): \(seeds.numbers.count) seeds, \(failures) failed, \(watch.computing.formatted) computing")
        }
        if failureCount > 0 { throw ExitCode.failure }
    }

    private func play(_ name: String) -> Int {
        var failureCount = 0
        for seed in seeds.numbers {
            guard let story = Scenario.named(name, seed: seed) else { continue }
            do throws(SimulationFailure) {
                _ = try Simulation.play(story, seed: seed)
            } catch {
                failureCount += 1
                var shown = error
                if failureCount == 1 {
                    var minimiser = Minimiser(story, failing: error)
                    shown = minimiser.minimise()
                }
                say("\(name) seed \(seed) FAILED: \(shown)")
            }
        }
        return failureCount
    }
}

/// Two seeds with a dash between them.
struct SeedRange: ExpressibleByArgument {
    let numbers: ClosedRange<UInt64>

    init?(argument: String) {
        let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map { UInt64($0) }
        guard parts.count == 2, let first = parts[0], let last = parts[1], first <= last, last < .max else {
            return nil
        }
        numbers = first...last
    }
}
