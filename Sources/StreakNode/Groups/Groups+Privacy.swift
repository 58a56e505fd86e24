import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What a group sees of this user, and stopping to share with it.
extension Groups {
    func privacyReport(of group: GroupID) -> PrivacyReport {
        let profile = core.ownProfile(in: group)
        let sharing = core.sharing(in: group)
        let derived = Pseudonym(of: core.identity.user, in: group).alias()
        return PrivacyReport(
            group: group.description, title: core.title(of: group), anonymous: profile.isAnonymous,
            name: core.name(of: core.identity.user, in: group), user: core.shownID(of: core.identity.user, in: group),
            alias: profile.isAnonymous && profile.name != derived ? profile.name : nil, hidden: profile.isHidden,
            region: profile.region.isEmpty ? nil : profile.region, lastSeen: !profile.isLastSeenHidden,
            sharing: core.isSharing(in: group), unshared: sharing.unshared.map(\.rawValue).sorted(),
            published: core.views[group]?.index.results(of: core.me).count ?? 0,
            heldBack: core.unpublishedResults(in: group, of: .all).count)
    }

    /// Changes what the group sees of this user, and which games it gets. People who saw names and results before still
    /// know them.
    func changePrivacy(of group: GroupID, _ change: PrivacyChange) async throws -> PrivacyReport {
        try core.checkMembership(of: group)
        let known = core.ownProfile(in: group)
        let profile = try self.profile(known, changedBy: change, in: group)
        var sharing = core.sharing(in: group)
        for selector in change.unshare { sharing.unshared.insert(try core.game(selector).id) }
        for selector in change.share { sharing.unshared.remove(try core.game(selector).id) }
        var writes = writes(making: sharing, holdFor: group)
        if profile != known {
            try core.checkSharing(in: group)
            writes.append((group, [.value(profile)]))
        }
        try await loop.execute(.write(writes))
        // For results that were changed while the group did not get their game.
        if !change.share.isEmpty { results.compareAll(of: group) }
        loop.process()
        core.publish(.groupsChanged)
        return privacyReport(of: group)
    }

    private func profile(_ known: Profile, changedBy change: PrivacyChange, in group: GroupID) throws -> Profile {
        var profile = known
        profile.isHidden = change.hidden ?? known.isHidden
        profile.isLastSeenHidden = change.lastSeen.map { !$0 } ?? known.isLastSeenHidden
        if let region = change.region { profile.region = try Argument.region(region) }
        profile.isAnonymous = change.anonymous ?? (change.alias.map { !$0.isEmpty } ?? false || known.isAnonymous)
        guard profile.isAnonymous else {
            profile.name = core.ownName
            return profile
        }
        let derived = Pseudonym(of: core.identity.user, in: group).alias()
        if let alias = change.alias, !alias.isEmpty {
            profile.name = try Argument.alias(alias)
        } else if change.alias != nil || !known.isAnonymous {
            profile.name = derived
        }
        return profile
    }

    /// The settings by which this user's devices share this.
    func writes(
        making sharing: GroupSharing, holdFor group: GroupID
    ) -> [(group: GroupID, drafts: [RecordDraft])] {
        guard let privateGroup = core.privateGroup else { return [] }
        let drafts = core.accountSettings.drafts(making: sharing, holdFor: group)
        return drafts.isEmpty ? [] : [(privateGroup, drafts)]
    }

    func stopSharing(in group: GroupID) async throws -> PrivacyReport {
        try core.checkMembership(of: group)
        var sharing = core.sharing(in: group)
        sharing.isStopped = true
        try await loop.execute(.write(writes(making: sharing, holdFor: group)))
        core.publish(.groupsChanged)
        return privacyReport(of: group)
    }

    /// Shares again. Corrects what was edited since, and publishes as much of the held-back history as requested.
    func resumeSharing(in group: GroupID, history: Int?) async throws -> PrivacyReport {
        try core.checkMembership(of: group)
        var sharing = core.sharing(in: group)
        sharing.isStopped = false
        var profile = core.ownProfile(in: group)
        if !profile.isAnonymous { profile.name = core.ownName }
        let results = core.unpublishedResults(in: group, of: History(history))
        var drafts = core.publications(of: results, in: group)
        if profile != core.ownProfile(in: group) { drafts.insert(.value(profile), at: 0) }
        try await loop.execute(.write([(group, drafts)] + writes(making: sharing, holdFor: group)))
        core.publish(.groupsChanged)
        return privacyReport(of: group)
    }
}
