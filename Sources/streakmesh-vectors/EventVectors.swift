import StreakGames
import StreakReplication
import StreakScores
import StreakWire

extension VectorFile {
    /// The Monday after the vectors' present: the first event that can be chosen.
    private static var nextMonday: PuzzleDay {
        PuzzleDay(daysSinceEpoch: Int(Cast.now / 86_400)).startOfWeek.adding(days: 7)
    }

    private static func plan(_ rule: EventPlan.Rule, _ game: String? = nil) throws -> EventPlan {
        guard let plan = EventPlan(rule, game: game.flatMap { GameID($0) }) else {
            throw VectorFailure(text: "\(rule) does not go with \(game ?? "no game")")
        }
        return plan
    }

    /// Choices of weekly events, and what chance gives.
    static func events() throws -> VectorFile {
        let day = nextMonday
        let choices: [(String, EventChoice)] = [
            ("most points", EventChoice(weekOf: day, try plan(.points))),
            ("points of one game", EventChoice(weekOf: day, try plan(.points, "nyt-mini"))),
            ("a game twice", EventChoice(weekOf: day, try plan(.double, "wordle"))),
            ("hard mode", EventChoice(weekOf: day, try plan(.hardMode))),
            ("most games", EventChoice(weekOf: day, try plan(.mostGames))),
            ("week 53", EventChoice(weekOf: PuzzleDay(daysSinceEpoch: 20_820), try plan(.newGames))),
        ]
        return VectorFile(
            name: "events",
            content: [
                "spec": "records.md §3.11",
                "valid": .list(choices.map { describe($0.0, $0.1, tail: []) }),
                "accepted": .list([describe("with a tail", choices[2].1, tail: [1, 2])]),
                "invalid": .list(invalidChoices(choices[2].1)),
                "drawn": .list(try drawn()),
                "sets": .list(try choiceSets()),
            ])
    }

    private static func describe(_ name: String, _ choice: EventChoice, tail: [UInt8]) -> JSON {
        let (week, plan) = (choice.monday.isoWeek, choice.plan)
        return [
            "name": .text(name), "subject": .hex(choice.recordSubject), "value": .hex(choice.recordValue + tail),
            "fields": [
                "year": .number(week.year), "week": .number(week.week), "rule": .number(Int(plan.rule.rawValue)),
                "game": .text(plan.game?.rawValue ?? ""),
            ],
        ]
    }

    private static func invalidChoices(_ choice: EventChoice) -> [JSON] {
        let (subject, value) = (choice.recordSubject, choice.recordValue)
        let entries: [(String, [UInt8], [UInt8], String)] = [
            ("no week", Array(subject.prefix(2)), value, "truncated"),
            ("a week and a byte", subject + [0], value, "trailing-bytes"),
            ("week 0", replacing(subject, at: 2, by: 0), value, "invalid-value: week"),
            ("week 53 of a year of 52", [0x07, 0xE9, 53], value, "invalid-value: week"),
            ("week 54", replacing(subject, at: 2, by: 54), value, "invalid-value: week"),
            ("1899", [0x07, 0x6B, 10], value, "invalid-value: week"),
            ("taken back", subject, [], "truncated"),
            ("no rule, 0", subject, [0, 0], "invalid-value: rule"),
            ("no rule, 6", subject, [6, 0], "invalid-value: rule"),
            ("a rule alone", subject, [1], "truncated"),
            ("double nothing", subject, [2, 0], "invalid-value: game"),
            ("most games of one", subject, [4, 1, 0x61], "invalid-value: game"),
            ("no game's name", subject, [2, 1, 0x41], "invalid-value: game"),
            ("a game of 41 bytes", subject, [2, 41], "limit-exceeded"),
        ]
        return entries.map { name, subject, value, reason in
            ["name": .text(name), "subject": .hex(subject), "value": .hex(value), "reason": .text(reason)]
        }
    }

    /// What chance gives three groups for twelve weeks.
    private static func drawn() throws -> [JSON] {
        try ["ada", "ben", "eve"].flatMap { name -> [JSON] in
            let group = GroupID(bytes: try Person(name).user.bytes)
            return (0..<12).map { number in
                let day = nextMonday.adding(days: 7 * number)
                let plan = EventPlan.drawn(for: group, weekOf: day)
                return [
                    "group": .text(group.description), "year": .number(day.isoWeek.year),
                    "week": .number(day.isoWeek.week), "rule": .number(Int(plan.rule.rawValue)),
                    "game": .text(plan.game?.rawValue ?? ""),
                ]
            }
        }
    }

    // MARK: Sets

    private struct Entry {
        let user: Person
        /// Milliseconds before the event begins.
        let ahead: Int64
        let content: RecordContent

        func record(before start: Int64) -> MergedRecord {
            MergedRecord(
                key: RecordKey(user: user.user, kind: content.kind, subject: content.subject), value: content.value,
                time: HybridTime(milliseconds: start * 1_000 - ahead, counter: 0))
        }
    }

    /// Winning records about one week, and what is played for.
    private static func choiceSets() throws -> [JSON] {
        let (ada, ben, eve) = (try Person("ada"), try Person("ben"), try Person("eve"))
        let group = GroupID(bytes: ada.user.bytes)
        let (day, start) = (nextMonday, WeeklyEvent.start(of: nextMonday))
        func choice(_ user: Person, _ ahead: Int64, _ plan: EventPlan) -> Entry {
            Entry(user: user, ahead: ahead, content: RecordContent(EventChoice(weekOf: day, plan)))
        }
        func back(_ user: Person, _ ahead: Int64) -> Entry {
            let subject = EventChoice.recordSubject(of: day)
            return Entry(user: user, ahead: ahead, content: RecordContent(withdrawing: subject, of: EventChoice.self))
        }
        let (hard, wordle) = (try plan(.hardMode, "wordle"), try plan(.double, "wordle"))
        let sets: [(String, [Person], [Entry])] = [
            ("nobody has chosen", [ada], []),
            ("a plain member chooses nothing", [ada], [choice(eve, 9_000, hard)]),
            ("an admin chooses", [ada], [choice(ada, 1, hard)]),
            ("the later of two", [ada, ben], [choice(ada, 9_000, hard), choice(ben, 8_000, wordle)]),
            ("the smaller of two at once", [ada, ben], [choice(ada, 9_000, hard), choice(ben, 9_000, wordle)]),
            ("the last word takes it back", [ada, ben], [choice(ada, 9_000, hard), back(ben, 8_000)]),
        ]
        return sets.map { name, admins, entries in
            var events = GroupEvents(admins: Set(admins.map(\.user)))
            for entry in entries { events.apply(entry.record(before: start)) }
            let planned = events.planned(weekOf: day, in: group)
            let plan = planned.event.plan
            return [
                "name": .text(name), "group": .text(group.description), "year": .number(day.isoWeek.year),
                "week": .number(day.isoWeek.week), "admins": .list(admins.map { .text($0.user.description) }),
                "records": .list(
                    entries.map { entry in
                        let record = entry.record(before: start)
                        return [
                            "user": .text(entry.user.user.description), "time": .text(String(record.time.rawValue)),
                            "value": .hex(record.value),
                        ]
                    }),
                "rule": .number(Int(plan.rule.rawValue)), "game": .text(plan.game?.rawValue ?? ""),
                "chooser": planned.chooser.map { .text($0.description) } ?? .null,
            ]
        }
    }
}
