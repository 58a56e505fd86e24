import StreakGames
import StreakReplication
import StreakScores
import StreakWire
import Testing

/// What holds of the values of every kind, whatever it is.
@Suite struct RecordValueTests {
    /// Values of each kind. A kind that a program reads has at least one.
    private static func samples(of kind: RecordKind) throws -> [any RecordValue] {
        switch kind {
        case .profile:
            [Profile(name: "Ada"), Profile(name: "Ben", isAnonymous: true, isHidden: true, region: "FR")]
        case .gameDefinition:
            [
                try GameDefinition(
                    id: GameID(literal: "custom-tries"), name: "Zahlenrätsel", icon: "🔢", model: .lowerAttempts,
                    maximum: 6, best: 1, unit: "tries", cadence: .weekly, aggregation: .latest)
            ]
        case .setting: [Setting(name: "favourite/wordle", value: [1])]
        case .retraction:
            [
                Retraction(
                    feed: FeedID(device: DeviceID(bytes: Bytes32(1, 2, 3, 4)), epoch: Epoch(counter: 1, nonce: 9)),
                    numbers: 3...9_000)
            ]
        case .reaction:
            [
                Reaction(to: try result("wordle", .day(PuzzleDay(daysSinceEpoch: 20_778))), try #require(Emoji("❤️‍🔥"))),
                Reaction(to: try result("custom-tries", .puzzle(935)), try #require(Emoji("🏴󠁧󠁢󠁷󠁬󠁳󠁿"))),
            ]
        case .comment:
            [
                ResultComment(WritingID(rawValue: 7), on: try result("wordle", .puzzle(1_981)), text: "Zäh!"),
                ResultComment(
                    WritingID(milliseconds: 1_795_262_400_000, chance: 3),
                    on: try result("wordle", .day(PuzzleDay(daysSinceEpoch: 20_778))), text: "so", isEdited: true),
            ]
        case .hiding:
            [Hiding(of: CommentName(author: UserID(bytes: Bytes32(1, 2, 3, 4)), id: WritingID(rawValue: 7)))]
        case .message:
            [
                FriendMessage(WritingID(rawValue: 7), text: "Nochmal?"),
                FriendMessage(WritingID(milliseconds: 1_795_262_400_000, chance: 3), text: "so", isEdited: true),
            ]
        case .challenge:
            [
                Challenge(
                    WritingID(rawValue: 7), toBeat: try result("wordle", .puzzle(1_981)).key,
                    until: PuzzleDay(daysSinceEpoch: 20_778)),
                Challenge(
                    WritingID(milliseconds: 1_795_262_400_000, chance: 3),
                    toBeat: try result("wordle", .day(PuzzleDay(daysSinceEpoch: 20_778))).key,
                    until: PuzzleDay(daysSinceEpoch: 20_779), to: UserID(bytes: Bytes32(4, 3, 2, 1)),
                    givingBack: ChallengeName(
                        challenger: UserID(bytes: Bytes32(4, 3, 2, 1)), id: WritingID(rawValue: 9))),
            ]
        case .challengeAnswer:
            [true, false].map { accepts in
                ChallengeAnswer(
                    to: ChallengeName(challenger: UserID(bytes: Bytes32(1, 2, 3, 4)), id: WritingID(rawValue: 7)),
                    accepts: accepts)
            }
        case .event:
            [
                EventChoice(
                    weekOf: PuzzleDay(daysSinceEpoch: 20_778),
                    try #require(EventPlan(.double, game: GameID(literal: "wordle")))),
                EventChoice(weekOf: PuzzleDay(daysSinceEpoch: 20_820), try #require(EventPlan(.newGames))),
            ]
        case .dailyScore, .address: []
        }
    }

    private static func result(_ game: String, _ axis: ScoreKey.Axis) throws -> ResultName {
        ResultName(
            owner: UserID(bytes: Bytes32(9, 8, 7, 6)), key: ScoreKey(game: try #require(GameID(game)), axis: axis))
    }

    @Test(arguments: RecordKind.allCases)
    func `a value comes back from its bytes, and hostile bytes are refused or read the same again`(
        kind: RecordKind
    ) throws {
        let samples = try Self.samples(of: kind)
        for sample in samples { try check(sample, kind) }
    }

    private func check<Value: RecordValue>(_ sample: Value, _ kind: RecordKind) throws {
        let (subject, value) = (sample.recordSubject, sample.recordValue)
        #expect(Value.kind == kind.rawValue)
        #expect(try Value(subject: subject, value: value) == sample)
        #expect(subject.count <= Record.maximumSubjectSize)
        #expect(1...Record.maximumValueSize ~= value.count)
        for altered in Self.altered(value) { try readAgain(Value.self, subject, altered) }
        for altered in Self.altered(subject) { try readAgain(Value.self, altered, value) }
    }

    private func readAgain<Value: RecordValue>(_: Value.Type, _ subject: [UInt8], _ value: [UInt8]) throws {
        guard let read = try? Value(subject: subject, value: value) else { return }  // refused, as it may be
        #expect(read.recordSubject == subject)
        #expect(try Value(subject: subject, value: read.recordValue) == read)
    }

    /// Every bit turned over, every length, and a byte more.
    private static func altered(_ bytes: [UInt8]) -> [[UInt8]] {
        let flips = bytes.indices.flatMap { index in
            (0..<8).map { bit in
                var copy = bytes
                copy[index] ^= 1 << UInt8(bit)
                return copy
            }
        }
        return flips + bytes.indices.map { Array(bytes.prefix($0)) } + [bytes + [0]]
    }
}
