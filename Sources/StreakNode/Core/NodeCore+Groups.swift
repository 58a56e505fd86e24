import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// How a place in a group ended.
struct GroupEnding {
    /// `left` or `removed`; `revoked` where this device alone has lost its place; `notLetIn` where who let it in could not.
    let word: String
    /// What ended it.
    let operation: OperationID
}

/// Keys of `GroupSettings`' choices.
enum GroupChoice {
    /// 0: results are shown at once. Else, and without it, they are covered until one's own is recorded.
    static let spoilerGuard: UInt8 = 1
    /// What a missed day counts: 1 one more than the worst, 2 zero; without it nothing.
    static let missedDay: UInt8 = 2
    /// 1: streaks have freezes.
    static let freezes: UInt8 = 3
    /// After how many days a result no longer counts; without it never.
    static let archiveDays: UInt8 = 4
}

/// Which groups there are, which one a text names, and what each follows.
extension NodeCore {
    /// Whether a group cannot know a profile of this user: none is held, readable or not, no other device of the account is
    /// or was in it, and it never left. Else the profile may be an alias that has not arrived yet, and a name told now would take its place.
    func isNew(in group: GroupID) -> Bool {
        guard group != privateGroup, let state = engine.state(of: group) else { return true }
        return !hasProfile(in: group) && !state.removedUsers.contains { $0.user == identity.user }
            && !state.devices.contains { $0.user == identity.user && $0.device != identity.device }
    }

    /// The group of one user in which this user's devices keep their own results.
    var privateGroup: GroupID? { engine.privateGroup }

    /// Groups shared with others, in the order of their titles: those that this user is in, and those that have ended and
    /// are still told of.
    var sharedGroups: [GroupID] {
        engine.groupIDs.filter { !engine.isPrivate($0) && !isDismissed($0) }.sorted { left, right in
            let titles = (title(of: left), title(of: right))
            return titles.0 == titles.1 ? left < right : titles.0 < titles.1
        }
    }

    /// The groups that hold this user's results: the private one, and those this user is in.
    var ownGroups: [GroupID] {
        (privateGroup.map { [$0] } ?? []) + sharedGroups.filter(engine.isMember)
    }

    /// The groups this user is in, the private one left out.
    var memberGroups: [GroupID] { sharedGroups.filter(engine.isMember) }

    /// The group that commands mean which name none.
    var activeGroup: GroupID? {
        let kept = engine.setting(Self.activeGroupSetting).flatMap { GroupID($0) }
        if let kept, engine.isMember(of: kept) { return kept }
        return sharedGroups.first(where: engine.isMember)
    }

    /// The group that a title, an ID or the beginning of either names; the active one for nil.
    ///
    /// - Throws: `notMember` for one that has ended for this user.
    func group(_ selector: String?) throws -> GroupID {
        guard let selector, !selector.isEmpty else {
            if let active = activeGroup { return active }
            let ended = sharedGroups.filter { ending(of: $0) != nil }.map(groupReport)
            throw NodeFailure.noGroup(ended: ended)
        }
        let group = try listedGroup(selector)
        if ending(of: group) != nil { try checkMembership(of: group) }
        return group
    }

    /// A group on the list, also one that has ended for this user. Of several those that the user is in are meant.
    func listedGroup(_ selector: String) throws -> GroupID {
        let named = Selector(selector).matches(amongGroups: sharedGroups) { group in
            Selector.Key(id: group.description, names: [title(of: group)])
        }
        guard !named.isEmpty else { throw NodeFailure.unknownGroup(selector) }
        let current = named.filter(engine.isMember)
        let found = current.isEmpty ? named : current
        guard found.count == 1 else {
            throw NodeFailure.ambiguousGroup(
                selector,
                candidates: found.map { "\(title(of: $0)) (\($0.description.prefix(8)))" })
        }
        return found[0]
    }

    /// - Throws: `notMember` where this user is no longer in the group.
    func checkMembership(of group: GroupID) throws {
        guard engine.isMember(of: group) else {
            throw NodeFailure.notMember(title: title(of: group))
        }
    }

    func groupReport(_ group: GroupID) -> GroupReport {
        let state = engine.state(of: group)
        return GroupReport(
            id: group.description, title: title(of: group), role: roleWord(in: group),
            members: state?.members.count ?? 0, active: group == activeGroup, sharing: isSharing(in: group),
            ended: endingText(of: group))
    }

    /// The user's role; where it is no longer in, how that came about.
    func roleWord(in group: GroupID) -> String {
        ending(of: group)?.word ?? engine.state(of: group)?.role(of: identity.user)?.word ?? "removed"
    }

    // MARK: What they follow

    /// What boards and streaks of a group follow. A value of a later version is as if there were none.
    func rules(of group: GroupID) -> BoardRules {
        let settings = engine.state(of: group)?.settings
        let missedDay: MissedDay =
            switch settings?[GroupChoice.missedDay] {
            case 1: .worstPlusOne
            case 2: .zero
            default: .nothing
            }
        let archive = settings?[GroupChoice.archiveDays].flatMap {
            (1...Argument.maximumArchiveDays).contains($0) ? Int($0) : nil
        }
        return BoardRules(
            missedDay: missedDay,
            streaks: StreakRules(usesFreezes: settings?[GroupChoice.freezes] == 1, archiveDays: archive))
    }

    /// What numbers follow that are no single group's: “all my results”, and boards over all groups. The user's own choice,
    /// kept as the settings of the private group and so the same on all devices.
    var ownRules: BoardRules { privateGroup.map(rules) ?? BoardRules() }

    func guardsSpoilers(in group: GroupID) -> Bool {
        engine.state(of: group)?.settings[GroupChoice.spoilerGuard] != 0
    }

    // MARK: Places that ended

    /// How this place ended. Nil where this device is in, or where nothing here says why it is not.
    func ending(of group: GroupID) -> GroupEnding? {
        guard !engine.isMember(of: group), let state = engine.state(of: group) else { return nil }
        if case .revoked(let operation) = state.device(identity.device)?.standing {
            return GroupEnding(word: "revoked", operation: operation)
        }
        if let operation = engine.exclusion(from: group) { return GroupEnding(word: "notLetIn", operation: operation) }
        guard state.role(of: identity.user) == nil,
            let former = state.removedUsers.first(where: { $0.user == identity.user })
        else { return nil }
        return GroupEnding(word: former.hasLeft ? "left" : "removed", operation: former.removedBy)
    }

    /// When a place in a group ended, by the clock of who ended it; nil where it has not.
    func endingText(of group: GroupID) -> String? {
        ending(of: group).flatMap { engine.origin(of: $0.operation, in: group) }.map {
            Timestamp(seconds: $0.time).text
        }
    }

    static func dismissalSetting(of group: GroupID) -> String { "ended-" + group.description.prefix(48) }

    /// Whether the user has taken the group off the list since it ended. A place that is given back and ends again is
    /// told of again.
    func isDismissed(_ group: GroupID) -> Bool {
        guard !engine.isMember(of: group), let dismissed = engine.setting(Self.dismissalSetting(of: group)) else {
            return false
        }
        return dismissed == ending(of: group)?.operation.bytes.array
    }
}
