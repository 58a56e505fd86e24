import StreakGames
import StreakScores

/// The JSON that the command line and the page rely on. Its keys are a contract (docs/cli.md): only additions are
/// allowed.

public struct ProfileReport: Codable, Sendable, Equatable {
    /// The user ID, 64 hexadecimal digits.
    public var user: String
    public var device: String
    public var name: String
    public var friendCode: String
    /// Whether the recovery key is written down, so that the account's secret is no longer on this machine.
    public var recoveryConfirmed = true
}

public struct GroupReport: Codable, Sendable, Equatable {
    public var id: String
    public var title: String
    /// `owner`, `admin` or `member`; `left` or `removed` if this user is no longer in; `revoked` if this device no
    /// longer is; `notLetIn` if the user's admission does not count.
    public var role: String
    public var members: Int
    public var active: Bool
    /// Whether new results are published here: the user is in, and has not stopped sharing.
    public var sharing = true
    /// When the user left or was removed, or this device was revoked; ISO 8601 in UTC, by the clock of the device that
    /// did it. Nil while the user is in.
    public var ended: String?
    /// Whether this request took the group, which has ended for this user, off the list.
    public var dismissed = false
}

public struct GroupListReport: Codable, Sendable, Equatable {
    public var groups: [GroupReport]
}

/// The person whom a name, a code or an ID meant.
public struct PersonReport: Codable, Sendable, Equatable {
    /// As in `MemberReport`; means exactly this person in every request.
    public var user: String
    public var name: String
    /// The friend code; nil where the person is anonymous.
    public var code: String?
}

public struct MemberReport: Codable, Sendable, Equatable {
    /// The user ID; for an anonymous member, an ID that is valid in this group only.
    public var user: String
    public var name: String
    public var role: String
    public var me: Bool
    public var online: Bool
    /// ISO 8601 in UTC, or nil where unknown.
    public var lastSeen: String?
    /// How many records this node and the member's node lack of each other's; nil if unknown.
    public var behind: Int?
    /// `lan`, `direct`, `member` (through another member), or nil for this user and for members who are offline.
    public var via: String?
    /// The name of the member through whom this one is online.
    public var by: String?
    /// The friend code; nil if the member is anonymous, or the code has not been computed yet, which takes time.
    public var code: String?
    /// 0 if the member is anonymous.
    public var devices: Int
    /// Whether the member goes by an alias here.
    public var anonymous = false
    /// Whether the member is on no leaderboard here.
    public var hidden = false
    public var region: String?
    /// Since when they have been in; ISO 8601 in UTC, by the clock of the device that admitted them.
    public var since: String?
    /// Who founded the group, admitted the member, promoted it or handed the group over; the latest of these.
    public var admittedBy: String?
    /// The ID of the invite by which they joined, if they joined by one.
    public var invite: String?
    /// Whether this member may take the group over.
    public var heir = false
    /// How the member's machine is reached, as `PeerStatus.path`; nil where none is linked, and where the member is anonymous.
    public var path: String?
    /// Since when it is linked, ISO 8601 in UTC.
    public var linkedSince: String?
    /// When one of the member's machines last told where it is on the internet, ISO 8601 in UTC; nil where none did.
    public var toldAt: String?
    /// Whether it told that in a note in the public BitTorrent network.
    public var toldInNote = false
    /// Whether this node looks for the member's machines: none is reached, and there is an address to try.
    public var looking = false
}

/// A newcomer who waits to be admitted.
public struct JoinRequestReport: Codable, Sendable, Equatable {
    public var id: String
    public var group: String
    public var title: String
    public var user: String
    /// The friend code: a name would prove nothing.
    public var code: String?
    /// The ID of the invite used.
    public var invite: String
    /// The name of the member whose node took the request.
    public var takenBy: String
    /// Whether it was turned down on this node. It may still be admitted.
    public var denied = false
}

public struct JoinRequestsReport: Codable, Sendable, Equatable {
    public var requests: [JoinRequestReport]
}

/// Somebody who is no longer in a group.
public struct FormerMemberReport: Codable, Sendable, Equatable {
    public var user: String
    public var name: String
    /// `left`, `removed`.
    public var reason: String
    /// Whether the member asked that its records be deleted.
    public var erased: Bool
    /// When that was; ISO 8601 in UTC, by the clock of the device that did it.
    public var ended: String?
    /// Who removed the member; nil if the member left.
    public var endedBy: String?
}

public struct MembersReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    public var members: [MemberReport]
    public var waiting: [JoinRequestReport] = []
    public var former: [FormerMemberReport] = []
    /// The invites that ended together with the member who was just removed.
    public var endedInvites: [InviteReport] = []
}

