import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// The names of users in a group, the IDs by which reports name them there, and who is online.
extension NodeCore {
    /// This user's name. The private group carries it to all of the user's devices.
    var ownName: String {
        privateGroup.flatMap { views[$0]?.profiles[identity.user]?.name } ?? text(of: Self.nameSetting) ?? ""
    }

    /// A group's title. The program that chose it may have ignored our rules, as for all names from outside.
    func title(of group: GroupID) -> String {
        engine.state(of: group).map { DisplayText.shownTitle($0.title) } ?? ""
    }

    func text(of setting: String) -> String? {
        engine.setting(setting).map { String(decoding: $0, as: UTF8.self) }
    }

    /// How far this node goes for others. A word of a later version counts as the most careful one.
    var internetSetting: InternetSetting {
        guard let word = text(of: Self.internetSetting) else { return .on }
        return InternetSetting(rawValue: word) ?? .lanOnly
    }

    /// Whether this machine leaves its newest results in the DHT. A word of a later version counts as no.
    var leavesLetters: Bool { text(of: Self.lettersSetting).map { $0 == "on" } ?? true }

    /// Whether the page advises a machine that is always on.
    var givesAdvice: Bool { text(of: Self.adviceSetting) != "off" }

    /// This user's profile in a group. If a program of another version wrote one that this version cannot read, it may
    /// contain an alias, so the user counts as anonymous.
    func ownProfile(in group: GroupID) -> Profile {
        if let known = views[group]?.profiles[identity.user] { return known }
        guard group != privateGroup, hasProfile(in: group) else { return Profile(name: ownName) }
        return Profile(name: Pseudonym(of: identity.user, in: group).alias(), isAnonymous: true)
    }

    /// Whether a profile of this user stands in a group, readable or not.
    func hasProfile(in group: GroupID) -> Bool {
        let key = RecordKey(user: identity.user, kind: RecordKind.profile.rawValue, subject: [])
        return !(engine.mergedRecord(key, of: group)?.value.isEmpty ?? true)
    }

    func profile(of user: UserID, in group: GroupID) -> Profile? {
        user == identity.user ? ownProfile(in: group) : views[group]?.profiles[user]
    }

    /// A former member whose profile is gone, as after an erasure, may have been anonymous.
    func isAnonymous(_ user: UserID, in group: GroupID) -> Bool {
        profile(of: user, in: group)?.isAnonymous ?? (engine.state(of: group)?.role(of: user) == nil)
    }

    /// The ID by which reports name a user: an anonymous one has a different ID in every group.
    func shownID(of user: UserID, in group: GroupID) -> String {
        isAnonymous(user, in: group) ? Pseudonym(of: user, in: group).id.description : user.description
    }

    /// A user's name in a group.
    func name(of user: UserID, in group: GroupID) -> String {
        names(in: group)[user] ?? plainName(of: user, in: group)
    }

    /// The names of a group's present and former members, as `names` says, and those among them who are to be told apart
    /// by a friend code that is not known yet.
    func makeNames(in group: GroupID) -> (names: [UserID: String], codeless: [UserID]) {
        guard let state = engine.state(of: group) else { return ([:], []) }
        let users = state.members.map(\.user) + state.removedUsers.map(\.user)
        let plain = users.map { user in
            let name = plainName(of: user, in: group)
            return (user: user, name: name, likeness: DisplayText.likeness(name))
        }
        let bearers = Dictionary(grouping: plain, by: \.likeness).mapValues { Set($0.map(\.user)).count }
        var (names, codeless): ([UserID: String], [UserID]) = ([:], [])
        for (user, name, likeness) in plain {
            let isShared = bearers[likeness, default: 1] > 1
            names[user] = isShared ? distinguished(name, of: user, in: group) : name
            if isShared, bearsCode(user, name, in: group), knownCode(of: user) == nil { codeless.append(user) }
        }
        return (names, codeless)
    }

    private func distinguished(_ name: String, of user: UserID, in group: GroupID) -> String {
        if bearsCode(user, name, in: group) { return "\(name) (\(codeStart(of: user)))" }
        let pseudonym = Pseudonym(of: user, in: group)
        return name == pseudonym.alias() ? pseudonym.alias(digits: 6) : "\(name) (\(pseudonym.start(6)))"
    }

    /// Whether a shared name is told apart by the friend code: it would tell who an anonymous member is.
    private func bearsCode(_ user: UserID, _ name: String, in group: GroupID) -> Bool {
        !isAnonymous(user, in: group) && name != Pseudonym(of: user, in: group).alias()
    }

    /// The profile's name; until it has arrived, the alias that an anonymous member would have.
    func plainName(of user: UserID, in group: GroupID) -> String {
        profile(of: user, in: group)?.name ?? Pseudonym(of: user, in: group).alias()
    }

    // MARK: Friend codes

    /// A user's friend code, if it was computed.
    func knownCode(of user: UserID) -> String? {
        user == identity.user
            ? text(of: Self.friendCodeSetting) : engine.local[KnownCode.self, user]?.code.description
    }

    /// The first part of a user's friend code; the start of the ID until the code was computed.
    private func codeStart(of user: UserID) -> String {
        String((knownCode(of: user) ?? user.description.uppercased()).prefix(4))
    }

    /// When a user last wrote in a group, in seconds.
    func lastSeen(_ user: UserID, in group: GroupID) -> Int64? {
        engine.latestRecord(of: user, in: group).map { $0.milliseconds / 1_000 }
    }

    /// Whether this node has a link to a member's machine, or other members report that it is online.
    func isOnline(_ user: UserID, in group: GroupID) -> Bool {
        engine.state(of: group)?.member(user)?.devices.contains { engine.route(to: $0, in: group) != nil } ?? false
    }

    /// The same as shown to friends: a member who hides when they were online never counts as online.
    func isShownOnline(_ user: UserID, in group: GroupID) -> Bool {
        if user == identity.user { return isServing }
        return isOnline(user, in: group) && !(profile(of: user, in: group)?.isLastSeenHidden ?? false)
    }

    /// The member through whom another one is online; nil if there is a direct link, or it is offline.
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
