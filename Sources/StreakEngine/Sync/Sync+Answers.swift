import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension Sync {
    /// Answers a request for operations. A current member gets all. A device that was removed, or whose admission does
    /// not count, gets the operation that says so and its ancestors. Any other stranger gets nothing.
    mutating func answerOperations(
        known: [LedgerTip], of group: GroupID, over link: LinkID, core: inout EngineCore
    ) {
        guard let replica = core.groups[group], let key = core.sessions[link]?.key else { return }
        let access = core.access(of: link, in: group)
        core.answers.answer?.work += replica.ledger.count * AnswerMeter.operationWeight
        let operations: [SignedOperation]
        if access.contains(.ledger) {
            operations = replica.ledger.operations(missingFrom: known)
        } else {
            guard access.contains(.ending), let ending = replica.ending(of: key),
                core.charge(.ledgerCopies, over: link)
            else { return }
            operations = replica.ledger.ancestry(of: ending)
        }
        core.sendOperations(operations, handle: replica.handle, over: link)
    }

    /// Answers with the tips that changed since the asker's cursor; with all if the cursor is of another store or lies
    /// ahead.
    mutating func answerTips(
        store asked: StoreID, arrival: UInt64, of group: GroupID, over link: LinkID, core: inout EngineCore
    ) {
        guard let replica = core.groups[group] else { return }
        let since = asked == core.store && arrival < core.journal.nextArrival ? arrival : 0
        let tips = TipsMessage(
            arrival: core.journal.storedArrival, isFinal: true, operations: replica.operationTips(changedSince: since),
            feeds: replica.countingTips(changedSince: since))
        core.send(.tips(replica.handle, tips), over: link)
    }

    /// Answers with runs up to the window. `isComplete` tells the asker whether to ask again.
    mutating func answerRuns(_ wanted: [RunsWanted], of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let replica = core.groups[group] else { return }
        var runs: [Run] = []
        var size = 0
        var isComplete = wanted.count <= SyncRound.feedsPerRequest
        var comparisons = SyncRound.comparisonsPerAnswer
        for entry in wanted.prefix(SyncRound.feedsPerRequest) {
            guard size < SyncRound.answerSize else {
                isComplete = false
                break
            }
            let (more, all) = replica.runs(
                entry, maximumSize: SyncRound.answerSize - size, comparisons: &comparisons)
            runs += more
            size += more.reduce(0) { $0 + $1.packed.count }
            isComplete = isComplete && all
        }
        core.answers.answer?.work +=
            (SyncRound.comparisonsPerAnswer - comparisons) * AnswerMeter.comparisonWeight
        for batch in Self.batches(runs) {
            core.send(.runs(replica.handle, batch, isFinal: false, isComplete: true), over: link)
        }
        core.send(.runs(replica.handle, [], isFinal: true, isComplete: isComplete), over: link)
    }

    /// Runs grouped into messages of a good size.
    private static func batches(_ runs: [Run]) -> [[Run]] {
        var batches: [[Run]] = []
        var size = 0
        for run in runs {
            let weight = run.packed.count + GroupReplica.sizeBesideRecords
            if batches.isEmpty || size + weight > LinkMessage.preferredSize || batches[batches.count - 1].count == 256 {
                batches.append([])
                size = 0
            }
            batches[batches.count - 1].append(run)
            size += weight
        }
        return batches
    }
}
