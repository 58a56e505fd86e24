import StreakWire
import Synchronization

/// What counts of cut feeds, as it was found last. Finding it may unpack two runs of every branch, and every change in a
/// group asks for all of them.
///
/// An entry follows from its cut and the branches' ends alone, so copies of a group share the cache.
final class CutTipsCache: Sendable {
    private struct Entry: Sendable {
        let cut: Tip
        /// Where the branches end, in their order: a chain hash stands for all that precedes it.
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
