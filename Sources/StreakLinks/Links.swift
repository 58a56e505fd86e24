public import StreakCrypto
public import StreakWire

/// Turns datagrams and streams into authenticated links between devices, and back.
///
/// Pure: bytes, times and randomness come in; `outputs` and `events` collect until `drain`. Protocol/links.md.
///
/// Reliable messages survive lost paths, changed addresses and renewed sessions. They are lost only with the link
/// itself, which `closed` reports.
public struct Links: Sendable {
    /// Shown to anybody who dials under this device's friend code: at most 1,077 bytes.
    public var friendCredential: [UInt8] = []
    /// The payload of keepalives on links that have no own one. Longer than 64 bytes is not sent.
    public var keepalivePayload: [UInt8] = []

    let staticKey: AgreementSecretKey
    let limits: LinkLimits
    package var knockHopLimit: UInt8 { limits.knockHopLimit }
    var links = LinkTable()
    var dials = Dials()
    var gate: Gate
    var sessions = DatagramSessions()
    var streams: Streams
    var out = Outbox()

    public init(staticKey: AgreementSecretKey, limits: LinkLimits = LinkLimits()) {
        self.staticKey = staticKey
        self.limits = limits
        gate = Gate(limits)
        streams = Streams(limits)
    }

    /// Sets the keys that open one kind of handshake here, the most likely first: groups with the newest first, live
    /// invites, and this device's friend code if it answers to it.
    public mutating func setKeys(_ keys: [LinkKey], for handshake: HandshakeKind) {
        gate.setKeys(keys, for: handshake)
    }

    /// The number of the next dialled stream; odd. A successor of this value must start here, because no number is used
    /// twice.
    public var nextStream: UInt64 {
        get { streams.next }
        set { streams.next = newValue }
    }

    /// Returns and removes what has collected, in order.
    public mutating func drain() -> (outputs: [LinkOutput], events: [LinkEvent]) { out.drain() }

    /// When `deadlineReached` is due; nil without a deadline. May be too early, never too late.
    public var nextDeadline: MonotonicInstant? { out.timers.next }

    /// Live links, in the order they were opened.
    public var liveLinks: [LinkID] { links.ids }

    public mutating func handle(
        _ input: LinkInput, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        switch input {
        case .datagramReceived(let packet, let source):
            receiveDatagram(packet, from: source, at: now, entropy: &entropy)
        case .streamAccepted(let id, let source):
            acceptStream(id, from: source, at: now)
        case .streamOpened(let id):
            beginStreamHandshake(id, at: now, entropy: &entropy)
        case .streamFailed(let id), .streamClosed(let id):
            loseStream(id, failure: .unanswered, at: now)
        case .streamBytesReceived(let id, let bytes):
            receiveStreamBytes(id, bytes, at: now, entropy: &entropy)
        case .deadlineReached:
            handleDeadlines(at: now, entropy: &entropy)
        }
        settle(at: now)
    }

    /// Opens a link, or one more path of it. With a known `peer` the key is an access key, otherwise an invite's or a
    /// friend code's.
    ///
    /// Ends in `opened`, in `pathChanged` of an existing link, or in `dialFailed`.
    @discardableResult
    public mutating func dial(
        peer: AgreementPublicKey?, key: LinkKey, to endpoint: Endpoint, usesDatagrams: Bool = true,
        usesStreams: Bool = true, manner: DialManner = .plain, at now: MonotonicInstant,
        entropy: inout some EntropySource
    ) -> DialID {
        let id = startDial(
            Dial.Target(peer: peer, key: key, endpoint: endpoint, rekeys: nil), usesDatagrams: usesDatagrams,
            usesStreams: usesStreams, manner: manner, at: now, entropy: &entropy)
        settle(at: now)
        return id
    }

    /// Sends a message of at most 60,000 bytes.
    ///
    /// - Returns: false, with nothing sent, if the link is gone, the message is too long, or too much is queued.
    @discardableResult
    public mutating func send(
        _ message: [UInt8], over id: LinkID, as urgency: Urgency, at now: MonotonicInstant
    ) -> Bool {
        guard links[id] != nil, message.count <= LinkPacket.maximumMessageSize else { return false }
        let fitsDatagram = message.count <= LinkPacket.maximumRumourSize
        if urgency == .rumour, fitsDatagram, links[id]?.datagrams != nil {
            sendDatagram(.rumour(message), over: id, at: now)
        } else {
            guard queuedByteCount(id) + message.count <= limits.maximumQueuedByteCount else { return false }
            links[id]?.sequencer.queue(message)
        }
        out.touch(id)
        settle(at: now)
        return true
    }

