/// What this user is told at once: challenges, messages, answers, beaten results, events, climbs.
public enum NotificationRequest: NodeRequest {
    public typealias Report = NotificationsReport
    public static let name = RequestName.notification

    case show
    /// As `show`, but without the notices.
    case count
    /// Changes what is not nil.
    case change(NotificationChange)
}

/// Changes to notifications; nil leaves a value as it is.
public struct NotificationChange: Codable, Sendable, Equatable {
    /// Kinds to be told of, and kinds not to be told of, as in `NotificationsReport`.
    public var on: [String]
    public var off: [String]
    /// `HH:mm-HH:mm`; empty for none.
    public var quiet: String?
    /// As in `ReminderChange`, for reminders, too.
    public var desktop: Bool?
    public var command: String?

    public init(
        on: [String] = [], off: [String] = [], quiet: String? = nil, desktop: Bool? = nil, command: String? = nil
    ) {
        self.on = on
        self.off = off
        self.quiet = quiet
        self.desktop = desktop
        self.command = command
    }
}

public struct NotificationsReport: Codable, Sendable, Equatable {
    public struct Kind: Codable, Sendable, Equatable {
        /// `challenge`, `message`, `answer`, `beaten`, `ending`, `climbed`, `started`.
        public var kind: String
        public var on: Bool
    }

    /// The most important first.
    public var kinds: [Kind]
    /// `HH:mm-HH:mm`; nil for none.
    public var quiet: String?
    /// How many were shown today, on all of the user's machines, and how many a day may be.
    public var shownToday: Int
    public var most: Int
    /// Whether this machine shows desktop notifications, and the command that it runs.
    public var desktop: Bool
    public var command: String?
    /// Whether reminders of streaks at risk are on. They have choices of their own.
    public var reminders: Bool
    /// How many of all news the user has not looked at: what the bell shows.
    public var fresh: Int
    /// What others did during the last thirty days and is not covered, newest first, at most 100. Empty when only their
    /// count was asked for.
    public var notices: [NoticeReport]
}

/// Something that others did.
public struct NoticeReport: Codable, Sendable, Equatable {
    /// As in `FeedEntryReport`.
    public var id: String
    public var kind: String
    public var at: String
    /// A whole sentence.
    public var text: String
    /// Whether the user has looked at it, on any machine.
    public var seen: Bool
}
