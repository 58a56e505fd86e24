import StreakEngine
import StreakGames
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

/// Taking back changes of any size.
@Suite(.timeLimit(.minutes(10))) struct UndoTests {
    private static func table(_ count: Int, perDay: Int) -> String {
        let rows = (0..<count).map {
            "\(PuzzleDay(daysSinceEpoch: 17_000 + $0 / perDay)),birdle,\($0 % 6 + 1),6,true,\($0 + 1)"
        }
        return "date,game,score,maxAttempts,completed,puzzle\n" + rows.joined(separator: "\n")
    }

    private static func load(_ text: String, on node: MeshNode, replacing: Bool = false) async throws -> ImportReport {
        try await node.call(
            ImportRequest.load(.text(text), ImportOptions(replaces: replacing)))
    }

    private static func exported(_ node: MeshNode) async throws -> String? {
        let request = ExportRequest.export(format: "csv", game: nil, from: nil, to: nil)
        let csv = try await node.call(request).content
        // Everything except the time of a row's last change: that is when it was written, or written again.
        return csv?.split(whereSeparator: \.isNewline).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset != 13 }.map(\.element).joined(separator: ",")
        }.joined(separator: "\n")
    }

    @Test(arguments: [6, 20_000])
    func `an import of 20,000 is taken back, after a restart too, and what it replaced stands again`(
        perDay: Int
    ) async throws {
        try await NodeParty.alone { node, party in
            _ = try await node.group(.create(title: "Red"))
            _ = try await node.group(.create(title: "Blue"))
            let first = "date,game,score,maxAttempts,completed,puzzle\n2016-07-18,birdle,6,6,true,1\n"
            _ = try await Self.load(first, on: node)
            try await node.add("Wordle 1,700 3/6", to: ["Red"])
            let before = try await Self.exported(node)
            let report = try await Self.load(Self.table(20_000, perDay: perDay), on: node, replacing: true)
            #expect((report.imported, report.replaced) == (20_000, 1))
            await node.close()
            let again = try await party.open("Ada")
            let undone = try await again.call(UndoRequest.last)
            #expect((undone.restoredCount, undone.withdrawnCount) == (1, 19_999))
            #expect((undone.restored.count, undone.withdrawn.count) == (1, UndoReport.maximumListed))
            #expect(try await Self.exported(again) == before)
            for group in ["Red", "Blue"] {
                let row = try await again.board(of: group).rows.first
                #expect(row?.played == (group == "Red" ? 2 : 1))
            }
            await #expect(throws: NodeFailure.nothingToUndo) {
                _ = try await again.call(UndoRequest.last)
            }
            await again.close()
        }
    }

    @Test func `what all groups take back alike is kept once`() throws {
        let scores = (0..<20_000).map { number in
            DailyScore(
                game: GameID(literal: "birdle"), day: PuzzleDay(daysSinceEpoch: 18_262), puzzle: number,
                isKeyedByPuzzle: true, score: 3, maxAttempts: 6, gameName: "Birdle")
        }
        let player = PlayerID([1])
        var held = ScoreIndex()
        for score in scores.prefix(100) { held.replace(score, of: player) }
        let groups = (1...9 as ClosedRange<UInt64>).map { GroupID(bytes: Bytes32(0, 0, 0, $0)) }
        let index = held
        let log = UndoLog(
            of: groups.map { ($0, scores.map(RecordDraft.score)) }, heldIn: { $0 == groups[0] ? index : ScoreIndex() },
            by: player)
        let bytes = log.encoded(at: WallTime(milliseconds: 1_795_000_000_000))
        #expect(bytes.count < 900_000, "\(bytes.count)")
        let read = try UndoLog(decoding: bytes)
        for (mine, theirs) in zip(read.changesByGroup, log.changesByGroup) {
            #expect(mine.group == theirs.group && mine.changes.count == theirs.changes.count)
            #expect(Set(mine.changes.map(\.key)) == Set(theirs.changes.map(\.key)))
        }
        #expect(read.changesByGroup[0].changes.filter { $0.before != nil }.count == 100)
    }

    @Test func `of two values for one result in one change the later is what was written`() throws {
        let scores = [100, 120].map {
            DailyScore(game: GameID(literal: "birdle"), day: PuzzleDay(daysSinceEpoch: 18_262), score: $0)
        }
        let log = UndoLog(
            of: [(GroupID(bytes: .zero), scores.map(RecordDraft.score))], heldIn: { _ in ScoreIndex() },
            by: PlayerID([1]))
        #expect(log.changesByGroup[0].changes == [.init(key: scores[0].key, before: nil, written: scores[1])])
    }

    @Test func `bytes that are no undo are refused`() throws {
        let log = UndoLog(
            of: [
                (
                    GroupID(bytes: .zero),
                    [
                        .score(
                            DailyScore(
                                game: GameID(literal: "wordle"), day: PuzzleDay(daysSinceEpoch: 20_000), score: 3))
                    ]
                )
            ], heldIn: { _ in ScoreIndex() }, by: PlayerID([1]))
        let bytes = log.encoded(at: WallTime(milliseconds: 1_795_000_000_000))
        #expect(try UndoLog(decoding: bytes) == log)
        for length in 0..<bytes.count {
            #expect(throws: WireError.self) { _ = try UndoLog(decoding: Array(bytes.prefix(length))) }
        }
        #expect(throws: WireError.self) { _ = try UndoLog(decoding: [1] + bytes.dropFirst()) }
    }
}
