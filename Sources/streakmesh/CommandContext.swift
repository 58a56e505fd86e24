import ArgumentParser
import Dispatch
import StreakNode
import StreakStorage
import Synchronization

/// One run of a command: the data folder it works on and where it shows its answer.
struct CommandContext {
    let folder: DataFolder
    let terminal: Terminal
    let usesJSON: Bool
    /// How long a command waits for another one that holds the folder.
    var patience: Duration = .seconds(10)
    /// How long the running node may be silent before the user is told.
    static let silence: DispatchTimeInterval = .seconds(3)

    var style: OutputStyle { OutputStyle(usesColour: terminal.usesColour) }

    /// Asks one thing. Throws `NodeFailure`.
    func call<Request: NodeRequest>(_ request: Request, needsNetwork: Bool = false) async throws -> Request.Report {
        try request.checkArguments()
        return try await ask(needsNetwork: needsNetwork) { try await $0.call(request) }
    }

    /// Asks the running node, or opens the folder if none runs. Throws what `questions` throw, and `NodeFailure`.
    ///
    /// The questions start again if the running node stops before it has answered the first one. Two commands at once
    /// take turns. Throws `folderBusy` if the other one takes longer than `patience`.
    func ask<Answer: Sendable>(
        needsNetwork: Bool, needsInternet: Bool = false,
        _ questions: @escaping @Sendable (any NodeCalling) async throws -> Answer
    ) async throws -> Answer {
        let answer = Mutex<Answer?>(nil)
        try await reachNode(needsNetwork: needsNetwork, needsInternet: needsInternet) { node in
            let given = try await questions(node)
            answer.withLock { $0 = given }
        }
        guard let given = answer.withLock({ $0 }) else { throw NodeFailure.stopping }
        return given
    }

    /// Asks as `ask` does. It knows no type of answer, so that it is compiled once and not for every command.
    private func reachNode(
        needsNetwork: Bool, needsInternet: Bool, _ questions: @escaping @Sendable (any NodeCalling) async throws -> Void
    ) async throws {
        try await takingTurns {
            do {
                return try await tellingSilence(needsNetwork) { try await questions(client()) }
            } catch ControlError.nodeNotRunning {
                guard folder.hasAccount else { throw NodeFailure.noAccount }
            }
            try await askStore(needsNetwork: needsNetwork, needsInternet: needsInternet, questions)
        }
    }

    /// Asks, and first looks for groups that the user is no longer in, if `tellsEndings`. If the answer is a failure, the
    /// lines about them go to standard error.
    ///
    /// - Returns: the lines about those groups.
    func ask(
        tellingEndings tellsEndings: Bool, needsNetwork: Bool, needsInternet: Bool,
        _ question: @escaping @Sendable (any NodeCalling) async throws -> Void
    ) async throws -> [String] {
        let groups = Mutex<[GroupReport]>([])
        var endings: [String] { groups.withLock { $0 }.endingLines(style) }
        do {
            try await reachNode(needsNetwork: needsNetwork, needsInternet: needsInternet) { node in
                // The answer itself says why the endings cannot be shown.
                if tellsEndings, let list = try? await node.call(GroupListRequest.all) {
                    groups.withLock { $0 = list.groups }
                }
                try await question(node)
            }
        } catch let failure as NodeFailure {
            // Without a group the failure itself names the ones that have ended.
            if case .noGroup = failure {} else { endings.forEach(terminal.writeError) }
            throw failure
        }
        return endings
    }

    /// Says so if the running node gives no answer for a while, unless it has to ask others first.
    private func tellingSilence(
        _ needsNetwork: Bool, _ question: @Sendable () async throws -> Void
    ) async throws {
        guard !usesJSON, !needsNetwork else { return try await question() }
        let teller = DispatchWorkItem { [terminal] in
            terminal.writeError("The node has not answered yet. Ctrl-C stops waiting.")
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.silence, execute: teller)
        defer { teller.cancel() }
        try await question()
    }

