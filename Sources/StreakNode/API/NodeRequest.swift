import StreakScores

/// What a page, a command or an embedding program can ask a node. The same requests travel over the control socket.
///
/// A request is a type that names its report. A new one needs a type here, a name in `RequestName`, and an `answer`
/// that says which service answers it. Whatever is left out does not compile.
///
/// In every request, `group` is a title, an ID or a unique beginning of either; nil is the active group. `user` is a
/// friend code, a user ID from a report, a unique beginning of one with at least four digits, or a name. If a text fits
/// several of these, the earlier one in this list counts. Days are `yyyy-MM-dd`.
public protocol NodeRequest: Codable, Sendable, Equatable {
    associatedtype Report: Codable & Sendable
    /// What it is called on the control socket.
    static var name: RequestName { get }
    /// Checks what needs no account: days, ranges, settings, names and codes. These mistakes are reported in whatever
    /// state the account is. Throws `NodeFailure`.
    func checkArguments() throws
    /// Answers it. Throws `NodeFailure`.
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
        status, doctor, internet, clock, board, statistics, streaks, achievements, recap, versus, champions, event,
        share, shareTemplate, reminder, games, game,
        pattern, export, load, chat, talk, mute, feed, challenge, notification, message, player

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
        case .doctor: DoctorRequest.self
        case .internet: InternetRequest.self
        case .clock: ClockRequest.self
        case .board: BoardRequest.self
        case .statistics: StatisticsRequest.self
        case .streaks: StreaksRequest.self
        case .achievements: AchievementsRequest.self
        case .recap: RecapRequest.self
        case .versus: VersusRequest.self
        case .champions: ChampionsRequest.self
        case .event: EventRequest.self
        case .share: ShareRequest.self
        case .shareTemplate: ShareTemplateRequest.self
        case .reminder: ReminderRequest.self
        case .games: GamesRequest.self
        case .game: GameRequest.self
        case .pattern: PatternRequest.self
        case .export: ExportRequest.self
        case .load: ImportRequest.self
        case .chat: ChatRequest.self
        case .talk: TalkRequest.self
        case .mute: MuteRequest.self
        case .challenge: ChallengeRequest.self
        case .feed: FeedRequest.self
        case .notification: NotificationRequest.self
        case .message: MessageRequest.self
        case .player: PlayerRequest.self
        }
    }
}

/// Reads or changes this user's profile.
public enum ProfileRequest: NodeRequest {
    public typealias Report = ProfileReport
    public static let name = RequestName.profile

    case whoami
    case rename(name: String)
}

/// The recovery key itself, while it is on this machine.
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

/// A sealed copy of the data folder, in a new file.
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
    /// Names a device for this user's devices; nobody else hears of it. `device` is a name, an ID or a unique prefix of one.
    case rename(device: String, name: String)
    /// Revokes a device in every group. `key` is the recovery key; nil uses the account's secret, while it is on this
    /// machine. `device` as above.
    case revoke(device: String, key: String?)
}

/// A link that works once, within ten minutes, and makes a new machine one of this user's.
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
    /// Whether this node answers people who look for the user's code.
    case answer(Bool)
    /// Asks the owner of a code for friendship, for seven days or until there is an answer.
    case add(code: String)
    /// Takes such a wish back.
    case cancel(code: String)
    /// Says yes to a request: the two get a group of their own.
    case approve(user: String)
    case decline(user: String)
    /// Ignores a user's requests from now on. The user is not told.
    case block(user: String)
    case unblock(user: String)
    /// Ends the group of the two.
    case remove(user: String)
    /// Comes back into a group that a friend knows from before a recovery; `returns` in the report lists them. `group`
    /// is a title, an ID, or a unique prefix of either.
    case rejoin(group: String)
    /// Declines to come back, and forgets the group.
    case dismiss(group: String)
}

