import StreakLinks
import StreakWire

/// How groups stand on links, by link and group. Only what may be due is looked at: there are hundreds of links, and most of
/// what happens concerns one.
struct SyncPeers: Sendable {
    private var peers: [LinkID: [GroupID: SyncPeer]] = [:]
    /// When the first thing is due on each link, where anything is.
    private var deadlines: [LinkID: MonotonicInstant] = [:]
    /// Links of which that may be another than noted.
    private var changed: Set<LinkID> = []
    /// When the first thing is due on any link.
    private(set) var deadline: MonotonicInstant?

    /// Nil where the two ends have not shown each other that they know the group.
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

    /// Whether any exchange is under way.
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

    /// Works out again what is due, where that may have changed.
    mutating func refresh() {
        guard !changed.isEmpty else { return }
        // Each is noted by itself, and the least of all is the same: any order does.
        for link in changed { deadlines[link] = peers[link]?.values.lazy.compactMap(\.deadline).min() }
        changed = []
        deadline = deadlines.values.min()
    }
}
