import StreakCrypto
import StreakLinks
public import StreakMembership
public import StreakWire

/// Why a wish about friends is not carried out.
public enum FriendFailure: Error, Sendable, Equatable {
    /// The code is this account's.
    case ownCode
    /// There is a group of the two already.
    case alreadyFriend(GroupID)
    /// The owner of this code has been asked, or is being looked for.
    case alreadyAsked
    /// This user has blocked the owner of the code.
    case blocked
    case tooManyRequests
    /// Nobody has asked, or nobody was asked.
    case unknownRequest
}

/// Something that happened between this user and one whose friend it wants to be, or who wants that.
public enum FriendEvent: Sendable, Equatable {
    case requestReceived(UserID)
    /// The owner of a code was found and has been asked; it has not decided.
    case ownerFound(FriendCode, UserID)
    case declined(FriendCode)
    /// This device is in the group of the two.
    case accepted(FriendCode, GroupID)
    /// Whose request was approved here is in the group of the two.
    case joined(UserID, GroupID)
    /// Seven days are over; nobody said yes or no.
    case expired(FriendCode)
    /// The wish came to nothing and was forgotten.
    case failed(FriendCode, FriendFailure)
    /// A friend knows a group of this account, from before a recovery: its user has to say whether to come back.
    case returnOffered(GroupID)
    /// This device is back in such a group.
    case returned(GroupID)
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
    /// When it is given up; seconds since 1970.
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
    /// What the asker calls itself: proves nothing.
    public let name: String
    /// The asker's own code, computed here from its account.
    public let code: FriendCode
    /// Seconds since 1970, by this node's clock.
    public let receivedAt: Int64
    public let stage: Stage
}

/// What is known and under way about friends. All but what serves to be quick comes from settings.
struct FriendRequests: Sendable {
    static let maximumSent = 32
    static let maximumPending = 64
    /// Received requests kept, decided ones included.
    static let maximumReceived = 128
    static let maximumBlocked = 1_024
    static let lifetime: Int64 = 7 * 86_400
    static let inviteLifetime: Int64 = 90 * 86_400
    /// Codes of members that were worked out, kept so long as the node runs.
    static let maximumCodes = 2_048
    static let pauses: [Duration] = [.seconds(5), .seconds(15), .seconds(60), .seconds(300)]
    /// An attempt calls out again after these pauses, until somebody answers: wireless networks repeat no multicast that
    /// was lost (compare RFC 6762, section 5.2).
    static let callPauses: [Duration] = [.seconds(1), .seconds(2)]
    static let maximumEndpoints = 8
    static let dialPause: Duration = .seconds(5)
    /// How long a request of somebody else is kept, in seconds.
    static let receivedLifetime: Int64 = 30 * 86_400

    /// A request of this user, and what serves to look for the owner.
    struct Sent: Sendable {
        let keys: FriendCodeKeys
        let name: String
        let askedAt: Int64
        var stage: Stage = .looking
        /// Who showed itself as the owner.
        var owner: DeviceCertificate?
        var attempts = 0
        var nextAttempt: MonotonicInstant = .zero
        /// Of the attempt under way, how often the local networks were called again, and when they are next.
        var repeatedCalls = 0
        var nextCall: MonotonicInstant?
        var endpoints: [Endpoint] = []
        var dialledAt: [Endpoint: MonotonicInstant] = [:]
        /// The member of a group in common that has this code.
        var member: UserID?
        /// Members whose codes are not this one, as far as they were compared.
        var compared: Set<UserID> = []

        var endsAt: Int64 { askedAt + FriendRequests.lifetime }
        /// Whether there is still something to ask or to join.
        var isOpen: Bool { stage != .declined }
        /// Whether nobody is known yet who has the code.
        var isSought: Bool { isOpen && owner == nil && member == nil }
    }

    enum Stage: Sendable, Equatable {
        case looking, pending, declined
        case joining(link: String)
    }

    /// A request of somebody else.
    struct Received: Sendable {
        var name: String
        let code: FriendCode
        var linkKey: AgreementPublicKey
        /// The asker's clock: tells a new wish from a repeated one.
        var askedAt: Int64
        let receivedAt: Int64
        var decision: Decision = .none
    }

    enum Decision: Sendable, Equatable {
        case none, declined
        case approved(GroupID, link: String)
    }

    /// The keys of this account's code, as long as it is answered to.
    var own: FriendCodeKeys?
    var sent: [FriendCode: Sent] = [:]
    var received: [UserID: Received] = [:]
    var blocked: Set<UserID> = []
    var codes: [UserID: FriendCode] = [:]
    /// Joins that this engine began by itself, and for which request.
    var joins: [CommandID: FriendCode] = [:]
    private var lastJoin: UInt64 = .max
    /// When the next member's code is compared with those that are looked for, and whether one is being worked out.
    var nextComparison: MonotonicInstant?
    var isComparing = false
    var derivations = CodeDerivations()
    /// Whether somebody may have become a friend since this was looked at.
    var needsReview = true
    /// When the age of requests was looked at last, in seconds since 1970.
    var agesCheckedAt: Int64?
    /// A command of the engine's own; the shell's count up from 1.
    mutating func newJoin(for code: FriendCode) -> CommandID {
        lastJoin -= 1
        let id = CommandID(number: lastJoin)
        joins[id] = code
        return id
    }

