import Foundation
import StreakTestSupport
import Testing

/// What scripts rely on: exit codes, error codes and JSON keys (docs/cli.md).
@Suite struct ContractTests {
    @Test(.timeLimit(.minutes(10)))
    func `every command answers with its keys, with and without a running node`() async throws {
        try await Lab.open { lab in
            let ada = lab.person("Ada")
            _ = try await ada.askAsDocumented("init", "--name", "Ada")
            try await Self.askEverything(ada)
            _ = try await ada.askAsDocumented("comment list", "Ada", "wordle", "--date", "2025-03-01")
            let node = try await ada.start(page: true)
            #expect(node.ready.keys.isSuperset(of: ["event", "listen", "web", "signIn"]))
            #expect(node.ready["signIn"].text?.hasPrefix(node.ready["web"].text ?? "?") == true)
            try await Self.askEverything(ada)
            #expect(try await node.stop() == 0)
        }
    }

    private static func askEverything(_ ada: Friend) async throws {
        let group = try await ada.askAsDocumented("group create", "Club \(UUID().uuidString.prefix(4))")
        let title = try #require(group["title"].text)
        #expect(try await ada.askAsDocumented("group list")["groups"].items.contains { $0["title"].text == title })
        #expect(try await ada.ask("group", "use", title)["active"].bool == true)
        #expect(try await ada.askAsDocumented("members")["members"].items.count == 1)
        let invite = try await ada.askAsDocumented("invite", "--uses", "2", "--expires", "12h")
        #expect(invite["uses"].integer == 2)
        #expect(try await ada.askAsDocumented("invite list", "--group", title)["invites"].items.count == 1)
        #expect(
            try await ada.ask("invite", "revoke", try #require(invite["id"].text))["invites"].items
                .contains { $0["id"] == invite["id"] } == false)
        for command in [
            "whoami", "group settings", "group annul", "requests", "friend code", "privacy", "device list",
            "recovery show",
            "guest status",
            "status", "internet", "clock", "mute", "challenge list", "notifications", "message list", "feed", "event",
            "player",
        ] {
            _ = try await ada.askAsDocumented(command)
        }
        try await askAboutResults(ada)
        #expect(try await ada.askAsDocumented("games", "word")["games"].items.isEmpty == false)
    }

