import StreakLinks
import StreakMembership
import StreakWire

/// Friend codes that the shell works out for the engine: a slow hash each (Argon2id, 64 MB), which whoever asks for
/// friendship or answers to a code can make necessary. One at a time, this user's own wishes first.
struct CodeDerivations: Sendable {
    /// What a code is wanted for.
    enum Purpose: Sendable {
        /// This certificate was shown in answer to a dial under the code that is looked for.
        case judgement(DialID, DeviceCertificate, FriendCode)
        /// A member may own a code that is looked for.
        case member
        /// Somebody asks, whose code its user is to be shown.
        case request(FriendRequest)

        /// Whether it is about a wish of this user.
        var isOwn: Bool {
            switch self {
            case .judgement, .member: true
            case .request: false
            }
        }
    }

    /// How many may wait for this user's wishes, and how many for others'.
    static let maximumWaiting = 32

    private var wanted: [(user: UserID, purpose: Purpose)] = []
    private var underWay: UserID?

    /// False where too many wait.
    mutating func add(_ user: UserID, for purpose: Purpose) -> Bool {
        guard wanted.count(where: { $0.purpose.isOwn == purpose.isOwn }) < Self.maximumWaiting else { return false }
        wanted.append((user, purpose))
        return true
    }

    /// Whose code is to be worked out now; nil while another one is.
    mutating func begin() -> UserID? {
        guard underWay == nil, let next = wanted.first(where: \.purpose.isOwn) ?? wanted.first else { return nil }
        underWay = next.user
        return next.user
    }

    /// What waited for a code that is there, or cannot be worked out.
    mutating func finish(_ user: UserID) -> [Purpose] {
        if underWay == user { underWay = nil }
        let purposes = wanted.filter { $0.user == user }.map(\.purpose)
        wanted.removeAll { $0.user == user }
        return purposes
    }

    /// Whether a request of this user waits already.
    func hasRequest(of user: UserID) -> Bool {
        wanted.contains { if case .request = $0.purpose { $0.user == user } else { false } }
    }

    /// How many requests of others wait.
    var requestCount: Int { wanted.count { if case .request = $0.purpose { true } else { false } } }
}
