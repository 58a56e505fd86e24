import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// What a group has missed of this user while a removal seemed to hold that does not: its author was no admin any longer.
/// Whoever is a member publishes, so this is published once the removal is known to be void.
extension MeshNode {
    /// The removal that ended this user's place, and when this machine heard of it: operation 32 · seconds u64.
    private static func removalSetting(of group: GroupID) -> String { "removed-" + group.description.prefix(48) }

    private func removal(keptOf group: GroupID) -> (operation: OperationID, since: Int64)? {
        guard let bytes = engine.setting(Self.removalSetting(of: group)), !bytes.isEmpty else { return nil }
        var reader = WireReader(bytes)
        // A damaged one is none: then sharing's history is left to publish.
        guard let operation: OperationID = try? reader.readIdentifier(), let since = try? reader.readUInt64() else {
            return nil
        }
        return (operation, Int64(clamping: since))
    }

    /// Publishes what groups have missed, and keeps when places ended. Returns whether there was anything to write.
    func writeMissedResults() -> Bool {
        let groups = groupsToReview.sorted()
        groupsToReview = []
        return groups.map(reviewRemoval).contains(true)
    }

    private func reviewRemoval(of group: GroupID) -> Bool {
        let kept = removal(keptOf: group)
        guard engine.isMember(of: group) else {
            guard let ending = ending(of: group), ending.word == "removed", kept?.operation != ending.operation else {
                return false
            }
            var writer = WireWriter(reserving: 40)
            writer.write(ending.operation)
            writer.write(UInt64(clamping: clock.wallTime.seconds))
            feed(
                .command(
                    takeCommandID(), .keepSetting(name: Self.removalSetting(of: group), value: writer.bytes)))
            return true
        }
        guard let kept else { return false }
        feed(.command(takeCommandID(), .keepSetting(name: Self.removalSetting(of: group), value: [])))
        // What was deleted and changed meanwhile; no record of the group has changed to show it.
        compareOwnResults(ownRecords(of: group), of: group)
        // Who was let in again by a new invite has chosen what is published.
        guard !sharing(in: group).isStopped, !engine.counts(kept.operation, in: group) else { return true }
        let missed = unpublishedResults(in: group, of: .all).filter { $0.firstRecordedAt >= kept.since }
        var drafts = publications(of: missed, in: group)
        let profile = ownProfile(in: group)
        if !profile.isAnonymous, profile.name != ownName {
            var renamed = profile
            renamed.name = ownName
            drafts.insert(.value(renamed), at: 0)
        }
        if !drafts.isEmpty { feed(.command(takeCommandID(), .write([(group, drafts)]))) }
        return true
    }
}
