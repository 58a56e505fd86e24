import StreakCrypto
import StreakWire

/// The responder's side of handshakes.
extension Links {
    /// A message 1 whose tag is right, read.
    struct Asked {
        let initiation: HandshakeMessages.Initiation
        let key: LinkKey
        var handshake: NoiseHandshake
        let ownNonce: LinkNonce
        let peerNonce: LinkNonce
        /// Known at once under an access key, told later under an invite's.
        let peer: AgreementPublicKey?

        func introduction(peer: AgreementPublicKey) -> Introduction {
            Introduction(
                peer: peer, key: key, handshake: initiation.kind, ownNonce: ownNonce, peerNonce: peerNonce,
                isInitiator: false)
        }
    }

    /// The key that made the tag of a message 1. Strangers get no further than this.
    ///
    /// - Throws: `rateLimited` before any tag is computed, `invalidTag`.
    mutating func key(
        of initiation: HandshakeMessages.Initiation, transport: Transport, from source: Endpoint,
        at now: MonotonicInstant
    ) throws(DropReasonError) -> LinkKey {
        guard limiter.admits(source, at: now) else { throw DropReasonError(.rateLimited) }
        for key in keys(for: initiation.kind) {
            let tag = HandshakeMessages.tag(of: initiation.tagged, key: key, transport: transport)
            if ConstantTime.isEqual(tag, initiation.tag.array) { return key }
        }
        limiter.charge(source, at: now)
        throw DropReasonError(.invalidTag)
    }

    private func keys(for kind: HandshakeKind) -> [LinkKey] {
        switch kind {
        case .member: accessKeys
        case .invite: inviteKeys
        case .friend: friendKeys
        }
    }

    /// Whoever knows the code of this device may ask who it is, but not for ever.
    mutating func admitFriend(
        _ initiation: HandshakeMessages.Initiation, from source: Endpoint, at now: MonotonicInstant
    ) throws(DropReasonError) {
        guard initiation.kind == .friend else { return }
        guard friendLimiter.take(source, at: now) else { throw DropReasonError(.rateLimited) }
    }

    /// Reads a message 1 whose tag `key` made.
    func read(
        _ initiation: HandshakeMessages.Initiation, key: LinkKey, transport: Transport,
        entropy: inout some EntropySource
    ) throws(DropReasonError) -> Asked {
        guard
            let (handshake, peerNonce) = HandshakeMessages.read(
                initiation, key: key, staticKey: staticKey, transport: transport, entropy: &entropy)
        else { throw DropReasonError(.handshakeFailed) }
        let peer = handshake.remoteStaticKey
        guard peer != staticKey.publicKey else { throw DropReasonError(.handshakeFailed) }
        let isKnown = peer.map { linkByPeer[$0] != nil } ?? false
        guard isKnown || links.count < limits.maximumLinks else { throw DropReasonError(.tooMany) }
        let ownNonce =
            if let peer { nonce(forPeer: peer, entropy: &entropy) } else {
                nonce(answering: peerNonce, entropy: &entropy)
            }
        return Asked(
            initiation: initiation, key: key, handshake: handshake, ownNonce: ownNonce, peerNonce: peerNonce, peer: peer
        )
    }

    /// As `nonce(forPeer:)` where the peer is not known yet: its nonce tells handshakes that belong together.
    private func nonce(answering peerNonce: LinkNonce, entropy: inout some EntropySource) -> LinkNonce {
        for id in links.keys {
            if let known = links[id]?.introduction, known.peerNonce == peerNonce { return known.ownNonce }
        }
        for index in answers.keys.sorted() {
            if let answer = answers[index], answer.peerNonce == peerNonce { return answer.ownNonce }
        }
        for id in streams.keys.sorted() {
            if let nonces = streams[id]?.answeredNonces, nonces.peer == peerNonce { return nonces.own }
        }
        return freshNonce(entropy: &entropy)
    }

    // MARK: Datagrams

    mutating func receiveInitiation(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        do {
            let initiation = try HandshakeMessages.parseInitiation(packet)
            let key = try key(of: initiation, transport: .datagram, from: source, at: now)
            if let index = answeredTags[initiation.tag] {
                // Repeated because our answer was lost, or replayed: nothing new comes of it.
                guard let answer = answers[index], answer.source == source else { return drop(.replayed) }
                return outputs.append(.sendDatagram(answer.response, to: source))
            }
            guard !spentTags.contains(initiation.tag) else { return drop(.replayed) }
            try admitFriend(initiation, from: source, at: now)
            var asked = try read(initiation, key: key, transport: .datagram, entropy: &entropy)
            let index = newIndex(entropy: &entropy)
            let response = try answer(&asked, index: index)
            try remember(asked, from: source, index: index, response: response, at: now)
            outputs.append(.sendDatagram(response, to: source))
        } catch {
            drop(error.reason)
        }
    }

