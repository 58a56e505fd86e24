public import StreakWire

/// What a user says about a result: a record of kind `comment` (Protocol/records.md §3.7).
///
/// Subject: ID u64. Value: flags u8 (1 edited; others ignored) · owner 32 · subject of the result, a blob ≤ 47 · text
/// ≤ 1,200 · tail, ignored. An edit is the same comment written again; a withdrawal deletes it.
public struct ResultComment: RecordValue {
    public static let kind = RecordKind.comment.rawValue

    public let id: WritingID
    public let result: ResultName
    /// As its author wrote it; show `shownText`.
    public let text: String
    public let isEdited: Bool

    /// In grapheme clusters.
    public static let maximumLength = 500
    /// In bytes of UTF-8.
    public static let maximumSize = 1_200

    private static let editedFlag: UInt8 = 1

    public init(_ id: WritingID, on result: ResultName, text: String, isEdited: Bool = false) {
        self.id = id
        self.result = result
        self.text = text
        self.isEdited = isEdited
    }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        id = try WritingID(subject: subject)
        var reader = WireReader(value)
        isEdited = try reader.readUInt8() & Self.editedFlag != 0
        result = try ResultName(from: &reader)
        text = try reader.readText(maximum: Self.maximumSize)
        guard !text.isEmpty else { throw .invalidValue(field: "text") }
    }

    public var recordSubject: [UInt8] { id.bytes }

    public var recordValue: [UInt8] {
        var writer = WireWriter(reserving: 96 + text.utf8.count)
        writer.write(isEdited ? Self.editedFlag : 0)
        result.encode(into: &writer)
        writer.writeText(text)
        return writer.bytes
    }

    /// The subject under which a comment is written, edited and deleted.
    public static func recordSubject(of id: WritingID) -> [UInt8] { id.bytes }

    /// A typed text as it is written: on one line. Nil if nothing is left of it, if it is too long, or if it holds controls
    /// or marks that change the writing direction.
    public static func written(_ text: String) -> String? {
        guard text.utf8.count <= 4 * maximumSize else { return nil }
        return DisplayText.validated(onOneLine(text), maximumLength: maximumLength, maximumSize: maximumSize)
    }

    /// The text as it may be shown: on one line, without what texts must not hold, and cut to the limit.
    public var shownText: String { Self.shown(text) }

    static func shown(_ text: String) -> String {
        DisplayText.shown(onOneLine(text), maximumLength: maximumLength, maximumSize: maximumSize)
    }

    private static func onOneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).joined(separator: [" "])))
    }
}

/// A comment and its author, which name it in a group.
public struct CommentName: Hashable, Comparable, Sendable {
    public let author: UserID
    public let id: WritingID

    public init(author: UserID, id: WritingID) {
        self.author = author
        self.id = id
    }

    public static func < (left: CommentName, right: CommentName) -> Bool {
        (left.id, left.author) < (right.id, right.author)
    }
}

/// The word of the owner or an admin that a comment is not to be shown: a record of kind `hiding`
/// (Protocol/records.md §3.8).
///
/// Subject: author 32 · ID u64. Value: u8 1 · tail, ignored. A withdrawal shows the comment again.
public struct Hiding: RecordValue {
    public static let kind = RecordKind.hiding.rawValue

    public let comment: CommentName

    public init(of comment: CommentName) { self.comment = comment }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        comment = try Self.comment(ofSubject: subject)
        var reader = WireReader(value)
        guard try reader.readUInt8() == 1 else { throw .invalidValue(field: "hidden") }
    }

    public var recordSubject: [UInt8] { Self.recordSubject(of: comment) }

    public var recordValue: [UInt8] { [1] }

    public static func recordSubject(of comment: CommentName) -> [UInt8] {
        var writer = WireWriter(reserving: 40)
        writer.write(comment.author)
        writer.write(comment.id.rawValue)
        return writer.bytes
    }

    static func comment(ofSubject subject: [UInt8]) throws(WireError) -> CommentName {
        var reader = WireReader(subject)
        let author: UserID = try reader.readIdentifier()
        let comment = CommentName(author: author, id: WritingID(rawValue: try reader.readUInt64()))
        guard reader.remainingCount == 0 else { throw .trailingBytes(count: reader.remainingCount) }
        return comment
    }
}
