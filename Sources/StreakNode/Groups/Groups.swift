import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// The groups shared with others: founding, joining and leaving them, and members' decisions.
struct Groups {
    let core: NodeCore
    let loop: NodeLoop
    let people: People
    let results: Results
    let dropped: DroppedGroups

    init(core: NodeCore, loop: NodeLoop, people: People, results: Results) {
        (self.core, self.loop, self.people, self.results) = (core, loop, people, results)
        dropped = DroppedGroups(core: core, loop: loop)
    }

    /// Tells the user that this device is no longer in a group.
    func tellLoss(of group: GroupID) {
        let title = core.title(of: group)
        switch core.roleWord(in: group) {
        case "revoked":
            core.publish(
                .notice("This machine was shut out of “\(title)”: it gets nothing there and shares nothing."))
        case "removed":
            core.publish(
                .notice(
                    "You were removed from “\(title)”. Your own results stay; the others’ are deleted here."))
        case "notLetIn":
            core.publish(
                .notice(
                    "You were not let in to “\(title)”: the person who let you in was no longer a member, or the link was "
                        + "revoked. Ask for a new invite."))
        default: break
        }
        core.publish(.groupsChanged)
    }

    func createGroup(title: String) async throws -> GroupReport {
        let title = try Argument.checkTitle(title)
        guard case .group(let group) = try await loop.execute(.foundGroup(title: title)) else {
            throw NodeFailure.storageFailed("no group was made")
        }
        try await introduce(to: group, history: 0)
        return core.groupReport(group)
    }

    /// Tells a group who this user is, and publishes the chosen history: the results of `history` days back from today,
    /// nil for all. A user who comes back shares again under the former profile. With `isActive` it becomes the active
    /// group.
    func introduce(to group: GroupID, history: Int?, isActive: Bool = true) async throws {
        let results =
            history.map { core.unpublishedResults(in: group, of: .days($0)) }
            ?? core.unpublishedResults(in: group, of: .all)
        let profile =
            core.views[group]?.profiles[core.identity.user] != nil || core.isNew(in: group, isEntering: true)
            ? core.ownProfile(in: group) : nil
        let drafts: [RecordDraft] =
            (profile.map { [.value($0)] } ?? [])
            + core.publications(of: results, in: group)
        var sharing = core.sharing(in: group)
        sharing.isStopped = false
        try await loop.execute(
            .write([(group, drafts)] + writes(making: sharing, holdFor: group)),
            with: isActive ? [.keepSetting(name: NodeCore.activeGroupSetting, value: group.bytes.array)] : [])
    }

    /// A group on the list, also one that has ended for this user.
    func findGroup(_ selector: String?) throws -> GroupReport {
        core.groupReport(try selector.map(core.listedGroup) ?? core.group(nil))
    }

    func useGroup(_ selector: String) async throws -> GroupReport {
        let group = try core.group(selector)
        try await loop.execute(.keepSetting(name: NodeCore.activeGroupSetting, value: group.bytes.array))
        return core.groupReport(group)
    }

    /// Leaves a group. If it has ended for this user, takes it off the list; records there cannot be erased then.
    func leaveGroup(_ selector: String, erasing: Bool) async throws -> GroupReport {
        let group = selector.isEmpty ? try core.group(nil) : try core.listedGroup(selector)
        let title = core.title(of: group)
        if !erasing, let ending = core.ending(of: group) { return try await dismiss(group, ending) }
        try core.checkMembership(of: group)
        // This user's results stay, and so do the definitions of their games.
        if let privateGroup = core.privateGroup {
            let kept = core.keptDefinitions(of: Set(core.ownIndex.games))
            if !kept.isEmpty { try await loop.execute(.write([(privateGroup, kept)])) }
        }
        if let state = core.engine.state(of: group), state.members.count == 1, state.owner == core.identity.user {
            // Nobody else is in it, so there is nobody to tell and nothing to hand over.
            let report = GroupReport(
                id: group.description, title: title, role: "left", members: 0, active: false, sharing: false)
            let drafts = dropped.drafts(dropping: group)
            if !drafts.isEmpty { try await loop.storeSettings(drafts) }
            try await loop.execute(.forgetGroup(group))
            core.forgetView(of: group)
            core.publish(.groupsChanged)
            return report
        }
        // If somebody lets this user in again without being asked, the group gets nothing.
        var sharing = core.sharing(in: group)
        sharing.isStopped = true
        do {
            try await loop.execute(
                .leave(group, erasing: erasing), with: [.write(writes(making: sharing, holdFor: group))])
        } catch NodeFailure.ownerCannotLeave {
            throw NodeFailure.ownerCannotLeave(title: title)
        }
        await loop.settle(waitingForLinks: Settlers.longest)
        return core.groupReport(group)
    }

    // MARK: What a group decides

    func renameGroup(_ group: GroupID, to title: String) async throws -> GroupReport {
        let title = try Argument.checkTitle(title)
        try await decide(.rename(group, title: title), in: group, action: "rename the group")
        return core.groupReport(group)
    }

    func settingsReport(of group: GroupID) -> GroupSettingsReport {
        let state = core.engine.state(of: group)
        return GroupSettingsReport(
            group: group.description, title: group == core.privateGroup ? "All my results" : core.title(of: group),
            invites: (state?.settings.whoMayInvite ?? .everyone).word, spoilerGuard: core.guardsSpoilers(in: group),
            heir: state?.heir.map { core.name(of: $0, in: group) }, missedDay: core.rules(of: group).missedDay.word,
            freezes: core.rules(of: group).streaks.usesFreezes,
            archiveDays: core.rules(of: group).streaks.archiveDays ?? 0,
            takeover: takeover(of: group))
    }

