public import StreakWire

/// What the two of a pair's group wrote to each other, derived from its merged records (Protocol/records.md §3.12).
///
/// It knows neither who is a member nor whether the group is a pair's: who reads it asks only where that is so.
public struct GroupMessages: Sendable {
    /// A message that stands.
    public struct Standing: Hashable, Sendable {
        public let author: UserID
        public let message: FriendMessage
        /// When it was first written, in milliseconds since 1970: as its author says, but not after the record.
        public let writtenAt: Int64
    }

    private struct Kept: Sendable {
        let message: FriendMessage
        let time: HybridTime
    }

    /// Of one user's messages so many count: those with the largest IDs.
    public static let maximumOfOne = 1_000

    private var kept: [UserID: [WritingID: Kept]] = [:]

    public init() {}

    /// Takes the new value of a message. What cannot be read counts as a withdrawal.
    public mutating func apply(_ record: MergedRecord) {
        // A subject that is no ID is never shown, whatever its value.
        guard record.key.kind == FriendMessage.kind, let id = try? WritingID(subject: record.key.subject) else {
            return
        }
        // Withdrawn, or of another version.
        let message = try? FriendMessage(subject: record.key.subject, value: record.value)
        kept[record.key.user, default: [:]][id] = message.map { Kept(message: $0, time: record.time) }
        if kept[record.key.user]?.isEmpty ?? false { kept[record.key.user] = nil }
    }

    /// The messages of some users, the oldest first.
    ///
    /// - Parameter moment: only what was written after it, in milliseconds since 1970.
    public func messages(of users: [UserID], after moment: Int64 = .min) -> [Standing] {
        users.flatMap { user in
            // No message was written after its ID says.
            let ids = (kept[user] ?? [:]).keys.filter { $0.milliseconds > moment }.sorted().suffix(Self.maximumOfOne)
            return ids.compactMap { id in
                kept[user]?[id].map { kept in
                    Standing(
                        author: user, message: kept.message, writtenAt: min(id.milliseconds, kept.time.milliseconds))
                }
            }
        }.filter { $0.writtenAt > moment }.sorted {
            ($0.writtenAt, $0.message.id, $0.author) < ($1.writtenAt, $1.message.id, $1.author)
        }
    }
}
