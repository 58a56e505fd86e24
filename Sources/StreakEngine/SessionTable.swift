/// What is known of the device at the other end of every link, by link, and what all of it waits for. Only sessions that
/// may have changed are looked at again: there are hundreds of links, and most of what happens concerns one.
struct SessionTable: Sendable {
    /// What a session waits for.
    private struct Wait {
        var deadline: MonotonicInstant?
        var hasQueued = false
    }

    /// All links, ascending.
    private(set) var keys: [LinkID] = []
    /// In the order of `keys`. Never nil but while one is put in or taken out; optional, so that it is changed in place.
    private var sessions: [PeerSession?] = []
    private var waits: [Wait] = []
    /// Links whose sessions may wait for something else than noted.
    private var changed: Set<LinkID> = []
    /// Whether a session that may have waited for something is gone.
    private var isReduced = false
    /// When the first session has something to end.
    private(set) var deadline: MonotonicInstant?

    /// In the order of `keys`.
    var values: some Sequence<PeerSession> { sessions.lazy.compactMap { $0 } }
    var count: Int { keys.count }

    subscript(link: LinkID) -> PeerSession? {
        _read {
            if let index = index(of: link) { yield sessions[index] } else { yield nil }
        }
        _modify {
            changed.insert(link)
            let index = place(of: link)
            if index == keys.count || keys[index] != link {
                keys.insert(link, at: index)
                sessions.insert(nil, at: index)
                waits.insert(Wait(), at: index)
            }
            defer { if sessions[index] == nil { remove(at: index) } }
            yield &sessions[index]
        }
    }

    mutating func removeValue(forKey link: LinkID) -> PeerSession? {
        guard let index = index(of: link) else { return nil }
        let session = sessions[index]
        remove(at: index)
        return session
    }

    /// Whether sessions have to be looked at for what is due.
    func areDue(at now: MonotonicInstant) -> Bool { !changed.isEmpty || deadline.map { $0 <= now } ?? false }

    /// Links whose sessions may have messages that they have not taken yet, ascending.
    var queued: [LinkID] {
        keys.indices.filter { waits[$0].hasQueued || changed.contains(keys[$0]) }.map { keys[$0] }
    }

    /// Works out anew what sessions wait for, where they may have changed.
    mutating func refresh() {
        guard !changed.isEmpty || isReduced else { return }
        // Each is noted by itself: any order does.
        for link in changed {
            if let index = index(of: link) { waits[index] = Self.wait(of: sessions[index]) }
        }
        changed = []
        isReduced = false
        deadline = waits.lazy.compactMap(\.deadline).min()
    }

    private static func wait(of session: PeerSession?) -> Wait {
        guard let session else { return Wait() }
        var candidates = [session.strangerSince?.advanced(by: MeshEngine.strangerPatience)]
        // The least of all is the same in any order.
        for group in session.groups.values { candidates += [group.round?.deadline, group.resumption?.at] }
        return Wait(deadline: candidates.compactMap { $0 }.min(), hasQueued: !session.sending.isEmpty)
    }

    private func index(of link: LinkID) -> Int? {
        let index = place(of: link)
        return index < keys.count && keys[index] == link ? index : nil
    }

    /// Where a link stands, or would stand.
    private func place(of link: LinkID) -> Int {
        var range = keys.startIndex..<keys.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = keys[middle] < link ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private mutating func remove(at index: Int) {
        keys.remove(at: index)
        sessions.remove(at: index)
        waits.remove(at: index)
        isReduced = true
    }
}
