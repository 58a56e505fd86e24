import StreakScores

/// What a page, a command or an embedding program asks of a node. The same requests travel over the control socket.
///
/// A request is a type that names its report. A new one is a type here, its name in `RequestName`, and its `answer`, which
/// says which service gives it; what is left out does not compile.
///
/// `group` is a title, an ID or a unique beginning of either, in every request; nil stands for the active group. `user` is
/// a friend code, a user ID as reports give it, a unique beginning of that of four digits or more, or a name; what is
/// named in an earlier one of these ways goes before what is named in a later one. Days are `yyyy-MM-dd`.
public protocol NodeRequest: Codable, Sendable, Equatable {
    associatedtype Report: Codable & Sendable
    /// What it is called on the control socket.
    static var name: RequestName { get }
    /// Looks over what can be judged without the account: days, ranges, words of settings, names and codes. What is wrong
    /// with them is said whatever the account is in. Throws `NodeFailure`.
    func checkArguments() throws
    /// What the node does. Throws `NodeFailure`.
    func answer(on node: isolated MeshNode) async throws -> Report
}

extension NodeRequest {
    public func checkArguments() throws {}
}

/// Something that answers requests: the node itself, or a running one behind its control socket.
public protocol NodeCalling: Sendable {
    /// Answers one request. Throws `NodeFailure`.
    func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report
}

/// Every request, by its name on the control socket.
public enum RequestName: String, Codable, Sendable, CaseIterable {
    case profile, recoveryKey, recovery, backup, device, deviceLink, friendship, groupList, group, groupSettings,
        member, admission, annulment, person, invite, inviteList, link, join, privacy, guest, score, undo, results,
        status,
        clock, board, statistics, streaks, achievements, recap, versus, champions, shareText, reminder, games, game,
        pattern, export, load, chat

    /// The type of request that has the name.
    var type: any NodeRequest.Type {
        switch self {
        case .profile: ProfileRequest.self
        case .recoveryKey: RecoveryKeyRequest.self
        case .recovery: RecoveryRequest.self
        case .backup: BackupRequest.self
        case .device: DeviceRequest.self
        case .deviceLink: DeviceLinkRequest.self
        case .friendship: FriendshipRequest.self
        case .groupList: GroupListRequest.self
        case .group: GroupRequest.self
        case .groupSettings: GroupSettingsRequest.self
        case .member: MemberRequest.self
        case .admission: AdmissionRequest.self
        case .annulment: AnnulmentRequest.self
        case .person: PersonRequest.self
        case .invite: InviteRequest.self
        case .inviteList: InviteListRequest.self
        case .link: LinkRequest.self
        case .join: JoinRequest.self
        case .privacy: PrivacyRequest.self
        case .guest: GuestRequest.self
        case .score: ScoreRequest.self
        case .undo: UndoRequest.self
        case .results: ResultsRequest.self
        case .status: StatusRequest.self
        case .clock: ClockRequest.self
        case .board: BoardRequest.self
        case .statistics: StatisticsRequest.self
        case .streaks: StreaksRequest.self
        case .achievements: AchievementsRequest.self
        case .recap: RecapRequest.self
        case .versus: VersusRequest.self
        case .champions: ChampionsRequest.self
        case .shareText: ShareTextRequest.self
        case .reminder: ReminderRequest.self
        case .games: GamesRequest.self
        case .game: GameRequest.self
        case .pattern: PatternRequest.self
        case .export: ExportRequest.self
        case .load: ImportRequest.self
        case .chat: ChatRequest.self
        }
    }
}

/// Who this user is.
public enum ProfileRequest: NodeRequest {
    public typealias Report = ProfileReport
    public static let name = RequestName.profile

    case whoami
    case rename(name: String)
}

/// The recovery key itself, as long as it is on this machine.
public enum RecoveryKeyRequest: NodeRequest {
    public typealias Report = RecoveryKeyReport
    public static let name = RequestName.recoveryKey

    case show
}

/// The account's secret on this machine.
public enum RecoveryRequest: NodeRequest {
    public typealias Report = RecoveryReport
    public static let name = RequestName.recovery

    /// Removes it, if `key` is the recovery key.
    case confirm(key: String)
}

