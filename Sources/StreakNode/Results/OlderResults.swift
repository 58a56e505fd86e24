import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// Results for which a shared group has an older record than the private group: they were deleted or changed while this
/// user was not in the group, or had stopped sharing.
struct OlderResults {
    private var keys: [GroupID: Set<RecordKey>] = [:]

    /// Notes a shared group's record of a result, if that is older than the private group's.
    ///
    /// - Parameter known: what the private group holds of it.
    mutating func note(_ record: MergedRecord, in group: GroupID, known: MergedRecord?) {
        if let known, known.time > record.time { keys[group, default: []].insert(record.key) }
    }

    /// Returns the commands that write the newer record into the groups with an older one. Nothing during an exchange,
    /// which may bring the same.
    mutating func takeCommands(_ core: NodeCore) -> [Command] {
        guard core.privateGroup != nil, !keys.isEmpty, !core.engine.isExchanging else { return [] }
        let noted = keys
        keys = [:]
        // Coming back into a group compares everything again.
        let writes = noted.keys.sorted().filter(core.engine.isMember).map { group in
            (
                group: group,
                drafts: (noted[group] ?? []).sorted().compactMap { Self.newerWord(on: $0, for: group, core) }
            )
        }.filter { !$0.drafts.isEmpty }
        return writes.isEmpty ? [] : [.write(writes)]
    }

    /// The record that a group should get for a result; nil if it has the newer one, or is to get nothing.
    private static func newerWord(on key: RecordKey, for group: GroupID, _ core: NodeCore) -> RecordDraft? {
        guard let privateGroup = core.privateGroup, let known = core.engine.mergedRecord(key, of: privateGroup),
            let shown = core.engine.mergedRecord(key, of: group), !shown.value.isEmpty, known.time > shown.time,
            // A record of another version is never shown.
            let result = try? DailyScore.scoreKey(fromSubject: key.subject)
        else { return nil }
        // A deletion reaches every group that shows the result, even if it no longer gets that game.
        if known.value.isEmpty { return .withdrawnScore(result) }
        guard core.mayPublish(result.game, in: group), let score = core.ownIndex.score(result, of: core.me) else {
            return nil
        }
        let theirs = core.published(result, in: group)
        // Of two that contend the better one stands, and every group gets both.
        if score.contends, theirs?.contends ?? false { return nil }
        return theirs?.isSame(as: score) ?? false ? nil : core.publications(of: [score], in: group).first
    }
}
