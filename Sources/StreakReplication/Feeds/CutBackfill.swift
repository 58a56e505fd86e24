import StreakWire

/// The chain that leads to a cut, found backwards from the cut.
///
/// A run that ends before the cut does not show whether it leads there. But a chain hash covers everything before it.
/// So a run that passes through a known point of the chain is part of it, no matter who sends it, and the start of that
/// run is the next known point. Found backwards, the chain cannot be faked; a run off the chain costs only itself.
struct CutBackfill: Sendable {
    let cut: Tip
    /// Known points of the chain, falling: the cut, then the beginnings of runs.
    private(set) var points: [Tip]

    /// 2.6 MB; an honest copy of the longest feed has a few hundred runs.
    private static let maximumPoints = 65_536

    init(to cut: Tip) {
        self.cut = cut
        points = [cut]
    }

    /// The earliest known point.
    var start: Tip { points[points.count - 1] }

    /// Whether runs pass through a known point.
    func includes(_ runs: ChainedRuns) -> Bool {
        points.contains { $0.number >= runs.first && runs.hash(at: $0.number) == $0.hash }
    }

    /// Records the starts of runs that pass through the earliest known point. False for any others.
    mutating func extend(by runs: ChainedRuns) -> Bool {
        guard start.number >= runs.first, runs.hash(at: start.number) == start.hash else { return false }
        if points.count >= Self.maximumPoints { points = [cut] }
        points.append(Tip(number: runs.first - 1, hash: runs.before))
        return true
    }

    /// Forgets the points that are held, except the last of them: the runs are asked for from there.
    mutating func removePoints(where isHeld: (Tip) -> Bool) {
        while points.count > 1, isHeld(points[points.count - 2]) { points.removeLast() }
    }
}
