import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Results that two of this user's machines recorded differently without knowing of each other. The later one stands.
/// The user is asked once; recording or deleting the result answers.
struct Differences {
    /// Replaced values, until they are stored.
    private var replaced: [ScoreKey: DailyScore] = [:]

    /// Notes the value that a merged record of the private group is about to replace.
    mutating func note(_ record: MergedRecord, in index: ScoreIndex?, of user: UserID) {
        guard record.isResult(of: user),
            // If it was withdrawn, or is of another version, there is nothing to choose.
            let new = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time),
            let old = index?.score(new.key, of: PlayerID(user.bytes.array))
        else { return }
        // A device that knew the other value would have marked its own as edited. Of high scores, the better one
        // stands.
        guard !new.isEdited, !old.isEdited, !new.contends, !old.contends, !new.agrees(with: old) else { return }
        replaced[new.key] = old
    }

    /// Returns the commands that store the noted values, for all of the user's machines.
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
