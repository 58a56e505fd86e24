/// What happened in this user's groups during the last thirty days.
public enum FeedRequest: NodeRequest {
    public typealias Report = FeedReport
    public static let name = RequestName.feed

    /// Of one group, or with nil of all; at most 500 entries, nil for 100.
    case show(group: String?, limit: Int? = nil)
    /// The same, and notes that this user has seen all of it, on all of the user's machines.
    case look(group: String?, limit: Int? = nil)
}

/// One thing that happened.
public struct FeedEntryReport: Codable, Sendable, Equatable {
    /// The same on all machines; at most 16 hexadecimal digits.
    public var id: String
    /// `result`, `results` (several of one sitting), `best`, `beaten` (better than this user's, and after it),
    /// `unlock`, `milestone`, `joined`, `left`, `removed`, `event` (one has begun), `eventEnding`, `eventWon`,
    /// `champion`, `climbed` (this user, since the week before), `reaction`, `comment`, `message` (a friend's, not
    /// read yet), `challenge`, `accepted`, `declined`, `outcome`.
    public var kind: String
    public var group: String
    public var title: String
    /// As in `MemberReport`; empty for what the group did, whose title is the name then.
    public var user: String
    public var name: String
    public var me: Bool
    /// When it happened, by the clock of its author; ISO 8601 in UTC.
    public var at: String
    public var icon: String
    /// What stands behind the name: “reached level 5”.
    public var text: String
    /// Whether this user has not looked at it yet, on no machine.
    public var fresh: Bool
    /// Whether it is about a result that this user may not see yet.
    public var covered = false
    /// How many results, messages or comments it is about.
    public var count = 1
    /// The result that it is about.
    public var game: String?
    public var day: String?
    public var puzzle: Int?
}

public struct FeedReport: Codable, Sendable, Equatable {
    /// Nil for all groups.
    public var group: String?
    public var title: String
    /// Newest first.
    public var entries: [FeedEntryReport]
    /// How many of all entries are new to this user.
    public var fresh: Int
    /// How many entries there are.
    public var total: Int
}
