import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Which member, friend or asker a text means; and people's friend codes, which are worked out when somebody has to be
/// shown or found by one.
final class People {
    let core: NodeCore
    private let loop: NodeLoop
    private var codeQueue = CodeQueue()
    /// The context at which it was last looked who has to be told apart by a code.
    private var seenContext: UInt64?

    init(core: NodeCore, loop: NodeLoop) { (self.core, self.loop) = (core, loop) }

    // MARK: Friend codes

    /// Codes that one request waits for, each a slow hash of 60 ms, one after another. Two while the node runs, because it
    /// works out the others meanwhile; more if the program ends after the request.
    private var maximumComputedCodes: Int { loop.isRunning ? 2 : 8 }

    /// Works out the codes of these users, outside the node's actor, and keeps them. Waits for the first few that are
    /// unknown; the others follow soon.
    func computeCodes(of users: [UserID]) async {
        let missing = users.filter { core.knownCode(of: $0) == nil }
        guard !missing.isEmpty else { return }
        for (user, code) in await Self.codes(of: missing.prefix(maximumComputedCodes)) { storeCode(code, of: user) }
        loop.process()
        guard loop.isRunning else { return }
        if let first = codeQueue.add(missing.filter { core.knownCode(of: $0) == nil }) { loop.deriveCode(of: first) }
    }

    /// Once names or members have changed, has the codes worked out by which people of one name are told apart: so all
    /// machines call them the same, whatever was looked at there.
    func followNames() {
        guard seenContext != core.contextEdition else { return }
        seenContext = core.contextEdition
        let codeless = core.sharedGroups.flatMap { core.makeNames(in: $0).codeless }
        if let first = codeQueue.add(codeless) { loop.deriveCode(of: first) }
    }

    /// A queued code has been worked out, and the next is begun. After the last one, pages load again.
    func codeArrived(_ code: FriendCode?, of user: UserID) {
        guard codeQueue.finish(user) else { return }
        if let code { storeCode(code, of: user) }
        if let next = codeQueue.current { loop.deriveCode(of: next) } else { core.publish(.groupsChanged) }
    }

    private func storeCode(_ code: FriendCode, of user: UserID) {
        guard core.knownCode(of: user) == nil, loop.isReliable else { return }
        // If it cannot be stored now, it is worked out again the next time.
        var rows = LocalRows()
        rows.keep(KnownCode(user: user, code: code))
        loop.post(.keepRows(rows))
    }

    @concurrent
    private static func codes(of users: ArraySlice<UserID>) async -> [(UserID, FriendCode)] {
        // If there is not enough memory for the hash, no code is shown.
        users.compactMap { user in (try? FriendCode(of: user)).map { (user, $0) } }
    }

    // MARK: Reports

    /// A member under the name and the ID that the group shows.
    func person(_ user: UserID, in group: GroupID) async -> PersonReport {
        guard !core.isAnonymous(user, in: group) else {
            return PersonReport(user: core.shownID(of: user, in: group), name: core.name(of: user, in: group))
        }
        return await report(KnownPerson(user: user, name: core.name(of: user, in: group)))
    }

    func report(_ person: KnownPerson) async -> PersonReport {
        await computeCodes(of: [person.user])
        return PersonReport(user: person.user.description, name: person.name, code: core.knownCode(of: person.user))
    }

    // MARK: Members

    /// The member that a text means.
    func member(_ text: String, of group: GroupID) async throws -> UserID {
        let members = core.engine.state(of: group)?.members ?? []
        guard let user = try await user(text, among: members.map { ($0.user, group) }) else {
            throw NodeFailure.unknownMember(text)
        }
        return user
    }

    /// Which of these a text means, each as a group calls them; nil for none.
    func user(_ text: String, among places: [(user: UserID, group: GroupID)]) async throws -> UserID? {
        let selector = Selector(text)
        await seek(selector.code, among: places.filter { !core.isAnonymous($0.user, in: $0.group) }.map(\.user))
        var names: [GroupID: [UserID: String]] = [:]
        for group in Set(places.map(\.group)).sorted() { names[group] = core.names(in: group) }
        let found = selector.matches(among: places) { key(of: $0.user, in: $0.group, names[$0.group] ?? [:]) }
        guard let first = found.first else { return nil }
        guard found.allSatisfy({ $0.user == first.user }) else {
            throw NodeFailure.ambiguousMember(
                text, candidates: found.map { candidate($0.user, in: $0.group, names[$0.group] ?? [:]) })
        }
        return first.user
    }

