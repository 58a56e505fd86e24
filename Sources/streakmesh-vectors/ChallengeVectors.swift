import StreakGames
import StreakReplication
import StreakScores
import StreakWire

extension VectorFile {
    /// The day of the target, and a moment on it: 10:00 UTC.
    private static let challengeDay = PuzzleDay(daysSinceEpoch: 20_778)
    private static let challengeTime: Int64 = 20_778 * 86_400 + 36_000

    private static func challengeID(_ offset: Int64 = 0) -> WritingID {
        WritingID(milliseconds: (challengeTime + offset) * 1_000, chance: 7)
    }

    private static var target: ScoreKey {
        ScoreKey(game: GameID(literal: "wordle"), axis: .day(challengeDay))
    }

    /// Challenges, answers, and what follows from them.
    static func challenges() throws -> VectorFile {
        let (ada, ben) = (try Person("ada"), try Person("ben"))
        let first = ChallengeName(challenger: ben.user, id: challengeID(-60))
        let toGroup = Challenge(challengeID(), toBeat: target, until: challengeDay)
        let toFriend = Challenge(challengeID(), toBeat: target, until: challengeDay, to: ben.user, givingBack: first)
        let byNumber = Challenge(
            challengeID(), toBeat: ScoreKey(game: GameID(literal: "wordle"), axis: .puzzle(1_981)),
            until: challengeDay, to: ada.user)
        let accepted = ChallengeAnswer(to: first, accepts: true)
        let declined = ChallengeAnswer(to: first, accepts: false)
        let valid: [(String, any RecordValue)] = [
            ("to the group", toGroup), ("to a friend, in return for another", toFriend), ("by number", byNumber),
            ("accepted", accepted), ("declined", declined),
        ]
        let tailed: [any RecordValue] = [toFriend, accepted]
        return VectorFile(
            name: "challenges",
            content: [
                "spec": "records.md §3.9, §3.10",
                "valid": .list(valid.map { describe($0.0, $0.1, tail: []) }),
                "accepted": .list(tailed.map { describe("kind \(type(of: $0).kind), a tail", $0, tail: [1]) }),
                "invalid": .list(invalidChallenges(toFriend, accepted)),
                "sets": .list(try challengeSets()),
            ])
    }

    private static func describe(_ name: String, _ value: any RecordValue, tail: [UInt8]) -> JSON {
        [
            "name": .text(name), "kind": .number(Int(type(of: value).kind)), "subject": .hex(value.recordSubject),
            "value": .hex(value.recordValue + tail), "fields": challengeFields(of: value),
        ]
    }

    private static func challengeFields(of value: any RecordValue) -> JSON {
        switch value {
        case let challenge as Challenge:
            [
                "id": .text(String(challenge.id.rawValue)), "lastDay": .text(challenge.lastDay.description),
                "result": .hex(DailyScore.recordSubject(of: challenge.result)),
                "friend": .text(challenge.friend?.description ?? ""),
                "first": .hex(challenge.first?.bytes ?? []),
            ]
        case let answer as ChallengeAnswer:
            ["challenge": .hex(answer.challenge.bytes), "accepts": .bool(answer.accepts)]
        default: .null
        }
    }

    private static func invalidChallenges(_ challenge: Challenge, _ answer: ChallengeAnswer) -> [JSON] {
        func entry(_ name: String, _ value: any RecordValue, _ subject: [UInt8], _ bytes: [UInt8], _ reason: String)
            -> JSON
        {
            [
                "name": .text(name), "kind": .number(Int(type(of: value).kind)), "subject": .hex(subject),
                "value": .hex(bytes), "reason": .text(reason),
            ]
        }
        let (id, value) = (challenge.recordSubject, challenge.recordValue)
        let result = DailyScore.recordSubject(of: challenge.result)
        let day = varint(UInt64(challengeDay.yyyymmdd))
        return [
            entry("without an ID", challenge, [], value, "truncated"),
            entry("an ID of nine bytes", challenge, id + [0], value, "trailing-bytes"),
            entry("withdrawn", challenge, id, [], "truncated"),
            entry("30 February", challenge, id, [0] + varint(20_260_230), "invalid-value: day"),
            entry("a last day above 2⁴⁰", challenge, id, [0] + varint(1 << 41), "limit-exceeded"),
            entry("a result of 48 bytes", challenge, id, [0] + day + [48], "limit-exceeded"),
            entry(
                "a result of axis 2", challenge, id, [0] + day + [UInt8(result.count), 2] + result.dropFirst(),
                "invalid-value: axis"),
            entry("no friend", challenge, id, [1] + day + [UInt8(result.count)] + result, "truncated"),
            entry("half a first one", challenge, id, Array(value.dropLast()), "truncated"),
            entry("an answer to nothing", answer, [], [1], "truncated"),
            entry("an answer to a challenge and a byte", answer, answer.recordSubject + [0], [1], "trailing-bytes"),
            entry("no answer", answer, answer.recordSubject, [], "truncated"),
            entry("answer 0", answer, answer.recordSubject, [0], "invalid-value: answer"),
            entry("answer 3", answer, answer.recordSubject, [3], "invalid-value: answer"),
        ]
    }

    // MARK: Sets

    private struct Word {
        let user: Person
        let kind: UInt8
        let subject: [UInt8]
        let value: [UInt8]
        let time: HybridTime

        init(_ user: Person, _ offset: Int64, _ content: RecordContent) {
            (self.user, kind, subject, value) = (user, content.kind, content.subject, content.value)
            time = HybridTime(milliseconds: (challengeTime + offset) * 1_000, counter: 0)
        }

