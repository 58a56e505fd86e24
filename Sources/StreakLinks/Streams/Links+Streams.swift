import StreakCrypto
import StreakWire

/// Handles streams, and what follows for their dials and links.
extension Links {
    mutating func acceptStream(_ id: StreamID, from source: Endpoint, at now: MonotonicInstant) {
        guard !streams.isKnown(id) else { return out.drop(.malformed) }
        let isAdmitted = gate.admits(source, at: now)
        guard isAdmitted, streams.accept(id, from: source, at: now, out: &out) else {
            out.send(.closeStream(id))
            return out.drop(isAdmitted ? .tooMany : .rateLimited)
        }
    }

    /// A stream that this side dialled is connected.
    mutating func beginStreamHandshake(
        _ id: StreamID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard case .connecting(let dialID)? = streams[id]?.phase, let dial = dials[dialID] else { return }
        do {
            let (handshake, packet) = try HandshakeMessages.initiate(
                dial.target, staticKey: staticKey, nonce: dial.ownNonce, senderIndex: 0, transport: .stream,
                entropy: &entropy)
            streams.advance(id, to: .awaitingResponse(dialID, handshake), sending: packet, at: now, out: &out)
        } catch {
            // The peer's key has low order, so nobody can answer for it.
            abortStream(id, failure: .handshakeFailed, at: now)
        }
    }

    // MARK: Receiving

    mutating func receiveStreamBytes(
        _ id: StreamID, _ bytes: [UInt8], at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        streams.receive(bytes, on: id)
        do throws(DropReasonError) {
            while let frame = try streams.nextFrame(on: id) {
                receiveFrame(frame, on: id, at: now, entropy: &entropy)
            }
            streams.keepRest(of: id, at: now, out: &out)
        } catch {
            if let stream = streams[id], stream.awaitsInitiation { gate.charge(stream.endpoint, at: now) }
            out.drop(error.reason)
            abortStream(id, failure: .handshakeFailed, at: now)
        }
    }

    mutating func receiveFrame(
        _ frame: [UInt8], on id: StreamID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard let stream = streams[id] else { return }
        do throws(DropReasonError) {
            switch stream.phase {
            case .connecting: throw DropReasonError(.malformed)
            case .awaitingInitiation: try answerStream(id, frame, from: stream.endpoint, at: now, entropy: &entropy)
            case .awaitingResponse(let dial, let handshake):
                try finishStreamDial(id, frame, dial: dial, handshake: handshake, at: now)
            case .awaitingFinal(let asked): try finishStreamAnswer(id, frame, asked: asked, at: now)
            case .open: try receiveTransportFrame(frame, on: id, at: now)
            }
        } catch {
            out.drop(error.reason)
            abortStream(id, failure: .handshakeFailed, at: now)
        }
    }

    private mutating func finishStreamDial(
        _ id: StreamID, _ frame: [UInt8], dial dialID: DialID, handshake: NoiseHandshake, at now: MonotonicInstant
    ) throws(DropReasonError) {
        guard frame.first == PacketType.response.rawValue, let dial = dials[dialID] else {
            throw DropReasonError(.handshakeFailed)
        }
        // One response is enough. Nothing else may arrive before this side has answered.
        guard !dial.holds(overDatagrams: false) else { throw DropReasonError(.malformed) }
        guard try isApproved(dial, handshake: handshake, response: frame) else {
            return dials.hold(.frame(id, frame), of: dialID)
        }
        guard let answer = HandshakeMessages.finish(handshake, of: dial.target.key.handshake, response: frame),
            let introduction = introduction(from: answer, dial: dial)
        else { throw DropReasonError(.handshakeFailed) }
        guard introduction.peer != staticKey.publicKey else {
            return abortStream(id, failure: .ownDevice, at: now)
        }
        streams.open(id, try StreamSession(of: answer.handshake), with: introduction)
        endStreamAttempt(dialID, failure: nil, at: now)
        if let final = answer.final { out.send(.sendStream(id, StreamFraming.framed(final))) }
        _ = attachStream(id, at: now)
    }

