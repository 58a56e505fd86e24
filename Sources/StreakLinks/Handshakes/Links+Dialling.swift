public import StreakCrypto
import StreakWire

/// The initiator's side of handshakes.
extension Links {
    mutating func startDial(
        _ target: Dial.Target, usesDatagrams: Bool, usesStreams: Bool, manner: DialManner, at now: MonotonicInstant,
        entropy: inout some EntropySource
    ) -> DialID {
        var dial = Dial(id: dials.nextID(), target: target, ownNonce: nonce(for: target, entropy: &entropy))
        let isKnown = target.peer.map { links[$0] != nil } ?? false
        if target.peer == staticKey.publicKey {
            dial.note(.ownDevice)
        } else if dials.count >= limits.maximumDials || (links.count >= limits.maximumLinks && !isKnown) {
            dial.note(.tooMany)
        } else {
            if usesDatagrams { beginDatagramAttempt(&dial, manner: manner, at: now, entropy: &entropy) }
            if usesStreams {
                if let stream = streams.dial(dial.id, to: target.endpoint, at: now, out: &out) {
                    dial.begin(on: stream)
                } else {
                    dial.note(.tooMany)
                }
            }
        }
        dials.add(dial)
        concludeDial(dial.id, at: now)
        return dial.id
    }

    private mutating func beginDatagramAttempt(
        _ dial: inout Dial, manner: DialManner, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        let index = newIndex(entropy: &entropy)
        do {
            let (handshake, packet) = try HandshakeMessages.initiate(
                dial.target, staticKey: staticKey, nonce: dial.ownNonce, senderIndex: index, transport: .datagram,
                entropy: &entropy)
            var hopLimit: UInt8?
            var repeats = true
            switch manner {
            case .plain: break
            case .quiet: hopLimit = limits.knockHopLimit
            case .knock(let isFull):
                hopLimit = isFull ? nil : limits.knockHopLimit
                repeats = false
            }
            dial.begin(handshake, packet: packet, localIndex: index, repeats: repeats, at: now)
            out.send(.sendDatagram(packet, to: dial.target.endpoint, hopLimit: hopLimit))
            out.timers.schedule(
                .dial(dial.id), at: dial.datagram?.nextAttempt ?? now.advanced(by: limits.datagramDialLimit))
        } catch {
            // The peer's key has low order, so nobody can answer for it.
            dial.note(.handshakeFailed)
        }
    }

    /// The nonce this side uses for a link to that peer: the existing link's, else that of a handshake under way, else
    /// a fresh one. So all handshakes that run at the same time end in one link.
    private func nonce(for target: Dial.Target, entropy: inout some EntropySource) -> LinkNonce {
        if let id = target.rekeys, let link = links[id] { return link.introduction.ownNonce }
        if let peer = target.peer { return nonce(forPeer: peer, entropy: &entropy) }
        return dials.nonce(forKey: target.key) ?? freshNonce(entropy: &entropy)
    }

    func nonce(forPeer peer: AgreementPublicKey, entropy: inout some EntropySource) -> LinkNonce {
        links[peer].flatMap { links[$0]?.introduction.ownNonce } ?? dials.nonce(forPeer: peer)
            ?? sessions.nonce(forPeer: peer) ?? streams.nonce(forPeer: peer) ?? freshNonce(entropy: &entropy)
    }

    func freshNonce(entropy: inout some EntropySource) -> LinkNonce {
        LinkNonce(randomWord(entropy: &entropy), randomWord(entropy: &entropy))
    }

    // MARK: Responses

    mutating func receiveResponse(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) throws(DropReasonError) {
        guard packet.count >= HandshakeMessages.responseHeaderSize else { throw DropReasonError(.malformed) }
        let index = HandshakeMessages.index(in: packet, at: 1)
        guard let dial = dials.dial(under: index), let attempt = dial.datagram else {
            throw DropReasonError(.unknownSession)
        }
        // Approval was already requested. A second response is a repetition, or comes from somebody else.
        guard !dial.holds(overDatagrams: true) else { return }
        guard try isApproved(dial, handshake: attempt.handshake, response: packet) else {
            return dials.hold(.datagram(packet), of: dial.id)
        }
        guard let answer = HandshakeMessages.finish(attempt.handshake, of: dial.target.key.handshake, response: packet),
            let introduction = introduction(from: answer, dial: dial)
        else { throw DropReasonError(.handshakeFailed) }
        guard introduction.peer != staticKey.publicKey else {
            return endDatagramAttempt(dial.id, failure: .ownDevice, at: now)
        }
        // Only an incomplete handshake has no keys, and `finish` completed it.
        guard let keys = try? answer.handshake.transportKeys() else { throw DropReasonError(.handshakeFailed) }
        endDatagramAttempt(dial.id, failure: nil, at: now)
        sessions.add(
            DatagramSession(
                localIndex: index, remoteIndex: answer.remoteIndex, keys: keys, introduction: introduction,
                createdAt: now, answeredTag: nil))
        let isMove = dial.target.rekeys == nil
        guard let link = attachSession(index, endpoint: dial.target.endpoint, isDialled: isMove, at: now) else {
            return
        }
        if attempt.attempts == 1 { links[link]?.channel.addRoundTrip(attempt.startedAt.duration(to: now)) }
        let token = randomWord(entropy: &entropy)
        links[link]?.datagrams?.begin(index, final: answer.final, token: token, at: now)
        sendHello(over: link, at: now)
        sendDatagram(keepalive(to: dial.target.endpoint, of: link), over: link, at: now)
    }

