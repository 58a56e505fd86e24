import StreakCrypto
import StreakWire

/// One stream, from its opening to its end.
struct LinkStream: Sendable {
    enum Phase: Sendable {
        case connecting(DialID)
        case awaitingResponse(DialID, NoiseHandshake)
        case awaitingInitiation
        /// XX: message 3 is awaited, which also tells who asks.
        case awaitingFinal(Links.Asked)
        case open(StreamSession, Introduction)
    }

    let endpoint: Endpoint
    let isDialled: Bool
    var phase: Phase
    /// When it must be authenticated, or, once finished by this side, closed.
    var deadline: MonotonicInstant
    /// Received and not yet a whole frame.
    var buffer: [UInt8] = []
    /// When the first byte in `buffer` came, and the last; nil where it is empty.
    var unfinished: (since: MonotonicInstant, last: MonotonicInstant)?
    /// Nil until the peer is authenticated and has shown that it is there.
    var link: LinkID?
    var lastSent: MonotonicInstant
    var lastHeard: MonotonicInstant
    /// When a message was last sent or received.
    var lastMessage: MonotonicInstant
    var peerInterval: Duration = .seconds(110)
    var hasSentFinish = false
    var hasReceivedFinish = false
    /// When to look whether it is still used.
    var idleCheck: MonotonicInstant
    let openedAt: MonotonicInstant

    init(endpoint: Endpoint, isDialled: Bool, phase: Phase, deadline: MonotonicInstant, now: MonotonicInstant) {
        self.endpoint = endpoint
        self.isDialled = isDialled
        self.phase = phase
        self.deadline = deadline
        lastSent = now
        lastHeard = now
        lastMessage = now
        idleCheck = deadline
        openedAt = now
    }

    var introduction: Introduction? {
        if case .open(_, let introduction) = phase { introduction } else { nil }
    }

    /// The nonces of a handshake this side answered and that is not confirmed.
    var answeredNonces: (own: LinkNonce, peer: LinkNonce)? {
        switch phase {
        case .awaitingFinal(let asked): (asked.ownNonce, asked.peerNonce)
        case .open(_, let introduction): (introduction.ownNonce, introduction.peerNonce)
        case .connecting, .awaitingResponse, .awaitingInitiation: nil
        }
    }

    var dial: DialID? {
        switch phase {
        case .connecting(let dial), .awaitingResponse(let dial, _): dial
        case .awaitingInitiation, .awaitingFinal, .open: nil
        }
    }
}

extension Links {
    /// Streams this side dialled, and those of members.
    var countedStreams: Int { streams.values.count { $0.isDialled || account(of: $0) != nil } }

    // MARK: Beginning

    mutating func acceptStream(_ id: StreamID, from source: Endpoint, at now: MonotonicInstant) {
        guard streams[id] == nil else { return drop(.malformed) }
        let isAdmitted = limiter.admits(source, at: now)
        guard isAdmitted, makeRoomForWaitingStream(from: source) else {
            outputs.append(.closeStream(id))
            return drop(isAdmitted ? .tooMany : .rateLimited)
        }
        let deadline = now.advanced(by: limits.streamHandshakeLimit)
        streams[id] = LinkStream(
            endpoint: source, isDialled: false, phase: .awaitingInitiation, deadline: deadline, now: now)
        timers.schedule(.stream(id), at: deadline)
    }

    /// Whether one more stream from a source may wait. Where all places are taken, one of the sources that have most of them,
    /// and more than the newcomer's, gives up its oldest: one that has shown no key, if there is one. So nobody keeps others
    /// out, however many addresses it has. It can only hurry them: a place lasts until all others have been taken again.
    private mutating func makeRoomForWaitingStream(from source: Endpoint) -> Bool {
        let waiting = streams.filter { !$0.value.isDialled && $0.value.link == nil }
        let own = waiting.values.count { $0.endpoint.network == source.network }
        guard own < limits.maximumWaitingStreamsPerSource else { return false }
        guard waiting.count >= limits.maximumWaitingStreams else { return true }
        let silent = waiting.filter { if case .awaitingInitiation = $0.value.phase { true } else { false } }
        guard
            let oldest = oldestOfGreatestSource(silent, above: own) ?? oldestOfGreatestSource(waiting, above: own)
        else { return false }
        discardStream(oldest)
        return true
    }

