import StreakCrypto
import StreakWire

/// Opens and closes links and their paths.
extension Links {
    // MARK: Links

    /// The link that an authenticated session belongs to: the peer's link if both nonces match, else a new link that
    /// replaces it.
    ///
    /// - Returns: nil if the limit of links is reached.
    mutating func joinLink(
        _ introduction: Introduction, endpoint: Endpoint, at now: MonotonicInstant
    ) -> (id: LinkID, isNew: Bool)? {
        if let id = links[introduction.peer], let known = links[id]?.introduction {
            if known.isOfSameLink(as: introduction) { return (id, false) }
            // The other end may be a copy of the device that still runs. It learns immediately that its link is gone.
            sendClose(id, at: now)
            forget(id, reason: .superseded, at: now)
            if known.ownNonce != introduction.ownNonce { cancelDials(nonce: known.ownNonce, at: now) }
        }
        guard links.count < limits.maximumLinks else {
            out.drop(.tooMany)
            return nil
        }
        discardStrayHandshakes(except: introduction)
        let binding = HandshakeMessages.binding(own: staticKey.publicKey, introduction: introduction)
        let id = links.open(introduction, binding: binding, endpoint: endpoint, at: now)
        out.report(
            .opened(
                id, peer: introduction.peer, key: introduction.key, handshakeHash: binding,
                isInitiator: introduction.isInitiator, endpoint: endpoint))
        out.touch(id)
        return (id, true)
    }

    /// Forgets unconfirmed handshakes of a peer that belong to another link. A late packet under them must not bring
    /// the old link back.
    private mutating func discardStrayHandshakes(except introduction: Introduction) {
        sessions.discardAnswers(
            where: {
                $0.peer == introduction.peer
                    && ($0.ownNonce != introduction.ownNonce || $0.peerNonce != introduction.peerNonce)
            }, out: &out)
        streams.discardUnlinked(
            where: {
                guard let other = $0.introduction else { return false }
                return other.peer == introduction.peer && !other.isOfSameLink(as: introduction)
            }, out: &out)
    }

    /// Tells the peer on every path that this side forgets the link.
    mutating func sendClose(_ id: LinkID, at now: MonotonicInstant) {
        guard let link = links[id] else { return }
        if link.datagrams != nil { sendDatagram(.close, over: id, at: now) }
        for stream in link.streams { streams.send(.close, on: stream, at: now, out: &out) }
    }

    /// Drops everything about a link.
    mutating func forget(_ id: LinkID, reason: LinkCloseReason, at now: MonotonicInstant) {
        guard let link = links.remove(id) else { return }
        out.timers.schedule(.link(id), at: nil)
        for index in link.sessions { sessions.discard(index) }
        for stream in link.streams { streams.discard(stream, out: &out) }
        // Attempts under way would bring back a link that only the peer remembers. A superseding link keeps them,
        // because they carry its nonce.
        if reason != .superseded { cancelHandshakes(of: link, at: now) }
        if let dial = link.rekeyingDial { endDatagramAttempt(dial, failure: .unanswered, at: now) }
        out.report(.closed(id, reason))
    }

    private mutating func cancelHandshakes(of link: Link, at now: MonotonicInstant) {
        let nonce = link.introduction.ownNonce
        cancelDials(nonce: nonce, at: now)
        sessions.discardAnswers(where: { $0.ownNonce == nonce }, out: &out)
        streams.discardUnlinked(where: { $0.answeredNonces?.own == nonce }, out: &out)
    }

    /// Handles the loss of one path of a link.
    mutating func noteLostPath(of id: LinkID, reason: LinkCloseReason, at now: MonotonicInstant) {
        guard let link = links[id] else { return }
        if link.hasPath || !link.retiringStreams.isEmpty {
            notePathChange(id)
            out.touch(id)
        } else {
            forget(id, reason: reason, at: now)
        }
    }

    mutating func notePathChange(_ id: LinkID) {
        if let link = links[id] { out.report(.pathChanged(id, via: link.via)) }
    }

    // MARK: Datagram sessions

    /// Adds a session to its link, and opens the link if there is none.
    ///
    /// `isDialled`: the endpoint was dialled, so the link may move there.
    mutating func attachSession(
        _ index: UInt32, endpoint: Endpoint, isDialled: Bool, at now: MonotonicInstant
    ) -> LinkID? {
        guard let introduction = sessions[index]?.introduction else { return nil }
        sessions.confirm(index, out: &out)
        guard let (id, isNew) = joinLink(introduction, endpoint: endpoint, at: now) else {
            sessions.discard(index)
            return nil
        }
        sessions.attach(index, to: id, at: now)
        out.touch(id)
        if let current = links[id]?.datagrams?.current {
            let isPreferred = prefers(index, to: current)
            let taken = links[id]?.take(
                index, isPreferred: isPreferred, dialled: isDialled ? endpoint : nil, at: now)
            for stale in taken?.surplus ?? [] { sessions.discard(stale) }
            if taken?.hasMoved ?? false { notePathChange(id) }
        } else {
            links[id]?.datagrams = DatagramPath(
                endpoint: endpoint, session: index,
                peerInterval: max(limits.localKeepalive, limits.remoteKeepalive), at: now)
            links[id]?.channel.restart(at: now)
            if !isNew { notePathChange(id) }
        }
        return id
    }

    /// Whether to send under the newer of two sessions.
    private func prefers(_ new: UInt32, to current: UInt32) -> Bool {
        guard let newer = sessions[new], let older = sessions[current] else { return true }
        let areSimultaneous = older.createdAt.duration(to: newer.createdAt) < limits.datagramDialLimit
        return newer.introduction.isPreferred(
            to: older.introduction, areSimultaneous: areSimultaneous, own: staticKey.publicKey)
    }

    /// Datagrams no longer get through. Their messages go over a stream, or the link ends.
    mutating func loseDatagrams(of id: LinkID, reason: LinkCloseReason, at now: MonotonicInstant) {
        guard let link = links[id], link.datagrams != nil else { return }
        for index in link.sessions { sessions.discard(index) }
        if let dial = link.rekeyingDial { endDatagramAttempt(dial, failure: .unanswered, at: now) }
        links[id]?.loseDatagrams()
        noteLostPath(of: id, reason: reason, at: now)
    }
}
