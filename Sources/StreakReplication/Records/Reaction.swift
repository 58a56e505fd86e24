public import StreakWire

/// What a user thinks of a result, as one emoji: a record of kind `reaction` (Protocol/records.md §3.6).
///
/// Subject: owner 32 · subject of the result, a blob ≤ 47. Value: emoji, text ≤ 48 · tail, ignored. So each user has one
/// reaction to a result, and the last word counts.
public struct Reaction: RecordValue {
    public static let kind = RecordKind.reaction.rawValue

    public let result: ResultName
    public let emoji: Emoji

    public init(to result: ResultName, _ emoji: Emoji) {
        self.result = result
        self.emoji = emoji
    }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        result = try Self.result(ofSubject: subject)
        var reader = WireReader(value)
        guard let emoji = Emoji(try reader.readText(maximum: Emoji.maximumSize)) else {
            throw .invalidValue(field: "emoji")
        }
        self.emoji = emoji
    }

    public var recordSubject: [UInt8] { Self.recordSubject(of: result) }

    public var recordValue: [UInt8] {
        var writer = WireWriter(reserving: 16)
        writer.writeText(emoji.text)
        return writer.bytes
    }

    /// The subject under which a user reacts to a result, and takes the reaction back.
    public static func recordSubject(of result: ResultName) -> [UInt8] {
        var writer = WireWriter(reserving: 80)
        result.encode(into: &writer)
        return writer.bytes
    }

    /// The result that a subject names.
    static func result(ofSubject subject: [UInt8]) throws(WireError) -> ResultName {
        var reader = WireReader(subject)
        let result = try ResultName(from: &reader)
        guard reader.remainingCount == 0 else { throw .trailingBytes(count: reader.remainingCount) }
        return result
    }
}
