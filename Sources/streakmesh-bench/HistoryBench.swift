import Foundation
import StreakGames
import StreakNode

/// A group with a million results: the cost of a newcomer, a start, a board and catching up.
///
/// It has as many people as needed, every daily game of one sort, and two thousand days. They are imported from files,
/// and the program itself transfers them to one node.
struct HistoryBench {
    let lab: Lab

    private static let results = 1_000_000
    private static let days = 2_000
    private static let rowsPerFile = 20_000
    /// The newest day, so that the newest results are news, and covered.
    static let last = PuzzleDay.onThisMachine(at: Int64(Date().timeIntervalSince1970))
    static let games = Catalogue.standard.games.filter { game in
        game.cadence == .daily && (game.model == .lowerTimeSeconds || game.maxAttempts == 6)
    }

    func run() async throws {
        try lab.makeAccount("keeper")
        try lab.run("keeper", ["group", "create", "Million"])
        var keeper = try await lab.start("keeper")
        var (results, people) = (0, 0)
        while results < Self.results {
            let name = "friend\(people)"
            let brought = try fill(name, number: people, atMost: Self.results - results, into: "keeper")
            guard brought > 0 else { throw BenchFailure.notReady("a million results") }
            results += brought
            try await wait(for: results, of: name, at: keeper)
            people += 1
        }
        try keeper.stop()

        let start = ContinuousClock.now
        keeper = try await lab.start("keeper")
        let seconds = start.duration(to: .now).milliseconds / 1_000
        let total = try await keeper.group().records
        Figure.show("start with a million records of \(people) people, until ready", seconds, "s", target: "< 1")
        Figure.show("resident memory after that start", Double(keeper.residentBytes) / 1e6, "MB", target: "< 200")
        try await measurePage(of: keeper)
        try await measureBoards("board over a million, over the control socket as JSON:", puzzle: 9, on: keeper.client)
        try await measureFeed(
            "feed of 100 entries over a million, over the control socket as JSON:", puzzle: 40, on: keeper.client)
        try await measureNewcomer(beside: keeper, total: total)
        try await CatchUp(lab: lab, keeper: keeper, absent: "newcomer", firstPuzzle: 1_001).measure("a million")
        try keeper.stop()
        // As long as both stores hold the same.
        try EngineBench(keeper: lab.folder("keeper"), other: lab.folder("newcomer")).run()
        try await measureReactions(to: 10_000)
        try await measureEmbedded()
    }

    // MARK: The history

    /// A friend who joins with another node's link, imports, and hands it over. Returns the number of results.
    func fill(_ name: String, number: Int, atMost limit: Int, into keeper: String) throws -> Int {
        try lab.makeAccount(name)
        try lab.run(name, ["join", try lab.invite(keeper)])
        let rows = rows(person: number).prefix(limit)
        var imported = 0
        for start in stride(from: 0, to: rows.count, by: Self.rowsPerFile) {
            let path = lab.path("\(name)-\(start).csv")
            let lines = ["date,game,score,maxAttempts,completed,seconds"] + rows[start...].prefix(Self.rowsPerFile)
            try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
            let output = try lab.run(name, ["--json", "import", path])
            imported += try JSONDecoder().decode(ImportReport.self, from: output).imported
        }
        try lab.run(name, ["sync"])
        return imported
    }

    /// One exchange ends while the other node still spreads the work for one author's many records over time.
    func wait(for results: Int, of name: String, at keeper: RunningNode) async throws {
        var tries = 0
        while try await keeper.group().records < results {
            tries += 1
            guard tries < 100 else { throw BenchFailure.notReady("\(name)’s results at the other node") }
            try lab.run(name, ["sync"])
        }
    }