/// A sealed copy of the data folder.
public enum BackupRequest: NodeRequest {
    public typealias Report = BackupReport
    public static let name = RequestName.backup

    /// To a new file.
    case write(file: String, passphrase: String)
}

/// This user's machines.
public enum DeviceRequest: NodeRequest {
    public typealias Report = DeviceListReport
    public static let name = RequestName.device

    case list
    /// Ends a device in every group. `key` is the recovery key; nil takes the account's secret, as long as it is on this
    /// machine. `device` is an ID or a unique prefix of one.
    case revoke(device: String, key: String?)
}

/// A link, good once and for ten minutes, by which a new machine becomes one of this user's.
public enum DeviceLinkRequest: NodeRequest {
    public typealias Report = DeviceLinkReport
    public static let name = RequestName.deviceLink

    case make
}

/// Friends by code.
public enum FriendshipRequest: NodeRequest {
    public typealias Report = FriendsReport
    public static let name = RequestName.friendship

    case list
    /// Whether this node answers whoever looks for the user's code.
    case answer(Bool)
    /// Asks the owner of a code for friendship, for seven days or until there is an answer.
    case add(code: String)
    /// Takes such a wish back.
    case cancel(code: String)
    /// Says yes to a request: the two get a group of their own.
    case approve(user: String)
    case decline(user: String)
    /// Takes no requests of a user, who is not told.
    case block(user: String)
    case unblock(user: String)
    /// Ends the group of the two.
    case remove(user: String)
    /// Comes back into a group that a friend knows, from before a recovery, and of which `returns` tells. `group` is a title,
    /// an ID, or a unique prefix of either.
    case rejoin(group: String)
    /// Does not, and forgets the group.
    case dismiss(group: String)
}

/// The groups of this user, also those that have ended and are not taken off the list.
public enum GroupListRequest: NodeRequest {
    public typealias Report = GroupListReport
    public static let name = RequestName.groupList

    case all
}

/// One group.
public enum GroupRequest: NodeRequest {
    public typealias Report = GroupReport
    public static let name = RequestName.group

    case create(title: String)
    /// Which one is meant, also of those that have ended for this user.
    case find(group: String?)
    /// Makes it the active one.
    case use(group: String)
    /// Friends' nodes delete this user's records where `erasing` is set.
    case leave(group: String, erasing: Bool)
    /// Changes the title for everybody.
    case rename(group: String?, title: String)
    /// Makes another member the owner.
    case transfer(group: String?, user: String)
    /// Names who may take the group over; nil withdraws it.
    case heir(group: String?, user: String?)
    /// Makes this user the owner, whom the owner named as heir.
    case takeOver(group: String?)
}

/// A group's rules, and this user's own.
public enum GroupSettingsRequest: NodeRequest {
    public typealias Report = GroupSettingsReport
    public static let name = RequestName.groupSettings

    case show(group: String?)
    /// Changes what is not nil, for everybody.
    case change(group: String?, GroupSettingsChange)
    /// What this user's own numbers follow over all groups. Of the change only the missed day, freezes and the archive
    /// count.
    case ownRules(GroupSettingsChange)
}

/// Who is in a group.
public enum MemberRequest: NodeRequest {
    public typealias Report = MembersReport
    public static let name = RequestName.member

    case list(group: String?)
    case promote(group: String?, user: String)
    case demote(group: String?, user: String)
    /// With the member its live invites end, and unless `keepingInvites` those of others by which it came.
    case remove(group: String?, user: String, keepingInvites: Bool = false)
}

/// Newcomers that wait for an admin's word.
public enum AdmissionRequest: NodeRequest {
    public typealias Report = JoinRequestsReport
    public static let name = RequestName.admission

    /// Of every group where `group` is nil.
    case list(group: String?)
    /// `id` is an ID or a unique prefix of one.
    case approve(id: String)
    case deny(id: String)
}

/// What an admin did to a member and the owner takes back.
public enum AnnulmentRequest: NodeRequest {
    public typealias Report = AnnulmentsReport
    public static let name = RequestName.annulment

    /// The removals that can be annulled.
    case list(group: String?)
    /// Makes the admin a plain member, from before the removal on. `id` is an ID or a unique prefix of one.
    case annul(group: String?, id: String)
}

