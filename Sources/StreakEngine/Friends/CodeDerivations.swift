import StreakLinks
import StreakMembership
import StreakWire

/// Friend codes that the shell works out for the engine, each with a slow hash (Argon2id, 64 MB). Anybody who asks for
/// friendship, or answers to a code, can cause one. One at a time, this user's own wishes first.
struct CodeDerivations: Sendable {
    /// What a code is wanted for.
    enum Purpose: Sendable {
        /// Somebody answered a dial under a code that this node looks for, and showed this certificate.
        case verification(DialID, DeviceCertificate, FriendCode)
        /// A member may own a code that this node looks for.
        case member
        /// Somebody asks for friendship; the user has to see their code.
        case request(FriendRequest)

        /// Whether it concerns a wish of this user.
        var isOwn: Bool {
            switch self {
            case .verification, .member: true
            case .request: false
            }
        }
    }

    /// How many may wait for this user's wishes, and as many for those of others.
    static let maximumWaiting = 32

    private var wanted: [(user: UserID, purpose: Purpose)] = []
    private var underWay: UserID?

    /// False if too many wait already.
    mutating func add(_ user: UserID, for purpose: Purpose) -> Bool {
        guard wanted.count(where: { $0.purpose.isOwn == purpose.isOwn }) < Self.maximumWaiting else { return false }
        wanted.append((user, purpose))
        return true
    }

    /// The next user whose code to work out; nil while another is being worked out.
    mutating func begin() -> UserID? {
        guard underWay == nil, let next = wanted.first(where: \.purpose.isOwn) ?? wanted.first else { return nil }
        underWay = next.user
        return next.user
    }

    /// What waited for a user's code. The code is there now, or cannot be worked out.
    mutating func finish(_ user: UserID) -> [Purpose] {
        if underWay == user { underWay = nil }
        let purposes = wanted.filter { $0.user == user }.map(\.purpose)
        wanted.removeAll { $0.user == user }
        return purposes
    }

    /// Whether a request of this user is waiting already.
    func hasRequest(of user: UserID) -> Bool {
        wanted.contains { if case .request = $0.purpose { $0.user == user } else { false } }
    }

    /// How many requests of others are waiting.
    var requestCount: Int { wanted.count { if case .request = $0.purpose { true } else { false } } }
}
