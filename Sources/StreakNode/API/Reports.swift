/// The JSON that the command line and the page rely on: keys are a contract (docs/cli.md), additions only.

public struct ProfileReport: Codable, Sendable, Equatable {
    /// The user ID, 64 hexadecimal digits.
    public var user: String
    public var device: String
    public var name: String
    public var friendCode: String
}

public struct GroupReport: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    /// `owner`, `admin`, `member`, or `left` / `removed` where this user is no longer in.
    public var role: String
    public var members: Int
    public var active: Bool
}

public struct GroupListReport: Codable, Sendable, Equatable {
    public var groups: [GroupReport]
}

public struct MemberReport: Codable, Sendable, Equatable {
    public var user: String
    public var name: String
    public var role: String
    public var me: Bool
    public var online: Bool
    /// ISO 8601 in UTC, or nil where unknown.
    public var lastSeen: String?
    /// How many records this node knows of that the member's node lacks or the other way round; nil where unknown.
    public var behind: Int?
    /// `lan`, `direct`, or nil where there is no link.
    public var via: String?
    public var code: String?
    public var devices: Int
}

public struct MembersReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var members: [MemberReport]
}

public struct InviteReport: Codable, Sendable, Equatable {
    public var link: String
    public var id: String
    /// ISO 8601 in UTC.
    public var expires: String
    /// How often it can be used; nil where unlimited.
    public var uses: Int?
    public var used: Int
    public var group: String
    public var title: String
}

public struct InviteListReport: Codable, Sendable, Equatable {
    public var invites: [InviteReport]
}

/// What a link says of itself before anything is dialled.
public struct InvitePreview: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var inviter: String
    public var expires: String
    public var expired: Bool
    public var alreadyMember: Bool
}

public struct JoinReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var members: Int
}

/// One result, as the command line shows it.
public struct ResultReport: Codable, Sendable, Equatable {
    public var game: String
    public var gameName: String
    /// `yyyy-MM-dd`
    public var day: String
    public var puzzle: Int?
    public var score: Int?
    public var maxAttempts: Int?
    public var completed: Bool
    public var seconds: Int?
    public var hints: Int?
    public var points: Int
    public var label: String
    /// Whether an earlier value was replaced.
    public var replaced: Bool
    /// Whether exactly this was recorded before.
    public var unchanged: Bool
    public var edited: Bool
    public var late: Bool
}

public struct RefusedText: Codable, Sendable, Equatable {
    public var text: String
    /// A stable word: `notRecognised`, `conflict`, `impossibleScore`, `unfinished`, `future`, …
    public var reason: String
    /// A plain sentence for people.
    public var message: String
    /// What is recorded already, where the reason is `conflict`.
    public var recorded: ResultReport?
}

public struct AddReport: Codable, Sendable, Equatable {
    public var added: [ResultReport]
    public var refused: [RefusedText]
    /// The groups that the results were published in.
    public var published: [String]
}

/// What taking back the last change came to.
public struct UndoReport: Codable, Sendable, Equatable {
    /// Results that stand again.
    public var restored: [ResultReport]
    /// Results that are gone again.
    public var withdrawn: [ResultReport]
}

/// A change of rank against the day before: a number of places (positive is up), or `new`.
public enum DeltaReport: Codable, Sendable, Equatable {
    case places(Int)
    case new

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let places = try? container.decode(Int.self) {  // the other form is tried next, and throws
            self = .places(places)
        } else {
            guard try container.decode(String.self) == "new" else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither a number nor “new”")
            }
            self = .new
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .places(let places): try container.encode(places)
        case .new: try container.encode("new")
        }
    }
}

public struct BoardRowReport: Codable, Sendable, Equatable {
    /// Nil where the player has no rank.
    public var rank: Int?
    public var tied: Bool
    public var user: String
    public var name: String
    public var me: Bool
    public var value: Int
    public var raw: Int?
    public var label: String
    public var delta: DeltaReport?
    public var late: Bool
    public var edited: Bool
    public var covered: Bool
    public var played: Int
    public var of: Int
    /// Points by game ID.
    public var perGame: [String: Int]
}

public struct BoardReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var from: String
    public var to: String
    public var game: String?
    public var gameName: String?
    public var metric: String
    /// How many players have a rank.
    public var ranked: Int
    public var rows: [BoardRowReport]
    /// My own row, also where it is not among `rows`.
    public var mine: BoardRowReport?
    public var coveredCount: Int
    /// Whether history is still arriving.
    public var partial: Bool
    /// The viewer's today.
    public var today: String
    /// Games with a result in the range, by ID, busiest first.
    public var games: [GameReport]
}

public struct ResultsReport: Codable, Sendable, Equatable {
    public var results: [ResultReport]
}

public struct GameReport: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    public var model: String
    public var favourite: Bool
    public var url: String?
    public var category: String
    public var icon: String
}

public struct GamesReport: Codable, Sendable, Equatable {
    public var games: [GameReport]
}

public struct GroupStatus: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    public var digest: String
    public var records: Int
    public var members: Int
    public var online: Int
}

public struct PeerStatus: Codable, Sendable, Equatable {
    public var device: String
    public var user: String?
    public var name: String?
    /// `linked`, `dialling`, `away`.
    public var state: String
    public var via: String?
    public var address: String?
}

public struct StatusReport: Codable, Sendable, Equatable {
    /// `live`, `syncing`, `local only`, `offline` (product-rules 39).
    public var state: String
    public var groups: [GroupStatus]
    public var peers: [PeerStatus]
    public var version: String
    /// Whether a node is running on this data folder.
    public var running: Bool
    public var listen: String?
    public var web: String?
    /// When an exchange with a friend last ended, ISO 8601 in UTC; nil since this node started.
    public var lastSync: String?
}

/// What a running node tells as it happens.
public enum NodeEvent: Sendable, Equatable {
    /// New records or operations of a group are merged.
    case changed(group: String, digest: String)
    /// A link to a device opened or closed; `state` as in `PeerStatus`.
    case peer(device: String, state: String, via: String?)
    /// A group was joined, created, left or lost.
    case groupsChanged
    /// Something that a user should be told once.
    case notice(String)
}
