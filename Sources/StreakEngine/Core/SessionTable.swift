import StreakLinks

/// What is known of the device at the other end of every link, by link, and what all of it waits for. Only sessions that
/// may have changed are looked at again: there are hundreds of links, and most of what happens concerns one.
struct SessionTable: Sendable {
    /// What a session waits for.
    private struct Wait {
        var deadline: MonotonicInstant?
        var hasQueued = false
    }

    private var sessions = SortedTable<LinkID, PeerSession>()
    /// Of sessions that wait for anything.
    private var waits: [LinkID: Wait] = [:]
    /// Links whose sessions may wait for something else than noted, or are gone.
    private var changed: Set<LinkID> = []
    /// When the first session has something to end.
    private(set) var deadline: MonotonicInstant?

    /// All links, ascending.
    var keys: [LinkID] { sessions.keys }
    /// In the order of `keys`.
    var values: some Collection<PeerSession> { sessions.values }
    var count: Int { sessions.count }

    subscript(link: LinkID) -> PeerSession? {
        _read { yield sessions[link] }
        _modify {
            changed.insert(link)
            yield &sessions[link]
        }
    }

    mutating func removeValue(forKey link: LinkID) -> PeerSession? {
        changed.insert(link)
        return sessions.removeValue(forKey: link)
    }

    /// Whether sessions have to be looked at for what is due.
    func areDue(at now: MonotonicInstant) -> Bool { !changed.isEmpty || deadline.map { $0 <= now } ?? false }

    /// Links whose sessions may have messages that they have not taken yet, ascending.
    var queued: [LinkID] { changed.union(waits.filter(\.value.hasQueued).keys).sorted() }

    /// Works out anew what sessions wait for, where they may have changed.
    mutating func refresh() {
        guard !changed.isEmpty else { return }
        // Each is noted by itself, and the least of all is the same: any order does.
        for link in changed { waits[link] = Self.wait(of: sessions[link]) }
        changed = []
        deadline = waits.values.lazy.compactMap(\.deadline).min()
    }

    /// What a session waits for; nil where that is nothing.
    private static func wait(of session: PeerSession?) -> Wait? {
        guard let session else { return nil }
        let wait = Wait(
            deadline: session.strangerSince?.advanced(by: Greeting.strangerPatience),
            hasQueued: !session.sending.isEmpty)
        return wait.deadline == nil && !wait.hasQueued ? nil : wait
    }
}
