import StreakEngine
import StreakGames
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

/// What shared groups know better of this user's results than the private one.
@Suite(.timeLimit(.minutes(5))) struct LostResultsTests {
    private static func score(_ value: Int, isEdited: Bool = false) -> RecordDraft {
        .score(
            DailyScore(
                game: GameID(literal: "custom-blocks"), day: PuzzleDay(daysSinceEpoch: 20_778), score: value,
                isEdited: isEdited, contends: !isEdited))
    }

    /// - Parameters:
    ///   - mine: what the private group holds.
    ///   - theirs: what a shared one is told later.
    ///   - standing: what the private group shows in the end.
    ///   - count: records of it in the end, however often it is looked at.
    @Test(arguments: [
        (mine: score(500), theirs: score(400), standing: 500, count: 1),
        (mine: score(500, isEdited: true), theirs: score(400), standing: 500, count: 1),
        (mine: score(400), theirs: score(500), standing: 500, count: 2),
        (mine: score(500), theirs: score(500), standing: 500, count: 1),
        (mine: score(500), theirs: score(400, isEdited: true), standing: 400, count: 2),
    ])
    func `what is worth more is written once, and what is worth less never`(
        mine: RecordDraft, theirs: RecordDraft, standing: Int, count: Int
    ) async throws {
        try await NodeParty.alone { node, party in
            _ = try await node.group(.create(title: "Red"))
            let shared: GroupID = try await node.group("Red")
            let own = try #require(await node.privateGroup)
            let before = await node.engine.recordCount(of: own)
            _ = try await node.execute(.write([(own, [mine])]))
            _ = try await node.execute(.write([(shared, [theirs])]))
            for _ in 0..<3 {
                await node.rebuildViews()
                await node.process()
                // What is written now follows what was written before.
                _ = try await node.execute(.keepSetting(name: "looked", value: [1]))
            }
            #expect(await node.engine.recordCount(of: own) == before + count)
            #expect(try await node.results().map(\.score) == [standing])
            await node.close()
            let again = try await party.open("Ada")
            #expect(await again.engine.recordCount(of: own) == before + count)
            await again.close()
        }
    }
}
