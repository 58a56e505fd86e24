import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What a group sees of this user, and stopping to share.
extension MeshNode {
    func privacyReport(of group: GroupID) -> PrivacyReport {
        let profile = ownProfile(in: group)
        let sharing = sharing(in: group)
        let derived = Pseudonym(of: identity.user, in: group).alias()
        return PrivacyReport(
            group: group.description, title: title(of: group), anonymous: profile.isAnonymous,
            name: name(of: identity.user, in: group), user: shownID(of: identity.user, in: group),
            alias: profile.isAnonymous && profile.name != derived ? profile.name : nil, hidden: profile.isHidden,
            region: profile.region.isEmpty ? nil : profile.region, lastSeen: !profile.isLastSeenHidden,
            sharing: isSharing(in: group), unshared: sharing.unshared.map(\.rawValue).sorted(),
            published: views[group]?.index.results(of: me).count ?? 0,
            heldBack: unpublishedResults(in: group, of: .all).count)
    }

    /// Changes what the group is told of this user, and which games it gets. Names and results that were seen before stay
    /// known to whoever saw them.
    func changePrivacy(of group: GroupID, _ change: PrivacyChange) async throws -> PrivacyReport {
        try checkMembership(of: group)
        let known = ownProfile(in: group)
        let profile = try self.profile(known, changedBy: change, in: group)
        var sharing = sharing(in: group)
        for selector in change.unshare { sharing.unshared.insert(try game(selector).id) }
        for selector in change.share { sharing.unshared.remove(try game(selector).id) }
        var writes = writes(making: sharing, holdFor: group)
        if profile != known {
            try checkSharing(in: group)
            writes.append((group, [.value(profile)]))
        }
        try await execute(.write(writes))
        // What was changed while its game stayed away.
        if !change.share.isEmpty { compareOwnResults(ownRecords(of: group), of: group) }
        process()
        inbox.publish(.groupsChanged)
        return privacyReport(of: group)
    }

    private func profile(_ known: Profile, changedBy change: PrivacyChange, in group: GroupID) throws -> Profile {
        var profile = known
        profile.isHidden = change.hidden ?? known.isHidden
        profile.isLastSeenHidden = change.lastSeen.map { !$0 } ?? known.isLastSeenHidden
        if let region = change.region {
            guard region.isEmpty || region.utf8.count <= 64,
                let text = region.isEmpty
                    ? "" : DisplayText.validated(region, maximumLength: Profile.maximumRegionLength)
            else { throw NodeFailure.invalidRegion(limit: Profile.maximumRegionLength) }
            profile.region = text
        }
        profile.isAnonymous = change.anonymous ?? (change.alias.map { !$0.isEmpty } ?? false || known.isAnonymous)
        guard profile.isAnonymous else {
            profile.name = ownName
            return profile
        }
        let derived = Pseudonym(of: identity.user, in: group).alias()
        if let alias = change.alias, !alias.isEmpty {
            guard let name = DisplayText.validatedName(alias, maximumLength: ProtocolLimits.maximumNameLength) else {
                throw NodeFailure.invalidAlias(limit: ProtocolLimits.maximumNameLength)
            }
            profile.name = name
        } else if change.alias != nil || !known.isAnonymous {
            profile.name = derived
        }
        return profile
    }

    /// What this user's devices tell each other of it.
    func writes(
        making sharing: GroupSharing, holdFor group: GroupID
    ) -> [(group: GroupID, drafts: [RecordDraft])] {
        guard let privateGroup else { return [] }
        let drafts = accountSettings.drafts(making: sharing, holdFor: group)
        return drafts.isEmpty ? [] : [(privateGroup, drafts)]
    }

    func stopSharing(in group: GroupID) async throws -> PrivacyReport {
        try checkMembership(of: group)
        var sharing = sharing(in: group)
        sharing.isStopped = true
        try await execute(.write(writes(making: sharing, holdFor: group)))
        inbox.publish(.groupsChanged)
        return privacyReport(of: group)
    }

    /// Shares again: what was edited since is corrected, and as much of what was held back is published as is wanted.
    func resumeSharing(in group: GroupID, history: Int?) async throws -> PrivacyReport {
        try checkMembership(of: group)
        var sharing = sharing(in: group)
        sharing.isStopped = false
        var profile = ownProfile(in: group)
        if !profile.isAnonymous { profile.name = ownName }
        let results = unpublishedResults(in: group, of: History(history))
        var drafts = publications(of: results, in: group)
        if profile != ownProfile(in: group) { drafts.insert(.value(profile), at: 0) }
        try await execute(.write([(group, drafts)] + writes(making: sharing, holdFor: group)))
        inbox.publish(.groupsChanged)
        return privacyReport(of: group)
    }
}
