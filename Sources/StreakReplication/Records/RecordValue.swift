public import StreakWire

/// A kind of record as one type: what its records are about, what they say, and their bytes.
///
/// Writing, merging, storing, sending and showing need nothing else of a kind. Results have a path of their own: their
/// value depends on the record's time, and there are a thousand of them for each other record.
public protocol RecordValue: Hashable, Sendable {
    /// A number of `RecordKind`.
    static var kind: UInt8 { get }
    /// At most `Record.maximumSubjectSize` bytes.
    var recordSubject: [UInt8] { get }
    /// At most `Record.maximumValueSize` bytes, and not empty: an empty value withdraws the subject.
    var recordValue: [UInt8] { get }
    /// Reads a merged record. Throws where the bytes say nothing in this version; such a record is carried and shows as
    /// nothing (Protocol/records.md §8).
    init(subject: [UInt8], value: [UInt8]) throws(WireError)
}

/// What a record of any kind but results says, without a time.
public struct RecordContent: Hashable, Sendable {
    public let kind: UInt8
    public let subject: [UInt8]
    /// Empty where the subject is withdrawn.
    public let value: [UInt8]

    public init(_ value: some RecordValue) {
        self.init(kind: type(of: value).kind, subject: value.recordSubject, value: value.recordValue)
    }

    /// What withdraws a subject of a kind.
    public init<Value: RecordValue>(withdrawing subject: [UInt8], of kind: Value.Type) {
        self.init(kind: Value.kind, subject: subject, value: [])
    }

    /// What is longer than a record may hold is cut off.
    private init(kind: UInt8, subject: [UInt8], value: [UInt8]) {
        self.kind = kind
        self.subject = Array(subject.prefix(Record.maximumSubjectSize))
        self.value = Array(value.prefix(Record.maximumValueSize))
    }
}
