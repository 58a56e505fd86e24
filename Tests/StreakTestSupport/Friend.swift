import Foundation

/// Somebody with a data folder, whose commands are run as real processes.
public final class Friend: Sendable {
    public let name: String
    public let folder: String
    public let lab: Lab
    /// What starts the program, such as a command that enters a network namespace.
    let launcher: [String]
    let program: String

    init(name: String, folder: String, lab: Lab, launcher: [String], program: String) {
        self.name = name
        self.folder = folder
        self.lab = lab
        self.launcher = launcher
        self.program = program
    }

    private func words(_ arguments: [String]) -> [String] {
        launcher + [program, "--data", folder, "--json"] + arguments
    }

    /// Runs a command, however it ends.
    public func run(_ arguments: String..., input: String? = nil, limit: Duration = .seconds(60)) async throws
        -> CommandResult
    {
        try await lab.run(words(arguments), input: input, limit: limit)
    }

    /// Runs a command as a person does, without `--json`, however it ends.
    public func runForPeople(_ arguments: String...) async throws -> CommandResult {
        try await lab.run(launcher + [program, "--data", folder] + arguments)
    }

    /// Has the node write to a file what it tells its user, a line each: of challenges, messages, answers and results
    /// beaten.
    public func writeNotifications(to file: String) async throws {
        try await ask(
            "notifications", "--quiet", "none", "--off", "started", "--off", "ending", "--off", "climbed",
            "--desktop", "off", "--command", "echo \"$1\" >> '\(file)'")
    }

    /// Runs a command that must succeed, and returns its answer.
    @discardableResult
    public func ask(_ arguments: String..., input: String? = nil, limit: Duration = .seconds(60)) async throws
        -> JSONValue
    {
        let result = try await lab.run(words(arguments), input: input, limit: limit)
        guard result.exitCode == 0 else { throw TestFailure("\(name): \(result)") }
        return try result.json
    }

    /// Asks, and demands exactly the keys that docs/cli.md names in the row that begins with `command`.
    public func askAsDocumented(_ command: String, _ arguments: String..., input: String? = nil) async throws
        -> JSONValue
    {
        let all = command.split(separator: " ").map(String.init) + arguments
        let result = try await lab.run(words(all), input: input)
        guard result.exitCode == 0 else { throw TestFailure("\(name): \(result)") }
        let answer = try result.json
        let differences = DocumentedKeys.differences(of: answer, from: try DocumentedKeys.shape(of: command))
        guard differences.isEmpty else { throw TestFailure("\(command): \(differences.joined(separator: ", "))") }
        return answer
    }

    /// Founds a group in which a friend is, too. Both nodes are running.
    public func share(with friend: Friend) async throws {
        try await ask("group", "create", "Breakfast club")
        guard let link = try await ask("invite")["link"].text else { throw TestFailure("\(name) got no link") }
        try await friend.ask("join", link)
    }

    /// The digest of the only group, or the first by title.
    public func digest() async throws -> String {
        let groups = try await ask("status")["groups"]
        guard let digest = groups[0]["digest"].text else { throw TestFailure("\(name) has no group: \(groups)") }
        return digest
    }

    /// The ranked rows of the board of all games over all days, as everybody must see them alike.
    public func board(_ arguments: String...) async throws -> [JSONValue] {
        let result = try await lab.run(words(["board", "--range", "all", "--reveal"] + arguments))
        guard result.exitCode == 0 else { throw TestFailure("\(name): \(result)") }
        return try result.json["rows"].items.filter { $0["rank"].integer != nil }.map { $0.without("me") }
    }

    /// Starts `up`, and returns when it is ready.
    public func start(
        _ options: String..., listen: String = "127.0.0.1:0", page: Bool = false, lan: Bool = false
    ) async throws -> RunningNode {
        var arguments = ["up", "--listen", listen] + options
        arguments += page ? ["--web", "127.0.0.1:0"] : ["--no-web"]
        if !lan { arguments.append("--no-lan") }
        return try await RunningNode(of: self, words: words(arguments))
    }
}

/// A node of a friend that runs as a process.
public final class RunningNode: Sendable {
    public let friend: Friend
    /// The line that said “ready”.
    public let ready: JSONValue
    /// What it told since.
    public let events: EventLog
    private let child: Child
    private let errorPath: String

    fileprivate init(of friend: Friend, words: [String]) async throws {
        let pipe = Pipe()
        errorPath = friend.lab.freshPath("err")
        try Data().write(to: URL(fileURLWithPath: errorPath))
        let errors = try FileHandle(forWritingTo: URL(fileURLWithPath: errorPath))
        let events = EventLog()
        let activity = friend.lab.activity
        child = try friend.lab.start(
            words, input: .nullDevice, output: pipe.fileHandleForWriting, errors: errors)
        try pipe.fileHandleForWriting.close()
        try errors.close()
        let reading = pipe.fileHandleForReading
        DispatchQueue.global().async {
            var rest = Data()
            while true {
                let data = reading.availableData
                guard !data.isEmpty else { break }
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: rest[..<end], as: UTF8.self)
                    rest = Data(rest[rest.index(after: end)...])
                    events.append(line)
                    activity.append("\(friend.name): \(line)")
                }
            }
            events.end()
        }
        self.friend = friend
        self.events = events
        do {
            ready = try await events.first(limit: .seconds(30), "ready") { $0["event"].text == "ready" }
        } catch {
            // Only adds to the message.
            let reason = try? String(contentsOfFile: errorPath, encoding: .utf8)
            throw TestFailure("the node of \(friend.name) did not start: \(reason ?? "")")
        }
    }

    /// What it has written to standard error so far.
    public var errors: String {
        get throws { try String(contentsOfFile: errorPath, encoding: .utf8) }
    }

    public var processID: Int32 { child.processID }

    /// Whether the process is over.
    public var hasEnded: Bool { child.exitCode != nil }

    /// HOST:PORT.
    public var address: String { ready["listen"].text ?? "" }

    public var port: UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    /// Ends it as Ctrl-C does, and returns its exit code.
    @discardableResult
    public func stop() async throws -> Int32 {
        child.signal(SIGTERM)
        guard let code = await child.ended(limit: .seconds(20)) else {
            throw TestFailure("the node of \(friend.name) does not stop")
        }
        return code
    }

    /// Ends it as a power cut does.
    public func kill() async {
        child.signal(SIGKILL)
        _ = await child.ended(limit: .seconds(20))
    }

    /// Waits for a `changed` event from line `start` on.
    @discardableResult
    public func changed(from start: Int, limit: Duration = .seconds(20)) async throws -> JSONValue {
        try await events.first(from: start, limit: limit, "a change at \(friend.name)") {
            $0["event"].text == "changed"
        }
    }

    #if os(Linux)
        /// Resident memory in bytes.
        public func residentMemory() throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            guard let kilobytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) else {
                throw TestFailure("no VmRSS in \(status)")
            }
            return kilobytes * 1_024
        }
    #endif
}