/// What the owner and the admins chose for a group.
public struct GroupSettingsReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    /// Who may invite: `everyone`, `admins` or `owner`.
    public var invites: String
    /// Whether a puzzle's results are covered until the viewer's own is recorded.
    public var spoilerGuard: Bool
    /// The name of the heir, who may take the group over.
    public var heir: String?
    /// What a missed day counts in averages: `nothing`, `worst+1` or `zero`.
    public var missedDay = "nothing"
    /// Whether streaks have freezes.
    public var freezes = false
    /// After how many days a result no longer counts; 0 for never.
    public var archiveDays = 0
    /// Whether this user may become the owner by `group take-over`, and for which reason.
    public var takeover: Takeover?

    public enum Takeover: String, Codable, Sendable, CaseIterable {
        /// The owner has named this user heir.
        case asHeir
        /// The heir took the group from this user, who may take it back and undo all that the heir did as owner.
        case back
    }
}

public struct InviteReport: Codable, Sendable, Equatable {
    /// Empty if another node made the invite: only the inviter has the link.
    public var link: String
    public var id: String
    /// ISO 8601 in UTC.
    public var expires: String
    /// How often it can be used; nil if unlimited.
    public var uses: Int?
    public var used: Int
    public var group: String
    public var title: String
    /// Whether the owner or an admin has to admit people who use it.
    public var approval = false
    /// Whether members who could not reach each other admitted more than `uses`.
    public var overused = false
    /// The inviter's name.
    public var author: String?
    /// Whether it is this user's own.
    public var mine = true
}

public struct InviteListReport: Codable, Sendable, Equatable {
    public var invites: [InviteReport]
}

/// What a link says about itself before anything is dialled.
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
    /// The printed number. For a log of a habit, a number that is printed nowhere and tells it from other logs.
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
    /// Whether exactly this result was recorded before.
    public var unchanged: Bool
    public var edited: Bool
    public var late: Bool
    /// The IDs of the groups in which it stands.
    public var groups: [String] = []
    /// How the game is scored.
    public var model = ""
    /// The replaced value that another machine of the user recorded, until the user has chosen; otherwise nil.
    public var differs: String?

    /// The number to show beside the game's name.
    public var shownPuzzle: Int? { model == ScoringModel.count.rawValue ? nil : puzzle }

    /// The points, if they add something to the label. They do not if the raw value ranks, or is the points.
    public var shownPoints: Int? {
        if model == ScoringModel.highScore.rawValue || model == ScoringModel.count.rawValue { return nil }
        return label == Scoring.totalLabel(points) ? nil : points
    }
}

public struct RefusedText: Codable, Sendable, Equatable {
    public var text: String
    /// A stable word: `notRecognised`, `conflict`, `impossibleScore`, `unfinished`, `future`, …
    public var reason: String
    /// A plain sentence for people.
    public var message: String
    /// The recorded result, if the reason is `conflict`.
    public var recorded: ResultReport?
}

public struct AddReport: Codable, Sendable, Equatable {
    public var added: [ResultReport]
    public var refused: [RefusedText]
    /// The groups that the results were published in.
    public var published: [String]
}

/// What `undo` did with the last change.
public struct UndoReport: Codable, Sendable, Equatable {
    /// How many results one report lists. Of a larger import, the rest is only counted.
    public static let maximumListed = 1_000

    /// Results that stand again; the first thousand.
    public var restored: [ResultReport]
    /// Results that are gone again; the first thousand.
    public var withdrawn: [ResultReport]
    public var restoredCount = 0
    public var withdrawnCount = 0
    /// How many stay as they are because another machine of the user has changed them since.
    public var keptCount = 0
}