    /// The oldest of the streams whose source has most of them, if it has more than `count`.
    func oldestOfGreatestSource(_ candidates: [StreamID: LinkStream], above count: Int) -> StreamID? {
        let counts = Dictionary(grouping: candidates.values, by: \.endpoint.network).mapValues(\.count)
        // The greatest of all is the same in any order.
        guard let most = counts.values.max(), most > count else { return nil }
        return candidates.filter { counts[$0.value.endpoint.network] == most }
            .min { ($0.value.openedAt, $0.key) < ($1.value.openedAt, $1.key) }?.key
    }

    mutating func beginStreamHandshake(
        _ id: StreamID, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard let stream = streams[id], case .connecting(let dialID) = stream.phase, let dial = dials[dialID] else {
            return
        }
        do {
            let (handshake, packet) = try HandshakeMessages.initiate(
                dial.target, staticKey: staticKey, nonce: dial.ownNonce, senderIndex: 0, transport: .stream,
                entropy: &entropy)
            streams[id]?.phase = .awaitingResponse(dialID, handshake)
            streams[id]?.deadline = now.advanced(by: limits.streamHandshakeLimit)
            timers.schedule(.stream(id), at: streams[id]?.deadline)
            outputs.append(.sendStream(id, StreamFraming.framed(packet)))
        } catch {
            // The peer's key is of low order: nobody can answer for it.
            abortStream(id, failure: .handshakeFailed, at: now)
        }
    }

    // MARK: Receiving

    mutating func receiveStreamBytes(
        _ id: StreamID, _ bytes: [UInt8], at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard var pending = streams[id]?.buffer else { return }
        streams[id]?.buffer = []
        pending += bytes
        var position = 0
        while pending.count - position >= 2, let stream = streams[id] {
            let size = Int(pending[position]) << 8 | Int(pending[position + 1])
            if stream.link == nil, size > StreamFraming.maximumHandshakeFrameSize {
                chargeStranger(stream, at: now)
                drop(.malformed)
                return abortStream(id, failure: .handshakeFailed, at: now)
            }
            guard pending.count - position - 2 >= size else { break }
            let frame = Array(pending[(position + 2)..<(position + 2 + size)])
            position += 2 + size
            receiveFrame(frame, on: id, at: now, entropy: &entropy)
        }
        keep(pending[position...], isNew: position > 0, of: id, at: now)
    }

    /// Keeps the beginning of a frame until the rest comes, and sees to it that it does.
    private mutating func keep(_ rest: ArraySlice<UInt8>, isNew: Bool, of id: StreamID, at now: MonotonicInstant) {
        guard let stream = streams[id] else { return }
        streams[id]?.buffer = Array(rest)
        guard !rest.isEmpty else {
            streams[id]?.unfinished = nil
            return
        }
        streams[id]?.unfinished = (isNew ? now : stream.unfinished?.since ?? now, now)
        // Before it has a link, the handshake's time counts.
        if stream.link != nil { timers.schedule(.stream(id), at: deadline(ofStream: id)) }
    }

    private mutating func chargeStranger(_ stream: LinkStream, at now: MonotonicInstant) {
        if case .awaitingInitiation = stream.phase { limiter.charge(stream.endpoint, at: now) }
    }

