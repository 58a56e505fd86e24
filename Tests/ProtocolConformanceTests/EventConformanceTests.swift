import StreakGames
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import streakmesh_vectors

/// Choices of weekly events (Protocol/records.md §3.11).
@Suite struct EventConformanceTests {
    private static func described(_ monday: PuzzleDay, _ plan: EventPlan) -> Value {
        .object([
            "year": .number(monday.isoWeek.year), "week": .number(monday.isoWeek.week),
            "rule": .number(Int(plan.rule.rawValue)), "game": .text(plan.game?.rawValue ?? ""),
        ])
    }

    private static func monday(_ entry: Value) throws -> PuzzleDay {
        try #require(PuzzleDay.monday(ofWeek: try entry.number("week"), in: try entry.number("year")))
    }

    @Test func `choices are what they say, and others are refused`() throws {
        let vectors = try Vectors.read("events")
        for entry in vectors.list("valid") + vectors.list("accepted") {
            let (subject, value) = (try entry.bytes("subject"), try entry.bytes("value"))
            let choice = try EventChoice(subject: subject, value: value)
            #expect(try Self.described(choice.monday, choice.plan) == entry["fields"], "\(entry.name)")
            #expect(choice.recordSubject == subject && value.starts(with: choice.recordValue), "\(entry.name)")
        }
        for entry in vectors.list("invalid") {
            do {
                _ = try EventChoice(subject: try entry.bytes("subject"), value: try entry.bytes("value"))
                Issue.record("\(entry.name) was taken")
            } catch let error as WireError {
                #expect(try error.reason == entry.text("reason"), "\(entry.name)")
            }
        }
    }

    @Test func `chance gives what it says`() throws {
        let drawn = try Vectors.read("events").list("drawn")
        #expect(drawn.count == 36)
        for entry in drawn {
            let plan = EventPlan.drawn(for: try entry.identifier("group"), weekOf: try Self.monday(entry))
            #expect(try Int(plan.rule.rawValue) == entry.number("rule"))
            #expect(try (plan.game?.rawValue ?? "") == entry.text("game"))
        }
    }

    @Test func `the plan follows from the records and the admins, in any order of arrival`() throws {
        for entry in try Vectors.read("events").list("sets") {
            let admins = try Set(
                entry.list("admins").map { value -> UserID in
                    guard case .text(let digits) = value, let user = UserID([UInt8](hexadecimal: digits) ?? []) else {
                        throw VectorProblem(text: "no user")
                    }
                    return user
                })
            let monday = try Self.monday(entry)
            for records in [entry.list("records"), entry.list("records").reversed()] {
                var events = GroupEvents(admins: admins)
                for record in records {
                    let key = RecordKey(
                        user: try record.identifier("user"), kind: EventChoice.kind,
                        subject: EventChoice.recordSubject(of: monday))
                    let time = HybridTime(rawValue: try record.integer("time"))
                    events.apply(MergedRecord(key: key, value: try record.bytes("value"), time: time))
                }
                let planned = events.planned(weekOf: monday, in: try entry.identifier("group"))
                #expect(try Int(planned.event.plan.rule.rawValue) == entry.number("rule"), "\(entry.name)")
                #expect(try (planned.event.plan.game?.rawValue ?? "") == entry.text("game"), "\(entry.name)")
                let chooser: Value = planned.chooser.map { .text($0.description) } ?? .null
                #expect(try chooser == entry["chooser"], "\(entry.name)")
            }
        }
    }
}
