import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// My results that friends hold and this store has lost: brought back from an old backup, or written by a copy of it.
///
/// The private group, which says what my results are, has no other device to come back from; so it takes over what the
/// shared groups know better.
extension MeshNode {
    /// Notes what a shared group knows of my results, where the private group knows less or something older.
    func noteLostResults(among records: [MergedRecord]) {
        guard let privateGroup else { return }
        for record in records {
            guard record.key.user == identity.user, record.key.kind == RecordKind.dailyScore.rawValue else { continue }
            let known = engine.mergedRecord(record.key, of: privateGroup)
            guard known?.value != record.value else { continue }
            let newest = [known?.time, lostResults[record.key]?.time].compactMap { $0 }.max()
            if let newest, newest >= record.time { continue }
            lostResults[record.key] = record
        }
    }

    /// Writes what was noted into the private group. Returns whether there was anything.
    func writeLostResults() -> Bool {
        guard let privateGroup, !lostResults.isEmpty else { return false }
        let drafts = lostResults.keys.sorted().compactMap { lostResults[$0].flatMap(draft) }
        lostResults = [:]
        guard !drafts.isEmpty else { return false }
        feed(.command(takeCommandID(), .write([(privateGroup, drafts)])))
        return true
    }

    /// The same result, to be written once more; nil for one that a later version wrote.
    private func draft(of record: MergedRecord) -> RecordDraft? {
        guard !record.value.isEmpty else {
            // Not a result of this version: carried for others, and nothing to show.
            return (try? DailyScore.scoreKey(fromSubject: record.key.subject)).map { .withdrawnScore($0) }
        }
        // As above.
        return (try? DailyScore(subject: record.key.subject, value: record.value, time: record.time))
            .map { .score($0) }
    }
}
