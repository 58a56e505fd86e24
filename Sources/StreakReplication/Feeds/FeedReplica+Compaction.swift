import StreakWire

extension FeedReplica {
    /// How many single writes are combined into one run, and how many of those into a large one.
    private static let gatheredRuns = 64
    private static let smallCount = 64
    private static let largeSize = 32_768

    /// The small runs at the end of a branch packed into one, if there are many. The newest signature covers them all,
    /// so the older ones are dropped. Nil if that would gain nothing.
    public mutating func compact() -> (removed: [RunKey], added: StoredRun)? {
        for branch in branches.indices {
            if let change = gather(branch, below: Self.smallCount) ?? gather(branch, below: Run.maximumCount) {
                return change
            }
        }
        return nil
    }

    private mutating func gather(_ branch: Int, below count: Int) -> (removed: [RunKey], added: StoredRun)? {
        let runs = branches[branch].runs
        var start = runs.count
        var size = 0
        var records = 0
        while start > 0 {
            let run = runs[start - 1].run
            guard run.count < count, size + run.packed.count <= Self.largeSize,
                records + run.count <= Run.maximumCount
            else { break }
            size += run.packed.count
            records += run.count
            start -= 1
        }
        let wanted = count == Self.smallCount ? Self.gatheredRuns : Self.gatheredRuns / 4
        // The signature of the last run covers all the others.
        guard runs.count - start >= wanted, let firstRun = runs[start...].first, let lastRun = runs.last,
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
