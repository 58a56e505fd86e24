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
    /// A beginning that no other branch covers any more goes before the run whose signature is for both.
    ///
    /// - Parameters:
    ///   - only: the one branch to look at; nil for all.
    ///   - comparisons: how many more points inside a run may be compared: each is a look at all of its records.
    public func runs(
        _ wanted: RunsWanted, ofBranch only: Int? = nil, maximumSize: Int, comparisons: inout Int
    ) -> (runs: [Run], isComplete: Bool) {
        var chosen: [Run] = []
        var size = 0
        let held = wanted.held.sorted(by: >)
        let candidates = only.map { $0..<($0 + 1) } ?? branches.indices
        for branch in candidates {
            let shared = held.first { isShared($0, in: branch, comparisons: &comparisons) }?.number ?? 0
            let first = max(shared + 1, wanted.numbers?.lowerBound ?? 1)
            guard first <= branches[branch].tip.number, let start = runIndex(holding: first, in: branch) else {
                continue
            }
            let earlier = candidates.lowerBound..<branch
            var pieces: [Run] = []
            for stored in branches[branch].runs[start...] {
                if pieces.isEmpty, let end = wanted.numbers?.upperBound, stored.run.first > end { break }
                if isPart(stored, of: earlier, comparisons: &comparisons) {
                    pieces = []
                    continue
                }
                pieces.append(stored.run)
                if stored.run.isUnsigned { continue }
                let more = pieces.reduce(0) { $0 + $1.packed.count }
                if size > 0, size + more > maximumSize { return (chosen, false) }
                chosen += pieces
                size += more + 150 * pieces.count
                pieces = []
            }
        }
        return (chosen, true)
    }

    private func isShared(_ tip: Tip, in branch: Int, comparisons: inout Int) -> Bool {
        guard tip.number > 0, tip.number <= branches[branch].tip.number else { return false }
        guard let index = runIndex(holding: tip.number, in: branch) else { return false }
        if branches[branch].runs[index].run.last != tip.number {
            guard comparisons > 0 else { return false }
            comparisons -= 1
        }
        return hash(at: tip.number, in: branch) == tip.hash
    }

    /// Whether a run is part of one of the branches `earlier`, too.
    private func isPart(_ stored: StoredRun, of earlier: Range<Int>, comparisons: inout Int) -> Bool {
        for branch in earlier {
            guard let index = runIndex(holding: stored.run.last, in: branch) else { continue }
            if branches[branch].runs[index].tip == stored.tip { return true }
            // Where branches part, one has a beginning without a signature and the other the run that covers it.
            if stored.run.isUnsigned, isShared(stored.tip, in: branch, comparisons: &comparisons) { return true }
        }
        return false
    }
}
