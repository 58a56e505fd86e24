import Foundation
import StreakTestSupport
import Testing

/// What other users and programs of the same machine get out of a running node: nothing, and they do not stop it.
@Suite struct LocalUserTests {
    /// Everything that must be in no log, by what it is.
    private static let environment = "canary-of-the-environment"
    private static let passphrase = "canary-of-the-passphrase"

    @Test(.timeLimit(.minutes(10)), arguments: ["critical", "error", "warning", "notice", "info", "debug", "trace"])
    func `no log of any level holds a secret or a value of the environment`(level: String) async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend(
                "Ada", launcher: ["STREAKMESH_CANARY=\(Self.environment)", "TERM=\(Self.environment)"])
            let node = try await ada.start("--log", level, page: true)
            try await ada.ask("group", "create", "Breakfast club")
            let link = try #require(try await ada.ask("invite")["link"].text)
            let key = try #require(try await ada.ask("recovery", "show")["key"].text)
            let signIn = try #require(node.ready["signIn"].text)
            let page = try #require(node.ready["web"].text)
            let token = try #require(signIn.split(separator: "=").last.map(String.init))

            let first = try await WebPage.answer(of: page, to: "GET", String(signIn.dropFirst(page.count)), in: lab)
            let cookies = first.split(separator: "\r\n").filter { $0.lowercased().hasPrefix("set-cookie:") }
            let cookie = try #require(
                cookies.first?.split(separator: " ")[1].split(separator: ";").first.map(String.init))
            let secret = try #require(cookie.split(separator: "=").last.map(String.init))
            for path in ["/today", "/join?link=\(link)", "/nothing?token=\(token)", "/sign-in?token=\(token)"] {
                _ = try await WebPage.answer(of: page, to: "GET", path, cookie: cookie, in: lab)
            }
            let form = "file=\(lab.folder)/ada.backup&passphrase=\(Self.passphrase)&again=\(Self.passphrase)"
            let backup = try await WebPage.answer(of: page, to: "POST", "/backup", form: form, cookie: cookie, in: lab)
            #expect(backup.contains(" 303 ") || backup.contains(" 200 "), "\(backup.prefix(200))")
            _ = try await WebPage.answer(of: page, to: "POST", "/backup?\(form)", form: "%", cookie: cookie, in: lab)
            // What commands carry past the page.
            _ = try await ada.run("join", link)
            _ = try await ada.run("recovery", "confirm", key)
            #expect(try await node.stop() == 0)

            let log = try node.errors
            let canaries = [
                "environment": Self.environment, "passphrase": Self.passphrase, "sign-in token": token,
                "session": secret,
                "invite": String(link.dropFirst("streakmesh://join/".count)), "recovery key": key,
            ]
            for (name, canary) in canaries { #expect(!log.contains(canary), "the log of \(level) holds the \(name)") }
            // Or else nothing was looked at.
            if level == "debug" || level == "trace" { #expect(log.contains("debug") || log.contains("trace")) }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: [true, false])
    func `what a node says into a file signs nobody in`(hasAccount: Bool) async throws {
        try await Lab.open { lab in
            let folder = hasAccount ? try await lab.friend("Ada").folder : "\(lab.folder)/new"
            let words = ["--data", folder, "up", "--listen", "127.0.0.1:0", "--no-lan"]
            let node = try Daemon(in: lab, [BuiltProgram.path] + words)
            try await node.says("`streakmesh open` opens your page.")
            if hasAccount { try await node.says("Press Ctrl-C to stop.") }
            #expect(!node.lines.lines.contains { $0.contains("token=") })
            await node.stop()
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a report for an issue holds nothing of its user and friends`() async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Adacanary")
            try await ada.ask("group", "create", "Clubcanary")
            let node = try await ada.start(page: true)
            let code = try #require(try await ada.ask("friend", "code")["code"].text)
            let whoami = try await ada.ask("whoami")
            let status = try await ada.ask("status")
            let page = try #require(status["web"].text)
            let secrets = [
                "canary", code, try #require(whoami["user"].text), try #require(whoami["device"].text),
                try #require(status["groups"].items.first?["id"].text), page, lab.folder,
                try #require(page.split(separator: ":").last.map(String.init)),
            ]
            let told = try await ada.run("doctor").output
            let report = try await ada.run("doctor", "--report")
            #expect(try await node.stop() == 0)
            let offline = try await ada.run("doctor", "--report")
            #expect(told.contains(page))
            for result in [report, offline] {
                #expect(result.exitCode == 0 && result.output.contains("cause: "), "\(result)")
                for secret in secrets { #expect(!result.output.contains(secret), "\(result.output)") }
                // No other address is in it either.
                let address = result.output.firstMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|::|\/\//)
                #expect(address == nil, "\(result.output)")
            }
            #expect(report.output.contains("page: there") && offline.output.contains("node: not running"))
        }
    }

    #if os(Linux)
        @Test(.timeLimit(.minutes(10)))
        func `hundreds of idle connections stop neither page nor commands nor friends`() async throws {
            try await Lab.open { lab in
                // So few descriptors that what is not bounded soon has them all.
                let ada = try await lab.friend("Ada", launcher: ["prlimit", "--nofile=320:320"])
                let bela = try await lab.friend("Béla")
                let (node, belaNode) = (try await ada.start(page: true), try await bela.start())
                let page = try #require(node.ready["web"].text)
                let pagePort = try #require(page.split(separator: ":").last.flatMap { UInt16($0) })
                var idle: [RawSocket] = []
                for number in 0..<600 {
                    let connection = try RawSocket(.stream)
                    #expect(connection.connect(to: number % 3 == 0 ? node.port : pagePort))
                    if number % 2 == 0 { connection.send(Array("GET /today HTTP/1.1\r\nHost: 127.0".utf8)) }
                    idle.append(connection)
                }
                #expect(try await WebPage.answer(of: page, to: "GET", "/today", in: lab).contains(" 401 "))
                try await ada.share(with: bela)
                try await lab.agreement(of: [ada, bela])
                withExtendedLifetime((idle, belaNode)) {}
            }
        }

        @Test(.timeLimit(.minutes(10)), .enabled(if: geteuid() == 0, "needs root: only root can act as another user"))
        func `another user's data folder is refused in words, whether it can be entered or not`() async throws {
            try await Lab.open { lab in
                let ada = try await lab.friend("Ada")
                let program = "/tmp/streakmesh-program-\(lab.folder.suffix(8))"
                // Whatever the mask was that the build wrote it under, the other user may run the copy.
                _ = try await lab.run(["install", "-m", "755", BuiltProgram.path, program])
                lab.atEnd { try? FileManager.default.removeItem(atPath: program) }
                for mode in ["700", "777"] {
                    _ = try await lab.run(["chmod", mode, lab.folder, ada.folder])
                    for command in [["status"], ["whoami"], ["init", "--name", "Eve"], ["up"]] {
                        let words = [
                            "setpriv", "--reuid=65534", "--clear-groups", program, "--json", "--data", ada.folder,
                        ]
                        let theirs = try await lab.run(words + command)
                        #expect(theirs.exitCode == 77, "\(command): \(theirs.errors)")
                        #expect(theirs.errors.contains("\"othersFolder\""), "\(command): \(theirs.errors)")
                    }
                }
            }
        }

        @Test(.timeLimit(.minutes(10)))
        func `a node may have as many files open as its user may`() async throws {
            try await Lab.open { lab in
                let ada = try await lab.friend("Ada", launcher: ["prlimit", "--nofile=256:1000"])
                let node = try await ada.start()
                let limits = try await lab.run(["cat", "/proc/\(node.processID)/limits"]).output
                let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
                #expect(line.split(separator: " ").dropFirst(3).prefix(2) == ["1000", "1000"])
            }
        }
    #endif
}
