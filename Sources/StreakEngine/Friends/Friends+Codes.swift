import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// The friend codes of users, which the shell works out.
extension Friends {
    /// Uses a user's friend code for a purpose: at once if it is known, otherwise when the shell has worked it out.
    /// False if too many are waiting; then the purpose is dropped.
    mutating func useCode(of user: UserID, for purpose: CodeDerivations.Purpose, core: inout EngineCore) -> Bool {
        if let code = requests.codes[user] {
            proceed(purpose, with: code, of: user, core: &core)
            return true
        }
        guard requests.derivations.add(user, for: purpose) else { return false }
        beginDerivation(core: &core)
        return true
    }

    mutating func beginDerivation(core: inout EngineCore) {
        if let user = requests.derivations.begin() { core.outputs.append(.deriveCode(user)) }
    }

    /// Uses a friend code that the shell worked out, whether or not it was asked for; nil if it cannot be worked out.
    mutating func codeDerived(_ code: FriendCode?, of user: UserID, core: inout EngineCore) {
        if let code { requests.cacheCode(code, of: user) }
        for purpose in requests.derivations.finish(user) { proceed(purpose, with: code, of: user, core: &core) }
        beginDerivation(core: &core)
    }

    mutating func proceed(
        _ purpose: CodeDerivations.Purpose, with code: FriendCode?, of user: UserID, core: inout EngineCore
    ) {
        switch purpose {
        case .verification(let dial, let certificate, let wanted):
            verifyOwner(certificate, under: wanted, isOwner: code == wanted, dial: dial, core: &core)
        case .member:
            compared(user, code: code, core: &core)
        case .request(let request):
            if let code { keepRequest(request, from: code, core: &core) }
        }
    }
}