    func answer(_ asked: inout Asked, index: UInt32) throws(DropReasonError) -> [UInt8] {
        do {
            return try HandshakeMessages.response(
                by: &asked.handshake, to: asked.initiation, nonce: asked.ownNonce, ownIndex: index,
                credential: friendCredential)
        } catch {
            throw DropReasonError(.handshakeFailed)
        }
    }

    private mutating func remember(
        _ asked: Asked, from source: Endpoint, index: UInt32, response: [UInt8], at now: MonotonicInstant
    ) throws(DropReasonError) {
        let phase: Answer.Phase
        if let peer = asked.peer {
            guard let keys = try? asked.handshake.transportKeys() else {
                // Only an incomplete handshake has none, and message 2 completes this one.
                throw DropReasonError(.handshakeFailed)
            }
            sessions[index] = DatagramSession(
                localIndex: index, remoteIndex: asked.initiation.senderIndex, keys: keys,
                introduction: asked.introduction(peer: peer), createdAt: now, answeredTag: asked.initiation.tag)
            phase = .provisional(peer)
        } else {
            phase = .awaitingFinal(asked.handshake, asked.key, remoteIndex: asked.initiation.senderIndex)
        }
        makeRoomForAnswer(to: asked.peer)
        answers[index] = Answer(
            tag: asked.initiation.tag, source: source, response: response, ownNonce: asked.ownNonce,
            peerNonce: asked.peerNonce,
            createdAt: now, phase: phase)
        answeredTags[asked.initiation.tag] = index
        timers.schedule(.answer(index), at: now.advanced(by: Answer.lifetime))
    }

    /// The oldest answers give way: whoever repeats old messages cannot keep a new one out for longer than a round
    /// trip.
    private mutating func makeRoomForAnswer(to peer: AgreementPublicKey?) {
        if let peer {
            let same = answers.keys.filter { answers[$0]?.peer == peer }
            if same.count >= limits.maximumProvisionalSessionsPerPeer { discardOldestAnswer(of: same) }
        }
        if answers.count >= limits.maximumProvisionalSessions { discardOldestAnswer(of: Array(answers.keys)) }
    }

    private mutating func discardOldestAnswer(of indices: [UInt32]) {
        let dated = indices.compactMap { index in answers[index].map { ($0.createdAt, index) } }
        if let oldest = dated.min(by: { $0 < $1 }) { discardAnswer(oldest.1) }
    }

    /// Forgets an answer and its session, if that is still provisional.
    mutating func discardAnswer(_ index: UInt32) {
        guard let answer = answers.removeValue(forKey: index) else { return }
        timers.schedule(.answer(index), at: nil)
        forget(answeredTag: answer.tag)
        if sessions[index]?.link == nil { sessions[index] = nil }
    }

    /// What was answered under this tag is gone; the message is not answered again.
    mutating func forget(answeredTag tag: Bytes16) {
        answeredTags[tag] = nil
        spentTags.insert(tag)
    }

    mutating func receiveFinal(_ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant) {
        guard packet.count == HandshakeMessages.finalSize else { return drop(.malformed) }
        let index = HandshakeMessages.index(in: packet, at: 1)
        guard let answer = answers[index], case .awaitingFinal(var handshake, let key, let remoteIndex) = answer.phase
        else { return drop(sessions[index] == nil ? .unknownSession : .replayed) }
        let noise = Array(packet[HandshakeMessages.finalHeaderSize...])
        // A copy reads: a stray message does not end the handshake.
        guard (try? handshake.readMessage(noise)) == [], let peer = handshake.remoteStaticKey,
            peer != staticKey.publicKey, let keys = try? handshake.transportKeys()
        else { return drop(.handshakeFailed) }
        let introduction = Introduction(
            peer: peer, key: key, handshake: HandshakeKind(key: key, knowsPeer: false), ownNonce: answer.ownNonce,
            peerNonce: answer.peerNonce, isInitiator: false)
        sessions[index] = DatagramSession(
            localIndex: index, remoteIndex: remoteIndex, keys: keys, introduction: introduction, createdAt: now,
            answeredTag: answer.tag)
        // Message 3 proves that the initiator is there.
        guard let link = attachSession(index, endpoint: source, isDialled: false, at: now) else { return }
        sendDatagram(keepalive(to: source, of: link), over: link, at: now)
    }
}
