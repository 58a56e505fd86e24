import StreakGames
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

/// The challenges of a group (Protocol/records.md §3.9, §3.10).
@Suite struct GroupChallengesTests {
    private static let (ada, ben, eve) = (user(1), user(2), user(3))
    private static let day = PuzzleDay(daysSinceEpoch: 20_778)
    /// 10:00 UTC on that day.
    private static let start: Int64 = 20_778 * 86_400 + 36_000

    private static func user(_ number: UInt64) -> UserID { UserID(bytes: Bytes32(0, 0, 0, number)) }

    private static func id(_ offset: Int64) -> WritingID {
        WritingID(milliseconds: (start + offset) * 1_000, chance: 1)
    }

    private static func key() throws -> ScoreKey {
        ScoreKey(game: try #require(GameID("wordle")), axis: .day(day))
    }

    private static func record(_ content: RecordContent, by user: UserID, at offset: Int64) -> MergedRecord {
        MergedRecord(
            key: RecordKey(user: user, kind: content.kind, subject: content.subject), value: content.value,
            time: HybridTime(milliseconds: (start + offset) * 1_000, counter: 0))
    }

    private static func result(_ score: Int, at offset: Int64) throws -> DailyScore {
        DailyScore(
            game: try key().game, day: day, score: score, maxAttempts: 6, firstRecordedAt: start + offset)
    }

    /// What is said of all challenges: outcomes by user.
    private static func outcomes(
        _ challenges: GroupChallenges, _ index: ScoreIndex, members: Set<UserID> = [ada, ben, eve]
    ) throws -> [[UserID: ChallengeOutcome]?] {
        let game = try #require(Catalogue.standard[key().game])
        return challenges.standing().map { standing in
            challenges.duels(
                of: standing, isPlayer: members.contains, index: index, lastFinalDay: day.adding(days: -1), game: game
            ).map { Dictionary($0.duels.map { ($0.user, $0.outcome) }) { first, _ in first } }
        }
    }

    @Test func `a challenge lives with its target and its people`() throws {
        var (challenges, index) = (GroupChallenges(), ScoreIndex())
        let made = Challenge(Self.id(0), toBeat: try Self.key(), until: Self.day, to: Self.ben)
        challenges.apply(Self.record(RecordContent(made), by: Self.ada, at: 0))
        #expect(try Self.outcomes(challenges, index) == [nil])
        let player = PlayerID(Self.ada.bytes.array)
        index.replace(try Self.result(3, at: -60), of: player)
        #expect(try Self.outcomes(challenges, index) == [[Self.ben: .open]])
        // It survives an edit, and follows it.
        index.replace(try Self.result(2, at: 3_600), of: PlayerID(Self.ben.bytes.array))
        #expect(try Self.outcomes(challenges, index) == [[Self.ben: .won]])
        index.replace(try Self.result(1, at: -60), of: player)
        #expect(try Self.outcomes(challenges, index) == [[Self.ben: .lost]])
        #expect(try Self.outcomes(challenges, index, members: [Self.ada, Self.eve]) == [nil])
        #expect(try Self.outcomes(challenges, index, members: [Self.ben, Self.eve]) == [nil])
        index.remove(try Self.key(), of: player)
        #expect(try Self.outcomes(challenges, index) == [nil])
        let withdrawal = RecordContent(withdrawing: made.recordSubject, of: Challenge.self)
        challenges.apply(Self.record(withdrawal, by: Self.ada, at: 10))
        #expect(challenges.standing().isEmpty)
    }

    @Test func `of one user's challenges with one last day the eight newest count`() throws {
        var challenges = GroupChallenges()
        for number in 0..<11 {
            for (user, days) in [(Self.ada, 0), (Self.ada, 1), (Self.ben, 0)] {
                let made = Challenge(
                    Self.id(Int64(number * 3 + days)), toBeat: try Self.key(), until: Self.day.adding(days: days))
                challenges.apply(Self.record(RecordContent(made), by: user, at: Int64(number * 3 + days)))
            }
        }
        #expect(challenges.standing().count == 24)
        #expect(challenges.standing().map(\.name.id).min() == Self.id(9))
        #expect(challenges.standing(endingFrom: Self.day.adding(days: 1)).count == 8)
    }

    @Test func `of all of one user's challenges the thousand with the latest last days count`() throws {
        var challenges = GroupChallenges()
        // Nine for each of 130 days.
        for days in 0..<130 {
            for number in 0..<9 {
                let offset = -86_400 * Int64(days) + Int64(number)
                let made = Challenge(
                    Self.id(offset), toBeat: try Self.key(), until: Self.day.adding(days: -days))
                challenges.apply(Self.record(RecordContent(made), by: Self.ada, at: 0))
            }
        }
        let ids = challenges.standing().map(\.name.id)
        #expect(ids.count == GroupChallenges.maximumOfOne && GroupChallenges.maximumOfOne == 1_000)
        #expect(ids.min() == Self.id(-86_400 * 124 + 1))
        #expect(challenges.standing(endingFrom: Self.day.adding(days: -1)).count == 16)
    }

    @Test func `nobody makes a challenge earlier than its record, or later than its ID`() throws {
        var challenges = GroupChallenges()
        let early = Challenge(Self.id(-9_000), toBeat: try Self.key(), until: Self.day)
        let late = Challenge(Self.id(9_000), toBeat: try Self.key(), until: Self.day)
        for made in [early, late] { challenges.apply(Self.record(RecordContent(made), by: Self.ada, at: 0)) }
        #expect(challenges.standing().map { $0.madeAt / 1_000 - Self.start } == [-9_000, 0])
    }

    /// Random histories of a few keys, in any order of arrival, with all values that a key had before its last.
    @Test(arguments: 0..<30) func `what stands depends only on the last values, not on their arrival`(seed: Int) throws
    {
        var chance = SplitMix64(seed: UInt64(seed))
        var histories: [RecordKey: [MergedRecord]] = [:]
        for step in 0..<60 {
            let user = [Self.ada, Self.ben, Self.eve].randomElement(using: &chance) ?? Self.ada
            let id = Self.id(.random(in: 0...3, using: &chance))
            let name = ChallengeName(
                challenger: [Self.ada, Self.ben].randomElement(using: &chance) ?? Self.ada, id: id)
            let content: RecordContent =
                switch Int.random(in: 0...4, using: &chance) {
                case 0: RecordContent(withdrawing: id.subject, of: Challenge.self)
                case 1: RecordContent(withdrawing: name.bytes, of: ChallengeAnswer.self)
                case 2: RecordContent(ChallengeAnswer(to: name, accepts: .random(using: &chance)))
                default:
                    RecordContent(
                        Challenge(
                            id, toBeat: try Self.key(),
                            until: Self.day.adding(days: .random(in: -2...9, using: &chance)),
                            to: Bool.random(using: &chance) ? Self.eve : nil))
                }
            let record = Self.record(content, by: user, at: Int64(step))
            histories[record.key, default: []].append(record)
        }
        var index = ScoreIndex()
        for (number, user) in [Self.ada, Self.ben, Self.eve].enumerated() {
            index.replace(try Self.result(number + 2, at: number == 2 ? 60 : -60), of: PlayerID(user.bytes.array))
        }
        var expected = GroupChallenges()
        for key in histories.keys.sorted(by: { $0.subject.lexicographicallyPrecedes($1.subject) }) {
            if let last = histories[key]?.last { expected.apply(last) }
        }
        for _ in 0..<5 {
            var (queues, challenges) = (histories, GroupChallenges())
            while let key = queues.keys.shuffled(using: &chance).first {
                // Any of the values may come, as long as the last one comes last.
                let values = queues[key] ?? []
                let next = Int.random(in: 0..<values.count, using: &chance)
                challenges.apply(values[next])
                queues[key] = next + 1 < values.count ? Array(values[(next + 1)...]) : nil
            }
            #expect(challenges.standing() == expected.standing())
            #expect(try Self.outcomes(challenges, index) == Self.outcomes(expected, index))
        }
    }
}

extension WritingID {
    fileprivate var subject: [UInt8] { Challenge.recordSubject(of: self) }
}
