#if os(Linux)
    import Foundation
    import StreakTestSupport
    import Testing

    /// `open` and `service`, on a machine whose desktop and service manager are scripts that note what they are asked.
    @Suite struct OpeningTests {
        private struct Desktop {
            let lab: Lab
            let ada: Friend
            private let log: String

            /// - Parameter screen: what `DISPLAY` says.
            init(in lab: Lab, screen: String? = nil) throws {
                self.lab = lab
                log = "\(lab.folder)/asked"
                let programs = "\(lab.folder)/programs"
                try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
                // `setsid` starts whatever `open` starts: a browser it only notes, a node stays on this machine.
                let scripts = [
                    "setsid": """
                    case "$1" in
                    xdg-open) ;;
                    *) echo $$ >'\(lab.folder)/process'; exec "$@" --listen 127.0.0.1:0 --no-lan --web 127.0.0.1:0 ;;
                    esac
                    """,
                    "xdg-open": "", "unshare": "",
                    "systemctl": """
                    case "$*" in
                    *is-enabled*) test -e '\(lab.folder)/enabled' ;;
                    *is-active*) test -e '\(lab.folder)/active' ;;
                    *enable*) touch '\(lab.folder)/enabled' ;;
                    *restart*) touch '\(lab.folder)/active' ;;
                    *disable*) rm -f '\(lab.folder)/enabled' '\(lab.folder)/active' ;;
                    esac
                    """,
                ]
                for (name, script) in scripts {
                    let text = "#!/bin/sh\necho \"\(name) $*\" >>'\(log)'\n\(script)\n"
                    let path = "\(programs)/\(name)"
                    try Data(text.utf8).write(to: URL(filePath: path))
                    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
                }
                let variables = [
                    "HOME=\(lab.folder)", "XDG_CONFIG_HOME=", "PATH=\(programs):/usr/bin:/bin",
                ]
                let screen = screen.map { ["DISPLAY=\($0)"] } ?? []
                ada = lab.person(
                    "Ada", launcher: ["env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY"] + variables + screen)
            }

            /// What was asked for since the last look.
            func asked() throws -> [String] {
                guard FileManager.default.fileExists(atPath: log) else { return [] }
                defer { try? FileManager.default.removeItem(atPath: log) }  // else it is seen twice, and a test fails
                return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(String.init)
            }

            /// The same once there is any.
            func nextAsked() async throws -> [String] {
                try await lab.eventually("a program was started") { FileManager.default.fileExists(atPath: log) }
                return try asked()
            }

            /// Ends the node that `open` has started.
            func endNode() throws {
                let text = try String(contentsOfFile: "\(lab.folder)/process", encoding: .utf8)
                if let number = pid_t(text.split(separator: "\n").first ?? "") { kill(number, SIGKILL) }
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a running node's page opens in the browser, a link only as a value of its address`() async throws {
            try await Lab.open { lab in
                let desktop = try Desktop(in: lab, screen: ":0")
                try await desktop.ada.ask("init", "--name", "Ada")
                let node = try await desktop.ada.start(page: true)
                let page = try #require(node.ready["web"].text)

                let opened = try await desktop.ada.ask("open", "streakmesh://game/wordle?a&b")
                let address = try #require(opened["signIn"].text)
                #expect(opened["opened"].bool == true)
                #expect(address.hasPrefix("\(page)/sign-in?token=") && address.contains("&to=%2Fopen%3Flink%3D"))
                #expect(try await desktop.nextAsked() == ["setsid xdg-open \(address)"])

                let printed = try await desktop.ada.ask("open", "--print")
                #expect(printed["opened"].bool == false && printed["signIn"].text?.hasPrefix(page) == true)
                for link in ["https://example.org", "--help=x", "file:///etc/passwd"] {
                    let refused = try await desktop.ada.run("open", "--", link)
                    #expect(refused.exitCode == 64, "\(refused)")
                }
                #expect(try desktop.asked().isEmpty)
                #expect(try await node.stop() == 0)
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `where no node runs one is started for this folder, and without a screen no browser`() async throws {
            try await Lab.open { lab in
                let desktop = try Desktop(in: lab)
                try await desktop.ada.ask("init", "--name", "Ada")
                #expect(try await desktop.ada.run("open", "--print").exitCode != 0)
                #expect(try desktop.asked().isEmpty)
                let opened = try await desktop.ada.ask("open")
                defer { try? desktop.endNode() }  // else the lab's end finds its folder in use, which harms nothing
                let asked = try desktop.asked()
                // Nothing but whether there is a service; there is none.
                #expect(asked.dropLast().allSatisfy { $0.hasPrefix("systemctl --user --quiet is-") }, "\(asked)")
                #expect(asked.last == "setsid \(BuiltProgram.path) --data \(desktop.ada.folder) up", "\(asked)")
                #expect(opened["opened"].bool == false && opened["signIn"].text?.contains("token=") == true)
                #expect(try await desktop.ada.ask("status")["web"].text != nil)
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `the service runs this folder's node, and says what became of it`() async throws {
            try await Lab.open { lab in
                let desktop = try Desktop(in: lab)
                let unit = "\(lab.folder)/.config/systemd/user/streakmesh.service"
                let before = try await desktop.ada.ask("service")
                #expect(before["installed"].bool == false && before["running"].bool == false)
                let installed = try await desktop.ada.ask("service", "install")
                #expect(installed["installed"].bool == true && installed["running"].bool == true)
                #expect(installed["unit"].text == unit)
                let text = try String(contentsOfFile: unit, encoding: .utf8)
                #expect(text.contains("ExecStart=\(BuiltProgram.path) --data \(desktop.ada.folder) up --log warning\n"))
                let removed = try await desktop.ada.ask("service", "remove")
                #expect(removed["installed"].bool == false && removed["running"].bool == false)
                #expect(!FileManager.default.fileExists(atPath: unit))
                for (options, beginning) in [([], "[Unit]"), (["--launchd"], "<?xml")] as [([String], String)] {
                    let shown = try await lab.run(
                        [BuiltProgram.path, "service", "unit", "--program", "/opt/streakmesh"] + options)
                    #expect(shown.output.hasPrefix(beginning) && shown.output.contains("/opt/streakmesh"))
                    let relative = try await lab.run(
                        [
                            "sh", "-c", "cd '\(lab.folder)' && exec \"$@\"", "sh", BuiltProgram.path, "service", "unit",
                            "--program", "bin/streakmesh", "--data", "mine",
                        ] + options)
                    #expect(relative.output.contains("\(lab.folder)/bin/streakmesh"), "\(relative)")
                    #expect(relative.output.contains("\(lab.folder)/mine"), "\(relative)")
                }
            }
        }

        @Test(.timeLimit(.minutes(10)), arguments: [true, false])
        func `the service manager hears that a node is ready, alive and stopping`(hasAccount: Bool) async throws {
            try await Lab.open { lab in
                let manager = try NotifySocket(name: "\(lab.folder)/notify")
                let ada = lab.person("Ada")
                if hasAccount { try await ada.ask("init", "--name", "Ada") }
                let process = "\(lab.folder)/process"
                async let ended = lab.run([
                    "env", "NOTIFY_SOCKET=\(lab.folder)/notify", "WATCHDOG_USEC=2000", "sh", "-c",
                    "echo $$ >'\(process)'; exec \"$@\"", "sh", BuiltProgram.path, "--data", ada.folder, "up",
                    "--listen",
                    "127.0.0.1:0", "--no-lan", "--web", "127.0.0.1:0",
                ])
                var heard: [String] = []
                try await lab.eventually("the node is ready and alive") {
                    heard += manager.receivedAll()
                    return heard.contains("READY=1") && heard.contains("WATCHDOG=1")
                }
                let text = try String(contentsOfFile: process, encoding: .utf8)
                kill(try #require(pid_t(text.split(separator: "\n").first ?? "")), SIGTERM)
                let result = try await ended
                #expect(result.exitCode == 0, "\(result)")
                heard = manager.receivedAll()
                #expect(heard.last == "STOPPING=1")
            }
        }
    }
#endif
