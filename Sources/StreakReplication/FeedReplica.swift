public import StreakCrypto
public import StreakWire

/// This node's copy of one feed: gapless from record 1, one list of runs for every branch.
///
/// An honest feed has one branch. A device whose disk went back in time may have written two; both are kept, and merged,
/// and nobody's history is frozen (design: "Forks cost nothing").
public struct FeedReplica: Sendable {
    /// The most branches kept of one feed.
    public static let maximumBranches = 8

    struct Branch: Sendable {
        var runs: [StoredRun] = []
        private(set) var tip: Tip
        /// Former tips, rising: fresh records are asked about again and again, and hashing a long run is slow.
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
    public private(set) var lastArrival: UInt64 = 0
    var branches: [Branch] = []

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

    /// The chain hash after record `number` of the main branch; nil beyond its end.
    public func tip(at number: UInt64) -> ChainHash? { branches.isEmpty ? nil : hash(at: number, in: 0) }

    public var isForked: Bool { branches.count > 1 }

    /// The runs of the branch that leads through `end`; where none does, those of every branch that is still short of it
    /// and may yet lead there.
    public func storedRuns(through end: Tip) -> [StoredRun] {
        if let branch = branches.indices.first(where: { hash(at: end.number, in: $0) == end.hash }) {
            return branches[branch].runs
        }
        return branches.filter { $0.tip.number < end.number }.flatMap(\.runs)
    }

    /// Every stored run of every branch.
    public var storedRuns: [StoredRun] { branches.flatMap(\.runs) }

    /// Takes a run from this node's own store, in order. False, and nothing changed, where it does not continue its branch.
    public mutating func restore(_ stored: StoredRun) -> Bool {
        let branch = Int(stored.branch)
        guard branch < Self.maximumBranches, stored.run.feed == id else { return false }
        let tip = branches.indices.contains(branch) ? branches[branch].tip : Tip(number: 0, hash: origin)
        guard stored.run.first == tip.number + 1, stored.run.before == tip.hash else { return false }
        while branches.count <= branch { branches.append(Branch(tip: Tip(number: 0, hash: origin))) }
        append(stored, to: Int(stored.branch))
        return true
    }

    private mutating func append(_ stored: StoredRun, to branch: Int) {
        branches[branch].runs.append(stored)
        branches[branch].extend(to: stored.tip)
        lastArrival = max(lastArrival, stored.arrival)
    }

    /// Ends branches before a run of theirs that was found not to unpack. Returns it and those after it, for the store to
    /// remove; an empty feed is left where that is everything.
    public mutating func leaveOut(from unfit: StoredRun) -> [RunKey] {
        let branch = Int(unfit.branch)
        guard branches.indices.contains(branch),
            let index = branches[branch].runs.firstIndex(where: { $0.run.first == unfit.run.first })
        else { return [] }
        let keys = branches[branch].runs[index...].map(\.key)
        let kept = Array(branches[branch].runs[..<index])
        branches[branch] = Branch(runs: kept, tip: kept.last?.tip ?? Tip(number: 0, hash: origin))
        if branches.allSatisfy(\.runs.isEmpty) { branches = [] }
        return keys
    }

    /// Whether this copy holds the chain that ends in `tip`.
    public func contains(_ tip: Tip) -> Bool {
        tip.number == 0 || branches.indices.contains { hash(at: tip.number, in: $0) == tip.hash }
    }

    /// The chain hash after record `number` of a branch; nil beyond its end.
    func hash(at number: UInt64, in branch: Int) -> ChainHash? {
        if number == 0 { return origin }
        let tip = branches[branch].tip
        if number == tip.number { return tip.hash }
        if let hash = branches[branch].recentHash(at: number) { return hash }
        guard number < tip.number, let index = runIndex(holding: number, in: branch) else { return nil }
        let stored = branches[branch].runs[index]
        let run = stored.run
        if number == run.last { return stored.after }
        guard let records = try? run.records() else { return nil }  // was checked when it was stored
        return FeedChain.hash(after: run.before, records: records.prefix(Int(number - run.first) + 1))
    }

    private func runIndex(holding number: UInt64, in branch: Int) -> Int? {
        let runs = branches[branch].runs
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].run.last < number { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].run.first <= number ? low : nil
    }

    // MARK: Taking runs

    /// Records that are new here, and how the store changes with them.
    public struct Reception: Sendable, Equatable {
        /// The bytes of the new records, in order, with the number of the first.
        public var records = RecordList()
        public var firstNumber: UInt64 = 0
        public var stored: [StoredRun] = []
        /// Whether the run opened another branch.
        public var forked = false
        public var isDuplicate: Bool { stored.isEmpty }
    }

