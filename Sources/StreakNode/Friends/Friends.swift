import StreakEngine
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// The user's friends: requests by friend code, the groups of two, and blocked users. (The engine's `Friends` finds
/// people and exchanges the requests.)
final class Friends {
    private let core: NodeCore
    private let loop: NodeLoop
    private let people: People
    private let groups: Groups
    /// Groups that this device joined without a command. It still has to introduce this user there.
    private var newGroups: Set<GroupID> = []
    /// Whether somebody may ask whom this user has asked, too.
    private var mayAgree = true

    init(core: NodeCore, loop: NodeLoop, people: People, groups: Groups) {
        (self.core, self.loop, self.people, self.groups) = (core, loop, people, groups)
    }

    /// Forgets what was heard; what is stored replaces it.
    func forget() { (newGroups, mayAgree) = ([], true) }

    /// Tells the user the outcome of requests. If this device has joined a friend's group, the user will be introduced
    /// there.
    func observe(_ event: FriendEvent) {
        switch event {
        case .requestReceived(let user):
            mayAgree = true
            guard !asksBack.contains(user) else { break }
            let name = DisplayText.shownName(core.engine.receivedFriendRequests.first { $0.user == user }?.name ?? "")
            core.publish(.notice("“\(name)” asks to be your friend. See `streakmesh friend list`."))
        case .ownerFound(let code, _):
            core.publish(.notice("The owner of \(code) has your request."))
        case .declined(let code):
            core.publish(.notice("The owner of \(code) has declined."))
        case .accepted(_, let group), .joined(_, let group):
            newGroups.insert(group)
            core.publish(.notice("You are friends now: “\(core.title(of: group))”."))
        case .expired(let code):
            core.publish(.notice("The owner of \(code) was not found in seven days; your request is over."))
        case .failed(let code, let failure):
            core.publish(.notice(Self.text(of: failure, asking: code)))
        case .returnOffered(let group):
            let title = DisplayText.shownTitle(core.engine.offeredReturns.first { $0.group == group }?.title ?? "")
            core.publish(
                .notice("A friend says that you were in “\(title)”. See `streakmesh friend list` to come back or not."))
        case .returned(let group):
            // The group knows this user's profile, which comes with the records.
            core.publish(.notice("You are back in “\(core.title(of: group))”."))
        case .brought(let group):
            core.publish(.notice("Another machine of yours has brought this one into “\(core.title(of: group))”."))
        }
        core.publish(.groupsChanged)
    }

    private static func text(of failure: FriendFailure, asking code: FriendCode) -> String {
        switch failure {
        case .ownCode: "\(code) is your own friend code."
        case .alreadyFriend: "You and the owner of \(code) are friends already."
        case .blocked: "You have blocked the owner of \(code)."
        case .alreadyAsked, .tooManyRequests, .unknownRequest: "Your request to \(code) failed."
        }
    }

    /// Those who ask this user, and whom this user asks.
    private var asksBack: [UserID] {
        let asked = core.engine.sentFriendRequests.filter { $0.stage != .declined }.map(\.code)
        return core.engine.receivedFriendRequests.filter { $0.stage == .pending && asked.contains($0.code) }.map(\.user)
    }

    /// Says yes to somebody who asks after this user has asked them: two who have exchanged codes are friends.
    func agree() -> Bool {
        guard mayAgree else { return false }
        mayAgree = false
        let users = asksBack
        for user in users { loop.post(.approveFriend(user, name: core.ownName)) }
        return !users.isEmpty
    }

    /// Tells groups that this device has just joined who this user is, and what the user solved today.
    func introduceToNewGroups() -> Bool {
        let groups = newGroups.sorted().filter { core.engine.isMember(of: $0) && !core.sharing(in: $0).isStopped }
        newGroups = []
        let writes = groups.map { group in
            let results = core.publications(of: core.unpublishedResults(in: group, of: .days(0)), in: group)
            return (group: group, drafts: [.value(core.ownProfile(in: group))] + results)
        }
        guard !writes.isEmpty else { return false }
        loop.post(.write(writes))
        return true
    }

