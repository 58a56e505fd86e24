/// Names one result of a member in a group.
public struct ResultReference: Codable, Sendable, Equatable {
    /// Nil for this user.
    public var user: String?
    public var game: String
    /// Nil for the latest result of the game.
    public var date: String?
    /// The number, where the member played several puzzles of the game that day.
    public var puzzle: Int?
    public var group: String?

    public init(user: String? = nil, game: String, date: String? = nil, puzzle: Int? = nil, group: String? = nil) {
        self.user = user
        self.game = game
        self.date = date
        self.puzzle = puzzle
        self.group = group
    }
}

/// What is said about a result. `comment` is the ID of a comment, or a unique beginning of one with at least four digits.
public enum TalkRequest: NodeRequest {
    public typealias Report = TalkReport
    public static let name = RequestName.talk

    case show(ResultReference)
    /// Reacts with one emoji, in place of an earlier one; nil takes the reaction back.
    case react(ResultReference, emoji: String?)
    case comment(ResultReference, text: String)
    case edit(comment: String, text: String, group: String?)
    case delete(comment: String, group: String?)
    /// Hides a comment from the group, or shows it again: the owner and admins.
    case hide(comment: String, isHidden: Bool, group: String?)
}

/// Whom this user does not want to hear. Nobody else learns of it; all of this user's machines follow it.
public enum MuteRequest: NodeRequest {
    public typealias Report = MutedReport
    public static let name = RequestName.mute

    case list(group: String?)
    case mute(user: String, group: String?)
    case unmute(user: String, group: String?)
}
