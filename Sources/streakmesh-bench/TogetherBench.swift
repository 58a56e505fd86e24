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

    /// By how much more a node starts after its user has reacted to results of friends.
    func measureReactions(friends: Int) async throws {
        var keeper = try await lab.start("keeper")
        let list = try await keeper.client.call(MemberRequest.list(group: nil)).members.filter { !$0.me }
        guard let game = Self.games.first else { return }
        let before = keeper.residentBytes
        var count = 0
        for member in list.prefix(friends) {
            for day in 10..<Self.reactedDays where game.hasPuzzle(on: Self.last.adding(days: -day)) {
                let date = Self.last.adding(days: -day).description
                let result = ResultReference(user: member.user, game: game.id.rawValue, date: date)
                do {
                    _ = try await keeper.client.call(TalkRequest.react(result, emoji: "👏"))
                    count += 1
                } catch NodeFailure.noResultOfMember {
                    // The last friend’s history is shorter.
                    continue
                }
            }
        }
        try keeper.stop()
        guard count > 0 else { return }
        keeper = try await lab.start("keeper")
        let grown = Double(keeper.residentBytes - before) / Double(count)
        Figure.show("memory of a started node, more for each 1,000 of \(count) reactions", grown, "kB", target: "–")
        try keeper.stop()
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
            "page, cold, from the sign-in link to the board and its \(files.count) files", time, "s", target: "≤ 1")
        session.invalidateAndCancel()
    }
}
