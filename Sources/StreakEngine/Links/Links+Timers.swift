import StreakCrypto
import StreakWire

/// Everything that happens because time passes.
extension Links {
    mutating func handleDeadlines(at now: MonotonicInstant, entropy: inout some EntropySource) {
        while let timer = timers.popDue(at: now) {
            switch timer {
            case .link(let id): handleLinkDeadline(id, at: now, entropy: &entropy)
            case .dial(let id): handleDialDeadline(id, at: now)
            case .stream(let id): handleStreamDeadline(id, at: now)
            case .answer(let index): discardAnswer(index)
            }
        }
    }

    // MARK: Links

    /// When `handleLinkDeadline`, or only `pump`, has something to do.
    func deadline(of id: LinkID) -> MonotonicInstant? {
        guard let link = links[id] else { return nil }
        var deadlines: [MonotonicInstant?] = [link.sequencer.acknowledgementDeadline]
        if let path = link.datagrams {
            deadlines.append(link.channel.nextDeadline)
            deadlines.append(path.lastSent.advanced(by: keepaliveInterval(to: path.endpoint)))
            deadlines.append(nextLivenessPing(of: path))
            deadlines.append(silenceEnd(of: path))
            deadlines.append(path.hello.map { min($0.nextAttempt, end(of: $0)) })
            if !path.draining.isEmpty { deadlines.append(path.drainingSince.advanced(by: limits.rekeyGrace)) }
            if let rekeying = link.rekeying {
                deadlines.append(rekeying.startedAt.advanced(by: limits.rekeyGrace))
                if rekeying.dial == nil { deadlines.append(rekeying.nextAttempt) }
            } else if link.needsRekeying {
                deadlines.append(path.lastSent)
            }
        }
        return deadlines.compactMap { $0 }.min()
    }

    /// When a session whose responder was never heard is given up.
    private func end(of hello: Link.Hello) -> MonotonicInstant {
        hello.startedAt.advanced(by: limits.datagramDialLimit)
    }

    /// When a silent path counts as dead: three keepalives of the peer did not come.
    private func silenceEnd(of path: Link.DatagramPath) -> MonotonicInstant {
        path.lastHeard.advanced(by: path.peerInterval * 3)
    }

    /// After two missed keepalives the peer is asked, several times: on a bad path the third may be lost as well.
    private func nextLivenessPing(of path: Link.DatagramPath) -> MonotonicInstant {
        let first = path.lastHeard.advanced(by: path.peerInterval * 21 / 10)
        guard let last = path.lastPing, last >= first else { return first }
        return last.advanced(by: path.peerInterval / 5)
    }

    private mutating func handleLinkDeadline(
        _ id: LinkID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        touch(id)
        guard let path = links[id]?.datagrams else { return }
        if silenceEnd(of: path) <= now { return loseDatagrams(of: id, reason: .timedOut, at: now) }
        links[id]?.channel.handleTimeout(at: now)
        if let hello = path.hello {
            if end(of: hello) <= now { return abandonSession(hello.session, of: id, at: now) }
            if hello.nextAttempt <= now { sendHello(over: id, at: now) }
        }
        if path.lastSent.advanced(by: keepaliveInterval(to: path.endpoint)) <= now {
            sendDatagram(keepalive(to: path.endpoint, of: id), over: id, at: now)
        }
        if nextLivenessPing(of: path) <= now {
            links[id]?.datagrams?.lastPing = now
            sendDatagram(.ping(randomWord(entropy: &entropy)), over: id, at: now)
        }
        if !path.draining.isEmpty, path.drainingSince.advanced(by: limits.rekeyGrace) <= now {
            discardDrained(of: id, at: now)
        }
        renewSession(of: id, at: now, entropy: &entropy)
    }

    /// Drops the sessions that were replaced long ago, but for those the peer still uses.
    private mutating func discardDrained(of id: LinkID, at now: MonotonicInstant) {
        guard let path = links[id]?.datagrams else { return }
        let used = path.draining.filter { index in
            guard let heard = sessions[index]?.heardAt else { return false }
            return heard > path.drainingSince && heard.duration(to: now) < limits.rekeyGrace
        }
        for index in path.draining where !used.contains(index) { discardSession(index) }
        links[id]?.datagrams?.draining = used
        links[id]?.datagrams?.drainingSince = now
    }

