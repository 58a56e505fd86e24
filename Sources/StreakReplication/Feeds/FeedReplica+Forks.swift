import StreakWire

/// Branches of a feed. A device has several if its disk went back in time, or was copied.
extension FeedReplica {
    /// Opens a branch with a run that leaves branch `parent` after its first `shared` records.
    ///
    /// If all eight places are taken, the last branch in the order of `precedes` is given up. So the same eight stay in
    /// whatever order they came. The chain to the feed's cut has a ninth place.
    mutating func fork(
        _ parent: Int, at shared: UInt64, with chained: ChainedRuns, through cut: Tip?, leadsToCut: Bool,
        arrival: UInt64
    ) throws(ReplicationError) -> Reception {
        let pieces = try beginning(of: parent, upTo: shared) + chained.parts.map { ($0.run, $0.end.hash) }
        let unsigned = pieces.dropLast().reversed().lazy.map(\.0).prefix(while: \.isUnsigned)
        guard UnsignedPieces.mayStand(unsigned) else { throw .limitReached }
        var place = branches.count
        if leadsToCut {
            place = min(place, Self.maximumBranches)
        } else if place >= Self.maximumBranches {
            if knownLast == nil { knownLast = try lastHeld() }
            let new = Branch(runs: stored(pieces, as: 0, arrival: arrival), tip: chained.end)
            guard let last = try lastBranch(beside: new, through: cut) else { throw .limitReached }
            place = last
        }
        let removed = branches.indices.contains(place) ? branches[place].runs.map(\.key) : []
        let runs = stored(pieces, as: place, arrival: arrival)
        let branch = Branch(runs: runs, tip: chained.end)
        if place == branches.count { branches.append(branch) } else { branches[place] = branch }
        knownLast = nil
        lastArrival = max(lastArrival, arrival)
        return Reception(
            records: chained.records, firstNumber: chained.first, stored: runs, removed: removed, forked: true)
    }

    private func stored(_ pieces: [(Run, ChainHash)], as branch: Int, arrival: UInt64) -> [StoredRun] {
        pieces.map { StoredRun(group: group, branch: UInt8(branch), run: $0.0, after: $0.1, arrival: arrival) }
    }

    /// The first records of a branch as runs. If the last of them ends inside a run, it has no signature.
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
            // An author may have packed a run better than this code does. Packed here it may be too long for a store.
            guard run.packed.count <= ProtocolLimits.maximumRunSize else { throw .limitReached }
            pieces.append((run, FeedChain.hash(after: run.before, records: part)))
        }
        return pieces
    }

    // MARK: Order

    /// The last of the branches that share the eight places.
    private func lastHeld() throws(ReplicationError) -> Int {
        if let knownLast { return knownLast }
        return try Self.last(of: Array(branches.prefix(Self.maximumBranches)))
    }

    private static func last(of candidates: [Branch]) throws(ReplicationError) -> Int {
        var last = 0
        for index in candidates.indices.dropFirst() where try precedes(candidates[last], candidates[index]) {
            last = index
        }
        return last
    }

    /// The branch that gives up its place to `new`; nil if `new` itself comes last.
    ///
    /// - Parameter cut: the feed's cut, if it has one that is not here. Nothing counts from its number on. So branches
    ///   that are equal before it need only one place: all but the first of them are given up before any other.
    func lastBranch(beside new: Branch, through cut: Tip?) throws(ReplicationError) -> Int? {
        if let cut {
            let candidates = branches.prefix(Self.maximumBranches) + [new]
            let same = try redundant(Array(candidates), before: cut.number)
            if !same.isEmpty {
                let last = same[try Self.last(of: same.map { candidates[$0] })]
                return last == candidates.count - 1 ? nil : last
            }
        }
        let last = try lastHeld()
        return try Self.precedes(new, branches[last]) ? last : nil
    }

    /// The positions of branches whose records before `number` equal those of another branch that precedes them.
    private func redundant(_ candidates: [Branch], before number: UInt64) throws(ReplicationError) -> [Int] {
        let hashes = candidates.map { hash(at: number - 1, in: $0) }
        var redundant: [Int] = []
        for index in candidates.indices {
            guard let hash = hashes[index] else { continue }
            for other in candidates.indices where other != index && hashes[other] == hash {
                guard try Self.precedes(candidates[other], candidates[index]) else { continue }
                redundant.append(index)
                break
            }
        }
        return redundant
    }

    /// Whether there is one branch too many.
    public var isOverfull: Bool { branches.count > Self.maximumBranches }

    /// Gives up the last of nine branches, because the cut for which the ninth had its place is gone. Returns what the
    /// store has to remove, and what it has to keep under another branch.
    public mutating func trim() -> (removed: [RunKey], stored: [StoredRun]) {
        guard isOverfull else { return ([], []) }
        // Stored runs can be decoded.
        let last = (try? Self.last(of: branches)) ?? Self.maximumBranches
        let extra = branches.removeLast()
        knownLast = nil
        guard last < Self.maximumBranches else { return (extra.runs.map(\.key), []) }
        let removed = branches[last].runs.map(\.key) + extra.runs.map(\.key)
        let moved = extra.runs.map {
            StoredRun(group: group, branch: UInt8(last), run: $0.run, after: $0.after, arrival: $0.arrival)
        }
        branches[last] = Branch(runs: moved, tip: extra.tip)
        backfill = nil
        return (removed, moved)
    }

    /// Whether `left` has the smaller chain hash at the first record in which two branches differ.
    ///
    /// So the order of a feed's branches does not change as they grow.
    private static func precedes(_ left: Branch, _ right: Branch) throws(ReplicationError) -> Bool {
        var (l, r) = (0, 0)
        // The runs after the last boundary that both have.
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

    /// The chain hashes after each record of some runs.
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
