import StreakLinks
import StreakMembership
import StreakWire

/// The owner of a code who is in a group with this user is known already: it is asked over the link there is.
extension MeshEngine {
    /// How long the shell is left alone with other work before it works out the next member's code.
    private static let comparisonPause: Duration = .milliseconds(250)
    private static let maximumLinksAsked = 4

    /// Asks the member that owns a code; where it is not known whether there is one, begins to compare.
    mutating func askMember(_ code: FriendCode) {
        guard let request = friends.sent[code] else { return }
        guard let user = request.owner?.user ?? request.member else {
            if friends.nextComparison == nil { friends.nextComparison = now }
            return
        }
        let message = FriendMessage.friendRequested(statement(of: request).bytes)
        let reached = sessions.keys.filter { namedMember(at: $0)?.user == user }
        for link in reached.prefix(Self.maximumLinksAsked) { send(.friend(message), over: link) }
    }

    /// The device at the other end of a link, if this user goes by its name in all groups that both are in: a request tells
    /// the name.
    func namedMember(at link: LinkID) -> DeviceCertificate? {
        let shared = sharedGroups(on: link)
        guard let group = shared.first, shared.allSatisfy({ !aliasGroups.contains($0) }), let key = sessions[link]?.key
        else { return nil }
        return groups[group]?.state.device(linkKey: key)?.certificate
    }

    /// Compares the codes of members with those that are looked for: known ones at once, others one at a time.
    mutating func compareMembers() {
        guard let due = friends.nextComparison, due <= now, !friends.isComparing else { return }
        friends.nextComparison = nil
        let members = namedMembers
        for code in friends.sentInOrder {
            for user in members {
                guard let request = friends.sent[code], request.isSought else { break }
                guard !request.compared.contains(user) else { continue }
                guard let known = friends.codes[user] else {
                    friends.isComparing = useCode(of: user, for: .member)
                    if !friends.isComparing { friends.nextComparison = now.advanced(by: Self.comparisonPause) }
                    return
                }
                friends.sent[code]?.compared.insert(user)
                if known == code { found(user, by: code) }
            }
        }
    }

    /// Members of the groups in which this user goes by its name.
    private var namedMembers: [UserID] {
        let named = groups.keys.filter { isCurrentMember(of: $0) && !aliasGroups.contains($0) }
        return Set(named.flatMap { groups[$0]?.state.members.map(\.user) ?? [] }).subtracting([identity.user]).sorted()
    }

    /// A member's code is known, or cannot be worked out; then there is no second attempt.
    mutating func compared(_ user: UserID, code: FriendCode?) {
        friends.isComparing = false
        friends.nextComparison = now.advanced(by: Self.comparisonPause)
        if code == nil { for wish in friends.sentInOrder { friends.sent[wish]?.compared.insert(user) } }
    }

    private mutating func found(_ user: UserID, by code: FriendCode) {
        if let failure = failure(with: user) {
            return forget(code, then: [.publish(.friend(.failed(code, failure)))])
        }
        friends.sent[code]?.member = user
        askMember(code)
    }
}
