public import StreakWire

/// What a user writes to the friend in the group of the two: a record of kind `message` (Protocol/records.md §3.12).
///
/// Subject: ID u64. Value: flags u8 (1 edited; others ignored) · text ≤ 1,200 · tail, ignored. An edit is the same message
/// written again; a withdrawal deletes it.
public struct FriendMessage: RecordValue {
    public static let kind = RecordKind.message.rawValue

    public let id: WritingID
    /// As its author wrote it; show `shownText`.
    public let text: String
    public let isEdited: Bool

    private static let editedFlag: UInt8 = 1

    public init(_ id: WritingID, text: String, isEdited: Bool = false) {
        self.id = id
        self.text = text
        self.isEdited = isEdited
    }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        id = try WritingID(subject: subject)
        var reader = WireReader(value)
        isEdited = try reader.readUInt8() & Self.editedFlag != 0
        text = try reader.readText(maximum: ResultComment.maximumSize)
        guard !text.isEmpty else { throw .invalidValue(field: "text") }
    }

    public var recordSubject: [UInt8] { Self.recordSubject(of: id) }

    public var recordValue: [UInt8] {
        var writer = WireWriter(reserving: 8 + text.utf8.count)
        writer.write(isEdited ? Self.editedFlag : 0)
        writer.writeText(text)
        return writer.bytes
    }

    /// The subject under which a message is written, edited and deleted.
    public static func recordSubject(of id: WritingID) -> [UInt8] { id.bytes }

    /// The text as it may be shown, like a comment's.
    public var shownText: String { ResultComment.shown(text) }
}
