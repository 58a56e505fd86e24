import Foundation
import Synchronization

/// One test's own folder and processes. Whatever happens, both are gone afterwards.
public final class Lab: Sendable {
    /// The folder of this test, unique to this run.
    public let folder: String
    private let children = Mutex<[Child]>([])
    private let cleanups = Mutex<[@Sendable () async -> Void]>([])
    private let files = Atomic<Int>(0)
    /// What all nodes of this lab wrote: something to wait for before a condition is looked at again.
    public let activity = EventLog()

    private init() throws {
        folder =
            FileManager.default.temporaryDirectory.appendingPathComponent("streakmesh-\(UUID().uuidString.prefix(8))")
            .path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Runs a test in a lab of its own.
    public static func open(_ body: (Lab) async throws -> Void) async throws {
        let lab = try Lab()
        do {
            try await body(lab)
        } catch {
            await lab.close()
            throw error
        }
        await lab.close()
    }

    private func close() async {
        let children = children.withLock(\.self)
        for child in children { child.signal(SIGKILL) }
        for child in children { _ = await child.ended(limit: .seconds(10)) }
        for cleanup in cleanups.withLock(\.self).reversed() { await cleanup() }
        // What is left lies in the system's folder for such things.
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Has `cleanup` run when the test ends, after all processes did.
    public func atEnd(_ cleanup: @escaping @Sendable () async -> Void) {
        cleanups.withLock { $0.append(cleanup) }
    }

    /// Somebody with a data folder in this lab, and no account yet.
    ///
    /// - Parameter program: where the program lies.
    public func person(_ name: String, launcher: [String] = [], program: String = BuiltProgram.path) -> Friend {
        Friend(name: name, folder: "\(folder)/\(name)", lab: self, launcher: launcher, program: program)
    }

    /// Somebody with an account.
    public func friend(_ name: String, launcher: [String] = []) async throws -> Friend {
        let friend = person(name, launcher: launcher)
        try await friend.ask("init", "--name", name)
        return friend
    }

    // MARK: Processes

    var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["STREAKMESH_DATA"] = nil
        environment["PATH", default: "/usr/bin:/bin"] += ":/usr/sbin:/sbin"
        return environment
    }

    /// A path in this lab that nothing else uses.
    func freshPath(_ ending: String) -> String {
        "\(folder)/\(files.add(1, ordering: .relaxed).newValue).\(ending)"
    }

    func start(_ words: [String], input: FileHandle, output: FileHandle, errors: FileHandle) throws -> Child {
        let child = try Child(words, environment: environment, input: input, output: output, errors: errors)
        children.withLock { $0.append(child) }
        return child
    }

    /// Runs a program to its end; it is killed after `limit`.
    public func run(_ words: [String], input: String? = nil, limit: Duration = .seconds(60)) async throws
        -> CommandResult
    {
        let (inputPath, outputPath, errorPath) = (freshPath("in"), freshPath("out"), freshPath("err"))
        for (path, text) in [(inputPath, input ?? ""), (outputPath, ""), (errorPath, "")] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
        let reading = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputPath))
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: outputPath))
        let errors = try FileHandle(forWritingTo: URL(fileURLWithPath: errorPath))
        let child = try start(words, input: reading, output: output, errors: errors)
        for file in [reading, output, errors] { try file.close() }
        if await child.ended(limit: limit) == nil {
            child.signal(SIGKILL)
            _ = await child.ended(limit: .seconds(10))
            throw TestFailure("still running after \(limit): \(words.joined(separator: " "))")
        }
        children.withLock { $0.removeAll { $0 === child } }
        return CommandResult(
            words: words, exitCode: child.exitCode ?? 0,
            output: try String(contentsOfFile: outputPath, encoding: .utf8),
            errors: try String(contentsOfFile: errorPath, encoding: .utf8))
    }

    // MARK: Waiting

    /// Waits until a condition holds, looking again whenever a node of this lab tells something and now and then.
    public func eventually(
        _ what: String, limit: Duration = .seconds(120), _ holds: () async throws -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + limit
        while true {
            let seen = activity.count
            if try await holds() { return }
            guard ContinuousClock.now < deadline else { throw TestFailure("waited in vain until \(what)") }
            await activity.grown(beyond: seen, limit: .milliseconds(200))
        }
    }

    /// Waits until all hold the same ledger and records of their group, and returns the digest.
    @discardableResult
    public func agreement(of friends: [Friend], limit: Duration = .seconds(120)) async throws -> String {
        var digests: [String] = []
        do {
            try await eventually("\(friends.map(\.name)) agree", limit: limit) {
                digests = []
                for friend in friends { digests.append(try await friend.digest()) }
                return Set(digests).count == 1
            }
        } catch {
            var statuses: [String] = []
            for friend in friends { statuses.append(try await friend.run("status").output) }
            throw TestFailure("\(error): \(statuses.joined(separator: "\n"))")
        }
        return digests[0]
    }
}

/// What a program that ended leaves behind.
public struct CommandResult: Sendable, CustomStringConvertible {
    public var words: [String]
    /// The exit code, or a signal's number below zero.
    public var exitCode: Int32
    public var output: String
    public var errors: String

    /// The document on standard output.
    public var json: JSONValue {
        get throws {
            do { return try JSONValue(parsing: output) } catch { throw TestFailure("no JSON: \(self)") }
        }
    }

    /// The stable word of the error on standard error, if it is one.
    public var errorCode: String? {
        errors.split(separator: "\n").lazy.compactMap { line in
            // Lines that are no JSON hold no code.
            (try? JSONValue(parsing: String(line)))?["error"]["code"].text
        }.first
    }

    public var description: String {
        "\(words.dropFirst().joined(separator: " ").prefix(300)) → \(exitCode)\n\(output)\n\(errors)"
    }
}
