public import StreakCrypto
import StreakWire

/// The way to a cut, found backwards from there.
///
/// A chain hash covers all that precedes it: whatever run ends in a point of the way is on it, whoever sends it.
struct CutBackfill: Sendable {
    let cut: Tip
    /// Points on the way, falling: the cut, then the beginnings of runs.
    private(set) var points: [Tip]

    /// 2.6 MB; an honest copy of the longest feed has a few hundred runs.
    private static let maximumPoints = 65_536

    init(to cut: Tip) {
        self.cut = cut
        points = [cut]
    }

    /// As far back as the way is known.
    var start: Tip { points[points.count - 1] }

    /// Whether runs lead through a point of the way.
    func includes(_ runs: ChainedRuns) -> Bool {
        points.contains { $0.number >= runs.first && runs.hash(at: $0.number) == $0.hash }
    }

    /// Notes where a run begins that leads through the start. False for any other.
    mutating func extend(by runs: ChainedRuns) -> Bool {
        guard start.number >= runs.first, runs.hash(at: start.number) == start.hash else { return false }
        if points.count >= Self.maximumPoints { points = [cut] }
        points.append(Tip(number: runs.first - 1, hash: runs.before))
        return true
    }

    /// Forgets the start, as a later point is held.
    mutating func removeStart() { points.removeLast() }
}

/// Feeds that the ledger cuts: of their branches one counts, up to a record.
extension FeedReplica {
    /// What counts under a cut: its own tip if a branch leads through it; else the end of every branch, and of one that
    /// goes that far what precedes the cut's number.
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

    /// The branches that count under a cut which is not here: of nine all but the one that others have no place for.
    private func counting(under cut: Tip) -> [Int] {
        guard isOverfull else { return Array(branches.indices) }
        // What was stored reads.
        let surplus = (try? lastBranch(beside: branches[Self.maximumBranches], through: cut)) ?? Self.maximumBranches
        return branches.indices.filter { $0 != surplus }
    }

    private func branch(through tip: Tip) -> Int? {
        branches.indices.first { hash(at: tip.number, in: $0) == tip.hash }
    }

    // MARK: The way to a cut

    enum Way { case elsewhere, led, shown }

    /// Whether runs of these numbers can show more of the way to a cut.
    func mayShowWay(to cut: Tip, in numbers: ClosedRange<UInt64>) -> Bool {
        backfill.map { $0.cut == cut && numbers.contains($0.start.number) } ?? false
    }

    /// Notes what runs say about the way to a cut: whether they are on it, and whether they show more of it.
    mutating func takeNote(of runs: ChainedRuns, onWayTo cut: Tip) -> Way {
        if backfill?.cut == cut {
            if backfill?.extend(by: runs) ?? false { return .shown }
            if backfill?.includes(runs) ?? false { return .led }
        }
        return runs.first <= cut.number && runs.hash(at: cut.number) == cut.hash ? .led : .elsewhere
    }

    /// As `takeNote`, for a piece without a signature. False where it shows nothing new.
    public mutating func takeNote(of piece: Run, onWayTo cut: Tip) throws(ReplicationError) -> Bool {
        try takeNote(of: ChainedRuns(piece, behind: []), onWayTo: cut) == .shown
    }

    /// What to ask somebody for who has what a cut leaves, where other branches take all the places: backwards, run by
    /// run, to what is held, then onwards from there. Nil where there is room, or the cut is here.
    ///
    /// A run short of the cut does not show whether it leads there, and its author can fill any number of places with such.
    public mutating func backfillRequest(to cut: Tip) -> RunsWanted? {
        guard branches.count >= Self.maximumBranches, !contains(cut) else {
            backfill = nil
            return nil
        }
        var backfill = self.backfill ?? CutBackfill(to: cut)
        if backfill.cut != cut { backfill = CutBackfill(to: cut) }
        defer { self.backfill = backfill }
        guard contains(backfill.start) else {
            return RunsWanted(feed: id, held: [], numbers: backfill.start.number...backfill.start.number)
        }
        while backfill.points.count > 1, contains(backfill.points[backfill.points.count - 2]) { backfill.removeStart() }
        return RunsWanted(feed: id, held: backfill.start.number > 0 ? [backfill.start] : [])
    }

    /// Forgets the way to a cut: who was asked for it packs its runs otherwise, or has not got it.
    public mutating func cancelBackfill() { backfill = nil }

    // MARK: Serving

    /// As `runs`, of what a cut leaves: where it is here its own branch, to its number; else of every branch the runs that
    /// begin before that.
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

    /// A run as far as a cut leaves it, with the cut's own signature where that is the device's; else nobody could verify
    /// less than the whole run.
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

/// Pieces of an answer without a signature, held until the run comes whose signature covers them.
public struct UnsignedPieces: Sendable {
    private var pieces: [Run] = []

    public init() {}

    /// Holds a piece, behind those that it follows.
    public mutating func hold(_ piece: Run) {
        if pieces.last.map({ $0.feed != piece.feed || $0.last + 1 != piece.first }) ?? false { pieces = [] }
        pieces.append(piece)
        if !FeedReplica.mayStandUnsigned(pieces) { pieces = [] }
    }

    /// Takes out what stands right before a run.
    public mutating func take(before run: Run) -> [Run] {
        defer { pieces = [] }
        guard let last = pieces.last, last.feed == run.feed, last.last + 1 == run.first else { return [] }
        return pieces
    }
}
