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
            failure of a scenario is made as short as it can be. The first seed is played twice: a second run that \
            differs is a failure, as no replay could be relied on. Ends with exit code 1 if anything failed.
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
            let seeds = seedsPlayed(of: name)
            let runs = await runs(of: name, seeds: seeds)
            let failures = runs.compactMap(\.failure)
            let isRepeatable = runs.first?.isRepeatable ?? true
            failureCount += failures.count + (isRepeatable ? 0 : 1)
            say("\(name): \(seeds.count) seeds, \(failures.count) failed, \(watch.computing.formatted) computing")
            for (index, failure) in failures.enumerated() {
                let shown = index == 0 ? shortened(failure, of: name) : failure
                say("\(name) seed \(failure.seed) FAILED: \(shown)")
            }
            if !isRepeatable { say("\(name) seed \(runs[0].seed) FAILED: a second run differs from the first") }
        }
        if failureCount > 0 { throw ExitCode.failure }
    }

    private func seedsPlayed(of name: String) -> ClosedRange<UInt64>.SubSequence {
        let all = seeds.numbers
        guard short, let scenario = Scenario.named(name) else { return all[...] }
        return all.prefix(scenario.shortSeedCount(of: all.count))
    }

    /// The outcome of one seed.
    private struct Run {
        var seed: UInt64
        var failure: SimulationFailure?
        /// Whether a second run was the same, if there was one.
        var isRepeatable = true
    }

    /// Plays a scenario with some seeds, the first of them twice. Returns the runs by ascending seed.
    private func runs(of name: String, seeds: ClosedRange<UInt64>.SubSequence) async -> [Run] {
        await withTaskGroup(of: Run.self) { group in
            var runs: [Run] = []
            for (index, seed) in seeds.enumerated() {
                // As many at a time as there are processors. Each runs to its end.
                if index >= jobs ?? Self.processorCount, let ended = await group.next() { runs.append(ended) }
                group.addTask { Self.play(name, seed: seed, twice: index == 0) }
            }
            for await run in group { runs.append(run) }
            return runs.sorted { $0.seed < $1.seed }
        }
    }

    private static func play(_ name: String, seed: UInt64, twice: Bool) -> Run {
        var run = Run(seed: seed)
        guard let story = Scenario.named(name, seed: seed) else { return run }
        do throws(SimulationFailure) {
            let report = try Simulation.play(story, seed: seed)
            if twice { run.isRepeatable = try Simulation.play(story, seed: seed) == report }
        } catch {
            run.failure = error
        }
        return run
    }

    private func shortened(_ failure: SimulationFailure, of name: String) -> SimulationFailure {
        guard let story = Scenario.named(name, seed: failure.seed) else { return failure }
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
