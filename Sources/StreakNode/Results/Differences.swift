import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Results that two of this user's machines recorded differently, apart from each other. The later stands, and the user is
/// asked once: until the result is recorded again or deleted.
struct Differences {
    /// What stands no longer, until that is kept.
    private var replaced: [ScoreKey: DailyScore] = [:]

    /// Notes what a merged record of the private group takes the place of, before it does.
    mutating func note(_ record: MergedRecord, in index: ScoreIndex?, of user: UserID) {
        guard record.isResult(of: user),
            // Withdrawn, or of another version: nothing to choose between.
            let new = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time),
            let old = index?.score(new.key, of: PlayerID(user.bytes.array))
        else { return }
        // Who knew of the other value has marked the new one as edited; of high scores the better stands.
        guard !new.isEdited, !old.isEdited, !new.contends, !old.contends, !new.agrees(with: old) else { return }
        replaced[new.key] = old
    }

    /// What keeps what was noted, for all of the user's machines.
    mutating func takeCommands(_ core: NodeCore) -> [Command] {
        guard let privateGroup = core.privateGroup, !replaced.isEmpty else { return [] }
        let settings = core.accountSettings
        let time = HybridTime(milliseconds: core.clock.wallTime.milliseconds, counter: 0)
        let drafts = replaced.keys.sorted().compactMap { key -> RecordDraft? in
            guard let other = replaced[key], settings.difference(of: key) == nil else { return nil }
            return AccountSettings.draft(saying: other, differsAt: time)
        }
        replaced = [:]
        return drafts.isEmpty ? [] : [.write([(privateGroup, drafts)])]
    }
}
