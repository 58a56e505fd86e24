import StreakWire

extension FeedReplica {
    /// So many runs are packed into one.
    private static let gatheredRuns = 16
    /// In packed bytes.
    private static let largestSize = 32_768

    /// The small runs at the end of a branch packed into one, if there are many. The newest signature covers them all,
    /// so the older ones are dropped. Nil if that would gain nothing.
    public mutating func compact() -> (removed: [RunKey], added: StoredRun)? {
        for branch in branches.indices {
            if let change = gather(branch) { return change }
        }
        return nil
    }

    /// Packs the runs at the end of which none is longer than all after it together. So a run becomes part of one at least
    /// twice as long, and a record is packed again a dozen times at most.
    private mutating func gather(_ branch: Int) -> (removed: [RunKey], added: StoredRun)? {
        let runs = branches[branch].runs
        var start = runs.count
        var size = 0
        var records = 0
        while start > 0 {
            let run = runs[start - 1].run
            guard records == 0 || run.count <= records, size + run.packed.count <= Self.largestSize,
                records + run.count <= Run.maximumCount
            else { break }
            size += run.packed.count
            records += run.count
            start -= 1
        }
        // The signature of the last run covers all the others.
        guard runs.count - start >= Self.gatheredRuns, let firstRun = runs[start...].first, let lastRun = runs.last,
            !lastRun.run.isUnsigned
        else { return nil }
        let gathered = runs[start...]
        var joined = RecordList()
        for stored in gathered {
            guard let records = try? stored.run.records() else { return nil }  // was checked when it was stored
            joined.append(contentsOf: records)
        }
        guard joined.byteCount <= RecordPacking.maximumUnpackedSize else { return nil }
        let merged = Run(
            feed: id, first: firstRun.run.first, before: firstRun.run.before, signature: lastRun.run.signature,
            records: joined)
        // Columns that an author packed by hand may come out larger when packed here.
        guard merged.packed.count <= ProtocolLimits.maximumRunSize else { return nil }
        let stored = StoredRun(
            group: group, branch: UInt8(branch), run: merged, after: lastRun.after, arrival: lastRun.arrival)
        branches[branch].runs.replaceSubrange(start..., with: [stored])
        return (gathered.map(\.key), stored)
    }
}
