import StreakCrypto
import StreakWire

/// The initiator's side of handshakes.
extension Links {
    mutating func startDial(
        _ target: Dial.Target, usesDatagrams: Bool, usesStreams: Bool, at now: MonotonicInstant,
        entropy: inout some EntropySource
    ) -> DialID {
        let id = newDialID()
        var dial = Dial(id: id, target: target, ownNonce: nonce(for: target, entropy: &entropy))
        let isOwnDevice = target.peer == staticKey.publicKey
        let isKnown = target.peer.map { linkByPeer[$0] != nil } ?? false
        if isOwnDevice {
            dial.failure = .ownDevice
        } else if dials.count >= limits.maximumDials || (links.count >= limits.maximumLinks && !isKnown) {
            dial.failure = .tooMany
        } else {
            if usesDatagrams { beginDatagramAttempt(&dial, at: now, entropy: &entropy) }
            if usesStreams { beginStreamAttempt(&dial, at: now) }
        }
        dials[id] = dial
        concludeDial(id, at: now)
        return id
    }

    private mutating func beginDatagramAttempt(
        _ dial: inout Dial, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        let index = newIndex(entropy: &entropy)
        let target = dial.target
        do {
            let (handshake, packet) = try HandshakeMessages.initiate(
                target, staticKey: staticKey, nonce: dial.ownNonce, senderIndex: index, transport: .datagram,
                entropy: &entropy)
            let next = now.advanced(by: Dial.firstRepetition)
            dial.datagram = Dial.DatagramAttempt(
                handshake: handshake, packet: packet, localIndex: index, startedAt: now, nextAttempt: next)
            dialByIndex[index] = dial.id
            outputs.append(.sendDatagram(packet, to: target.endpoint))
            timers.schedule(.dial(dial.id), at: next)
        } catch {
            // The peer's key is of low order: nobody can answer for it.
            dial.failure = .handshakeFailed
        }
    }

    private mutating func beginStreamAttempt(_ dial: inout Dial, at now: MonotonicInstant) {
        guard countedStreams < limits.maximumStreams else {
            dial.failure = .tooMany
            return
        }
        let id = newStreamID()
        dial.stream = id
        let deadline = now.advanced(by: limits.streamHandshakeLimit)
        streams[id] = LinkStream(
            endpoint: dial.target.endpoint, isDialled: true, phase: .connecting(dial.id), deadline: deadline, now: now)
        timers.schedule(.stream(id), at: deadline)
        outputs.append(.openStream(id, to: dial.target.endpoint))
    }

    /// The nonce this side gives the link to that peer: the link's own if there is one, else what a handshake already
    /// under way with it gave, else a fresh one. So all handshakes that run at once end in one link.
    private func nonce(for target: Dial.Target, entropy: inout some EntropySource) -> LinkNonce {
        if let id = target.rekeys, let link = links[id] { return link.introduction.ownNonce }
        if let peer = target.peer { return nonce(forPeer: peer, entropy: &entropy) }
        for id in dials.keys.sorted() {
            if let dial = dials[id], dial.target.peer == nil, dial.target.key == target.key { return dial.ownNonce }
        }
        return freshNonce(entropy: &entropy)
    }

    func nonce(forPeer peer: AgreementPublicKey, entropy: inout some EntropySource) -> LinkNonce {
        if let id = linkByPeer[peer], let link = links[id] { return link.introduction.ownNonce }
        for id in dials.keys.sorted() {
            if let dial = dials[id], dial.target.peer == peer { return dial.ownNonce }
        }
        for index in answers.keys.sorted() {
            if let answer = answers[index], answer.peer == peer { return answer.ownNonce }
        }
        for id in streams.keys.sorted() {
            if let introduction = streams[id]?.introduction, introduction.peer == peer { return introduction.ownNonce }
        }
        return freshNonce(entropy: &entropy)
    }

    func freshNonce(entropy: inout some EntropySource) -> LinkNonce {
        LinkNonce(randomWord(entropy: &entropy), randomWord(entropy: &entropy))
    }

    // MARK: Responses

