import StreakEngine
import StreakMembership
import StreakWire

/// Whom a text means, of the members of a group, friends and those who ask.
extension MeshNode {
    /// A member under the name and the ID that the group shows.
    func person(_ user: UserID, in group: GroupID) async -> PersonReport {
        guard !isAnonymous(user, in: group) else {
            return PersonReport(user: shownID(of: user, in: group), name: name(of: user, in: group))
        }
        return await report(KnownPerson(user: user, name: name(of: user, in: group)))
    }

    func report(_ person: KnownPerson) async -> PersonReport {
        await computeCodes(of: [person.user])
        return PersonReport(user: person.user.description, name: person.name, code: knownCode(of: person.user))
    }

    // MARK: Members

    /// The member that a text names.
    func member(_ text: String, of group: GroupID) async throws -> UserID {
        let selector = Selector(text)
        let users = engine.state(of: group)?.members.map(\.user) ?? []
        await seek(selector.code, among: users.filter { !isAnonymous($0, in: group) })
        let names = names(in: group)
        let found = selector.matches(among: users) { key(of: $0, in: group, names) }
        guard let user = found.first else { throw NodeFailure.unknownMember(text) }
        guard found.count == 1 else {
            throw NodeFailure.ambiguousMember(text, candidates: found.map { candidate($0, in: group, names) })
        }
        return user
    }

    private func key(of user: UserID, in group: GroupID, _ names: [UserID: String]) -> Selector.Key {
        Selector.Key(
            code: isAnonymous(user, in: group) ? nil : knownCode(of: user), id: shownID(of: user, in: group),
            names: [names[user] ?? "", plainName(of: user, in: group)])
    }

    /// “Ben (7K3M-9QXT-42WJ)”, or the beginning of the ID where there is no code to show.
    private func candidate(_ user: UserID, in group: GroupID, _ names: [UserID: String]) -> String {
        let code = isAnonymous(user, in: group) ? nil : knownCode(of: user)
        return "\(names[user] ?? "") (\(code ?? String(shownID(of: user, in: group).prefix(16))))"
    }

    /// Codes are worked out when somebody is looked for by one, until it is found; each once.
    private func seek(_ code: FriendCode?, among users: [UserID]) async {
        guard let code else { return }
        for user in users where knownCode(of: user) == nil {
            guard !users.contains(where: { knownCode(of: $0) == code.description }) else { return }
            await computeCodes(of: [user])
        }
    }

    // MARK: Friends, and those who ask

    /// Somebody whose account is known here.
    struct KnownPerson {
        var user: UserID
        var name: String
    }

    /// The groups that this user shares with the friend whom a text names; at least one.
    func friendGroups(_ text: String) async throws -> [MeshEngine.FriendGroup] {
        let selector = Selector(text)
        let open = engine.friendGroups.filter { !isAnonymous($0.friend, in: $0.group) }
        await seek(selector.code, among: open.map(\.friend))
        let found = selector.matches(among: engine.friendGroups) { pair in
            key(of: pair.friend, in: pair.group, names(in: pair.group))
        }
        guard let friend = found.first?.friend else { throw NodeFailure.unknownFriend(text) }
        guard found.allSatisfy({ $0.friend == friend }) else {
            throw NodeFailure.ambiguousMember(
                text,
                candidates: found.map {
                    "\(name(of: $0.friend, in: $0.group)) in “\(engine.state(of: $0.group)?.title ?? "")”"
                })
        }
        return found
    }

    /// Whom a text names of those who ask, friends, and members of this user's groups who go by their name.
    func knownPerson(_ text: String) async throws -> KnownPerson {
        let selector = Selector(text)
        let asking = engine.receivedFriendRequests
        let members = sharedGroups.filter(engine.isMember).flatMap { group in
            (engine.state(of: group)?.members ?? []).map(\.user)
                .filter { $0 != identity.user && !isAnonymous($0, in: group) }.map { (user: $0, group: group) }
        }
        await seek(selector.code, among: members.map(\.user))
        let known =
            asking.map { KnownPerson(user: $0.user, name: $0.name) }
            + members.map { KnownPerson(user: $0.user, name: plainName(of: $0.user, in: $0.group)) }
        let codes = Dictionary(asking.map { ($0.user, $0.code.description) }) { first, _ in first }
        let found = selector.matches(among: known) { person in
            Selector.Key(
                code: codes[person.user] ?? knownCode(of: person.user), id: person.user.description,
                names: [person.name])
        }
        guard let person = found.first else { throw NodeFailure.unknownFriend(text) }
        guard found.allSatisfy({ $0.user == person.user }) else {
            throw NodeFailure.ambiguousMember(
                text,
                candidates: found.map {
                    "\($0.name) (\(codes[$0.user] ?? knownCode(of: $0.user) ?? String($0.user.description.prefix(16))))"
                })
        }
        return person
    }
}

extension PersonRequest {
    public func answer(on node: isolated MeshNode) async throws -> PersonReport {
        switch self {
        case .member(let selector, let user):
            let group = try node.group(selector)
            return try await node.person(node.member(user, of: group), in: group)
        case .friend(let user):
            let pair = try await node.friendGroups(user)[0]
            return await node.person(pair.friend, in: pair.group)
        case .known(let user): return await node.report(try await node.knownPerson(user))
        }
    }
}
