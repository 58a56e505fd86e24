import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// Results that a group missed because this user seemed to be removed, although the removal does not count: its author
/// was no longer an admin. They are published once the removal is known to be void.
struct MissedResults {
    /// Groups whose ledger has changed since the last check.
    private var groups: Set<GroupID> = []

    mutating func review(_ changed: [GroupID]) { groups.formUnion(changed) }

    /// Returns the commands that publish what groups have missed, and that store when places ended.
    ///
    /// - Parameter compare: compares results that were deleted or changed meanwhile. No record of the group shows
    ///   these.
    mutating func takeCommands(_ core: NodeCore, compare: (GroupID) -> Void) -> [Command] {
        let reviewed = groups.sorted()
        groups = []
        return reviewed.flatMap { group in
            guard core.engine.isMember(of: group) else { return Self.keepRemoval(from: group, core) }
            guard let noted = core.engine.local[NotedEnding.self, group] else { return [Command]() }
            compare(group)
            var rows = LocalRows()
            rows[NotedEnding.self, group] = nil
            return [.keepRows(rows)]
                + Self.publish(missedSince: noted.notedAt, unlessCounts: noted.operation, in: group, core)
        }
    }

    private static func keepRemoval(from group: GroupID, _ core: NodeCore) -> [Command] {
        guard let ending = core.ending(of: group), ending.word == "removed",
            core.engine.local[NotedEnding.self, group]?.operation != ending.operation
        else { return [] }
        return [core.note(ending, of: group)]
    }

    private static func publish(
        missedSince since: Int64, unlessCounts removal: OperationID, in group: GroupID, _ core: NodeCore
    ) -> [Command] {
        // A user who joined again by a new invite has chosen what to publish.
        guard !core.sharing(in: group).isStopped, !core.engine.counts(removal, in: group) else { return [] }
        let missed = core.unpublishedResults(in: group, of: .all).filter { $0.firstRecordedAt >= since }
        var drafts = core.publications(of: missed, in: group)
        let profile = core.ownProfile(in: group)
        if !profile.isAnonymous, profile.name != core.ownName {
            var renamed = profile
            renamed.name = core.ownName
            drafts.insert(.value(renamed), at: 0)
        }
        return drafts.isEmpty ? [] : [.write([(group, drafts)])]
    }
}
