import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// My results of which a shared group shows an older word than the private group's: deleted or changed while this user was
/// not in the group, or sharing with it had stopped.
struct OlderResults {
    private var keys: [GroupID: Set<RecordKey>] = [:]

    /// Notes what a shared group holds of a result, where that is the older word.
    ///
    /// - Parameter known: what the private group holds of it.
    mutating func note(_ record: MergedRecord, in group: GroupID, known: MergedRecord?) {
        if let known, known.time > record.time { keys[group, default: []].insert(record.key) }
    }

    /// What writes the newer word into the groups that show an older one. Nothing while an exchange is under way: what it
    /// brings may say the same.
    mutating func takeCommands(_ core: NodeCore) -> [Command] {
        guard core.privateGroup != nil, !keys.isEmpty, !core.engine.isExchanging else { return [] }
        let noted = keys
        keys = [:]
        // Coming back into a group compares all of it again.
        let writes = noted.keys.sorted().filter(core.engine.isMember).map { group in
            (
                group: group,
                drafts: (noted[group] ?? []).sorted().compactMap { Self.newerWord(on: $0, for: group, core) }
            )
        }.filter { !$0.drafts.isEmpty }
        return writes.isEmpty ? [] : [.write(writes)]
    }

    /// What a group is to be told of a result that it shows; nil where it holds the newer word, or is to hear nothing.
    private static func newerWord(on key: RecordKey, for group: GroupID, _ core: NodeCore) -> RecordDraft? {
        guard let privateGroup = core.privateGroup, let known = core.engine.mergedRecord(key, of: privateGroup),
            let shown = core.engine.mergedRecord(key, of: group), !shown.value.isEmpty, known.time > shown.time,
            // Of another version: never shown.
            let result = try? DailyScore.scoreKey(fromSubject: key.subject)
        else { return nil }
        // A deletion reaches every group that shows the result, whatever is shared with it.
        if known.value.isEmpty { return .withdrawnScore(result) }
        guard core.mayPublish(result.game, in: group), let score = core.ownIndex.score(result, of: core.me) else {
            return nil
        }
        let theirs = core.published(result, in: group)
        // Of two that contend the better stands, and both groups get both.
        if score.contends, theirs?.contends ?? false { return nil }
        return theirs?.isSame(as: score) ?? false ? nil : core.publications(of: [score], in: group).first
    }
}