/// Who is meant, before anything is done to them.
public enum PersonRequest: NodeRequest {
    public typealias Report = PersonReport
    public static let name = RequestName.person

    /// A member of a group.
    case member(group: String?, user: String)
    /// A friend, as `FriendshipRequest.remove` means one.
    case friend(user: String)
    /// Somebody who asks, a friend, or a member of a group: whom `FriendshipRequest.block` can mean.
    case known(user: String)
}

/// A link that lets others in.
public enum InviteRequest: NodeRequest {
    public typealias Report = InviteReport
    public static let name = RequestName.invite

    /// `uses` 0 is unlimited; `lifetime` in seconds, at most 90 days.
    case create(group: String?, uses: Int, lifetime: Int64, needsApproval: Bool)
    /// Creates the group “Friends” where there is none, else shows the live invite or makes one.
    case friends
}

/// A group's invites.
public enum InviteListRequest: NodeRequest {
    public typealias Report = InviteListReport
    public static let name = RequestName.inviteList

    case list(group: String?)
    /// `id` is an ID or a unique prefix of one.
    case revoke(id: String)
}

/// What a link says, before anything is dialled.
public enum LinkRequest: NodeRequest {
    public typealias Report = InvitePreview
    public static let name = RequestName.link

    case inspect(link: String)
}

/// The way into a group.
public enum JoinRequest: NodeRequest {
    public typealias Report = JoinReport
    public static let name = RequestName.join

    /// `timeout` in seconds. The history to publish: days back from today, 0 only from today, nil all.
    case join(link: String, timeout: Int64, history: Int?)
}

/// What a group sees of this user, and whether it gets anything new.
public enum PrivacyRequest: NodeRequest {
    public typealias Report = PrivacyReport
    public static let name = RequestName.privacy

    case show(group: String?)
    /// Changes what is not nil.
    case change(group: String?, PrivacyChange)
    /// Publishes nothing new in the group from now on; reading goes on.
    case stopSharing(group: String?)
    /// Publishes again, with the results of `history` days back from today, 0 only from today, nil all.
    case resumeSharing(group: String?, history: Int?)
}

/// Somebody else plays on this machine.
public enum GuestRequest: NodeRequest {
    public typealias Report = GuestReport
    public static let name = RequestName.guest

    case status
    /// Closes every link; from now on results are the guest's.
    case start(name: String)
    /// The host is back.
    case stop(GuestEnding)
}

/// What becomes of a guest's results.
public enum GuestEnding: Codable, Sendable, Equatable {
    /// They wait for the next time that a guest plays.
    case keep
    /// They are written to a new file, as CSV where its name ends in `.csv` and else as JSON, and removed here.
    case export(file: String)
    case discard
}

/// One of this user's own results, or several.
public enum ScoreRequest: NodeRequest {
    public typealias Report = AddReport
    public static let name = RequestName.score

    /// `date` stands for the day where the text gives none. New results are published in `groups`: nil for every group that
    /// shares the game, none for no group. `sharingOnly` takes for each result those of the groups that share its game.
    case add(text: String, date: String?, replace: Bool, groups: [String]?, sharingOnly: Bool = false)
    /// What `add` would do, storing nothing.
    case preview(text: String, date: String?)
    /// `seconds` is the solve time of a timed game; `groups` as in `add`. A lower value takes the place of the day's best
    /// one only where `replace` is set.
    case record(
        game: String, score: Int?, isCompleted: Bool, seconds: Int?, date: String?, groups: [String]?,
        replace: Bool = false)
    /// A result that is recorded already goes to these groups, too.
    case publish(game: String, date: String, puzzle: Int?, groups: [String]?)
    /// The withdrawn result is under `added`.
    case delete(game: String, date: String, puzzle: Int?)
}

/// Takes something back.
public enum UndoRequest: NodeRequest {
    public typealias Report = UndoReport
    public static let name = RequestName.undo

    /// The last `add`, `record`, `publish` or `delete`, wherever it was made.
    case last
}

/// This user's own results.
public enum ResultsRequest: NodeRequest {
    public typealias Report = ResultsReport
    public static let name = RequestName.results

    case list(game: String?, from: String?, to: String?)
}

/// The node and its links.
public enum StatusRequest: NodeRequest {
    public typealias Report = StatusReport
    public static let name = RequestName.status

