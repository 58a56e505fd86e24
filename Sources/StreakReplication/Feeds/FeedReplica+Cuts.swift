public import StreakCrypto
import StreakWire

/// Feeds that the ledger cuts. A cut is a number and the chain hash after that record, so only one branch leads to it.
///
/// If that branch is held, it counts up to the cut, and nothing else does. If it is not, every branch counts up to the
/// record before the cut's number, because the author of the cut may never come online again.
extension FeedReplica {
    /// The tips that count under a cut: the cut itself if it is held; otherwise, the end of each branch before the cut's number.
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

    /// The runs with records that count under a cut, and the number of the last such record.
    public func storedRuns(through cut: Tip) -> (runs: [StoredRun], last: UInt64) {
        guard let branch = branch(through: cut) else {
            return (counting(under: cut).flatMap { branches[$0].runs }, cut.number - 1)
        }
        return (branches[branch].runs, cut.number)
    }

    /// The branches that count under a cut that is not here. The ninth place is reserved for the chain on its way to
    /// the cut. It takes part in the order of all, so that nodes without a ninth branch count the same eight.
    private func counting(under cut: Tip) -> [Int] {
        guard isOverfull else { return Array(branches.indices) }
        // Stored runs can be decoded.
        let surplus = (try? lastBranch(beside: branches[Self.maximumBranches], through: cut)) ?? Self.maximumBranches
        return branches.indices.filter { $0 != surplus }
    }

    private func branch(through tip: Tip) -> Int? {
        branches.indices.first { hash(at: tip.number, in: $0) == tip.hash }
    }

    // MARK: Backfill to a cut

    /// How runs relate to a cut.
    enum CutRelation {
        /// Nothing shows that they lead to it.
        case unrelated
        case leadsToCut
        /// They lead to it, and show a new point of its chain.
        case extendsBackfill
    }

    /// Whether runs with these numbers can show another point of the chain to a cut.
    func mayExtendBackfill(to cut: Tip, by numbers: ClosedRange<UInt64>) -> Bool {
        backfill.map { $0.cut == cut && numbers.contains($0.start.number) } ?? false
    }

    /// Records what runs show of the chain to a cut.
    mutating func noteBackfill(_ runs: ChainedRuns, to cut: Tip) -> CutRelation {
        if backfill?.cut == cut {
            if backfill?.extend(by: runs) ?? false { return .extendsBackfill }
            if backfill?.includes(runs) ?? false { return .leadsToCut }
        }
        return runs.first <= cut.number && runs.hash(at: cut.number) == cut.hash ? .leadsToCut : .unrelated
    }

    /// The same for a run without a signature. Returns whether it showed a new point.
    public mutating func noteBackfill(_ piece: Run, to cut: Tip) throws(ReplicationError) -> Bool {
        try noteBackfill(ChainedRuns(piece, behind: []), to: cut) == .extendsBackfill
    }

    /// What to ask a peer for that holds the cut while other branches take all eight places. It asks for one run
    /// further back, until one starts where something is held; then for everything from there. Nil if a place is free,
    /// or the cut is here.
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

    /// Starts from the cut again: the peer that was asked packs its runs differently, or does not hold the cut.
    public mutating func cancelBackfill() { backfill = nil }

    // MARK: Serving

    /// The runs that count under a cut. If the cut is here, those of its branch up to the cut's number; otherwise, of
    /// every branch, those that begin before that number.
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

    /// A run shortened to the cut, with the cut's own signature. If that signature is not the device's, the whole run:
    /// nobody could verify a shorter one.
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
