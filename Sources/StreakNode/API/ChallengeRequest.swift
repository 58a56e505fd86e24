/// Challenges to beat a result. `challenge` is the ID of one, or a unique beginning of it with at least four digits.
public enum ChallengeRequest: NodeRequest {
    public typealias Report = ChallengesReport
    public static let name = RequestName.challenge

    /// The challenges of a group; with `against` also which results this user can challenge that member with.
    case list(group: String?, against: String? = nil)
    /// The same, with the members whom this user can challenge with a result.
    case look(ResultReference)
    /// Challenges a member, or with nil the whole group, to beat a result of this user until the end of a day; nil for
    /// the result's day, or today if that is over. `first` is the challenge that this one gives back.
    case make(ResultReference, to: String? = nil, until: String? = nil, first: String? = nil)
    /// Accepts or declines a challenge to this user.
    case answer(challenge: String, accepts: Bool, group: String?)
    /// Withdraws a challenge of this user, before anybody has played.
    case withdraw(challenge: String, group: String?)
}

/// How a challenge stands for one of those who take part in it.
public struct DuelReport: Codable, Sendable, Equatable {
    /// As in `MemberReport`.
    public var user: String
    public var name: String
    public var me: Bool
    /// `open`; `won`, if they beat the target, `lost` or `drawn`; `expired`, `declined`; `playedBefore`, if they had
    /// played when they were challenged. Empty while it is covered.
    public var outcome: String
    /// Whether they have accepted it.
    public var accepted: Bool
    /// What they have played; nil while they have not, or while it is covered.
    public var label: String?
    /// Whether this user may not see who has won, because they have not played that puzzle.
    public var covered: Bool
}

/// A challenge.
public struct ChallengeReport: Codable, Sendable, Equatable {
    /// 32 hexadecimal digits.
    public var id: String
    /// Who challenges, as in `MemberReport`.
    public var user: String
    public var name: String
    public var me: Bool
    /// Who is challenged; nil for the whole group.
    public var friend: String?
    public var friendName: String?
    /// Whether it is to this user.
    public var toMe: Bool
    public var game: String
    public var gameName: String
    public var icon: String
    /// The target's day, `yyyy-MM-dd`.
    public var day: String
    /// The printed number.
    public var puzzle: Int?
    /// What is to be beaten; nil while it is covered. Who is challenged sees it at once, and nothing else of that
    /// result.
    public var target: String?
    /// When it was made, by its challenger's clock; ISO 8601 in UTC.
    public var made: String
    /// It ends when this day is over everywhere, which is at `ends`.
    public var lastDay: String
    public var ends: String
    /// `waiting` for this user, `open` or `ended`.
    public var state: String
    /// Those who take part against the challenger.
    public var duels: [DuelReport]
    /// The challenge that this one gives back.
    public var first: String?
    /// What this user may do.
    public var mayAccept = false
    public var mayDecline = false
    public var mayWithdraw = false
    public var mayGiveBack = false
}

/// How many challenges a member has won, lost and drawn. What is covered is left out.
public struct ChallengeTallyReport: Codable, Sendable, Equatable {
    /// As in `MemberReport`.
    public var user: String
    public var name: String
    public var me: Bool
    public var won: Int
    public var lost: Int
    public var drawn: Int
}

/// A result of this user that a member can be challenged with.
public struct ChallengeOffer: Codable, Sendable, Equatable {
    public var game: String
    public var gameName: String
    public var icon: String
    public var day: String
    public var puzzle: Int?
    public var label: String
}

/// A member who can be challenged.
public struct ChallengeRival: Codable, Sendable, Equatable {
    /// As in `MemberReport`.
    public var user: String
    public var name: String
}

/// The challenges of a group, each list the newest first.
public struct ChallengesReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    /// Those that this user has not answered, nor played.
    public var waiting: [ChallengeReport]
    public var open: [ChallengeReport]
    /// Of the last thirty days, at most a hundred.
    public var ended: [ChallengeReport]
    /// Of all time; those who have taken part, the most wins first.
    public var tallies: [ChallengeTallyReport]
    /// Only with `against`: results of days that are not over, which that member has not played.
    public var offers: [ChallengeOffer] = []
    /// Only of `look`: members who have not played that puzzle.
    public var rivals: [ChallengeRival] = []
}

/// Why somebody cannot be challenged, or a challenge not be answered.
public enum ChallengeRefusal: Codable, Sendable, Equatable {
    /// They have played that puzzle.
    case played(name: String)
    /// Everybody in the group has.
    case allPlayed
    /// This user has.
    case playedByMe
    /// They are on no board of the group, by their own choice.
    case hidden(name: String)
    /// The same of this user.
    case hiddenMyself
    case myself
    /// A habit has nothing to beat.
    case habit(game: String)
    /// It cannot end on that day.
    case lastDay(first: String, last: String)
    /// It is over, or decided.
    case ended
    /// It is not to this user.
    case toOthers
    /// This user has made the same one, with another end.
    case made(until: String)
    /// Only its challenger may withdraw it.
    case ofAnother
}
