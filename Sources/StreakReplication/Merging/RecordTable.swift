public import StreakWire

/// What stands in a group of kinds that are read when somebody asks: a function of what was merged last.
///
/// No kind has code here. What cannot be read, or was withdrawn, is nil, whatever stood before (Protocol/records.md §8).
public struct RecordTable: Sendable {
    private var values: [RecordKey: [UInt8]] = [:]

    public init() {}

    /// Takes the new value of a key.
    public mutating func apply(_ record: MergedRecord) {
        values[record.key] = record.value.isEmpty ? nil : record.value
    }

    /// What a user says about a subject; nil where nothing stands that can be read.
    public func value<Value: RecordValue>(_: Value.Type, subject: [UInt8], of user: UserID) -> Value? {
        let bytes = values[RecordKey(user: user, kind: Value.kind, subject: subject)]
        return bytes.flatMap { try? Value(subject: subject, value: $0) }  // of another version
    }
}
