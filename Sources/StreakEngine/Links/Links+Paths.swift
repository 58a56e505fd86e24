import StreakCrypto
import StreakWire

/// Opening and closing links, and the paths they consist of.
extension Links {
    // MARK: Links

    /// The link an authenticated session belongs to: that to its peer if both sides' nonces are the link's, else a new
    /// one, which replaces the other.
    ///
    /// - Returns: nil if no more links may be opened.
    mutating func joinLink(
        _ introduction: Introduction, endpoint: Endpoint, at now: MonotonicInstant
    ) -> (id: LinkID, isNew: Bool)? {
        if let id = linkByPeer[introduction.peer], let known = links[id]?.introduction {
            if known.ownNonce == introduction.ownNonce, known.peerNonce == introduction.peerNonce { return (id, false) }
            // Where the other end is a copy of the device that still runs, it learns at once that its link is gone.
            tellClosing(id, at: now)
            forget(id, reason: .superseded, at: now)
            if known.ownNonce != introduction.ownNonce { cancelDials(nonce: known.ownNonce, at: now) }
        }
        guard links.count < limits.maximumLinks else {
            drop(.tooMany)
            return nil
        }
        discardStrayHandshakes(except: introduction)
        let id = newLinkID()
        let binding = HandshakeMessages.binding(own: staticKey.publicKey, introduction: introduction)
        links[id] = Link(id: id, introduction: introduction, binding: binding, endpoint: endpoint, now: now)
        linkByPeer[introduction.peer] = id
        events.append(
            .opened(
                id, peer: introduction.peer, key: introduction.key.label, handshakeHash: binding,
                isInitiator: introduction.isInitiator, endpoint: endpoint))
        touch(id)
        return (id, true)
    }

    /// Forgets unconfirmed handshakes of a peer that would end in another link than this one: a late packet under them
    /// must not bring the old link back.
    private mutating func discardStrayHandshakes(except introduction: Introduction) {
        for index in answers.keys.sorted() {
            guard let answer = answers[index], answer.peer == introduction.peer,
                answer.ownNonce != introduction.ownNonce || answer.peerNonce != introduction.peerNonce
            else { continue }
            discardAnswer(index)
        }
        for id in streams.keys.sorted() {
            guard let stream = streams[id], stream.link == nil, let other = stream.introduction,
                other.peer == introduction.peer,
                other.ownNonce != introduction.ownNonce || other.peerNonce != introduction.peerNonce
            else { continue }
            discardStream(id)
        }
    }

    /// Says on every path that this side forgets the link.
    mutating func tellClosing(_ id: LinkID, at now: MonotonicInstant) {
        guard let link = links[id] else { return }
        if link.datagrams != nil { sendDatagram(.close, over: id, at: now) }
        for stream in link.streams { sendFrame(.close, on: stream, at: now) }
    }

    /// Drops everything about a link.
    mutating func forget(_ id: LinkID, reason: LinkCloseReason, at now: MonotonicInstant) {
        guard let link = links.removeValue(forKey: id) else { return }
        linkByPeer[link.peer] = nil
        timers.schedule(.link(id), at: nil)
        for index in link.sessions { discardSession(index) }
        for stream in link.streams { discardStream(stream) }
        // Attempts under way would bring back a link that only the peer still remembers. A new link that takes this
        // one's place keeps them: they carry its nonce.
        if reason != .superseded { cancelHandshakes(of: link, at: now) }
        if let dial = link.rekeying?.dial { cancelDial(dial, at: now) }
        events.append(.closed(id, reason))
    }

    private mutating func cancelHandshakes(of link: Link, at now: MonotonicInstant) {
        let nonce = link.introduction.ownNonce
        cancelDials(nonce: nonce, at: now)
        for index in answers.keys.sorted() where answers[index]?.ownNonce == nonce { discardAnswer(index) }
        for id in streams.keys.sorted() where streams[id]?.link == nil && streams[id]?.answeredNonces?.own == nonce {
            discardStream(id)
        }
    }

    private mutating func cancelDial(_ id: DialID, at now: MonotonicInstant) {
        endDatagramAttempt(id, failure: .unanswered, at: now)
    }

    /// What to do once a path of a link has gone.
    mutating func noteLostPath(of id: LinkID, reason: LinkCloseReason, at now: MonotonicInstant) {
        guard let link = links[id] else { return }
        if link.hasPath || !link.retiringStreams.isEmpty {
            events.append(.pathChanged(id, via: link.via))
            touch(id)
        } else {
            forget(id, reason: reason, at: now)
        }
    }

    // MARK: Datagram sessions

