import StreakScores

// Requests for what a user sends to people without StreakMesh.

/// A text about something of this user's own, ready to copy, and a picture of it if one is asked for.
///
/// Nothing is sent anywhere. Of others, it names only those on the podium of `week`, as the group sees them.
public enum ShareRequest: NodeRequest {
    public typealias Report = ShareReport
    public static let name = RequestName.share

    /// The result of a game and day.
    case result(game: String, date: String?, picture: PictureStyle? = nil)
    /// The streak in a game; nil is days in a row with any game.
    case streak(game: String?, picture: PictureStyle? = nil)
    /// The ISO week that contains `date`. `isAlone` leaves the group out.
    case week(date: String?, group: String?, isAlone: Bool = false, picture: PictureStyle? = nil)
    /// An achievement: “streak-master”, or a tier of it, “streak-master/gold”; nil is the one reached last.
    case achievement(String?, picture: PictureStyle? = nil)

    var picture: PictureStyle? {
        switch self {
        case .result(_, _, let picture), .streak(_, let picture), .week(_, _, _, let picture),
            .achievement(_, let picture):
            picture
        }
    }
}

/// How a picture looks.
public struct PictureStyle: Codable, Sendable, Equatable {
    /// `light` or `dark`; nil is light.
    public var look: String?
    /// `wide`, 1200 × 630, or `square`, 1080 × 1080; nil is wide.
    public var shape: String?

    public init(look: String? = nil, shape: String? = nil) {
        self.look = look
        self.shape = shape
    }
}

public struct ShareReport: Codable, Sendable, Equatable {
    /// Ready to copy.
    public var text: String
    /// A few words, such as a subject of a mail.
    public var title: String
    /// The picture in a sentence.
    public var description: String
    /// A name for a file, without its ending.
    public var fileName: String
    /// Nil unless asked for.
    public var picture: PictureReport?
}

/// A picture, which stands alone: without scripts, and without references to anything.
public struct PictureReport: Codable, Sendable, Equatable {
    public var svg: String
    /// In pixels.
    public var width: Int
    public var height: Int
}

/// The texts from which share texts are made, for all of this user's machines.
public enum ShareTemplateRequest: NodeRequest {
    public typealias Report = ShareTemplatesReport
    public static let name = RequestName.shareTemplate

    case list
    /// Sets the template of a kind; nil goes back to the standard one.
    case change(kind: String, text: String?)
}

public struct ShareTemplatesReport: Codable, Sendable, Equatable {
    public struct Template: Codable, Sendable, Equatable {
        /// `unlock`, `personal-best`, `perfect`, `solved` or `lost`.
        public var kind: String
        public var text: String
        /// Whether the user wrote it.
        public var own: Bool
        /// What it may name, without the braces.
        public var placeholders: [String]
        /// The text as it would be sent about an invented result.
        public var example: String
    }

    public var templates: [Template]
}