        init(_ user: Person, _ offset: Int64, score: Int?) {
            self.user = user
            time = HybridTime(milliseconds: (challengeTime + offset) * 1_000, counter: 0)
            let score = DailyScore(
                game: GameID(literal: "wordle"), day: challengeDay, score: score, maxAttempts: 6,
                isCompleted: score != nil, firstRecordedAt: challengeTime + offset)
            (kind, subject, value) = (
                RecordKind.dailyScore.rawValue, score.recordSubject, score.recordValue(at: time)
            )
        }

        var json: JSON {
            [
                "user": .text(user.user.description), "time": .text(String(time.rawValue)),
                "kind": .number(Int(kind)), "subject": .hex(subject), "value": .hex(value),
            ]
        }
    }

    /// What is recorded, who is a member, and the last day that is over.
    private typealias Story = (name: String, members: [Person], lastFinal: PuzzleDay, words: [Word])

    private static func challengeStories() throws -> [Story] {
        let (ada, ben, eve) = (try Person("ada"), try Person("ben"), try Person("eve"))
        let all = [ada, ben, eve]
        let hour: Int64 = 3_600
        let name = ChallengeName(challenger: ada.user, id: challengeID())
        func made(to friend: Person?, until day: PuzzleDay = challengeDay, _ id: WritingID = challengeID()) -> Word {
            Word(ada, 0, RecordContent(Challenge(id, toBeat: target, until: day, to: friend?.user)))
        }
        func answer(_ user: Person, _ offset: Int64, _ accepts: Bool) -> Word {
            Word(user, offset, RecordContent(ChallengeAnswer(to: name, accepts: accepts)))
        }
        let played = Word(ada, -hour, score: 3)
        let (before, after) = (challengeDay.adding(days: -1), challengeDay)
        let flood = (0..<10).map { made(to: ben, challengeID($0)) }
        return [
            ("open", all, before, [played, made(to: ben)]),
            ("the better wins", all, before, [played, made(to: ben), Word(ben, hour, score: 2)]),
            ("the worse loses", all, before, [played, made(to: ben), Word(ben, hour, score: 4)]),
            ("a loss loses", all, before, [played, made(to: ben), Word(ben, hour, score: nil)]),
            ("equal ones draw", all, before, [played, made(to: ben), Word(ben, hour, score: 3)]),
            ("without a result it expires", all, after, [played, made(to: ben)]),
            ("too late by a second", all, after, [played, made(to: ben), Word(ben, 26 * hour, score: 2)]),
            ("in time by a second", all, after, [played, made(to: ben), Word(ben, 26 * hour - 1, score: 2)]),
            ("played before", all, before, [played, made(to: ben), Word(ben, -601, score: 2)]),
            ("clocks differ", all, before, [played, made(to: ben), Word(ben, -600, score: 2)]),
            (
                "declined before playing", all, before,
                [played, made(to: ben), Word(ben, hour, score: 2), answer(ben, hour + 600, false)]
            ),
            (
                "declined after playing", all, before,
                [played, made(to: ben), Word(ben, hour, score: 2), answer(ben, hour + 601, false)]
            ),
            (
                "to the group: who accepts takes part", all, before,
                [
                    played, made(to: nil), Word(ben, hour, score: 2), answer(ben, 60, true),
                    Word(eve, hour, score: 2),
                ]
            ),
            ("the challenger takes no part", all, before, [played, made(to: nil), answer(ada, 60, true)]),
            ("to somebody else", all, before, [played, made(to: ben), answer(eve, 60, true)]),
            ("the target is gone", all, before, [made(to: ben), Word(ben, hour, score: 2)]),
            ("the friend is gone", [ada, eve], before, [played, made(to: ben)]),
            ("a week later", all, before, [played, made(to: ben, until: challengeDay.adding(days: 8))]),
            ("more than a week later", all, before, [played, made(to: ben, until: challengeDay.adding(days: 9))]),
            ("over when it was made", all, before, [played, made(to: ben, until: challengeDay.adding(days: -2))]),
            ("eight of one last day", all, before, [played] + flood),
        ]
    }

    private static func challengeSets() throws -> [JSON] {
        try challengeStories().map { name, members, lastFinal, words in
            let members = Set(members.map(\.user))
            var (challenges, index) = (GroupChallenges(), ScoreIndex())
            for word in words {
                let key = RecordKey(user: word.user.user, kind: word.kind, subject: word.subject)
                challenges.apply(MergedRecord(key: key, value: word.value, time: word.time))
                guard word.kind == RecordKind.dailyScore.rawValue else { continue }
                let score = try DailyScore(subject: word.subject, value: word.value, time: word.time)
                index.replace(score, of: PlayerID(word.user.user.bytes.array))
            }
            let game = Catalogue.standard[target.game] ?? Scoring.unknownGame(target.game)
            let found = challenges.standing().compactMap { standing -> JSON? in
                challenges.duels(
                    of: standing, isPlayer: members.contains, index: index, lastFinalDay: lastFinal, game: game
                ).map { _, duels in
                    [
                        "challenge": .hex(standing.name.bytes),
                        "duels": .list(
                            duels.map {
                                ["user": .text($0.user.description), "outcome": .text($0.outcome.rawValue)]
                            }),
                    ]
                }
            }
            return [
                "name": .text(name), "members": .list(members.sorted().map { .text($0.description) }),
                "lastFinalDay": .text(lastFinal.description), "records": .list(words.map(\.json)),
                "challenges": .list(found),
            ]
        }
    }
}
