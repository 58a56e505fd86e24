import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// My results of which a shared group shows an older word than the private group's: deleted or changed while this user was
/// not in the group, or sharing with it had stopped.
extension MeshNode {
    /// What stands of this user's own in a group.
    func ownRecords(of group: GroupID) -> [MergedRecord] {
        var mine: [MergedRecord] = []
        engine.forEachMergedRecord(of: group) { results in
            if results.user == identity.user { results.forEachRecord { mine.append($0) } }
        } other: { _ in
        }
        return mine
    }

    /// Writes the newer word into the groups that show an older one. Returns whether there was anything. Not while an
    /// exchange is under way: what it brings may say the same.
    func writeNewerResults() -> Bool {
        guard privateGroup != nil, !olderResults.isEmpty, !engine.isExchanging else { return false }
        let noted = olderResults
        olderResults = [:]
        // Coming back into a group compares all of it again.
        let writes = noted.keys.sorted().filter(engine.isMember).map { group in
            (group: group, drafts: (noted[group] ?? []).sorted().compactMap { newerWord(on: $0, for: group) })
        }.filter { !$0.drafts.isEmpty }
        guard !writes.isEmpty else { return false }
        feed(.command(takeCommandID(), .write(writes)))
        return true
    }

    /// What a group is to be told of a result that it shows; nil where it holds the newer word, or is to hear nothing.
    private func newerWord(on key: RecordKey, for group: GroupID) -> RecordDraft? {
        guard let privateGroup, let known = engine.mergedRecord(key, of: privateGroup),
            let shown = engine.mergedRecord(key, of: group), !shown.value.isEmpty, known.time > shown.time,
            // Of another version: never shown.
            let result = try? DailyScore.scoreKey(fromSubject: key.subject)
        else { return nil }
        // A deletion reaches every group that shows the result, whatever is shared with it.
        if known.value.isEmpty { return .withdrawnScore(result) }
        guard mayPublish(result.game, in: group), let score = ownIndex.score(result, of: me) else { return nil }
        let theirs = published(result, in: group)
        // Of two that contend the better stands, and both groups get both.
        if score.contends, theirs?.contends ?? false { return nil }
        return theirs?.isSame(as: score) ?? false ? nil : publications(of: [score], in: group).first
    }
}
