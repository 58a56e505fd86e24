import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

extension MeshNode {
    fileprivate func challenges(_ group: String? = nil) async throws -> ChallengesReport {
        try await call(ChallengeRequest.list(group: group))
    }

    fileprivate func challenge(_ user: String?, until day: String? = nil) async throws -> ChallengesReport {
        try await call(ChallengeRequest.make(ResultReference(game: "wordle"), to: user, until: day))
    }

    fileprivate func answer(_ id: String, _ accepts: Bool) async throws -> ChallengesReport {
        try await call(ChallengeRequest.answer(challenge: id, accepts: accepts, group: nil))
    }

    /// Records today's Wordle.
    fileprivate func play(_ score: Int, replace: Bool = false) async throws {
        let today = try await board().today
        _ = try await call(
            ScoreRequest.record(
                game: "wordle", score: score, isCompleted: true, seconds: nil, date: today, groups: nil,
                replace: replace))
    }

    fileprivate func untilChallenges(_ holds: @Sendable (ChallengesReport) -> Bool) async throws {
        try await until { node in holds(try await node.challenges()) }
    }
}

/// Challenges between friends.
@Suite(.timeLimit(.minutes(5))) struct ChallengeTests {
    private static func friends(_ names: [String], _ body: @Sendable ([MeshNode]) async throws -> Void) async throws {
        try await NodeParty().running(names) { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let link = try await nodes[0].invite().link
            for node in nodes.dropFirst() { try await node.join(link) }
            try await nodes[0].play(3)
            for node in nodes {
                try await node.until { node in
                    let group: GroupID = try await node.group("Red")
                    guard await node.engine.state(of: group)?.members.count == names.count else { return false }
                    return try await node.board().rows.contains { $0.covered || $0.played > 0 }
                }
            }
            try await body(nodes)
        }
    }

    @Test func `a friend is challenged, sees only the target, accepts, and plays`() async throws {
        try await Self.friends(["Ada", "Bob"]) { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.challenge("Bob")
            try await bob.untilChallenges { $0.waiting.count == 1 }
            let seen = try await bob.challenges().waiting[0]
            #expect(seen.target == "3 guesses" && seen.toMe && seen.mayAccept && seen.mayDecline && !seen.mayWithdraw)
            #expect(seen.lastDay == seen.day)
            let result = try await bob.call(TalkRequest.show(ResultReference(user: "Ada", game: "wordle")))
            #expect(result.covered && result.label == nil)
            #expect(try await bob.answer(String(seen.id.prefix(6)), true).open.count == 1)
            try await ada.untilChallenges { $0.open.first?.duels.first?.accepted == true }
            try await bob.play(2)
            for node in nodes { try await node.untilChallenges { $0.ended.first?.duels.first?.outcome == "won" } }
            let tallies = try await ada.challenges().tallies
            #expect(tallies.map { [$0.won, $0.lost, $0.drawn] } == [[1, 0, 0], [0, 1, 0]])
            #expect(tallies.map(\.name) == ["Bob", "Ada"])
            // It follows an edit, and ends with its target.
            try await ada.play(2, replace: true)
            for node in nodes { try await node.untilChallenges { $0.ended.first?.duels.first?.outcome == "drawn" } }
            let day = try await ada.board().today
            _ = try await ada.call(ScoreRequest.delete(game: "wordle", date: day, puzzle: nil))
            try await bob.untilChallenges { $0.ended.isEmpty && $0.tallies.isEmpty }
            _ = try await ada.call(UndoRequest.last)
            try await bob.untilChallenges { $0.ended.first?.duels.first?.outcome == "drawn" }
        }
    }

    @Test func `what cannot be is refused`() async throws {
        try await Self.friends(["Ada", "Bob", "Cleo"]) { nodes in
            let (ada, bob, cleo) = (nodes[0], nodes[1], nodes[2])
            await #expect(throws: NodeFailure.challengeRefused(.myself)) { try await ada.challenge("Ada") }
            await #expect(throws: NodeFailure.noResultOfMember(name: nil, game: "Wordle")) {
                try await bob.challenge("Ada")
            }
            await #expect(throws: NodeFailure.self) { try await ada.challenge("Bob", until: "2020-01-01") }
            await #expect(throws: NodeFailure.unknownChallenge("abcd")) { try await bob.answer("abcd", true) }
            let made = try await ada.challenge("Bob")
            let id = try #require(made.open.first?.id)
            // The same once more is the same challenge.
            #expect(try await ada.challenge("Bob").open.count == 1)
            let until = try #require(made.open.first?.lastDay)
            #expect(try await ada.challenge("Bob", until: until).open.count == 1)
            let later = try #require(PuzzleDay(until)).adding(days: 2).description
            await #expect(throws: NodeFailure.challengeRefused(.made(until: until))) {
                try await ada.challenge("Bob", until: later)
            }
            for node in [bob, cleo] { try await node.untilChallenges { !$0.open.isEmpty || !$0.waiting.isEmpty } }
            await #expect(throws: NodeFailure.challengeRefused(.toOthers)) { try await cleo.answer(id, true) }
            await #expect(throws: NodeFailure.challengeRefused(.ofAnother)) {
                try await bob.call(ChallengeRequest.withdraw(challenge: id, group: nil))
            }
            try await bob.play(4)
            try await ada.untilChallenges { $0.ended.first?.duels.first?.outcome == "lost" }
            await #expect(throws: NodeFailure.challengeRefused(.played(name: "Bob"))) { try await ada.challenge("Bob") }
            await #expect(throws: NodeFailure.challengeRefused(.playedByMe)) { try await bob.answer(id, false) }
            await #expect(throws: NodeFailure.challengeRefused(.ended)) {
                try await ada.call(ChallengeRequest.withdraw(challenge: id, group: nil))
            }
            _ = try await cleo.call(
                PrivacyRequest.change(group: nil, PrivacyChange(hidden: true)))
            try await ada.until { node in
                let group: GroupID = try await node.group("Red")
                let users = await node.engine.state(of: group)?.members.map(\.user) ?? []
                let view = await node.views[group]
                return users.contains { view?.profiles[$0]?.isHidden ?? false }
            }
            await #expect(throws: NodeFailure.challengeRefused(.hidden(name: "Cleo"))) {
                try await ada.challenge("Cleo")
            }
            await #expect(throws: NodeFailure.challengeRefused(.allPlayed)) { try await ada.challenge(nil) }
        }
    }

    @Test func `nobody has more than eight open`() async throws {
        try await Self.friends(["Ada", "Bob"]) { nodes in
            let ada = nodes[0]
            let today = try await ada.board().today
            for game in ["connections", "strands", "nerdle", "worldle", "framed", "nyt-mini", "waffle", "globle"] {
                _ = try await ada.call(
                    ScoreRequest.record(
                        game: game, score: 4, isCompleted: true, seconds: 60, date: today, groups: nil,
                        replace: false))
                _ = try await ada.call(ChallengeRequest.make(ResultReference(game: game), to: "Bob"))
            }
            #expect(try await ada.challenges().open.count == 8)
            await #expect(
                throws: NodeFailure.limitReached(what: "open challenges of yours in a group", limit: 8)
            ) { try await ada.challenge("Bob") }
        }
    }

    @Test func `in a challenge to the group only those take part who accept, and others see nothing`() async throws {
        try await Self.friends(["Ada", "Bob", "Cleo"]) { nodes in
            let (ada, bob, cleo) = (nodes[0], nodes[1], nodes[2])
            let made = try await ada.challenge(nil)
            let id = try #require(made.open.first?.id)
            for node in [bob, cleo] { try await node.untilChallenges { $0.waiting.first?.target == "3 guesses" } }
            _ = try await bob.answer(id, true)
            try await bob.play(4)
            try await cleo.untilChallenges { $0.waiting.first?.duels.count == 1 && $0.waiting[0].duels[0].covered }
            let covered = try await cleo.challenges()
            #expect(covered.waiting[0].duels[0].outcome.isEmpty && covered.waiting[0].duels[0].label == nil)
            #expect(covered.tallies.isEmpty)
            let feed = try await cleo.call(FeedRequest.show(group: nil)).entries.filter { $0.kind == "outcome" }
            #expect(feed.map(\.text) == ["met Ada’s challenge in Wordle, covered until you have played"])
            #expect(feed.map(\.covered) == [true])
            try await cleo.play(2)
            let open = try await cleo.challenges()
            #expect(open.open.first?.duels.map(\.outcome) == ["lost"] && open.tallies.map(\.won) == [1, 0])
        }
    }

    @Test func `a decline is told, a counter-challenge names the first, and erasure takes both`() async throws {
        try await Self.friends(["Ada", "Bob"]) { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            let made = try await ada.challenge("Bob")
            let id = try #require(made.open.first?.id)
            try await bob.untilChallenges { $0.waiting.count == 1 }
            _ = try await bob.answer(id, false)
            try await ada.untilChallenges { $0.ended.first?.duels.first?.outcome == "declined" }
            let today = try await ada.board().today
            _ = try await bob.call(
                ScoreRequest.record(
                    game: "connections", score: 4, isCompleted: true, seconds: nil, date: today, groups: nil,
                    replace: false))
            _ = try await bob.call(
                ChallengeRequest.make(ResultReference(game: "connections"), to: "Ada", first: id))
            try await ada.untilChallenges { $0.waiting.first?.first == id }
            let kinds = try await ada.call(FeedRequest.show(group: nil)).entries.filter(\.fresh).map(\.kind)
            #expect(Set(kinds).isSuperset(of: ["declined", "challenge"]))
            _ = try await bob.group(.leave(group: "Red", erasing: true))
            try await ada.untilChallenges { $0.waiting.isEmpty && $0.ended.isEmpty && $0.open.isEmpty }
        }
    }
}
