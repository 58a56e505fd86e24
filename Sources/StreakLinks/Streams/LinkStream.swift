import StreakCrypto
import StreakWire

/// One stream, from opening to end.
struct LinkStream: Sendable {
    enum Phase: Sendable {
        case connecting(DialID)
        case awaitingResponse(DialID, NoiseHandshake)
        case awaitingInitiation
        /// XX: waits for message 3, which also reveals the peer.
        case awaitingFinal(AskedHandshake)
        case open(StreamSession, Introduction)
    }

    let endpoint: Endpoint
    let isDialled: Bool
    @Indirect var phase: Phase
    /// By when the handshake must be complete. After this side has sent its end: by when the peer must have closed it.
    var deadline: MonotonicInstant
    var buffer = FrameBuffer()
    /// Nil until the peer is authenticated and confirmed.
    var link: LinkID?
    /// Which share of the streams it uses up: a member's or that of strangers.
    var party = LinkParty.stranger
    var lastSent: MonotonicInstant
    var lastHeard: MonotonicInstant
    /// When a message was last sent or received.
    var lastMessage: MonotonicInstant
    var peerInterval: Duration = .seconds(110)
    var hasSentFinish = false
    /// When to check whether it is still used.
    var idleCheck: MonotonicInstant
    let openedAt: MonotonicInstant

    init(endpoint: Endpoint, isDialled: Bool, phase: Phase, now: MonotonicInstant) {
        self.endpoint = endpoint
        self.isDialled = isDialled
        self.phase = phase
        deadline = now
        lastSent = now
        lastHeard = now
        lastMessage = now
        idleCheck = now
        openedAt = now
    }

    /// The member whose share it counts against.
    var account: UserID? {
        if case .member(let account) = party, link != nil { account } else { nil }
    }

    /// Whether its peer has shown no key yet.
    var awaitsInitiation: Bool {
        if case .awaitingInitiation = phase { true } else { false }
    }

    var introduction: Introduction? {
        if case .open(_, let introduction) = phase { introduction } else { nil }
    }

    /// The nonces of an answered handshake that is not confirmed yet.
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

    // MARK: Time

    /// When this stream next needs attention.
    func nextDeadline(_ limits: LinkLimits) -> MonotonicInstant {
        guard link != nil, !hasSentFinish else { return deadline }
        let deadline = min(keepaliveDue(limits), silenceEnd, idleCheck)
        return buffer.stallEnd(limits).map { min($0, deadline) } ?? deadline
    }

    func keepaliveDue(_ limits: LinkLimits) -> MonotonicInstant {
        lastSent.advanced(by: limits.keepaliveInterval(to: endpoint))
    }

    /// When the stream counts as dead because no keepalive came. No ping is sent, because TCP sends lost bytes again. After
    /// an outage of 15 s they may come too late; then both sides dial again. Each part of a long frame counts as heard.
    private var silenceEnd: MonotonicInstant {
        max(lastHeard, buffer.lastPart ?? lastHeard).advanced(by: LinkLimits.silence(at: peerInterval))
    }

    func isDead(_ limits: LinkLimits, at now: MonotonicInstant) -> Bool {
        silenceEnd <= now || buffer.stallEnd(limits).map { $0 <= now } ?? false
    }

    /// Until when it counts as used.
    func idleEnd(_ limits: LinkLimits) -> MonotonicInstant { lastMessage.advanced(by: limits.streamIdleLimit) }
}

/// Bytes of a stream that are not a whole frame yet: a two-byte length, big-endian, then that many bytes.
struct FrameBuffer: Sendable {
    private var bytes: [UInt8] = []
    /// How much of `bytes` was taken out.
    private var position = 0
    /// When the first and the last byte of an unfinished frame arrived; nil without one.
    private var unfinished: (since: MonotonicInstant, last: MonotonicInstant)?

    var count: Int { bytes.count - position }

    /// When the newest part of an unfinished frame arrived.
    var lastPart: MonotonicInstant? { unfinished?.last }

    mutating func append(_ received: [UInt8]) { bytes += received }

    /// Removes and returns the next frame, if it is whole.
    ///
    /// - Throws: `malformed` if it is longer than allowed.
    mutating func next(atMost limit: Int) throws(DropReasonError) -> [UInt8]? {
        guard count >= 2 else { return nil }
        let size = Int(bytes[position]) << 8 | Int(bytes[position + 1])
        guard size <= limit else { throw DropReasonError(.malformed) }
        guard count - 2 >= size else { return nil }
        defer { position += 2 + size }
        return Array(bytes[(position + 2)..<(position + 2 + size)])
    }

    /// Keeps the rest once all whole frames are taken out.
    ///
    /// - Returns: whether there is any.
    mutating func keepRest(at now: MonotonicInstant) -> Bool {
        let isNew = position > 0
        bytes.removeFirst(position)
        position = 0
        unfinished = bytes.isEmpty ? nil : (isNew ? now : unfinished?.since ?? now, now)
        return !bytes.isEmpty
    }

    /// When to stop waiting for the rest of a frame. If the length was changed on the way, everything that follows would
    /// be taken for the rest of this frame.
    func stallEnd(_ limits: LinkLimits) -> MonotonicInstant? {
        unfinished.map {
            min($0.last.advanced(by: limits.streamStallLimit), $0.since.advanced(by: limits.streamFrameLimit))
        }
    }
}
