import StreakGames

/// One emoji that members chose for a result.
public struct ReactionReport: Codable, Sendable, Equatable {
    public var emoji: String
    public var count: Int
    /// Of those who chose it; the first fifty.
    public var names: [String]
    /// Whether this user is one of them.
    public var mine: Bool
}

/// What somebody said about a result.
public struct CommentReport: Codable, Sendable, Equatable {
    /// 32 hexadecimal digits.
    public var id: String
    /// As in `MemberReport`.
    public var user: String
    public var name: String
    public var me: Bool
    /// On one line; never markup.
    public var text: String
    /// When it was first written, by its author's clock; ISO 8601 in UTC.
    public var written: String
    public var edited: Bool
    /// Whether the owner or an admin has hidden it. Only its author, the owner and admins get hidden ones.
    public var hidden: Bool
}

/// A result, and what is said about it.
public struct TalkReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    /// Whose result it is, as in `MemberReport`.
    public var user: String
    public var name: String
    public var me: Bool
    public var game: String
    public var gameName: String
    public var icon: String
    /// `yyyy-MM-dd`
    public var day: String
    /// The printed number; for a habit, the number that tells its logs apart.
    public var puzzle: Int?
    /// How the game is scored.
    public var model = ""
    /// Whether the result is covered: then nothing below says anything.
    public var covered: Bool
    public var label: String?
    public var late = false
    public var edited = false
    /// The most frequent first.
    public var reactions: [ReactionReport] = []
    /// The emoji that this user has chosen.
    public var mine: String?
    /// The oldest first, at most the 200 newest.
    public var comments: [CommentReport] = []
    /// How many older comments are not listed.
    public var earlier = 0
    /// How many comments are left out because this user has muted their authors.
    public var mutedCount = 0
    /// Whether this user may hide comments of others.
    public var mayHide = false

    /// The number to show beside the game's name.
    public var shownPuzzle: Int? { model == ScoringModel.count.rawValue ? nil : puzzle }
}

/// The members of a group whom this user has muted.
public struct MutedReport: Codable, Sendable, Equatable {
    public struct Person: Codable, Sendable, Equatable {
        public var user: String
        public var name: String
    }

    public var group: String
    public var title: String
    public var muted: [Person]
}
