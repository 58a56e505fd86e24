import StreakCrypto
import StreakWire

/// Packets over datagrams, out and in; changes of the peer's address.
extension Links {
    // MARK: Sending

    /// Sends a packet under the link's session, or another of its sessions, to its address, or another.
    mutating func sendDatagram(
        _ packet: LinkPacket, over id: LinkID, under session: UInt32? = nil, to endpoint: Endpoint? = nil,
        at now: MonotonicInstant
    ) {
        guard let path = links[id]?.datagrams else { return }
        let index = session ?? path.current
        guard let sealed = sessions[index]?.seal(packet.encoded()) else { return }
        outputs.append(.sendDatagram(sealed, to: endpoint ?? path.endpoint))
        if endpoint == nil || endpoint == path.endpoint { links[id]?.datagrams?.lastSent = now }
        if packet.isUse { noteUse(of: index, at: now) }
        touch(id)
    }

    /// A session in use is renewed by its initiator when it is old enough.
    mutating func noteUse(of index: UInt32, at now: MonotonicInstant) {
        guard let session = sessions[index], session.introduction.isInitiator, let id = session.link,
            let link = links[id], link.datagrams?.current == index, link.rekeying == nil,
            session.createdAt.duration(to: now) >= limits.rekeyAge
        else { return }
        links[id]?.needsRekeying = true
    }

    // MARK: Receiving

    mutating func receiveDatagram(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard packet.count <= ProtocolLimits.maximumDatagramSize, let first = packet.first,
            let type = PacketType(rawValue: first)
        else { return drop(.malformed) }
        switch type {
        case .initiation: receiveInitiation(packet, from: source, at: now, entropy: &entropy)
        case .response: receiveResponse(packet, from: source, at: now, entropy: &entropy)
        case .final: receiveFinal(packet, from: source, at: now)
        case .transport: receiveTransport(packet, from: source, at: now, entropy: &entropy)
        }
    }

    private mutating func receiveTransport(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard packet.count > LinkPacket.datagramHeaderSize + NoiseCipher.overhead else { return drop(.malformed) }
        let index = HandshakeMessages.index(in: packet, at: 1)
        let counter =
            UInt64(HandshakeMessages.index(in: packet, at: 5)) << 32
            | UInt64(HandshakeMessages.index(in: packet, at: 9))
        do {
            guard let opened = try sessions[index]?.open(packet, counter: counter) else {
                return drop(.unknownSession)
            }
            guard let id = linkOfSession(index, from: source, at: now) else { return }
            links[id]?.datagrams?.lastHeard = now
            sessions[index]?.heardAt = now
            if links[id]?.datagrams?.hello?.session == index { links[id]?.datagrams?.hello = nil }
            if links[id]?.datagrams?.abandoned == index { resumeSession(index, of: id, at: now) }
            if opened.isNewest { noteSource(source, of: id, at: now, entropy: &entropy) }
            touch(id)
            receivePacket(opened.plaintext, on: id, from: .datagrams(session: index, source), at: now)
        } catch {
            drop(error.reason)
        }
    }

    /// The link of the session a valid packet came under; the first such packet makes a provisional session count.
    private mutating func linkOfSession(
        _ index: UInt32, from source: Endpoint, at now: MonotonicInstant
    ) -> LinkID? {
        if let id = sessions[index]?.link { return id }
        guard let id = attachSession(index, endpoint: source, isDialled: false, at: now) else { return nil }
        // Tells the initiator that it was heard.
        sendDatagram(keepalive(to: source, of: id), over: id, at: now)
        return id
    }

    // MARK: Roaming

    /// A packet from another address than before asks there whether the peer has moved: it may have been captured and
    /// sent on by somebody else.
    private mutating func noteSource(
        _ source: Endpoint, of id: LinkID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard let path = links[id]?.datagrams, path.endpoint != source else { return }
        if let probe = path.probe, probe.endpoint == source,
            probe.sentAt.duration(to: now) < Dial.firstRepetition
        {
            return
        }
        let probe = Link.Probe(endpoint: source, token: randomWord(entropy: &entropy), sentAt: now)
        links[id]?.datagrams?.probe = probe
        sendDatagram(.ping(probe.token), over: id, to: source, at: now)
    }

    mutating func receivePong(_ token: UInt64, on id: LinkID, from source: Endpoint, at now: MonotonicInstant) {
        guard let path = links[id]?.datagrams else { return }
        guard let probe = path.probe, probe.token == token, probe.endpoint == source else { return }
        links[id]?.datagrams?.probe = nil
        links[id]?.datagrams?.endpoint = source
        links[id]?.channel.addRoundTrip(probe.sentAt.duration(to: now))
        notePathChange(id)
    }
}
