import Foundation
import StreakEngine
import StreakGames
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

/// What shared groups know about this user's results that the private group does not.
@Suite(.timeLimit(.minutes(5))) struct LostResultsTests {
    private static func score(_ value: Int, isEdited: Bool = false) -> RecordDraft {
        .score(
            DailyScore(
                game: GameID(literal: "custom-blocks"), day: PuzzleDay(daysSinceEpoch: 20_778), score: value,
                isEdited: isEdited, contends: !isEdited))
    }

    @Test func `a result that was only taken out of a group stays in the private one`() {
        let key = RecordKey(
            user: UserID(bytes: Bytes32(1, 2, 3, 4)), kind: RecordKind.dailyScore.rawValue, subject: [0, 1, 2])
        func record(_ value: [UInt8], at milliseconds: Int64) -> MergedRecord {
            MergedRecord(key: key, value: value, time: HybridTime(milliseconds: milliseconds, counter: 0))
        }
        let group = GroupID(bytes: Bytes32(5, 6, 7, 8))
        for (lead, isLost) in [(HybridClock.maximumLead - 1, false), (HybridClock.maximumLead, true)] {
            var lost = LostResults()
            lost.note(record([], at: 1_000 + lead), known: record([1], at: 1_000))
            #expect(lost.takeCommands(for: group).isEmpty != isLost)
        }
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
            // Of two words of one millisecond, none is the later one.
            let written = Date.now
            while Date.now.timeIntervalSince(written) < 0.002 { await Task.yield() }
            _ = try await node.execute(.write([(shared, [theirs])]))
            for _ in 0..<3 {
                await node.rebuildViews()
                await node.process()
                // What is written now is dated after what was written before.
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