    /// Results that vary as people's do, from a linear congruential generator (Knuth, MMIX).
    func rows(person: Int) -> [String] {
        var state = UInt64(person + 1)
        var rows: [String] = []
        for day in (0..<Self.days).reversed() {
            let date = Self.last.adding(days: -day)
            for game in Self.games where game.hasPuzzle(on: date) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let luck = Int(state >> 40)
                rows.append(
                    game.model == .lowerTimeSeconds
                        ? "\(date),\(game.id),,,true,\(20 + luck % 150)"
                        : "\(date),\(game.id),\(2 + luck % 5),6,\(luck % 20 != 0),")
            }
        }
        return rows
    }

    // MARK: Measuring

    private func measureBoards(_ name: String, puzzle: Int, on node: some NodeCalling) async throws {
        func time() async throws -> Double {
            let start = ContinuousClock.now
            _ = try await node.call(BoardRequest(range: "all"))
            return start.duration(to: .now).milliseconds
        }
        Figure.show("\(name) first", try await time(), "ms", target: "< 10")
        var times: [Double] = []
        for number in puzzle..<(puzzle + 20) {
            let text = "Birdle \(number) 3/6"
            _ = try await node.call(ScoreRequest.add(text: text, date: nil, replace: true, groups: nil))
            times.append(try await time())
        }
        Figure.show("\(name) after a result more, p50 of 20", times.percentile(50), "ms", target: "< 1")
    }

    /// Requests of a program that embeds the node, as an app would.
    private func measureEmbedded() async throws {
        let configuration = NodeConfiguration(listen: "", usesNetwork: false, usesLAN: false, peers: [])
        let hurried = try await MeshNode(opening: lab.folder("keeper"), configuration: configuration)
        let start = ContinuousClock.now
        _ = try await hurried.call(FeedRequest.show(group: nil, limit: 100))
        Figure.show(
            "feed of 100 entries over a million: first, in the moment of the start",
            start.duration(to: .now).milliseconds, "ms", target: "–")
        await hurried.close()
        let node = try await MeshNode(opening: lab.folder("keeper"), configuration: configuration)
        let running = Task { try await node.run() }
        defer { running.cancel() }
        // Before the boards, which would have made some of what the feed needs. A node counts for the bell two seconds after it starts.
        await EventRecorder().wait(until: .now + .seconds(4))
        try await measureFeed("feed of 100 entries over a million:", puzzle: 140, on: node)
        try await measureBoards("board over a million, all time, all games:", puzzle: 109, on: node)
        await node.close()
    }

    /// Joins with an empty folder and waits until the digests are equal.
    private func measureNewcomer(beside keeper: RunningNode, total: Int) async throws {
        try lab.makeAccount("newcomer")
        let newcomer = try await lab.start("newcomer")
        let link = try lab.invite("keeper")
        let before = try Loopback.counters()
        let busy = (newcomer.processorSeconds, keeper.processorSeconds)
        let start = ContinuousClock.now
        let join = Task {
            try await newcomer.client.call(
                JoinRequest.join(link: link, timeout: 60, history: 0))
        }
        var first: Duration?
        while true {
            let status = try await newcomer.client.call(StatusRequest.status)
            guard let group = status.groups.first, group.records > 0 else { continue }
            first = first ?? start.duration(to: .now)
            if group.records >= total, try await group.digest == keeper.group().digest { break }
        }
        let time = start.duration(to: .now)
        _ = try await join.value
        let bytes = try Loopback.counters().bytes - before.bytes
        Figure.show(
            "newcomer to a million records: first records to show", (first ?? time).milliseconds / 1_000, "s",
            target: "≤ 1")
        Figure.show("newcomer to a million records: all of them", time.milliseconds / 1_000, "s", target: "–")
        Figure.show(
            "newcomer to a million records: processor time of the newcomer", newcomer.processorSeconds - busy.0, "s",
            target: "≤ 5")
        Figure.show(
            "newcomer to a million records: processor time of the other node", keeper.processorSeconds - busy.1, "s",
            target: "–")
        Figure.show(
            "newcomer to a million records: bytes on the wire, all included", Double(bytes) / 1e6, "MB", target: "≤ 8")
        try newcomer.stop()
    }
}

/// A hundred results written while the other node was away: what is transferred beyond them.
struct CatchUp {
    let lab: Lab
    let keeper: RunningNode
    /// The account whose node is not running.
    let absent: String
    let firstPuzzle: Int

    func measure(_ held: String) async throws {
        for number in firstPuzzle..<(firstPuzzle + 100) {
            _ = try await keeper.client.call(
                ScoreRequest.add(text: "Birdle \(number) 3/6", date: nil, replace: false, groups: nil))
        }
        let before = try Loopback.counters()
        let node = try await lab.start(absent)
        let start = ContinuousClock.now
        while try await node.group().digest != keeper.group().digest { continue }
        let time = start.duration(to: .now)
        let bytes = try Loopback.counters().bytes - before.bytes
        Figure.show("catching up with 100 results among \(held), from ready", time.milliseconds, "ms", target: "–")
        Figure.show("bytes on the wire for 100 results among \(held), links included", Double(bytes), "B", target: "–")
        try node.stop()
    }
}

extension RunningNode {
    /// The node's report on its first group.
    func group() async throws -> GroupStatus {
        let status = try await client.call(StatusRequest.status)
        guard let group = status.groups.first else { throw BenchFailure.notReady("a group") }
        return group
    }

    /// The CPU time of the process in seconds; 0 if the kernel does not tell.
    var processorSeconds: Double {
        // Not on Linux.
        guard let text = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return 0 }
        let fields = text[end...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) / 100
    }
}
