import StreakWire

/// Where a link's datagrams go, and under which sessions.
struct DatagramPath: Sendable {
    /// A ping to an address the peer seems to have moved to.
    private struct Probe: Sendable {
        let endpoint: Endpoint
        let token: UInt64
        let sentAt: MonotonicInstant
    }

    /// What an initiator repeats until it hears the responder under the new session.
    struct Hello: Sendable {
        let session: UInt32
        /// Message 3, where the handshake has one.
        let final: [UInt8]?
        let token: UInt64
        let startedAt: MonotonicInstant
        fileprivate(set) var nextAttempt: MonotonicInstant
    }

    private(set) var endpoint: Endpoint
    /// The session packets are sent under.
    private(set) var current: UInt32
    /// Older ones, or the losers of a simultaneous dial, under which packets may still come.
    private(set) var draining: [UInt32] = []
    private(set) var drainingSince: MonotonicInstant
    private(set) var lastSent: MonotonicInstant
    private(set) var lastHeard: MonotonicInstant
    /// How often the peer says it sends when idle.
    private(set) var peerInterval: Duration
    private var lastPing: MonotonicInstant?
    private var probe: Probe?
    private(set) var hello: Hello?
    /// The session that was given up because its responder was not heard under it; one of `draining`.
    private var abandoned: UInt32?

    init(endpoint: Endpoint, session: UInt32, peerInterval: Duration, at now: MonotonicInstant) {
        self.endpoint = endpoint
        current = session
        drainingSince = now
        lastSent = now
        lastHeard = now
        self.peerInterval = peerInterval
    }

    var sessions: [UInt32] { [current] + draining }

    /// Whether no keepalive of the peer is overdue.
    func isFresh(at now: MonotonicInstant) -> Bool { lastHeard.duration(to: now) < peerInterval * 3 / 2 }

    mutating func setPeerInterval(_ interval: Duration) { peerInterval = interval }

    mutating func noteSent(at now: MonotonicInstant) { lastSent = now }

    /// The peer was heard under a session.
    mutating func noteHeard(under session: UInt32, at now: MonotonicInstant) {
        lastHeard = now
        if hello?.session == session { hello = nil }
        if abandoned == session { resume(session, at: now) }
    }

    // MARK: Sessions

    /// Takes one more session, to send under it if it is preferred.
    ///
    /// - Returns: the sessions that are too many.
    mutating func take(_ session: UInt32, isPreferred: Bool, at now: MonotonicInstant) -> [UInt32] {
        if isPreferred {
            draining.append(current)
            current = session
            abandoned = nil
        } else {
            draining.append(session)
        }
        drainingSince = now
        lastHeard = now
        let surplus = draining.prefix(max(0, draining.count - 3))
        draining.removeFirst(surplus.count)
        return Array(surplus)
    }

    /// Goes back from the newest session, under which its responder was not heard, to the one before it. What comes under the
    /// newest is still read: the responder may send under it, while only what it has sent so far was lost.
    ///
    /// - Returns: false if there is none before it.
    mutating func abandon(_ session: UInt32, at now: MonotonicInstant) -> Bool {
        hello = nil
        if current == session {
            guard let previous = draining.popLast() else { return false }
            current = previous
            draining.append(session)
            abandoned = session
        }
        drainingSince = now
        return true
    }

    /// The responder of a session that was given up is heard under it: both send under it from now on.
    private mutating func resume(_ session: UInt32, at now: MonotonicInstant) {
        abandoned = nil
        draining.removeAll { $0 == session }
        draining.append(current)
        current = session
        drainingSince = now
    }

    /// When the sessions that were replaced are looked at again.
    func drainingEnd(_ limits: LinkLimits) -> MonotonicInstant? {
        draining.isEmpty ? nil : drainingSince.advanced(by: limits.rekeyGrace)
    }

    /// Drops the sessions that were replaced long ago, but for those the peer still uses.
    ///
    /// - Returns: the dropped ones.
    mutating func drain(keeping isUsed: (UInt32) -> Bool, at now: MonotonicInstant) -> [UInt32] {
        let used = draining.filter(isUsed)
        defer {
            draining = used
            drainingSince = now
        }
        return draining.filter { !used.contains($0) }
    }

    // MARK: Hello

    mutating func begin(
        _ session: UInt32, final: [UInt8]?, token: UInt64, at now: MonotonicInstant
    ) {
        hello = Hello(session: session, final: final, token: token, startedAt: now, nextAttempt: now)
    }

    /// What is to be said now, and again at a steady pace: the response has shown that the way is there, and the responder
    /// may count on this session already.
    mutating func nextHello(at now: MonotonicInstant) -> Hello? {
        hello?.nextAttempt = now.advanced(by: Dial.firstRepetition)
        return hello
    }

    // MARK: Roaming

    /// Goes to an address that was dialled: an answer shows that it is reached, where a responder waits for the pong. A local
    /// address that works is not given up for another.
    ///
    /// - Returns: whether it has moved.
    mutating func move(to dialled: Endpoint, unlessFresh wasFresh: Bool) -> Bool {
        guard dialled != endpoint, dialled.isLocal || !endpoint.isLocal || !wasFresh else { return false }
        endpoint = dialled
        return true
    }

    /// Whether to ask at another address than before whether the peer has moved there: its packet may have been captured and
    /// sent on by somebody else.
    func asks(_ source: Endpoint, at now: MonotonicInstant) -> Bool {
        guard endpoint != source else { return false }
        guard let probe, probe.endpoint == source else { return true }
        return probe.sentAt.duration(to: now) >= Dial.firstRepetition
    }

    mutating func ask(_ source: Endpoint, token: UInt64, at now: MonotonicInstant) {
        probe = Probe(endpoint: source, token: token, sentAt: now)
    }

    /// An answer to that question: the path moves.
    ///
    /// - Returns: the round trip; nil if it was not asked.
    mutating func answer(_ token: UInt64, from source: Endpoint, at now: MonotonicInstant) -> Duration? {
        guard let probe, probe.token == token, probe.endpoint == source else { return nil }
        self.probe = nil
        endpoint = source
        return probe.sentAt.duration(to: now)
    }

    // MARK: Time

    /// When a silent path counts as dead: three keepalives of the peer did not come.
    var silenceEnd: MonotonicInstant { lastHeard.advanced(by: peerInterval * 3) }

    /// After two missed keepalives the peer is asked, several times: on a bad path the third may be lost as well.
    var nextLivenessPing: MonotonicInstant {
        let first = lastHeard.advanced(by: peerInterval * 21 / 10)
        guard let lastPing, lastPing >= first else { return first }
        return lastPing.advanced(by: peerInterval / 5)
    }

    mutating func notePing(at now: MonotonicInstant) { lastPing = now }

    func keepaliveDue(_ limits: LinkLimits) -> MonotonicInstant {
        lastSent.advanced(by: limits.keepaliveInterval(to: endpoint))
    }

    /// When a session whose responder was never heard is given up.
    func helloEnd(_ limits: LinkLimits) -> MonotonicInstant? { hello?.startedAt.advanced(by: limits.datagramDialLimit) }

    /// When something is to be done about it.
    func nextDeadline(_ limits: LinkLimits) -> MonotonicInstant {
        [hello?.nextAttempt, helloEnd(limits), drainingEnd(limits)].compactMap(\.self)
            .reduce(min(keepaliveDue(limits), nextLivenessPing, silenceEnd)) { min($0, $1) }
    }
}
