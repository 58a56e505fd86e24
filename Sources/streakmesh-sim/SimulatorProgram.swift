import ArgumentParser
import StreakSimulator

/// Plays scenarios of the simulator, and replays what failed.
@main
struct SimulatorProgram: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streakmesh-sim",
        abstract: "Play StreakMesh nodes on a simulated network, with simulated clocks and disks.",
        subcommands: [RunCommand.self, ListCommand.self])
}

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Play a scenario; the same seed gives the same run, byte for byte.")

    @Option(help: "The scenario, as `list` names it, or `all`.")
    var scenario: String

    @Option(help: "The first seed.")
    var seed: UInt64 = 1

    @Option(help: "How many seeds to play, one after the other.")
    var seeds: UInt64 = 1

    @Flag(help: "Print every event of every node.")
    var trace = false

    func validate() throws {
        guard scenario == "all" || Scenario.named(scenario) != nil else {
            throw ValidationError("There is no scenario '\(scenario)'. See: streakmesh-sim list")
        }
        guard seeds >= 1, seed.addingReportingOverflow(seeds).overflow == false else {
            throw ValidationError("--seeds must be 1 or more, and the last seed must fit 64 bits.")
        }
    }

    func run() throws {
        let scenarios = scenario == "all" ? Scenario.all : [Scenario.named(scenario)].compactMap { $0 }
        var failureCount = 0
        for scenario in scenarios {
            for seed in seed..<(seed + seeds) where !play(scenario, seed: seed) { failureCount += 1 }
        }
        if failureCount > 0 { throw ExitCode.failure }
    }

    private func play(_ scenario: Scenario, seed: UInt64) -> Bool {
        let printLine: @Sendable (String) -> Void = { print($0) }
        let onTrace = trace ? printLine : nil
        do throws(SimulationFailure) {
            let report = try Simulation.play(scenario, seed: seed, onTrace: onTrace)
            print(
                "\(report.scenario) seed \(report.seed): \(report.confirmedWrites) writes, "
                    + "\(report.virtualTime) of virtual time, \(report.sentByteCount) bytes sent, "
                    + "trace \(String(report.traceHash, radix: 16))")
            return true
        } catch {
            print("\(scenario.name) seed \(seed) FAILED: \(error)")
            return false
        }
    }
}

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Name all scenarios.")

    func run() {
        let width = Scenario.all.map(\.name.count).max() ?? 0
        for scenario in Scenario.all {
            let gap = String(repeating: " ", count: width - scenario.name.count + 2)
            print(scenario.name + gap + scenario.summary)
        }
    }
}
