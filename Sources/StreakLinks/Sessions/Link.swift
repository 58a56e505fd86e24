import StreakCrypto
import StreakWire

/// The paths to one live peer and the messages that wait for them. It decides what to send; `Links` encrypts and sends.
struct Link: Sendable {
    /// The renewal under way.
    private struct Rekeying: Sendable {
        let startedAt: MonotonicInstant
        /// Nil between two attempts.
        var dial: DialID?
        var nextAttempt: MonotonicInstant
    }

    /// The next step in renewing the session.
    enum RenewalStep {
        case none, dial, giveUp
    }

    /// Something to send, and how.
    enum Dispatch: Sendable {
        case datagram(LinkPacket)
        case stream(StreamID, LinkPacket)
    }

    let id: LinkID
    let introduction: Introduction
    let binding: [UInt8]
    var party = LinkParty.stranger
    @Indirect var datagrams: DatagramPath? = nil
    /// The stream on which messages are sent.
    private(set) var stream: StreamID?
    private var streamEndpoint: Endpoint
    /// When the peer was last heard on a stream.
    private var streamHeard: MonotonicInstant
    /// Streams that only receive the rest of what is under way.
    private(set) var retiringStreams: [StreamID] = []
    private var rekeying: Rekeying?
    /// The session is in use and too old.
    private var needsRekeying = false
    /// The payload of keepalives, if it differs from other links'.
    var keepalivePayload: [UInt8]?
    @Indirect var channel = ReliableChannel(maximumMessageSize: ChannelMessage.maximumSize)
    @Indirect var sequencer = MessageSequencer()

    init(id: LinkID, introduction: Introduction, binding: [UInt8], endpoint: Endpoint, now: MonotonicInstant) {
        self.id = id
        self.introduction = introduction
        self.binding = binding
        streamEndpoint = endpoint
        streamHeard = now
    }

    var peer: AgreementPublicKey { introduction.peer }
    var endpoint: Endpoint { datagrams?.endpoint ?? streamEndpoint }
    var via: LinkVia { endpoint.isLocal ? .lan : .internet }
    var hasPath: Bool { datagrams != nil || stream != nil }
    var sessions: [UInt32] { datagrams?.sessions ?? [] }
    var streams: [StreamID] { (stream.map { [$0] } ?? []) + retiringStreams }

    var lastHeard: MonotonicInstant {
        guard let datagrams else { return streamHeard }
        return max(datagrams.lastHeard, streamHeard)
    }

    /// Everything that can be sent now: messages onto a path, fragments, acknowledgements.
    mutating func pump(at now: MonotonicInstant) -> [Dispatch] {
        var dispatches: [Dispatch] = []
        if let stream {
            // Datagrams seem to be lost for good, and there is a stream, so wait no longer.
            if channel.isStalled { sequencer.recall(from: .channel) }
            while let next = sequencer.next(for: .stream(stream)) {
                let received = sequencer.acknowledgement()
                let message = LinkPacket.message(sequence: next.sequence, received: received, bytes: next.bytes)
                dispatches.append(.stream(stream, message))
            }
        } else if datagrams != nil {
            while channel.hasRoom, let next = sequencer.next(for: .channel) {
                let message = ChannelMessage.encoded(sequence: next.sequence, bytes: next.bytes)
                channel.queue(message, token: next.sequence)
            }
        }
        if let deadline = sequencer.acknowledgementDeadline, deadline <= now {
            let packet = LinkPacket.received(sequencer.acknowledgement())
            if let stream = stream ?? retiringStreams.last {
                dispatches.append(.stream(stream, packet))
            } else {
                dispatches.append(.datagram(packet))
            }
        }
        if datagrams != nil {
            for fragment in channel.transmissions(at: now) { dispatches.append(.datagram(.fragment(fragment))) }
            if let acknowledgement = channel.dueAcknowledgement(at: now) {
                dispatches.append(.datagram(.acknowledgement(acknowledgement)))
            }
        }
        return dispatches
    }

    /// When this link next needs attention.
    func nextDeadline(_ limits: LinkLimits) -> MonotonicInstant? {
        guard let datagrams else { return sequencer.acknowledgementDeadline }
        return [
            sequencer.acknowledgementDeadline, channel.nextDeadline, datagrams.nextDeadline(limits),
            rekeying.map { $0.startedAt.advanced(by: limits.rekeyGrace) },
            rekeying.flatMap { $0.dial == nil ? $0.nextAttempt : nil },
            rekeying == nil && needsRekeying ? datagrams.lastSent : nil,
        ].compactMap(\.self).min()
    }

    // MARK: Streams

    /// Sends messages on this stream from now on.
    mutating func use(_ stream: StreamID, to endpoint: Endpoint) {
        self.stream = stream
        streamEndpoint = endpoint
    }

