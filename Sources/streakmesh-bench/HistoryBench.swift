import Foundation
import StreakGames
import StreakNode

/// A group whose friends brought a million results: what a newcomer, a start, a board and catching up take.
///
/// Ten people, fifty games each, two thousand days: imported as files, and carried to one node by the program itself.
struct HistoryBench {
    let lab: Lab

    private static let people = 10
    private static let filesPerPerson = 5
    private static let gamesPerFile = 10
    private static let days = 2_000

    func run() async throws {
        try lab.makeAccount("keeper")
        try lab.run("keeper", ["group", "create", "Million"])
        var keeper = try await lab.start("keeper")
        for person in 0..<Self.people { try fill("friend\(person)", number: person) }
        try keeper.stop()

        let start = ContinuousClock.now
        keeper = try await lab.start("keeper")
        let seconds = start.duration(to: .now).milliseconds / 1_000
        let total = try await keeper.group().records
        Figure.show("start with \(total) records, until ready", seconds, "s", target: "< 1")
        Figure.show("resident memory then", Double(keeper.residentBytes) / 1e6, "MB", target: "< 200")
        try await measureBoards(keeper)
        try await measureNewcomer(beside: keeper, total: total)
        try await CatchUp(lab: lab, keeper: keeper, absent: "newcomer", firstPuzzle: 1_001).measure("a million")
        try keeper.stop()
    }

    // MARK: The history

    /// A friend who joins, imports and leaves what it has with the keeper.
    private func fill(_ name: String, number: Int) throws {
        try lab.makeAccount(name)
        try lab.run(name, ["join", try lab.invite("keeper")])
        for file in 0..<Self.filesPerPerson {
            let path = lab.path("\(name)-\(file).csv")
            try Data(rows(person: number, file: file).utf8).write(to: URL(fileURLWithPath: path))
            try lab.run(name, ["import", path])
        }
        try lab.run(name, ["sync"])
    }

    /// Results that differ as people's do: by the bits of a linear congruential generator (Knuth, MMIX).
    private func rows(person: Int, file: Int) -> String {
        let games = Catalogue.standard.games.filter { game in
            game.cadence == .daily && (game.model == .lowerTimeSeconds || game.maxAttempts == 6)
        }.dropFirst(file * Self.gamesPerFile).prefix(Self.gamesPerFile)
        var state = UInt64(person * Self.filesPerPerson + file + 1)
        var text = "date,game,score,maxAttempts,completed,seconds\n"
        let last = PuzzleDay(daysSinceEpoch: 20_500)
        for day in (0..<Self.days).reversed() {
            for game in games {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let luck = Int(state >> 40)
                let date = last.adding(days: -day)
                text +=
                    game.model == .lowerTimeSeconds
                    ? "\(date),\(game.id),,,true,\(20 + luck % 150)\n"
                    : "\(date),\(game.id),\(2 + luck % 5),6,\(luck % 20 != 0),\n"
            }
        }
        return text
    }

    // MARK: Measuring

    private func measureBoards(_ node: RunningNode) async throws {
        func board(_ game: String?) async throws -> Double {
            let start = ContinuousClock.now
            _ = try await node.client.call(
                .board(BoardRequest(game: game, range: "all")), returning: BoardReport.self)
            return start.duration(to: .now).milliseconds
        }
        Figure.show("board over all of them, all time, all games: first", try await board(nil), "ms", target: "< 10")
        _ = try await node.client.call(
            .score(.add(text: "Birdle 9 3/6", date: nil, replace: false, groups: nil)), returning: AddReport.self)
        Figure.show("the same after a result more", try await board(nil), "ms", target: "< 1")
    }

    /// Joining with an empty folder, until the digests are equal.
    private func measureNewcomer(beside keeper: RunningNode, total: Int) async throws {
        try lab.makeAccount("newcomer")
        let newcomer = try await lab.start("newcomer")
        let link = try lab.invite("keeper")
        let before = try Loopback.counters()
        let busy = (newcomer.processorSeconds, keeper.processorSeconds)
        let start = ContinuousClock.now
        let join = Task {
            try await newcomer.client.call(
                .invite(.join(link: link, timeout: 60, history: 0)), returning: JoinReport.self)
        }
        var first: Duration?
        while true {
            let status = try await newcomer.client.call(.network(.status), returning: StatusReport.self)
            guard let group = status.groups.first, group.records > 0 else { continue }
            first = first ?? start.duration(to: .now)
            if group.records >= total, try await group.digest == keeper.group().digest { break }
        }
        let time = start.duration(to: .now)
        _ = try await join.value
        let bytes = try Loopback.counters().bytes - before.bytes
        Figure.show(
            "newcomer to \(total) records: first records to show", (first ?? time).milliseconds / 1_000, "s",
            target: "≤ 1")
        Figure.show("all of them", time.milliseconds / 1_000, "s", target: "–")
        Figure.show("processor time of the newcomer", newcomer.processorSeconds - busy.0, "s", target: "≤ 5")
        Figure.show("processor time of the other node", keeper.processorSeconds - busy.1, "s", target: "–")
        Figure.show("bytes on the wire, all included", Double(bytes) / 1e6, "MB", target: "≤ 8")
        try newcomer.stop()
    }
}

/// A hundred results while the other was away: what passes beyond them.
struct CatchUp {
    let lab: Lab
    let keeper: RunningNode
    /// The account whose node is not running.
    let absent: String
    let firstPuzzle: Int

    func measure(_ held: String) async throws {
        for number in firstPuzzle..<(firstPuzzle + 100) {
            _ = try await keeper.client.call(
                .score(.add(text: "Birdle \(number) 3/6", date: nil, replace: false, groups: nil)),
                returning: AddReport.self)
        }
        let before = try Loopback.counters()
        let node = try await lab.start(absent)
        let start = ContinuousClock.now
        while try await node.group().digest != keeper.group().digest { continue }
        let time = start.duration(to: .now)
        let bytes = try Loopback.counters().bytes - before.bytes
        Figure.show("catching up with 100 results among \(held), from ready", time.milliseconds, "ms", target: "–")
        Figure.show("bytes on the wire for them, links included", Double(bytes), "B", target: "–")
        try node.stop()
    }
}

extension RunningNode {
    /// What the node says of its first group.
    func group() async throws -> GroupStatus {
        let status = try await client.call(.network(.status), returning: StatusReport.self)
        guard let group = status.groups.first else { throw BenchFailure.notReady("a group") }
        return group
    }

    /// What the process has used of processors, in seconds; 0 where the kernel does not say.
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
