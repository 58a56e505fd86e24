import Foundation
import StreakTestSupport
import Testing

/// Statistics, custom games, files and reminders as scripts use them (docs/cli.md).
@Suite struct NumbersTests {
    @Test(.timeLimit(.minutes(10)))
    func `every number is told with its keys, with and without a running node`() async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Ada")
            try await ada.ask("group", "create", "Club")
            for (number, guesses) in [(1_351, 3), (1_352, 4), (1_353, 2)] {
                try await ada.ask("add", input: ShareTexts.wordle(number, guesses: guesses))
            }
            try await Self.askForNumbers(ada)
            let node = try await ada.start()
            try await Self.askForNumbers(ada)
            #expect(try await node.stop() == 0)
        }
    }

    private static func askForNumbers(_ ada: Friend) async throws {
        let stats = try await ada.askAsDocumented("stats", "wordle", "--range", "all")
        #expect(stats["played"].integer == 3)
        #expect(stats["deepDives"][0]["average"].number == 3)
        #expect(stats["deepDives"][0]["averageLabel"].text == "3.0")
        #expect(stats["plots"].items.isEmpty)
        #expect(try await ada.ask("stats", "wordle", "--plots")["plots"].items.count > 1)
        let streaks = try await ada.askAsDocumented("streaks", "--date", "2025-03-03")
        #expect(streaks["streaks"][0]["current"].integer == 3)
        let achievements = try await ada.askAsDocumented("achievements")
        #expect(achievements["achievements"].items.count == 10)
        let recap = try await ada.askAsDocumented("recap", "--week", "2025-03-01")
        #expect(recap["week"].text == "2025-W09")
        let champions = try await ada.askAsDocumented("champions", "--period", "month")
        #expect(champions["champions"][0]["period"].text == "2025-03")
        #expect(champions["champions"][0]["winners"][0]["me"].bool == true)
        let share = try await ada.askAsDocumented("share", "wordle", "--date", "2025-03-01")
        #expect(share["text"].text?.isEmpty == false && share["file"].text == nil)
        _ = try await ada.askAsDocumented("templates", "solved", "--text", "{game}\\n{result}")
        #expect(try await ada.ask("share", "wordle", "--date", "2025-03-01")["text"].text == "Wordle\n3 guesses")
        _ = try await ada.ask("templates", "solved", "--reset")
        let reminders = try await ada.askAsDocumented("reminders", "on", "--time", "18:30", "--quiet", "22:00-08:00")
        #expect(reminders["time"].text == "18:30")
        #expect(try await ada.ask("reminders", "off", "--quiet", "none")["on"].bool == false)
        let board = try await ada.askAsDocumented("board", "--groups", "all", "--range", "all", "--top", "1")
        #expect(board["listed"].integer == 1)
        #expect(try await ada.ask("group", "settings", "--missed", "zero")["missedDay"].text == "zero")
    }

    @Test(.timeLimit(.minutes(10)))
    func `what was reached is told once, and a script does not take it away`() async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Ada")
            for (number, guesses) in [(1_351, 3), (1_352, 4), (1_353, 2)] {
                try await ada.ask("add", input: ShareTexts.wordle(number, guesses: guesses))
            }
            for _ in 1...2 { #expect(try await ada.ask("achievements")["fresh"].items.isEmpty == false) }
            let command = [BuiltProgram.path, "--data", ada.folder, "achievements"]
            #expect(try await lab.run(command).output.contains("New: "))
            #expect(try await lab.run(command).output.contains("New: ") == false)
            #expect(try await ada.ask("achievements")["fresh"].items.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a group's game is tried, defined, pasted, listed, changed and removed`() async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Ada")
            try await ada.ask("group", "create", "Blocks")
            let pattern = ["--pattern", "Block Blast {score} pts"]
            let tried = try await ada.ask("games", "test", "Block Blast 1200 pts", pattern[0], pattern[1])
            #expect(tried["matched"].bool == true && tried["score"].integer == 1_200)
            let game = try await ada.ask(
                "games", "add", "Block Blast", "--icon", "🧱", "--model", "highScore", pattern[0], pattern[1])
            let id = try #require(game["id"].text)
            #expect(try await ada.ask("parse", "Block Blast 900 pts")["shares"][0]["game"].text == id)
            #expect(try await ada.ask("add", "Block Blast 900 pts")["added"][0]["score"].integer == 900)
            #expect(try await ada.ask("games", "Block Bl")["games"][0]["id"].text == id)
            #expect(try await ada.ask("games", "edit", id, "--unit", "pts")["definition"]["unit"].text == "pts")
            #expect(try await ada.ask("games", "edit", "block b", "--icon", "🧱")["definition"]["unit"].text == "pts")
            #expect(try await ada.ask("games", "favourite", id)["favourite"].bool == true)
            #expect(try await ada.ask("games", "--favourites")["games"].items.contains { $0["id"].text == id })
            #expect(try await ada.ask("games", "remove", id)["games"].items.isEmpty)
            let bad = try await ada.run("games", "add", "Bad", "--model", "highest")
            #expect(bad.exitCode == 65 && bad.errorCode == "invalidGame")
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a history goes out to a file and comes back`() async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Ada")
            let bea = try await lab.friend("Bea")
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            let file = ada.folder + ".csv"
            lab.atEnd { try? FileManager.default.removeItem(atPath: file) }
            #expect(try await ada.ask("export", "csv", "--file", file)["count"].integer == 1)
            #expect(try await ada.run("export", "csv", "--file", file).exitCode == 73)
            let preview = try await bea.ask("import", file, "--dry-run")
            #expect(preview["imported"].integer == 1 && preview["preview"].bool == true)
            let node = try await bea.start()
            let report = try await bea.askAsDocumented("import", file)
            #expect(report["imported"].integer == 1 && report["skipped"].integer == 0)
            #expect(try await bea.ask("import", file)["skipped"].integer == 1)
            #expect(try await node.stop() == 0)
            #expect(try await bea.ask("results")["results"][0]["score"].integer == 3)
            let listed = ada.folder + ".json"
            lab.atEnd { try? FileManager.default.removeItem(atPath: listed) }
            try Data(try await ada.run("results").output.utf8).write(to: URL(fileURLWithPath: listed))
            #expect(try await bea.ask("import", listed)["skipped"].integer == 1)
            // A line that is none holds the whole file, until it is to be left out; and so says the exit code.
            try Data("game,date,score\nwordle,2025-03-02,4\nwordle,2025-03-03,no\n".utf8).write(
                to: URL(fileURLWithPath: file))
            let held = try await bea.run("import", file)
            #expect(held.exitCode == 65, "\(held)")
            #expect(try held.json["imported"].integer == 0)
            #expect(try await bea.ask("results")["results"].items.count == 1)
            #expect(try await bea.ask("import", file, "--skip-bad")["imported"].integer == 1)
            #expect(try await bea.ask("results")["results"].items.count == 2)
            let missing = try await bea.run("import", file + ".not")
            #expect(missing.exitCode == 65 && missing.errorCode == "importFailed")
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["bash", "zsh", "fish"])
    func `completion knows every command`(shell: String) async throws {
        try await Lab.open { lab in
            let script = try await lab.run([BuiltProgram.path, "completion", shell])
            #expect(script.exitCode == 0)
            let commands = [
                "stats", "streaks", "achievements", "recap", "versus", "champions", "reminders", "export", "import",
                "favourite",
            ]
            for command in commands { #expect(script.output.contains(command), "\(shell): \(command)") }
            for value in ["word-peaks", "90d", "coins", "month-first"] {
                #expect(script.output.contains(value), "\(shell): \(value)")
            }
        }
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            ("board --range ", ["today", "90d", "all"]), ("board --metric ", ["points", "streak", "logs", "coins"]),
            ("board --game wor", ["wordle", "worldle"]), ("record wor", ["wordle"]), ("export ", ["csv", "json"]),
            ("import --date-order ", ["day-first", "month-first"]), ("champions --period ", ["week", "month"]),
            ("rem", ["reminders"]),
        ])
    func `bash completes values`(line: String, offered: [String]) async throws {
        try await Lab.open { lab in
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            // What bash does when Tab is pressed: the words so far, the last of them under the cursor.
            let press = """
                eval "$("$0" completion bash)"
                COMP_WORDS=(streakmesh "$@"); COMP_CWORD=$#; COMP_LINE="streakmesh $*"; COMP_POINT=${#COMP_LINE}
                complete_with=$(complete -p streakmesh | sed -E 's/.*-F ([^ ]+).*/\\1/')
                "$complete_with" streakmesh "${@: -1}" "${@: -2:1}" && printf '%s\\n' "${COMPREPLY[@]}"
                """
            let answer = try await lab.run(
                ["/bin/bash", "-c", press, BuiltProgram.path] + words.map(String.init))
            let replies = answer.output.split(separator: "\n").map {
                $0.split(separator: " ").first.map(String.init) ?? ""
            }
            for word in offered { #expect(replies.contains(word), "\(line): \(replies) \(answer.errors)") }
            #expect(!replies.contains("--help") && !replies.contains("absurdle"), "\(line): \(replies)")
        }
    }
}
