public import StreakCrypto
public import StreakWire

/// This node's copy of one feed: gapless from record 1, one list of runs for every branch.
///
/// An honest feed has one branch. A device whose disk went back in time may have written two. Both are kept and merged,
/// so that nothing is lost that one of them confirmed to its user (docs/adr/0018).
public struct FeedReplica: Sendable {
    /// The most branches kept of one feed, besides the one that leads to its cut.
    public static let maximumBranches = 8

    struct Branch: Sendable {
        var runs: [StoredRun] = []
        private(set) var tip: Tip
        /// Former tips, rising: fresh records are looked up again and again, and hashing a long run is slow.
        private var formerTips: [Tip] = []

        private static let maximumFormerTips = 256

        init(runs: [StoredRun] = [], tip: Tip) {
            self.runs = runs
            self.tip = tip
        }

        mutating func extend(to end: Tip) {
            if formerTips.count >= Self.maximumFormerTips { formerTips.removeFirst(Self.maximumFormerTips / 2) }
            formerTips.append(tip)
            tip = end
        }

        func runIndex(holding number: UInt64) -> Int? {
            var low = 0
            var high = runs.count
            while low < high {
                let middle = (low + high) / 2
                if runs[middle].run.last < number { low = middle + 1 } else { high = middle }
            }
            return low < runs.count && runs[low].run.first <= number ? low : nil
        }

