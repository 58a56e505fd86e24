public import StreakCrypto
public import StreakWire

/// Turns datagrams and streams into authenticated links between devices, and back.
///
/// Pure: bytes, times and randomness come in; `outputs` and `events` collect until `drain`. Protocol/links.md.
///
/// Reliable messages survive the loss of a path, a change of address and the renewal of sessions; they are lost only
/// with the link itself, of which `closed` tells.
public struct Links: Sendable {
    /// Keys of groups, newest first: what the first message of a dial by a group member is tried against.
    public var accessKeys: [LinkKey] = []
    /// Keys of live invites, for newcomers.
    public var inviteKeys: [LinkKey] = []
    /// The key of this device's own friend code, if it answers to it.
    public var friendKeys: [LinkKey] = []
    /// What is shown to whoever dials under it: at most 1,077 bytes.
    public var friendCredential: [UInt8] = []
    /// What keepalives carry on links without a payload of their own; what exceeds 64 bytes is not sent.
    public var keepalivePayload: [UInt8] = []
    public internal(set) var outputs: [LinkOutput] = []
    public internal(set) var events: [LinkEvent] = []

    /// Whose deadline it is.
    enum Timer: Hashable, Comparable, Sendable {
        case link(LinkID)
        case dial(DialID)
        case stream(StreamID)
        case answer(UInt32)
    }

    let staticKey: AgreementSecretKey
    let limits: LinkLimits
    var links = SortedTable<LinkID, Link>()
    var linkByPeer: [AgreementPublicKey: LinkID] = [:]
    var dials: [DialID: Dial] = [:]
    /// Dials by the index their message 1 over datagrams asks to be answered under.
    var dialByIndex: [UInt32: DialID] = [:]
    /// Sessions over datagrams, provisional ones included, by the index in packets to this side.
    var sessions: [UInt32: DatagramSession] = [:]
    /// Handshakes answered over datagrams, until the initiator shows that it is there.
    var answers: [UInt32: Answer] = [:]
    /// The index each message 1 was answered under, by its tag, as long as its answer or session lives.
    var answeredTags: [Bytes16: UInt32] = [:]
    /// Tags of messages 1 that were answered once and are nobody's any more.
    var spentTags = SpentTags()
    var streams: [StreamID: LinkStream] = [:]
    var limiter: SourceLimiter
    var friendLimiter: SourceLimiter
    var timers = DeadlineQueue<Timer>()
    /// Links that may have something to send, or another deadline.
    var touched: [LinkID] = []
    private var lastLink: UInt64 = 0
    private var lastDial: UInt64 = 0
    /// The number of the next stream dialled; odd. A successor of these links starts here, for no number is used twice.
    public var nextStream: UInt64 = 1

    public init(staticKey: AgreementSecretKey, limits: LinkLimits = LinkLimits()) {
        self.staticKey = staticKey
        self.limits = limits
        limiter = SourceLimiter(limits.taglessMessages, maximumSources: limits.maximumLimitedSources)
        friendLimiter = SourceLimiter(limits.friendHandshakes, maximumSources: limits.maximumLimitedSources)
    }

    /// Takes out what has collected, in order.
    public mutating func drain() -> (outputs: [LinkOutput], events: [LinkEvent]) {
        let drained = (outputs, events)
        outputs = []
        events = []
        return drained
    }

    /// When `deadlineReached` is due; nil if nothing waits for time to pass. Often earlier than needed, never later.
    public var nextDeadline: MonotonicInstant? { timers.next }

    /// Live links, in the order they were opened.
    public var liveLinks: [LinkID] { links.keys }

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

