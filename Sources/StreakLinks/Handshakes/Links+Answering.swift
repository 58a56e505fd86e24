import StreakCrypto
import StreakWire

/// The responder's side of handshakes.
extension Links {
    /// Answers a message 1 over datagrams.
    mutating func receiveInitiation(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) throws(DropReasonError) {
        let initiation = try HandshakeMessages.parseInitiation(packet)
        let key = try gate.key(of: initiation, transport: .datagram, from: source, at: now)
        switch sessions.earlier(initiation.tag, from: source) {
        case .answered(let response): return out.send(.sendDatagram(response, to: source))
        case .replayed: throw DropReasonError(.replayed)
        case .none: break
        }
        try gate.admitFriend(initiation, from: source, at: now)
        var asked = try read(initiation, key: key, transport: .datagram, entropy: &entropy)
        let index = newIndex(entropy: &entropy)
        let response = try answer(&asked, index: index)
        try sessions.add(
            asked, from: source, index: index, response: response, limits: limits, at: now, out: &out)
        out.send(.sendDatagram(response, to: source))
    }

    /// Answers a message 1 on a stream.
    mutating func answerStream(
        _ id: StreamID, _ frame: [UInt8], from source: Endpoint, at now: MonotonicInstant,
        entropy: inout some EntropySource
    ) throws(DropReasonError) {
        let initiation: HandshakeMessages.Initiation
        do {
            initiation = try HandshakeMessages.parseInitiation(frame)
        } catch {
            gate.charge(source, at: now)
            throw error
        }
        let key = try gate.key(of: initiation, transport: .stream, from: source, at: now)
        try gate.admitFriend(initiation, from: source, at: now)
        var asked = try read(initiation, key: key, transport: .stream, entropy: &entropy)
        let response = try answer(&asked, index: 0)
        let phase: LinkStream.Phase
        if let peer = asked.peer {
            streams.makeRoom(for: peer, out: &out)
            phase = .open(try StreamSession(of: asked.handshake), asked.introduction(peer: peer))
        } else {
            phase = .awaitingFinal(asked)
        }
        streams.advance(id, to: phase, sending: response, at: now, out: &out)
    }

    /// Reads a message 1 whose tag was made with `key`.
    private func read(
        _ initiation: HandshakeMessages.Initiation, key: LinkKey, transport: Transport,
        entropy: inout some EntropySource
    ) throws(DropReasonError) -> AskedHandshake {
        guard
            let (handshake, peerNonce) = HandshakeMessages.read(
                initiation, key: key, staticKey: staticKey, transport: transport, entropy: &entropy)
        else { throw DropReasonError(.handshakeFailed) }
        let peer = handshake.remoteStaticKey
        guard peer != staticKey.publicKey else { throw DropReasonError(.handshakeFailed) }
        let isKnown = peer.map { links[$0] != nil } ?? false
        guard isKnown || links.count < limits.maximumLinks else { throw DropReasonError(.tooMany) }
        let ownNonce =
            if let peer { nonce(forPeer: peer, entropy: &entropy) } else {
                nonce(answering: peerNonce, entropy: &entropy)
            }
        return AskedHandshake(
            initiation: initiation, key: key, handshake: handshake, ownNonce: ownNonce, peerNonce: peerNonce, peer: peer
        )
    }

    /// As `nonce(forPeer:)` if the peer is not known yet: the peer's nonce shows which handshakes belong together.
    private func nonce(answering peerNonce: LinkNonce, entropy: inout some EntropySource) -> LinkNonce {
        links.nonce(answering: peerNonce) ?? sessions.nonce(answering: peerNonce) ?? streams.nonce(answering: peerNonce)
            ?? freshNonce(entropy: &entropy)
    }

    private func answer(_ asked: inout AskedHandshake, index: UInt32) throws(DropReasonError) -> [UInt8] {
        do {
            return try HandshakeMessages.response(
                by: &asked.handshake, to: asked.initiation, nonce: asked.ownNonce, ownIndex: index,
                credential: friendCredential)
        } catch {
            throw DropReasonError(.handshakeFailed)
        }
    }

    /// Message 3 over datagrams.
    mutating func receiveFinal(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant
    ) throws(DropReasonError) {
        let index = try sessions.receiveFinal(packet, own: staticKey.publicKey, at: now)
        guard let link = attachSession(index, endpoint: source, isDialled: false, at: now) else { return }
        sendDatagram(keepalive(to: source, of: link), over: link, at: now)
    }
}
