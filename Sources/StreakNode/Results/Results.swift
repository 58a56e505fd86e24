import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// This user's own results: recording, publishing, undoing and importing them; and keeping the private group and the
/// shared groups consistent.
final class Results {
    let core: NodeCore
    let loop: NodeLoop
    private var lost = LostResults()
    private var older = OlderResults()
    private var missed = MissedResults()
    private var differences = Differences()

    init(core: NodeCore, loop: NodeLoop) { (self.core, self.loop) = (core, loop) }

    // MARK: What groups hold of them

    /// Compares a shared group's records of this user's results with the private group, and notes which side is older.
    func compare(_ records: [MergedRecord], of group: GroupID) {
        guard let privateGroup = core.privateGroup, !core.engine.isPrivate(group) else { return }
        for record in records where record.isResult(of: core.identity.user) {
            let known = core.engine.mergedRecord(record.key, of: privateGroup)
            guard known?.value != record.value, !(known?.tellsTheSame(as: record) ?? false) else { continue }
            older.note(record, in: group, known: known)
            lost.note(record, known: known)
        }
    }

    /// The same for all records of a group.
    func compareAll(of group: GroupID) {
        if !core.engine.isPrivate(group) { compare(core.ownRecords(of: group), of: group) }
    }

    /// The ledger of a group has changed: it may show that a removal does not count.
    func review(_ group: GroupID) { missed.review([group]) }

    func reviewAll() { missed.review(core.engine.groupIDs) }

    /// Notes the value that a record of the private group is about to replace.
    func noteDifference(_ record: MergedRecord, in group: GroupID) {
        differences.note(record, in: core.views[group]?.index, of: core.identity.user)
    }

    /// Tells the user about a difference, once it has been stored.
    func tellDifference(_ record: MergedRecord) {
        guard record.key.kind == RecordKind.setting.rawValue, let other = AccountSettings.difference(in: record),
            let standing = core.ownIndex.score(other.key, of: core.me)
        else { return }
        let (mine, theirs) = (core.resultReport(standing), core.resultReport(other))
        core.publish(
            .notice(
                "Two machines of yours recorded \(mine.gameName) of \(mine.day) differently: \(mine.label) came later and "
                    + "stands, the other is \(theirs.label). Record the right one again, and this is settled."))
    }

    /// Makes the loop write what was noted. It writes one command after another, so that each sees the results of the
    /// one before. Returns whether there was anything.
    func writeNoted() -> Bool {
        var isAny = false
        func post(_ commands: [Command]) {
            for command in commands { loop.post(command) }
            isAny = isAny || !commands.isEmpty
        }
        post(lost.takeCommands(for: core.privateGroup))
        post(older.takeCommands(core))
        post(missed.takeCommands(core) { compareAll(of: $0) })
        post(differences.takeCommands(core))
        return isAny
    }

    /// Forgets what was compared; what is stored replaces it.
    func forget() { (lost, older) = (LostResults(), OlderResults()) }
}

extension MergedRecord {
    func isResult(of user: UserID) -> Bool { key.user == user && key.kind == RecordKind.dailyScore.rawValue }

    /// Whether two records state the same result. Their bytes differ if they were written at different times.
    func tellsTheSame(as other: MergedRecord) -> Bool {
        guard !value.isEmpty, let told = other.result else { return false }
        return tells(told)
    }

    /// Whether this states `score`; nil is none.
    func tells(_ score: DailyScore?) -> Bool {
        guard var score else { return value.isEmpty }
        guard let told = result else { return false }
        score.contends = told.contends
        return told.isSame(as: score)
    }

    /// Nil if it is withdrawn, or of a later version.
    private var result: DailyScore? {
        // What this version cannot read equals no result that it knows.
        value.isEmpty ? nil : try? DailyScore(subject: key.subject, value: value, time: time)
    }
}
