public import StreakScores
public import StreakWire

/// Names one result of a group: whose it is, and its key. It stays the same when the result is edited.
public struct ResultName: Hashable, Comparable, Sendable {
    public let owner: UserID
    public let key: ScoreKey

    public init(owner: UserID, key: ScoreKey) {
        self.owner = owner
        self.key = key
    }

    public static func < (left: ResultName, right: ResultName) -> Bool {
        (left.owner, left.key) < (right.owner, right.key)
    }

    /// The longest subject of a result: axis, number and a game of forty characters (Protocol/records.md §3.1).
    static let maximumSubjectSize = 47

    /// Owner 32, then the result's subject as a blob.
    func encode(into writer: inout WireWriter) {
        writer.write(owner)
        writer.writeBlob(DailyScore.recordSubject(of: key))
    }

    init(from reader: inout WireReader) throws(WireError) {
        owner = try reader.readIdentifier()
        key = try DailyScore.scoreKey(fromSubject: try reader.readBlob(maximum: Self.maximumSubjectSize))
    }
}
