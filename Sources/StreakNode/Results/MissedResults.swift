import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// What a group has missed of this user while a removal seemed to hold that does not: its author was no admin any longer.
/// A member publishes, so this is published once the removal is known to be void.
struct MissedResults {
    /// Groups whose ledger has changed since this was looked at.
    private var groups: Set<GroupID> = []

    /// The removal that ended this user's place, and when this machine heard of it: operation 32 · seconds u64.
    private static func removalSetting(of group: GroupID) -> String { "removed-" + group.description.prefix(48) }

    mutating func review(_ changed: [GroupID]) { groups.formUnion(changed) }

    /// What publishes what groups have missed, and keeps when places ended.
    ///
    /// - Parameter compare: what was deleted and changed meanwhile, for no record of the group has changed to show it.
    mutating func takeCommands(_ core: NodeCore, compare: (GroupID) -> Void) -> [Command] {
        let reviewed = groups.sorted()
        groups = []
        return reviewed.flatMap { group in
            guard core.engine.isMember(of: group) else { return Self.keepRemoval(from: group, core) }
            guard let kept = Self.removal(keptOf: group, core) else { return [Command]() }
            compare(group)
            return [.keepSetting(name: Self.removalSetting(of: group), value: [])]
                + Self.publish(missedSince: kept.since, unlessCounts: kept.operation, in: group, core)
        }
    }

    private static func removal(keptOf group: GroupID, _ core: NodeCore) -> (operation: OperationID, since: Int64)? {
        guard let bytes = core.engine.setting(removalSetting(of: group)), !bytes.isEmpty else { return nil }
        var reader = WireReader(bytes)
        // A damaged one is none: then sharing's history is left to publish.
        guard let operation: OperationID = try? reader.readIdentifier(), let since = try? reader.readUInt64() else {
            return nil
        }
        return (operation, Int64(clamping: since))
    }

    private static func keepRemoval(from group: GroupID, _ core: NodeCore) -> [Command] {
        guard let ending = core.ending(of: group), ending.word == "removed",
            removal(keptOf: group, core)?.operation != ending.operation
        else { return [] }
        var writer = WireWriter(reserving: 40)
        writer.write(ending.operation)
        writer.write(UInt64(clamping: core.clock.wallTime.seconds))
        return [.keepSetting(name: removalSetting(of: group), value: writer.bytes)]
    }

    private static func publish(
        missedSince since: Int64, unlessCounts removal: OperationID, in group: GroupID, _ core: NodeCore
    ) -> [Command] {
        // Who was let in again by a new invite has chosen what is published.
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
