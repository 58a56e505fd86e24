import StreakCrypto
import StreakWire

/// Sends and receives packets as datagrams, and follows the peer's address.
extension Links {
    // MARK: Sending

    /// Sends a packet. By default under the link's current session and to its current address.
    mutating func sendDatagram(
        _ packet: LinkPacket, over id: LinkID, under session: UInt32? = nil, to endpoint: Endpoint? = nil,
        at now: MonotonicInstant
    ) {
        guard let path = links[id]?.datagrams else { return }
        let index = session ?? path.current
        guard let sealed = sessions.seal(packet.encoded(), under: index) else { return }
        out.send(.sendDatagram(sealed, to: endpoint ?? path.endpoint))
        if endpoint == nil || endpoint == path.endpoint { links[id]?.datagrams?.noteSent(at: now) }
        if packet.isUse { noteUse(of: index, at: now) }
        out.touch(id)
    }

    mutating func noteUse(of index: UInt32, at now: MonotonicInstant) {
        guard let session = sessions[index], let id = session.link else { return }
        links[id]?.noteUse(of: session, age: limits.rekeyAge, at: now)
    }

    // MARK: Receiving

    mutating func receiveDatagram(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        do throws(DropReasonError) {
            guard packet.count <= ProtocolLimits.maximumDatagramSize, let first = packet.first,
                let type = PacketType(rawValue: first)
            else { throw DropReasonError(.malformed) }
            switch type {
            case .initiation: try receiveInitiation(packet, from: source, at: now, entropy: &entropy)
            case .response: try receiveResponse(packet, from: source, at: now, entropy: &entropy)
            case .final: try receiveFinal(packet, from: source, at: now)
            case .transport: try receiveTransport(packet, from: source, at: now, entropy: &entropy)
            }
        } catch {
            out.drop(error.reason)
        }
    }

    private mutating func receiveTransport(
        _ packet: [UInt8], from source: Endpoint, at now: MonotonicInstant, entropy: inout some EntropySource
    ) throws(DropReasonError) {
        let (index, plaintext, isNewest) = try sessions.open(packet)
        guard let id = linkOfSession(index, from: source, at: now) else { return }
        links[id]?.datagrams?.noteHeard(under: index, at: now)
        sessions.noteHeard(index, at: now)
        if isNewest { noteSource(source, of: id, at: now, entropy: &entropy) }
        out.touch(id)
        receivePacket(plaintext, on: id, from: .datagrams(session: index, source), at: now)
    }

    /// The link of the session that a valid packet used. The first such packet confirms a provisional session.
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

    private mutating func noteSource(
        _ source: Endpoint, of id: LinkID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard links[id]?.datagrams?.asks(source, at: now) ?? false else { return }
        let token = randomWord(entropy: &entropy)
        links[id]?.datagrams?.ask(source, token: token, at: now)
        sendDatagram(.ping(token), over: id, to: source, at: now)
    }

    mutating func receivePong(_ token: UInt64, on id: LinkID, from source: Endpoint, at now: MonotonicInstant) {
        guard let roundTrip = links[id]?.datagrams?.answer(token, from: source, at: now) else { return }
        links[id]?.channel.addRoundTrip(roundTrip)
        notePathChange(id)
    }
}
