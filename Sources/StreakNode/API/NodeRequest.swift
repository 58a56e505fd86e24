import StreakScores

/// What a page, a command or an embedding program asks of a node. The same requests travel over the control socket.
///
/// `group` is a title, an ID or a unique beginning of either, in every request; nil stands for the active group. `user` is
/// a friend code, a user ID as reports give it, a unique beginning of that of four digits or more, or a name; what is
/// named in an earlier one of these ways goes before what is named in a later one. Days are `yyyy-MM-dd`.
public enum NodeRequest: Codable, Sendable, Equatable {
    case profile(ProfileRequest)
    case account(AccountRequest)
    case device(DeviceRequest)
    case friend(FriendshipRequest)
    case group(GroupRequest)
    case member(MemberRequest)
    case person(PersonRequest)
    case invite(InviteRequest)
    case privacy(PrivacyRequest)
    case guest(GuestRequest)
    case score(ScoreRequest)
    case board(BoardRequest)
    case insight(InsightRequest)
    case reminder(ReminderRequest)
    case game(GameRequest)
    case exchange(ExchangeRequest)
    case network(NetworkRequest)
}

/// Who this user is. → `ProfileReport`
public enum ProfileRequest: Codable, Sendable, Equatable {
    case whoami
    case rename(name: String)
}

/// The account's secret and its copies.
public enum AccountRequest: Codable, Sendable, Equatable {
    /// → `RecoveryKeyReport`: the key itself, as long as it is on this machine.
    case showRecoveryKey
    /// → `RecoveryReport`: removes the account's secret from this machine, if `key` is the recovery key.
    case confirmRecoveryKey(key: String)
    /// → `BackupReport`: writes a sealed copy of the data folder to a new file.
    case backup(file: String, passphrase: String)
}

/// This user's machines.
public enum DeviceRequest: Codable, Sendable, Equatable {
    /// → `DeviceListReport`
    case list
    /// → `DeviceListReport`: ends a device in every group. `key` is the recovery key; nil takes the account's secret,
    /// as long as it is on this machine. `device` is an ID or a unique prefix of one.
    case revoke(device: String, key: String?)
    /// → `DeviceLinkReport`: a link, good once and for ten minutes, by which a new machine becomes one of this user's.
    case link
}

