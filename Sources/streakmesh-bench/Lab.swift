import Foundation
import StreakNode
import StreakStorage

/// Accounts and nodes in a temporary folder, as real processes of the measured program.
final class Lab {
    private let program: String
    private let folder: URL
    private var nodes: [RunningNode] = []

    init(program: String) throws {
        self.program = program
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("streakmesh-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Stops every node and removes the folder.
    func close() {
        for node in nodes { node.process.terminate() }
        for node in nodes { node.process.waitUntilExit() }
        // A file left in the temporary folder does no harm.
        try? FileManager.default.removeItem(at: folder)
    }

    /// A file of this name in the lab's folder.
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// The data folder of an account.
    func folder(_ name: String) -> DataFolder { DataFolder(path: data(name)) }

    private func data(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func makeAccount(_ name: String) throws { try run(name, ["init", "--name", name]) }

    /// A new link of the account's group.
    func invite(_ name: String) throws -> String {
        let output = try run(name, ["--json", "invite"])
        let report = try JSONDecoder().decode(InviteReport.self, from: output)
        return report.link
    }

    /// Runs one command to its end.
    @discardableResult
    func run(_ name: String, _ arguments: [String]) throws -> Data {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--data", data(name)] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFailure.command(arguments, process.terminationStatus) }
        return bytes
    }

    /// The line that a node prints when it is ready.
    private struct Ready: Decodable {
        let web: String
        let signIn: String
    }

    /// Starts a node on loopback and waits until it is ready.
    func start(_ name: String) async throws -> RunningNode {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "--data", data(name), "--json", "up", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0", "--no-lan",
            "--internet", "off",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            guard let piece = try output.fileHandleForReading.read(upToCount: 1), !piece.isEmpty else {
                throw BenchFailure.notReady(name)
            }
            line += piece
        }
        // Further output is read and dropped, so that the node never blocks on this process.
        output.fileHandleForReading.readabilityHandler = { handle in _ = handle.availableData }
        let client = ControlClient(socketPath: DataFolder(path: data(name)).controlSocketPath)
        let ready = try JSONDecoder().decode(Ready.self, from: line)
        let node = RunningNode(process: process, client: client, web: ready.web, signIn: ready.signIn)
        nodes.append(node)
        return node
    }
}

/// A node's process and its control connection.
struct RunningNode {
    let process: Process
    let client: ControlClient
    /// The page's address, and a link that signs in there once.
    let web: String
    let signIn: String

    /// The resident memory; 0 if the kernel does not tell.
    var residentBytes: Int {
        let path = "/proc/\(process.processIdentifier)/statm"
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return 0 }  // not on Linux
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
    }

    func stop() throws {
        process.terminate()
        process.waitUntilExit()
    }
}

/// Traffic on the loopback interface. It includes other programs' traffic, so measure on a quiet machine.
enum Loopback {
    static func counters() throws -> (bytes: Int, packets: Int) {
        let text = try String(contentsOfFile: "/proc/net/dev", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.contains("lo:") }) else { return (0, 0) }
        let fields = line.split(separator: ":")[1].split(separator: " ")
        return (Int(fields[0]) ?? 0, Int(fields[1]) ?? 0)
    }
}

enum BenchFailure: Error {
    case command([String], Int32)
    case notReady(String)
}
