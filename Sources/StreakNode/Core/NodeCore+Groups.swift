import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// How the place of a user or a device in a group ended.
struct GroupEnding {
    /// `left` or `removed`; `revoked` if only this device has lost its place; `notLetIn` if the admission does not
    /// count.
    let word: String
    /// The operation that ended it.
    let operation: OperationID
}

/// Keys of `GroupSettings`' choices.
enum GroupChoice {
    /// 0: results are shown at once. Any other value, or none: they are covered until the viewer's own is recorded.
    static let spoilerGuard: UInt8 = 1
    /// What a missed day counts: 1 for one more than the worst, 2 for zero; no value for nothing.
    static let missedDay: UInt8 = 2
    /// 1: streaks have freezes.
    static let freezes: UInt8 = 3
    /// After how many days a result no longer counts; no value for never.
    static let archiveDays: UInt8 = 4
}

/// Which groups there are, which one a text means, and which rules each follows.
extension NodeCore {
    /// Whether a group cannot know any profile of this user: it holds none, readable or not; no other device of the
    /// account is or was in it; and the account never left it. Otherwise an alias may not have arrived yet, and telling
    /// a name now would replace it.
    ///
    /// - Parameter isEntering: whether this device enters the group just now. If it brings the account there, no other
    ///   device can have said anything yet, though it may be in the ledger already.
    func isNew(in group: GroupID, isEntering: Bool = false) -> Bool {
        guard group != privateGroup, let state = engine.state(of: group) else { return true }
        return !hasProfile(in: group) && !state.removedUsers.contains { $0.user == identity.user }
            && (isEntering && engine.hasBroughtAccount(into: group)
                || !state.devices.contains { $0.user == identity.user && $0.device != identity.device })
    }

    /// The group in which this user's devices keep the user's own results.
    var privateGroup: GroupID? { engine.privateGroup }

    /// Groups shared with others, in the order of their titles: those that this user is in, and those that have ended
    /// and are still on the list.
    var sharedGroups: [GroupID] {
        engine.groupIDs.filter { !engine.isPrivate($0) && !isDismissed($0) }.map { (title: title(of: $0), id: $0) }
            .sorted { $0 < $1 }.map(\.id)
    }

    /// The groups that hold this user's results: the private group, and those that this user is in.
    var ownGroups: [GroupID] {
        (privateGroup.map { [$0] } ?? []) + sharedGroups.filter(engine.isMember)
    }

    /// The groups that this user is in, without the private one.
    var memberGroups: [GroupID] { sharedGroups.filter(engine.isMember) }

    /// How long this user has to be in a group before it is known who is always on there: two days, in seconds. A machine says that it
    /// is after one.
    private static let timeToKnowWhoIsOn: Int64 = 2 * 86_400

    /// The groups in which nobody’s machine is always on, as far as this node can know.
    var groupsWithoutAlwaysOn: [GroupID] {
        guard internetSetting == .on else { return [] }
        let latest = clock.wallTime.seconds - Self.timeToKnowWhoIsOn
        return memberGroups.filter { group in
            guard let members = engine.state(of: group)?.members, members.count > 1,
                members.contains(where: { $0.user == identity.user && $0.admittedAt <= latest })
            else { return false }
            return !members.contains { member in
                member.devices.contains { engine.isAlwaysOn($0, at: clock.now, wall: clock.wallTime) }
            }
        }
    }

    /// The group for commands that name none.
    var activeGroup: GroupID? {
        let kept = engine.setting(Self.activeGroupSetting).flatMap { GroupID($0) }
        if let kept, engine.isMember(of: kept) { return kept }
        return sharedGroups.first(where: engine.isMember)
    }

    /// The group that a title, an ID or a beginning of either means; the active one for nil.
    ///
    /// - Throws: `notMember` if the group has ended for this user.
    func group(_ selector: String?) throws -> GroupID {
        guard let selector, !selector.isEmpty else {
            if let active = activeGroup { return active }
            if engine.isShutOut { throw NodeFailure.machineShutOut }
            let ended = sharedGroups.filter { ending(of: $0) != nil }.map { groupReport($0, active: nil) }
            throw NodeFailure.noGroup(ended: ended)
        }
        let group = try listedGroup(selector)
        if ending(of: group) != nil { try checkMembership(of: group) }
        return group
    }

    /// A group on the list, also one that has ended for this user. If several fit, those that the user is in are meant.
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

    /// - Throws: `notMember` if this user is no longer in the group.
    func checkMembership(of group: GroupID) throws {
        guard engine.isMember(of: group) else {
            throw NodeFailure.notMember(title: title(of: group))
        }
    }

    func groupReport(_ group: GroupID) -> GroupReport { groupReport(group, active: activeGroup) }

    /// - Parameter active: the active group, which takes a look at all groups to find.
    func groupReport(_ group: GroupID, active: GroupID?) -> GroupReport {
        let state = engine.state(of: group)
        return GroupReport(
            id: group.description, title: title(of: group), role: roleWord(in: group),
            members: state?.members.count ?? 0, active: group == active, sharing: isSharing(in: group),
            ended: endingText(of: group))
    }

    /// The user's role; if the user is no longer in, how that ended.
    func roleWord(in group: GroupID) -> String {
        ending(of: group)?.word ?? engine.state(of: group)?.role(of: identity.user)?.word ?? "removed"
    }

    // MARK: What they follow

    /// The rules for boards and streaks of a group. A value of a later version counts as none.
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

    /// The rules for numbers over more than one group: “all my results”, and boards over all groups. The user chooses
    /// them; they are kept as the settings of the private group, and so are the same on all devices.
    var ownRules: BoardRules { privateGroup.map(rules) ?? BoardRules() }

    func guardsSpoilers(in group: GroupID) -> Bool {
        engine.state(of: group)?.settings[GroupChoice.spoilerGuard] != 0
    }

    // MARK: Places that ended

    /// How this place ended. Nil if this device is in, or if nothing here says why it is not.
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

    /// When a place in a group ended, by the clock of the device that ended it; nil if it has not.
    func endingText(of group: GroupID) -> String? {
        ending(of: group).flatMap { engine.origin(of: $0.operation, in: group) }.map {
            Timestamp(seconds: $0.time).text
        }
    }

    /// Whether the user has taken the group off the list since it ended. A place that is given back and ends again is
    /// listed again.
    func isDismissed(_ group: GroupID) -> Bool {
        guard !engine.isMember(of: group), let noted = engine.local[NotedEnding.self, group] else { return false }
        return noted.isDismissed && noted.operation == ending(of: group)?.operation
    }
}
