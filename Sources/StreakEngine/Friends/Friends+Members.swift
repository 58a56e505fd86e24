import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// If the owner of a code shares a group with this user, their account is known already. Then this node asks over a
/// link that exists.
extension Friends {
    /// How long the shell gets for other work before it works out the next member's code.
    private static let comparisonPause: Duration = .milliseconds(250)

    private static let maximumLinksAsked = 4

    /// Asks the member that owns a code. If it is unknown whether there is one, begins to compare codes.
    mutating func askMember(_ code: FriendCode, core: inout EngineCore) {
        guard let request = requests.sent[code] else { return }
        guard let user = request.owner?.user ?? request.member else {
            if requests.nextComparison == nil { requests.nextComparison = core.now }
            return
        }
        let message = FriendMessage.friendRequested(statement(of: request, core: core).bytes)
        let reached = core.sessions.keys.filter { namedMember(at: $0, core: core)?.user == user }
        for link in reached.prefix(Self.maximumLinksAsked) { core.send(.friend(message), over: link) }
    }

    /// The device at the other end of a link, if this user is not anonymous in any group of both: a request tells the
    /// name.
    func namedMember(at link: LinkID, core: EngineCore) -> DeviceCertificate? {
        let shared = core.groups(on: link, allowing: .friendship)
        guard let group = shared.first, shared.allSatisfy({ !aliasGroups.contains($0) }),
            let key = core.sessions[link]?.key
        else { return nil }
        return core.groups[group]?.state.device(linkKey: key)?.certificate
    }

    /// Compares members' codes with those looked for: known ones at once, others one at a time.
    mutating func compareMembers(core: inout EngineCore) {
        guard let due = requests.nextComparison, due <= core.now, !requests.isComparing else { return }
        requests.nextComparison = nil
        let members = namedMembers(core: core)
        for code in requests.sentInOrder {
            for user in members {
                guard let request = requests.sent[code], request.isSought else { break }
                guard !request.compared.contains(user) else { continue }
                guard let known = requests.codes[user] else {
                    requests.isComparing = useCode(of: user, for: .member, core: &core)
                    if !requests.isComparing { requests.nextComparison = core.now.advanced(by: Self.comparisonPause) }
                    return
                }
                requests.sent[code]?.compared.insert(user)
                if known == code { found(user, by: code, core: &core) }
            }
        }
    }

    /// Members of the groups in which this user is not anonymous.
    private func namedMembers(core: EngineCore) -> [UserID] {
        let named = core.groups.keys.filter { core.isCurrentMember(of: $0) && !aliasGroups.contains($0) }
        return Set(named.flatMap { core.groups[$0]?.state.members.map(\.user) ?? [] }).subtracting([core.identity.user])
            .sorted()
    }

    /// A member's code is known, or cannot be worked out. There is no second attempt.
    mutating func compared(_ user: UserID, code: FriendCode?, core: inout EngineCore) {
        requests.isComparing = false
        requests.nextComparison = core.now.advanced(by: Self.comparisonPause)
        if code == nil { for wish in requests.sentInOrder { requests.sent[wish]?.compared.insert(user) } }
    }

    mutating func found(_ user: UserID, by code: FriendCode, core: inout EngineCore) {
        if let failure = failure(with: user, core: core) {
            return forgetRequest(code, then: [.publish(.friend(.failed(code, failure)))], core: &core)
        }
        requests.sent[code]?.member = user
        askMember(code, core: &core)
    }
}