    // MARK: Requests

    func friendsReport() async throws -> FriendsReport {
        let blocked = core.engine.blockedUsers
        await people.computeCodes(
            of: core.engine.friendGroups.map(\.friend) + blocked + core.engine.offeredReturns.map(\.friend))
        let friends = core.engine.friendGroups.map { pair in
            FriendReport(
                user: core.shownID(of: pair.friend, in: pair.group), name: core.name(of: pair.friend, in: pair.group),
                code: core.isAnonymous(pair.friend, in: pair.group) ? nil : core.knownCode(of: pair.friend),
                online: core.isOnline(pair.friend, in: pair.group), group: pair.group.description,
                title: core.title(of: pair.group), pair: pair.isPair)
        }
        return FriendsReport(
            code: core.knownCode(of: core.identity.user) ?? "", answering: core.engine.answersToCode,
            friends: friends.sorted { ($0.name, $0.group) < ($1.name, $1.group) },
            sent: core.engine.sentFriendRequests.map(Self.report),
            received: core.engine.receivedFriendRequests.map(Self.report),
            blocked: blocked.map {
                BlockedReport(user: $0.description, code: core.knownCode(of: $0), name: blockedName(of: $0))
            },
            returns: core.engine.offeredReturns.map(report), alone: core.sharedGroups.compactMap(lonelyPair))
    }

