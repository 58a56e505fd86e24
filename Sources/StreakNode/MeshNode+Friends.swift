import StreakEngine
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// Friends by code.
extension MeshNode {
    /// Tells whoever watches what became of requests; and introduces this user to a friend whose group it is in now.
    func observe(_ event: FriendEvent) {
        switch event {
        case .requestReceived(let user):
            let name = Self.shownName(engine.receivedFriendRequests.first { $0.user == user }?.name ?? "")
            inbox.publish(.notice("“\(name)” asks to be your friend. See `streakmesh friend list`."))
        case .ownerFound(let code, _):
            inbox.publish(.notice("The owner of \(code) has your request."))
        case .declined(let code):
            inbox.publish(.notice("The owner of \(code) has declined."))
        case .accepted(_, let group), .joined(_, let group):
            newGroups.insert(group)
            inbox.publish(.notice("You are friends now: “\(title(of: group))”."))
        case .expired(let code):
            inbox.publish(.notice("The owner of \(code) was not found in seven days; your request is over."))
        case .failed(let code, let failure):
            inbox.publish(.notice(Self.text(of: failure, asking: code)))
        case .returnOffered(let group):
            let title = Self.shownTitle(engine.offeredReturns.first { $0.group == group }?.title ?? "")
            inbox.publish(
                .notice("A friend says that you were in “\(title)”. See `streakmesh friend list` to come back or not."))
        case .returned(let group):
            // The group knows this user's profile: it comes with the records.
            inbox.publish(.notice("You are back in “\(title(of: group))”."))
        }
        inbox.publish(.groupsChanged)
    }

    private static func text(of failure: FriendFailure, asking code: FriendCode) -> String {
        switch failure {
        case .ownCode: "\(code) is your own friend code."
        case .alreadyFriend: "You and the owner of \(code) are friends already."
        case .blocked: "You have blocked the owner of \(code)."
        case .alreadyAsked, .tooManyRequests, .unknownRequest: "Your request to \(code) came to nothing."
        }
    }

    /// Tells groups that this device has just come into who this user is, and what it solved today.
    func introduceToNewGroups() -> Bool {
        let groups = newGroups.sorted().filter { engine.isMember(of: $0) && !sharing(in: $0).isStopped }
        newGroups = []
        let writes = groups.map { group in
            let results = publications(of: unpublishedResults(in: group, of: .days(0)), in: group)
            return (group: group, drafts: [.value(ownProfile(in: group))] + results)
        }
        guard !writes.isEmpty else { return false }
        feed(.command(takeCommandID(), .write(writes)))
        return true
    }

    // MARK: Requests

    func friendsReport() async throws -> FriendsReport {
        let blocked = engine.blockedUsers
        await computeCodes(of: engine.friendGroups.map(\.friend) + blocked + engine.offeredReturns.map(\.friend))
        let friends = engine.friendGroups.map { pair in
            FriendReport(
                user: shownID(of: pair.friend, in: pair.group), name: name(of: pair.friend, in: pair.group),
                code: isAnonymous(pair.friend, in: pair.group) ? nil : knownCode(of: pair.friend),
                online: isOnline(pair.friend, in: pair.group), group: pair.group.description,
                title: title(of: pair.group), pair: pair.isPair)
        }
        return FriendsReport(
            code: knownCode(of: identity.user) ?? "", answering: engine.answersToCode,
            friends: friends.sorted { ($0.name, $0.group) < ($1.name, $1.group) },
            sent: engine.sentFriendRequests.map(Self.report),
            received: engine.receivedFriendRequests.map(Self.report),
            blocked: blocked.map {
                BlockedReport(user: $0.description, code: knownCode(of: $0), name: blockedName(of: $0))
            },
            returns: engine.offeredReturns.map(report), alone: sharedGroups.compactMap(lonelyPair))
    }

    /// What there is to say of a group of two whose other one has gone; nil of any other group.
    private func lonelyPair(_ group: GroupID) -> LonelyPairReport? {
        guard engine.isMember(of: group), let state = engine.state(of: group), state.isPair, state.members.count == 1,
            let gone = state.removedUsers.last(where: { $0.user != identity.user })
        else { return nil }
        return LonelyPairReport(
            group: group.description, title: title(of: group), name: name(of: gone.user, in: group),
            ended: engine.origin(of: gone.removedBy, in: group).map { Timestamp(seconds: $0.time).text })
    }

    private static func report(of request: SentFriendRequest) -> SentFriendReport {
        let state =
            switch request.stage {
            case .looking: "looking"
            case .pending: "pending"
            case .declined: "declined"
            case .joining: "joining"
            }
        return SentFriendReport(
            code: request.code.description, state: state, asked: Timestamp(seconds: request.askedAt).text,
            until: Timestamp(seconds: request.endsAt).text)
    }

    private static func report(of request: ReceivedFriendRequest) -> ReceivedFriendReport {
        let state =
            switch request.stage {
            case .pending: "pending"
            case .approved: "approved"
            case .declined: "declined"
            }
        return ReceivedFriendReport(
            user: request.user.description, name: shownName(request.name), code: request.code.description, state: state,
            asked: Timestamp(seconds: request.receivedAt).text)
    }

