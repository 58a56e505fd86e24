#if os(Linux)
    import Foundation

    /// A program of others that runs in a lab until its end, and what it writes.
    public final class Daemon: Sendable {
        /// The lines it wrote, to standard output and standard error.
        public let lines = EventLog()
        private let child: Child
        private let input: FileHandle

        /// Starts `words` in a lab, with an input that stays open.
        public init(in lab: Lab, _ words: [String]) throws {
            let (output, input) = (Pipe(), Pipe())
            let lines = lines
            child = try lab.start(
                words, input: input.fileHandleForReading, output: output.fileHandleForWriting,
                errors: output.fileHandleForWriting)
            self.input = input.fileHandleForWriting
            try output.fileHandleForWriting.close()
            try input.fileHandleForReading.close()
            let reading = output.fileHandleForReading
            // A thread of its own: there are as many of these as hosts, and each waits for most of the test.
            Thread {
                var rest = Data()
                while true {
                    let data = reading.availableData
                    guard !data.isEmpty else { break }
                    rest += data
                    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                        lines.append(String(decoding: rest[..<end], as: UTF8.self))
                        rest = Data(rest[rest.index(after: end)...])
                    }
                }
                lines.end()
            }.start()
        }

        /// Waits until a line of it contains `text`.
        public func says(_ text: String, limit: Duration = .seconds(30)) async throws {
            let deadline = ContinuousClock.now + limit
            while true {
                let seen = lines.count
                if lines.lines.contains(where: { $0.contains(text) }) { return }
                guard ContinuousClock.now < deadline, child.exitCode == nil else {
                    throw TestFailure("waited in vain for “\(text)”: \(lines.lines.joined(separator: "\n"))")
                }
                await lines.grown(beyond: seen, limit: .milliseconds(200))
            }
        }

        /// Gives it something to read.
        public func read(_ text: String) throws { try input.write(contentsOf: Data(text.utf8)) }

        public func stop() async {
            child.signal(SIGKILL)
            _ = await child.ended(limit: .seconds(10))
        }
    }

    /// Nodes of a DHT as BitTorrent has it, one on each host: each opens its sockets on one interface of its own.
    public final class DHTCluster: Sendable {
        /// Whether Debian's `python3-libtorrent` is here.
        public static let isAvailable = {
            // Where Python is not, nothing is.
            let packages = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/python3/dist-packages")
            return (packages ?? []).contains { $0.hasPrefix("libtorrent") }
        }()

        private static let port = 6_881
        private let nodes: [Daemon]
        /// `HOST:PORT` of the first.
        public let bootstrap: String

        /// The command that runs one of the scripts beside this file.
        public static func words(_ script: String) -> [String] {
            let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            return ["/usr/bin/python3", "-I", folder.appendingPathComponent("Scripts/\(script)").path]
        }

        public init(in lab: Lab, at hosts: [Lan.Host]) async throws {
            bootstrap = "\(hosts[0].address):\(Self.port)"
            // A few that are known to all let the others find each other.
            let known = hosts.prefix(3).map { "\($0.address):\(Self.port)" }
            nodes = try hosts.map { host in
                let words = Self.words("dht-node.py") + [host.address, "\(Self.port)"]
                return try Daemon(in: lab, host.launcher + words + known.filter { !$0.hasPrefix("\(host.address):") })
            }
            for node in nodes { try await node.says("ready") }
        }

        /// Waits until the nodes, at least five, have found each other.
        public func settled() async throws {
            for node in nodes { try await node.says("settled", limit: .seconds(60)) }
        }
    }
#endif
