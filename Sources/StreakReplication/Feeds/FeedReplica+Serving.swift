import StreakWire

/// What one device asks another for of a feed.
public struct RunsWanted: Hashable, Sendable {
    public let feed: FeedID
    /// Where the asker's copy stands: its tip; of a forked feed several points of each branch, so that the other finds
    /// where theirs leaves them. None where it has nothing.
    public let held: [Tip]
    /// The numbers of the records that are wanted; nil for all behind what is held.
    public let numbers: ClosedRange<UInt64>?

    public init(feed: FeedID, held: [Tip], numbers: ClosedRange<UInt64>? = nil) {
        self.feed = feed
        self.held = held
        self.numbers = numbers
    }
}

extension FeedReplica {
    /// The tip of each branch, then ends of its runs further and further back: from where somebody may have gone on who
    /// has another branch. At most 24 a branch.
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

    /// Runs of every branch that somebody lacks who holds the chains that end in `wanted.held`, up to about `maximumSize`
    /// packed bytes, and whether that is all. What branches share is sent once.
    ///
    /// A beginning without a signature goes right before the run that covers it, where no other branch sent has it.
    ///
    /// - Parameters:
    ///   - only: the one branch to look at; nil for all.
    ///   - comparisons: how many more points inside a run may be compared: each is a look at all of its records. Where they
    ///     do not suffice to find where somebody's copy leaves a branch, that one is left for another time.
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
        // Rather what is held already than never anything.
        if let postponed, portion.runs.isEmpty {
            append(wanted, of: postponed, behind: 0, besides: sent, to: &portion, comparisons: &comparisons)
        }
        return (portion.runs, postponed == nil && !portion.isFull)
    }

    /// What goes into one answer.
    private struct Portion {
        /// What a run takes beside its packed records, in bytes: feed, numbers, hashes and signature; rounded up.
        private static let overhead = 150

        let maximumSize: Int
        private(set) var runs: [Run] = []
        private var size = 0
        private(set) var isFull = false

        init(maximumSize: Int) { self.maximumSize = maximumSize }

        /// Adds runs that are of no use one without the other, at least the first ones.
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

    /// Adds the runs of a branch behind record `shared` that are no part of the branches `sent`.
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

    /// The largest number at which somebody who holds the chains that end in `held`, which fall, holds this branch; 0 where
    /// there is none, nil where it would take too long to find out.
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

    /// Whether a run is part of one of some branches, too.
    private func isPart(_ stored: StoredRun, of sent: [Int], comparisons: inout Int) -> Bool {
        for branch in sent {
            guard let index = runIndex(holding: stored.run.last, in: branch) else { continue }
            if branches[branch].runs[index].tip == stored.tip { return true }
            // Where branches part, one has a beginning without a signature and the other the run that covers it.
            guard stored.run.isUnsigned, comparisons > 0 else { continue }
            comparisons -= 1
            if hash(at: stored.run.last, in: branch) == stored.after { return true }
        }
        return false
    }
}
