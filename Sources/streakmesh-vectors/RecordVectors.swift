import StreakCrypto
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

extension VectorFile {
    static let recordTime = HybridTime(milliseconds: Cast.now * 1_000, counter: 3)

    /// Single records.
    static func records() throws -> VectorFile {
        let score = Record(
            kind: .dailyScore, time: recordTime, subject: sampleScore.recordSubject,
            value: sampleScore.recordValue(at: recordTime))
        let profile = Record(kind: .profile, time: recordTime, subject: [], value: Profile(name: "Ada").recordValue)
        let withdrawal = Record(kind: .dailyScore, time: recordTime, subject: sampleScore.recordSubject, value: [])
        let last = HybridTime(rawValue: .max)
        let largest = Record(
            kind: .comment, time: last, subject: [UInt8](repeating: 1, count: Record.maximumSubjectSize),
            value: [UInt8](repeating: 2, count: Record.maximumValueSize))
        let head: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 0]
        let valid: [(String, [UInt8])] = [
            ("a daily score", score.encoded),
            ("a withdrawn daily score", withdrawal.encoded),
            ("a profile", profile.encoded),
            ("the largest subject and value", largest.encoded),
            ("an unknown kind", replacing(score.encoded, at: 0, by: 200)),
            ("a tail, carried along", profile.encoded + [1, 2, 3]),
        ]
        return VectorFile(
            name: "records",
            content: [
                "spec": "records.md §2",
                "decoder": "record",
                "valid": .list(try valid.map { try describe(record: $0.1, name: $0.0) }),
                "invalid": [
                    refused("nothing", [], "truncated"),
                    refused("the time is cut off", Array(head.prefix(5)), "truncated"),
                    refused("the value is missing", head + [0], "truncated"),
                    refused("a subject of 97 bytes", head + [97], zeros: 98, "limit-exceeded"),
                    refused("a value of 1,301 bytes", head + [0, 0x95, 0x0A], "limit-exceeded"),
                    refused("a length in two bytes that fits one", head + [0x80, 0], "non-minimal-varint"),
                    refused("a tail of 1,025 bytes", head + [0, 0], zeros: 1_025, "limit-exceeded"),
                    refused("1,537 bytes", head, zeros: 1_528, "limit-exceeded"),
                ],
            ])
    }

    private static func describe(record bytes: [UInt8], name: String) throws -> JSON {
        let record = try Record(decoding: bytes)
        return [
            "name": .text(name),
            "kind": .number(Int(record.kind)),
            "time": .text(String(record.time.rawValue)),
            "milliseconds": .text(String(record.time.milliseconds)),
            "counter": .number(Int(record.time.rawValue & 0xFFFF)),
            "subject": .hex(record.subject),
            "value": .hex(record.value),
            "tail": .hex(record.tail),
            "hex": .hex(bytes),
            "hash": .hex(Blake2b.hash(bytes)),
        ]
    }

    static var sampleScore: DailyScore {
        DailyScore(
            game: GameID(literal: "wordle"), day: PuzzleDay(daysSinceEpoch: 20_778), puzzle: 1_981, score: 4,
            maxAttempts: 6, isHardMode: true, firstRecordedAt: Cast.now)
    }

    private static var scores: [(String, DailyScore)] {
        let day = PuzzleDay(daysSinceEpoch: 20_778)
        return [
            ("4/6 in hard mode", sampleScore),
            (
                "a loss, edited an hour after it was recorded",
                DailyScore(
                    game: GameID(literal: "wordle"), day: day, puzzle: 1_981, maxAttempts: 6, isCompleted: false,
                    firstRecordedAt: Cast.now - 3_600, isEdited: true)
            ),
            (
                "a time, keyed by a puzzle number that gives no day",
                DailyScore(
                    game: GameID(literal: "linkedin-queens"), day: day, puzzle: 935, isKeyedByPuzzle: true, seconds: 83,
                    hints: 0, mistakes: 2, firstRecordedAt: Cast.now)
            ),
            (
                "a game of the player's own, with its name",
                DailyScore(
                    game: GameID(literal: "custom-0f3a"), day: day, score: 1_250, gameName: "Pub quiz 🧩",
                    firstRecordedAt: Cast.now + 2)
            ),
        ]
    }

    /// Subject, value, and the reason for refusal or `valid`.
    private static func strangeScores(_ byNumber: DailyScore) -> [(String, [UInt8], [UInt8], String)] {
        let subject = sampleScore.recordSubject
        let value = sampleScore.recordValue(at: recordTime)
        let numbered = byNumber.recordValue(at: recordTime)
        return [
            ("an empty subject", [], value, "truncated"),
            ("an axis of 2", [2] + subject.dropFirst(), value, "invalid-value: axis"),
            ("30 February", [0] + varint(20_260_230) + Array("wordle".utf8), value, "invalid-value: day"),
            ("no game", Array(subject.prefix(5)), value, "invalid-value: game"),
            ("a game with a capital", Array(subject.prefix(5)) + Array("Wordle".utf8), value, "invalid-value: game"),
            ("a withdrawal is no result", subject, [], "truncated"),
            ("the first recording is missing", subject, Array(value.dropLast()), "truncated"),
            ("a number over 2^40", subject, [1, 4, 0x81, 0x80, 0x80, 0x80, 0x80, 0x20, 0], "limit-exceeded"),
            ("a name of 161 bytes", subject, [1, 128, 0xA1, 1], "limit-exceeded"),
            ("a name that is no UTF-8", subject, [1, 128, 1, 0xFF, 0], "invalid-text"),
            ("keyed by number, without a day", byNumber.recordSubject, [1, 0, 0], "invalid-value: day"),
            (
                "keyed by number, on 31 June", byNumber.recordSubject, [1, 1] + varint(20_260_631) + [0],
                "invalid-value: day"
            ),
            (
                "first recorded before time began", subject,
                [1, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], "valid"
            ),
            (
                "an age that 64 bits do not hold", subject,
                [1, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01],
                "invalid-value: firstRecordedAt"
            ),
            ("keyed by number, with a tail", byNumber.recordSubject, numbered + [1, 2, 3], "valid"),
        ]
    }

    /// Subjects and values of kind 1.
    static func dailyScores() throws -> VectorFile {
        let scores = scores
        let invalid = strangeScores(scores[2].1)
        return VectorFile(
            name: "daily-scores",
            content: [
                "spec": "records.md §3",
                "time": .text(String(recordTime.rawValue)),
                "valid": .list(
                    try scores.map { name, score in
                        let subject = score.recordSubject
                        let value = score.recordValue(at: recordTime)
                        return [
                            "name": .text(name), "subject": .hex(subject), "value": .hex(value),
                            "fields": fields(of: try DailyScore(subject: subject, value: value, time: recordTime)),
                        ]
                    }),
                "invalid": .list(
                    invalid.filter { $0.3 != "valid" }.map {
                        [
                            "name": .text($0.0), "subject": .hex($0.1), "value": .hex($0.2), "reason": .text($0.3),
                        ]
                    }),
                "accepted": .list(
                    try invalid.filter { $0.3 == "valid" }.map {
                        [
                            "name": .text($0.0), "subject": .hex($0.1), "value": .hex($0.2),
                            "fields": fields(of: try DailyScore(subject: $0.1, value: $0.2, time: recordTime)),
                        ]
                    }),
            ])
    }

    static func fields(of score: DailyScore) -> JSON {
        func number(_ value: Int?) -> JSON { value.map { .number($0) } ?? .null }
        return [
            "game": .text(score.game.rawValue), "day": .text(score.day.description), "puzzle": number(score.puzzle),
            "isKeyedByPuzzle": .bool(score.isKeyedByPuzzle), "score": number(score.score),
            "maximum": number(score.maxAttempts), "isCompleted": .bool(score.isCompleted),
            "seconds": number(score.seconds), "hints": number(score.hints), "mistakes": number(score.mistakes),
            "isHardMode": .bool(score.isHardMode), "gameName": score.gameName.map { .text($0) } ?? .null,
            "firstRecordedAt": .text(String(score.firstRecordedAt)), "isEdited": .bool(score.isEdited),
        ]
    }

    private static func profile(_ name: String, at milliseconds: Int64, counter: UInt16 = 0) -> [UInt8] {
        Record(
            kind: .profile, time: HybridTime(milliseconds: milliseconds, counter: counter), subject: [],
            value: name.isEmpty ? [] : Profile(name: name).recordValue
        ).encoded
    }

    /// A choice for the week after the vectors' present, or what takes it back.
    private static func choice(_ rule: EventPlan.Rule?, at milliseconds: Int64) -> [UInt8] {
        let subject = EventChoice.recordSubject(of: eventWeek)
        let value = rule.flatMap { EventPlan($0) }.map { EventChoice(weekOf: eventWeek, $0).recordValue } ?? []
        return Record(
            kind: .event, time: HybridTime(milliseconds: milliseconds, counter: 0), subject: subject, value: value
        ).encoded
    }

    /// The Monday after the vectors' present.
    private static var eventWeek: PuzzleDay {
        PuzzleDay(daysSinceEpoch: Int(Cast.now / 86_400)).startOfWeek.adding(days: 7)
    }

    /// A profile whose name is truncated.
    private static func unreadable(at milliseconds: Int64) -> [UInt8] {
        Record(kind: .profile, time: HybridTime(milliseconds: milliseconds, counter: 0), subject: [], value: [9])
            .encoded
    }

    private typealias MergeSet = (
        name: String, wall: Int64, records: [MergeEntry], winners: [[UInt8]], waiting: Int
    )

    /// What decides between two records of one key, in order of precedence.
    private static func orderings(_ ada: Person) throws -> [MergeSet] {
        let second = try ada.secondDevice()
        let start = Cast.now * 1_000
        let first = ada.device
        let larger = max(ada.device, second.device)
        let smaller = min(ada.device, second.device)
        let twins = [profile("Ann", at: start), profile("Eve", at: start)]
        let winner = twins.max { Blake2b.hash($0).lexicographicallyPrecedes(Blake2b.hash($1)) } ?? []
        return [
            (
                "the later time wins", start,
                [
                    MergeEntry(ada.user, first, profile("Ada", at: start)),
                    MergeEntry(ada.user, first, profile("Ada L.", at: start + 1)),
                ], [profile("Ada L.", at: start + 1)], 0
            ),
            (
                "the counter orders one millisecond", start,
                [
                    MergeEntry(ada.user, first, profile("two", at: start, counter: 2)),
                    MergeEntry(ada.user, first, profile("one", at: start, counter: 1)),
                ], [profile("two", at: start, counter: 2)], 0
            ),
            (
                "of one time the larger device wins", start,
                [
                    MergeEntry(ada.user, smaller, profile("small", at: start)),
                    MergeEntry(ada.user, larger, profile("large", at: start)),
                ], [profile("large", at: start)], 0
            ),
            (
                "of one time and device the larger record hash wins", start,
                twins.map { MergeEntry(ada.user, first, $0) }, [winner], 0
            ),
        ]
    }

    private static func otherMerges(_ ada: Person) throws -> [MergeSet] {
        let ben = try Person("ben")
        let first = ada.device
        let start = Cast.now * 1_000
        return [
            (
                "users never replace each other", start,
                [
                    MergeEntry(ada.user, first, profile("Ada", at: start)),
                    MergeEntry(ben.user, ben.device, profile("Ben", at: start + 5)),
                ], [profile("Ada", at: start), profile("Ben", at: start + 5)], 0
            ),
            (
                "a withdrawal wins by its time, and a later value over it", start,
                [
                    MergeEntry(ada.user, first, profile("Ada", at: start)),
                    MergeEntry(ada.user, first, profile("", at: start + 1)),
                    MergeEntry(ben.user, ben.device, profile("", at: start + 1)),
                    MergeEntry(ben.user, ben.device, profile("Ben", at: start + 2)),
                ], [profile("", at: start + 1), profile("Ben", at: start + 2)], 0
            ),
            (
                "a value that cannot be read wins by its time, and a later one over it", start,
                [
                    MergeEntry(ada.user, first, profile("Ada", at: start)),
                    MergeEntry(ada.user, first, unreadable(at: start + 1)),
                    MergeEntry(ben.user, ben.device, unreadable(at: start + 1)),
                    MergeEntry(ben.user, ben.device, profile("Ben", at: start + 2)),
                ], [unreadable(at: start + 1), profile("Ben", at: start + 2)], 0
            ),
            (
                "ten minutes ahead counts, a millisecond more waits", start,
                [
                    MergeEntry(ada.user, first, profile("now", at: start)),
                    MergeEntry(ada.user, first, profile("soon", at: start + 600_000)),
                    MergeEntry(ada.user, first, profile("later", at: start + 600_001)),
                ], [profile("soon", at: start + 600_000)], 1
            ),
        ]
    }

    /// What comes after an event has begun.
    private static func lateChoices(_ ada: Person) throws -> [MergeSet] {
        let (ben, first) = (try Person("ben"), ada.device)
        let monday = WeeklyEvent.start(of: eventWeek) * 1_000
        return [
            (
                "a choice of an event that has begun takes no part, nor does taking one back", monday,
                [
                    MergeEntry(ada.user, first, choice(.mostGames, at: monday - 2)),
                    MergeEntry(ada.user, first, choice(.newGames, at: monday - 1)),
                    MergeEntry(ada.user, first, choice(.mostGames, at: monday)),
                    MergeEntry(ada.user, first, choice(nil, at: monday + 1)),
                    MergeEntry(ben.user, ben.device, choice(.mostGames, at: monday)),
                ], [choice(.newGames, at: monday - 1)], 0
            )
        ]
    }

    private static func highScore(
        _ score: Int?, at milliseconds: Int64, contends: Bool = true, isEdited: Bool = false, isCompleted: Bool = true
    ) throws -> [UInt8] {
        let time = HybridTime(milliseconds: milliseconds, counter: 0)
        let result = DailyScore(
            game: GameID(literal: "custom-blocks"), day: PuzzleDay(daysSinceEpoch: 20_778), score: score,
            isCompleted: isCompleted, gameName: "Blocks", firstRecordedAt: milliseconds / 1_000, isEdited: isEdited,
            contends: contends)
        return Record(
            kind: .dailyScore, time: time, subject: result.recordSubject, value: result.recordValue(at: time)
        ).encoded
    }

    /// High scores of one day that contend, and records that settle them.
    private static func contests(_ ada: Person) throws -> [MergeSet] {
        let (first, second) = (ada.device, try ada.secondDevice().device)
        let start = Cast.now * 1_000
        func entry(_ record: [UInt8], _ device: DeviceID? = nil) -> MergeEntry {
            MergeEntry(ada.user, device ?? first, record)
        }
        let withdrawal = Record(
            kind: .dailyScore, time: HybridTime(milliseconds: start + 5, counter: 0),
            subject: try Record(decoding: try highScore(0, at: start)).subject, value: []
        ).encoded
        let best = try highScore(900, at: start)
        let later = try highScore(700, at: start + 9)
        let edit = try highScore(500, at: start + 5, contends: false, isEdited: true)
        let unreadable = Record(
            kind: .dailyScore, time: HybridTime(milliseconds: start + 5, counter: 0),
            subject: try Record(decoding: best).subject, value: [9, 4]
        ).encoded
        let many = try (0..<66).map { try highScore(1_000 - $0, at: start + Int64($0)) }
        return [
            ("the better of two that contend wins", start, [entry(best), entry(later, second)], [best], 0),
            (
                "of equal ones the later", start, [entry(best), entry(try highScore(900, at: start + 1), second)],
                [try highScore(900, at: start + 1)], 0
            ),
            ("an edit settles what was before", start, [entry(best), entry(edit)], [edit], 0),
            (
                "a worse one after an edit beats it if it is better than that", start,
                [entry(best, second), entry(edit), entry(later, second)], [later], 0
            ),
            (
                "one from before an edit does not", start,
                [entry(later), entry(edit), entry(try highScore(400, at: start + 7))],
                [later], 0
            ),
            (
                "a withdrawal settles, and any result after it wins", start,
                [entry(best), entry(withdrawal), entry(try highScore(1, at: start + 6), second)],
                [try highScore(1, at: start + 6)], 0
            ),
            ("a value that cannot be read settles", start, [entry(best), entry(unreadable)], [unreadable], 0),
            (
                "a loss and a result without a score are worth less", start,
                [
                    entry(try highScore(0, at: start)), entry(try highScore(nil, at: start + 1)),
                    entry(try highScore(nil, at: start + 2, isCompleted: false), second),
                ], [try highScore(0, at: start)], 0
            ),
            ("of more than sixty-four the latest sixty-four take part", start, many.map { entry($0) }, [many[2]], 0),
        ]
    }

    /// Sets of records and the winner, in whatever order they come.
    static func merges() throws -> VectorFile {
        let ada = try Person("ada")
        let sets = try orderings(ada) + otherMerges(ada) + lateChoices(ada) + contests(ada)
        return VectorFile(
            name: "merges",
            content: [
                "spec": "records.md §8",
                "sets": .list(
                    sets.map { set in
                        [
                            "name": .text(set.name), "wallMilliseconds": .text(String(set.wall)),
                            "records": .list(set.records.map(\.json)),
                            "winners": .list(set.winners.map { .hex($0) }), "waiting": .number(set.waiting),
                        ]
                    }),
            ])
    }

    private struct MergeEntry {
        let json: JSON

        init(_ user: UserID, _ device: DeviceID, _ record: [UInt8]) {
            json = ["user": .text(user.description), "device": .text(device.description), "record": .hex(record)]
        }
    }

    /// The readings of a feed's clock.
    static var clocks: VectorFile {
        func step(_ kind: String, _ wall: Int64, _ reading: HybridTime, latest: HybridTime) -> JSON {
            [
                "step": .text(kind), "wallMilliseconds": .text(String(wall)), "time": .text(String(reading.rawValue)),
                "latest": .text(String(latest.rawValue)),
            ]
        }
        let wall = Cast.now * 1_000
        var clock = HybridClock()
        var steps: [JSON] = []
        func next(_ wall: Int64) {
            let reading = clock.next(wallMilliseconds: wall)
            steps.append(step("next", wall, reading, latest: clock.latest))
        }
        func witness(_ milliseconds: Int64, _ counter: UInt16, _ wall: Int64) {
            let reading = HybridTime(milliseconds: milliseconds, counter: counter)
            clock.witness(reading, wallMilliseconds: wall)
            steps.append(step("witness", wall, reading, latest: clock.latest))
        }
        next(wall)
        next(wall)
        next(wall - 5_000)
        next(wall + 1)
        witness(wall + 600_000, 7, wall)
        next(wall + 2)
        witness(wall + 600_001, 0, wall)
        next(wall + 2)
        witness(wall + 600_001, .max, wall + 1)
        next(wall + 3)
        return VectorFile(name: "clocks", content: ["spec": "records.md §4", "steps": .list(steps)])
    }
}
