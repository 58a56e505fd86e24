import ArgumentParser
import StreakSimulator

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

struct SoakCommand: AsyncParsableCommand {
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

    @Flag(
        help: """
            Play scenarios of more than eight nodes with the first of the seeds only, the fewer the more nodes: a run costs \
            about the square of them.
            """)
    var short = false

    @Option(help: "How many to play at a time. (default: one for each processor)")
    var jobs: Int?

    func validate() throws {
        _ = try ScenarioNames.named(scenario)
        guard jobs ?? 1 >= 1 else { throw ValidationError("--jobs must be 1 or more.") }
    }

    func run() async throws {
        var failureCount = 0
        for name in try ScenarioNames.named(scenario) {
            let watch = Stopwatch()
            let played = seedsPlayed(of: name)
            let failures = await failures(of: name, seeds: played)
            failureCount += failures.count
            say("\(name): \(played.count) seeds, \(failures.count) failed, \(watch.computing.formatted) computing")
            for (seed, failure) in failures {
                let shown = seed == failures.first?.seed ? shortened(failure, of: name, seed: seed) : failure
                say("\(name) seed \(seed) FAILED: \(shown)")
            }
        }
        if failureCount > 0 { throw ExitCode.failure }
    }

    private func seedsPlayed(of name: String) -> ClosedRange<UInt64>.SubSequence {
        let all = seeds.numbers
        guard short, let scenario = Scenario.named(name) else { return all[...] }
        return all.prefix(scenario.shortSeedCount(of: all.count))
    }

    /// Plays a scenario with some seeds. Returns those that failed, ascending.
    private func failures(
        of name: String, seeds: ClosedRange<UInt64>.SubSequence
    ) async -> [(seed: UInt64, failure: SimulationFailure)] {
        await withTaskGroup(of: (seed: UInt64, failure: SimulationFailure?).self) { group in
            var failures: [(seed: UInt64, failure: SimulationFailure)] = []
            for (index, seed) in seeds.enumerated() {
                // As many at a time as there are processors for; each runs to its end.
                if index >= jobs ?? Self.processorCount, let ended = await group.next(), let failure = ended.failure {
                    failures.append((ended.seed, failure))
                }
                group.addTask { (seed, Self.play(name, seed: seed)) }
            }
            for await (seed, failure) in group {
                if let failure { failures.append((seed, failure)) }
            }
            return failures.sorted { $0.seed < $1.seed }
        }
    }

    private static func play(_ name: String, seed: UInt64) -> SimulationFailure? {
        guard let story = Scenario.named(name, seed: seed) else { return nil }
        do throws(SimulationFailure) {
            _ = try Simulation.play(story, seed: seed)
            return nil
        } catch {
            return error
        }
    }

    private func shortened(_ failure: SimulationFailure, of name: String, seed: UInt64) -> SimulationFailure {
        guard let story = Scenario.named(name, seed: seed) else { return failure }
        var minimiser = Minimiser(story, failing: failure)
        return minimiser.minimise()
    }

    private static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
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
