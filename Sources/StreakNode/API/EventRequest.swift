import StreakGames

/// The weekly event of a group.
public enum EventRequest: NodeRequest {
    public typealias Report = EventReport
    public static let name = RequestName.event

    /// The event of the week that holds `date`; nil for this week's.
    case show(date: String? = nil, group: String?)
    /// What is played for in the next week that has not begun: for the owner and admins. `rule` is `points`, `double`,
    /// `hard-mode`, `most-games` or `new-games`; `double` needs a game, the last two take none.
    case choose(rule: String, game: String?, group: String?)
    /// Leaves that week to chance again.
    case withdraw(group: String?)

    public func checkArguments() throws {
        switch self {
        case .show(let date, _): if let date { _ = try Argument.day(date) }
        case .choose(let rule, let game, _):
            let rule = try Argument.eventRule(rule)
            // Which game it is depends on the account's own games; whether there may be one does not.
            _ = try Argument.eventPlan(rule, game: game == nil ? nil : Catalogue.standard.games[0].id)
        case .withdraw: break
        }
    }
}

/// What is played for in a week.
public struct EventPlanReport: Codable, Sendable, Equatable {
    /// As in `EventRequest.choose`.
    public var rule: String
    /// Nil for all games.
    public var game: String?
    public var gameName: String?
    public var icon: String
    /// “Double Wordle”.
    public var name: String
    /// The rule in one sentence.
    public var text: String
    /// Where the game is played; nil for all games.
    public var url: String?
    /// The name of who chose it; nil if chance did.
    public var chosenBy: String?
    /// When, by that user's clock; ISO 8601 in UTC.
    public var chosenAt: String?
}

/// One member in an event.
public struct EventRowReport: Codable, Sendable, Equatable {
    public var rank: Int?
    public var tied: Bool
    /// As in `MemberReport`.
    public var user: String
    public var name: String
    public var me: Bool
    /// Points; under `most-games` games.
    public var value: Int
    public var label: String
    /// How many results count.
    public var results: Int
    /// How many results of the week this user may not see yet.
    public var covered: Int
    /// Whether a result that counts was changed after the event had ended.
    public var corrected: Bool
    /// What the place earned; nil until the event is over.
    public var coins: Int?
    /// Whether it won the week's badge.
    public var badge: Bool
    /// Whether only this user sees this row, because they are left out of leaderboards.
    public var onlyMe: Bool
}

/// An event that is over.
public struct PastEventReport: Codable, Sendable, Equatable {
    public var week: String
    public var from: String
    public var to: String
    public var name: String
    public var icon: String
    /// Empty if nobody had a point.
    public var winners: [ChampionsReport.Winner]
    public var label: String?
    public var ranked: Int
    public var corrected: Bool
}

public struct EventReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    /// `2026-W47`
    public var week: String
    public var from: String
    public var to: String
    /// As in `EventRequest.choose`.
    public var rule: String
    public var plan: EventPlanReport
    /// ISO 8601 in UTC.
    public var starts: String
    public var ends: String
    public var over: Bool
    public var secondsLeft: Int64
    /// “2d 14h 32m”; nil once it is over.
    public var left: String?
    /// Ranked members with the best first, then those whose results are covered, then those without a point.
    public var rows: [EventRowReport]
    public var mine: EventRowReport?
    public var ranked: Int
    public var coveredCount: Int
    /// Whether a result that counts was changed after the event had ended.
    public var corrected: Bool
    /// The first week that has not begun.
    public var nextWeek: String
    public var next: EventPlanReport
    /// Whether this user may choose for that week.
    public var mayChoose: Bool
    /// Events that are over, newest first, at most 52.
    public var past: [PastEventReport]

    /// “2d 14h 32m”, “14h 32m”, “32m”; less than a minute counts as one.
    public static func left(_ seconds: Int64) -> String {
        let minutes = max((seconds + 59) / 60, 1)
        let parts = [(minutes / 1_440, "d"), (minutes / 60 % 24, "h"), (minutes % 60, "m")]
        return parts.drop { $0.0 == 0 }.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}
