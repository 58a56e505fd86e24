import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

/// Friends of friends: carrying a request to a member who may be its addressee, and being let back into groups.
extension MeshEngine {
    private static let maximumSearches = 4
    private static let maximumRoutes = 64
    private static let routeLifetime: Duration = .seconds(60)
    /// One code costs 60 ms: the pause keeps the rest of the engine awake.
    private static let searchPause: Duration = .milliseconds(250)

    private mutating func takeAllowance(of link: LinkID) -> Bool {
        for known in friends.carried.keys.sorted() where sessions[known] == nil { friends.carried[known] = nil }
        var allowance = friends.carried[link] ?? FriendRequests.Allowance(at: now)
        defer { friends.carried[link] = allowance }
        return allowance.take(at: now)
    }

    /// A member asks whether I am, or know, the owner of a code.
    mutating func receivedFriendSought(_ bytes: [UInt8], over link: LinkID) {
        guard let session = sessions[link], !sharedGroups(on: link).isEmpty, takeAllowance(of: link),
            let request = try? FriendRequest(decoding: bytes),  // hostile: no answer
            request.certificate.linkKey == session.key
        else { return }
        if friends.own?.code == request.code { return takeCarried(request, over: link) }
        guard friends.searches.count < Self.maximumSearches,
            !friends.searches.contains(where: { $0.request.hash == request.hash })
        else { return }
        let users = Set(
            groups.keys.sorted().filter { isCurrentMember(of: $0) }
                .flatMap { groups[$0]?.state.members.map(\.user) ?? [] })
        let candidates = users.filter { $0 != identity.user && $0 != request.certificate.user }.sorted()
        friends.searches.append(
            FriendRequests.Search(
                request: request, asker: link,
                candidates: Array(candidates.prefix(ProtocolLimits.maximumMembers)), nextStep: now))
    }

    /// Compares at most one code that has to be worked out, for every search that is due.
    mutating func stepSearches() {
        friends.routes = friends.routes.filter { $0.value.endsAt > now }
        for index in friends.searches.indices.reversed() where friends.searches[index].nextStep <= now {
            var search = friends.searches[index]
            var owner: UserID?
            while owner == nil, let user = search.candidates.first {
                let isKnown = friends.codes[user] != nil
                search.candidates.removeFirst()
                if code(of: user) == search.request.code { owner = user }
                if !isKnown { break }
            }
            search.nextStep = now.advanced(by: Self.searchPause)
            if let owner {
                friends.searches.remove(at: index)
                carry(search.request, to: owner, for: search.asker)
            } else if search.candidates.isEmpty || sessions[search.asker] == nil {
                friends.searches.remove(at: index)
            } else {
                friends.searches[index] = search
            }
        }
    }

    private mutating func carry(_ request: FriendRequest, to owner: UserID, for asker: LinkID) {
        let reached = sessions.keys.sorted().filter { link in
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
        guard !sharedGroups(on: link).isEmpty, takeAllowance(of: link),
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
            carried.certificate.user != identity.user, self.code(of: carried.certificate.user) == code
        else { return }
        take(carried.answer, to: code, from: carried.certificate)
    }

    // MARK: Coming back after a recovery

    /// Groups that one friend may let this account back into at once.
    private static let maximumReturns = 32

    /// Takes the welcome into a group of this account by a friend that was asked by its code. False where none was.
    mutating func receivedWelcomeOfFriend(_ group: GroupID, accessKeys: [[UInt8]], over link: LinkID) -> Bool {
        guard friendOwner(over: link) != nil else { return false }
        let held = friends.returns[link]?.values.reduce(0) { $0 + $1.size } ?? 0
        if !isCurrentMember(of: group), (friends.returns[link]?.count ?? 0) < Self.maximumReturns,
            held < LedgerIntake.maximumSize, friends.returns[link]?[GroupHandle(group)] == nil
        {
            for known in friends.returns.keys.sorted() where sessions[known] == nil { friends.returns[known] = nil }
            friends.returns[link, default: [:]][GroupHandle(group)] = LedgerIntake(
                group: group, accessKeys: accessKeys)
        }
        return true
    }

    /// Takes a ledger that follows such a welcome.
    mutating func receivedOperationsOfFriend(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID
    ) -> Bool {
        guard var intake = friends.returns[link]?[handle], let owner = friendOwner(over: link) else { return false }
        do {
            try intake.take(encoded)
            friends.returns[link]?[handle] = isFinal ? nil : intake
            if isFinal { try comeBack(by: intake, letInBy: owner) }
        } catch {
            friends.returns[link]?[handle] = nil
            publish(.operationRefused(intake.group))
        }
        return true
    }

    /// The owner of a code that this device asked over a link opened under it.
    private func friendOwner(over link: LinkID) -> DeviceCertificate? {
        guard let owner = friends.owners[link], owner.linkKey == sessions[link]?.key else { return nil }
        return owner
    }

    /// Enters a group that this account is in, if the ledger says so, and publishes this device there.
    private mutating func comeBack(by intake: LedgerIntake, letInBy owner: DeviceCertificate) throws(LedgerError) {
        guard let ledger = intake.ledger, !isCurrentMember(of: ledger.group), groups[ledger.group] == nil,
            ledger.state.isMember(identity.user), ledger.state.isCurrentMember(device: owner.device),
            !intake.namedKeys.isEmpty
        else { return }
        var own: SignedOperation?
        if !ledger.state.isCurrentMember(device: identity.device) {
            own = try ledger.draft(.addDevice(identity.certificate), by: identity, at: wall.seconds)
        }
        let group = ledger.group
        var change = DurableChange()
        groups[group] = GroupReplica(ledger: ledger, accessKeys: intake.namedKeys)
        for operation in ledger.allOperations {
            change.operations.append(
                StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: takeArrival()))
        }
        if let own { _ = try insert(own, in: group, change: &change) }
        change.accessKeys = intake.namedKeys.reversed().map {
            StoredAccessKey(group: group, key: $0.key.rawBytes())
        }
        for link in sessions.keys.sorted() { recogniseGroups(on: link) }
        ledgerChanged(
            group, change: change,
            then: [.publish(.friend(.returned(group)))] + sessions.keys.sorted().map { .greet($0) })
        if let code = friends.sentInOrder.first(where: { friends.sent[$0]?.owner == owner }),
            friendGroup(with: owner.user) == group
        {
            friends.codes[owner.user] = code
            cancelFound(code, in: group)
        }
    }
}