    /// Joins a session to its link, opening that if need be.
    ///
    /// `isDialled`: the endpoint was dialled, so that the link may move there.
    mutating func attachSession(
        _ index: UInt32, endpoint: Endpoint, isDialled: Bool, at now: MonotonicInstant
    ) -> LinkID? {
        guard let introduction = sessions[index]?.introduction else { return nil }
        // The answer is confirmed; its tag stays known with the session.
        if answers.removeValue(forKey: index) != nil { timers.schedule(.answer(index), at: nil) }
        guard let (id, isNew) = joinLink(introduction, endpoint: endpoint, at: now) else {
            discardSession(index)
            return nil
        }
        sessions[index]?.link = id
        sessions[index]?.heardAt = now
        touch(id)
        guard let path = links[id]?.datagrams else {
            links[id]?.datagrams = Link.DatagramPath(
                endpoint: endpoint, current: index, drainingSince: now, lastSent: now, lastHeard: now,
                peerInterval: max(limits.localKeepalive, limits.remoteKeepalive))
            links[id]?.channel.restart(at: now)
            if !isNew { notePathChange(id) }
            return id
        }
        supersede(path, by: index, of: id, dialled: isDialled ? endpoint : nil, at: now)
        return id
    }

    private mutating func supersede(
        _ path: Link.DatagramPath, by index: UInt32, of id: LinkID, dialled: Endpoint?, at now: MonotonicInstant
    ) {
        var path = path
        let wasFresh = areDatagramsFresh(on: id, at: now)
        if prefers(index, to: path.current) {
            path.draining.append(path.current)
            path.current = index
            path.abandoned = nil
            links[id]?.needsRekeying = false
            if links[id]?.rekeying?.dial == nil { links[id]?.rekeying = nil }
        } else {
            path.draining.append(index)
        }
        path.drainingSince = now
        path.lastHeard = now
        let surplus = path.draining.prefix(max(0, path.draining.count - 3))
        path.draining.removeFirst(surplus.count)
        // An answer to our own dial shows that the address is reached; a responder waits for the pong (roaming). A
        // local address that works is not given up for another.
        var hasMoved = false
        if let dialled, dialled != path.endpoint, dialled.isLocal || !path.endpoint.isLocal || !wasFresh {
            path.endpoint = dialled
            hasMoved = true
        }
        links[id]?.datagrams = path
        for stale in surplus { discardSession(stale) }
        if hasMoved { notePathChange(id) }
    }

    /// Whether to send under the newer of two sessions. If both sides dialled at once it is the one the smaller key
    /// opened, so that both sides choose the same.
    private func prefers(_ new: UInt32, to current: UInt32) -> Bool {
        guard let newer = sessions[new], let older = sessions[current] else { return true }
        let areSimultaneous = older.createdAt.duration(to: newer.createdAt) < limits.datagramDialLimit
        return Self.prefers(
            newer.introduction, to: older.introduction, areSimultaneous: areSimultaneous, own: staticKey.publicKey)
    }

    static func prefers(
        _ newer: Introduction, to older: Introduction, areSimultaneous: Bool, own: AgreementPublicKey
    ) -> Bool {
        guard areSimultaneous, newer.isInitiator != older.isInitiator else { return true }
        return newer.isInitiator == (own < newer.peer)
    }

    mutating func discardSession(_ index: UInt32) {
        guard let session = sessions.removeValue(forKey: index) else { return }
        if let tag = session.answeredTag { forget(answeredTag: tag) }
    }

    /// Goes back from the newest session, under which its responder was not heard, to the one before it. What comes under the
    /// newest is still read: the responder may send under it, while only what it has sent so far was lost.
    mutating func abandonSession(_ index: UInt32, of id: LinkID, at now: MonotonicInstant) {
        guard var path = links[id]?.datagrams else { return }
        path.hello = nil
        if path.current == index {
            guard let previous = path.draining.popLast() else {
                return loseDatagrams(of: id, reason: .timedOut, at: now)
            }
            path.current = previous
            path.draining.append(index)
            path.abandoned = index
        }
        path.drainingSince = now
        links[id]?.datagrams = path
        touch(id)
    }

    /// The responder of a session that was given up is heard under it: both send under it from now on.
    mutating func resumeSession(_ index: UInt32, of id: LinkID, at now: MonotonicInstant) {
        guard var path = links[id]?.datagrams else { return }
        path.abandoned = nil
        path.draining.removeAll { $0 == index }
        path.draining.append(path.current)
        path.current = index
        path.drainingSince = now
        links[id]?.datagrams = path
    }

    /// Datagrams no longer get through: what they carried goes over a stream, or the link ends.
    mutating func loseDatagrams(of id: LinkID, reason: LinkCloseReason, at now: MonotonicInstant) {
        guard let link = links[id], link.datagrams != nil else { return }
        for index in link.sessions { discardSession(index) }
        if let dial = link.rekeying?.dial { cancelDial(dial, at: now) }
        links[id]?.datagrams = nil
        links[id]?.rekeying = nil
        links[id]?.needsRekeying = false
        links[id]?.sequencer.recall(from: .channel)
        noteLostPath(of: id, reason: reason, at: now)
    }

    mutating func notePathChange(_ id: LinkID) {
        guard let link = links[id] else { return }
        events.append(.pathChanged(id, via: link.via))
    }
}
