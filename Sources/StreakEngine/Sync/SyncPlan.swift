import StreakReplication
import StreakWire

/// What to ask one peer for, so that several peers bring different parts and nothing comes twice.
struct SyncPlan: Sendable {
    /// A feed of which a peer has records that are missing here.
    struct Feed: Sendable {
        /// The tip that the peer claims.
        let claimed: FeedTip
        /// What is held: see `RunsWanted.held`.
        let held: [Tip]
        /// The end of the branch that the claim probably continues; nil if the claim is on another branch, or none is
        /// held.
        let own: UInt64?
        /// The backfill to the feed's cut. If there is one, it is asked for instead of everything missing.
        var backfill: RunsWanted?
    }

    /// Records of one request: about as many as fill an answer.
    static let recordsPerRequest: UInt64 = 49_152
    /// If more records than this are missing, the newest are asked for first: this many of each feed.
    static let newestThreshold: UInt64 = 8_192
    static let newestCount: UInt64 = 512
    /// Feeds whose newest runs fit into one answer.
    static let newestPerRequest = 12

    let feeds: [Feed]
    /// Runs of each feed that are here although their predecessors are missing.
    let ahead: AheadRuns
    /// The parts that others are being asked for.
    let taken: [FeedID: [ClosedRange<UInt64>]]

    /// How many records are missing, by the peer's claim.
    var missingCount: UInt64 {
        feeds.reduce(0) { sum, feed in sum + (feed.own.map { feed.claimed.tip.number - $0 } ?? 0) }
    }

    /// The newest records of feeds with much missing, except the feeds in `done`.
    func newest(except done: Set<FeedID>) -> [RunsWanted] {
        let wanted = feeds.filter { feed in
            let (id, last) = (feed.claimed.feed, feed.claimed.tip.number)
            guard let own = feed.own, !done.contains(id), !(taken[id] ?? []).contains(where: { $0.contains(last) })
            else { return false }
            return last - own > Self.newestCount && ahead.trusts(id) && ahead[id].isEmpty
        }
        return wanted.prefix(Self.newestPerRequest).map { feed in
            let last = feed.claimed.tip.number
            return RunsWanted(feed: feed.claimed.feed, held: feed.held, numbers: (last - Self.newestCount + 1)...last)
        }
    }

    /// What to ask for next: parts that nobody else is asked for. Empty if there are none.
    ///
    /// - Parameter repeating: whether to include parts that others are asked for, because they take long.
    func next(limit: Int, repeating: Bool = false) -> [RunsWanted] {
        let others = ahead.size < AheadRuns.maximumSize / 2 ? taken : [:]
        return wanted(limit: limit, besides: repeating ? [:] : others)
    }

    private func wanted(limit: Int, besides taken: [FeedID: [ClosedRange<UInt64>]]) -> [RunsWanted] {
        var wanted: [RunsWanted] = []
        var left = Self.recordsPerRequest
        for feed in feeds {
            guard wanted.count < limit, left > 0 else { break }
            let id = feed.claimed.feed
            if let backfill = feed.backfill {
                wanted.append(backfill)
                continue
            }
            guard let own = feed.own, own < feed.claimed.tip.number else {
                // It is on another branch: the peer finds where that leaves ours.
                wanted.append(RunsWanted(feed: id, held: feed.held))
                continue
            }
            let others = ahead.trusts(id) ? taken[id] ?? [] : []
            let covered = ahead[id].map(\.run.numbers) + others
            for gap in AheadRuns.gaps(in: (own + 1)...feed.claimed.tip.number, between: covered) {
                guard wanted.count < limit, left > 0 else { break }
                let end = gap.upperBound - gap.lowerBound < left ? gap.upperBound : gap.lowerBound + left - 1
                wanted.append(RunsWanted(feed: id, held: feed.held, numbers: gap.lowerBound...end))
                left -= end - gap.lowerBound + 1
            }
        }
        return wanted
    }
}