    private mutating func receiveFrame(
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
            drop(error.reason)
            abortStream(id, failure: .handshakeFailed, at: now)
        }
    }

    private mutating func answerStream(
        _ id: StreamID, _ frame: [UInt8], from source: Endpoint, at now: MonotonicInstant,
        entropy: inout some EntropySource
    ) throws(DropReasonError) {
        let initiation: HandshakeMessages.Initiation
        do {
            initiation = try HandshakeMessages.parseInitiation(frame)
        } catch {
            limiter.charge(source, at: now)
            throw error
        }
        let key = try key(of: initiation, transport: .stream, from: source, at: now)
        try admitFriend(initiation, from: source, at: now)
        var asked = try read(initiation, key: key, transport: .stream, entropy: &entropy)
        let response = try answer(&asked, index: 0)
        if let peer = asked.peer {
            makeRoomForStream(to: peer, at: now)
            let session = StreamSession(keys: try transportKeys(of: asked.handshake))
            streams[id]?.phase = .open(session, asked.introduction(peer: peer))
        } else {
            streams[id]?.phase = .awaitingFinal(asked)
        }
        streams[id]?.deadline = now.advanced(by: limits.streamHandshakeLimit)
        timers.schedule(.stream(id), at: streams[id]?.deadline)
        outputs.append(.sendStream(id, StreamFraming.framed(response)))
    }

    private func transportKeys(of handshake: NoiseHandshake) throws(DropReasonError) -> NoiseTransportKeys {
        do {
            return try handshake.transportKeys()
        } catch {
            throw DropReasonError(.handshakeFailed)
        }
    }

    /// As over datagrams, a peer's oldest unconfirmed handshake gives way.
    private mutating func makeRoomForStream(to peer: AgreementPublicKey, at now: MonotonicInstant) {
        let same = streams.filter { $0.value.link == nil && $0.value.introduction?.peer == peer }
        guard same.count >= limits.maximumProvisionalSessionsPerPeer,
            let oldest = same.min(by: { ($0.value.openedAt, $0.key) < ($1.value.openedAt, $1.key) })
        else { return }
        discardStream(oldest.key)
    }

    mutating func finishStreamDial(
        _ id: StreamID, _ frame: [UInt8], dial dialID: DialID, handshake: NoiseHandshake, at now: MonotonicInstant
    ) throws(DropReasonError) {
        guard frame.first == PacketType.response.rawValue, let dial = dials[dialID] else {
            throw DropReasonError(.handshakeFailed)
        }
        if dial.target.handshake == .friend, try !isApproved(dial, handshake: handshake, response: frame) {
            dials[dialID]?.heldFrame = (id, frame)
            return
        }
        guard let answer = HandshakeMessages.finish(handshake, of: dial.target.handshake, response: frame),
            let introduction = introduction(from: answer, dial: dial)
        else { throw DropReasonError(.handshakeFailed) }
        guard introduction.peer != staticKey.publicKey else {
            return abortStream(id, failure: .ownDevice, at: now)
        }
        let session = StreamSession(keys: try transportKeys(of: answer.handshake))
        streams[id]?.phase = .open(session, introduction)
        endStreamAttempt(dialID, failure: nil, at: now)
        if let final = answer.final { outputs.append(.sendStream(id, StreamFraming.framed(final))) }
        _ = attachStream(id, at: now)
    }

    private mutating func finishStreamAnswer(
        _ id: StreamID, _ frame: [UInt8], asked: Asked, at now: MonotonicInstant
    ) throws(DropReasonError) {
        var handshake = asked.handshake
        guard frame.count == HandshakeMessages.finalSize, frame.first == PacketType.final.rawValue else {
            throw DropReasonError(.malformed)
        }
        // Why it fails does not matter: the stream is closed.
        guard (try? handshake.readMessage(Array(frame[HandshakeMessages.finalHeaderSize...]))) == [],
            let peer = handshake.remoteStaticKey, peer != staticKey.publicKey
        else {
            // Whatever Noise did not like, the stream is closed for it.
            throw DropReasonError(.handshakeFailed)
        }
        let session = StreamSession(keys: try transportKeys(of: handshake))
        streams[id]?.phase = .open(session, asked.introduction(peer: peer))
        _ = attachStream(id, at: now)
    }

    private mutating func receiveTransportFrame(
        _ frame: [UInt8], on id: StreamID, at now: MonotonicInstant
    ) throws(DropReasonError) {
        guard case .open(var session, let introduction) = streams[id]?.phase else { return }
        let plaintext: [UInt8]
        do {
            plaintext = try session.open(frame)
        } catch {
            throw DropReasonError(.authenticationFailed)
        }
        streams[id]?.phase = .open(session, introduction)
        streams[id]?.lastHeard = now
        guard let link = streams[id]?.link ?? attachStream(id, at: now) else { return }
        links[link]?.streamHeard = now
        receivePacket(plaintext, on: link, from: .stream(id), at: now)
    }

    // MARK: Sending

    mutating func sendFrame(_ packet: LinkPacket, on id: StreamID, at now: MonotonicInstant) {
        guard case .open(var session, let introduction) = streams[id]?.phase,
            let frame = session.seal(packet.encoded())
        else { return }
        streams[id]?.phase = .open(session, introduction)
        streams[id]?.lastSent = now
        if packet.isUse { streams[id]?.lastMessage = now }
        outputs.append(.sendStream(id, frame))
    }

    // MARK: Paths

    /// Joins an authenticated stream to its link, opening that if need be.
    private mutating func attachStream(_ id: StreamID, at now: MonotonicInstant) -> LinkID? {
        guard let stream = streams[id], let introduction = stream.introduction else { return nil }
        guard let (link, isNew) = joinLink(introduction, endpoint: stream.endpoint, at: now) else {
            discardStream(id)
            return nil
        }
        streams[id]?.link = link
        streams[id]?.idleCheck = now.advanced(by: limits.streamIdleLimit)
        links[link]?.streamHeard = now
        touch(link)
        sendFrame(keepalive(to: stream.endpoint, of: link), on: id, at: now)
        if let current = links[link]?.stream {
            let isBetter = prefers(id, to: current)
            retire(isBetter ? current : id, of: link, at: now)
            if isBetter { useStream(id, of: link) }
        } else {
            useStream(id, of: link)
            if !isNew { notePathChange(link) }
        }
        timers.schedule(.stream(id), at: deadline(ofStream: id))
        boundStreams(at: now)
        return links[link] == nil ? nil : link
    }

    private mutating func useStream(_ id: StreamID, of link: LinkID) {
        guard let endpoint = streams[id]?.endpoint else { return }
        links[link]?.stream = id
        links[link]?.streamEndpoint = endpoint
    }

    private func prefers(_ new: StreamID, to current: StreamID) -> Bool {
        guard let newer = streams[new], let older = streams[current], let newIntroduction = newer.introduction,
            let oldIntroduction = older.introduction
        else { return true }
        let areSimultaneous = older.openedAt.duration(to: newer.openedAt) < limits.streamHandshakeLimit
        return Self.prefers(
            newIntroduction, to: oldIntroduction, areSimultaneous: areSimultaneous, own: staticKey.publicKey)
    }

    /// Sends nothing more on a stream; it is closed once the peer, too, has said so.
    mutating func retire(_ id: StreamID, of link: LinkID, at now: MonotonicInstant) {
        guard streams[id]?.hasSentFinish == false else { return }
        if links[link]?.stream == id { links[link]?.stream = nil }
        links[link]?.retiringStreams.append(id)
        sendFrame(.finish, on: id, at: now)
        streams[id]?.hasSentFinish = true
        streams[id]?.deadline = now.advanced(by: Self.finishLimit)
        timers.schedule(.stream(id), at: streams[id]?.deadline)
        touch(link)
        // Who does not finish has no more of them for it.
        if let retiring = links[link]?.retiringStreams, retiring.count >= limits.maximumStreamsPerLink {
            abortStream(retiring[0], failure: .unanswered, at: now)
        }
    }

    /// How long a stream may take to empty once this side has finished with it.
    static let finishLimit: Duration = .seconds(30)

    mutating func receiveFinish(on id: StreamID, of link: LinkID, at now: MonotonicInstant) {
        streams[id]?.hasReceivedFinish = true
        let wasUsed = links[link]?.stream == id
        retire(id, of: link, at: now)
        discardStream(id)
        _ = detachStream(id, from: link)
        if wasUsed || links[link]?.hasPath == false { noteLostPath(of: link, reason: .pathLost, at: now) }
    }

    /// A stream failed or was closed by the other side.
    mutating func loseStream(_ id: StreamID, failure: DialFailure, at now: MonotonicInstant) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        timers.schedule(.stream(id), at: nil)
        noteEnd(of: id, stream, failure: failure, reason: .pathLost, at: now)
    }

    /// This side gives a stream up.
    mutating func abortStream(
        _ id: StreamID, failure: DialFailure, reason: LinkCloseReason = .pathLost, at now: MonotonicInstant
    ) {
        guard let stream = streams[id] else { return }
        discardStream(id)
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

    /// Lets a link send again what a stream that is gone may not have delivered.
    ///
    /// - Returns: whether it was the stream in use.
    private mutating func detachStream(_ id: StreamID, from link: LinkID) -> Bool {
        let wasUsed = links[link]?.stream == id
        if wasUsed { links[link]?.stream = nil }
        links[link]?.retiringStreams.removeAll { $0 == id }
        links[link]?.sequencer.recall(from: .stream(id))
        touch(link)
        return wasUsed
    }

    /// Closes a stream, if it is not closed yet, and forgets it.
    mutating func discardStream(_ id: StreamID) {
        timers.schedule(.stream(id), at: nil)
        if streams.removeValue(forKey: id) != nil { outputs.append(.closeStream(id)) }
    }
}
