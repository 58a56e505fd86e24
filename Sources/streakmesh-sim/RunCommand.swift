import ArgumentParser
import StreakSimulator

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Play a scenario; the same seed gives the same run, byte for byte.")

    @Option(help: "The scenario, as `list` names it, or `all`.")
    var scenario: String

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "How many seeds to play, one after the other.")
    var seeds: UInt64 = 1

    @Option(help: "Leave out these steps, numbered from 0, as in 3,4.")
    var withoutSteps: NumberList?

    @Option(help: "Leave out these nodes, numbered from 0.")
    var withoutNodes: NumberList?

    @Flag(help: "Make every network of the scenario a good one.")
    var calm = false

    @Flag(help: "Print every event of every node.")
    var trace = false

    func validate() throws {
        _ = try ScenarioNames.named(scenario)
        guard seeds >= 1, seed.addingReportingOverflow(seeds).overflow == false else {
            throw ValidationError("--seeds must be 1 or more, and the last seed must fit 64 bits.")
        }
    }

    func run() throws {
        var failureCount = 0
        for name in try ScenarioNames.named(scenario) {
            for seed in seed..<(seed + seeds) where !play(name, seed: seed) { failureCount += 1 }
        }
        if failureCount > 0 { throw ExitCode.failure }
    }

    private func play(_ name: String, seed: UInt64) -> Bool {
        guard let scenario = Scenario.named(name, seed: seed) else { return false }
        let reduction = ScenarioReduction(
            steps: withoutSteps?.numbers ?? [], nodes: withoutNodes?.numbers ?? [], isCalm: calm)
        let printLine: @Sendable (String) -> Void = { print($0) }
        do throws(SimulationFailure) {
            let report = try Simulation.play(
                scenario, seed: seed, without: reduction, onTrace: trace ? printLine : nil)
            print(
                "\(report.scenario) seed \(report.seed): \(report.confirmedWrites) writes, "
                    + "\(report.virtualTime) of virtual time, \(report.sentByteCount) bytes sent, "
                    + "trace \(String(report.traceHash, radix: 16))")
            return true
        } catch {
            print("\(name) seed \(seed) FAILED: \(error)")
            return false
        }
    }
}

struct MinimiseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "minimise",
        abstract: "Make a failing run shorter: leave out nodes, bad networks and steps while it fails in the same way.")

    @Option(help: "The scenario, as `list` names it.")
    var scenario: String

    @Option(help: "The seed that fails.")
    var seed: UInt64

    @Option(help: "How often to play it at most.")
    var runs = 200

    func validate() throws {
        guard Scenario.named(scenario, seed: seed) != nil else {
            throw ValidationError("There is no scenario '\(scenario)'. See: streakmesh-sim list")
        }
        guard runs >= 1 else { throw ValidationError("--runs must be 1 or more.") }
    }

    func run() throws {
        guard let story = Scenario.named(scenario, seed: seed) else { return }
        do throws(SimulationFailure) {
            _ = try Simulation.play(story, seed: seed)
        } catch {
            var minimiser = Minimiser(story, failing: error)
            minimiser.maximumRuns = runs
            let shorter = minimiser.minimise()
            print("\(scenario) seed \(seed), after \(minimiser.runCount) runs: \(shorter)")
            throw ExitCode.failure
        }
        print("\(scenario) seed \(seed) does not fail.")
    }
}