        /// The hash after record `number`, if a recent run ended there.
        func recentHash(at number: UInt64) -> ChainHash? {
            var range = formerTips.indices
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                if formerTips[middle].number == number { return formerTips[middle].hash }
                range =
                    formerTips[middle].number < number
                    ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
            }
            return nil
        }
    }

    public let id: FeedID
    public let group: GroupID
    /// The arrival number of the newest record.
    public internal(set) var lastArrival: UInt64 = 0
    /// The first is the main branch. A ninth has the place reserved for the chain to a cut.
    var branches: [Branch] = []
    /// Which of the eight comes last in their order, once computed.
    var knownLast: Int?
    /// The search for the chain to a cut, while other branches take all eight places.
    var backfill: CutBackfill?

    /// The hash before the first record.
    public let origin: ChainHash

    public init(_ id: FeedID, in group: GroupID) {
        self.id = id
        self.group = group
        origin = FeedChain.origin(of: id, in: group)
    }

    /// The end of every branch, in the order of their numbers and hashes; none for an empty feed.
    public var tips: [Tip] { branches.map(\.tip).filter { $0.number > 0 }.sorted() }

    /// The end of the branch that this node extends or asks to have extended.
    public var mainTip: Tip { branches.first?.tip ?? Tip(number: 0, hash: origin) }

    /// The newest run of the main branch.
    public var lastRun: Run? { branches.first?.runs.last?.run }

    public var isForked: Bool { branches.count > 1 }

    /// Every stored run of every branch.
    public var storedRuns: [StoredRun] { branches.flatMap(\.runs) }

    /// Restores a run from this node's own store, in order. False, and nothing changes, if it does not continue its
    /// branch.
    public mutating func restore(_ stored: StoredRun) -> Bool {
        let branch = Int(stored.branch)
        guard branch <= Self.maximumBranches, stored.run.feed == id else { return false }
        let tip = branches.indices.contains(branch) ? branches[branch].tip : Tip(number: 0, hash: origin)
        guard stored.run.first == tip.number + 1, stored.run.before == tip.hash else { return false }
        while branches.count <= branch { branches.append(Branch(tip: Tip(number: 0, hash: origin))) }
        append(stored, to: Int(stored.branch))
        knownLast = nil
        return true
    }

    mutating func append(_ stored: StoredRun, to branch: Int) {
        branches[branch].runs.append(stored)
        branches[branch].extend(to: stored.tip)
        lastArrival = max(lastArrival, stored.arrival)
    }

    /// Ends branches before a run that does not unpack. Returns that run and those after it, for the store to remove.
    /// If these are all, an empty feed stays.
    public mutating func leaveOut(from unfit: StoredRun) -> [RunKey] {
        let branch = Int(unfit.branch)
        guard branches.indices.contains(branch),
            let index = branches[branch].runs.firstIndex(where: { $0.run.first == unfit.run.first })
        else { return [] }
        // An unsigned beginning at the end of a branch is useless alone.
        var end = index
        while end > 0, branches[branch].runs[end - 1].run.isUnsigned { end -= 1 }
        let keys = branches[branch].runs[end...].map(\.key)
        let kept = Array(branches[branch].runs[..<end])
        branches[branch] = Branch(runs: kept, tip: kept.last?.tip ?? Tip(number: 0, hash: origin))
        knownLast = nil
        if branches.allSatisfy(\.runs.isEmpty) { branches = [] }
        return keys
    }

    /// Whether this copy holds the chain that ends in `tip`.
    public func contains(_ tip: Tip) -> Bool {
        tip.number == 0 || branches.indices.contains { hash(at: tip.number, in: $0) == tip.hash }
    }

    /// The chain hash after record `number` of a branch; nil beyond its end.
    func hash(at number: UInt64, in branch: Int) -> ChainHash? { hash(at: number, in: branches[branch]) }

    func hash(at number: UInt64, in branch: Branch) -> ChainHash? {
        if number == 0 { return origin }
        if number == branch.tip.number { return branch.tip.hash }
        if let hash = branch.recentHash(at: number) { return hash }
        guard number < branch.tip.number, let index = branch.runIndex(holding: number) else { return nil }
        let stored = branch.runs[index]
        let run = stored.run
        if number == run.last { return stored.after }
        guard let records = try? run.records() else { return nil }  // was checked when it was stored
        return FeedChain.hash(after: run.before, records: records.prefix(Int(number - run.first) + 1))
    }

    func runIndex(holding number: UInt64, in branch: Int) -> Int? { branches[branch].runIndex(holding: number) }

    // MARK: Taking runs

    /// Records that are new here, and how the store changes with them.
    public struct Reception: Sendable, Equatable {
        /// The bytes of the new records, in order, with the number of the first.
        public var records = RecordList()
        public var firstNumber: UInt64 = 0
        public var stored: [StoredRun] = []
        /// What the store has to remove first: a branch that gave up its place to this one.
        public var removed: [RunKey] = []
        /// Whether the run opened another branch.
        public var forked = false
        /// Whether nothing was stored, but the run extended the backfill to a cut by one step.
        public var extendsBackfill = false
        public var isDuplicate: Bool { stored.isEmpty }

        public init(
            records: RecordList = RecordList(), firstNumber: UInt64 = 0, stored: [StoredRun] = [],
            removed: [RunKey] = [], forked: Bool = false, extendsBackfill: Bool = false
        ) {
            self.records = records
            self.firstNumber = firstNumber
            self.stored = stored
            self.removed = removed
            self.forked = forked
            self.extendsBackfill = extendsBackfill
        }
    }

    /// Verifies a run and stores what is new in it. `arrival` is used if anything is.
    ///
    /// - Parameters:
    ///   - pieces: the unsigned runs right before it, in order. The run's signature covers them.
    ///   - cut: where the ledger ends the feed, if it does. The chain to it has a place of its own.
    public mutating func receive(
        _ run: Run, behind pieces: [Run] = [], through cut: Tip? = nil, arrival: UInt64
    ) throws(ReplicationError) -> Reception {
        guard run.feed == id else { throw .differentHistory }
        // A run that connects to nothing is not unpacked, because that costs work.
        let first = pieces.first ?? run
        let parents = parents(of: first)
        if parents.isEmpty, !(cut.map { mayExtendBackfill(to: $0, by: first.first...run.last) } ?? false) {
            if first.first > mainTip.number + 1 { throw .gap(tip: mainTip) }
            throw .differentHistory
        }
        let chained = try ChainedRuns(run, behind: pieces)
        if contains(chained.end) { return Reception() }
        let relation = cut.map { noteBackfill(chained, to: $0) } ?? .unrelated
        guard let place = attachment(of: chained, to: parents) else {
            if relation == .extendsBackfill { return Reception(extendsBackfill: true) }
            throw .differentHistory
        }
        try chained.checkSignature(in: group)
        switch place {
        case .extends(let branch, let known):
            return try extend(branch, by: chained, knownCount: known, arrival: arrival)
        case .forks(let branch, let shared):
            return try fork(
                branch, at: shared, with: chained, through: cut, leadsToCut: relation != .unrelated, arrival: arrival)
        }
    }

    /// Stores a run that was verified before, if a branch ends right before it. Otherwise nil, and nothing changes.
    public mutating func append(_ ahead: AheadRun, arrival: UInt64) -> StoredRun? {
        let run = ahead.run
        let before = Tip(number: run.first - 1, hash: run.before)
        guard run.feed == id, let branch = branches.firstIndex(where: { $0.tip == before }) else { return nil }
        let stored = StoredRun(
            group: group, branch: UInt8(branch), run: run, after: ahead.after, arrival: arrival)
        append(stored, to: branch)
        return stored
    }

    private enum Attachment {
        /// The run continues a branch; `known` of its records are held already.
        case extends(branch: Int, known: Int)
        /// The run leaves a branch after its first `shared` records.
        case forks(branch: Int, shared: UInt64)
    }

    /// The branches that contain the point before a run. For an empty feed, the first branch, which will be made.
    private func parents(of run: Run) -> [Int] {
        if branches.isEmpty { return run.first == 1 && run.before == origin ? [0] : [] }
        return branches.indices.filter { hash(at: run.first - 1, in: $0) == run.before }
    }

    private func attachment(of run: ChainedRuns, to parents: [Int]) -> Attachment? {
        if branches.isEmpty { return parents.isEmpty ? nil : .extends(branch: 0, known: 0) }
        var fork: Attachment?
        for branch in parents {
            let tip = branches[branch].tip
            if tip.number < run.end.number, tip.number >= run.first - 1 {
                let known = Int(tip.number - (run.first - 1))
                if run.hashes[known] == tip.hash { return .extends(branch: branch, known: known) }
            }
            fork = fork ?? .forks(branch: branch, shared: run.first - 1)
        }
        return fork
    }

    private mutating func extend(
        _ branch: Int, by chained: ChainedRuns, knownCount: Int, arrival: UInt64
    ) throws(ReplicationError) -> Reception {
        let tip = branches.isEmpty ? Tip(number: 0, hash: origin) : branches[branch].tip
        var records = RecordList()
        var pieces: [StoredRun] = []
        for part in chained.parts where part.run.last > tip.number {
            let known = part.run.first > tip.number ? 0 : Int(tip.number - part.run.first) + 1
            let fresh = known == 0 ? part.records : RecordList(part.records.dropFirst(known))
            let piece =
                known == 0
                ? part.run
                : Run(
                    feed: id, first: tip.number + 1, before: tip.hash, signature: part.run.signature, records: fresh)
            // What is stored has to fit into a message again.
            guard piece.packed.count <= ProtocolLimits.maximumRunSize else { throw .limitReached }
            pieces.append(
                StoredRun(
                    group: group, branch: UInt8(branch), run: piece, after: part.end.hash, arrival: arrival))
            records.append(contentsOf: fresh)
        }
        if branches.isEmpty { branches.append(Branch(tip: tip)) }
        for piece in pieces { append(piece, to: branch) }
        return Reception(records: records, firstNumber: tip.number + 1, stored: pieces)
    }

    // MARK: Writing

    /// Signs `records` at the end of the main branch. The caller owns the device's key and has checked the feed's
    /// length.
    public mutating func write(_ records: RecordList, key: SigningSecretKey, arrival: UInt64) -> StoredRun {
        if branches.isEmpty { branches.append(Branch(tip: Tip(number: 0, hash: origin))) }
        let tip = branches[0].tip
        let end = Tip(
            number: tip.number + UInt64(records.count), hash: FeedChain.hash(after: tip.hash, records: records))
        let signature = key.signature(for: FeedChain.signedBytes(group: group, feed: id, tip: end))
        let run = Run(feed: id, first: tip.number + 1, before: tip.hash, signature: signature, records: records)
        let stored = StoredRun(group: group, branch: 0, run: run, after: end.hash, arrival: arrival)
        append(stored, to: 0)
        return stored
    }
}
