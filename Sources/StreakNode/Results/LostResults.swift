import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// This user's results that friends hold and this store has lost: published before an old backup was restored, or
/// written by a copy of the store.
///
/// The private group decides what this user's results are, but may have no other device to recover from. So it takes
/// over what the shared groups know better.
struct LostResults {
    /// Noted until they are written into the private group.
    private var records: [RecordKey: MergedRecord] = [:]

    /// Notes a shared group's record of a result, if that is newer than the private group's.
    ///
    /// - Parameter known: what the private group holds of it.
    mutating func note(_ record: MergedRecord, known: MergedRecord?) {
        let newest = [known?.time, records[record.key]?.time].compactMap { $0 }.max()
        if let newest, newest >= record.time { return }
        // If a result was only removed from one group, it is written again in the private group, perhaps by a slow
        // clock.
        if let newest, record.value.isEmpty, record.time.milliseconds - newest.milliseconds < HybridClock.maximumLead {
            return
        }
        guard known.map({ !Self.goesOnStanding($0, against: record) }) ?? true else { return }
        records[record.key] = record
    }

    /// Whether a later record would not change the private group. A contending record with a lower value would be noted
    /// again at every look.
    private static func goesOnStanding(_ known: MergedRecord, against record: MergedRecord) -> Bool {
        let (mine, theirs) = (DailyScore.standing(of: result(known)), DailyScore.standing(of: result(record)))
        return theirs.contends && mine.worth > theirs.worth
    }

    private static func result(_ record: MergedRecord) -> Record {
        Record(kind: .dailyScore, time: record.time, subject: record.key.subject, value: record.value)
    }

    /// Returns the commands that write the noted results into the private group with their own times. What another
    /// machine of this user knows better then stays when the two meet.
    mutating func takeCommands(for privateGroup: GroupID?) -> [Command] {
        guard let privateGroup, !records.isEmpty else { return [] }
        let drafts = records.keys.sorted().compactMap { records[$0].map { RecordDraft.copy(Self.result($0)) } }
        records = [:]
        return [.write([(privateGroup, drafts)])]
    }
}