    private func key(of user: UserID, in group: GroupID, _ names: [UserID: String]) -> Selector.Key {
        Selector.Key(
            code: core.isAnonymous(user, in: group) ? nil : core.knownCode(of: user),
            id: core.shownID(of: user, in: group),
            names: [names[user] ?? "", core.plainName(of: user, in: group)])
    }

    /// “Ben (7K3M-9QXT-42WJ)”, or the beginning of the ID where there is no code to show.
    private func candidate(_ user: UserID, in group: GroupID, _ names: [UserID: String]) -> String {
        let code = core.isAnonymous(user, in: group) ? nil : core.knownCode(of: user)
        return "\(names[user] ?? "") (\(code ?? String(core.shownID(of: user, in: group).prefix(16))))"
    }

    /// When somebody is looked for by a code, works out users' codes until it is found, each once.
    private func seek(_ code: FriendCode?, among users: [UserID]) async {
        guard let code else { return }
        for user in users where core.knownCode(of: user) == nil {
            guard !users.contains(where: { core.knownCode(of: $0) == code.description }) else { return }
            await computeCodes(of: [user])
        }
    }

    // MARK: Friends, and those who ask

    /// A person whose account is known here.
    struct KnownPerson {
        var user: UserID
        var name: String
    }

    /// The groups that this user shares with the friend that a text means; at least one.
    func friendGroups(_ text: String) async throws -> [MeshEngine.FriendGroup] {
        let selector = Selector(text)
        let open = core.engine.friendGroups.filter { !core.isAnonymous($0.friend, in: $0.group) }
        await seek(selector.code, among: open.map(\.friend))
        let found = selector.matches(among: core.engine.friendGroups) { pair in
            key(of: pair.friend, in: pair.group, core.names(in: pair.group))
        }
        guard let friend = found.first?.friend else { throw NodeFailure.unknownFriend(text) }
        guard found.allSatisfy({ $0.friend == friend }) else {
            throw NodeFailure.ambiguousMember(
                text,
                candidates: found.map {
                    "\(core.name(of: $0.friend, in: $0.group)) in “\(core.engine.state(of: $0.group)?.title ?? "")”"
                })
        }
        return found
    }

    /// The person that a text means among askers, friends, and members of this user's groups who are not anonymous.
    func knownPerson(_ text: String) async throws -> KnownPerson {
        let selector = Selector(text)
        let asking = core.engine.receivedFriendRequests
        let members = core.sharedGroups.filter(core.engine.isMember).flatMap { group in
            (core.engine.state(of: group)?.members ?? []).map(\.user)
                .filter { $0 != core.identity.user && !core.isAnonymous($0, in: group) }.map {
                    (user: $0, group: group)
                }
        }
        await seek(selector.code, among: members.map(\.user))
        let known =
            asking.map { KnownPerson(user: $0.user, name: $0.name) }
            + members.map { KnownPerson(user: $0.user, name: core.plainName(of: $0.user, in: $0.group)) }
        let codes = Dictionary(asking.map { ($0.user, $0.code.description) }) { first, _ in first }
        let found = selector.matches(among: known) { person in
            Selector.Key(
                code: codes[person.user] ?? core.knownCode(of: person.user), id: person.user.description,
                names: [person.name])
        }
        guard let person = found.first else { throw NodeFailure.unknownFriend(text) }
        guard found.allSatisfy({ $0.user == person.user }) else {
            throw NodeFailure.ambiguousMember(
                text,
                candidates: found.map {
                    "\($0.name) (\(codes[$0.user] ?? core.knownCode(of: $0.user) ?? String($0.user.description.prefix(16))))"
                })
        }
        return person
    }
}
