import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What one node shows of the scenario's group at one moment. The checkers use nothing else.
public struct Observation: Sendable {
    let node: Int
    let digest: GroupDigest
    /// A hash of all merged records with their times: equal for equal states.
    let fingerprint: Int
    let countingRecords: Int
    /// The visible results, by slot.
    let results: [GroundTruth.Slot: Int]
    /// Records of honest users that none of them wrote, as text.
    let strange: [String]
    /// Nodes that are removed or revoked in its ledger.
    let knownCuts: Set<Int>
    /// Whether records wait in quarantine or for their withdrawal. Then nodes with equal digests may show different
    /// records.
    let isWaiting: Bool
    /// Whether it shows records that arrived ahead of others, which digests do not cover.
    let isAhead: Bool
    /// Whether its disk may lack confirmed results.
    let isAged: Bool
    /// Other users' nodes that it knows where to find.
    var located: Set<Int> = []
    /// How many devices it holds whereabouts of.
    var whereaboutsCount = 0
    /// Endpoints that it tells as its own and that no node here ever had, nor its router has named.
    var strangeEndpoints: [String] = []
}

extension Simulation {
    /// What a node shows; nil if it is down, lies, or is in no group.
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
                // The simulation wrote it, so it can be read.
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
            isAged: nodes[index].isAged,
            located: othersAmong(
                nodes.map(\.identity.device).filter { engine.whereabouts(of: $0, at: .zero) != nil }, than: index),
            whereaboutsCount: engine.whereaboutsCount,
            strangeEndpoints: engine.ownEndpoints.map(\.endpoint)
                .filter { !network.internet.hasHad($0.address) && $0 != claimedEndpoint(of: index) }
                .map(\.description))
    }

    /// The nodes of other users that have one of these devices.
    func othersAmong(_ devices: [DeviceID], than index: Int) -> Set<Int> {
        Set(
            nodes.indices.filter {
                nodes[$0].identity.user != nodes[index].identity.user && devices.contains(nodes[$0].identity.device)
            })
    }

    /// Users with a device that runs a hostile program. Their results may be anything.
    private var lyingUsers: Set<UserID> { Set(liars.map { nodes[$0].identity.user }) }
}
