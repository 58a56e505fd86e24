import StreakWire

extension FeedReplica {
    /// How many runs at least are packed into one.
    private static let gatheredRuns = 16
    /// The largest total of their packed records, in bytes.
    private static let maximumPackedSize = 32_768

    /// The small runs at the end of a branch packed into one, if there are many. The newest signature covers them all,
    /// so the older ones are dropped. Nil if that would gain nothing.
    public mutating func compact() -> (removed: [RunKey], added: StoredRun)? {
        for branch in branches.indices {
            if let change = gather(branch) { return change }
        }
        return nil
    }

    /// Packs the longest row of runs at the end in which each has at most as many records as all after it together; the
    /// newest is always taken. After its first packing a record thus moves only to a run of at least twice the length: a dozen
    /// times at most.
    private mutating func gather(_ branch: Int) -> (removed: [RunKey], added: StoredRun)? {
        let runs = branches[branch].runs
        var start = runs.count
        var (size, records) = (0, 0)
        while start > 0 {
            let run = runs[start - 1].run
            guard records == 0 || run.count <= records, size + run.packed.count <= Self.maximumPackedSize,
                records + run.count <= Run.maximumCount
            else { break }
            size += run.packed.count
            records += run.count
            start -= 1
        }
        // The signature of the last run covers all the others.
        guard runs.count - start >= Self.gatheredRuns, let lastRun = runs.last, !lastRun.run.isUnsigned,
            let parts = Self.unpacked(runs[start...]), parts.count >= Self.gatheredRuns
        else { return nil }
        let gathered = runs.suffix(parts.count)
        var joined = RecordList()
        for part in parts.reversed() { joined.append(contentsOf: part) }
        guard let first = gathered.first?.run else { return nil }
        let merged = Run(
            feed: id, first: first.first, before: first.before, signature: lastRun.run.signature, records: joined)
        // Columns that an author packed by hand may come out larger when packed here.
        guard merged.packed.count <= ProtocolLimits.maximumRunSize else { return nil }
        let stored = StoredRun(
            group: group, branch: UInt8(branch), run: merged, after: lastRun.after, arrival: lastRun.arrival)
        branches[branch].runs.replaceSubrange(gathered.startIndex..., with: [stored])
        return (gathered.map(\.key), stored)
    }

    /// The records of the last of these runs, the newest run first: as many as fit in one run. Nil if any is damaged.
    private static func unpacked(_ runs: ArraySlice<StoredRun>) -> [RecordList]? {
        var parts: [RecordList] = []
        var size = 0
        for stored in runs.reversed() {
            guard let records = try? stored.run.records() else { return nil }  // was checked when it was stored
            size += records.byteCount
            if size > RecordPacking.maximumUnpackedSize { break }
            parts.append(records)
        }
        return parts
    }
}