    func introduction(
        from answer: (handshake: NoiseHandshake, nonce: LinkNonce, remoteIndex: UInt32, final: [UInt8]?), dial: Dial
    ) -> Introduction? {
        guard let peer = answer.handshake.remoteStaticKey else { return nil }
        return Introduction(
            peer: peer, key: dial.target.key, ownNonce: dial.ownNonce, peerNonce: answer.nonce, isInitiator: true)
    }

    /// Repeats the final message and a ping until the responder is heard under the new session.
    mutating func sendHello(over id: LinkID, at now: MonotonicInstant) {
        guard let endpoint = links[id]?.datagrams?.endpoint, let hello = links[id]?.datagrams?.nextHello(at: now) else {
            return
        }
        if let final = hello.final { out.send(.sendDatagram(final, to: endpoint)) }
        sendDatagram(.ping(hello.token), over: id, under: hello.session, at: now)
    }

    // MARK: Approval

    /// Continues a dial whose responder turned out to be the code's owner. This side now reveals itself.
    public mutating func approve(
        _ id: DialID, peer: AgreementPublicKey, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard let dial = dials[id], dial.target.key.handshake == .friend else { return }
        for held in dials.approve(id, peer: peer) {
            switch held {
            case .datagram(let response):
                do throws(DropReasonError) {
                    try receiveResponse(response, from: dial.target.endpoint, at: now, entropy: &entropy)
                } catch {
                    out.drop(error.reason)
                }
            case .frame(let stream, let frame): receiveFrame(frame, on: stream, at: now, entropy: &entropy)
            }
        }
        settle(at: now)
    }

    /// Ends a dial. The responder hears nothing further, and never learned who asked.
    public mutating func refuse(_ id: DialID, at now: MonotonicInstant) {
        guard let dial = dials[id] else { return }
        cancel(dial, failure: .handshakeFailed, at: now)
        settle(at: now)
    }

    /// Whether this side may reveal itself to the responder. Under a friend code it asks for approval if there is none
    /// yet.
    ///
    /// - Throws: `handshakeFailed` if it does not answer this dial, or comes from another device than was approved.
    func mayRevealIdentity(_ dial: Dial, shown peer: AgreementPublicKey) throws(DropReasonError) -> Bool {
        // A renewal keeps the approval of the session before.
        guard let approved = dial.approved ?? dial.target.rekeys.flatMap({ links[$0]?.peer }) else {
            // This device's own key: the caller then ends the dial and sends nothing further.
            return peer == staticKey.publicKey
        }
        guard approved == peer else { throw DropReasonError(.handshakeFailed) }
        return true
    }

    mutating func isApproved(
        _ dial: Dial, handshake: NoiseHandshake, response: [UInt8]
    ) throws(DropReasonError) -> Bool {
        guard dial.target.key.handshake == .friend else { return true }
        guard let shown = HandshakeMessages.credential(handshake, response: response) else {
            throw DropReasonError(.handshakeFailed)
        }
        if try mayRevealIdentity(dial, shown: shown.peer) { return true }
        out.report(.responderShown(dial.id, peer: shown.peer, credential: shown.credential, key: dial.target.key))
        return false
    }

    // MARK: Ends

    mutating func handleDialDeadline(_ id: DialID, at now: MonotonicInstant) {
        guard let dial = dials[id], dial.datagram != nil else { return }
        let (packet, next) = dials.repeatDatagram(of: id, limit: limits.datagramDialLimit, at: now)
        guard let next else { return endDatagramAttempt(id, failure: .unanswered, at: now) }
        if let packet { out.send(.sendDatagram(packet, to: dial.target.endpoint)) }
        out.timers.schedule(.dial(id), at: next)
    }

    mutating func endDatagramAttempt(_ id: DialID, failure: DialFailure?, at now: MonotonicInstant) {
        guard dials.endDatagram(of: id, failure: failure) else { return }
        out.timers.schedule(.dial(id), at: nil)
        concludeDial(id, at: now)
    }

    mutating func endStreamAttempt(_ id: DialID, failure: DialFailure?, at now: MonotonicInstant) {
        if dials.endStream(of: id, failure: failure) { concludeDial(id, at: now) }
    }

    /// Forgets a dial once all its attempts are over.
    private mutating func concludeDial(_ id: DialID, at now: MonotonicInstant) {
        guard let dial = dials.removeFinished(id) else { return }
        if let link = dial.target.rekeys {
            let wasRenewal = links[link]?.endRenewal(by: id, pause: limits.datagramDialLimit, at: now) ?? false
            if wasRenewal { out.touch(link) }
        } else if !dial.hasSucceeded {
            out.report(.dialFailed(id, peer: dial.target.peer, endpoint: dial.target.endpoint, reason: dial.failure))
        }
    }

    /// Gives up every dial that would join a link with this nonce.
    mutating func cancelDials(nonce: LinkNonce, at now: MonotonicInstant) {
        for dial in dials.all(withNonce: nonce) { cancel(dial, failure: .unanswered, at: now) }
    }

    private mutating func cancel(_ dial: Dial, failure: DialFailure, at now: MonotonicInstant) {
        if let stream = dial.stream { streams.discard(stream, out: &out) }
        endStreamAttempt(dial.id, failure: failure, at: now)
        endDatagramAttempt(dial.id, failure: failure, at: now)
    }
}