    private func report(of offer: OfferedReturn) -> ReturnReport {
        ReturnReport(
            group: offer.group.description, title: Self.shownTitle(offer.title), members: offer.memberCount,
            friend: offer.friend.description, code: knownCode(of: offer.friend),
            offered: Timestamp(seconds: offer.offeredAt).text)
    }

    func answerToCode(_ isAnswering: Bool) async throws {
        guard isAnswering else { return _ = try await execute(.setAnswersToCode(nil)) }
        let code = try Argument.friendCode(knownCode(of: identity.user) ?? "")
        try await execute(.setAnswersToCode(Self.keys(of: code)))
    }

    func addFriend(_ text: String) async throws {
        let code = try Argument.friendCode(text)
        guard code.description != knownCode(of: identity.user) else { throw NodeFailure.ownFriendCode }
        try await execute(.addFriend(Self.keys(of: code), name: ownName))
    }

    func approveFriend(_ selector: String) async throws {
        let user = try asker(selector)
        guard case .group(let group) = try await execute(.approveFriend(user, name: ownName)) else { return }
        try await introduce(to: group, history: 0)
    }

    /// Leaves what the two have to themselves. An owner hands it to the friend first: what was shared stays with both.
    func removeFriend(_ selector: String) async throws {
        let matches = try await friendGroups(selector)
        let friend = matches[0].friend
        let pairs = matches.filter(\.isPair).map(\.group)
        guard !pairs.isEmpty else {
            throw NodeFailure.notAPair(title: title(of: matches[0].group))
        }
        for group in pairs {
            if engine.state(of: group)?.owner == identity.user { try await execute(.transfer(group, to: friend)) }
            _ = try await leaveGroup(group.description, erasing: false)
        }
    }

    // MARK: Whom a text means

    /// Somebody whose request is here.
    func asker(_ selector: String) throws -> UserID {
        let matches = Selector(selector).matches(among: engine.receivedFriendRequests) {
            Selector.Key(code: $0.code.description, id: $0.user.description, names: [$0.name])
        }
        guard let match = matches.first else { throw NodeFailure.unknownFriend(selector) }
        guard matches.count == 1 else {
            throw NodeFailure.ambiguousMember(selector, candidates: matches.map { "\($0.name) (\($0.code))" })
        }
        return match.user
    }

    // MARK: Blocking

    private static func blockedSetting(of user: UserID) -> String { "blocked-" + user.description.prefix(48) }

    /// What somebody was called when it was blocked; nil where that was not known.
    private func blockedName(of user: UserID) -> String? {
        text(of: Self.blockedSetting(of: user)).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whoever is known here can be blocked: who asks, a friend, a member of a group. The name is kept: by that the user knows
    /// again whom it has blocked.
    func blockFriend(_ selector: String) async throws {
        let blocked = try await blockedUser(selector)
        let person: KnownPerson
        do {
            person = try await knownPerson(selector)
        } catch NodeFailure.unknownFriend where blocked != nil {
            throw NodeFailure.alreadyBlocked(blockedName(of: blocked ?? identity.user) ?? selector)
        }
        guard !engine.blockedUsers.contains(person.user) else { throw NodeFailure.alreadyBlocked(person.name) }
        try await execute(
            .blockFriend(person.user),
            with: [.keepSetting(name: Self.blockedSetting(of: person.user), value: Array(person.name.utf8))])
    }

    func unblockFriend(_ selector: String) async throws {
        guard let user = try await blockedUser(selector) else {
            throw NodeFailure.notBlocked(try await knownPerson(selector).name)
        }
        try await execute(
            .unblockFriend(user), with: [.keepSetting(name: Self.blockedSetting(of: user), value: [])])
    }

    /// Whom a text names of those who are blocked.
    private func blockedUser(_ text: String) async throws -> UserID? {
        await computeCodes(of: engine.blockedUsers)
        let found = Selector(text).matches(among: engine.blockedUsers) {
            Selector.Key(code: knownCode(of: $0), id: $0.description, names: [blockedName(of: $0) ?? ""])
        }
        guard found.count < 2 else {
            throw NodeFailure.ambiguousMember(
                text,
                candidates: found.map {
                    "\(blockedName(of: $0) ?? "") (\(knownCode(of: $0) ?? String($0.description.prefix(16))))"
                })
        }
        return found.first
    }

    /// A group into which this user may come back, by its title or the start of its ID.
    func offeredReturn(_ selector: String) throws -> GroupID {
        let matches = Selector(selector).matches(amongGroups: engine.offeredReturns) {
            Selector.Key(id: $0.group.description, names: [$0.title])
        }
        guard let match = matches.first else { throw NodeFailure.unknownReturn(selector) }
        guard matches.count == 1 else {
            throw NodeFailure.ambiguousGroup(selector, candidates: matches.map(\.group.description))
        }
        return match.group
    }

    /// The slow hash goes on beside the actor.
    @concurrent
    private static func keys(of code: FriendCode) async throws -> FriendCodeKeys {
        do {
            return try FriendCodeKeys(of: code)
        } catch {
            throw NodeFailure.storageFailed("there is not memory enough for the code’s hash")
        }
    }
}
