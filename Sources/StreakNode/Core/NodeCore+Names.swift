import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// What users are called in a group, by what ID reports name them there, and who is online.
extension NodeCore {
    /// What this user is called; the private group knows it on all of the user's devices.
    var ownName: String {
        privateGroup.flatMap { views[$0]?.profile(of: identity.user)?.name } ?? text(of: Self.nameSetting) ?? ""
    }

    /// What a group is called. Who named it may have been a program that keeps no rules, as with all names from outside.
    func title(of group: GroupID) -> String {
        engine.state(of: group).map { DisplayText.shownTitle($0.title) } ?? ""
    }

    func text(of setting: String) -> String? {
        engine.setting(setting).map { String(decoding: $0, as: UTF8.self) }
    }

    /// What a group knows of this user. Where a program of another version has said what this one cannot read, that may be
    /// an alias: the user is anonymous then.
    func ownProfile(in group: GroupID) -> Profile {
        if let known = views[group]?.profile(of: identity.user) { return known }
        guard group != privateGroup, hasProfile(in: group) else { return Profile(name: ownName) }
        return Profile(name: Pseudonym(of: identity.user, in: group).alias(), isAnonymous: true)
    }

    /// Whether a profile of this user stands in a group, readable or not.
    func hasProfile(in group: GroupID) -> Bool {
        let key = RecordKey(user: identity.user, kind: RecordKind.profile.rawValue, subject: [])
        return !(engine.mergedRecord(key, of: group)?.value.isEmpty ?? true)
    }

    func profile(of user: UserID, in group: GroupID) -> Profile? {
        user == identity.user ? ownProfile(in: group) : views[group]?.profile(of: user)
    }

    func isAnonymous(_ user: UserID, in group: GroupID) -> Bool {
        profile(of: user, in: group)?.isAnonymous ?? false
    }

    /// By what reports name a user: an anonymous one has another ID in every group.
    func shownID(of user: UserID, in group: GroupID) -> String {
        isAnonymous(user, in: group) ? Pseudonym(of: user, in: group).id.description : user.description
    }

    /// What a user is called in a group.
    func name(of user: UserID, in group: GroupID) -> String {
        names(in: group)[user] ?? plainName(of: user, in: group)
    }

    /// What the members of a group are called, now and formerly. Equal names get four characters of the friend code;
    /// derived aliases that collide get six digits, and so do equal chosen ones. O(members).
    func names(in group: GroupID) -> [UserID: String] {
        guard let state = engine.state(of: group) else { return [:] }
        let users = state.members.map(\.user) + state.removedUsers.map(\.user)
        let plain = users.map { (user: $0, name: plainName(of: $0, in: group)) }
        let bearers = Dictionary(grouping: plain) { $0.name.lowercased() }.mapValues { Set($0.map(\.user)).count }
        var names: [UserID: String] = [:]
        for (user, name) in plain {
            let isShared = bearers[name.lowercased(), default: 1] > 1
            names[user] = isShared ? distinguished(name, of: user, in: group) : name
        }
        return names
    }

    private func distinguished(_ name: String, of user: UserID, in group: GroupID) -> String {
        let pseudonym = Pseudonym(of: user, in: group)
        if name == pseudonym.alias() { return pseudonym.alias(digits: 6) }
        if isAnonymous(user, in: group) { return "\(name) (\(pseudonym.start(6)))" }
        return "\(name) (\(codeStart(of: user)))"
    }

    /// The name of the profile; until it has arrived, what an anonymous member would be called.
    func plainName(of user: UserID, in group: GroupID) -> String {
        profile(of: user, in: group)?.name ?? Pseudonym(of: user, in: group).alias()
    }

    // MARK: Friend codes

    static func codeSetting(of user: UserID) -> String { "code-" + user.description.prefix(48) }

    /// A user's friend code, if it has been computed.
    func knownCode(of user: UserID) -> String? {
        text(of: user == identity.user ? Self.friendCodeSetting : Self.codeSetting(of: user))
    }

    /// The first group of a user's friend code; the start of the ID until it has been computed.
    private func codeStart(of user: UserID) -> String {
        String((knownCode(of: user) ?? user.description.uppercased()).prefix(4))
    }

    /// When a user last wrote in a group, in seconds.
    func lastSeen(_ user: UserID, in group: GroupID) -> Int64? {
        engine.latestRecord(of: user, in: group).map { $0.milliseconds / 1_000 }
    }

    /// Whether a link leads to a member's machine, or members tell each other that it is there.
    func isOnline(_ user: UserID, in group: GroupID) -> Bool {
        engine.state(of: group)?.member(user)?.devices.contains { engine.route(to: $0, in: group) != nil } ?? false
    }

    /// The same as friends are shown it: nobody is who hides when they were there.
    func isShownOnline(_ user: UserID, in group: GroupID) -> Bool {
        if user == identity.user { return isServing }
        return isOnline(user, in: group) && !(profile(of: user, in: group)?.isLastSeenHidden ?? false)
    }

    /// The name of the member by way of whom another one is online; nil where a link leads to it, or it is offline.
    func relay(to devices: [DeviceID], in group: GroupID, _ names: [UserID: String]) -> String? {
        let routes = devices.compactMap { engine.route(to: $0, in: group) }
        guard let route = routes.min(by: { ($0.hops, $0.via) < ($1.hops, $1.via) }), route.hops > 1 else { return nil }
        return engine.state(of: group)?.device(route.via).flatMap { names[$0.user] }
    }
}

extension DisplayText {
    static func shownTitle(_ title: String) -> String {
        shown(title, maximumLength: ProtocolLimits.maximumTitleLength)
    }

    static func shownName(_ name: String) -> String { shown(name, maximumLength: ProtocolLimits.maximumNameLength) }
}