    private mutating func finishStreamAnswer(
        _ id: StreamID, _ frame: [UInt8], asked: AskedHandshake, at now: MonotonicInstant
    ) throws(DropReasonError) {
        var handshake = asked.handshake
        guard frame.count == HandshakeMessages.finalSize, frame.first == PacketType.final.rawValue else {
            throw DropReasonError(.malformed)
        }
        // Noise refused it, so close the stream.
        guard (try? handshake.readMessage(Array(frame[HandshakeMessages.finalHeaderSize...]))) == [],
            let peer = handshake.remoteStaticKey, peer != staticKey.publicKey
        else { throw DropReasonError(.handshakeFailed) }
        streams.open(id, try StreamSession(of: handshake), with: asked.introduction(peer: peer))
        _ = attachStream(id, at: now)
    }

    private mutating func receiveTransportFrame(
        _ frame: [UInt8], on id: StreamID, at now: MonotonicInstant
    ) throws(DropReasonError) {
        let plaintext = try streams.decrypt(frame, on: id, at: now)
        guard let link = streams[id]?.link ?? attachStream(id, at: now) else { return }
        links[link]?.noteStreamHeard(at: now)
        receivePacket(plaintext, on: link, from: .stream(id), at: now)
    }

    // MARK: Paths

    /// Adds an authenticated stream to its link, and opens the link if there is none.
    private mutating func attachStream(_ id: StreamID, at now: MonotonicInstant) -> LinkID? {
        guard let stream = streams[id], let introduction = stream.introduction else { return nil }
        guard let (link, isNew) = joinLink(introduction, endpoint: stream.endpoint, at: now) else {
            streams.discard(id, out: &out)
            return nil
        }
        streams.attach(id, to: link, of: links[link]?.party ?? .stranger, at: now)
        links[link]?.noteStreamHeard(at: now)
        out.touch(link)
        streams.send(keepalive(to: stream.endpoint, of: link), on: id, at: now, out: &out)
        if let current = links[link]?.stream {
            let isBetter = streams.prefers(id, to: current, own: staticKey.publicKey)
            retire(isBetter ? current : id, of: link, at: now)
            if isBetter { links[link]?.use(id, to: stream.endpoint) }
        } else {
            links[link]?.use(id, to: stream.endpoint)
            if !isNew { notePathChange(link) }
        }
        streams.schedule(id, out: &out)
        closeSurplusStreams(at: now)
        return links[link] == nil ? nil : link
    }

    /// Closes streams that exceed a share.
    mutating func closeSurplusStreams(at now: MonotonicInstant) {
        while let surplus = streams.surplus { abortStream(surplus, failure: .tooMany, at: now) }
    }

    /// Sends nothing more on a stream.
    mutating func retire(_ id: StreamID, of link: LinkID, at now: MonotonicInstant) {
        guard streams.finish(id, at: now, out: &out) else { return }
        links[link]?.retire(id)
        out.touch(link)
        // A peer that does not finish its streams loses the oldest.
        if let retiring = links[link]?.retiringStreams, retiring.count >= limits.maximumStreamsPerLink {
            abortStream(retiring[0], failure: .unanswered, at: now)
        }
    }

    mutating func receiveFinish(on id: StreamID, of link: LinkID, at now: MonotonicInstant) {
        let wasUsed = links[link]?.stream == id
        retire(id, of: link, at: now)
        streams.discard(id, out: &out)
        _ = detachStream(id, from: link)
        if wasUsed || links[link]?.hasPath == false { noteLostPath(of: link, reason: .pathLost, at: now) }
    }

    /// A stream failed, or the other side closed it.
    mutating func loseStream(_ id: StreamID, failure: DialFailure, at now: MonotonicInstant) {
        guard let stream = streams.remove(id, out: &out) else { return }
        noteEnd(of: id, stream, failure: failure, reason: .pathLost, at: now)
    }

    /// This side closes a stream.
    mutating func abortStream(
        _ id: StreamID, failure: DialFailure, reason: LinkCloseReason = .pathLost, at now: MonotonicInstant
    ) {
        guard let stream = streams[id] else { return }
        streams.discard(id, out: &out)
        noteEnd(of: id, stream, failure: failure, reason: reason, at: now)
    }

    private mutating func noteEnd(
        of id: StreamID, _ stream: LinkStream, failure: DialFailure, reason: LinkCloseReason, at now: MonotonicInstant
    ) {
        if let dial = stream.dial { endStreamAttempt(dial, failure: failure, at: now) }
        guard let link = stream.link else { return }
        if detachStream(id, from: link) || links[link]?.hasPath == false {
            noteLostPath(of: link, reason: reason, at: now)
        }
    }

    private mutating func detachStream(_ id: StreamID, from link: LinkID) -> Bool {
        out.touch(link)
        return links[link]?.detach(id) ?? false
    }
}
