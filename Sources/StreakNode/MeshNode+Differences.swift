import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Results that two of this user's machines recorded differently, apart from each other. The later stands, and the user is
/// asked once: until the result is recorded again or deleted.
extension MeshNode {
    /// Notes what a merged record of the private group takes the place of, before it does.
    func noteDifference(_ record: MergedRecord, in group: GroupID) {
        guard record.key.user == identity.user, record.key.kind == RecordKind.dailyScore.rawValue,
            // Withdrawn, or of another version: nothing to choose between.
            let new = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time),
            let old = views[group]?.index.score(new.key, of: me)
        else { return }
        // Who knew of the other value has marked the new one as edited; of high scores the better stands.
        guard !new.isEdited, !old.isEdited, !new.contends, !old.contends, !new.agrees(with: old) else { return }
        differences[new.key] = old
    }

    /// Keeps what was noted, for all of the user's machines. Returns whether there was anything.
    func keepDifferences() -> Bool {
        guard let privateGroup, !differences.isEmpty else { return false }
        let settings = accountSettings
        let time = HybridTime(milliseconds: clock.wallTime.milliseconds, counter: 0)
        let drafts = differences.keys.sorted().compactMap { key -> RecordDraft? in
            guard let other = differences[key], settings.difference(of: key) == nil else { return nil }
            return AccountSettings.draft(saying: other, differsAt: time)
        }
        differences = [:]
        guard !drafts.isEmpty else { return false }
        feed(.command(takeCommandID(), .write([(privateGroup, drafts)])))
        return true
    }

    /// Tells whoever watches of a difference that was just kept.
    func tellDifference(_ record: MergedRecord) {
        guard record.key.kind == RecordKind.setting.rawValue, let other = AccountSettings.difference(in: record),
            let standing = ownIndex.score(other.key, of: me)
        else { return }
        let (mine, theirs) = (resultReport(standing), resultReport(other))
        inbox.publish(
            .notice(
                "Two machines of yours recorded \(mine.gameName) of \(mine.day) differently: \(mine.label) came later and "
                    + "stands, the other is \(theirs.label). Record the right one again, and this is settled."))
    }
}
