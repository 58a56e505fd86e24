import Foundation
import Logging
import ServiceLifecycle
import StreakTestSupport
import Synchronization
import Testing

@testable import streakmesh

@Suite struct ServiceUnitTests {
    /// What a service manager is asked for, and what it answers to each beginning of a command.
    private final class Manager: Sendable {
        let asked = Mutex<[String]>([])
        let failing: Set<String>

        init(failing: Set<String> = []) { self.failing = failing }

        func run(_ words: [String]) -> (exitCode: Int32, output: String) {
            let command = words.joined(separator: " ")
            asked.withLock { $0.append(command) }
            return failing.contains { command.hasPrefix($0) } ? (1, "No such thing\nmore") : (0, "")
        }
    }

    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "streakmesh-unit-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // in the system's folder for such things
        try body(folder)
    }

    private static func service(_ manager: Manager, in folder: String, data: String? = nil) -> UserService {
        UserService(
            unit: ServiceUnit(program: "/usr/bin/streakmesh", data: data),
            environment: ["HOME": folder, "XDG_CONFIG_HOME": "\(folder)/config"], run: manager.run,
            packagedUnit: "\(folder)/packaged.service")
    }

    @Test(arguments: [
        ("/usr/bin/streakmesh", "/usr/bin/streakmesh"), ("/a b", #""/a b""#), ("/100%$x", #""/100%%$$x""#),
        (#"/a"b\c"#, #""/a\"b\\c""#), ("/a\nExecStartPre=/bin/false", #""/a\nExecStartPre=/bin/false""#), ("", #""""#),
    ])
    func `a word of ExecStart is one word, whatever stands in it`(word: String, expected: String) {
        let quoted = ServiceUnit.systemdQuoted(word)
        #expect(!quoted.contains("\n"))
        #expect(quoted == expected)
    }

    @Test func `a folder's name stays text in a launch agent`() {
        let text = ServiceUnit(program: "/bin/s", data: "/a</string><string>&b").launchdText
        #expect(text.contains("<string>/a&lt;/string&gt;&lt;string&gt;&amp;b</string>"))
    }

    #if os(Linux)
        @Test func `installing writes the unit, then has the manager start it`() throws {
            try Self.withFolder { folder in
                let manager = Manager()
                var service = Self.service(manager, in: folder, data: "/srv/streaks")
                let state = try service.install()
                #expect(state.installed && state.running)
                let text = try String(contentsOfFile: state.unit, encoding: .utf8)
                #expect(state.unit == "\(folder)/config/systemd/user/streakmesh.service")
                #expect(text.contains("ExecStart=/usr/bin/streakmesh --data /srv/streaks up --log warning\n"))
                #expect(text.contains("PrivateUsers=yes\n"))
                func asked() -> [String] {
                    manager.asked.withLock { asked in
                        defer { asked = [] }
                        return asked.map { $0.replacingOccurrences(of: "systemctl --user ", with: "") }
                    }
                }
                let look = ["--quiet is-enabled streakmesh.service", "--quiet is-active streakmesh.service"]
                #expect(
                    asked() == [
                        "unshare --user --map-root-user --mount true", "daemon-reload", "daemon-reload",
                        "enable streakmesh.service", "restart streakmesh.service",
                    ] + look)
                _ = try service.remove()
                #expect(!FileManager.default.fileExists(atPath: state.unit))
                #expect(asked() == ["disable --now streakmesh.service", "daemon-reload"] + look)
            }
        }

        @Test func `a system without user namespaces gets a unit that starts there`() throws {
            try Self.withFolder { folder in
                var service = Self.service(Manager(failing: ["unshare"]), in: folder)
                let text = try String(contentsOfFile: service.install().unit, encoding: .utf8)
                #expect(!text.contains("PrivateUsers") && text.contains("NoNewPrivileges=yes"))
            }
        }

        @Test func `a package's unit is used as it is`() throws {
            try Self.withFolder { folder in
                try Data().write(to: URL(filePath: "\(folder)/packaged.service"))
                var service = Self.service(Manager(), in: folder)
                #expect(try service.install().unit == "\(folder)/packaged.service")
                #expect(!FileManager.default.fileExists(atPath: "\(folder)/config"))
                // It serves the usual folder, by the program of the package, in a sandbox.
                let own = "\(folder)/config/systemd/user/streakmesh.service"
                var other = Self.service(Manager(), in: folder, data: "/srv/streaks")
                #expect(try other.install().unit == own)
                other = Self.service(Manager(failing: ["unshare"]), in: folder)
                #expect(try other.install().unit == own)
                other = Self.service(Manager(), in: folder)
                other.unit = ServiceUnit(program: "/srv/ada/streakmesh")
                #expect(other.unitPath == own)
            }
        }

        @Test(
            arguments: [
                ([], true, true), (["systemctl --user --quiet is-active"], true, false),
                (["systemctl --user --quiet is-enabled"], false, true),
            ] as [(Set<String>, Bool, Bool)])
        func `what is installed need not run, and the other way round`(
            failing: Set<String>, isInstalled: Bool, isRunning: Bool
        ) throws {
            let manager = Manager(failing: failing)
            let service = Self.service(manager, in: "/nowhere")
            let state = try service.state()
            #expect((state.installed, state.running) == (isInstalled, isRunning))
            // Only what is installed is started: else `open` has another way.
            #expect(service.start() == isInstalled)
            #expect(
                manager.asked.withLock { $0.contains("systemctl --user start streakmesh.service") } == isInstalled)
        }

        @Test func `a folder for settings counts where it is a whole path`() {
            for (named, expected) in [("/c", "/c"), ("c", "/srv/ada/.config"), ("", "/srv/ada/.config")] {
                let service = UserService(
                    unit: ServiceUnit(program: "/bin/s"),
                    environment: ["HOME": "/srv/ada", "XDG_CONFIG_HOME": named], packagedUnit: "/nowhere")
                #expect(service.unitPath == "\(expected)/systemd/user/streakmesh.service")
            }
        }

        @Test func `a program that is not there is told from one that fails`() throws {
            let service = UserService(unit: ServiceUnit(program: "/bin/s"), environment: [:])
            #expect(throws: CocoaError.self) { try service.run(["streakmesh-has-no-such-program"]) }
            let failed = try service.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
            #expect(failed.exitCode == 3 && failed.output == "out\nerr\n")
        }

        @Test(.timeLimit(.minutes(10)))
        func `the watchdog speaks for a node that answers only, and says that it stops`() async throws {
            let name = "@streakmesh-\(UUID().uuidString)"
            let socket = try NotifySocket(name: name)
            let (asked, ask) = AsyncStream.makeStream(of: Void.self)
            let (answers, answer) = AsyncStream.makeStream(of: Void.self)
            let watchdog = Watchdog(
                notifier: ServiceNotifier(environment: ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "2000"])
            ) {
                ask.yield()
                for await _ in answers { return }
            }
            let group = ServiceGroup(
                configuration: .init(
                    services: [watchdog], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
            async let run: Void = group.run()
            var asks = asked.makeAsyncIterator()
            await asks.next()
            #expect(socket.received() == "")
            answer.yield()
            await asks.next()
            #expect(socket.received() == "WATCHDOG=1" && socket.received() == "")
            await group.triggerGracefulShutdown()
            try await run
            #expect(socket.receivedAll().last == "STOPPING=1")
        }

        @Test func `without a manager that answers nothing is written, and its words are told`() throws {
            try Self.withFolder { folder in
                var service = Self.service(Manager(failing: ["systemctl --user daemon-reload"]), in: folder)
                #expect(
                    throws: CommandLineFailure.serviceFailed(
                        "systemctl --user daemon-reload", output: "No such thing\nmore")
                ) { try service.install() }
                #expect(!FileManager.default.fileExists(atPath: "\(folder)/config"))
                service.run = { _ in throw CocoaError(.fileNoSuchFile) }
                #expect(throws: CommandLineFailure.noServiceManager("systemctl")) { try service.state() }
            }
        }

        @Test func `the service manager hears that the node is ready and alive, by a path or an abstract name`() throws
        {
            try Self.withFolder { folder in
                for name in ["\(folder)/notify", "@streakmesh-\(UUID().uuidString)"] {
                    let socket = try NotifySocket(name: name)
                    let environment = ["NOTIFY_SOCKET": name, "WATCHDOG_USEC": "60000000"]
                    let notifier = ServiceNotifier(environment: environment)
                    notifier.ready()
                    notifier.isAlive()
                    #expect(socket.received() == "READY=1" && socket.received() == "WATCHDOG=1")
                    #expect(notifier.watchdogInterval == .seconds(30))
                }
                #expect(ServiceNotifier(environment: ["WATCHDOG_USEC": "60000000"]).watchdogInterval == nil)
                let other = ["NOTIFY_SOCKET": "@x", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"]
                #expect(ServiceNotifier(environment: other).watchdogInterval == nil)
                // Longer than any address: nothing is sent, and nothing breaks.
                ServiceNotifier(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 400)]).ready()
            }
        }
    #endif

    @Test func `a link of another kind is not opened, and one of ours leads to its preview only`() throws {
        for link in ["https://example.org", "file:///etc/passwd", "--help", "javascript:1", "streakmesh:/x"] {
            #expect(throws: CommandLineFailure.self) { try OpenCommand.check(link) }
        }
        #expect(throws: CommandLineFailure.self) {
            try OpenCommand.check("streakmesh://" + String(repeating: "a", count: OpenCommand.maximumLinkSize))
        }
        let link = "StreakMesh://add?text=a&to=//evil"
        try OpenCommand.check(link)
        let address = OpenCommand.address(signIn: "http://127.0.0.1:7420/sign-in?token=T", link: link)
        let fields = try #require(URLComponents(string: address)?.queryItems)
        #expect(fields.map(\.name) == ["token", "to"])
        let inner = try #require(URLComponents(string: fields[1].value ?? ""))
        #expect(inner.path == "/open" && inner.host == nil)
        #expect(inner.queryItems == [URLQueryItem(name: "link", value: link)])
    }
}
