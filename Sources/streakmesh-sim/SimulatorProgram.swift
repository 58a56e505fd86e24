import ArgumentParser
import StreakSimulator

/// Plays scenarios of the simulator, replays and minimises failures, and measures.
@main
struct SimulatorProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "streakmesh-sim",
        abstract: "Play StreakMesh nodes on a simulated network, with simulated clocks and disks.",
        discussion: """
            The nodes run the engine that real nodes run, with its real cryptography. Only sockets, clocks, randomness \
            and disks are simulated, and all of them follow from a scenario and a seed: the same two give the same run, \
            byte for byte. A run that fails prints the command that replays it.
            """,
        subcommands: [
            RunCommand.self, ListCommand.self, SoakCommand.self, MinimiseCommand.self, FiguresCommand.self,
            DeliveryCommand.self,
        ])
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

/// The scenario names that an option accepts.
enum ScenarioNames {
    /// One name, or all of them.
    static func named(_ text: String) throws -> [String] {
        if text == "all" { return Scenario.all.map(\.name) }
        guard Scenario.named(text) != nil else {
            throw ValidationError("There is no scenario '\(text)'. See: streakmesh-sim list")
        }
        return [text]
    }
}

/// A list of numbers in an option: `2,5,7`.
struct NumberList: ExpressibleByArgument {
    let numbers: Set<Int>

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.allSatisfy({ $0.map { $0 >= 0 } ?? false }) else { return nil }
        numbers = Set(parts.compactMap { $0 })
    }
}
