import StreakCrypto
import StreakWire

/// An attempt to reach a peer, over datagrams, a stream, or both.
struct Dial: Sendable {
    struct Target: Sendable {
        /// Nil when only the key of an invite or a friend code is known. Handshakes under these do not name it.
        let peer: AgreementPublicKey?
        let key: LinkKey
        let endpoint: Endpoint
        /// The link whose session this renews.
        let rekeys: LinkID?
    }

    /// Message 1 over datagrams, and when to repeat it.
    struct DatagramAttempt: Sendable {
        let handshake: NoiseHandshake
        let packet: [UInt8]
        let localIndex: UInt32
        let startedAt: MonotonicInstant
        fileprivate(set) var attempts = 1
        /// Nil where it is sent once.
        fileprivate(set) var nextAttempt: MonotonicInstant?
    }

    /// A response that waits until its responder is approved.
    enum Held: Sendable {
        case datagram([UInt8])
        case frame(StreamID, [UInt8])
    }

    /// 250 ms, doubled after each repetition.
    static let firstRepetition: Duration = .milliseconds(250)

    let id: DialID
    let target: Target
    let ownNonce: LinkNonce
    fileprivate(set) var datagram: DatagramAttempt?
    fileprivate(set) var stream: StreamID?
    fileprivate(set) var hasSucceeded = false
    /// Under a friend code: the responder to whom this side may reveal itself.
    fileprivate(set) var approved: AgreementPublicKey?
    fileprivate(set) var held: [Held] = []
    private(set) var failure = DialFailure.unanswered

    init(id: DialID, target: Target, ownNonce: LinkNonce) {
        self.id = id
        self.target = target
        self.ownNonce = ownNonce
    }

    var isOver: Bool { datagram == nil && stream == nil }

    /// Whether a response already waits, over datagrams or on the stream.
    func holds(overDatagrams: Bool) -> Bool {
        held.contains { if case .datagram = $0 { overDatagrams } else { !overDatagrams } }
    }

    mutating func begin(
        _ handshake: NoiseHandshake, packet: [UInt8], localIndex: UInt32, repeats: Bool, at now: MonotonicInstant
    ) {
        datagram = DatagramAttempt(
            handshake: handshake, packet: packet, localIndex: localIndex, startedAt: now,
            nextAttempt: repeats ? now.advanced(by: Self.firstRepetition) : nil)
    }

    mutating func begin(on stream: StreamID) { self.stream = stream }

    /// Notes how an attempt ended: nil if it reached the peer.
    mutating func note(_ failure: DialFailure?) {
        guard let failure else { return hasSucceeded = true }
        if failure != .unanswered { self.failure = failure }
    }
}

/// The dials under way.
struct Dials: Sendable {
    private var dials: [DialID: Dial] = [:]
    /// Dials by the receiver index that their message 1 over datagrams asks for.
    private var byIndex: [UInt32: DialID] = [:]
    private var last: UInt64 = 0

    var count: Int { dials.count }

    subscript(id: DialID) -> Dial? { dials[id] }

    mutating func nextID() -> DialID {
        last += 1
        return DialID(last)
    }

    mutating func add(_ dial: Dial) {
        dials[dial.id] = dial
        if let index = dial.datagram?.localIndex { byIndex[index] = dial.id }
    }

    /// The dial that asked for a receiver index.
    func dial(under index: UInt32) -> Dial? { byIndex[index].flatMap { dials[$0] } }

    /// The nonce that a dial under way uses with a peer.
    func nonce(forPeer peer: AgreementPublicKey) -> LinkNonce? { first { $0.target.peer == peer }?.ownNonce }

    /// The nonce that a dial under way uses with a peer whose key is not known yet.
    func nonce(forKey key: LinkKey) -> LinkNonce? {
        first { $0.target.peer == nil && $0.target.key == key }?.ownNonce
    }

    /// The dials that would join the link with this nonce.
    func all(withNonce nonce: LinkNonce) -> [Dial] {
        dials.keys.sorted().compactMap { dials[$0] }.filter { $0.ownNonce == nonce }
    }

    private func first(where isSought: (Dial) -> Bool) -> Dial? {
        dials.keys.sorted().lazy.compactMap { dials[$0] }.first(where: isSought)
    }

    // MARK: Approval

    /// Keeps a response until its responder is approved.
    mutating func hold(_ response: Dial.Held, of id: DialID) {
        dials[id]?.held.append(response)
    }

    /// - Returns: the responses that waited for the approval.
    mutating func approve(_ id: DialID, peer: AgreementPublicKey) -> [Dial.Held] {
        defer { dials[id]?.held = [] }
        dials[id]?.approved = peer
        return dials[id]?.held ?? []
    }

    // MARK: Time and ends

    /// Message 1 if it is due again, and the next deadline. No deadline means that the attempt is over.
    mutating func repeatDatagram(
        of id: DialID, limit: Duration, at now: MonotonicInstant
    ) -> (packet: [UInt8]?, next: MonotonicInstant?) {
        guard var attempt = dials[id]?.datagram else { return (nil, nil) }
        let end = attempt.startedAt.advanced(by: limit)
        guard now < end else { return (nil, nil) }
        guard let due = attempt.nextAttempt, due <= now else { return (nil, min(end, attempt.nextAttempt ?? end)) }
        let next = now.advanced(by: Dial.firstRepetition * (1 << min(attempt.attempts, 8)))
        attempt.nextAttempt = next
        attempt.attempts += 1
        dials[id]?.datagram = attempt
        return (attempt.packet, min(end, next))
    }

    /// - Returns: whether there was an attempt to end.
    mutating func endDatagram(of id: DialID, failure: DialFailure?) -> Bool {
        guard let attempt = dials[id]?.datagram else { return false }
        byIndex[attempt.localIndex] = nil
        dials[id]?.datagram = nil
        dials[id]?.note(failure)
        return true
    }

    /// - Returns: whether there was an attempt to end.
    mutating func endStream(of id: DialID, failure: DialFailure?) -> Bool {
        guard dials[id]?.stream != nil else { return false }
        dials[id]?.stream = nil
        dials[id]?.note(failure)
        return true
    }

    /// Removes and returns a dial once all its attempts are over.
    mutating func removeFinished(_ id: DialID) -> Dial? {
        guard dials[id]?.isOver ?? false else { return nil }
        return dials.removeValue(forKey: id)
    }
}