/// Friends by code. → `FriendsReport`
public enum FriendshipRequest: Codable, Sendable, Equatable {
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

/// Groups as such.
public enum GroupRequest: Codable, Sendable, Equatable {
    /// → `GroupListReport`
    case list
    /// → `GroupReport`
    case create(title: String)
    /// → `GroupReport`: which one is meant, also of those that have ended for this user.
    case find(group: String?)
    /// → `GroupReport`: makes it the active one.
    case use(group: String)
    /// → `GroupReport`. Friends' nodes delete this user's records where `erasing` is set.
    case leave(group: String, erasing: Bool)
    /// → `GroupReport`: changes the title for everybody.
    case rename(group: String?, title: String)
    /// → `GroupSettingsReport`
    case settings(group: String?)
    /// → `GroupSettingsReport`: changes what is not nil, for everybody.
    case changeSettings(group: String?, GroupSettingsChange)
    /// → `GroupSettingsReport`: what this user's own numbers follow over all groups. Of the change only the missed day,
    /// freezes and the archive count.
    case ownRules(GroupSettingsChange)
    /// → `GroupReport`: makes another member the owner.
    case transfer(group: String?, user: String)
    /// → `GroupReport`: names who may take the group over; nil withdraws it.
    case heir(group: String?, user: String?)
    /// → `GroupReport`: makes this user the owner, whom the owner named as heir.
    case takeOver(group: String?)
}

/// Who is in a group.
public enum MemberRequest: Codable, Sendable, Equatable {
    /// → `MembersReport`
    case list(group: String?)
    /// → `MembersReport`
    case promote(group: String?, user: String)
    /// → `MembersReport`
    case demote(group: String?, user: String)
    /// → `MembersReport`. With the member its live invites end, and unless `keepingInvites` those of others by which it came.
    case remove(group: String?, user: String, keepingInvites: Bool = false)
    /// → `JoinRequestsReport`: newcomers that wait for an admin's word; of every group where `group` is nil.
    case requests(group: String?)
    /// → `JoinRequestsReport`. `id` is an ID or a unique prefix of one.
    case approve(id: String)
    /// → `JoinRequestsReport`
    case deny(id: String)
}

/// Who is meant, before anything is done to them. → `PersonReport`
public enum PersonRequest: Codable, Sendable, Equatable {
    /// A member of a group.
    case member(group: String?, user: String)
    /// A friend, as `FriendshipRequest.remove` means one.
    case friend(user: String)
    /// Somebody who asks, a friend, or a member of a group: whom `FriendshipRequest.block` can mean.
    case known(user: String)
}

/// Links that let others in.
public enum InviteRequest: Codable, Sendable, Equatable {
    /// → `InviteReport`. `uses` 0 is unlimited; `lifetime` in seconds, at most 90 days.
    case create(group: String?, uses: Int, lifetime: Int64, needsApproval: Bool)
    /// → `InviteReport`: creates the group “Friends” where there is none, else shows the live invite or makes one.
    case friends
    /// → `InviteListReport`
    case list(group: String?)
    /// → `InviteListReport`. `id` is an ID or a unique prefix of one.
    case revoke(id: String)
    /// → `InvitePreview`: what a link says, before anything is dialled.
    case inspect(link: String)
    /// → `JoinReport`. `timeout` in seconds. The history to publish: days back from today, 0 only from today, nil all.
    case join(link: String, timeout: Int64, history: Int?)
}

/// What a group sees of this user, and whether it gets anything new.
public enum PrivacyRequest: Codable, Sendable, Equatable {
    /// → `PrivacyReport`
    case show(group: String?)
    /// → `PrivacyReport`: changes what is not nil.
    case change(group: String?, PrivacyChange)
    /// → `PrivacyReport`: publishes nothing new in the group from now on; reading goes on.
    case stopSharing(group: String?)
    /// → `PrivacyReport`: publishes again, with the results of `history` days back from today, 0 only from today, nil all.
    case resumeSharing(group: String?, history: Int?)
}

/// Somebody else plays on this machine.
public enum GuestRequest: Codable, Sendable, Equatable {
    /// → `GuestReport`
    case status
    /// → `GuestReport`: closes every link; from now on results are the guest's.
    case start(name: String)
    /// → `GuestReport`: the host is back.
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

/// This user's own results.
public enum ScoreRequest: Codable, Sendable, Equatable {
    /// → `AddReport`. `date` stands for the day where the text gives none. New results are published in `groups`: nil
    /// for every group that shares the game, none for no group. `sharingOnly` takes for each result those of the groups
    /// that share its game.
    case add(text: String, date: String?, replace: Bool, groups: [String]?, sharingOnly: Bool = false)
    /// → `AddReport`: what `add` would do, storing nothing.
    case preview(text: String, date: String?)
    /// → `AddReport`. `seconds` is the solve time of a timed game; `groups` as in `add`. A lower value takes the place of
    /// the day's best one only where `replace` is set.
    case record(
        game: String, score: Int?, isCompleted: Bool, seconds: Int?, date: String?, groups: [String]?,
        replace: Bool = false)
    /// → `AddReport`: a result that is recorded already goes to these groups, too.
    case publish(game: String, date: String, puzzle: Int?, groups: [String]?)
    /// → `AddReport`: the withdrawn result, under `added`.
    case delete(game: String, date: String, puzzle: Int?)
    /// → `UndoReport`: takes back the last `add`, `record`, `publish` or `delete`, wherever it was made.
    case undo
    /// → `ResultsReport`
    case results(game: String?, from: String?, to: String?)
    /// → `GamesReport`
    case games
}

/// The node and its links.
public enum NetworkRequest: Codable, Sendable, Equatable {
    /// → `StatusReport`
    case status
    /// → `ClockReport`
    case clock
    /// → `ClockReport`: what this machine wrote while its clock was ahead is retracted and written anew. `isForced`: also
    /// while the others say that it still is.
    case repairClock(isForced: Bool)
    /// → `StatusReport`: dials every known peer, and answers once those that were reached are caught up with or given up.
    case sync
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
public struct BoardRequest: Codable, Sendable, Equatable {
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

/// Something that answers requests: the node itself, or a running one behind its control socket.
public protocol NodeCalling: Sendable {
    /// Answers one request. Throws `NodeFailure`.
    func call<Report: Codable & Sendable>(_ request: NodeRequest, returning type: Report.Type) async throws -> Report
}