    /// A report about a group of two whose other member has left; nil for any other group.
    private func lonelyPair(_ group: GroupID) -> LonelyPairReport? {
        guard core.engine.isMember(of: group), let state = core.engine.state(of: group), state.isPair,
            state.members.count == 1,
            let gone = state.removedUsers.last(where: { $0.user != core.identity.user })
        else { return nil }
        return LonelyPairReport(
            group: group.description, title: core.title(of: group), name: core.name(of: gone.user, in: group),
            ended: core.engine.origin(of: gone.removedBy, in: group).map { Timestamp(seconds: $0.time).text })
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
            user: request.user.description, name: DisplayText.shownName(request.name), code: request.code.description,
            state: state,
            asked: Timestamp(seconds: request.receivedAt).text)
    }

    private func report(of offer: OfferedReturn) -> ReturnReport {
        ReturnReport(
            group: offer.group.description, title: DisplayText.shownTitle(offer.title), members: offer.memberCount,
            friend: offer.friend.description, code: core.knownCode(of: offer.friend),
            offered: Timestamp(seconds: offer.offeredAt).text)
    }

    func answerToCode(_ isAnswering: Bool) async throws {
        guard isAnswering else { return _ = try await loop.execute(.setAnswersToCode(nil)) }
        let code = try Argument.friendCode(core.knownCode(of: core.identity.user) ?? "")
        try await loop.execute(.setAnswersToCode(Self.keys(of: code)))
    }

    func addFriend(_ text: String) async throws {
        let code = try Argument.friendCode(text)
        guard code.description != core.knownCode(of: core.identity.user) else { throw NodeFailure.ownFriendCode }
        try await loop.execute(.addFriend(Self.keys(of: code), name: core.ownName))
        // To enter the code of somebody who asks is to say yes.
        for user in asksBack { try await approveFriend(user) }
    }

    func approveFriend(_ selector: String) async throws { try await approveFriend(asker(selector)) }

    private func approveFriend(_ user: UserID) async throws {
        let isFirst = core.activeGroup == nil
        guard case .group(let group) = try await loop.execute(.approveFriend(user, name: core.ownName)) else { return }
        // A command that names no group goes on meaning the one that it meant.
        try await groups.introduce(to: group, history: 0, isActive: isFirst)
    }

    /// Leaves the group of two. An owner hands it to the friend first, so both keep what was shared.
    func removeFriend(_ selector: String) async throws {
        let matches = try await people.friendGroups(selector)
        let friend = matches[0].friend
        let pairs = matches.filter(\.isPair).map(\.group)
        guard !pairs.isEmpty else {
            throw NodeFailure.notAPair(title: core.title(of: matches[0].group))
        }
        for group in pairs {
            if core.engine.state(of: group)?.owner == core.identity.user {
                try await loop.execute(.transfer(group, to: friend))
            }
            _ = try await groups.leaveGroup(group.description, erasing: false)
        }
    }

    // MARK: Whom a text names

    /// A user whose request is here.
    func asker(_ selector: String) throws -> UserID {
        let matches = Selector(selector).matches(among: core.engine.receivedFriendRequests) {
            Selector.Key(code: $0.code.description, id: $0.user.description, names: [$0.name])
        }
        guard let match = matches.first else { throw NodeFailure.unknownFriend(selector) }
        guard matches.count == 1 else {
            throw NodeFailure.ambiguousMember(selector, candidates: matches.map { "\($0.name) (\($0.code))" })
        }
        return match.user
    }

    // MARK: Blocking

    /// Somebody's name when they were blocked; nil if it was unknown.
    private func blockedName(of user: UserID) -> String? {
        core.engine.local[BlockedUser.self, user].flatMap { $0.name.isEmpty ? nil : $0.name }
    }

    /// Blocks a person known here: somebody who asks, a friend, or a member of a group. Keeps the name, so that the
    /// user recognises the person later.
    func blockFriend(_ selector: String) async throws {
        let blocked = try await blockedUser(selector)
        let person: People.KnownPerson
        do {
            person = try await people.knownPerson(selector)
        } catch NodeFailure.unknownFriend where blocked != nil {
            throw NodeFailure.alreadyBlocked(blockedName(of: blocked ?? core.identity.user) ?? selector)
        }
        guard !core.engine.blockedUsers.contains(person.user) else { throw NodeFailure.alreadyBlocked(person.name) }
        try await loop.execute(.blockFriend(person.user, name: person.name))
    }

    func unblockFriend(_ selector: String) async throws {
        guard let user = try await blockedUser(selector) else {
            throw NodeFailure.notBlocked(try await people.knownPerson(selector).name)
        }
        try await loop.execute(.unblockFriend(user))
    }

    /// The blocked user that a text means.
    private func blockedUser(_ text: String) async throws -> UserID? {
        await people.computeCodes(of: core.engine.blockedUsers)
        let found = Selector(text).matches(among: core.engine.blockedUsers) {
            Selector.Key(code: core.knownCode(of: $0), id: $0.description, names: [blockedName(of: $0) ?? ""])
        }
        guard found.count < 2 else {
            throw NodeFailure.ambiguousMember(
                text,
                candidates: found.map {
                    "\(blockedName(of: $0) ?? "") (\(core.knownCode(of: $0) ?? String($0.description.prefix(16))))"
                })
        }
        return found.first
    }

    /// A group into which this user may come back, by its title or the start of its ID.
    func offeredReturn(_ selector: String) throws -> GroupID {
        let matches = Selector(selector).matches(amongGroups: core.engine.offeredReturns) {
            Selector.Key(id: $0.group.description, names: [$0.title])
        }
        guard let match = matches.first else { throw NodeFailure.unknownReturn(selector) }
        guard matches.count == 1 else {
            throw NodeFailure.ambiguousGroup(selector, candidates: matches.map(\.group.description))
        }
        return match.group
    }

    /// The slow hash runs outside the actor.
    @concurrent
    private static func keys(of code: FriendCode) async throws -> FriendCodeKeys {
        do {
            return try FriendCodeKeys(of: code)
        } catch {
            throw NodeFailure.storageFailed("there is not enough memory for the code’s hash")
        }
    }
}