    private mutating func renewSession(
        of id: LinkID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard let link = links[id], let path = link.datagrams else { return }
        if link.needsRekeying, link.rekeying == nil {
            links[id]?.needsRekeying = false
            links[id]?.rekeying = Link.Rekeying(startedAt: now, nextAttempt: now)
        }
        guard let rekeying = links[id]?.rekeying else { return }
        if rekeying.startedAt.advanced(by: limits.rekeyGrace) <= now {
            return loseDatagrams(of: id, reason: .rekeyingFailed, at: now)
        }
        guard rekeying.dial == nil, rekeying.nextAttempt <= now, let session = sessions[path.current] else { return }
        // A link under an invite's key knows its peer by now, but that key opens only handshakes without.
        let knowsPeer = session.introduction.handshake == .member
        let target = Dial.Target(
            peer: knowsPeer ? link.peer : nil, key: session.introduction.key, endpoint: path.endpoint, rekeys: id)
        links[id]?.rekeying?.nextAttempt = now.advanced(by: limits.datagramDialLimit)
        let dial = startDial(target, usesDatagrams: true, usesStreams: false, at: now, entropy: &entropy)
        if dials[dial] != nil { links[id]?.rekeying?.dial = dial }
    }

    // MARK: Streams

    func deadline(ofStream id: StreamID) -> MonotonicInstant? {
        guard let stream = streams[id] else { return nil }
        guard stream.link != nil, !stream.hasSentFinish else { return stream.deadline }
        let deadline = min(
            stream.lastSent.advanced(by: keepaliveInterval(to: stream.endpoint)),
            stream.lastHeard.advanced(by: stream.peerInterval * 3), stream.idleCheck)
        return stallEnd(of: stream).map { min($0, deadline) } ?? deadline
    }

    /// When the rest of a frame is waited for no longer: a length that a bad network changed may ask for bytes that nobody
    /// sends, and all that follows on the stream would be taken for them.
    private func stallEnd(of stream: LinkStream) -> MonotonicInstant? {
        stream.unfinished.map {
            min($0.last.advanced(by: limits.streamStallLimit), $0.since.advanced(by: limits.streamFrameLimit))
        }
    }

    private mutating func handleStreamDeadline(_ id: StreamID, at now: MonotonicInstant) {
        guard let stream = streams[id] else { return }
        defer { timers.schedule(.stream(id), at: deadline(ofStream: id)) }
        guard let link = stream.link, !stream.hasSentFinish else {
            if stream.deadline <= now { abortStream(id, failure: .unanswered, at: now) }
            return
        }
        let isStalled = stallEnd(of: stream).map { $0 <= now } ?? false
        if isStalled || stream.lastHeard.advanced(by: stream.peerInterval * 3) <= now {
            return abortStream(id, failure: .unanswered, reason: .timedOut, at: now)
        }
        if stream.lastSent.advanced(by: keepaliveInterval(to: stream.endpoint)) <= now {
            sendFrame(keepalive(to: stream.endpoint, of: link), on: id, at: now)
        }
        if stream.idleCheck <= now { checkUse(of: id, stream, link: link, at: now) }
    }

    /// A stream without messages goes, if datagrams get through without it.
    private mutating func checkUse(of id: StreamID, _ stream: LinkStream, link: LinkID, at now: MonotonicInstant) {
        let end = stream.lastMessage.advanced(by: limits.streamIdleLimit)
        if end <= now, areDatagramsFresh(on: link, at: now), links[link]?.sequencer.queuedByteCount == 0 {
            retire(id, of: link, at: now)
            notePathChange(link)
        } else {
            streams[id]?.idleCheck = end > now ? end : now.advanced(by: limits.streamIdleLimit)
        }
    }

    /// Whether no keepalive of the peer over datagrams is overdue.
    func areDatagramsFresh(on id: LinkID, at now: MonotonicInstant) -> Bool {
        guard let path = links[id]?.datagrams else { return false }
        return path.lastHeard.duration(to: now) < path.peerInterval * 3 / 2
    }
}
