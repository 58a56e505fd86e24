import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// My results that friends hold and this store has lost: brought back from an old backup, or written by a copy of it.
///
/// The private group, which says what my results are, may have no other device to come back from; so it takes over what
/// the shared groups know better.
extension MeshNode {
    /// Compares what a shared group holds of my results with the private group, and notes where either has the older word.
    func compareOwnResults(_ records: [MergedRecord], of group: GroupID) {
        guard let privateGroup else { return }
        let me = identity.user
        for record in records {
            guard record.key.user == me, record.key.kind == RecordKind.dailyScore.rawValue else { continue }
            let known = engine.mergedRecord(record.key, of: privateGroup)
            guard known?.value != record.value, !saysTheSame(known, record) else { continue }
            if let known, known.time > record.time { olderResults[group, default: []].insert(record.key) }
            let newest = [known?.time, lostResults[record.key]?.time].compactMap { $0 }.max()
            if let newest, newest >= record.time { continue }
            // A result that was only taken out of a group is written anew in the private one; whose clock may lag behind.
            if let newest, record.value.isEmpty,
                record.time.milliseconds - newest.milliseconds < HybridClock.maximumLead
            {
                continue
            }
            guard known.map({ !goesOnStanding($0, against: record) }) ?? true else { continue }
            lostResults[record.key] = record
        }
    }

    /// Whether two records tell of one result alike; their bytes differ where they were written at other times.
    private func saysTheSame(_ known: MergedRecord?, _ record: MergedRecord) -> Bool {
        guard let known, !known.value.isEmpty, !record.value.isEmpty,
            // What does not decode is of a later version, and not the same.
            var left = try? DailyScore(subject: known.key.subject, value: known.value, time: known.time),
            let right = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time)
        else { return false }
        left.contends = right.contends
        return left == right
    }

    /// Whether a later record would leave the private group as it is: one that contends and is worth less would be missed there
    /// again at every look.
    private func goesOnStanding(_ known: MergedRecord, against record: MergedRecord) -> Bool {
        let (mine, theirs) = (DailyScore.standing(of: result(known)), DailyScore.standing(of: result(record)))
        return theirs.contends && mine.worth > theirs.worth
    }

    private func result(_ record: MergedRecord) -> Record {
        Record(kind: .dailyScore, time: record.time, subject: record.key.subject, value: record.value)
    }

    /// Writes what was noted into the private group. Returns whether there was anything.
    func writeLostResults() -> Bool {
        guard let privateGroup, !lostResults.isEmpty else { return false }
        let drafts = lostResults.keys.sorted().compactMap { lostResults[$0].map(draft) }
        lostResults = [:]
        guard !drafts.isEmpty else { return false }
        feed(.command(takeCommandID(), .write([(privateGroup, drafts)])))
        return true
    }

    /// The same result, at its own time: what another machine of this user knows better stays so when the two meet.
    private func draft(of record: MergedRecord) -> RecordDraft { .copy(result(record)) }
}
