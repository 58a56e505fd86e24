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
        /// Message 3, if the handshake has one.
        let final: [UInt8]?
        let token: UInt64
        let startedAt: MonotonicInstant
        fileprivate(set) var nextAttempt: MonotonicInstant
    }

    private(set) var endpoint: Endpoint
    /// The session packets are sent under.
    private(set) var current: UInt32
    /// Sessions that are older, or lost against a simultaneous dial. Packets may still arrive under them.
    private(set) var draining: [UInt32] = []
    private(set) var drainingSince: MonotonicInstant
    private(set) var lastSent: MonotonicInstant
    private(set) var lastHeard: MonotonicInstant
    /// The keepalive interval that the peer announced.
    private(set) var peerInterval: Duration
    private var lastPing: MonotonicInstant?
    private var probe: Probe?
    private(set) var hello: Hello?
    /// The session given up because its responder was not heard under it. It is in `draining`.
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

    /// Adds a session, and sends under it if it is preferred.
    ///
    /// - Returns: the sessions beyond the limit.
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

    /// Returns from the newest session, under which the responder was not heard, to the one before. Packets under the
    /// newest are still read: the responder may use it, and only its packets so far were lost.
    ///
    /// - Returns: false if there is no earlier session.
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

    /// The responder is heard under a session that was given up. From now on both sides send under it.
    private mutating func resume(_ session: UInt32, at now: MonotonicInstant) {
        abandoned = nil
        draining.removeAll { $0 == session }
        draining.append(current)
        current = session
        drainingSince = now
    }

    /// When to look again at replaced sessions.
    func drainingEnd(_ limits: LinkLimits) -> MonotonicInstant? {
        draining.isEmpty ? nil : drainingSince.advanced(by: limits.rekeyGrace)
    }

    /// Drops sessions that were replaced long ago, except those that the peer still uses.
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

    /// The hello, if it is due. It repeats at a steady pace: the response showed that the path works, and the responder
    /// may rely on this session already.
    mutating func nextHello(at now: MonotonicInstant) -> Hello? {
        hello?.nextAttempt = now.advanced(by: Dial.firstRepetition)
        return hello
    }

    // MARK: Roaming

    /// Moves to an address that was dialled. The answer proves that it is reachable; a responder waits for the pong. A
    /// working local address is kept.
    ///
    /// - Returns: whether it moved.
    mutating func move(to dialled: Endpoint, unlessFresh wasFresh: Bool) -> Bool {
        guard dialled != endpoint, dialled.isLocal || !endpoint.isLocal || !wasFresh else { return false }
        endpoint = dialled
        return true
    }

    /// Whether to probe a new source address. Somebody may have captured the peer's packet and sent it from elsewhere.
    func asks(_ source: Endpoint, at now: MonotonicInstant) -> Bool {
        guard endpoint != source else { return false }
        guard let probe, probe.endpoint == source else { return true }
        return probe.sentAt.duration(to: now) >= Dial.firstRepetition
    }

    mutating func ask(_ source: Endpoint, token: UInt64, at now: MonotonicInstant) {
        probe = Probe(endpoint: source, token: token, sentAt: now)
    }

    /// The answer to a probe: moves the path.
    ///
    /// - Returns: the round-trip time; nil if there was no such probe.
    mutating func answer(_ token: UInt64, from source: Endpoint, at now: MonotonicInstant) -> Duration? {
        guard let probe, probe.token == token, probe.endpoint == source else { return nil }
        self.probe = nil
        endpoint = source
        return probe.sentAt.duration(to: now)
    }

    // MARK: Time

    /// When a silent path counts as dead: a keepalive is missing, and none of six pings was answered.
    var silenceEnd: MonotonicInstant { lastHeard.advanced(by: LinkLimits.silence(at: peerInterval)) }

    /// After one missed keepalive the peer is pinged several times, because a bad path loses some packets.
    var nextLivenessPing: MonotonicInstant {
        let first = lastHeard.advanced(by: peerInterval * 6 / 5)
        guard let lastPing, lastPing >= first else { return first }
        return lastPing.advanced(by: peerInterval / 10)
    }

    mutating func notePing(at now: MonotonicInstant) { lastPing = now }

    func keepaliveDue(_ limits: LinkLimits) -> MonotonicInstant {
        lastSent.advanced(by: limits.keepaliveInterval(to: endpoint))
    }

    /// When to give up a session whose responder was never heard.
    func helloEnd(_ limits: LinkLimits) -> MonotonicInstant? { hello?.startedAt.advanced(by: limits.datagramDialLimit) }

    /// When this path next needs attention.
    func nextDeadline(_ limits: LinkLimits) -> MonotonicInstant {
        [hello?.nextAttempt, helloEnd(limits), drainingEnd(limits)].compactMap(\.self)
            .reduce(min(keepaliveDue(limits), nextLivenessPing, silenceEnd)) { min($0, $1) }
    }
}
