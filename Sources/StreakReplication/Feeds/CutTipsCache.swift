import StreakWire
import Synchronization

/// The counting tips of cut feeds, as last computed. Computing them may unpack two runs of every branch, and every
/// change in a group needs all of them.
///
/// An entry follows from its cut and the branches' ends alone, so copies of a group share the cache.
final class CutTipsCache: Sendable {
    private struct Entry: Sendable {
        let cut: Tip
        /// The ends of the branches, in their order. A chain hash stands for everything before it.
        let ends: [Tip]
        let tips: [Tip]
    }

    private let entries = Mutex<[FeedID: Entry]>([:])

    func tips(of feed: FeedReplica, through cut: Tip) -> [Tip] {
        let ends = feed.branches.map(\.tip)
        return entries.withLock { entries in
            if let entry = entries[feed.id], entry.cut == cut, entry.ends == ends { return entry.tips }
            let tips = feed.countingTips(through: cut)
            entries[feed.id] = Entry(cut: cut, ends: ends, tips: tips)
            return tips
        }
    }

    func forget(_ feed: FeedID) { entries.withLock { $0[feed] = nil } }
}