/// This user's groups, also those that have ended but are still on the list.
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
    /// The group that a text means, also one that has ended for this user.
    case find(group: String?)
    /// Makes a group the active one.
    case use(group: String)
    /// Leaves a group. With `erasing`, friends' nodes delete this user's records.
    case leave(group: String, erasing: Bool)
    /// Changes the title for everybody.
    case rename(group: String?, title: String)
    /// Makes another member the owner.
    case transfer(group: String?, user: String)
    /// Names the heir, who may take the group over; nil withdraws it.
    case heir(group: String?, user: String?)
    /// Makes this user the owner, if the owner named this user heir.
    case takeOver(group: String?)
}

/// A group's rules, and the rules for this user's own numbers.
public enum GroupSettingsRequest: NodeRequest {
    public typealias Report = GroupSettingsReport
    public static let name = RequestName.groupSettings

    case show(group: String?)
    /// Changes what is not nil, for everybody.
    case change(group: String?, GroupSettingsChange)
    /// Changes the rules for this user's own numbers over all groups. Only the missed day, freezes and the archive
    /// apply.
    case ownRules(GroupSettingsChange)
}

/// Who is in a group.
public enum MemberRequest: NodeRequest {
    public typealias Report = MembersReport
    public static let name = RequestName.member

    case list(group: String?)
    case promote(group: String?, user: String)
    case demote(group: String?, user: String)
    /// Removes a member. The member's live invites end, and unless `keepingInvites` so do other members' invites by
    /// which it joined.
    case remove(group: String?, user: String, keepingInvites: Bool = false)
}

/// Newcomers who wait to be admitted.
public enum AdmissionRequest: NodeRequest {
    public typealias Report = JoinRequestsReport
    public static let name = RequestName.admission

    /// In every group, if `group` is nil.
    case list(group: String?)
    /// `id` is an ID or a unique prefix of one.
    case approve(id: String)
    case deny(id: String)
}

/// Removals by admins that the owner can annul.
public enum AnnulmentRequest: NodeRequest {
    public typealias Report = AnnulmentsReport
    public static let name = RequestName.annulment

    /// The removals that can be annulled.
    case list(group: String?)
    /// Makes the admin a plain member from before the removal on. `id` is an ID or a unique prefix of one.
    case annul(group: String?, id: String)
}

/// Shows whom a text means, before anything is done to that person.
public enum PersonRequest: NodeRequest {
    public typealias Report = PersonReport
    public static let name = RequestName.person

    /// A member of a group.
    case member(group: String?, user: String)
    /// A friend, by the same rules as `FriendshipRequest.remove`.
    case friend(user: String)
    /// Somebody who asks, a friend, or a member of a group: anybody whom `FriendshipRequest.block` can mean.
    case known(user: String)
}

/// Makes a link that lets others in.
public enum InviteRequest: NodeRequest {
    public typealias Report = InviteReport
    public static let name = RequestName.invite

    /// `uses` 0 is unlimited; `lifetime` in seconds, at most 90 days.
    case create(group: String?, uses: Int, lifetime: Int64, needsApproval: Bool)
    /// Creates the group “Friends” if there is no group; shows the live invite or makes one.
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

/// What a link says about itself, before anything is dialled.
public enum LinkRequest: NodeRequest {
    public typealias Report = InvitePreview
    public static let name = RequestName.link

    case inspect(link: String)
}

/// Joins a group by a link.
public enum JoinRequest: NodeRequest {
    public typealias Report = JoinReport
    public static let name = RequestName.join

    /// `timeout` in seconds. `history` says which results to publish: days back from today, 0 for today only, nil for
    /// all.
    case join(link: String, timeout: Int64, history: Int?)
}

/// What a group sees of this user, and whether it gets new results.
public enum PrivacyRequest: NodeRequest {
    public typealias Report = PrivacyReport
    public static let name = RequestName.privacy

    case show(group: String?)
    /// Changes what is not nil.
    case change(group: String?, PrivacyChange)
    /// Publishes nothing new in the group from now on; reading goes on.
    case stopSharing(group: String?)
    /// Publishes again, also the results of `history` days back from today: 0 for today only, nil for all.
    case resumeSharing(group: String?, history: Int?)
}

/// Lets somebody else play on this machine.
public enum GuestRequest: NodeRequest {
    public typealias Report = GuestReport
    public static let name = RequestName.guest

