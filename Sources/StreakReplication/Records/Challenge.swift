public import StreakGames
public import StreakScores
public import StreakWire

/// A challenge and its challenger, which name it in a group.
public struct ChallengeName: Hashable, Comparable, Sendable {
    public let challenger: UserID
    public let id: WritingID

    public init(challenger: UserID, id: WritingID) {
        self.challenger = challenger
        self.id = id
    }

    public static func < (left: ChallengeName, right: ChallengeName) -> Bool {
        (left.id, left.challenger) < (right.id, right.challenger)
    }

    func encode(into writer: inout WireWriter) {
        writer.write(challenger)
        writer.write(id.rawValue)
    }

    init(from reader: inout WireReader) throws(WireError) {
        challenger = try reader.readIdentifier()
        id = WritingID(rawValue: try reader.readUInt64())
    }

    /// Reads a subject that names a challenge and nothing else.
    init(subject: [UInt8]) throws(WireError) {
        var reader = WireReader(subject)
        try self.init(from: &reader)
        guard reader.remainingCount == 0 else { throw .trailingBytes(count: reader.remainingCount) }
    }

    /// As the subject of a record.
    public var bytes: [UInt8] {
        var writer = WireWriter(reserving: 40)
        encode(into: &writer)
        return writer.bytes
    }
}

/// That others shall beat a result of its user by a day: a record of kind `challenge` (Protocol/records.md §3.9).
///
/// Subject: ID u64. Value: fields u8 (1 friend, 2 first; others ignored) · last day, varint `yyyyMMdd` · subject of
/// the result, a blob ≤ 47 · friend 32, if 1 · challenger 32 and ID u64 of the first challenge, if 2 · tail, ignored.
public struct Challenge: RecordValue {
    public static let kind = RecordKind.challenge.rawValue

    public let id: WritingID
    /// The key of its user's result, which is the target, and of the results that are compared with it.
    public let result: ScoreKey
    public let lastDay: PuzzleDay
    /// Nil if it is to the whole group.
    public let friend: UserID?
    /// The challenge that this one gives back.
    public let first: ChallengeName?

    private static let friendField: UInt8 = 1
    private static let firstField: UInt8 = 2

    public init(
        _ id: WritingID, toBeat result: ScoreKey, until lastDay: PuzzleDay, to friend: UserID? = nil,
        givingBack first: ChallengeName? = nil
    ) {
        self.id = id
        self.result = result
        self.lastDay = lastDay
        self.friend = friend
        self.first = first
    }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        id = try WritingID(subject: subject)
        var reader = WireReader(value)
        let fields = try reader.readUInt8()
        guard let day = PuzzleDay(yyyymmdd: Int(try reader.readVarint(maximum: DailyScore.maximumNumber))) else {
            throw .invalidValue(field: "day")
        }
        lastDay = day
        result = try DailyScore.scoreKey(
            fromSubject: try reader.readBlob(maximum: ResultName.maximumSubjectSize))
        friend = fields & Self.friendField == 0 ? nil : try reader.readIdentifier()
        first = fields & Self.firstField == 0 ? nil : try ChallengeName(from: &reader)
    }

    public var recordSubject: [UInt8] { id.bytes }

    public var recordValue: [UInt8] {
        var writer = WireWriter(reserving: 128)
        writer.write((friend == nil ? 0 : Self.friendField) | (first == nil ? 0 : Self.firstField))
        writer.writeVarint(UInt64(clamping: lastDay.yyyymmdd))
        writer.writeBlob(DailyScore.recordSubject(of: result))
        if let friend { writer.write(friend) }
        if let first { first.encode(into: &writer) }
        return writer.bytes
    }

    /// The subject under which a challenge is made and withdrawn.
    public static func recordSubject(of id: WritingID) -> [UInt8] { id.bytes }
}

/// Whether its user takes a challenge up: a record of kind `challengeAnswer` (Protocol/records.md §3.10).
///
/// Subject: challenger 32 · ID u64. Value: u8 1 accepted, 2 declined · tail, ignored. A withdrawal leaves it open.
public struct ChallengeAnswer: RecordValue {
    public static let kind = RecordKind.challengeAnswer.rawValue

    public let challenge: ChallengeName
    public let accepts: Bool

    public init(to challenge: ChallengeName, accepts: Bool) {
        self.challenge = challenge
        self.accepts = accepts
    }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        challenge = try ChallengeName(subject: subject)
        var reader = WireReader(value)
        switch try reader.readUInt8() {
        case 1: accepts = true
        case 2: accepts = false
        default: throw .invalidValue(field: "answer")
        }
    }

    public var recordSubject: [UInt8] { challenge.bytes }

    public var recordValue: [UInt8] { [accepts ? 1 : 2] }
}
