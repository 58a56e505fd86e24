import StreakReplication
import StreakStorage
import Testing

@testable import StreakNode

/// Files of results, and exported chats.
@Suite(.timeLimit(.minutes(10))) struct ExchangeTests {
    private static let csv = """
        date,game,score,maxAttempts,completed
        2026-01-01,wordle,3,6,true
        2026-01-02,wordle,4,6,true
        2026-01-03,wordle,,6,false
        2026-01-03,nonesuch,1,6,true
        2026-01-04,wordle,9,6,true
        """

    private static func load(
        _ text: String, on node: MeshNode, _ options: ImportOptions = ImportOptions(skipsBad: true)
    ) async throws -> ImportReport {
        try await node.call(ImportRequest.load(.text(text), options))
    }

    private static func export(_ format: String, _ node: MeshNode, file: String? = nil) async throws -> ExportReport {
        try await node.call(
            ExportRequest.export(format: format, game: nil, from: nil, to: nil, file: file))
    }

    @Test func `an import stores and publishes what is new, and refuses line by line`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let preview = try await Self.load(Self.csv, on: node, ImportOptions(isPreview: true, skipsBad: true))
            #expect(preview.imported == 3 && preview.preview && preview.published.isEmpty)
            #expect(try await node.results().isEmpty)
            let report = try await Self.load(Self.csv, on: node)
            #expect(report.imported == 3 && report.skipped == 0 && report.published.count == 1)
            #expect(report.refused.map(\.line) == [5, 6])
            #expect(report.refused.map(\.reason) == ["unknownGame", "impossible"])
            #expect(try await node.board(of: "Red").rows.first?.played == 3)
            let again = try await Self.load(Self.csv, on: node)
            #expect(again.imported == 0 && again.skipped == 3)
        }
    }

    @Test func `nothing of a file with a bad line is stored until that is said`() async throws {
        try await NodeParty.alone { node, _ in
            for isPreview in [true, false] {
                let held = try await Self.load(Self.csv, on: node, ImportOptions(isPreview: isPreview))
                #expect((held.imported, held.importable, held.refusedCount) == (0, 3, 2))
                #expect(held.published.isEmpty)
            }
            #expect(try await node.results().isEmpty)
            let chat = "[21/11/2025, 08:01:12] Ada: Wordle 1,616 3/6\n[22/11/2025, 08:01:12] Ada: Wordle 1,617 9/6\n"
            let request = ImportRequest.loadChat(.text(chat), sender: nil, ImportOptions())
            let held = try await node.call(request)
            #expect((held.imported, held.importable, held.refused.map(\.line)) == (0, 1, [2]))
            #expect(try await node.results().isEmpty)
        }
    }

    @Test func `a maximum that is not the game's is reported, and a result of JSON by its place`() async throws {
        try await NodeParty.alone { node, _ in
            let json =
                #"[{"game":"wordle","date":"2026-01-01","score":3,"maxAttempts":8},{"game":"x","date":"2026-01-01"}]"#
            let report = try await Self.load(json, on: node)
            #expect(report.refused.map(\.element) == [2] && report.refused.map(\.line) == [1])
            #expect(report.adjustedCount == 1 && report.adjusted.map(\.element) == [1])
            #expect(report.adjusted.first?.message.hasSuffix("is read with the game’s maximum, 6, not 8.") == true)
            #expect(try await node.results().map(\.maxAttempts) == [6])
        }
    }

    @Test func `an import of many results travels in a few runs and is one change`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let rows = (0..<6_000).map { "2020-01-01,birdle,\($0 % 6 + 1),6,true,\($0 + 1)" }
            let report = try await Self.load(
                "date,game,score,maxAttempts,completed,puzzle\n" + rows.joined(separator: "\n"), on: node)
            #expect(report.imported == 6_000)
            let runs = try await node.storedRuns()
            #expect(runs.filter { $0 > 1_000 }.count == 4, "two groups, two runs each: \(runs)")
            #expect(runs.count < 12)
        }
    }

    @Test func `another value is left or, if so wished, replaced`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await Self.load(Self.csv, on: node)
            let other = "date,game,score,maxAttempts,completed\n2026-01-01,wordle,5,6,true\n"
            let left = try await Self.load(other, on: node)
            #expect(left.imported == 0 && left.skipped == 1 && left.conflicts.map(\.line) == [2])
            let replaced = try await Self.load(other, on: node, ImportOptions(replaces: true))
            #expect(replaced.imported == 1 && replaced.replaced == 1)
            let result = try #require(try await node.results().first { $0.day == "2026-01-01" })
            #expect(result.score == 5 && result.edited)
        }
    }

    @Test(arguments: ["csv", "json"])
    func `what is exported comes back as it was, on another machine`(format: String) async throws {
        let party = try NodeParty()
        for name in ["Ada", "Bea"] { try party.makeAccount(name) }
        let ada = try await party.open("Ada")
        _ = try await Self.load(Self.csv, on: ada)
        try await ada.add("Wordle 1,700 X/6*")
        let file = party.path("results.\(format)")
        let written = try await Self.export(format, ada, file: file)
        #expect(written.count == 4 && written.content == nil)
        await #expect(throws: NodeFailure.cannotWriteFile(reason: "it exists already")) {
            _ = try await Self.export(format, ada, file: file)
        }
        let bea = try await party.open("Bea")
        let report = try await bea.call(
            ImportRequest.load(.file(path: file), ImportOptions()))
        #expect(report.imported == 4 && report.refusedCount == 0)
        let (left, right) = (try await ada.results(), try await bea.results())
        #expect(left == right)
        let (first, second) = (try await Self.export(format, ada), try await Self.export(format, bea))
        #expect(first.content == second.content && first.content?.isEmpty == false)
        for node in [ada, bea] { await node.close() }
    }

    @Test func `a file that is none is refused whole`() async throws {
        try await NodeParty.alone { node, party in
            for text in ["", "no,columns\n1,2", "{\"version\":9}"] {
                await #expect(throws: NodeFailure.self, "\(text)") { _ = try await Self.load(text, on: node) }
            }
            let missing = ImportSource.file(path: party.path("missing.csv"))
            await #expect(throws: NodeFailure.importFailed(reason: "There is no file “\(party.path("missing.csv"))”."))
            {
                _ = try await node.call(ImportRequest.load(missing, ImportOptions()))
            }
        }
    }

    @Test(arguments: [
        "[9/3/26, 9:10:33 AM] Ada: I just hit Genius on Spelling Bee!\n[9/4/26, 9:10:33 AM] Ada: Wordle 1,616 3/6\n"
            + "[9/4/26, 9:11:00 AM] Ada: I just hit Genius on Spelling Bee!\n[9/5/26, 9:12:00 AM] Ada: Absurdle 4/∞",
        "date,game,completed,puzzle\n9/3/2026,spelling-bee,yes,\n9/4/2026,wordle,yes,1616\n9/4/2026,spelling-bee,yes,\n"
            + "9/5/2026,spelling-bee,yes,\n",
    ])
    func `what dates mean is asked of a chat as of a table, and what is answered counts`(text: String) async throws {
        try await NodeParty.alone { node, _ in
            func load(_ dates: String?) async throws -> ImportReport {
                let options = ImportOptions(dates: dates, skipsBad: true)
                let request: ImportRequest =
                    text.hasPrefix("[")
                    ? .loadChat(.text(text), sender: "Ada", options) : .load(.text(text), options)
                return try await node.call(request)
            }
            let line = text.hasPrefix("[") ? 1 : 2
            await #expect(throws: NodeFailure.ambiguousDates(line: line)) { _ = try await load(nil) }
            await #expect(throws: NodeFailure.self) { _ = try await load("year-first") }
            #expect(try await node.results().isEmpty)
            let decided = try await load("day-first")
            #expect(decided.imported == 4)
            #expect(try await node.results().map(\.day) == ["2026-05-09", "2026-04-09", "2026-03-09", "2025-11-21"])
            #expect(try await load("month-first").imported == 3)
            #expect(try await node.results().map(\.day).first == "2026-09-05")
        }
    }

    @Test func `a chat of numbered puzzles needs no order`() async throws {
        try await NodeParty.alone { node, _ in
            let text = "[9/3/26, 9:10:33 AM] Ada: Wordle 1,616 3/6\n[9/4/26, 9:11:00 AM] Ada: nice"
            let request = ImportRequest.loadChat(.text(text), sender: nil, ImportOptions())
            let report = try await node.call(request)
            #expect(report.imported == 1)
        }
    }

    @Test func `a chat exported by Telegram is read, and JSON that is none is refused with its reason`() async throws {
        try await NodeParty.alone { node, _ in
            let text = """
                {"name": "Wordlers", "messages": [{"type": "message", "date": "2026-10-12T09:10:33", "from": "Ada",
                "text": ["Absurdle 4/∞ ", {"type": "link", "text": "https://example.org"}]}]}
                """
            let source = ImportSource.text(text)
            #expect(
                try await node.call(ChatRequest.inspect(source)).senders.map(\.shares)
                    == [1])
            let report = try await node.call(
                ImportRequest.loadChat(source, sender: nil, ImportOptions()))
            #expect(report.imported == 1)
            #expect(try await node.results().map(\.day) == ["2026-10-12"])
            let requests: [any NodeRequest] = [
                ImportRequest.load(source, ImportOptions()), ChatRequest.inspect(.text("{\"results\": []}")),
            ]
            for request in requests {
                await #expect {
                    _ = try await node.call(request)
                } throws: { error in
                    guard case NodeFailure.importFailed(let reason) = error else { return false }
                    return reason.hasPrefix("This is JSON, but")
                }
            }
        }
    }

    private static let chat = """
        [21/11/2025, 08:01:12] Ada: Wordle 1,616 3/6

        ⬛⬛🟨⬛⬛
        ⬛🟩🟩🟩🟩
        🟩🟩🟩🟩🟩
        [21/11/2025, 08:05:00] Bob: Wordle 1,616 5/6
        [21/11/2025, 08:06:00] Bob: well done
        [22/11/2025, 09:01:12] Ada: Wordle 1,617 4/6
        """

    @Test func `a chat gives one person's shares, and the same again gives nothing`() async throws {
        try await NodeParty.alone { node, _ in
            let source = ImportSource.text(Self.chat)
            let names = try await node.call(ChatRequest.inspect(source)).senders
            #expect(Set(names.map(\.name)) == ["Ada", "Bob"])
            #expect(names.first { $0.name == "Ada" }?.shares == 2)
            func load(_ sender: String?) async throws -> ImportReport {
                try await node.call(
                    ImportRequest.loadChat(source, sender: sender, ImportOptions()))
            }
            await #expect(throws: NodeFailure.unknownSender(nil, candidates: names.map(\.name))) {
                _ = try await load(nil)
            }
            await #expect(throws: NodeFailure.unknownSender("Eve", candidates: names.map(\.name))) {
                _ = try await load("Eve")
            }
            #expect(try await load("ada").imported == 2)
            #expect(try await node.results().map(\.score) == [4, 3])
            let again = try await load("Ada")
            #expect(again.imported == 0 && again.skipped == 2)
        }
    }
}

extension MeshNode {
    /// How many records each run on disk holds.
    fileprivate func storedRuns() throws -> [Int] { try store.snapshot().runs.map(\.run.count) }
}
