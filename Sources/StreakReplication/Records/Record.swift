import StreakGames
import StreakScores
public import StreakWire

/// The kinds of records.
public enum RecordKind: UInt8, Sendable, CaseIterable {
    case dailyScore = 1
    case profile = 2
    case address = 3
    case gameDefinition = 4
    case reaction = 5
    case comment = 6
    case challenge = 7
    case challengeAnswer = 8
    /// What a group plays for in a week; counts while its user is owner or admin.
    case event = 9
    /// A user's setting, shared with the user's other devices. Only in a private group.
    case setting = 10
    /// Makes records of an own feed void, because a wrong clock dated them.
    case retraction = 11
    /// Hides somebody's comment; counts while its user is owner or admin.
    case hiding = 12
    /// What a user writes to a friend; shown in the group of the two.
    case message = 13
}

/// A statement of a user in a group: the value of a subject at a time. An empty value withdraws the subject.
///
/// Layout (Protocol/records.md §2): kind u8 · time u64 · subject blob ≤ 96 · value blob ≤ 1,300 · tail.
public struct Record: Hashable, Sendable {
    /// One of `RecordKind`, or a kind of a later version, which is carried and merged unread.
    public let kind: UInt8
    public let time: HybridTime
    /// What the record is about, within its user and kind.
    public let subject: [UInt8]
    /// The content, defined by the kind; empty if the subject is withdrawn.
    public let value: [UInt8]
    /// Bytes of a later version, carried unread.
    public let tail: [UInt8]

    public static let maximumSubjectSize = 96
    public static let maximumValueSize = 1_300

    public init(kind: RecordKind, time: HybridTime, subject: [UInt8], value: [UInt8]) {
        self.init(kind: kind.rawValue, time: time, subject: subject, value: value, tail: [])
    }

    /// The record that says `content` at `time`.
    public init(_ content: RecordContent, time: HybridTime) {
        self.init(kind: content.kind, time: time, subject: content.subject, value: content.value, tail: [])
    }

    /// Reads exactly one record.
    public init(decoding bytes: [UInt8]) throws(WireError) { self.init(try RecordView(decoding: bytes[...])) }

    /// Copies a record from the buffer it was read in.
    init(_ view: RecordView) {
        kind = view.kind
        time = view.time
        subject = Array(view.subject)
        value = Array(view.value)
        tail = Array(view.tail)
    }

    /// The canonical bytes, which the feed's chain hashes.
    public var encoded: [UInt8] {
        var writer = WireWriter(reserving: 16 + subject.count + value.count + tail.count)
        writer.write(kind)
        writer.write(time.rawValue)
        writer.writeBlob(subject)
        writer.writeBlob(value)
        writer.writeRaw(tail)
        return writer.bytes
    }

    /// The same statement with another time. If a result was first recorded after `since` (Unix seconds), that becomes
    /// its recording time, because the clock was ahead.
    public func written(again time: HybridTime, since: Int64) -> Record {
        var value = value
        // A value that is not a result of this version is copied unchanged.
        if kind == RecordKind.dailyScore.rawValue, tail.isEmpty,
            var score = try? DailyScore(subject: subject, value: value, time: self.time)
        {
            score.firstRecordedAt = min(score.firstRecordedAt, since)
            value = score.recordValue(at: time)
        }
        return Record(kind: kind, time: time, subject: subject, value: value, tail: tail)
    }

    private init(kind: UInt8, time: HybridTime, subject: [UInt8], value: [UInt8], tail: [UInt8]) {
        self.kind = kind
        self.time = time
        self.subject = subject
        self.value = value
        self.tail = tail
    }
}

/// A record read in place. Its parts share the buffer.
struct RecordView {
    let kind: UInt8
    let time: HybridTime
    /// The record's bytes, as its author chained them.
    let bytes: ArraySlice<UInt8>
    private let subjectStart: Int
    private let subjectEnd: Int
    private let valueStart: Int
    private let valueEnd: Int

    /// Reads exactly one record.
    init(decoding bytes: ArraySlice<UInt8>) throws(WireError) {
        guard bytes.count <= ProtocolLimits.maximumRecordSize else {
            throw .limitExceeded(limit: ProtocolLimits.maximumRecordSize, actual: UInt64(bytes.count))
        }
        var reader = WireReader(bytes)
        kind = try reader.readUInt8()
        time = HybridTime(rawValue: try reader.readUInt64())
        // Offsets instead of the parts, which would each retain the buffer, for a million records.
        let subjectSize = try reader.readBlobSlice(maximum: Record.maximumSubjectSize).count
        subjectEnd = bytes.startIndex + reader.consumedCount
        subjectStart = subjectEnd - subjectSize
        let valueSize = try reader.readBlobSlice(maximum: Record.maximumValueSize).count
        valueEnd = bytes.startIndex + reader.consumedCount
        valueStart = valueEnd - valueSize
        _ = try reader.readTailSlice(maximum: ProtocolLimits.maximumTailSize)
        self.bytes = bytes
    }

    var subject: ArraySlice<UInt8> { bytes[subjectStart..<subjectEnd] }
    var value: ArraySlice<UInt8> { bytes[valueStart..<valueEnd] }
    var tail: ArraySlice<UInt8> { bytes[valueEnd...] }
    var hasTail: Bool { valueEnd < bytes.endIndex }
}
