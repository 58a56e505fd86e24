import StreakWire

/// Handles authenticated packets, whether they came by datagram or stream.
extension Links {
    /// How a packet came.
    enum Carrier: Sendable {
        case datagrams(session: UInt32, Endpoint)
        case stream(StreamID)

        var isStream: Bool {
            if case .stream = self { true } else { false }
        }
    }

    mutating func receivePacket(
        _ plaintext: [UInt8], on id: LinkID, from carrier: Carrier, at now: MonotonicInstant
    ) {
        do {
            let packet = try LinkPacket(decoding: plaintext)
            if case .datagrams(let index, _) = carrier, packet.isUse { noteUse(of: index, at: now) }
            try receive(packet, on: id, from: carrier, at: now)
        } catch WireError.unknownKind {
            // A later version may have more kinds.
            out.drop(.malformed)
        } catch {
            sendClose(id, at: now)
            forget(id, reason: .protocolViolation, at: now)
        }
    }

    /// Why a packet ends its link.
    private enum Violation: Error { case wrongCarrier }

    private mutating func receive(
        _ packet: LinkPacket, on id: LinkID, from carrier: Carrier, at now: MonotonicInstant
    ) throws {
        switch (packet, carrier) {
        case (.keepalive(let interval, let payload), _):
            noteInterval(.seconds(max(1, Int64(interval))), of: id, from: carrier)
            out.report(.keepaliveReceived(id, payload))
        case (.rumour(let bytes), _):
            out.report(.messageReceived(id, bytes, via: carrier.isStream ? .stream : .datagram))
        case (.fragment(let fragment), .datagrams):
            for message in try links[id]?.channel.receive(fragment, at: now) ?? [] {
                let (sequence, bytes) = try ChannelMessage.decode(message)
                try deliver(bytes, sequence: sequence, on: id, path: .reliableDatagram, at: now)
            }
        case (.acknowledgement(let acknowledgement), .datagrams):
            for sequence in try links[id]?.channel.receive(acknowledgement, at: now) ?? [] {
                links[id]?.sequencer.acknowledge(sequence)
            }
        case (.ping(let token), .datagrams(_, let source)):
            sendDatagram(.pong(token), over: id, to: source, at: now)
        case (.ping(let token), .stream(let stream)):
            streams.send(.pong(token), on: stream, at: now, out: &out)
        case (.pong(let token), .datagrams(_, let source)):
            receivePong(token, on: id, from: source, at: now)
        case (.pong, .stream): break
        case (.close, _): forget(id, reason: .closedByPeer, at: now)
        case (.message(let sequence, let received, let bytes), .stream(let stream)):
            streams.noteMessage(on: stream, at: now)
            try links[id]?.sequencer.acknowledge(below: received)
            try deliver(bytes, sequence: sequence, on: id, path: .stream, at: now)
        case (.received(let next), _):
            try links[id]?.sequencer.acknowledge(below: next)
        case (.finish, .stream(let stream)): receiveFinish(on: stream, of: id, at: now)
        case (.fragment, .stream), (.acknowledgement, .stream), (.message, .datagrams), (.finish, .datagrams):
            throw Violation.wrongCarrier
        }
        out.touch(id)
    }

    private mutating func deliver(
        _ bytes: [UInt8], sequence: UInt64, on id: LinkID, path: LinkPath, at now: MonotonicInstant
    ) throws {
        let deliveries = try links[id]?.sequencer.receive(sequence: sequence, bytes: bytes, path: path, at: now) ?? []
        for delivery in deliveries { out.report(.messageReceived(id, delivery.bytes, via: delivery.path)) }
    }

    private mutating func noteInterval(_ interval: Duration, of id: LinkID, from carrier: Carrier) {
        switch carrier {
        case .datagrams: links[id]?.datagrams?.setPeerInterval(interval)
        case .stream(let stream): streams.setInterval(interval, of: stream)
        }
    }
}
