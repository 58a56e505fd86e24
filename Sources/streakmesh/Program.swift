import ArgumentParser
import Foundation
import StreakNode

/// The entry point: parses, runs one command, and turns whatever went wrong into a text or JSON and an exit code.
@main
enum Program {
    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst())
        let terminal = Terminal.current(environment: ProcessInfo.processInfo.environment)
        do {
            let normalised = Arguments.normalised(words)
            try Arguments.checkCommand(normalised)
            if let help = Arguments.helpOfFamily(normalised) { return terminal.write(help) }
            var command = try StreakMeshCommand.parseAsRoot(normalised)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(report(error, asJSON: Arguments.wantJSON(words), on: terminal))
        }
    }

    /// Says what went wrong, and returns the exit code.
    private static func report(_ error: any Error, asJSON: Bool, on terminal: Terminal) -> Int32 {
        let code = StreakMeshCommand.exitCode(for: error)
        if code.isSuccess || error is ExitCode {
            let message = StreakMeshCommand.fullMessage(for: error)
            if !message.isEmpty { terminal.write(message) }
            return code.rawValue
        }
        // The parser's own errors have exit code 64; every other error is one of ours.
        let isUsage = code == .validationFailure
        let notice =
            isUsage
            ? FailureNotice(
                code: "usage", message: StreakMeshCommand.message(for: error), hint: "See `streakmesh help`.",
                exitCode: 64)
            : FailureNotice(error)
        if asJSON {
            terminal.writeError(notice.json.text)
        } else if isUsage {
            terminal.writeError(StreakMeshCommand.fullMessage(for: error))
        } else {
            notice.lines.forEach(terminal.writeError)
        }
        return notice.exitCode
    }
}