    /// Verifies a run and takes what is new of it. `arrival` is used where anything is.
    public mutating func receive(_ run: Run, arrival: UInt64) throws(ReplicationError) -> Reception {
        guard run.feed == id else { throw .differentHistory }
        let records: RecordList
        do { records = try run.records() } catch { throw .malformed(error) }
        var hashes = [run.before]
        hashes.reserveCapacity(records.count + 1)
        for record in records {
            do { _ = try RecordView(decoding: record) } catch { throw .malformed(error) }
            hashes.append(FeedChain.hash(after: hashes[hashes.count - 1], record: record))
        }
        let end = Tip(number: run.last, hash: hashes[records.count])
        if contains(end) { return Reception() }
        guard let place = attachment(of: run, hashes: hashes) else {
            let tip = mainTip
            if run.first > tip.number + 1 { throw .gap(tip: tip) }
            throw .differentHistory
        }
        guard let key = try? SigningPublicKey(rawBytes: id.device.bytes.array),  // 32 bytes by its type
            key.isValid(run.signature, for: FeedChain.signedBytes(group: group, feed: id, tip: end))
        else { throw .invalidSignature }
        switch place {
        case .extends(let branch, let known):
            return try extend(branch, by: run, records: records, knownCount: known, end: end, arrival: arrival)
        case .forks(let branch, let shared):
            return try fork(branch, at: shared, with: run, records: records, end: end, arrival: arrival)
        }
    }

    private enum Attachment {
        /// The run goes on where a branch ends; `known` of its records are held already.
        case extends(branch: Int, known: Int)
        /// The run leaves a branch after its first `shared` records.
        case forks(branch: Int, shared: UInt64)
    }

    private func attachment(of run: Run, hashes: [ChainHash]) -> Attachment? {
        if branches.isEmpty {
            return run.first == 1 && run.before == origin ? .extends(branch: 0, known: 0) : nil
        }
        var fork: Attachment?
        for branch in branches.indices where hash(at: run.first - 1, in: branch) == run.before {
            let tip = branches[branch].tip
            if tip.number < run.last, tip.number >= run.first - 1 {
                let known = Int(tip.number - (run.first - 1))
                if hashes[known] == tip.hash { return .extends(branch: branch, known: known) }
            }
            fork = fork ?? .forks(branch: branch, shared: run.first - 1)
        }
        return fork
    }

    private mutating func extend(
        _ branch: Int, by run: Run, records: RecordList, knownCount: Int, end: Tip, arrival: UInt64
    ) throws(ReplicationError) -> Reception {
        if branches.isEmpty { branches.append(Branch(tip: Tip(number: 0, hash: origin))) }
        let tip = branches[branch].tip
        let fresh = knownCount == 0 ? records : RecordList(records.dropFirst(knownCount))
        let piece =
            knownCount == 0
            ? run
            : Run(feed: id, first: tip.number + 1, before: tip.hash, signature: run.signature, records: fresh)
        // What is stored has to fit into a message again.
        guard piece.packed.count <= ProtocolLimits.maximumRunSize else { throw .limitReached }
        let stored = StoredRun(
            group: group, branch: UInt8(branch), run: piece, after: end.hash, arrival: arrival)
        append(stored, to: branch)
        return Reception(records: fresh, firstNumber: piece.first, stored: [stored])
    }

    private mutating func fork(
        _ branch: Int, at shared: UInt64, with run: Run, records: RecordList, end: Tip, arrival: UInt64
    ) throws(ReplicationError) -> Reception {
        guard branches.count < Self.maximumBranches else { throw .limitReached }
        let new = UInt8(branches.count)
        var copies: [StoredRun] = []
        var joined = records
        var first = run.first
        var before = run.before
        for stored in branches[branch].runs where stored.run.first <= shared {
            if stored.run.last <= shared {
                copies.append(
                    StoredRun(group: group, branch: new, run: stored.run, after: stored.after, arrival: arrival))
                continue
            }
            // The prefix ends inside this run, where there is no signature: its part is packed with the new records.
            let part: RecordList
            do { part = try stored.run.records() } catch { throw .malformed(error) }
            joined = RecordList(part.prefix(Int(shared - stored.run.first) + 1))
            joined.append(contentsOf: records)
            first = stored.run.first
            before = stored.run.before
        }
        // What is stored has to unpack again.
        guard joined.byteCount <= RecordPacking.maximumUnpackedSize else { throw .limitReached }
        let tail = Run(feed: id, first: first, before: before, signature: run.signature, records: joined)
        guard tail.packed.count <= ProtocolLimits.maximumRunSize, tail.count <= Run.maximumCount else {
            throw .limitReached
        }
        copies.append(StoredRun(group: group, branch: new, run: tail, after: end.hash, arrival: arrival))
        branches.append(Branch(runs: copies, tip: end))
        lastArrival = max(lastArrival, arrival)
        return Reception(records: records, firstNumber: run.first, stored: copies, forked: true)
    }

    // MARK: Writing

    /// Signs `records` behind the main branch. The caller owns the device's key and has checked the feed's length.
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

    // MARK: Serving

    /// Runs of every branch that a peer lacks who holds the chain that ends in `tip`, up to about `maximumSize` packed
    /// bytes, and whether that is all.
    public func runs(after tip: Tip, maximumSize: Int) -> (runs: [Run], isComplete: Bool) {
        var chosen: [Run] = []
        var size = 0
        for branch in branches.indices {
            let shared = hash(at: tip.number, in: branch) == tip.hash ? tip.number : 0
            if shared == branches[branch].tip.number { continue }
            let start = runIndex(holding: shared + 1, in: branch) ?? 0
            for stored in branches[branch].runs[start...] {
                if size > 0, size + stored.run.packed.count > maximumSize { return (chosen, false) }
                chosen.append(stored.run)
                size += stored.run.packed.count + 150
            }
        }
        return (chosen, true)
    }
}