    case status
    /// Dials every known peer, and answers once those that were reached are caught up with or given up.
    case sync
}

/// This machine's clock.
public enum ClockRequest: NodeRequest {
    public typealias Report = ClockReport
    public static let name = RequestName.clock

    case show
    /// What this machine wrote while its clock was ahead is retracted and written again. `isForced`: also while the others
    /// say that it still is.
    case repair(isForced: Bool)
}

/// What is to be different in a group's settings; nil leaves a setting as it is.
public struct GroupSettingsChange: Codable, Sendable, Equatable {
    /// `everyone`, `admins` or `owner`.
    public var invites: String?
    /// Whether results of a puzzle are covered until one's own is recorded.
    public var spoilerGuard: Bool?
    /// What a missed day counts in averages: `nothing`, `worst+1` or `zero`.
    public var missedDay: String?
    /// Whether streaks have freezes.
    public var freezes: Bool?
    /// After how many days a result counts no more; 0 for never.
    public var archiveDays: Int?

    public init(
        invites: String? = nil, spoilerGuard: Bool? = nil, missedDay: String? = nil, freezes: Bool? = nil,
        archiveDays: Int? = nil
    ) {
        self.invites = invites
        self.spoilerGuard = spoilerGuard
        self.missedDay = missedDay
        self.freezes = freezes
        self.archiveDays = archiveDays
    }
}

/// What is to be different in what a group sees of this user; nil leaves it as it is.
public struct PrivacyChange: Codable, Sendable, Equatable {
    /// Whether the group sees an alias in place of the name.
    public var anonymous: Bool?
    /// The alias; empty for the derived one, `Player#A1B2`.
    public var alias: String?
    /// Whether this user is on no leaderboard of the group.
    public var hidden: Bool?
    /// A short text such as `FR`; empty for none.
    public var region: String?
    /// Whether others see when this user was last there.
    public var lastSeen: Bool?
    /// Games whose new results the group gets, or gets no more.
    public var share: [String]
    public var unshare: [String]

    public init(
        anonymous: Bool? = nil, alias: String? = nil, hidden: Bool? = nil, region: String? = nil,
        lastSeen: Bool? = nil, share: [String] = [], unshare: [String] = []
    ) {
        self.anonymous = anonymous
        self.alias = alias
        self.hidden = hidden
        self.region = region
        self.lastSeen = lastSeen
        self.share = share
        self.unshare = unshare
    }
}

/// Which board is wanted; nil fields take the defaults of `streakmesh board`.
public struct BoardRequest: NodeRequest {
    public typealias Report = BoardReport
    public static let name = RequestName.board

    /// The ranges that have a name; any other one is two days, `yyyy-MM-dd..yyyy-MM-dd`.
    public static let ranges = BoardRange.names
    public static let metrics = BoardMetric.allCases.map(\.rawValue)

    public var group: String?
    /// A game's ID, name or unique prefix; nil for all games together.
    public var game: String?
    /// One of `ranges`, or `D..D`.
    public var range: String?
    /// The shown day, `yyyy-MM-dd`; nil for the viewer's today.
    public var date: String?
    /// `points`, `streak`, `logs` or `coins`.
    public var metric: String?
    /// Shows covered results.
    public var reveal: Bool
    /// Everybody in all of the user's groups, a person once; `group` is then without effect.
    public var everyGroup: Bool
    /// Only players with this region, whatever its letter case.
    public var region: String?
    /// Only players who are linked over the local network now, and the user.
    public var nearby: Bool
    /// The most rows, at most 1,000; nil for 100.
    public var limit: Int?
    /// Rows skipped.
    public var offset: Int?

    public init(
        group: String? = nil, game: String? = nil, range: String? = nil, date: String? = nil, metric: String? = nil,
        reveal: Bool = false, everyGroup: Bool = false, region: String? = nil, nearby: Bool = false,
        limit: Int? = nil, offset: Int? = nil
    ) {
        self.everyGroup = everyGroup
        self.region = region
        self.nearby = nearby
        self.limit = limit
        self.offset = offset
        self.group = group
        self.game = game
        self.range = range
        self.date = date
        self.metric = metric
        self.reveal = reveal
    }
}
