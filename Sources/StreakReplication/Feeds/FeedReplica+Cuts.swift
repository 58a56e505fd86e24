public import StreakCrypto
import StreakWire

/// Feeds that the ledger cuts. A cut is a number and the chain hash after that record: of all branches one leads there.
///
/// Where that branch is held it counts up to the cut, and nothing else does. Where it is not, every branch counts up to
/// the record before the cut's number: the one who cut the feed may never come online again.
extension FeedReplica {
    /// What counts under a cut: the cut itself where it is held, else where every branch ends before the cut's number.
    func countingTips(through cut: Tip) -> [Tip] {
        if contains(cut) { return cut.number > 0 ? [cut] : [] }
        var tips: [Tip] = []
        for branch in counting(under: cut) {
            let number = min(branches[branch].tip.number, cut.number - 1)
            guard number > 0, let hash = hash(at: number, in: branch) else { continue }
            let tip = Tip(number: number, hash: hash)
            if !tips.contains(tip) { tips.append(tip) }
        }
        return tips.sorted()
    }

    /// The runs of which records count under a cut, and the number of the last one that does.
    public func storedRuns(through cut: Tip) -> (runs: [StoredRun], last: UInt64) {
        guard let branch = branch(through: cut) else {
            return (counting(under: cut).flatMap { branches[$0].runs }, cut.number - 1)
        }
        return (branches[branch].runs, cut.number)
    }

    /// The branches that count under a cut which is not here. The ninth place is for what is still on its way there: it
    /// takes part in the order of all, so that those who have no ninth count the same eight.
    private func counting(under cut: Tip) -> [Int] {
        guard isOverfull else { return Array(branches.indices) }
        // What was stored reads.
        let surplus = (try? lastBranch(beside: branches[Self.maximumBranches], through: cut)) ?? Self.maximumBranches
        return branches.indices.filter { $0 != surplus }
    }

    private func branch(through tip: Tip) -> Int? {
        branches.indices.first { hash(at: tip.number, in: $0) == tip.hash }
    }

    // MARK: Backfill to a cut

    /// What runs are to a cut.
    enum CutRelation {
        /// Nothing shows that they lead there.
        case unrelated
        case leadsToCut
        /// They lead there, and show a point of the chain that was not known.
        case extendsBackfill
    }

    /// Whether runs of these numbers can show another point of the chain to a cut.
    func mayExtendBackfill(to cut: Tip, by numbers: ClosedRange<UInt64>) -> Bool {
        backfill.map { $0.cut == cut && numbers.contains($0.start.number) } ?? false
    }

    /// Notes what runs show of the chain to a cut.
    mutating func noteBackfill(_ runs: ChainedRuns, to cut: Tip) -> CutRelation {
        if backfill?.cut == cut {
            if backfill?.extend(by: runs) ?? false { return .extendsBackfill }
            if backfill?.includes(runs) ?? false { return .leadsToCut }
        }
        return runs.first <= cut.number && runs.hash(at: cut.number) == cut.hash ? .leadsToCut : .unrelated
    }

    /// The same for a piece without a signature. Whether it showed a point that was not known.
    public mutating func noteBackfill(_ piece: Run, to cut: Tip) throws(ReplicationError) -> Bool {
        try noteBackfill(ChainedRuns(piece, behind: []), to: cut) == .extendsBackfill
    }

    /// What to ask a peer for that holds the cut, while other branches take all eight places: one run further back, until
    /// one begins where something is held; then everything from there. Nil where a place is free, or the cut is here.
    public mutating func backfillRequest(to cut: Tip) -> RunsWanted? {
        guard branches.count >= Self.maximumBranches, !contains(cut) else {
            backfill = nil
            return nil
        }
        var backfill = self.backfill.flatMap { $0.cut == cut ? $0 : nil } ?? CutBackfill(to: cut)
        defer { self.backfill = backfill }
        guard contains(backfill.start) else {
            return RunsWanted(feed: id, held: [], numbers: backfill.start.number...backfill.start.number)
        }
        backfill.removePoints { contains($0) }
        return RunsWanted(feed: id, held: backfill.start.number > 0 ? [backfill.start] : [])
    }

    /// Begins from the cut again: the peer that was asked packs its runs otherwise, or does not hold the cut.
    public mutating func cancelBackfill() { backfill = nil }

    // MARK: Serving

    /// The runs of what counts under a cut: where it is here, of its branch up to its number; else of every branch those
    /// that begin before that number.
    ///
    /// - Parameter signature: the cut's, for the run that ends there.
    public func runs(
        _ wanted: RunsWanted, through cut: Tip, signature: Signature, maximumSize: Int, comparisons: inout Int
    ) -> (runs: [Run], isComplete: Bool) {
        let branch = branch(through: cut)
        let first = wanted.numbers?.lowerBound ?? 1
        let last = min(wanted.numbers?.upperBound ?? .max, branch == nil ? cut.number - 1 : cut.number)
        guard first <= last else { return ([], true) }
        let (runs, isComplete) = runs(
            RunsWanted(feed: id, held: wanted.held, numbers: first...last), ofBranch: branch, maximumSize: maximumSize,
            comparisons: &comparisons)
        guard branch != nil else { return (runs, isComplete) }
        return (runs.map { shortened($0, to: cut, signature: signature) }, isComplete)
    }

    /// A run up to the cut, with the cut's own signature. The whole run where that signature is not the device's: nobody
    /// could verify a shorter one.
    private func shortened(_ run: Run, to cut: Tip, signature: Signature) -> Run {
        guard run.first <= cut.number, run.last > cut.number,
            let key = try? SigningPublicKey(rawBytes: id.device.bytes.array),  // 32 bytes by its type
            key.isValid(signature, for: FeedChain.signedBytes(group: group, feed: id, tip: cut)),
            let records = try? run.records()  // was checked on arrival
        else { return run }
        let kept = records.prefix(Int(cut.number - run.first) + 1)
        let shorter = Run(feed: id, first: run.first, before: run.before, signature: signature, records: kept)
        return shorter.packed.count <= ProtocolLimits.maximumRunSize ? shorter : run
    }
}