    private static func askAboutResults(_ ada: Friend) async throws {
        let shares = ShareTexts.wordle(1_351, guesses: 3) + "\n\nWordle 1,352 9/6"
        _ = try await ada.askAsDocumented("parse", input: shares)
        let added = try await ada.askAsDocumented("add", input: shares)
        #expect(added["added"].items.count == 1 && added["refused"].items.count == 1)
        let recorded = try await ada.ask("record", "connections", "--score", "4", "--date", "2025-03-01")
        #expect(recorded.keys == added["added"][0].keys)
        #expect(try await ada.ask("delete", "connections", "--date", "2025-03-01").keys == recorded.keys)
        _ = try await ada.askAsDocumented("undo")
        #expect(
            try await ada.ask("results", "--game", "wordle", "--from", "2025-03-01", "--to", "2025-03-01")["results"]
                .items.map(\.keys) == [recorded.keys])
        let board = try await ada.askAsDocumented("board", "--game", "wordle", "--date", "2025-03-01")
        #expect(board["rows"].items.count == 1)
    }

    @Test(.timeLimit(.minutes(10)))
    func `what goes wrong ends in its exit code and a stable word`() async throws {
        try await Lab.open { lab in
            let nobody = lab.person("Nobody")
            let ada = try await lab.friend("Ada")
            func expect(_ result: CommandResult, _ exit: Int32, _ code: String?) {
                #expect(result.exitCode == exit, "\(result)")
                #expect(result.errorCode == code, "\(result)")
            }
            expect(try await nobody.run("whoami"), 1, "noAccount")
            expect(try await nobody.run("up"), 1, "noAccount")
            expect(try await ada.run("init", "--name", "Again"), 73, "accountExists")
            expect(try await ada.run("no-such-command"), 64, "usage")
            expect(try await ada.run("board"), 1, "noGroup")
            // What is wrong with the words is said first.
            expect(try await ada.run("board", "--range", "sometimes"), 64, "invalidRange")
            try await ada.ask("group", "create", "Club")
            expect(try await ada.run("board", "--group", "Other"), 65, "unknownGroup")
            expect(try await ada.run("board", "--range", "sometimes"), 64, "invalidRange")
            expect(try await ada.run("record", "nonesuch", "--score", "3"), 65, "unknownGame")
            expect(try await ada.run("record", "wordle", "--score", "9"), 65, "invalidScore")
            expect(try await ada.run("delete", "wordle", "--date", "2025-03-01"), 65, "noSuchResult")
            expect(try await ada.run("invite", "--expires", "soon"), 64, "usage")
            expect(try await ada.run("invite", "revoke", "00"), 65, "unknownInvite")
            expect(try await ada.run("up", "--listen", "192.0.2.1:1", "--no-web"), 73, "cannotListen")

            // With somebody else in the group, who is then away.
            let bela = try await lab.friend("Béla")
            let nodes = [try await ada.start(), try await bela.start()]
            try await bela.ask("join", try #require(try await ada.ask("invite")["link"].text))
            for node in nodes { try await node.stop() }
            expect(try await ada.run("sync"), 69, "nobodyReachable")
            expect(try await ada.run("group", "leave", "Club"), 77, "ownerCannotLeave")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a second, different value is a conflict until it is to replace the first`() async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Ada")
            let first = ShareTexts.wordle(1_351, guesses: 3)
            let second = ShareTexts.wordle(1_351, guesses: 5)
            #expect(try await ada.ask("add", input: first)["added"][0]["unchanged"].bool == false)
            #expect(try await ada.ask("add", input: first)["added"][0]["unchanged"].bool == true)
            let conflict = try await ada.run("add", input: second)
            #expect(conflict.exitCode == 65)
            #expect(try conflict.json["refused"][0]["reason"].text == "conflict")
            #expect(try await ada.ask("results")["results"][0]["score"].integer == 3)
            let replaced = try await ada.ask("add", "--replace", input: second)
            #expect(replaced["added"][0]["replaced"].bool == true)
            #expect(try await ada.ask("results")["results"][0]["score"].integer == 5)

            let nothing = try await ada.run("add", input: "see you at noon")
            #expect(nothing.exitCode == 65)
            #expect(try nothing.json["added"].items.isEmpty)
            #expect(try await ada.run("add", input: "").exitCode == 65)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `parse needs no data folder and answers line by line`() async throws {
        try await Lab.open { lab in
            let program = [BuiltProgram.path, "--data", "\(lab.folder)/none"]
            let one = try await lab.run(program + ["--json", "parse"], input: ShareTexts.wordle(1_351, guesses: 3))
            #expect(one.exitCode == 0)
            let share = try one.json["shares"][0]
            #expect(share.keys == ["game", "puzzle", "day", "score", "maxAttempts", "completed", "seconds", "hints"])
            #expect(share["day"].text == "2025-03-01")
            let texts = [ShareTexts.wordle(1, guesses: nil), "hello", ShareTexts.mini("3/1/2025", time: "0:42")]
            let lines = try texts.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let many = try await lab.run(
                program + ["parse", "--lines"], input: (lines + ["no JSON"]).joined(separator: "\n") + "\n")
            #expect(many.exitCode == 0)
            let answers = try many.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            #expect(answers.map { $0["shares"].items.count } == [1, 0, 1, 0])
            #expect(answers.map { $0["refused"].items.count } == [0, 1, 0, 1])
            #expect(answers[2]["shares"][0]["seconds"].integer == 42)
            #expect(!FileManager.default.fileExists(atPath: "\(lab.folder)/none"))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a node started again with the same address serves there at once`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let belaNode = try await bela.start()
            var node = try await ada.start(listen: "127.0.0.1:\(freePort())")
            let address = node.address
            try await ada.share(with: bela)
            for ending in ["kill", "stop", "kill"] {
                if ending == "kill" { await node.kill() } else { try await node.stop() }
                node = try await ada.start(listen: address)
                #expect(node.address == address)
            }
            // And another node on it is refused.
            let taken = try await bela.lab.friend("Chloë").run("up", "--listen", address, "--no-web")
            #expect(taken.exitCode == 73)
            #expect(taken.errorCode == "cannotListen")
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            try await lab.agreement(of: [ada, bela])
            withExtendedLifetime(belaNode) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a data folder that a node holds is busy to a second one, and open to commands`() async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Ada")
            let node = try await ada.start()
            let second = try await ada.run("up", "--listen", "127.0.0.1:0", "--no-web", "--no-lan")
            #expect(second.exitCode == 75, "\(second)")
            #expect(second.errorCode == "folderBusy")
            #expect(try await ada.ask("status")["running"].bool == true)
            // Commands at once, without a node: they take turns.
            try await node.stop()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...6 {
                    group.addTask { try await ada.ask("add", input: ShareTexts.wordle(number, guesses: 3)) }
                }
                try await group.waitForAll()
            }
            #expect(try await ada.ask("results")["results"].items.count == 6)
        }
    }
}
