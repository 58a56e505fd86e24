import StreakGames
import StreakMembership
import StreakWire
import Testing

@testable import StreakNode

/// A member's profile.
@Suite(.timeLimit(.minutes(5))) struct PlayerTests {
    private static func player(_ node: MeshNode, _ user: String? = nil) async throws -> PlayerReport {
        try await node.call(PlayerRequest.show(user: user, group: nil))
    }

    private static func friends(_ body: @Sendable (MeshNode, MeshNode) async throws -> Void) async throws {
        try await NodeParty().running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            for (node, texts) in [
                (ada, ["Wordle 1,200 4/6", "Wordle 1,201 3/6", "Wordle 1,202 X/6"]),
                (bob, ["Wordle 1,200 2/6", "Wordle 1,201 5/6"]),
            ] {
                for text in texts { try await node.add(text) }
            }
            for node in nodes { try await node.until { try await $0.board().rows.map(\.played).reduce(0, +) == 5 } }
            try await body(ada, bob)
        }
    }

    @Test func `a profile has bests with their ranks, and what was played`() async throws {
        try await Self.friends { ada, bob in
            let mine = try await Self.player(ada)
            let numbers = try #require(mine.numbers)
            #expect(mine.me && mine.name == "Ada" && mine.correspondent == nil)
            #expect(numbers.played == 3 && numbers.completed == 2 && numbers.games.map(\.count) == [3])
            #expect(numbers.bests.map(\.label) == ["3 guesses"] && numbers.bests.map(\.rank) == [2])
            #expect(numbers.bests.map(\.of) == [2] && numbers.coveredCount == 0)
            let bobs = try #require(try await Self.player(ada, "Bob").numbers)
            #expect(bobs.bests.map(\.label) == ["2 guesses"] && bobs.bests.map(\.rank) == [1] && bobs.played == 2)
            let achievements = try await ada.call(AchievementsRequest.show(group: "Red", member: "Bob"))
            #expect(bobs.level == achievements.level && bobs.coins == achievements.coins)
            #expect(bobs.unlocks == achievements.latest && bobs.unlocked == achievements.unlocked)
            #expect(try await Self.player(ada, "Bob").online)
        }
    }

    @Test func `what is covered adds to nothing, and who is hidden has no numbers`() async throws {
        try await Self.friends { ada, bob in
            let before = try await Self.player(ada, "Bob").numbers
            let today = try await bob.board().today
            let add = ScoreRequest.record(
                game: "wordle", score: 1, isCompleted: true, seconds: nil, date: today, groups: nil, replace: false)
            _ = try await bob.call(add)
            try await ada.until { try await Self.player($0, "Bob").numbers?.coveredCount == 1 }
            var covered = try #require(try await Self.player(ada, "Bob").numbers)
            covered.coveredCount = 0
            #expect(covered == before)
            #expect(try await Self.player(ada).numbers?.bests.map(\.rank) == [2])
            _ = try await ada.call(
                ScoreRequest.record(
                    game: "wordle", score: 2, isCompleted: true, seconds: nil, date: today, groups: nil, replace: false)
            )
            #expect(try await Self.player(ada, "Bob").numbers?.bests.map(\.label) == ["1 guess"])
            _ = try await bob.privacy(.change(group: nil, PrivacyChange(hidden: true)))
            try await ada.until { try await Self.player($0, "Bob").numbers == nil }
            #expect(try await Self.player(bob).numbers != nil)
            // Nor does a hidden member's best take a rank.
            #expect(try await Self.player(ada).numbers?.bests.map(\.of) == [1])
        }
    }
}