    var nextDeadline: MonotonicInstant? {
        // The least of all is the same in any order.
        let attempts = sent.values.filter(\.isOpen).flatMap { [$0.nextAttempt, $0.nextCall ?? $0.nextAttempt] }
        return (attempts + (isComparing ? [] : [nextComparison].compactMap(\.self))).min()
    }

    mutating func keep(_ code: FriendCode, of user: UserID) {
        if codes.count >= Self.maximumCodes { codes = [:] }
        codes[user] = code
    }

    var sentInOrder: [FriendCode] { sent.keys.sorted { $0.description < $1.description } }

    // MARK: Settings

    static let ownSetting = "friend-own"
    static let sentPrefix = "friend-out-"
    static let receivedPrefix = "friend-in-"
    static let blockedPrefix = "friend-block-"

    static func setting(_ code: FriendCode) -> String {
        sentPrefix + code.description.filter { $0 != "-" }
    }

    static func setting(_ prefix: String, _ user: UserID) -> String {
        prefix + user.bytes.array.prefix(16).hexadecimal
    }

    /// Takes up what was stored; what does not read is forgotten.
    init(settings: [String: [UInt8]] = [:]) {
        for name in settings.keys.sorted() where name.hasPrefix("friend-") {
            var reader = WireReader(settings[name] ?? [])
            if name == Self.ownSetting {
                own = try? FriendCodeKeys(from: &reader)  // not answered to, until the shell says so again
            } else if name.hasPrefix(Self.sentPrefix), let request = try? Sent(from: &reader) {  // asked anew
                sent[request.keys.code] = request
            } else if name.hasPrefix(Self.receivedPrefix),
                let (user, request) = try? Received.read(from: &reader)  // the asker repeats it
            {
                received[user] = request
            } else if name.hasPrefix(Self.blockedPrefix), let user: UserID = try? reader.readIdentifier() {  // 32 bytes
                blocked.insert(user)
            }
        }
    }
}

extension FriendRequests.Sent {
    func encoded() -> [UInt8] {
        var writer = WireWriter()
        keys.write(to: &writer)
        writer.writeText(name)
        writer.writeVarint(UInt64(max(0, askedAt)))
        switch stage {
        case .looking: writer.write(UInt8(0))
        case .pending: writer.write(UInt8(1))
        case .declined: writer.write(UInt8(2))
        case .joining(let link):
            writer.write(UInt8(3))
            writer.writeText(link)
        }
        writer.writeOptional(owner) { $1.write(to: &$0) }
        return writer.bytes
    }

    init(from reader: inout WireReader) throws(WireError) {
        keys = try FriendCodeKeys(from: &reader)
        name = try reader.readText(maximum: FriendRequest.maximumNameSize)
        askedAt = Int64(try reader.readVarint(maximum: UInt64(Int64.max >> 1)))
        switch try reader.readUInt8() {
        case 0: stage = .looking
        case 1: stage = .pending
        case 2: stage = .declined
        case 3: stage = .joining(link: try reader.readText(maximum: FriendAnswer.maximumLinkSize))
        case let kind: throw .unknownKind(kind)
        }
        if try reader.readFlag(field: "owner") { owner = try DeviceCertificate(from: &reader) }
    }
}

extension FriendRequests.Received {
    func encoded(of user: UserID) -> [UInt8] {
        var writer = WireWriter()
        writer.write(user)
        writer.writeText(name)
        writer.writeText(code.description)
        writer.writeRaw(linkKey.rawBytes)
        writer.writeVarint(UInt64(max(0, askedAt)))
        writer.writeVarint(UInt64(max(0, receivedAt)))
        switch decision {
        case .none: writer.write(UInt8(0))
        case .declined: writer.write(UInt8(1))
        case .approved(let group, let link):
            writer.write(UInt8(2))
            writer.write(group)
            writer.writeText(link)
        }
        return writer.bytes
    }

    static func read(from reader: inout WireReader) throws(WireError) -> (UserID, Self) {
        let user: UserID = try reader.readIdentifier()
        let name = try reader.readText(maximum: FriendRequest.maximumNameSize)
        guard let code = FriendCode(try reader.readText(maximum: 14)),
            let linkKey = try? AgreementPublicKey(rawBytes: try reader.readRaw(32))  // 32 bytes: never fails
        else { throw .invalidValue(field: "friend request") }
        let askedAt = Int64(try reader.readVarint(maximum: UInt64(Int64.max)))
        let receivedAt = Int64(try reader.readVarint(maximum: UInt64(Int64.max)))
        var request = Self(name: name, code: code, linkKey: linkKey, askedAt: askedAt, receivedAt: receivedAt)
        switch try reader.readUInt8() {
        case 0: break
        case 1: request.decision = .declined
        case 2:
            let group: GroupID = try reader.readIdentifier()
            request.decision = .approved(group, link: try reader.readText(maximum: FriendAnswer.maximumLinkSize))
        case let kind: throw .unknownKind(kind)
        }
        return (user, request)
    }
}
