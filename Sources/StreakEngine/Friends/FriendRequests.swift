public import StreakCrypto
import StreakLinks
public import StreakMembership
public import StreakReplication
public import StreakWire

/// Why a wish about friends is not carried out.
public enum FriendFailure: Error, Sendable, Equatable {
    /// The code is this account's.
    case ownCode
    /// The two have a group of their own already.
    case alreadyFriend(GroupID)
    /// The owner of this code has been asked, or this node is looking for the owner.
    case alreadyAsked
    /// This user has blocked the owner of the code.
    case blocked
    case tooManyRequests
    /// There is no such request, received or sent.
    case unknownRequest
}

/// Something that happened in a friend request that this user sent or received.
public enum FriendEvent: Sendable, Equatable {
    case requestReceived(UserID)
    /// The owner of a code was found and has been asked; it has not decided.
    case ownerFound(FriendCode, UserID)
    case declined(FriendCode)
    /// This device is in the group of the two.
    case accepted(FriendCode, GroupID)
    /// The asker whose request was approved here is in the group of the two.
    case joined(UserID, GroupID)
    /// Seven days are over, and nobody has decided.
    case expired(FriendCode)
    /// The request failed and was forgotten.
    case failed(FriendCode, FriendFailure)
    /// A friend knows a group of this account from before a recovery. The user has to say whether to come back.
    case returnOffered(GroupID)
    /// This device is back in such a group.
    case returned(GroupID)
    /// Another machine of the account has brought this one into a group.
    case brought(GroupID)
}

/// A request of this user.
public struct SentFriendRequest: Sendable, Equatable {
    public enum Stage: Sendable, Equatable {
        /// Nobody with this code was found yet.
        case looking
        /// The owner has the request, and has not decided.
        case pending(UserID)
        case declined
        /// The owner has said yes; this device is joining the group.
        case joining(UserID)
    }

    public let code: FriendCode
    /// Seconds since 1970.
    public let askedAt: Int64
    /// When this node gives up; seconds since 1970.
    public let endsAt: Int64
    public let stage: Stage
}

/// A request of somebody else.
public struct ReceivedFriendRequest: Sendable, Equatable {
    public enum Stage: Sendable, Equatable {
        case pending
        case declined
        /// Approved; the asker is not in the group yet.
        case approved(GroupID)
    }

    public let user: UserID
    /// The name that the asker chose. It proves nothing.
    public let name: String
    /// The asker's own code, computed here from its account.
    public let code: FriendCode
    /// Seconds since 1970, by this node's clock.
    public let receivedAt: Int64
    public let stage: Stage
}

/// Friend requests, and the state of looking for friends. Everything except caches is kept in rows.
struct FriendRequests: Sendable {
    static let maximumSent = 32
    static let maximumPending = 64
    /// Received requests that are kept, including decided ones.
    static let maximumReceived = 128
    static let maximumBlocked = 1_024
    static let lifetime: Int64 = 7 * 86_400
    static let inviteLifetime: Int64 = 90 * 86_400
    /// Friend codes of members that are kept while the node runs.
    static let maximumCodes = 2_048
    static let pauses: [Duration] = [.seconds(5), .seconds(15), .seconds(60), .seconds(300)]
    /// An attempt repeats its call after these pauses until somebody answers: wireless networks do not repeat lost
    /// multicast (compare RFC 6762, section 5.2).
    static let callPauses: [Duration] = [.seconds(1), .seconds(2)]
    static let maximumEndpoints = 8
    static let dialPause: Duration = .seconds(5)
    /// How long a received request is kept, in seconds.
    static let receivedLifetime: Int64 = 30 * 86_400

    /// A request of this user, and the state of looking for the owner.
    struct Sent: Sendable {
        let keys: FriendCodeKeys
        let name: String
        let askedAt: Int64
        var stage: Stage = .looking
        /// The device that showed that it belongs to the owner.
        var owner: DeviceCertificate?
        var attempts = 0
        var nextAttempt: MonotonicInstant = .zero
        /// For the attempt in progress: how often the local networks were called again, and when the next call is due.
        var repeatedCalls = 0
        var nextCall: MonotonicInstant?
        var endpoints: [Endpoint] = []
        var dialledAt: [Endpoint: MonotonicInstant] = [:]
        /// The member of a common group that has this code.
        var member: UserID?
        /// Members whose codes were compared and differ.
        var compared: Set<UserID> = []

        var endsAt: Int64 { askedAt + FriendRequests.lifetime }
        /// Whether the request still has to be made or the group joined.
        var isOpen: Bool { stage != .declined }
        /// Whether it is still unknown who has the code.
        var isSought: Bool { isOpen && owner == nil && member == nil }
    }

    enum Stage: Sendable, Equatable {
        case looking, pending, declined
        case joining(link: String)
    }

    /// A request of somebody else.
    struct Received: Sendable {
        let user: UserID
        var name: String
        let code: FriendCode
        var linkKey: AgreementPublicKey
        /// When the user asked, by the asker's clock. Distinguishes a new request from a repeated one.
        var askedAt: Int64
        let receivedAt: Int64
        var decision: Decision = .none
    }

    enum Decision: Sendable, Equatable {
        case none, declined
        case approved(GroupID, link: String)
    }

