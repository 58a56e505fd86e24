import StreakLinks

/// The session of every link, and what each waits for. There are hundreds of links, and most inputs concern one, so
/// only sessions that may have changed are examined again.
struct SessionTable: Sendable {
    /// What a session waits for.
    private struct Wait {
        var deadline: MonotonicInstant?
        var hasQueued = false
    }

    private var sessions = SortedTable<LinkID, PeerSession>()
    /// Only of sessions that wait for something.
    private var waits: [LinkID: Wait] = [:]
    /// Links whose sessions may have changed or closed.
    private var changed: Set<LinkID> = []
    /// The earliest deadline of any session.
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

    /// Whether a session may have something due.
    func areDue(at now: MonotonicInstant) -> Bool { !changed.isEmpty || deadline.map { $0 <= now } ?? false }

    /// Links whose sessions may have queued messages, ascending.
    var queued: [LinkID] { changed.union(waits.filter(\.value.hasQueued).keys).sorted() }

    /// Works out again what changed sessions wait for.
    mutating func refresh() {
        guard !changed.isEmpty else { return }
        // Each link is updated alone, so the order does not matter.
        for link in changed { waits[link] = Self.wait(of: sessions[link]) }
        changed = []
        deadline = waits.values.lazy.compactMap(\.deadline).min()
    }

    /// What a session waits for; nil if nothing.
    private static func wait(of session: PeerSession?) -> Wait? {
        guard let session else { return nil }
        let wait = Wait(
            deadline: session.strangerSince?.advanced(by: Greeting.strangerPatience),
            hasQueued: !session.sending.isEmpty)
        return wait.deadline == nil && !wait.hasQueued ? nil : wait
    }
}