    /// Does what needs the folder, as soon as no other command has it. Waits for `patience` at most, and not at all if
    /// `isHopeless`. If the wait is longer than most commands take, says what it waits for.
    func takingTurns<Result>(
        unless isHopeless: () async -> Bool = { false }, _ work: () async throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        var hasTold = usesJSON
        while true {
            do {
                return try await work()
            } catch NodeFailure.folderBusy(let pid) {
                let waited = ContinuousClock.now - start
                guard waited < patience, await !isHopeless() else { throw NodeFailure.folderBusy(pid: pid) }
                if !hasTold, waited > .seconds(1) {
                    hasTold = true
                    let process = pid > 0 ? " (process \(pid))" : ""
                    terminal.writeError("Waiting for another command\(process) that is using this data folder …")
                }
                await pause()
            }
        }
    }

    /// Makes a node that runs without an account open the one that this command has just made. Returns whether one
    /// runs.
    @discardableResult
    func wakeNode() async -> Bool {
        // If none runs, the next node opens it.
        (try? await client().call(ProfileRequest.whoami)) != nil
    }

    /// Whether a node listens on this folder's control socket.
    var isNodeRunning: Bool {
        get async { await (try? client().canConnect()) ?? false }
    }

    /// A client for the running node.
    func client() throws -> ControlClient {
        try folder.prepareControlSocketFolder()
        return ControlClient(socketPath: folder.controlSocketPath)
    }

    /// Shows an answer as one line of JSON, or as `lines` for people.
    func show(_ report: some Sendable, lines: (OutputStyle) -> [String]) {
        if usesJSON {
            terminal.write(JSON(reflecting: report).text)
        } else {
            lines(style).forEach(terminal.write)
        }
    }

    /// Whether a person sits at the terminal who can be asked. Scripts and `--json` are not.
    var isAttended: Bool { !usesJSON && terminal.isInputInteractive }

    /// Tells the person at the terminal what a command will do, and asks whether to go on.
    ///
    /// - Throws: `ExitCode.failure` if the answer is not yes.
    func confirm(_ consequence: String, _ question: String) throws {
        guard isAttended else { return }
        let answer = terminal.ask("\(consequence) \(question) [y/N] ")
        guard answer?.lowercased().hasPrefix("y") == true else {
            terminal.writeError("Nothing was changed.")
            throw ExitCode.failure
        }
    }

    private func askStore(
        needsNetwork: Bool, needsInternet: Bool,
        _ questions: @escaping @Sendable (any NodeCalling) async throws -> Void
    ) async throws {
        var configuration = NodeConfiguration(
            listen: "0.0.0.0:0", usesNetwork: needsNetwork, usesLAN: needsNetwork, peers: [])
        configuration.usesInternet = needsInternet
        let node = try await MeshNode(opening: folder, configuration: configuration)
        if !usesJSON { await node.foundDamage.forEach(terminal.writeError) }
        do {
            if needsNetwork { try await askRunning(node, questions) } else { try await questions(node) }
            await node.close()
        } catch {
            await node.close()
            throw error
        }
    }

    /// Connects the node to others for as long as the questions take.
    private func askRunning(
        _ node: MeshNode, _ questions: @escaping @Sendable (any NodeCalling) async throws -> Void
    ) async throws {
        // Whether the questions were answered.
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await node.run()
                return false
            }
            group.addTask {
                _ = try await node.ready()
                try await questions(node)
                return true
            }
            defer { group.cancelAll() }
            guard try await group.next() == true else { throw NodeFailure.stopping }
        }
    }

    /// Gives the process that holds the folder a moment. Waiting for its lock cannot be limited in time.
    private func pause() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) { continuation.resume() }
        }
    }
}

/// How answers for people look.
struct OutputStyle {
    var usesColour: Bool

    func applying(_ style: TextStyle, to text: String) -> String {
        usesColour ? style.applied(to: text.printable) : text.printable
    }

    /// What `add` and `parse` write about a text, or a part of one, that is not a result.
    func refusalLine(text: String, message: String) -> String {
        let excerpt = text.split(separator: "\n").first.map(String.init) ?? ""
        let quoted = excerpt.isEmpty ? "" : "“\(excerpt.printable.truncated(toWidth: 40))”: "
        return "\(applying(.bad, to: "✗")) \(quoted)\(message.printable)"
    }

    /// The line shown until the recovery key is confirmed.
    var recoveryReminder: String {
        applying(.bad, to: "Your recovery key is not confirmed yet: ")
            + "`streakmesh recovery show`, then `recovery confirm`."
    }

    func lines(of table: TextTable) -> [String] {
        table.lines(usingColour: usesColour)
    }
}
