import Foundation
import StreakGames
import StreakNode

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What playing together costs in a group with a million results: the feed, reactions, and the page.
extension HistoryBench {
    /// The feed of 100 entries: first, again, and after each of twenty results of today, which uncover those of friends.
    func measureFeed(_ name: String, puzzle: Int, on node: some NodeCalling) async throws {
        func time() async throws -> Double {
            let start = ContinuousClock.now
            _ = try await node.call(FeedRequest.show(group: nil, limit: 100))
            return start.duration(to: .now).milliseconds
        }
        Figure.show("\(name) first", try await time(), "ms", target: "≤ 10")
        Figure.show("\(name) again", try await time(), "ms", target: "≤ 1")
        var times: [Double] = []
        for number in puzzle..<(puzzle + 20) {
            let text = "Birdle \(number) 3/6"
            _ = try await node.call(ScoreRequest.add(text: text, date: nil, replace: true, groups: nil))
            times.append(try await time())
        }
        Figure.show("\(name) after a result more, p50 of 20", times.percentile(50), "ms", target: "≤ 1")
    }

    /// By how much more a node starts after its user has reacted to a friend's results. In a group of two, because
    /// beside a million results the difference would not show.
    func measureReactions(to results: Int) async throws {
        try lab.makeAccount("reader")
        try lab.run("reader", ["group", "create", "Reactions"])
        var reader = try await lab.start("reader")
        let brought = try fill("writer", number: 0, atMost: results, into: "reader")
        try await wait(for: brought, of: "writer", at: reader)
        guard let writer = try await reader.client.call(MemberRequest.list(group: nil)).members.first(where: { !$0.me })
        else { throw BenchFailure.notReady("a friend") }
        try reader.stop()
        reader = try await lab.start("reader")
        let before = reader.residentBytes
        for (date, game) in rows(person: 0).prefix(brought).map({ $0.split(separator: ",") }).map({ ($0[0], $0[1]) }) {
            let result = ResultReference(user: writer.user, game: String(game), date: String(date))
            _ = try await reader.client.call(TalkRequest.react(result, emoji: "👏"))
        }
        try reader.stop()
        reader = try await lab.start("reader")
        let grown = Double(reader.residentBytes - before) / Double(brought)
        Figure.show("memory of a started node, more for each 1,000 reactions", grown, "kB", target: "–")
        try reader.stop()
    }

    /// From a sign-in link of a node that has just started to the board, with all that the board's page loads.
    func measurePage(of node: RunningNode) async throws {
        guard let page = URL(string: node.web), let link = URL(string: node.signIn) else {
            throw BenchFailure.notReady("a page")
        }
        let session = URLSession(configuration: .ephemeral)
        let start = ContinuousClock.now
        _ = try await session.data(from: link)
        let (data, answer) = try await session.data(from: page.appending(path: "board"))
        guard (answer as? HTTPURLResponse)?.statusCode == 200 else { throw BenchFailure.notReady("the board’s page") }
        let text = String(decoding: data, as: UTF8.self)
        let files = Set(text.matches(of: /"(\/assets\/[^"]+)"/).map { String($0.output.1) })
        for file in files.sorted() { _ = try await session.data(from: page.appending(path: file)) }
        let time = start.duration(to: .now).milliseconds / 1_000
        Figure.show(
            "page, cold, from the sign-in link to the board and its files", time, "s", target: "≤ 1")
        session.invalidateAndCancel()
    }
}
