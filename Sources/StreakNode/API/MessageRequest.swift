/// Messages between this user and a friend, in the group of the two. `message` is the ID of one, or a unique beginning of it
/// with at least four digits.
public enum MessageRequest: NodeRequest {
    public typealias Report = MessagesReport
    public static let name = RequestName.message

    /// All friends to whom this user can write.
    case list
    case show(user: String)
    /// The same, and notes that this user has seen what is there, on all of their machines.
    case look(user: String)
    case write(user: String, text: String)
    /// Changes or deletes a message of this user.
    case edit(message: String, text: String)
    case delete(message: String)
}

/// One message.
public struct MessageReport: Codable, Sendable, Equatable {
    /// 32 hexadecimal digits.
    public var id: String
    public var me: Bool
    /// On one line; never markup.
    public var text: String
    /// When it was first written, by its author's clock; ISO 8601 in UTC.
    public var written: String
    public var edited: Bool
    /// Whether the friend wrote it and this user has not looked at it.
    public var fresh: Bool
}

/// A friend to whom this user can write.
public struct CorrespondentReport: Codable, Sendable, Equatable {
    /// As in `MemberReport`, of the group of the two.
    public var user: String
    public var name: String
    public var online: Bool
    public var group: String
    /// The last message; nil if there is none.
    public var last: MessageReport?
    public var fresh: Int
}

/// The friends to whom this user can write, and the messages of one.
public struct MessagesReport: Codable, Sendable, Equatable {
    /// Those with the latest messages first, then by name.
    public var friends: [CorrespondentReport]
    /// Whose messages these are; nil in a list.
    public var friend: CorrespondentReport?
    /// The oldest first, at most the 200 newest.
    public var messages: [MessageReport] = []
    /// How many older ones are not listed.
    public var earlier = 0
    /// Whether this user has muted the friend, and so sees nothing of theirs.
    public var muted = false
}