    case status
    /// Closes every link. From now on results are the guest's.
    case start(name: String)
    /// Ends guest mode.
    case stop(GuestEnding)
}

/// What happens to a guest's results.
public enum GuestEnding: Codable, Sendable, Equatable {
    /// They stay until a guest plays again.
    case keep
    /// They are written to a new file and removed here: as CSV if its name ends in `.csv`, otherwise as JSON.
    case export(file: String)
    case discard
}

/// One of this user's own results, or several.
public enum ScoreRequest: NodeRequest {
    public typealias Report = AddReport
    public static let name = RequestName.score

    /// `date` is the day if the text gives none. New results are published in `groups`: nil for every group that shares
    /// the game, empty for none. `sharingOnly` takes, for each result, only those groups that share its game.
    case add(text: String, date: String?, replace: Bool, groups: [String]?, sharingOnly: Bool = false)
    /// What `add` would do, storing nothing.
    case preview(text: String, date: String?)
    /// `seconds` is the solve time of a timed game; `groups` as in `add`. Only with `replace` may a lower value replace
    /// the day's best one.
    case record(
        game: String, score: Int?, isCompleted: Bool, seconds: Int?, date: String?, groups: [String]?,
        replace: Bool = false)
    /// Publishes a result that is recorded already in these groups, too.
    case publish(game: String, date: String, puzzle: Int?, groups: [String]?)
    /// The report has the withdrawn result under `added`.
    case delete(game: String, date: String, puzzle: Int?)
}

/// Takes something back.
public enum UndoRequest: NodeRequest {
    public typealias Report = UndoReport
    public static let name = RequestName.undo

    /// The last `add`, `record`, `publish` or `delete` made on this machine.
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
    /// Dials every known peer. Answers when it has caught up with those that it reached, or given up on them.
    case sync
}

/// Why this user cannot see a friend.
public enum DoctorRequest: NodeRequest {
    public typealias Report = DoctorReport
    public static let name = RequestName.doctor

    /// `friend` as other requests take a `user`; nil for all friends. Reads everything that is stored.
    case look(friend: String? = nil)
}

/// How friends on the internet find this machine.
public enum InternetRequest: NodeRequest {
    public typealias Report = InternetReport
    public static let name = RequestName.internet

    case show
    /// `on`, `off` or `lan-only`; whether this machine leaves its newest results in the DHT; and whether the page advises a machine that is
    /// always on. Nil leaves each as it is.
    case change(String?, letters: Bool? = nil, advice: Bool? = nil)
}

/// This machine's clock.
public enum ClockRequest: NodeRequest {
    public typealias Report = ClockReport
    public static let name = RequestName.clock

    case show
    /// Retracts what this machine wrote while its clock was ahead, and writes it again. With `isForced`, even while the
    /// other clocks say that it still is ahead.
    case repair(isForced: Bool)
}

/// Changes to a group's settings; nil leaves a setting as it is.
public struct GroupSettingsChange: Codable, Sendable, Equatable {
    /// `everyone`, `admins` or `owner`.
    public var invites: String?
    /// Whether a puzzle's results are covered until the viewer's own is recorded.
    public var spoilerGuard: Bool?
    /// What a missed day counts in averages: `nothing`, `worst+1` or `zero`.
    public var missedDay: String?
    /// Whether streaks have freezes.
    public var freezes: Bool?
    /// After how many days a result no longer counts; 0 for never.
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

/// Changes to what a group sees of this user; nil leaves a value as it is.
public struct PrivacyChange: Codable, Sendable, Equatable {
    /// Whether the group sees an alias instead of the name.
    public var anonymous: Bool?
    /// The alias; empty for the derived one, `Player#A1B2`.
    public var alias: String?
    /// Whether this user is left out of the group's leaderboards.
    public var hidden: Bool?
    /// A short text such as `FR`; empty for none.
    public var region: String?
    /// Whether others see when this user was last online.
    public var lastSeen: Bool?
    /// Games whose new results the group gets from now on, and games whose results it does not get.
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

    /// The ranges that have a name. Any other range is two days, `yyyy-MM-dd..yyyy-MM-dd`.
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
    /// Everybody in all of the user's groups, each person once; `group` then has no effect.
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
