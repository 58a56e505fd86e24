import StreakWire

/// What one device asks another for, of one feed.
public struct RunsWanted: Hashable, Sendable {
    public let feed: FeedID
    /// Points of the asker's copy: its tip or, of a forked feed, several points of each branch, so that the other
    /// device finds where its branch leaves them. Empty if the asker holds nothing.
    public let held: [Tip]
    /// The numbers of the wanted records; nil for all after what is held.
    public let numbers: ClosedRange<UInt64>?

    public init(feed: FeedID, held: [Tip], numbers: ClosedRange<UInt64>? = nil) {
        self.feed = feed
        self.held = held
        self.numbers = numbers
    }
}

extension FeedReplica {
    /// The tip of each branch, then ends of its runs further and further back: points at which another copy may leave
    /// the branch. At most 24 for each branch.
    public var locator: [Tip] {
        var points: [Tip] = []
        for branch in branches {
            var distance = 1
            var index = branch.runs.count - 1
            while index >= 0, let end = branch.runs.indices.contains(index) ? branch.runs[index].tip : nil {
                if !points.contains(end) { points.append(end) }
                index -= distance
                distance *= 2
            }
        }
        return points.sorted(by: >)
    }

    /// Runs of every branch that an asker lacks who holds the chains ending in `wanted.held`, up to about `maximumSize`
    /// packed bytes, and whether they are complete. What branches share is sent once.
    ///
    /// An unsigned beginning goes right before the run that covers it, if no other branch in the answer contains it.
    ///
    /// - Parameters:
    ///   - only: the one branch to look at; nil for all.
    ///   - comparisons: how many more points inside a run may be compared. Each comparison reads all of its
    ///     records. If there are too few to find where the asker's copy leaves a branch, that branch is sent another
    ///     time.
    public func runs(
        _ wanted: RunsWanted, ofBranch only: Int? = nil, maximumSize: Int, comparisons: inout Int
    ) -> (runs: [Run], isComplete: Bool) {
        var portion = Portion(maximumSize: maximumSize)
        var sent: [Int] = []
        var postponed: Int?
        let held = wanted.held.sorted(by: >)
        for branch in only.map({ $0..<($0 + 1) }) ?? branches.indices {
            guard let shared = shared(held, in: branch, comparisons: &comparisons) else {
                postponed = postponed ?? branch
                continue
            }
            append(wanted, of: branch, behind: shared, besides: sent, to: &portion, comparisons: &comparisons)
            if portion.isFull { return (portion.runs, false) }
            sent.append(branch)
        }
        // It is better to send what may be held already than nothing.
        if let postponed, portion.runs.isEmpty {
            append(wanted, of: postponed, behind: 0, besides: sent, to: &portion, comparisons: &comparisons)
        }
        return (portion.runs, postponed == nil && !portion.isFull)
    }

    /// The content of one answer.
    private struct Portion {
        /// The bytes of a run besides its packed records: feed, numbers, hashes and signature; rounded up.
        private static let overhead = 150

        let maximumSize: Int
        private(set) var runs: [Run] = []
        private var size = 0
        private(set) var isFull = false

        init(maximumSize: Int) { self.maximumSize = maximumSize }

        /// Adds runs that are useless without each other, at least the first ones.
        mutating func append(_ more: [Run]) {
            let weight = more.reduce(0) { $0 + $1.packed.count }
            guard size == 0 || size + weight <= maximumSize else {
                isFull = true
                return
            }
            runs += more
            size += weight + Self.overhead * more.count
        }
    }

    /// Adds the runs of a branch after record `shared` that are not part of the branches `sent`.
    private func append(
        _ wanted: RunsWanted, of branch: Int, behind shared: UInt64, besides sent: [Int], to portion: inout Portion,
        comparisons: inout Int
    ) {
        let first = max(shared + 1, wanted.numbers?.lowerBound ?? 1)
        guard first <= branches[branch].tip.number, let start = runIndex(holding: first, in: branch) else { return }
        var pieces: [Run] = []
        for stored in branches[branch].runs[start...] {
            if pieces.isEmpty, let end = wanted.numbers?.upperBound, stored.run.first > end { return }
            if isPart(stored, of: sent, comparisons: &comparisons) {
                pieces = []
                continue
            }
            pieces.append(stored.run)
            if stored.run.isUnsigned { continue }
            portion.append(pieces)
            if portion.isFull { return }
            pieces = []
        }
    }

    /// Points inside runs that are compared for one branch.
    private static let comparisonsPerBranch = 32

    /// The largest number at which an asker who holds the chains ending in `held`, falling, holds this branch; 0 if
    /// there is none, nil if finding out would take too long.
    private func shared(_ held: [Tip], in branch: Int, comparisons: inout Int) -> UInt64? {
        var left = min(comparisons, Self.comparisonsPerBranch)
        var isCertain = true
        for tip in held where tip.number > 0 && tip.number <= branches[branch].tip.number {
            guard let index = runIndex(holding: tip.number, in: branch) else { continue }
            if branches[branch].runs[index].run.last != tip.number {
                guard left > 0 else {
                    isCertain = false
                    continue
                }
                left -= 1
                comparisons -= 1
            }
            if hash(at: tip.number, in: branch) == tip.hash { return tip.number }
        }
        return isCertain ? 0 : nil
    }

    /// Whether a run is also part of one of these branches.
    private func isPart(_ stored: StoredRun, of sent: [Int], comparisons: inout Int) -> Bool {
        for branch in sent {
            guard let index = runIndex(holding: stored.run.last, in: branch) else { continue }
            if branches[branch].runs[index].tip == stored.tip { return true }
            // Where branches part, one has an unsigned beginning and the other the run that covers it.
            guard stored.run.isUnsigned, comparisons > 0 else { continue }
            comparisons -= 1
            if hash(at: stored.run.last, in: branch) == stored.after { return true }
        }
        return false
    }
}

extension FeedReplica {
    /// The most records of one letter, so that making it costs little.
    private static let maximumInLetter = 256

    /// The newest records of the main branch as one run, as many as fit; nil where not even the last one does.
    ///
    /// - Parameter maximumSize: bytes of the encoded run.
    public func newest(upTo maximumSize: Int) -> Run? {
        guard let branch = branches.first, let last = branch.runs.last?.run, !last.isUnsigned else { return nil }
        var records = RecordList()
        for stored in branch.runs.reversed() where records.count < Self.maximumInLetter {
            // Checked when it was stored.
            guard let more = try? stored.run.records() else { break }
            records = RecordList(more.suffix(Self.maximumInLetter - records.count) + Array(records))
        }
        func run(of count: Int) -> Run? {
            let first = last.last + 1 - UInt64(count)
            guard let before = hash(at: first - 1, in: branch) else { return nil }
            let run = Run(
                feed: id, first: first, before: before, signature: last.signature, records: records.suffix(count))
            var writer = WireWriter()
            run.encode(into: &writer)
            return writer.bytes.count <= maximumSize ? run : nil
        }
        // The most that fit, by halving.
        var best: Run?
        var (low, high) = (1, records.count)
        while low <= high {
            let middle = (low + high) / 2
            if let fitting = run(of: middle) {
                best = fitting
                low = middle + 1
            } else {
                high = middle - 1
            }
        }
        return best
    }
}