    /// The keys of this account's code, while this node answers to it.
    var own: FriendCodeKeys?
    var sent: [FriendCode: Sent] = [:]
    var received: [UserID: Received] = [:]
    var blocked: Set<UserID> = []
    var codes: [UserID: FriendCode] = [:]
    /// Joins that this engine began itself, by the request they belong to.
    var joins: [CommandID: FriendCode] = [:]
    private var lastJoin: UInt64 = .max
    /// When to compare the next member's code with those looked for, and whether one is being worked out.
    var nextComparison: MonotonicInstant?
    var isComparing = false
    var derivations = CodeDerivations()
    /// Whether somebody may have become a friend since the last check.
    var needsReview = true
    /// When the ages of requests were last checked, in seconds since 1970.
    var agesCheckedAt: Int64?

    /// An ID for a command of the engine's own. The shell counts up from 1.
    mutating func newJoin(for code: FriendCode) -> CommandID {
        lastJoin -= 1
        let id = CommandID(number: lastJoin)
        joins[id] = code
        return id
    }

    var nextDeadline: MonotonicInstant? {
        // A minimum is the same in any order.
        let attempts = sent.values.filter(\.isOpen).flatMap { [$0.nextAttempt, $0.nextCall ?? $0.nextAttempt] }
        return (attempts + (isComparing ? [] : [nextComparison].compactMap(\.self))).min()
    }

    mutating func cacheCode(_ code: FriendCode, of user: UserID) {
        if codes.count >= Self.maximumCodes { codes = [:] }
        codes[user] = code
    }

    var sentInOrder: [FriendCode] { sent.keys.sorted { $0.description < $1.description } }

    // MARK: Kept

    static let ownSetting = "friend-own"

    /// Restores what was stored. What cannot be read is ignored: the shell sets this account's code again, and those who
    /// ask repeat their requests.
    init(settings: [String: [UInt8]], rows: LocalRows) {
        var reader = WireReader(settings[Self.ownSetting] ?? [])
        own = try? FriendCodeKeys(from: &reader)  // as above
        for request in rows.all(Sent.self) { sent[request.keys.code] = request }
        for request in rows.all(Received.self) { received[request.user] = request }
        blocked = Set(rows.all(BlockedUser.self).map(\.user))
    }
}

extension FriendRequests.Sent: LocalRow {
    static var shape: RowShape<Self> {
        RowShape(
            .sentRequests, Self.init(code:root:name:askedAt:isDeclined:link:owner:), \.keys.code, \.keys.root, \.name,
            \.askedAt, \.isDeclined, \.link, \.owner)
    }

    private var isDeclined: Bool { stage == .declined }
    private var link: String? { if case .joining(let link) = stage { link } else { nil } }

    private init(
        code: FriendCode, root: SymmetricKey, name: String, askedAt: Int64, isDeclined: Bool, link: String?,
        owner: DeviceCertificate?
    ) {
        // So that adding a lifetime to it cannot overflow.
        self.init(
            keys: FriendCodeKeys(code: code, root: root), name: name, askedAt: min(askedAt, Int64.max >> 1),
            stage: owner == nil ? .looking : .pending, owner: owner)
        if isDeclined { stage = .declined }
        if let link { stage = .joining(link: link) }
    }
}

extension FriendRequests.Received: LocalRow {
    static var shape: RowShape<Self> {
        RowShape(
            .receivedRequests, Self.init(user:name:code:linkKey:askedAt:receivedAt:isDeclined:pair:link:), \.user,
            \.name,
            \.code, \.linkKey, \.askedAt, \.receivedAt, \.isDeclined, \.approval?.pair, \.approval?.link)
    }

    private var isDeclined: Bool { decision == .declined }
    private var approval: (pair: GroupID, link: String)? {
        if case .approved(let pair, let link) = decision { (pair, link) } else { nil }
    }

    private init(
        user: UserID, name: String, code: FriendCode, linkKey: AgreementPublicKey, askedAt: Int64, receivedAt: Int64,
        isDeclined: Bool, pair: GroupID?, link: String?
    ) {
        self.init(
            user: user, name: name, code: code, linkKey: linkKey, askedAt: askedAt, receivedAt: receivedAt,
            decision: isDeclined ? .declined : .none)
        if let pair, let link { decision = .approved(pair, link: link) }
    }
}

/// A user of whom no requests are taken.
public struct BlockedUser: LocalRow {
    public let user: UserID
    /// What it was called then, by which this user knows it again: at most 640 bytes.
    public let name: String

    public static var shape: RowShape<Self> { RowShape(.blockedUsers, Self.init, \.user, \.name) }
}

// MARK: - Columns

extension FriendCode: ColumnValue {
    public var rowValue: RowValue { .text(description) }
    public init?(_ value: RowValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }
}

extension DeviceCertificate: ColumnValue {
    public var rowValue: RowValue { .bytes(encoded()) }
    public init?(_ value: RowValue) {
        guard case .bytes(let bytes) = value else { return nil }
        var reader = WireReader(bytes)
        guard let read = try? Self(from: &reader) else { return nil }  // as the protocol says
        self = read
    }
}

extension AgreementPublicKey: ColumnValue {
    public var rowValue: RowValue { .bytes(rawBytes) }
    public init?(_ value: RowValue) {
        guard case .bytes(let bytes) = value, let read = try? Self(rawBytes: bytes) else { return nil }  // 32 bytes
        self = read
    }
}

extension SymmetricKey: ColumnValue {
    public var rowValue: RowValue { .bytes(rawBytes()) }
    public init?(_ value: RowValue) {
        guard case .bytes(let bytes) = value, let read = try? Self(rawBytes: bytes) else { return nil }  // 32 bytes
        self = read
    }
}
