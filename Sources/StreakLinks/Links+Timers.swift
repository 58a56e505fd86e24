import StreakCrypto
import StreakWire

/// Handles deadlines.
extension Links {
    mutating func handleDeadlines(at now: MonotonicInstant, entropy: inout some EntropySource) {
        while let timer = out.timers.popDue(at: now) {
            switch timer {
            case .link(let id): handleLinkDeadline(id, at: now, entropy: &entropy)
            case .dial(let id): handleDialDeadline(id, at: now)
            case .stream(let id): handleStreamDeadline(id, at: now)
            case .answer(let index): sessions.discardAnswer(index, out: &out)
            }
        }
    }

    private mutating func handleLinkDeadline(
        _ id: LinkID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        out.touch(id)
        guard let path = links[id]?.datagrams else { return }
        if path.silenceEnd <= now { return loseDatagrams(of: id, reason: .timedOut, at: now) }
        links[id]?.channel.handleTimeout(at: now)
        if let hello = path.hello {
            if let end = path.helloEnd(limits), end <= now { return abandonSession(hello.session, of: id, at: now) }
            if hello.nextAttempt <= now { sendHello(over: id, at: now) }
        }
        if path.keepaliveDue(limits) <= now { sendDatagram(keepalive(to: path.endpoint, of: id), over: id, at: now) }
        if path.nextLivenessPing <= now {
            links[id]?.datagrams?.notePing(at: now)
            sendDatagram(.ping(randomWord(entropy: &entropy)), over: id, at: now)
        }
        if let end = path.drainingEnd(limits), end <= now { discardDrained(of: id, at: now) }
        renewSession(of: id, at: now, entropy: &entropy)
    }

    private mutating func abandonSession(_ index: UInt32, of id: LinkID, at now: MonotonicInstant) {
        guard links[id]?.datagrams?.abandon(index, at: now) ?? false else {
            return loseDatagrams(of: id, reason: .timedOut, at: now)
        }
        out.touch(id)
    }

    private mutating func discardDrained(of id: LinkID, at now: MonotonicInstant) {
        guard let since = links[id]?.datagrams?.drainingSince else { return }
        let sessions = sessions
        let grace = limits.rekeyGrace
        let dropped =
            links[id]?.datagrams?.drain(
                keeping: { sessions.isUsed($0, since: since, within: grace, at: now) }, at: now) ?? []
        for index in dropped { self.sessions.discard(index) }
    }

    private mutating func renewSession(
        of id: LinkID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard let link = links[id], let path = link.datagrams else { return }
        switch links[id]?.nextRenewalStep(limits, at: now) ?? .none {
        case .none: break
        case .giveUp: loseDatagrams(of: id, reason: .rekeyingFailed, at: now)
        case .dial:
            guard let key = sessions[path.current]?.introduction.key else { return }
            // A link under an invite's key knows its peer now, but handshakes under that key do not name it.
            let target = Dial.Target(
                peer: key.handshake == .member ? link.peer : nil, key: key, endpoint: path.endpoint, rekeys: id)
            let dial = startDial(
                target, usesDatagrams: true, usesStreams: false, manner: .plain, at: now, entropy: &entropy)
            if dials[dial] != nil { links[id]?.beginRenewal(by: dial) }
        }
    }

    // MARK: Streams

    private mutating func handleStreamDeadline(_ id: StreamID, at now: MonotonicInstant) {
        guard let stream = streams[id] else { return }
        defer { streams.schedule(id, out: &out) }
        guard let link = stream.link, !stream.hasSentFinish else {
            if stream.deadline <= now { abortStream(id, failure: .unanswered, at: now) }
            return
        }
        if stream.isDead(limits, at: now) {
            return abortStream(id, failure: .unanswered, reason: .timedOut, at: now)
        }
        if stream.keepaliveDue(limits) <= now {
            streams.send(keepalive(to: stream.endpoint, of: link), on: id, at: now, out: &out)
        }
        if stream.idleCheck <= now { checkUse(of: id, stream, link: link, at: now) }
    }

    /// Closes a stream without messages if datagrams work.
    private mutating func checkUse(of id: StreamID, _ stream: LinkStream, link: LinkID, at now: MonotonicInstant) {
        let isFresh = links[link]?.datagrams?.isFresh(at: now) ?? false
        if stream.idleEnd(limits) <= now, isFresh, links[link]?.sequencer.queuedByteCount == 0 {
            retire(id, of: link, at: now)
            notePathChange(link)
        } else {
            streams.postponeIdleCheck(of: id, at: now)
        }
    }
}
