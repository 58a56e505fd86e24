import Foundation
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
                let asked = manager.asked.withLock(\.self)
                let last = asked.lastIndex(of: "systemctl --user daemon-reload")
                #expect(last ?? 99 < asked.firstIndex(of: "systemctl --user restart streakmesh.service") ?? 0)
                _ = try service.remove()
                #expect(!FileManager.default.fileExists(atPath: state.unit))
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
            }
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

#if os(Linux)
    import Glibc

    /// What a service manager listens on (sd_notify(3)).
    private final class NotifySocket {
        private let descriptor: Int32

        init(name: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var path = Array(name.utf8)
            if path[0] == UInt8(ascii: "@") { path[0] = 0 }
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
            let result = unsafe withUnsafePointer(to: &address) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
            }
            guard result == 0 else { throw CocoaError(.fileWriteUnknown) }
        }

        deinit { close(descriptor) }

        /// One datagram; empty where none is there.
        func received() -> String {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }
    }
#endif
