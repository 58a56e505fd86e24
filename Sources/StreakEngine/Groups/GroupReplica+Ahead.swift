import StreakMembership
import StreakReplication
import StreakWire

/// Runs whose predecessors are still missing. They are shown at once, and stored when the gap before them has closed.
extension GroupReplica {
    /// Whether a run leaves a gap after what is held of its feed, but may be shown already.
    func isAhead(_ run: Run) -> Bool {
        guard case .unlimited = state.feedLimit(device: run.feed.device, epoch: run.feed.epoch),
            state.device(run.feed.device) != nil
        else { return false }
        let feed = feeds[run.feed]
        return run.first > (feed?.mainTip.number ?? 0) + 1 && !(feed?.isForked ?? false)
    }

    /// Verifies such a run and merges it. Nil, and nothing changes, if there is no room or nothing new.
    mutating func holdAhead(_ run: Run, wall: WallTime) throws(ReplicationError) -> [MergedRecord]? {
        guard ahead.takes(run) else { return nil }
        let verified = try feeds.verifyAhead(run)
        ahead.hold(verified)
        guard let records = try? run.records() else { return nil }  // was just checked
        return merge(records, from: run.first, of: run.feed, wall: wall)
    }

    /// Stores the first run held ahead of a feed, if nothing before it is missing.
    mutating func closeGap(in feed: FeedID, arrival: UInt64) -> FeedReplica.Reception? {
        guard let tip = feeds[feed]?.mainTip, let next = ahead.popFirst(of: feed, from: tip.number) else { return nil }
        if let stored = feeds.append(next, arrival: arrival) {
            digestMoved()
            let records = (try? stored.run.records()) ?? RecordList()  // was checked when it came
            return FeedReplica.Reception(records: records, firstNumber: stored.run.first, stored: [stored])
        }
        // The predecessors that came already cover a part of it, or belong to another branch.
        guard let reception = try? feeds.receive(next.run, arrival: arrival) else {
            isStale = true
            return FeedReplica.Reception()
        }
        if !reception.isDuplicate { digestMoved() }
        if !reception.removed.isEmpty { isStale = true }
        return reception
    }

    /// Drops the runs that are still ahead. Nobody is being asked for their predecessors any longer, so they do not
    /// count.
    mutating func dropAhead() {
        if ahead.drop() { isStale = true }
    }
}
