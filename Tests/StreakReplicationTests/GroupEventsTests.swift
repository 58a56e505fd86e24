import StreakGames
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

/// Who says what a group plays for (Protocol/records.md §3.11).
@Suite struct GroupEventsTests {
    private static let (ada, ben, eve) = (user(1), user(2), user(3))
    private static let group = GroupID(bytes: Bytes32(0, 0, 0, 9))
    private static let monday = PuzzleDay(daysSinceEpoch: 20_780)

    private static func user(_ number: UInt64) -> UserID { UserID(bytes: Bytes32(0, 0, 0, number)) }

    private static func choice(_ rule: EventPlan.Rule?, by user: UserID, at time: Int64) throws -> MergedRecord {
        let content =
            try rule.map { RecordContent(EventChoice(weekOf: monday, try #require(EventPlan($0)))) }
            ?? RecordContent(withdrawing: EventChoice.recordSubject(of: monday), of: EventChoice.self)
        return MergedRecord(
            key: RecordKey(user: user, kind: content.kind, subject: content.subject), value: content.value,
            time: HybridTime(milliseconds: time, counter: 0))
    }

    private static func planned(_ records: [MergedRecord], admins: Set<UserID>) -> GroupEvents.Planned {
        var events = GroupEvents(admins: admins)
        for record in records { events.apply(record) }
        return events.planned(weekOf: monday.adding(days: 4), in: group)
    }

    @Test func `the latest word of an admin counts, and chance where there is none`() throws {
        let chance = EventPlan.drawn(for: Self.group, weekOf: Self.monday)
        let records = [
            try Self.choice(.mostGames, by: Self.ada, at: 3), try Self.choice(.newGames, by: Self.ben, at: 4),
            try Self.choice(.hardMode, by: Self.eve, at: 9),
        ]
        let both = Self.planned(records, admins: [Self.ada, Self.ben])
        #expect(both.event.plan.rule == .newGames && both.chooser == Self.ben && both.chosenAt?.milliseconds == 4)
        #expect(both.event.monday == Self.monday)
        #expect(Self.planned(records, admins: [Self.ada]).chooser == Self.ada)
        let nobody = Self.planned(records, admins: [])
        #expect(nobody.event.plan == chance && nobody.chooser == nil && nobody.chosenAt == nil)
        let back = records + [try Self.choice(nil, by: Self.ben, at: 5)]
        #expect(Self.planned(back, admins: [Self.ada, Self.ben]).event.plan == chance)
    }

    @Test func `of equally late words the smaller user's counts, and who is admin now decides`() throws {
        let records = [
            try Self.choice(.mostGames, by: Self.ben, at: 3), try Self.choice(.newGames, by: Self.ada, at: 3),
        ]
        for records in [records, records.reversed()] {
            #expect(Self.planned(records, admins: [Self.ada, Self.ben]).chooser == Self.ada)
        }
        var events = GroupEvents(admins: [Self.ada, Self.ben])
        for record in records { events.apply(record) }
        events.follow(admins: [Self.ben])
        #expect(events.planned(weekOf: Self.monday, in: Self.group).chooser == Self.ben)
    }

    @Test func `a word that this version cannot read leaves the week to chance, as its withdrawal does`() throws {
        let known = try Self.choice(.mostGames, by: Self.ada, at: 3)
        let later = MergedRecord(
            key: RecordKey(user: Self.ben, kind: known.key.kind, subject: known.key.subject), value: [77, 0],
            time: HybridTime(milliseconds: 4, counter: 0))
        #expect(Self.planned([known, later], admins: [Self.ada, Self.ben]).chooser == nil)
        let strange = MergedRecord(
            key: RecordKey(user: Self.ben, kind: known.key.kind, subject: [1]), value: known.value, time: later.time)
        #expect(Self.planned([known, strange], admins: [Self.ada, Self.ben]).chooser == Self.ada)
    }

    @Test(arguments: 1...4) func `weeks go by the ISO calendar`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<300 {
            let day = PuzzleDay(daysSinceEpoch: .random(in: -20_000...80_000, using: &generator))
            let choice = EventChoice(weekOf: day, try #require(EventPlan(.points)))
            #expect(choice.monday.weekday == 1 && (0...6).contains(choice.monday.days(until: day)))
            let read = try EventChoice(subject: choice.recordSubject, value: choice.recordValue)
            #expect(read.monday == choice.monday, "seed \(seed)")
        }
        for (year, weeks) in [(2020, 53), (2021, 52), (2026, 53), (2027, 52)] {
            #expect(PuzzleDay.monday(ofWeek: weeks, in: year) != nil)
            #expect(PuzzleDay.monday(ofWeek: weeks + 1, in: year) == nil)
        }
        #expect(PuzzleDay.monday(ofWeek: 0, in: 2026) == nil && PuzzleDay.monday(ofWeek: 54, in: 2026) == nil)
    }

    @Test func `chance gives other groups and weeks other plans`() {
        let drawn = (0..<64).map { EventPlan.drawn(for: Self.group, weekOf: Self.monday.adding(days: 7 * $0)) }
        #expect(Set(drawn).count > 6)
        let other = GroupID(bytes: Bytes32(0, 0, 0, 10))
        #expect(drawn != (0..<64).map { EventPlan.drawn(for: other, weekOf: Self.monday.adding(days: 7 * $0)) })
        let days = (0...6).map { EventPlan.drawn(for: Self.group, weekOf: Self.monday.adding(days: $0)) }
        #expect(Set(days) == [drawn[0]])
    }
}
