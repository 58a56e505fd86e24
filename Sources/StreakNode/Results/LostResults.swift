import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// My results that friends hold and this store has lost: brought back from an old backup, or written by a copy of it.
///
/// The private group, which says what my results are, may have no other device to come back from; so it takes over what
/// the shared groups know better.
struct LostResults {
    /// Until they are written into the private group.
    private var records: [RecordKey: MergedRecord] = [:]

    /// Notes what a shared group holds of a result, where that is the newer word.
    ///
    /// - Parameter known: what the private group holds of it.
    mutating func note(_ record: MergedRecord, known: MergedRecord?) {
        let newest = [known?.time, records[record.key]?.time].compactMap { $0 }.max()
        if let newest, newest >= record.time { return }
        // A result that was only taken out of a group is written again in the private one; whose clock may lag behind.
        if let newest, record.value.isEmpty, record.time.milliseconds - newest.milliseconds < HybridClock.maximumLead {
            return
        }
        guard known.map({ !Self.goesOnStanding($0, against: record) }) ?? true else { return }
        records[record.key] = record
    }

    /// Whether a later record would leave the private group as it is: one that contends and is worth less would be missed there
    /// again at every look.
    private static func goesOnStanding(_ known: MergedRecord, against record: MergedRecord) -> Bool {
        let (mine, theirs) = (DailyScore.standing(of: result(known)), DailyScore.standing(of: result(record)))
        return theirs.contends && mine.worth > theirs.worth
    }

    private static func result(_ record: MergedRecord) -> Record {
        Record(kind: .dailyScore, time: record.time, subject: record.key.subject, value: record.value)
    }

    /// What writes all that was noted into the private group, at its own time: what another machine of this user knows better
    /// stays so when the two meet.
    mutating func takeCommands(for privateGroup: GroupID?) -> [Command] {
        guard let privateGroup, !records.isEmpty else { return [] }
        let drafts = records.keys.sorted().compactMap { records[$0].map { RecordDraft.copy(Self.result($0)) } }
        records = [:]
        return [.write([(privateGroup, drafts)])]
    }
}
