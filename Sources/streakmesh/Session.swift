import Dispatch
import StreakNode
import StreakStorage

/// One run of a command: the data folder it works on and where it shows its answer.
struct Session {
    let folder: DataFolder
    let terminal: Terminal
    let usesJSON: Bool

    /// How long a command waits for another one that holds the folder.
    static let patience: Duration = .seconds(10)

    var style: OutputStyle { OutputStyle(usesColour: terminal.usesColour) }

    /// Asks the running node, or opens the folder where none runs. Throws `NodeFailure`.
    ///
    /// Two commands at once take turns; `folderBusy` is thrown where the other one takes longer than `patience`.
    func call<Report: Codable & Sendable>(
        _ request: NodeRequest, returning type: Report.Type, needsNetwork: Bool = false
    ) async throws -> Report {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            do {
                return try await client().call(request, returning: type)
            } catch ControlError.nodeNotRunning {
                guard folder.hasAccount else { throw NodeFailure.noAccount }
            }
            do {
                return try await callStore(request, returning: type, needsNetwork: needsNetwork)
            } catch NodeFailure.folderBusy(let pid) {
                guard ContinuousClock.now < deadline else { throw NodeFailure.folderBusy(pid: pid) }
                await pause()
            }
        }
    }

    /// What reaches the running node, if there is one.
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

    private func callStore<Report: Codable & Sendable>(
        _ request: NodeRequest, returning type: Report.Type, needsNetwork: Bool
    ) async throws -> Report {
        let configuration = NodeConfiguration(
            listen: "0.0.0.0:0", usesNetwork: needsNetwork, usesLAN: needsNetwork, peers: [])
        let node = try await MeshNode(opening: folder, configuration: configuration)
        do {
            let report =
                needsNetwork
                ? try await callRunning(node, request, returning: type) : try await node.call(request, returning: type)
            await node.close()
            return report
        } catch {
            await node.close()
            throw error
        }
    }

    /// Lets the node reach others for as long as the request takes.
    private func callRunning<Report: Codable & Sendable>(
        _ node: MeshNode, _ request: NodeRequest, returning type: Report.Type
    ) async throws -> Report {
        try await withThrowingTaskGroup(of: Report?.self) { group in
            group.addTask {
                try await node.run()
                return nil
            }
            group.addTask {
                _ = try await node.ready()
                return try await node.call(request, returning: type)
            }
            defer { group.cancelAll() }
            guard let report = try await group.next() ?? nil else { throw NodeFailure.stopping }
            return report
        }
    }

    /// Gives the process that holds the folder a moment. Its lock cannot be awaited with a limit.
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

    func lines(of table: TextTable) -> [String] {
        table.lines(usingColour: usesColour)
    }
}
