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

extension MeshEngine {
    /// Goes on with a user's code: at once where it is known, else when the shell has worked it out. False where too many
    /// are waited for; then nothing comes of it.
    mutating func useCode(of user: UserID, for purpose: CodeDerivations.Purpose) -> Bool {
        if let code = friends.codes[user] {
            proceed(purpose, with: code, of: user)
            return true
        }
        guard friends.derivations.add(user, for: purpose) else { return false }
        beginDerivation()
        return true
    }

    private mutating func beginDerivation() {
        if let user = friends.derivations.begin() { outputs.append(.deriveCode(user)) }
    }

    /// Takes the code of a user, be it asked for or not; nil where it cannot be worked out.
    mutating func codeDerived(_ code: FriendCode?, of user: UserID) {
        if let code { friends.keep(code, of: user) }
        for purpose in friends.derivations.finish(user) { proceed(purpose, with: code, of: user) }
        beginDerivation()
    }

    private mutating func proceed(_ purpose: CodeDerivations.Purpose, with code: FriendCode?, of user: UserID) {
        switch purpose {
        case .judgement(let dial, let certificate, let wanted):
            judge(certificate, under: wanted, isOwner: code == wanted, dial: dial)
        case .member:
            compared(user, code: code)
        case .request(let request):
            if let code { keep(request, from: code) }
        }
    }
}
