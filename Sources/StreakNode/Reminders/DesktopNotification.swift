import StreakGames

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Shows this machine's user something outside the page: a desktop notification, or a command of the user's own.
///
/// Everything is started by a shell that ends at once, so nothing is waited for and no process stays behind as a zombie.
/// Where there is no desktop, or no such command, nothing happens.
struct DesktopNotification: Sendable {
    /// What the programs find in their environment, as `NAME=value`; nil for what this process found.
    var environment: [String]?

    /// Whether this machine has the program that shows it.
    var isThere: Bool {
        #if os(macOS)
            true
        #else
            searchPath.split(separator: ":").contains { unsafe access("\($0)/notify-send", X_OK) == 0 }
        #endif
    }

    private var searchPath: String {
        guard let environment else { return unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "" }
        return environment.first { $0.hasPrefix("PATH=") }.map { String($0.dropFirst(5)) } ?? ""
    }

    /// By `notify-send`, or on macOS by the script command.
    ///
    /// - Parameter opening: the words of a command that opens the page, for a click on the notification. On macOS it
    ///   does nothing: only a program with an icon of its own hears of the click.
    func show(_ text: String, opening: [String] = []) {
        #if os(macOS)
            let script = "on run argv\ndisplay notification (item 1 of argv) with title \"StreakMesh\"\nend run"
            start(["osascript", "-e", script, text])
        #else
            start(["/bin/sh", "-c", Self.script, "sh", Self.body(text)] + opening)
        #endif
    }

    /// Shows `$1`, and runs the other words when the user has clicked.
    ///
    /// `notify-send` takes actions since libnotify 0.7.10, and then waits for the end of the notification, which some
    /// desktops keep for days. An earlier one refuses the option. What a systemd service starts has its limits, with
    /// which no browser runs, so the service manager starts it.
    private static let script = """
        show() { notify-send --app-name=StreakMesh "$@"; }
        text=$1
        shift
        [ $# -gt 0 ] || { show -- StreakMesh "$text"; exit; }
        chosen=$(timeout 12h notify-send --app-name=StreakMesh --action=default=Open -- StreakMesh "$text")
        case $? in
            0) [ "$chosen" = default ] || exit 0 ;;
            124) exit 0 ;;
            *) show -- StreakMesh "$text"; exit ;;
        esac
        if [ -n "$INVOCATION_ID" ] && command -v systemd-run; then
            exec systemd-run --user --quiet --collect -- "$@"
        fi
        exec "$@"
        """

    /// A text in the form that `notify-send` takes. It reads backslashes as C does, and the desktop reads some markup;
    /// a game's name comes from a friend and must be read as neither.
    static func body(_ text: String) -> String {
        var body = ""
        for scalar in text.unicodeScalars where !scalar.isSteering || scalar == "\n" {
            switch scalar {
            case "\\": body += "\\\\"
            case "&": body += "&amp;"
            case "<": body += "&lt;"
            case ">": body += "&gt;"
            default: body.unicodeScalars.append(scalar)
            }
        }
        return body
    }

    /// Runs the user's own command. If it is a single program with arguments, it gets the text as its last argument;
    /// any other command reads it from `$1`.
    func run(_ command: String, with text: String) {
        start(["/bin/sh", "-c", Self.taking(command), "streakmesh", Self.word(text)])
    }

    /// A text as the user's command gets it: on one line, without steering characters, for it may end in a terminal or
    /// a log. A mark at its beginning gets a space before it. It may be a friend's name, and a program could take it for
    /// an option, or for a file that it should read.
    static func word(_ text: String) -> String {
        let line = text.inert
        guard let first = line.unicodeScalars.first, "!"..."~" ~= first, !first.properties.isAlphabetic,
            first.properties.numericType == nil
        else { return line }
        return " " + line
    }

    /// Adds the text to a command that does not say where it goes, if the command is a single program with arguments.
    /// So the text is never what is run.
    static func taking(_ command: String) -> String {
        let isSimple = !command.unicodeScalars.contains { "$`;&|<>(){}#\n\r".unicodeScalars.contains($0) }
        let namesProgram = command.split(whereSeparator: \.isWhitespace).contains { !$0.contains("=") }
        return isSimple && namesProgram ? command + " \"$@\"" : command
    }

    /// Starts a program and returns. The shell does not interpret its arguments.
    private func start(_ words: [String]) {
        let arguments = ["/bin/sh", "-c", "\"$@\" </dev/null >/dev/null 2>&1 &", "sh"] + words
        var copies = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe copies.forEach { unsafe free($0) } }
        var child = pid_t()
        var given = unsafe (environment ?? []).map { unsafe strdup($0) } + [nil]
        defer { unsafe given.forEach { unsafe free($0) } }
        let isGiven = environment != nil
        let result = unsafe given.withUnsafeMutableBufferPointer { given in
            unsafe posix_spawn(&child, "/bin/sh", nil, nil, &copies, isGiven ? given.baseAddress : environ)
        }
        guard result == 0 else { return }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
    }
}
