import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// The codes of users, which the shell works out.
extension Friends {
    /// Goes on with a user's code: at once where it is known, else when the shell has worked it out. False where too many
    /// are waited for; then nothing comes of it.
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

    /// Takes the code of a user, be it asked for or not; nil where it cannot be worked out.
    mutating func codeDerived(_ code: FriendCode?, of user: UserID, core: inout EngineCore) {
        if let code { requests.keep(code, of: user) }
        for purpose in requests.derivations.finish(user) { proceed(purpose, with: code, of: user, core: &core) }
        beginDerivation(core: &core)
    }

    mutating func proceed(
        _ purpose: CodeDerivations.Purpose, with code: FriendCode?, of user: UserID, core: inout EngineCore
    ) {
        switch purpose {
        case .judgement(let dial, let certificate, let wanted):
            judgeOwner(certificate, under: wanted, isOwner: code == wanted, dial: dial, core: &core)
        case .member:
            compared(user, code: code, core: &core)
        case .request(let request):
            if let code { keepRequest(request, from: code, core: &core) }
        }
    }
}
