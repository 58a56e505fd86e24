import ArgumentParser
import Foundation
import StreakNode
import StreakStorage

/// Makes the system keep the node running.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Have your node start by itself, and say whether it does.",
        subcommands: [Status.self, Install.self, Remove.self, Unit.self], defaultSubcommand: Status.self)

    struct Status: ServiceAction {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Say whether the service is there and runs.")

        @OptionGroup var shared: SharedOptions

        func act(on service: inout UserService) throws -> UserService.State { try service.state() }

        func lines(for state: UserService.State) -> [String] {
            switch (state.installed, state.running) {
            case (true, true): ["Your node runs as a service and starts by itself.", state.unit]
            case (true, false):
                [
                    "The service is installed and does not run.", "See why: `\(UserService.logCommand)`.",
                    state.unit,
                ]
            case (false, true): ["The service runs now, and will not start by itself.", state.unit]
            case (false, false): ["There is no service. `streakmesh service install` makes one."]
            }
        }
    }

    struct Install: ServiceAction {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Start your node now, and whenever you sign in.")

        @OptionGroup var shared: SharedOptions

        func act(on service: inout UserService) throws -> UserService.State { try service.install() }

        func lines(for state: UserService.State) -> [String] {
            ["Your node runs, and starts again whenever you sign in.", "Open your page: `streakmesh open`"]
                + UserService.alwaysOnHint
        }
    }

    struct Remove: ServiceAction {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Stop the service and no longer start it. Your data stays.")

        @OptionGroup var shared: SharedOptions

        func act(on service: inout UserService) throws -> UserService.State { try service.remove() }

        func lines(for state: UserService.State) -> [String] {
            [
                "The service is gone. Your account and results are where they were.",
                "`streakmesh up` runs your node by hand.",
            ]
        }
    }

    struct Unit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unit", abstract: "Write what `install` hands to the system, for those who package StreakMesh."
        )

        @Option(help: ArgumentHelp("The program to run.", valueName: "path"))
        var program = "/usr/bin/streakmesh"

        @Flag(help: "For launchd of macOS, not for systemd.")
        var launchd = false

        @OptionGroup var shared: SharedOptions

        func run() throws {
            // The system starts it in a folder of its own.
            let unit = ServiceUnit(
                program: URL(filePath: program).standardizedFileURL.path,
                data: shared.data.map { DataFolder(path: $0).path })
            let terminal = Terminal.current(environment: ProcessInfo.processInfo.environment)
            let text = launchd ? unit.launchdText : unit.systemdText
            terminal.write(shared.json ? JSON.members(["unit": .string(text)]).text : String(text.dropLast()))
        }
    }
}

/// One thing to do with the service.
protocol ServiceAction: AsyncParsableCommand {
    var shared: SharedOptions { get }
    func act(on service: inout UserService) throws -> UserService.State
    func lines(for state: UserService.State) -> [String]
}

extension ServiceAction {
    mutating func run() async throws {
        let context = shared.context()
        var service = UserService.current(serving: shared.data.map { DataFolder(path: $0).path })
        let state = try act(on: &service)
        guard !context.usesJSON else {
            return context.terminal.write(
                JSON.members([
                    "installed": .bool(state.installed), "running": .bool(state.running), "unit": .string(state.unit),
                ]).text)
        }
        lines(for: state).forEach { context.terminal.write($0.printable) }
    }
}

extension UserService {
    /// The service of this user and this program.
    static func current(serving data: String?) -> UserService {
        let program = Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? "/usr/bin/streakmesh"
        return UserService(
            unit: ServiceUnit(program: program, data: data), environment: ProcessInfo.processInfo.environment)
    }

    #if os(macOS)
        static let logCommand = "log show --predicate 'process == \"streakmesh\"' --last 10m"
        static let alwaysOnHint: [String] = []
    #else
        static let logCommand = "journalctl --user --unit streakmesh"
        static let alwaysOnHint = [
            "It stops when you sign out. On a machine that is always on, let it run without you: `loginctl enable-linger`"
        ]
    #endif
}
