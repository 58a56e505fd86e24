import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// Friends of friends: carrying a request to a member who may be its addressee.
extension MeshEngine {
    private static let maximumSearches = 4
    private static let maximumRoutes = 64
    private static let routeLifetime: Duration = .seconds(60)
    /// How long the shell is left alone with other work before it works out the next code of a search.
    private static let searchPause: Duration = .milliseconds(250)

    /// A member asks whether I am, or know, the owner of a code.
    mutating func receivedFriendSought(_ bytes: [UInt8], over link: LinkID) {
        guard let session = sessions[link], !sharedGroups(on: link).isEmpty, takeRequest(of: link),
            let request = try? FriendRequest(decoding: bytes),  // hostile: no answer
            request.certificate.linkKey == session.key
        else { return }
        if friends.own?.code == request.code { return takeCarried(request, over: link) }
        guard friends.searches.count < Self.maximumSearches,
            !friends.searches.contains(where: { $0.request.hash == request.hash })
        else { return }
        let users = Set(
            groups.keys.filter { isCurrentMember(of: $0) }
                .flatMap { groups[$0]?.state.members.map(\.user) ?? [] })
        let candidates = users.filter { $0 != identity.user && $0 != request.certificate.user }.sorted()
        friends.searches.append(
            FriendRequests.Search(
                request: request, asker: link,
                candidates: Array(candidates.prefix(ProtocolLimits.maximumMembers)), nextStep: now))
    }

    /// Compares the codes that are known, and asks for one that is not, for every search that is due.
    mutating func stepSearches() {
        if !friends.routes.isEmpty { friends.routes = friends.routes.filter { $0.value.endsAt > now } }
        for hash in friends.searches.filter({ !$0.isWaiting && $0.nextStep <= now }).map(\.request.hash) {
            stepSearch(hash)
        }
    }

    private mutating func stepSearch(_ hash: Bytes16) {
        guard let index = friends.searches.firstIndex(where: { $0.request.hash == hash }) else { return }
        let wanted = friends.searches[index].request.code
        let others = friends.searches[index].candidates.prefix { user in
            friends.codes[user].map { $0 != wanted } ?? false
        }
        friends.searches[index].candidates.removeFirst(others.count)
        guard let user = friends.searches[index].candidates.first, sessions[friends.searches[index].asker] != nil else {
            friends.searches.remove(at: index)
            return
        }
        friends.searches[index].isWaiting = true
        guard !useCode(of: user, for: .search(hash)) else { return }
        friends.searches[index].isWaiting = false
        friends.searches[index].nextStep = now.advanced(by: Self.searchPause)
    }

    /// The code of a candidate is known, or cannot be worked out.
    mutating func searched(_ user: UserID, code: FriendCode?, for hash: Bytes16) {
        guard let index = friends.searches.firstIndex(where: { $0.request.hash == hash && $0.isWaiting }) else {
            return
        }
        var search = friends.searches[index]
        search.isWaiting = false
        search.candidates.removeFirst()
        if code == search.request.code {
            friends.searches.remove(at: index)
            return carry(search.request, to: user, for: search.asker)
        }
        search.nextStep = now.advanced(by: Self.searchPause)
        friends.searches[index] = search
    }

    private mutating func carry(_ request: FriendRequest, to owner: UserID, for asker: LinkID) {
        let reached = sessions.keys.filter { link in
            sharedGroups(on: link).contains { group in
                sessions[link].flatMap { groups[group]?.state.device(linkKey: $0.key)?.user } == owner
            }
        }.prefix(FriendRequests.maximumReplies)
        guard !reached.isEmpty, friends.routes.count < Self.maximumRoutes else { return }
        friends.routes[request.hash] = FriendRequests.Route(
            asker: asker, owners: Array(reached), endsAt: now.advanced(by: Self.routeLifetime))
        for link in reached { send(.friend(.friendCarried(request.bytes)), over: link) }
    }

    /// A member brings a request that is for me, it thinks.
    mutating func receivedFriendCarried(_ bytes: [UInt8], over link: LinkID) {
        guard !sharedGroups(on: link).isEmpty, takeRequest(of: link),
            let request = try? FriendRequest(decoding: bytes),  // hostile: no answer
            friends.own?.code == request.code
        else { return }
        takeCarried(request, over: link)
    }

    private mutating func takeCarried(_ request: FriendRequest, over link: LinkID) {
        // Who carries it could keep it for later: nobody stands behind this one with a handshake.
        let age = wall.seconds.subtractingReportingOverflow(request.askedAt)
        guard !age.overflow, age.partialValue.magnitude <= UInt64(FriendRequests.carriedTolerance),
            friendGroup(with: request.certificate.user) == nil
        else { return }
        take(request, by: .carried(link))
    }

    /// An answer to a request of mine, or to one that I carried.
    mutating func receivedFriendReply(_ sealed: [UInt8], to hash: Bytes16, over link: LinkID) {
        guard sessions[link] != nil else { return }
        if var route = friends.routes[hash], route.owners.contains(link), route.repliesLeft > 0 {
            route.repliesLeft -= 1
            friends.routes[hash] = route
            return send(.friend(.friendReplied(request: hash, sealed: sealed)), over: route.asker)
        }
        guard !sharedGroups(on: link).isEmpty, let code = sentRequest(named: hash),
            let replies = friends.sent[code]?.repliesLeft, replies > 0
        else { return }
        friends.sent[code]?.repliesLeft = replies - 1
        // Whatever does not open or read was not the owner's.
        guard let plain = try? SealedBox.open(sealed, with: identity.linkKey),
            let carried = try? CarriedFriendAnswer(decoding: plain), carried.request == hash,  // as above
            carried.certificate.user != identity.user
        else { return }
        // Where too many codes are waited for, the owner answers the next attempt.
        _ = useCode(of: carried.certificate.user, for: .reply(carried, code))
    }
}
