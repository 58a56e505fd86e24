import Foundation

/// The node as a service of this user: it starts by itself and is started again after a crash.
struct UserService {
    /// Runs a program until it ends. Throws if there is no such program.
    typealias Runner = (_ words: [String]) throws -> (exitCode: Int32, output: String)

    struct State: Equatable {
        /// Whether the system knows the service and starts it by itself.
        var installed: Bool
        var running: Bool
        /// The file that describes it.
        var unit: String
    }

    var unit: ServiceUnit
    let environment: [String: String]
    var run: Runner = Self.execute
    /// Where a package puts a unit that serves every user of the machine.
    var packagedUnit = "/usr/lib/systemd/user/\(ServiceUnit.systemdName)"

    /// This user's own unit file. If a package installed one, and the data folder is the usual one, that is used.
    var unitPath: String {
        #if os(macOS)
            return "\(home)/Library/LaunchAgents/\(ServiceUnit.launchdLabel).plist"
        #else
            return usesPackagedUnit ? packagedUnit : ownUnitPath
        #endif
    }

    private var home: String { environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory() }

    private var ownUnitPath: String {
        let named = environment["XDG_CONFIG_HOME"] ?? ""
        let folder = named.hasPrefix("/") ? named : "\(home)/.config"
        return "\(folder)/systemd/user/\(ServiceUnit.systemdName)"
    }

    private var usesPackagedUnit: Bool {
        unit.data == nil && unit.isSandboxed && unit.program.hasPrefix("/usr/bin/")
            && FileManager.default.fileExists(atPath: packagedUnit)
    }

    /// Makes the system run the node now, and whenever this user signs in.
    ///
    /// - Throws: `CommandLineFailure.noServiceManager`, `.serviceFailed`; errors of the file system.
    mutating func install() throws -> State {
        #if os(macOS)
            try write(unit.launchdText)
            _ = try manage("launchctl", "bootout", "gui/\(getuid())/\(ServiceUnit.launchdLabel)", mayFail: true)
            try manage("launchctl", "bootstrap", "gui/\(getuid())", unitPath)
        #else
            unit.isSandboxed = hasUserNamespaces
            // Nothing is written where no manager would read it.
            try manage("systemctl", "--user", "daemon-reload")
            if !usesPackagedUnit {
                try write(unit.systemdText)
                try manage("systemctl", "--user", "daemon-reload")
            }
            try manage("systemctl", "--user", "enable", ServiceUnit.systemdName)
            // A node that runs under an older description is replaced.
            try manage("systemctl", "--user", "restart", ServiceUnit.systemdName)
        #endif
        return try state()
    }

    /// Whether this user's programs may create namespaces, as the manager does for a sandbox.
    private var hasUserNamespaces: Bool {
        (try? run(["unshare", "--user", "--map-root-user", "--mount", "true"]).exitCode) == 0
    }

    /// Stops the node and no longer starts it. The data folder stays.
    ///
    /// - Throws: as `install`.
    func remove() throws -> State {
        #if os(macOS)
            _ = try manage("launchctl", "bootout", "gui/\(getuid())/\(ServiceUnit.launchdLabel)", mayFail: true)
            try removeFile(unitPath)
        #else
            try manage("systemctl", "--user", "disable", "--now", ServiceUnit.systemdName, mayFail: true)
            try removeFile(ownUnitPath)
            try manage("systemctl", "--user", "daemon-reload")
        #endif
        return try state()
    }

    /// Whether the service is there and runs.
    ///
    /// - Throws: as `install`.
    func state() throws -> State {
        #if os(macOS)
            let isRunning = try manage(
                "launchctl", "print", "gui/\(getuid())/\(ServiceUnit.launchdLabel)", mayFail: true)
            return State(
                installed: FileManager.default.fileExists(atPath: unitPath), running: isRunning, unit: unitPath)
        #else
            let isEnabled = try manage(
                "systemctl", "--user", "--quiet", "is-enabled", ServiceUnit.systemdName, mayFail: true)
            let isActive = try manage(
                "systemctl", "--user", "--quiet", "is-active", ServiceUnit.systemdName, mayFail: true)
            return State(installed: isEnabled, running: isActive, unit: unitPath)
        #endif
    }

    /// Starts the service if it is installed. Returns whether it runs.
    func start() -> Bool {
        #if os(macOS)
            return (try? manage("launchctl", "kickstart", "gui/\(getuid())/\(ServiceUnit.launchdLabel)")) ?? false
        #else
            // Without a service, or without systemd, the caller has another way.
            guard let state = try? state(), state.installed else { return false }
            return (try? manage("systemctl", "--user", "start", ServiceUnit.systemdName)) ?? false
        #endif
    }

    /// Returns whether the program succeeded.
    @discardableResult
    private func manage(_ words: String..., mayFail: Bool = false) throws -> Bool {
        let result: (exitCode: Int32, output: String)
        do {
            result = try run(words)
        } catch {
            throw CommandLineFailure.noServiceManager(words[0])
        }
        guard result.exitCode == 0 else {
            if mayFail { return false }
            throw CommandLineFailure.serviceFailed(words.joined(separator: " "), output: result.output)
        }
        return true
    }

    private func write(_ text: String) throws {
        let file = URL(fileURLWithPath: unitPath)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
    }

    private func removeFile(_ path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// The most that is kept of what a program says.
    private static let maximumOutput = 4_096

    private static func execute(_ words: [String]) throws -> (exitCode: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        // env(1) exits with this if it cannot find the program.
        guard process.terminationStatus != 127 else { throw CocoaError(.fileNoSuchFile) }
        return (process.terminationStatus, String(decoding: bytes.prefix(maximumOutput), as: UTF8.self))
    }
}
