import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// The profile and the groups.
extension MeshNode {
    // MARK: Profile

    func profile() -> ProfileReport {
        ProfileReport(
            user: identity.user.description, device: identity.device.description, name: ownName,
            friendCode: text(of: Self.friendCodeSetting) ?? "", recoveryConfirmed: isRecoveryConfirmed)
    }

    /// Groups that go by the alias keep it, and groups that sharing has stopped in keep the old name.
    func rename(to name: String) async throws -> ProfileReport {
        let name = try Argument.checkName(name)
        try await execute(
            .write(ownGroups.compactMap { profileWrite(in: $0, name: name) }),
            with: [.keepSetting(name: Self.nameSetting, value: Array(name.utf8))])
        return profile()
    }

    /// What tells a group this user's name; nil where it knows it, goes by the alias, or is to hear nothing new; and as
    /// long as a newly linked device has not heard what the name is.
    private func profileWrite(in group: GroupID, name: String) -> (group: GroupID, drafts: [RecordDraft])? {
        let known = views[group]?.profile(of: identity.user)
        guard !name.isEmpty, !sharing(in: group).isStopped, known?.isAnonymous != true, known?.name != name,
            known != nil || isNew(in: group)
        else { return nil }
        var profile = known ?? Profile(name: name)
        profile.name = name
        return (group, [.value(profile)])
    }

    /// Whether a group cannot know a profile of this user: none is held, readable or not, no other device of the account is
    /// or was in it, and it never left. Else the profile may be an alias that has not arrived yet, and a name told now would take its place.
    func isNew(in group: GroupID) -> Bool {
        guard group != privateGroup, let state = engine.state(of: group) else { return true }
        return !hasProfile(in: group) && !state.removedUsers.contains { $0.user == identity.user }
            && !state.devices.contains { $0.user == identity.user && $0.device != identity.device }
    }

    /// Tells every group this user's name that does not know it: a process that ended between joining and introducing
    /// itself makes up for it at the next start.
    func introduceWhereUnknown() {
        let name = ownName
        let writes = ownGroups.compactMap { profileWrite(in: $0, name: name) }
        guard !writes.isEmpty else { return }
        feed(.command(takeCommandID(), .write(writes)))
        process()
    }

