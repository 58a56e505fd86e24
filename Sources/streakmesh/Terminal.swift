import StreakWeb

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where a command reads and writes: the standard streams of this process.
///
/// Every line goes through `String.shown`: only this program's own styles can control the terminal.
struct Terminal {
    /// Whether styles may be shown where the output is a terminal.
    var allowsColour = true
    var isInputInteractive: Bool
    var isOutputInteractive: Bool
    /// The next line that is typed, without its end; nil at the end of input.
    var typedLine: @Sendable () -> String? = { readLine() }
    /// Told of every question that is asked.
    var heard: @Sendable (String) -> Void = { _ in }

    /// The streams of this process.
    static func current(environment: [String: String]) -> Terminal {
        // NO_COLOR set to anything asks for none (no-color.org).
        let allowsColour = environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
        return Terminal(
            allowsColour: allowsColour, isInputInteractive: isatty(STDIN_FILENO) == 1,
            isOutputInteractive: isatty(STDOUT_FILENO) == 1)
    }

    /// On a terminal that shows colours, unless the user wants none.
    var usesColour: Bool { isOutputInteractive && allowsColour }

    /// Writes a line to standard output at once. A reader that went away is not an error.
    func write(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    /// Writes a QR code with the colours that it needs.
    func write(_ code: QRCode) {
        Self.write(raw: code.terminalText + "\n", to: STDOUT_FILENO)
    }

    /// Writes the content of a file, which has its own line ends, to standard output: as it is, unless that is a terminal.
    func writeContent(_ content: String) {
        Self.write(raw: written(content), to: STDOUT_FILENO)
    }

    /// The content as it is written.
    func written(_ content: String) -> String {
        isOutputInteractive ? content.shown(styled: false) : content
    }

    /// Writes a line to standard error at once.
    func writeError(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// Writes a question without a line end and reads the answer; nil at the end of input.
    func ask(_ question: String) -> String? {
        write(question, to: STDERR_FILENO, terminator: "")
        heard(question)
        return typedLine()
    }

    /// As `ask`, but what is typed is not shown.
    func askUnseen(_ question: String) -> String? {
        var shown = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &shown) == 0 else { return ask(question) }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            write("", to: STDERR_FILENO)
        }
        return ask(question)
    }

    /// The content of a descriptor, or its first `limit` + 1 bytes.
    func read(_ descriptor: Int32, limit: Int) throws -> [UInt8] {
        do {
            return try Self.read(descriptor, limit: limit)
        } catch CommandLineFailure.unreadable(_, let reason) {
            throw CommandLineFailure.unreadable("descriptor \(descriptor)", reason: reason)
        }
    }

    /// The content of standard input, or its first `limit` + 1 bytes.
    func readInput(limit: Int) throws -> [UInt8] {
        try Self.read(STDIN_FILENO, limit: limit)
    }

    /// The content of a file, or its first `limit` + 1 bytes.
    func readFile(_ path: String, limit: Int) throws -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandLineFailure.unreadable(path, reason: unsafe String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        do {
            return try Self.read(descriptor, limit: limit)
        } catch CommandLineFailure.unreadable(_, let reason) {
            throw CommandLineFailure.unreadable(path, reason: reason)
        }
    }

    private static func read(_ descriptor: Int32, limit: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let wanted = min(chunk.count, limit + 1 - bytes.count)
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                #if canImport(Darwin)
                    unsafe Darwin.read(descriptor, buffer.baseAddress, wanted)
                #elseif canImport(Musl)
                    unsafe Musl.read(descriptor, buffer.baseAddress, wanted)
                #else
                    unsafe Glibc.read(descriptor, buffer.baseAddress, wanted)
                #endif
            }
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw CommandLineFailure.unreadable("-", reason: unsafe String(cString: strerror(errno)))
            }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private func write(_ text: String, to descriptor: Int32, terminator: String = "\n") {
        Self.write(raw: text.shown(styled: usesColour) + terminator, to: descriptor)
    }

    private static func write(raw text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes[written...].withUnsafeBytes { buffer in
                #if canImport(Darwin)
                    unsafe Darwin.write(descriptor, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                    unsafe Musl.write(descriptor, buffer.baseAddress, buffer.count)
                #else
                    unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            written += count
        }
    }
}