    /// Opens a link, or a further path of one. With a known `peer` the key is an access key, without one an invite's or a
    /// friend code's.
    ///
    /// Ends in `opened`, in `pathChanged` of an existing link, or in `dialFailed`.
    @discardableResult
    public mutating func dial(
        peer: AgreementPublicKey?, key: LinkKey, to endpoint: Endpoint, usesDatagrams: Bool = true,
        usesStreams: Bool = true, at now: MonotonicInstant, entropy: inout some EntropySource
    ) -> DialID {
        let id = startDial(
            Dial.Target(peer: peer, key: key, endpoint: endpoint, rekeys: nil), usesDatagrams: usesDatagrams,
            usesStreams: usesStreams, at: now, entropy: &entropy)
        settle(at: now)
        return id
    }

    /// Sends a message of at most 60,000 bytes.
    ///
    /// - Returns: false, and nothing is sent, if the link is gone, the message too long, or too much is queued.
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
        touch(id)
        settle(at: now)
        return true
    }

    /// Tells the peer, and forgets the link. `closed` follows; messages not yet delivered are gone.
    public mutating func close(_ id: LinkID, at now: MonotonicInstant) {
        guard links[id] != nil else { return }
        tellClosing(id, at: now)
        forget(id, reason: .closedHere, at: now)
        settle(at: now)
    }

    /// Sets what keepalives carry on this link, from the next one on; what exceeds 64 bytes is not sent.
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

    /// Where a dial under way is directed to.
    func endpoint(of id: DialID) -> Endpoint? { dials[id]?.target.endpoint }

    /// Whom a live link leads to.
    public func peer(of id: LinkID) -> AgreementPublicKey? { links[id]?.peer }

    /// The live link to a device.
    public func link(to peer: AgreementPublicKey) -> LinkID? { linkByPeer[peer] }

    /// Bytes of reliable messages the peer has not acknowledged yet.
    public func queuedByteCount(_ id: LinkID) -> Int { links[id]?.sequencer.queuedByteCount ?? 0 }

    // MARK: Numbers

    mutating func newLinkID() -> LinkID {
        lastLink += 1
        return LinkID(lastLink)
    }

    mutating func newDialID() -> DialID {
        lastDial += 1
        return DialID(lastDial)
    }

    mutating func newStreamID() -> StreamID {
        defer { nextStream += 2 }
        return StreamID(nextStream)
    }

    /// An index that no handshake or session has.
    func newIndex(entropy: inout some EntropySource) -> UInt32 {
        while true {
            let index = UInt32(truncatingIfNeeded: randomWord(entropy: &entropy))
            if sessions[index] == nil, answers[index] == nil, dialByIndex[index] == nil { return index }
        }
    }

    func randomWord(entropy: inout some EntropySource) -> UInt64 {
        entropy.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func drop(_ reason: DropReason) {
        events.append(.dropped(reason))
    }

    // MARK: Settling

    mutating func touch(_ id: LinkID) {
        if !touched.contains(id) { touched.append(id) }
    }

    /// Sends what can go on every touched link, and sets its deadline.
    mutating func settle(at now: MonotonicInstant) {
        while !touched.isEmpty {
            let ids = touched
            touched = []
            for id in ids {
                for dispatch in links[id]?.pump(at: now) ?? [] {
                    switch dispatch {
                    case .datagram(let packet): sendDatagram(packet, over: id, at: now)
                    case .stream(let stream, let packet): sendFrame(packet, on: stream, at: now)
                    }
                }
                timers.schedule(.link(id), at: deadline(of: id))
            }
        }
    }

    /// The interval after which an idle path to `endpoint` carries a keepalive.
    func keepaliveInterval(to endpoint: Endpoint) -> Duration {
        endpoint.isLocal ? limits.localKeepalive : limits.remoteKeepalive
    }

    func keepalive(to endpoint: Endpoint, of id: LinkID) -> LinkPacket {
        let seconds = keepaliveInterval(to: endpoint).components.seconds
        return .keepalive(
            interval: UInt8(clamping: max(1, seconds)),
            payload: Array((links[id]?.keepalivePayload ?? keepalivePayload).prefix(LinkPacket.maximumPayloadSize)))
    }
}