    // MARK: Groups

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
    private func listedGroup(_ selector: String) throws -> GroupID {
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

    /// - Throws: `notMember` where this user is in the group no more.
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

    /// The user's role; where it is in no more, how that came about.
    func roleWord(in group: GroupID) -> String {
        ending(of: group)?.word ?? engine.state(of: group)?.role(of: identity.user)?.word ?? "removed"
    }

    /// This device is in a group no more: whoever watches is told.
    func tellLoss(of group: GroupID) {
        rebuildView(of: group)
        let title = title(of: group)
        switch roleWord(in: group) {
        case "revoked":
            inbox.publish(
                .notice("This machine was shut out of “\(title)”: it gets nothing there and shares nothing."))
        case "removed":
            inbox.publish(
                .notice(
                    "You were removed from “\(title)”. Your own results stay; the others’ are deleted here."))
        case "notLetIn":
            inbox.publish(
                .notice(
                    "You were not let in to “\(title)”: who did it was a member no more, or the link had been revoked. "
                        + "A new invite lets you in."))
        default: break
        }
        inbox.publish(.groupsChanged)
    }

    func createGroup(title: String) async throws -> GroupReport {
        let title = try Argument.checkTitle(title)
        guard case .group(let group) = try await execute(.foundGroup(title: title)) else {
            throw NodeFailure.storageFailed("no group was made")
        }
        try await introduce(to: group, history: 0)
        return groupReport(group)
    }

    /// Makes a group the active one and tells it who this user is, with as much of the history as it chose: the results of
    /// `history` days back from today, nil for all. Who comes back shares again and goes by the profile it had.
    func introduce(to group: GroupID, history: Int?) async throws {
        let results =
            history.map { unpublishedResults(in: group, of: .days($0)) }
            ?? unpublishedResults(in: group, of: .all)
        let profile = views[group]?.profile(of: identity.user) != nil || isNew(in: group) ? ownProfile(in: group) : nil
        let drafts: [RecordDraft] =
            (profile.map { [.value($0)] } ?? [])
            + publications(of: results, in: group)
        var sharing = sharing(in: group)
        sharing.isStopped = false
        try await execute(
            .write([(group, drafts)] + writes(making: sharing, holdFor: group)),
            with: [.keepSetting(name: Self.activeGroupSetting, value: group.bytes.array)])
    }

    /// A group on the list, also one that has ended for this user.
    func findGroup(_ selector: String?) throws -> GroupReport {
        groupReport(try selector.map(listedGroup) ?? group(nil))
    }

    func useGroup(_ selector: String) async throws -> GroupReport {
        let group = try group(selector)
        try await execute(.keepSetting(name: Self.activeGroupSetting, value: group.bytes.array))
        return groupReport(group)
    }

    /// Leaves a group; one that has ended for this user is taken off the list. What is there can be erased no more then.
    func leaveGroup(_ selector: String, erasing: Bool) async throws -> GroupReport {
        let group = selector.isEmpty ? try group(nil) : try listedGroup(selector)
        let title = title(of: group)
        if !erasing, let ending = ending(of: group) { return try await dismiss(group, ending) }
        try checkMembership(of: group)
        // Results stay, with what their games are.
        if let privateGroup {
            let kept = keptDefinitions(of: Set(ownIndex.games))
            if !kept.isEmpty { try await execute(.write([(privateGroup, kept)])) }
        }
        if let state = engine.state(of: group), state.members.count == 1, state.owner == identity.user {
            // Nobody else is in it: there is nobody to tell, and nothing to hand over.
            let report = GroupReport(
                id: group.description, title: title, role: "left", members: 0, active: false, sharing: false)
            try await execute(.forgetGroup(group))
            views[group] = nil
            inbox.publish(.groupsChanged)
            return report
        }
        // Whoever lets this user in again without being asked gets nothing.
        var sharing = sharing(in: group)
        sharing.isStopped = true
        do {
            try await execute(.leave(group, erasing: erasing), with: [.write(writes(making: sharing, holdFor: group))])
        } catch NodeFailure.ownerCannotLeave {
            throw NodeFailure.ownerCannotLeave(title: title)
        }
        await settle(waitingForLinks: Settlers.longest)
        return groupReport(group)
    }

    // MARK: What a group decides

    /// Keys of `GroupSettings`' choices.
    private enum Choice {
        /// 0: results are shown at once. Else, and without it, they are covered until one's own is recorded.
        static let spoilerGuard: UInt8 = 1
        /// What a missed day counts: 1 one more than the worst, 2 zero; without it nothing.
        static let missedDay: UInt8 = 2
        /// 1: streaks have freezes.
        static let freezes: UInt8 = 3
        /// After how many days a result counts no more; without it never.
        static let archiveDays: UInt8 = 4
    }

    /// What boards and streaks of a group follow. A value of a later version is as if there were none.
    func rules(of group: GroupID) -> BoardRules {
        let settings = engine.state(of: group)?.settings
        let missedDay: MissedDay =
            switch settings?[Choice.missedDay] {
            case 1: .worstPlusOne
            case 2: .zero
            default: .nothing
            }
        let archive = settings?[Choice.archiveDays].flatMap {
            (1...Argument.maximumArchiveDays).contains($0) ? Int($0) : nil
        }
        return BoardRules(
            missedDay: missedDay,
            streaks: StreakRules(usesFreezes: settings?[Choice.freezes] == 1, archiveDays: archive))
    }

    /// What numbers follow that are no single group's: “all my results”, and boards over all groups. The user's own choice,
    /// kept as the settings of the private group and so the same on all devices.
    var ownRules: BoardRules { privateGroup.map(rules) ?? BoardRules() }

    func guardsSpoilers(in group: GroupID) -> Bool {
        engine.state(of: group)?.settings[Choice.spoilerGuard] != 0
    }

    func renameGroup(_ group: GroupID, to title: String) async throws -> GroupReport {
        let title = try Argument.checkTitle(title)
        try await decide(.rename(group, title: title), in: group, action: "rename the group")
        return groupReport(group)
    }

    func settingsReport(of group: GroupID) -> GroupSettingsReport {
        let state = engine.state(of: group)
        return GroupSettingsReport(
            group: group.description, title: group == privateGroup ? "All my results" : title(of: group),
            invites: (state?.settings.whoMayInvite ?? .everyone).word, spoilerGuard: guardsSpoilers(in: group),
            heir: state?.heir.map { name(of: $0, in: group) }, missedDay: rules(of: group).missedDay.word,
            freezes: rules(of: group).streaks.usesFreezes, archiveDays: rules(of: group).streaks.archiveDays ?? 0,
            takeover: takeover(of: group))
    }

    func changeSettings(of group: GroupID, _ change: GroupSettingsChange) async throws -> GroupSettingsReport {
        guard var settings = engine.state(of: group)?.settings else { throw NodeFailure.noGroup() }
        if let word = change.invites { settings.whoMayInvite = try Argument.inviters(word) }
        if let isGuarding = change.spoilerGuard { settings[Choice.spoilerGuard] = isGuarding ? nil : 0 }
        if let word = change.missedDay {
            settings[Choice.missedDay] = [.worstPlusOne: 1, .zero: 2][try Argument.missedDay(word)]
        }
        if let hasFreezes = change.freezes { settings[Choice.freezes] = hasFreezes ? 1 : nil }
        if let days = change.archiveDays {
            let count = try Argument.archiveDays(days)
            settings[Choice.archiveDays] = count == 0 ? nil : count
        }
        if settings != engine.state(of: group)?.settings {
            try await decide(.changeSettings(group, settings), in: group, action: "change the group’s settings")
        }
        return settingsReport(of: group)
    }

    /// Shows, and where asked changes, what this user's own numbers follow.
    func ownRules(changed change: GroupSettingsChange) async throws -> GroupSettingsReport {
        guard let privateGroup else { throw NodeFailure.noGroup() }
        let rules = GroupSettingsChange(
            missedDay: change.missedDay, freezes: change.freezes, archiveDays: change.archiveDays)
        return try await changeSettings(of: privateGroup, rules)
    }

    /// Carries out what only some roles may do.
    func decide(_ command: Command, in group: GroupID, action: String) async throws {
        try checkMembership(of: group)
        do {
            try await execute(command)
        } catch NodeFailure.notAllowed(_, let reason) {
            throw NodeFailure.notAllowed(action: action, reason: reason)
        } catch NodeFailure.notMember {
            throw NodeFailure.notMember(title: title(of: group))
        }
        inbox.publish(.groupsChanged)
    }

    func transfer(_ group: GroupID, to selector: String) async throws -> GroupReport {
        let action = "hand the group on"
        let user = try await member(selector, of: group)
        guard user != engine.state(of: group)?.owner else { throw owning(user, in: group, action: action) }
        // Whoever would take the group is no owner who hands it on.
        guard user != identity.user else { throw NodeFailure.notAllowed(action: action, reason: .needsOwner) }
        try await decide(.transfer(group, to: user), in: group, action: action)
        return groupReport(group)
    }

    func takeOver(_ group: GroupID) async throws -> GroupReport {
        let action = "take the group over"
        let state = engine.state(of: group)
        guard state?.owner != identity.user else { throw owning(identity.user, in: group, action: action) }
        guard state?.heir == identity.user || state?.takenFrom == identity.user else {
            throw NodeFailure.notAllowed(action: action, reason: .needsHeir)
        }
        try await decide(.transfer(group, to: identity.user), in: group, action: action)
        return groupReport(group)
    }

    /// What `takeOver` would be by this user.
    func takeover(of group: GroupID) -> GroupSettingsReport.Takeover? {
        guard let state = engine.state(of: group), state.isMember(identity.user) else { return nil }
        if state.heir == identity.user { return .asHeir }
        return state.takenFrom == identity.user ? .back : nil
    }

    /// Why the owner cannot be given a role: the user is told which one that is, or that it is the user's own.
    func owning(_ owner: UserID, in group: GroupID, action: String) -> NodeFailure {
        owner == identity.user
            ? .notAllowed(action: action, reason: .ownsGroup)
            : .alreadyRole(name: name(of: owner, in: group), role: GroupState.Role.owner.word)
    }

    func nameHeir(_ selector: String?, of group: GroupID) async throws -> GroupReport {
        if let selector {
            let user = try await member(selector, of: group)
            guard user != engine.state(of: group)?.owner else {
                throw owning(user, in: group, action: "name an heir")
            }
            try await decide(.setRole(group, user, .heir), in: group, action: "name an heir")
        } else {
            let owner = engine.state(of: group)?.owner ?? identity.user
            try await decide(.setRole(group, owner, .noHeir), in: group, action: "withdraw the heir")
        }
        return groupReport(group)
    }
}

extension GroupSettings.InvitePermission {
    /// The word for people and scripts.
    var word: String {
        switch self {
        case .everyone: "everyone"
        case .admins: "admins"
        case .owner: "owner"
        }
    }
}

extension MissedDay {
    /// The word for people and scripts.
    var word: String {
        switch self {
        case .nothing: "nothing"
        case .worstPlusOne: "worst+1"
        case .zero: "zero"
        }
    }
}

extension GroupState.Role {
    /// The word for people and scripts.
    var word: String {
        switch self {
        case .owner: "owner"
        case .admin: "admin"
        case .member: "member"
        }
    }
}