    func changeSettings(of group: GroupID, _ change: GroupSettingsChange) async throws -> GroupSettingsReport {
        guard var settings = core.engine.state(of: group)?.settings else { throw NodeFailure.noGroup() }
        if let word = change.invites { settings.whoMayInvite = try Argument.inviters(word) }
        if let isGuarding = change.spoilerGuard { settings[GroupChoice.spoilerGuard] = isGuarding ? nil : 0 }
        if let word = change.missedDay {
            settings[GroupChoice.missedDay] = [.worstPlusOne: 1, .zero: 2][try Argument.missedDay(word)]
        }
        if let hasFreezes = change.freezes { settings[GroupChoice.freezes] = hasFreezes ? 1 : nil }
        if let days = change.archiveDays {
            let count = try Argument.archiveDays(days)
            settings[GroupChoice.archiveDays] = count == 0 ? nil : count
        }
        if settings != core.engine.state(of: group)?.settings {
            try await decide(.changeSettings(group, settings), in: group, action: "change the group’s settings")
        }
        return settingsReport(of: group)
    }

    /// The rules for this user's own numbers, changed if the request changes them.
    func ownRules(changed change: GroupSettingsChange) async throws -> GroupSettingsReport {
        guard let privateGroup = core.privateGroup else { throw NodeFailure.noGroup() }
        let rules = GroupSettingsChange(
            missedDay: change.missedDay, freezes: change.freezes, archiveDays: change.archiveDays)
        return try await changeSettings(of: privateGroup, rules)
    }

    /// Carries out a command that only some roles may give.
    func decide(_ command: Command, in group: GroupID, action: String) async throws {
        try core.checkMembership(of: group)
        do {
            try await loop.execute(command)
        } catch NodeFailure.notAllowed(_, let reason) {
            throw NodeFailure.notAllowed(action: action, reason: reason)
        } catch NodeFailure.notMember {
            throw NodeFailure.notMember(title: core.title(of: group))
        }
        core.publish(.groupsChanged)
    }

    func transfer(_ group: GroupID, to selector: String) async throws -> GroupReport {
        let action = "hand the group on"
        let user = try await people.member(selector, of: group)
        guard user != core.engine.state(of: group)?.owner else { throw owning(user, in: group, action: action) }
        // A user who would be the new owner is not the owner who hands the group on.
        guard user != core.identity.user else { throw NodeFailure.notAllowed(action: action, reason: .needsOwner) }
        try await decide(.transfer(group, to: user), in: group, action: action)
        return core.groupReport(group)
    }

    func takeOver(_ group: GroupID) async throws -> GroupReport {
        let action = "take the group over"
        let state = core.engine.state(of: group)
        guard state?.owner != core.identity.user else { throw owning(core.identity.user, in: group, action: action) }
        guard state?.heir == core.identity.user || state?.takenFrom == core.identity.user else {
            throw NodeFailure.notAllowed(action: action, reason: .needsHeir)
        }
        try await decide(.transfer(group, to: core.identity.user), in: group, action: action)
        return core.groupReport(group)
    }

    /// What `takeOver` by this user would be.
    func takeover(of group: GroupID) -> GroupSettingsReport.Takeover? {
        guard let state = core.engine.state(of: group), state.isMember(core.identity.user) else { return nil }
        if state.heir == core.identity.user { return .asHeir }
        return state.takenFrom == core.identity.user ? .back : nil
    }

    /// Why the owner cannot be given a role: tells the user which role the owner has, or that the user is the owner.
    func owning(_ owner: UserID, in group: GroupID, action: String) -> NodeFailure {
        owner == core.identity.user
            ? .notAllowed(action: action, reason: .ownsGroup)
            : .alreadyRole(name: core.name(of: owner, in: group), role: GroupState.Role.owner.word)
    }

    func nameHeir(_ selector: String?, of group: GroupID) async throws -> GroupReport {
        if let selector {
            let user = try await people.member(selector, of: group)
            guard user != core.engine.state(of: group)?.owner else {
                throw owning(user, in: group, action: "name an heir")
            }
            try await decide(.setRole(group, user, .heir), in: group, action: "name an heir")
        } else {
            let owner = core.engine.state(of: group)?.owner ?? core.identity.user
            try await decide(.setRole(group, owner, .noHeir), in: group, action: "withdraw the heir")
        }
        return core.groupReport(group)
    }

    /// Takes a group that has ended for this user off the list. Its ledger stays, for members who have not heard yet.
    func dismiss(_ group: GroupID, _ ending: GroupEnding) async throws -> GroupReport {
        var report = core.groupReport(group)
        try await loop.execute(core.note(ending, of: group, isDismissed: true))
        report.dismissed = true
        core.publish(.groupsChanged)
        return report
    }
}

extension GroupSettings.InvitePermission {
    /// A word for users and scripts.
    var word: String {
        switch self {
        case .everyone: "everyone"
        case .admins: "admins"
        case .owner: "owner"
        }
    }
}

extension MissedDay {
    /// A word for users and scripts.
    var word: String {
        switch self {
        case .nothing: "nothing"
        case .worstPlusOne: "worst+1"
        case .zero: "zero"
        }
    }
}

extension GroupState.Role {
    /// A word for users and scripts.
    var word: String {
        switch self {
        case .owner: "owner"
        case .admin: "admin"
        case .member: "member"
        }
    }
}