    mutating func noteStreamHeard(at now: MonotonicInstant) { streamHeard = now }

    /// Only receives on this stream from now on.
    mutating func retire(_ stream: StreamID) {
        if self.stream == stream { self.stream = nil }
        retiringStreams.append(stream)
    }

    /// Queues again what a lost stream may not have delivered.
    ///
    /// - Returns: whether it was the stream in use.
    mutating func detach(_ stream: StreamID) -> Bool {
        let wasUsed = self.stream == stream
        if wasUsed { self.stream = nil }
        retiringStreams.removeAll { $0 == stream }
        sequencer.recall(from: .stream(stream))
        return wasUsed
    }

    // MARK: Renewal of the session

    /// The dial that renews the session, if one is under way.
    var rekeyingDial: DialID? { rekeying?.dial }

    /// The initiator of a used session renews it when it is old enough.
    mutating func noteUse(of session: DatagramSession, age: Duration, at now: MonotonicInstant) {
        guard session.introduction.isInitiator, datagrams?.current == session.localIndex, rekeying == nil,
            session.createdAt.duration(to: now) >= age
        else { return }
        needsRekeying = true
    }

    mutating func nextRenewalStep(_ limits: LinkLimits, at now: MonotonicInstant) -> RenewalStep {
        if needsRekeying, rekeying == nil {
            needsRekeying = false
            rekeying = Rekeying(startedAt: now, nextAttempt: now)
        }
        guard let rekeying else { return .none }
        if rekeying.startedAt.advanced(by: limits.rekeyGrace) <= now { return .giveUp }
        guard rekeying.dial == nil, rekeying.nextAttempt <= now else { return .none }
        self.rekeying?.nextAttempt = now.advanced(by: limits.datagramDialLimit)
        return .dial
    }

    mutating func beginRenewal(by dial: DialID) { rekeying?.dial = dial }

    /// A renewing dial has ended.
    ///
    /// - Returns: whether it was this link's.
    mutating func endRenewal(by dial: DialID, pause: Duration, at now: MonotonicInstant) -> Bool {
        guard rekeying?.dial == dial else { return false }
        rekeying?.dial = nil
        rekeying?.nextAttempt = now.advanced(by: pause)
        return true
    }

    // MARK: Sessions over datagrams

    /// Adds a session.
    ///
    /// - Returns: the sessions beyond the limit, and whether the path moved to the dialled endpoint.
    mutating func take(
        _ session: UInt32, isPreferred: Bool, dialled: Endpoint?, at now: MonotonicInstant
    ) -> (surplus: [UInt32], hasMoved: Bool) {
        guard let wasFresh = datagrams?.isFresh(at: now) else { return ([], false) }
        if isPreferred {
            needsRekeying = false
            if rekeying?.dial == nil { rekeying = nil }
        }
        let surplus = datagrams?.take(session, isPreferred: isPreferred, at: now) ?? []
        let hasMoved = dialled.flatMap { datagrams?.move(to: $0, unlessFresh: wasFresh) } ?? false
        return (surplus, hasMoved)
    }

    /// Datagrams no longer get through. Their messages go over a stream.
    mutating func loseDatagrams() {
        datagrams = nil
        rekeying = nil
        needsRekeying = false
        sequencer.recall(from: .channel)
    }
}

/// The live links, by number and by peer.
struct LinkTable: Sendable {
    private var links = SortedTable<LinkID, Link>()
    private var byPeer: [AgreementPublicKey: LinkID] = [:]
    private var last: UInt64 = 0

    var count: Int { links.count }
    /// In the order in which they were opened.
    var ids: [LinkID] { links.keys }

    subscript(id: LinkID) -> Link? {
        _read { yield links[id] }
        _modify { yield &links[id] }
    }

    subscript(peer: AgreementPublicKey) -> LinkID? { byPeer[peer] }

    mutating func open(
        _ introduction: Introduction, binding: [UInt8], endpoint: Endpoint, at now: MonotonicInstant
    ) -> LinkID {
        last += 1
        let id = LinkID(last)
        links[id] = Link(id: id, introduction: introduction, binding: binding, endpoint: endpoint, now: now)
        byPeer[introduction.peer] = id
        return id
    }

    mutating func remove(_ id: LinkID) -> Link? {
        guard let link = links.removeValue(forKey: id) else { return nil }
        byPeer[link.peer] = nil
        return link
    }

    /// The nonce that live links use with the sender of this one.
    func nonce(answering peerNonce: LinkNonce) -> LinkNonce? {
        for id in links.keys {
            if let known = links[id]?.introduction, known.peerNonce == peerNonce { return known.ownNonce }
        }
        return nil
    }
}