/// A change of rank since the day before: a number of places (positive is up), or `new`.
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
    /// Nil if the player has no rank.
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
    /// Whether only this user sees the row: it is their own, and they are left out of the leaderboards here.
    public var onlyMe = false
    /// Whether the player goes by an alias here.
    public var anonymous = false
    public var region: String?
    /// 1 to 3 if the rank earns a medal.
    public var medal: Int?
    /// The line below the label of a sum: “average 0:45, played 6 of 7”.
    public var detail: String?
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
    /// This user's own row, even if it is not among `rows`.
    public var mine: BoardRowReport?
    public var coveredCount: Int
    /// Whether history is still arriving.
    public var partial: Bool
    /// The viewer's today.
    public var today: String
    /// Games with a result in the range, by ID, busiest first.
    public var games: [GameReport]
    /// How many rows there are on all pages.
    public var listed = 0
    public var offset = 0
    /// The offset of the next page; nil on the last page.
    public var nextOffset: Int?
    /// The position of this user's row among all, from 0; nil if it is not listed.
    public var myPosition: Int?
    /// User IDs of ranks 1, 2 and 3, if exactly three players hold these.
    public var podium: [String] = []
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
    /// The definition of a custom game; nil for a game of the catalogue.
    public var definition: GameForm?
    /// IDs of the groups in which a custom game is defined.
    public var groups: [String] = []
    /// Whether this user defined the custom game, and so may change and remove it.
    public var mine = false
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
    /// Linked devices, this one included; 0 if this user is no longer in the group.
    public var online: Int
    /// Whether new results are published here.
    public var sharing = true
    /// While history is arriving: how many records there will be, by what members report. At least `records`.
    public var total: Int?
    /// As in `GroupReport`.
    public var role = "member"
}

/// How this machine's clock compares with others', and which records a wrong clock has dated.
public struct ClockReport: Codable, Sendable, Equatable {
    public struct Other: Codable, Sendable, Equatable {
        public var user: String
        public var name: String
        public var device: String
        /// How far the device's clock is ahead of this machine's; negative: behind.
        public var seconds: Int
    }

    /// The state of this machine's clock: `right`, `ahead` or `behind`; `differs` if there is only one other clock and
    /// one of the two is wrong; `unknown` if nobody is connected.
    public var state: String
    /// How far this machine's clock is ahead of most others'; negative: behind. Only for `ahead` and `behind`.
    public var seconds: Int?
    /// Connected devices whose clock is off by more than a minute, without those of anonymous members.
    public var others: [Other] = []
    /// Records of this machine that do not count yet, because its clock was ahead.
    public var ownWaiting = 0
    /// The same for all others.
    public var waiting = 0
    /// How many this request wrote again.
    public var repaired: Int?

    public init(state: String) { self.state = state }

    /// “3 days”: a time difference for people, without its sign.
    public static func length(_ seconds: Int) -> String {
        let size = seconds.magnitude
        let units: [(size: UInt, name: String)] = [
            (31_536_000, "year"), (86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"),
        ]
        let unit = units.first { size >= $0.size } ?? (1, "second")
        let count = size / unit.size
        return "\(count) \(unit.name)\(count == 1 ? "" : "s")"
    }
}

public struct PeerStatus: Codable, Sendable, Equatable {
    public var device: String
    public var user: String?
    public var name: String?
    /// `linked`; or `silent` if nothing came when something was expected. It will show whether the device is still
    /// there.
    public var state: String
    public var via: String?
    public var address: String?
    /// When the device was last heard, ISO 8601 in UTC. An idle one says something every 25 or 110 seconds.
    public var lastHeard: String?
    /// `lan`, `ipv6`, `mapped` (at a port that a router has opened), `punched` (through routers that both sides opened) or `named`.
    public var path: String?
    /// Since when it is linked, ISO 8601 in UTC.
    public var since: String?
}

/// A machine that is shut out, but still in groups.
public struct StrayMachineReport: Codable, Sendable, Equatable {
    public var device: String
    /// The groups' titles.
    public var groups: [String]
}

public struct StatusReport: Codable, Sendable, Equatable {
    /// `live`, `syncing`, `silent`, `local only`, `offline`.
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
    /// Whether the recovery key is written down. If not, remind the user.
    public var recoveryConfirmed = true
    /// The name of the guest who is playing. Until the guest stops, every link is closed and nothing is published.
    public var guest: String?
    public var clock = ClockReport(state: "unknown")
    public var internet = InternetReport(setting: "on")
    /// Whether the account has shut this machine out everywhere, so that it records nothing.
    public var shutOut = false
    /// Nil if no damage was found since the node started.
    public var damage: DamageReport?
    /// How many results two of the user's machines recorded differently, so that the user has to choose.
    public var differing = 0
    /// This user's machines that are shut out, but still in some group.
    public var strays: [StrayMachineReport] = []
    /// What others sent and this node refused since it started.
    public var refused: [RefusalReport] = []
}

/// What a running node reports as it happens.
public enum NodeEvent: Sendable, Equatable {
    /// New records or operations of a group are merged.
    case changed(group: String, digest: String)
    /// A link to a device opened or closed; `state` as in `PeerStatus`.
    case peer(device: String, state: String, via: String?)
    /// A group was joined, created, left or lost.
    case groupsChanged
    /// A message that the user should see once.
    case notice(String)
}
