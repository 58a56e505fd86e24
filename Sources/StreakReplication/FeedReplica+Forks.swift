import StreakWire

/// Branches of a feed: a device whose disk went back in time, or was copied, has written several.
extension FeedReplica {
    /// Opens a branch with a run that leaves branch `parent` after its first `shared` records.
    ///
    /// Where there are eight, the one whose hashes are largest where it parts from the others goes: those that stay are
    /// the same in whatever order they came.
    mutating func fork(
        _ parent: Int, at shared: UInt64, with chained: ChainedRun, arrival: UInt64
    ) throws(ReplicationError) -> Reception {
        let pieces = try beginning(of: parent, upTo: shared) + [(chained.run, chained.end.hash)]
        var place = branches.count
        var removed: [RunKey] = []
        if branches.count >= Self.maximumBranches {
            let new = Branch(runs: stored(pieces, as: 0, arrival: arrival), tip: chained.end)
            guard let last = try lastBranch(beside: new) else { throw .limitReached }
            place = last
            removed = branches[last].runs.map(\.key)
        }
        let runs = stored(pieces, as: place, arrival: arrival)
        let branch = Branch(runs: runs, tip: chained.end)
        if place == branches.count { branches.append(branch) } else { branches[place] = branch }
        lastArrival = max(lastArrival, arrival)
        return Reception(
            records: chained.records, firstNumber: chained.run.first, stored: runs, removed: removed, forked: true)
    }

    private func stored(_ pieces: [(Run, ChainHash)], as branch: Int, arrival: UInt64) -> [StoredRun] {
        pieces.map { StoredRun(group: group, branch: UInt8(branch), run: $0.0, after: $0.1, arrival: arrival) }
    }

    /// The first records of a branch as runs. Where the last of them ends inside a run there is no signature.
    private func beginning(of branch: Int, upTo shared: UInt64) throws(ReplicationError) -> [(Run, ChainHash)] {
        var pieces: [(Run, ChainHash)] = []
        for stored in branches[branch].runs where stored.run.first <= shared {
            if stored.run.last <= shared {
                pieces.append((stored.run, stored.after))
                continue
            }
            let records: RecordList
            do { records = try stored.run.records() } catch { throw .malformed(error) }
            let part = RecordList(records.prefix(Int(shared - stored.run.first) + 1))
            let run = Run(
                feed: id, first: stored.run.first, before: stored.run.before, signature: .none, records: part)
            // What its author packed by hand may be longer as it is packed here, and no store takes it then.
            guard run.packed.count <= ProtocolLimits.maximumRunSize else { throw .limitReached }
            pieces.append((run, FeedChain.hash(after: run.before, records: part)))
        }
        return pieces
    }

    // MARK: Order

    /// The branch that comes last of all, or nil if that is `new`.
    private func lastBranch(beside new: Branch) throws(ReplicationError) -> Int? {
        var last = 0
        for branch in branches.indices.dropFirst() where try Self.precedes(branches[last], branches[branch]) {
            last = branch
        }
        return try Self.precedes(new, branches[last]) ? last : nil
    }

    /// Whether the first record in which two branches differ has the smaller chain hash in `left`.
    ///
    /// So the branches of a feed stand in an order that does not change as they grow.
    private static func precedes(_ left: Branch, _ right: Branch) throws(ReplicationError) -> Bool {
        var (l, r) = (0, 0)
        // The runs behind the last boundary that both have.
        var (leftStart, rightStart) = (0, 0)
        while l < left.runs.count, r < right.runs.count {
            let (a, b) = (left.runs[l], right.runs[r])
            if a.run.last == b.run.last {
                guard a.after == b.after else { break }
                (l, r) = (l + 1, r + 1)
                (leftStart, rightStart) = (l, r)
            } else if a.run.last < b.run.last {
                l += 1
            } else {
                r += 1
            }
        }
        var leftHashes = HashWalk(left.runs[leftStart...])
        var rightHashes = HashWalk(right.runs[rightStart...])
        while let a = try leftHashes.next(), let b = try rightHashes.next() {
            if a != b { return a < b }
        }
        return false
    }

    /// The chain hashes after record after record of some runs.
    private struct HashWalk {
        private var runs: ArraySlice<StoredRun>
        private var hashes: ArraySlice<ChainHash> = []

        init(_ runs: ArraySlice<StoredRun>) { self.runs = runs }

        mutating func next() throws(ReplicationError) -> ChainHash? {
            if hashes.isEmpty {
                guard let stored = runs.popFirst() else { return nil }
                hashes = try ChainedRun(stored.run).hashes.dropFirst()
            }
            return hashes.popFirst()
        }
    }
}
