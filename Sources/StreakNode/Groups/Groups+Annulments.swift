import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Annulling an admin's removals.
extension Groups {
    private static let annulling = "annul a removal"

    /// The removals in a group that this user, its owner, can annul.
    func annulments(of group: GroupID) async throws -> AnnulmentsReport {
        try core.checkMembership(of: group)
        guard core.engine.state(of: group)?.owner == core.identity.user else {
            throw NodeFailure.notAllowed(action: Self.annulling, reason: .needsOwner)
        }
        var removals: [AnnulmentReport] = []
        for annulment in core.engine.annulments(in: group) { removals.append(await report(annulment, in: group)) }
        return AnnulmentsReport(group: group.description, title: core.title(of: group), removals: removals)
    }

    /// Annuls the removal whose ID begins like this. Returns the outcome.
    func annul(_ id: String, in group: GroupID) async throws -> AnnulmentsReport {
        let wanted = id.lowercased()
        let known = try await annulments(of: group).removals
        let found = known.filter { !wanted.isEmpty && $0.id.hasPrefix(wanted) }
        let removal = core.engine.annulments(in: group).map(\.removal).first { $0.description == found.first?.id }
        guard let removal, found.count == 1 else { throw NodeFailure.unknownRemoval(id) }
        try await decide(.annul(group, removal: removal), in: group, action: Self.annulling)
        var report = try await annulments(of: group)
        report.annulled = found[0]
        return report
    }

    private func report(_ annulment: Annulment, in group: GroupID) async -> AnnulmentReport {
        let (before, after) = (core.engine.state(of: group), annulment.state)
        let names = core.names(in: group)
        func others(_ users: [UserID]) -> [String] {
            users.filter { $0 != annulment.user }.map { names[$0] ?? "" }.sorted()
        }
        let members = (before?.members ?? []).map(\.user)
        return AnnulmentReport(
            id: annulment.removal.description, removed: await people.person(annulment.user, in: group),
            admin: await people.person(annulment.author, in: group), at: Timestamp(seconds: annulment.time).text,
            back: after.isMember(annulment.user),
            returning: others(after.members.map(\.user).filter { !members.contains($0) }),
            leaving: others(members.filter { !after.isMember($0) }),
            newTitle: after.title == before?.title ? nil : DisplayText.shownTitle(after.title),
            settings: after.settings != before?.settings, voided: annulment.voided)
    }
}
