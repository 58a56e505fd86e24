import StreakGames
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import streakmesh_vectors

/// Challenges and answers (Protocol/records.md §3.9, §3.10).
@Suite struct ChallengeConformanceTests {
    private static func read(_ entry: Value) throws -> any RecordValue {
        let (subject, value) = (try entry.bytes("subject"), try entry.bytes("value"))
        let read: any RecordValue =
            try UInt8(entry.number("kind")) == Challenge.kind
            ? Challenge(subject: subject, value: value) : ChallengeAnswer(subject: subject, value: value)
        #expect(read.recordSubject == subject, "\(entry.name)")
        #expect(value.starts(with: read.recordValue), "\(entry.name)")
        return read
    }

    private static func described(_ value: any RecordValue) -> Value {
        switch value {
        case let challenge as Challenge:
            .object([
                "id": .text(String(challenge.id.rawValue)), "lastDay": .text(challenge.lastDay.description),
                "result": .text(DailyScore.recordSubject(of: challenge.result).hexadecimal),
                "friend": .text(challenge.friend?.description ?? ""),
                "first": .text(challenge.first?.bytes.hexadecimal ?? ""),
            ])
        case let answer as ChallengeAnswer:
            .object(["challenge": .text(answer.challenge.bytes.hexadecimal), "accepts": .bool(answer.accepts)])
        default: .null
        }
    }

    @Test func `values are what they say, and others are refused`() throws {
        let vectors = try Vectors.read("challenges")
        for entry in vectors.list("valid") + vectors.list("accepted") {
            #expect(try Self.described(Self.read(entry)) == entry["fields"], "\(entry.name)")
        }
        for entry in vectors.list("invalid") {
            do {
                _ = try Self.read(entry)
                Issue.record("\(entry.name) was taken")
            } catch let error as WireError {
                #expect(try error.reason == entry.text("reason"), "\(entry.name)")
            }
        }
    }

    @Test func `what follows for those who take part, in any order of arrival`() throws {
        let sets = try Vectors.read("challenges").list("sets")
        #expect(sets.count > 15)
        for entry in sets {
            let members = try Set(
                entry.list("members").map { value -> UserID in
                    guard case .text(let digits) = value, let user = UserID([UInt8](hexadecimal: digits) ?? []) else {
                        throw VectorProblem(text: "no user")
                    }
                    return user
                })
            let lastFinal = try #require(PuzzleDay(entry.text("lastFinalDay")))
            for records in [entry.list("records"), entry.list("records").reversed()] {
                let found = try Self.outcomes(of: records, members, lastFinal)
                let expected = try entry.list("challenges").map { challenge in
                    try [challenge.text("challenge")]
                        + challenge.list("duels").flatMap { try [$0.text("user"), $0.text("outcome")] }
                }
                #expect(found == expected, "\(entry.name)")
            }
        }
    }

    private static func outcomes(
        of records: [Value], _ members: Set<UserID>, _ lastFinal: PuzzleDay
    ) throws -> [[String]] {
        var (challenges, index) = (GroupChallenges(), ScoreIndex())
        for record in records {
            let key = RecordKey(
                user: try record.identifier("user"), kind: UInt8(try record.number("kind")),
                subject: try record.bytes("subject"))
            let (value, time) = (try record.bytes("value"), HybridTime(rawValue: try record.integer("time")))
            if key.kind == RecordKind.dailyScore.rawValue {
                let score = try DailyScore(subject: key.subject, value: value, time: time)
                index.replace(score, of: PlayerID(key.user.bytes.array))
            } else {
                challenges.apply(MergedRecord(key: key, value: value, time: time))
            }
        }
        return try challenges.standing().compactMap { standing in
            let game = try #require(Catalogue.standard[standing.challenge.result.game])
            return challenges.duels(
                of: standing, isPlayer: members.contains, index: index, lastFinalDay: lastFinal, game: game
            ).map { _, duels in
                [standing.name.bytes.hexadecimal]
                    + duels.flatMap { [$0.user.description, $0.outcome.rawValue] }
            }
        }
    }
}
