/// What is known of the device at the other end of every link, and what all of it together waits for: that is worked out
/// once after a change, because a rumour changes nothing here, and there are hundreds of links.
struct SessionTable: Sendable {
    private var sessions: [LinkID: PeerSession] = [:]
    /// When the first session has something to end.
    private(set) var deadline: MonotonicInstant?
    private var haveQueued = false
    /// Whether a session may have changed since these were worked out.
    private var isStale = false

    var keys: Dictionary<LinkID, PeerSession>.Keys { sessions.keys }
    var values: Dictionary<LinkID, PeerSession>.Values { sessions.values }
    var count: Int { sessions.count }

    subscript(link: LinkID) -> PeerSession? {
        get { sessions[link] }
        // In place: a session is large.
        _modify {
            isStale = true
            yield &sessions[link]
        }
    }

    mutating func removeValue(forKey link: LinkID) -> PeerSession? {
        isStale = true
        return sessions.removeValue(forKey: link)
    }

    /// Whether sessions have to be looked at for what is due.
    func areDue(at now: MonotonicInstant) -> Bool { isStale || deadline.map { $0 <= now } ?? false }

    /// Whether any may have messages that its link has not taken yet.
    var mayHaveQueued: Bool { isStale || haveQueued }

    /// Works out anew what sessions wait for, where one may have changed.
    mutating func refresh() {
        guard isStale else { return }
        isStale = false
        haveQueued = false
        var candidates: [MonotonicInstant?] = []
        // The least of all is the same in any order.
        for session in sessions.values {
            haveQueued = haveQueued || !session.sending.isEmpty
            candidates.append(session.strangerSince?.advanced(by: MeshEngine.strangerPatience))
            // In any order, as above.
            for group in session.groups.values { candidates += [group.round?.deadline, group.resumption?.at] }
        }
        deadline = candidates.compactMap { $0 }.min()
    }
}