    mutating func receiveResponse(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard packet.count >= HandshakeMessages.responseHeaderSize else { return drop(.malformed) }
        let index = HandshakeMessages.index(in: packet, at: 1)
        guard let id = dialByIndex[index], let dial = dials[id], let attempt = dial.datagram else {
            return drop(.unknownSession)
        }
        // Asked about already: the answer is the same, or somebody else's.
        guard dial.heldResponse == nil else { return }
        do throws(DropReasonError) {
            if dial.target.handshake == .friend,
                try !isApproved(dial, handshake: attempt.handshake, response: packet)
            {
                dials[id]?.heldResponse = packet
                return
            }
        } catch {
            return drop(error.reason)
        }
        guard let answer = HandshakeMessages.finish(attempt.handshake, of: dial.target.handshake, response: packet),
            let introduction = introduction(from: answer, dial: dial)
        else { return drop(.handshakeFailed) }
        guard introduction.peer != staticKey.publicKey else {
            return endDatagramAttempt(id, failure: .ownDevice, at: now)
        }
        guard let keys = try? answer.handshake.transportKeys() else {
            // Only an incomplete handshake has none, and `finish` completed it.
            return drop(.handshakeFailed)
        }
        endDatagramAttempt(id, failure: nil, at: now)
        sessions[index] = DatagramSession(
            localIndex: index, remoteIndex: answer.remoteIndex, keys: keys, introduction: introduction,
            createdAt: now, answeredTag: nil)
        let isMove = dial.target.rekeys == nil
        guard let link = attachSession(index, endpoint: dial.target.endpoint, isDialled: isMove, at: now) else {
            return
        }
        if attempt.attempts == 1 { links[link]?.channel.addRoundTrip(attempt.startedAt.duration(to: now)) }
        let hello = Link.Hello(
            session: index, final: answer.final, token: randomWord(entropy: &entropy), startedAt: now, nextAttempt: now)
        links[link]?.datagrams?.hello = hello
        sendHello(over: link, at: now)
        sendDatagram(keepalive(to: dial.target.endpoint, of: link), over: link, at: now)
    }

    func introduction(
        from answer: (handshake: NoiseHandshake, nonce: LinkNonce, remoteIndex: UInt32, final: [UInt8]?), dial: Dial
    ) -> Introduction? {
        guard let peer = answer.handshake.remoteStaticKey else { return nil }
        return Introduction(
            peer: peer, key: dial.target.key, handshake: dial.target.handshake, ownNonce: dial.ownNonce,
            peerNonce: answer.nonce, isInitiator: true)
    }

    /// Repeats the final message and a ping until the responder is heard under the new session.
    mutating func sendHello(over id: LinkID, at now: MonotonicInstant) {
        guard let path = links[id]?.datagrams, var hello = path.hello else { return }
        // At a steady pace: the response has shown that the way is there, and the responder may count on this session already.
        hello.nextAttempt = now.advanced(by: Dial.firstRepetition)
        links[id]?.datagrams?.hello = hello
        if let final = hello.final { outputs.append(.sendDatagram(final, to: path.endpoint)) }
        sendDatagram(.ping(hello.token), over: id, under: hello.session, at: now)
    }

    // MARK: Ends

    mutating func handleDialDeadline(_ id: DialID, at now: MonotonicInstant) {
        guard var attempt = dials[id]?.datagram, let endpoint = dials[id]?.target.endpoint else { return }
        let end = attempt.startedAt.advanced(by: limits.datagramDialLimit)
        guard now < end else { return endDatagramAttempt(id, failure: .unanswered, at: now) }
        if attempt.nextAttempt <= now {
            outputs.append(.sendDatagram(attempt.packet, to: endpoint))
            attempt.nextAttempt = now.advanced(by: Dial.firstRepetition * (1 << min(attempt.attempts, 8)))
            attempt.attempts += 1
            dials[id]?.datagram = attempt
        }
        timers.schedule(.dial(id), at: min(end, attempt.nextAttempt))
    }

    mutating func endDatagramAttempt(_ id: DialID, failure: DialFailure?, at now: MonotonicInstant) {
        guard let attempt = dials[id]?.datagram else { return }
        dialByIndex[attempt.localIndex] = nil
        timers.schedule(.dial(id), at: nil)
        dials[id]?.datagram = nil
        noteEnd(of: id, failure: failure, at: now)
    }

    mutating func endStreamAttempt(_ id: DialID, failure: DialFailure?, at now: MonotonicInstant) {
        guard dials[id]?.stream != nil else { return }
        dials[id]?.stream = nil
        noteEnd(of: id, failure: failure, at: now)
    }

    private mutating func noteEnd(of id: DialID, failure: DialFailure?, at now: MonotonicInstant) {
        if let failure {
            if failure != .unanswered { dials[id]?.failure = failure }
        } else {
            dials[id]?.hasSucceeded = true
        }
        concludeDial(id, at: now)
    }

    /// Forgets a dial once all its attempts are over.
    private mutating func concludeDial(_ id: DialID, at now: MonotonicInstant) {
        guard let dial = dials[id], dial.isOver else { return }
        dials[id] = nil
        if let link = dial.target.rekeys {
            if links[link]?.rekeying?.dial == id {
                links[link]?.rekeying?.dial = nil
                links[link]?.rekeying?.nextAttempt = now.advanced(by: limits.datagramDialLimit)
                touch(link)
            }
        } else if !dial.hasSucceeded {
            events.append(
                .dialFailed(id, peer: dial.target.peer, endpoint: dial.target.endpoint, reason: dial.failure))
        }
    }

    /// Gives up every dial that would join a link with this nonce.
    mutating func cancelDials(nonce: LinkNonce, at now: MonotonicInstant) {
        for id in dials.keys.sorted() where dials[id]?.ownNonce == nonce {
            if let stream = dials[id]?.stream { discardStream(stream) }
            endStreamAttempt(id, failure: .unanswered, at: now)
            endDatagramAttempt(id, failure: .unanswered, at: now)
        }
    }
}
