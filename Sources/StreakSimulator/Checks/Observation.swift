import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What one node shows of the scenario's group at one moment: all that the checkers look at.
public struct Observation: Sendable {
    let node: Int
    let digest: GroupDigest
    /// Stands for all merged records with their times: equal for equal states.
    let fingerprint: Int
    let countingRecords: Int
    /// The results that it shows, by whose they are.
    let results: [GroundTruth.Slot: Int]
    /// Records of honest users that none of them wrote, told in words.
    let strange: [String]
    /// Nodes that its ledger calls removed or revoked.
    let knownCuts: Set<Int>
    /// Whether records wait for their time here, or to be taken back: then equal digests may show different records.
    let isWaiting: Bool
    /// Whether it shows records that came ahead of others, for which digests do not stand.
    let isAhead: Bool
    /// Whether its disk may lack what its user was told is there.
    let isAged: Bool
}

extension Simulation {
    /// What a node shows; nil where it is down, lies or is in no group.
    func observation(of index: Int) -> Observation? {
        guard let group = ground.group, let engine = nodes[index].engine, engine.isMember(of: group),
            let digest = engine.digest(of: group), let state = engine.state(of: group)
        else { return nil }
        let records = engine.mergedRecords(of: group)
        var results: [GroundTruth.Slot: Int] = [:]
        var strange: [String] = []
        for record in records where record.key.kind == RecordKind.dailyScore.rawValue && !record.value.isEmpty {
            guard !lyingUsers.contains(record.key.user) else { continue }
            guard let slot = ground.slot(of: record.key.subject),
                nodes[slot.node].identity.user == record.key.user,
                // What this simulation wrote reads.
                let score = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time),
                let value = score.score
            else {
                strange.append("a result of \(record.key.user) about \(record.key.subject)")
                continue
            }
            results[slot] = value
        }
        return Observation(
            node: index, digest: digest, fingerprint: records.hashValue,
            countingRecords: engine.countingRecordCount(of: group), results: results, strange: strange,
            knownCuts: Set(
                ground.cutNodes.filter { !(state.device(nodes[$0].identity.device)?.isCurrent ?? true) }),
            isWaiting: engine.holdsBackRecords(of: group) || engine.awaitsRebuild(of: group),
            isAhead: engine.showsRecordsAhead(of: group),
            isAged: nodes[index].isAged)
    }

    /// Users one of whose devices runs a hostile program: their results may be anything.
    private var lyingUsers: Set<UserID> { Set(liars.map { nodes[$0].identity.user }) }
}
