import StreakLinks
import StreakWire

/// The state of each group on each link. There are hundreds of links, and most inputs concern one, so only those that
/// may have something due are examined.
struct SyncPeers: Sendable {
    private var peers: [LinkID: [GroupID: SyncPeer]] = [:]
    /// The earliest deadline of each link that has one.
    private var deadlines: [LinkID: MonotonicInstant] = [:]
    /// Links whose deadline may have changed.
    private var changed: Set<LinkID> = []
    /// The earliest deadline of any link.
    private(set) var deadline: MonotonicInstant?

    /// Nil if the two ends have not both proven to know the group.
    subscript(link: LinkID, group: GroupID) -> SyncPeer? {
        _read { yield peers[link]?[group] }
        _modify {
            var peer = peers[link]?.removeValue(forKey: group)
            changed.insert(link)
            yield &peer
            if let peer { peers[link, default: [:]][group] = peer }
        }
    }

    /// The groups on a link, ascending.
    func groups(on link: LinkID) -> [GroupID] { peers[link]?.keys.sorted() ?? [] }

    /// The links with an exchange about a group that satisfies a condition, ascending.
    func links(of group: GroupID, where isWanted: (SyncRound) -> Bool) -> [LinkID] {
        peers.keys.filter { peers[$0]?[group]?.round.map(isWanted) ?? false }.sorted()
    }

    /// Whether any exchange is in progress.
    var isExchanging: Bool { peers.values.contains { $0.values.contains { $0.round != nil } } }

    mutating func removeAll(on link: LinkID) -> [GroupID: SyncPeer] {
        changed.insert(link)
        return peers.removeValue(forKey: link) ?? [:]
    }

    mutating func removeAll(of group: GroupID) {
        for link in peers.keys.sorted() { self[link, group] = nil }
    }

    /// Links on which something may be due, ascending.
    func due(at now: MonotonicInstant) -> [LinkID] {
        guard !changed.isEmpty || deadline.map({ $0 <= now }) ?? false else { return [] }
        return changed.union(deadlines.filter { $0.value <= now }.keys).sorted()
    }

    /// Works out the deadlines again of links that have changed.
    mutating func refresh() {
        guard !changed.isEmpty else { return }
        // Each link is updated alone, so the order does not matter.
        for link in changed { deadlines[link] = peers[link]?.values.lazy.compactMap(\.deadline).min() }
        changed = []
        deadline = deadlines.values.min()
    }
}