    /// Sets whom a link leads to. Until then it counts as a stranger's.
    public mutating func setParty(_ party: LinkParty, for id: LinkID, at now: MonotonicInstant) {
        guard let link = links[id], link.party != party else { return }
        links[id]?.party = party
        streams.setParty(party, of: link.streams)
        closeSurplusStreams(at: now)
        settle(at: now)
    }

    /// Tells the peer and forgets the link. `closed` follows; undelivered messages are lost.
    public mutating func close(_ id: LinkID, at now: MonotonicInstant) {
        guard links[id] != nil else { return }
        sendClose(id, at: now)
        forget(id, reason: .closedHere, at: now)
        settle(at: now)
    }

    /// Sets the payload of this link's keepalives, from the next one on. Longer than 64 bytes is not sent.
    public mutating func setKeepalivePayload(_ payload: [UInt8], for id: LinkID) {
        links[id]?.keepalivePayload = payload
    }

    public func pathSummary(_ id: LinkID) -> LinkPathSummary? {
        guard let link = links[id] else { return nil }
        return LinkPathSummary(
            via: link.via, endpoint: link.endpoint, hasStream: link.stream != nil, hasDatagrams: link.datagrams != nil,
            lastHeard: link.lastHeard, nextExpected: nextExpected(on: link),
            roundTripTime: link.channel.roundTrip.smoothed)
    }

    private func nextExpected(on link: Link) -> MonotonicInstant {
        let stream = link.stream.flatMap { streams[$0] }
        return [
            link.datagrams.map { $0.lastHeard.advanced(by: $0.peerInterval) },
            stream.map { $0.lastHeard.advanced(by: $0.peerInterval) },
        ].compactMap(\.self).max() ?? link.lastHeard
    }

    /// This device's key, by which peers know it.
    public var publicKey: AgreementPublicKey { staticKey.publicKey }

    /// The endpoint that a dial under way tries.
    package func endpoint(of id: DialID) -> Endpoint? { dials[id]?.target.endpoint }

    /// The peer of a live link.
    public func peer(of id: LinkID) -> AgreementPublicKey? { links[id]?.peer }

    /// The live link to a device.
    public func link(to peer: AgreementPublicKey) -> LinkID? { links[peer] }

    /// Bytes of reliable messages that the peer has not acknowledged yet.
    public func queuedByteCount(_ id: LinkID) -> Int { links[id]?.sequencer.queuedByteCount ?? 0 }

    // MARK: After each input

    /// Sends what can go on every touched link, and sets its deadline.
    mutating func settle(at now: MonotonicInstant) {
        while case let ids = out.takeTouched(), !ids.isEmpty {
            for id in ids {
                for dispatch in links[id]?.pump(at: now) ?? [] {
                    switch dispatch {
                    case .datagram(let packet): sendDatagram(packet, over: id, at: now)
                    case .stream(let stream, let packet): streams.send(packet, on: stream, at: now, out: &out)
                    }
                }
                out.timers.schedule(.link(id), at: links[id]?.nextDeadline(limits))
            }
        }
    }

    func keepalive(to endpoint: Endpoint, of id: LinkID) -> LinkPacket {
        let seconds = limits.keepaliveInterval(to: endpoint).components.seconds
        return .keepalive(
            interval: UInt8(clamping: max(1, seconds)),
            payload: Array((links[id]?.keepalivePayload ?? keepalivePayload).prefix(LinkPacket.maximumPayloadSize)))
    }

    /// An index that no handshake or session uses.
    func newIndex(entropy: inout some EntropySource) -> UInt32 {
        while true {
            let index = UInt32(truncatingIfNeeded: randomWord(entropy: &entropy))
            if sessions.isFree(index), dials.dial(under: index) == nil { return index }
        }
    }

    func randomWord(entropy: inout some EntropySource) -> UInt64 {
        entropy.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
