import Testing

@testable import StreakNode

/// Typed results have the limits of pasted ones.
@Suite(.timeLimit(.minutes(10))) struct RecordLimitsTests {
    private static func record(
        _ game: String, _ score: Int?, isCompleted: Bool = true, date: String? = nil, on node: MeshNode
    ) async throws -> ResultReport {
        let request = ScoreRequest.record(
            game: game, score: score, isCompleted: isCompleted, seconds: nil, date: date, groups: nil)
        let report = try await node.call(request)
        return try #require(report.added.first)
    }

    @Test(arguments: [
        ("thrice", 15, 16), ("maptap", 1_000, 1_001), ("timeguessr", 50_000, 50_001), ("spelling-bee", 5_000, 5_001),
        ("globle", 300, 301), ("wordle", 6, 7), ("nyt-mini", 359_999, 360_000),
    ])
    func `the most that a share may say is the most that may be typed or imported`(
        game: String, most: Int, over: Int
    ) async throws {
        try await NodeParty.alone { node, _ in
            await #expect {
                _ = try await Self.record(game, over, on: node)
            } throws: { if case NodeFailure.invalidScore = $0 { true } else { false } }
            let table = "date,game,score\n2026-01-01,\(game),\(over)\n2026-01-02,\(game),\(most)\n"
            let report = try await node.call(
                ImportRequest.load(.text(table), ImportOptions(skipsBad: true)))
            #expect(report.refused.map(\.line) == [2] && report.imported == 1)
            #expect(try await Self.record(game, most, on: node).score == most)
        }
    }

    @Test func `a 0 that a game prints for a loss is one`() async throws {
        try await NodeParty.alone { node, _ in
            let typed = try await Self.record("betweenle", 0, on: node)
            #expect(!typed.completed && typed.score == nil)
            #expect(try await Self.record("waffle", 0, on: node).completed)
        }
    }

    @Test func `a loss has no score, a habit no loss, and a game no puzzle before its first`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let habit = try await node.call(
                GameRequest.define(GameForm(name: "Water", model: "count"), group: nil))
            for (game, score) in [("wordle", 3), (habit.id, nil), (habit.id, 1)] as [(String, Int?)] {
                await #expect {
                    _ = try await Self.record(game, score, isCompleted: false, on: node)
                } throws: { if case NodeFailure.invalidScore = $0 { true } else { false } }
            }
            #expect(try await Self.record("wordle", nil, isCompleted: false, on: node).completed == false)
            #expect(try await Self.record(habit.id, nil, on: node).score == 1)
            await #expect(throws: NodeFailure.beforeFirstPuzzle(game: "Wordle", first: "2021-06-19")) {
                _ = try await Self.record("wordle", 3, date: "1999-01-01", on: node)
            }
            #expect(try await Self.record("wordle", 3, date: "2021-06-19", on: node).puzzle == 0)
        }
    }
}
