import Foundation
import StreakGames
import StreakScores
import Testing

@testable import StreakNode

/// Reminders outside the page: the right program runs, and nothing else interprets its arguments.
@Suite(.timeLimit(.minutes(5))) struct DesktopNotificationTests {
    /// A folder with a program that writes its arguments, each ended by a NUL, into a pipe of its own.
    private final class Stage {
        let party: NodeParty
        private let pipes: [String: Int32]

        /// - Parameter more: what the program does after it has written its arguments, in the shell's language.
        init(more: String = "") throws {
            let party = try NodeParty()
            let script =
                "#!/bin/sh\nfor word; do printf '%s\\0' \"$word\"; done >> '\(party.path("notify-send.pipe"))'\n" + more
            // Written by a process that ends: a file that is open for writing cannot be run, and what this process has
            // open, a program that another test starts at that moment has open as well.
            let writer = Process()
            writer.executableURL = URL(fileURLWithPath: "/bin/sh")
            writer.arguments = [
                "-c", "printf '%s' \"$1\" > \"$0\" && chmod 755 \"$0\"", party.path("notify-send"), script,
            ]
            try writer.run()
            writer.waitUntilExit()
            try #require(writer.terminationStatus == 0)
            var pipes: [String: Int32] = [:]
            for name in ["notify-send.pipe", "command.pipe"] {
                try #require(unsafe mkfifo(party.path(name), 0o600) == 0)
                // Opened before anybody writes, so that neither side waits for the other.
                let end = unsafe open(party.path(name), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                try #require(end >= 0)
                pipes[name] = end
            }
            (self.party, self.pipes) = (party, pipes)
        }

        var desktop: DesktopNotification {
            DesktopNotification(environment: ["PATH=\(party.folder.path):/usr/bin:/bin", "LANG=C.UTF-8"])
        }

        /// A command of the user's that outputs its first argument.
        var command: String { "printf '%s\\0' \"$1\" > '\(party.path("command.pipe"))'" }

        deinit { for end in pipes.values { _ = close(end) } }

        /// Waits at most a minute until one program has written and ended.
        func words(in pipe: String) throws -> [String] {
            let end = try #require(pipes[pipe])
            var bytes: [UInt8] = []
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                var state = pollfd(fd: end, events: Int16(POLLIN), revents: 0)
                guard unsafe poll(&state, 1, 60_000) == 1 else { break }
                var part = [UInt8](repeating: 0, count: 4_096)
                let count = unsafe read(end, &part, part.count)
                if count <= 0, !bytes.isEmpty { break }
                bytes += part.prefix(max(0, count))
            }
            try #require(!bytes.isEmpty, "nothing was written into \(pipe)")
            return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    private static let hostile = [
        "Keep your streak alive: Wordle.", "$(touch owned)", "`touch owned`", "-u", "--help", "; touch owned #",
        "two\nlines", "\" ' \\ \\n %s %n", "🧱 <b>bold</b> & <a href=\"x\">", "", "*", "~", "${PATH}", "é\u{202E}x",
    ]

    @Test(arguments: hostile)
    func `a text reaches the desktop and the user's command as one inert word`(text: String) throws {
        let stage = try Stage()
        stage.desktop.show(text)
        #expect(
            try stage.words(in: "notify-send.pipe") == [
                "--app-name=StreakMesh", "--", "StreakMesh", DesktopNotification.body(text),
            ])
        stage.desktop.run(stage.command, with: text)
        #expect(try stage.words(in: "command.pipe") == [DesktopNotification.word(text)])
        #expect(!FileManager.default.fileExists(atPath: stage.party.path("owned")))
        #expect(!FileManager.default.fileExists(atPath: "owned"))
    }

    #if !os(macOS)
        @Test(arguments: hostile) func `a click on a notification opens the page`(text: String) throws {
            let stage = try Stage(more: "echo default")
            stage.desktop.show(text, opening: ["/bin/sh", "-c", stage.command, "sh", "--data", text])
            #expect(
                try stage.words(in: "notify-send.pipe") == [
                    "--app-name=StreakMesh", "--action=default=Open", "--", "StreakMesh",
                    DesktopNotification.body(text),
                ])
            #expect(try stage.words(in: "command.pipe") == ["--data"])
            #expect(!FileManager.default.fileExists(atPath: stage.party.path("owned")))
        }

        @Test func `a click leads to what the notification tells of`() async throws {
            let stage = try Stage(more: "echo default")
            try stage.party.makeAccount("Ada")
            var configuration = NodeConfiguration(listen: "", usesNetwork: false, usesLAN: false, peers: [])
            configuration.opening = ["/bin/sh", "-c", stage.command, "sh"]
            let node = try await MeshNode(opening: stage.party.dataFolder("Ada"), configuration: configuration)
            await node.show(by: stage.desktop)
            try await node.tell("Ada challenged you.")
            #expect(try stage.words(in: "command.pipe") == ["streakmesh://activity"])
            await node.close()
        }

        @Test func `a notification that is only closed opens nothing`() throws {
            let stage = try Stage()
            stage.desktop.show("text", opening: ["/bin/sh", "-c", stage.command, "sh", "opened"])
            #expect(try stage.words(in: "notify-send.pipe").contains("--action=default=Open"))
            stage.desktop.run(stage.command, with: "later")
            #expect(try stage.words(in: "command.pipe") == ["later"])
        }

        @Test func `a desktop program that knows no clicks shows the text without`() throws {
            let stage = try Stage(more: "case \"$*\" in *--action*) exit 1 ;; esac; echo default")
            stage.desktop.show("text", opening: ["/bin/sh", "-c", stage.command, "sh", "opened"])
            let words = ["--app-name=StreakMesh", "--", "StreakMesh", "text"]
            var seen: [String] = []
            while seen.suffix(4) != words, seen.count < 10 { seen += try stage.words(in: "notify-send.pipe") }
            #expect(seen.contains("--action=default=Open") && Array(seen.suffix(4)) == words)
        }

        @Test func `a machine has a desktop if the program is in its path`() throws {
            let stage = try Stage()
            #expect(stage.desktop.isThere)
            for environment in [[], ["PATH="], ["PATH=/nowhere:\(stage.party.path("none"))", "PATHS=/bin"]] {
                #expect(!DesktopNotification(environment: environment).isThere)
            }
        }
    #endif

    @Test(arguments: ["/bin/tell", "'/a b/tell'", "tell --title 'a b'", "LANG=C tell"])
    func `a program with its words gets the text behind them`(command: String) {
        #expect(DesktopNotification.taking(command) == command + " \"$@\"")
    }

    @Test(arguments: [
        "", "  ", "A=b", "A=b C=d", "a &", "a | b", "a > b", "a # b", "(a)", "{ a", "a\nb", "a `b`", "a $1",
    ])
    func `where the text might be run, nothing is put behind a command`(command: String) {
        #expect(DesktopNotification.taking(command) == command)
    }

    @Test(arguments: [
        ("Wordle.", "Wordle."), ("<b>", "&lt;b&gt;"), ("a & b", "a &amp; b"), ("\\n", "\\\\n"), ("&lt;", "&amp;lt;"),
        ("two\nlines", "two\nlines"),
        ("\u{600}<b\u{301}>\u{200D}&\u{FE0F}", "\u{600}&lt;b\u{301}&gt;\u{200D}&amp;\u{FE0F}"),
        ("\u{600}\\n\u{1B}[31m\u{202E}", "\u{600}\\\\n[31m"),
    ])
    func `neither markup nor escapes of a name are read`(text: String, body: String) {
        #expect(DesktopNotification.body(text) == body)
    }

    @Test(arguments: [
        ("Béla won.", "Béla won."), ("7 won.", "7 won."), ("é", "é"), ("🧱 won.", "🧱 won."), ("", ""), (" -x", " -x"),
        ("--exec=rm won.", " --exec=rm won."), ("@/etc/passwd", " @/etc/passwd"), ("~", " ~"), ("!", " !"),
        ("\u{202E}-x", " -x"), ("a\n\u{1B}]0;x\u{7}b\u{2066}c\u{2028}d", "a]0;xbcd"),
    ])
    func `the user's command reads no option, no file and no steering character in a friend's name`(
        text: String, word: String
    ) {
        #expect(DesktopNotification.word(text) == word)
    }

    @Test func `no neighbour hides a character of markup`() {
        // All that Unicode joins to a neighbour.
        let joining = (0x300...0xE01EF).lazy.compactMap { Unicode.Scalar(UInt32($0)) }.filter {
            !$0.isSteering && ("<\($0)".count == 1 || "\($0)<".count == 1)
        }
        var count = 0
        for near in joining {
            count += 1
            let body = Array(DesktopNotification.body("\(near)<\(near)&\(near)\\\(near)>\(near)").unicodeScalars)
            #expect(body == Array("\(near)&lt;\(near)&amp;\(near)\\\\\(near)&gt;\(near)".unicodeScalars))
        }
        #expect(count > 2_000)
    }

    @Test func `where no such program is, nothing happens, and what comes next is done`() throws {
        let stage = try Stage()
        let desktop = DesktopNotification(environment: ["PATH=\(stage.party.path("none"))"])
        desktop.show("text")
        desktop.run(stage.command, with: "later")
        #expect(try stage.words(in: "command.pipe") == ["later"])
    }

    @Test func `a reminder that is due runs both, with what it says`() async throws {
        let stage = try Stage()
        try stage.party.makeAccount("Ada")
        let today = SystemClock().today
        let noon = try #require(SystemClock().calendar.instant(of: 12 * 60, on: today))
        let evening = try #require(SystemClock().calendar.instant(of: 18 * 60 + 31, on: today))
        let clock = SettableClock(noon)
        var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        configuration.wall = { clock.milliseconds }
        let node = try await MeshNode(opening: stage.party.dataFolder("Ada"), configuration: configuration)
        await node.show(by: stage.desktop)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            _ = try await node.ready()
            _ = try await node.group(.create(title: "Red"))
            let game = try await node.call(
                GameRequest.define(GameForm(name: "$(rm) <b> -u", model: "highScore"), group: nil))
            for ago in 1...3 {
                let request = ScoreRequest.record(
                    game: game.id, score: 3, isCompleted: true, seconds: nil,
                    date: today.adding(days: -ago).description,
                    groups: nil)
                _ = try await node.call(request)
            }
            _ = try await node.call(
                ReminderRequest.change(ReminderChange(on: true, time: "18:30", desktop: true, command: stage.command)))
            clock.set(evening)
            await node.turn()
            let text = "Keep your 3-day streak alive today: $(rm) <b> -u."
            #expect(try stage.words(in: "notify-send.pipe").last == DesktopNotification.body(text))
            #expect(try stage.words(in: "command.pipe") == [text])
            await node.close()
        }
    }
}

extension MeshNode {
    /// Shows a text that leads to the feed, on a machine whose user wants such texts on the desktop.
    fileprivate func tell(_ text: String) async throws {
        _ = try await call(ReminderRequest.change(ReminderChange(on: true, desktop: true)))
        services.reminders.show(text, leadingTo: "streakmesh://activity")
    }

    fileprivate func show(by desktop: DesktopNotification) { services.reminders.desktop = desktop }
}
