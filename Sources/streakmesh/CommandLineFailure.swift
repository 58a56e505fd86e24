import StreakNode
import StreakStorage
import StreakWeb

/// Why a command ended without doing its work, except for the node's own failures.
enum CommandLineFailure: Error, Equatable {
    /// A file or standard input cannot be read.
    case unreadable(String, reason: String)
    /// The parser accepts an argument, but its value is wrong, such as “1x” for a duration.
    case usage(String)
    /// There is no such command; the suggestions have a similar spelling.
    case unknownCommand(String, suggestions: [String])
    /// None of the input was recorded. The refusals have been shown; their reasons decide on the advice.
    case nothingAdded(reasons: [String])
    /// A text that the node refused, with its own sentence.
    case refused(RefusedText)
    /// This system has no program that would keep the node running.
    case noServiceManager(String)
    /// This system has no program that makes a PNG of a picture.
    case noPictureProgram
    /// That program did not make one.
    case pictureFailed
    /// The program that keeps services running refused something.
    case serviceFailed(String, output: String)
}

/// What a person, or a program that asked for JSON, reads about a failure.
struct FailureNotice: Equatable {
    var code: String
    var message: String
    var hint: String
    /// From sysexits.h: 64 usage, 65 bad data, 69 nobody reachable, 73 cannot create, 75 try again, 77 not allowed.
    var exitCode: Int32

    init(code: String, message: String, hint: String, exitCode: Int32) {
        self.code = code
        self.message = message
        self.hint = hint
        self.exitCode = exitCode
    }

    init(_ error: any Error) {
        switch error {
        case let error as StorageError:
            self.init(NodeFailure(storage: error))
        case let failure as NodeFailure:
            let text = FailureText.describe(failure)
            self.init(code: text.code, message: text.message, hint: text.hint, exitCode: text.exitCode)
        case CommandLineFailure.unreadable(let path, let reason):
            let name = path == "-" ? "Standard input" : "“\(path)”"
            self.init(
                code: "unreadable", message: "\(name) cannot be read: \(reason).",
                hint: "Check the name and its rights.",
                exitCode: 65)
        case CommandLineFailure.usage(let message):
            self.init(code: "usage", message: message.printable, hint: "See `streakmesh help`.", exitCode: 64)
        case CommandLineFailure.unknownCommand(let name, let suggestions):
            let family = name.split(separator: " ").dropLast().map { " \($0)" }.joined()
            self.init(
                code: "usage", message: "There is no command `\(name.printable.truncated(toWidth: 40))`.",
                hint: suggestions.isEmpty
                    ? "See `streakmesh help\(family)`."
                    : "Did you mean \(suggestions.map { "`\($0)`" }.joined(separator: " or "))?",
                exitCode: 64)
        case CommandLineFailure.nothingAdded(let reasons):
            self.init(
                code: "nothingAdded", message: "Nothing was added.", hint: Self.advice(onRefusalsFor: Set(reasons)),
                exitCode: 65)
        case CommandLineFailure.refused(let refused):
            self.init(
                code: refused.reason, message: refused.message, hint: Self.advice(onRefusalsFor: [refused.reason]),
                exitCode: 65)
        case CommandLineFailure.noServiceManager(let program):
            self.init(
                code: "noServiceManager",
                message: "This system has no `\(program)`, which would keep the node running.",
                hint: "Run `streakmesh up` yourself, or from what starts programs here.", exitCode: 1)
        case CommandLineFailure.serviceFailed(let command, let output):
            let reason = output.split(separator: "\n").first.map { " It says: \($0.prefix(200))" } ?? ""
            self.init(
                code: "serviceFailed", message: "`\(command)` failed.\(reason)",
                hint:
                    "Sign in to a desktop or by SSH, not by `su` or `sudo`: a service belongs to the user who signs in.",
                exitCode: 1)
        case CommandLineFailure.noPictureProgram:
            self.init(
                code: "noPictureProgram", message: "This system has no `rsvg-convert`, which makes a PNG of a picture.",
                hint: "Install it (Debian, Ubuntu: librsvg2-bin; macOS: librsvg), write an .svg, or save on the page.",
                exitCode: 1)
        case CommandLineFailure.pictureFailed:
            self.init(
                code: "pictureFailed", message: "`rsvg-convert` did not make a PNG of the picture.",
                hint: "Write an .svg, or save the PNG on the page.", exitCode: 1)
        case ControlError.nodeNotRunning:
            self.init(
                code: "notRunning", message: "No node is running on this data folder.",
                hint: "Start one with `streakmesh up`.", exitCode: 75)
        case ControlError.malformedReply:
            self.init(
                code: "malformedReply",
                message: "The running node answered something unknown; it may be another version.",
                hint: "Restart it: stop `streakmesh up` and start it again.", exitCode: 1)
        case ControlError.lineTooLong(let limit):
            self.init(
                code: "tooLong", message: "The node's answer is longer than \(limit) bytes.",
                hint: "Ask for less, with `--from` and `--to`.", exitCode: 1)
        default:
            self.init(
                code: "failed", message: "Something went wrong: \(error)",
                hint: "Try again; if it stays, please report it with the command you ran.", exitCode: 1)
        }
    }

    /// The next step after texts were refused, by the words of the reasons. A conflict comes first.
    private static func advice(onRefusalsFor reasons: Set<String>) -> String {
        if reasons.contains("conflict") {
            return "To put the new value in place of the old one: `streakmesh add --replace …`"
        }
        if reasons.contains("unfinished") { return "Finish the puzzle, then share it again." }
        if reasons.contains("notTheDailyPuzzle") { return "Paste the share of the daily puzzle; only that one counts." }
        if !reasons.isDisjoint(with: ["future", "impossibleDate"]) {
            return "Check the date, and the clock of this machine."
        }
        if !reasons.isDisjoint(with: ["impossibleScore", "missingScore", "numberTooLarge"]) {
            return "Copy the share once more, whole, or enter it by hand: `streakmesh record GAME --score N`"
        }
        if reasons.contains("tooLong") { return "Paste it in parts." }
        return "Paste the text that the game's Share button copies; `streakmesh games` lists the games."
    }

    var json: JSON {
        .members(["error": .members(["code": .string(code), "message": .string(message), "hint": .string(hint)])])
    }

    var lines: [String] {
        ["streakmesh: \(message.printable)"] + (hint.isEmpty ? [] : ["  \(hint.printable)"])
    }
}
