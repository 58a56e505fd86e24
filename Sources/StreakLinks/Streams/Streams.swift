import StreakCrypto
import StreakWire

/// All streams by number: their shares, handshakes, frames and ends.
struct Streams: Sendable {
    private var streams: [StreamID: LinkStream] = [:]
    /// The number of the next stream dialled; odd.
    var next: UInt64 = 1
    private let limits: LinkLimits

    /// How long a stream may take to drain once this side has finished with it.
    private static let finishLimit: Duration = .seconds(30)

    init(_ limits: LinkLimits) { self.limits = limits }

    var count: Int { streams.count }
    var isEmpty: Bool { streams.isEmpty }
    /// Ascending.
    var keys: [StreamID] { streams.keys.sorted() }
    var values: [LinkStream] { keys.compactMap { streams[$0] } }

    subscript(id: StreamID) -> LinkStream? { streams[id] }

    // MARK: Beginning

    /// Opens a stream for a dial; nil if there are too many.
    mutating func dial(
        _ dial: DialID, to endpoint: Endpoint, at now: MonotonicInstant, out: inout Outbox
    ) -> StreamID? {
        guard countedStreams < limits.maximumStreams else { return nil }
        let id = StreamID(next)
        next += 2
        add(LinkStream(endpoint: endpoint, isDialled: true, phase: .connecting(dial), now: now), id, at: now, out: &out)
        out.send(.openStream(id, to: endpoint))
        return id
    }

    func isKnown(_ id: StreamID) -> Bool { streams[id] != nil }

    /// Lets a stream wait for message 1.
    ///
    /// - Returns: false if the source has no place left.
    mutating func accept(
        _ id: StreamID, from source: Endpoint, at now: MonotonicInstant, out: inout Outbox
    ) -> Bool {
        guard makeRoomForWaiting(from: source, out: &out) else { return false }
        add(
            LinkStream(endpoint: source, isDialled: false, phase: .awaitingInitiation, now: now), id, at: now, out: &out
        )
        return true
    }

    private mutating func add(_ stream: LinkStream, _ id: StreamID, at now: MonotonicInstant, out: inout Outbox) {
        streams[id] = stream
        allowHandshake(on: id, at: now, out: &out)
    }

    private mutating func allowHandshake(on id: StreamID, at now: MonotonicInstant, out: inout Outbox) {
        streams[id]?.deadline = now.advanced(by: limits.streamHandshakeLimit)
        out.timers.schedule(.stream(id), at: streams[id]?.deadline)
    }

    /// The next step of a handshake. Gives the peer a new deadline.
    mutating func advance(
        _ id: StreamID, to phase: LinkStream.Phase, sending packet: [UInt8], at now: MonotonicInstant, out: inout Outbox
    ) {
        streams[id]?.phase = phase
        allowHandshake(on: id, at: now, out: &out)
        out.send(.sendStream(id, StreamFraming.framed(packet)))
    }

    /// The handshake is done.
    mutating func open(_ id: StreamID, _ session: StreamSession, with introduction: Introduction) {
        streams[id]?.phase = .open(session, introduction)
    }

    /// Adds an authenticated stream to its link.
    mutating func attach(_ id: StreamID, to link: LinkID, of party: LinkParty, at now: MonotonicInstant) {
        streams[id]?.link = link
        streams[id]?.party = party
        streams[id]?.idleCheck = now.advanced(by: limits.streamIdleLimit)
    }

    /// The nonce that an authenticated stream uses with a peer.
    func nonce(forPeer peer: AgreementPublicKey) -> LinkNonce? {
        values.lazy.compactMap(\.introduction).first { $0.peer == peer }?.ownNonce
    }

    /// The nonce that an answered handshake uses with the sender of this one.
    func nonce(answering peerNonce: LinkNonce) -> LinkNonce? {
        values.lazy.compactMap(\.answeredNonces).first { $0.peer == peerNonce }?.own
    }

    // MARK: Shares

    /// Streams that this side dialled, and those of members.
    var countedStreams: Int { streams.values.count { $0.isDialled || $0.account != nil } }

    mutating func setParty(_ party: LinkParty, of ids: [StreamID]) {
        for id in ids { streams[id]?.party = party }
    }

    /// Whether one more stream from this source may wait. If all places are taken, the source with the most streams, if
    /// it has more than the newcomer, loses its oldest; one that has shown no key goes first. So nobody can keep others
    /// out, however many addresses they have. They only shorten the wait: a stream keeps its place until all others
    /// have been taken again.
    private mutating func makeRoomForWaiting(from source: Endpoint, out: inout Outbox) -> Bool {
        let waiting = streams.filter { !$0.value.isDialled && $0.value.link == nil }
        let own = waiting.values.count { $0.endpoint.network == source.network }
        guard own < limits.maximumWaitingStreamsPerSource else { return false }
        guard waiting.count >= limits.maximumWaitingStreams else { return true }
        let silent = waiting.filter(\.value.awaitsInitiation)
        guard
            let oldest = oldestOfBusiestSource(silent, above: own) ?? oldestOfBusiestSource(waiting, above: own)
        else { return false }
        discard(oldest, out: &out)
        return true
    }

    /// As with datagrams, a peer's oldest unconfirmed handshake is dropped.
    mutating func makeRoom(for peer: AgreementPublicKey, out: inout Outbox) {
        let same = streams.filter { $0.value.link == nil && $0.value.introduction?.peer == peer }
        guard same.count >= limits.maximumProvisionalSessionsPerPeer,
            let oldest = same.min(by: { ($0.value.openedAt, $0.key) < ($1.value.openedAt, $1.key) })
        else { return }
        discard(oldest.key, out: &out)
    }

    /// The oldest stream of the source with the most streams, if it has more than `count`.
    private func oldestOfBusiestSource(_ candidates: [StreamID: LinkStream], above count: Int) -> StreamID? {
        let counts = Dictionary(grouping: candidates.values, by: \.endpoint.network).mapValues(\.count)
        // The maximum does not depend on the order.
        guard let most = counts.values.max(), most > count else { return nil }
        return candidates.filter { counts[$0.value.endpoint.network] == most }
            .min { ($0.value.openedAt, $0.key) < ($1.value.openedAt, $1.key) }?.key
    }

    /// A stream to close because a share is exceeded. Streams that this side dialled stay. Of strangers, the source
    /// with the most streams loses its oldest, so that others can come in. Of members, the account with the most loses
    /// its newest, so that everybody keeps one.
    var surplus: StreamID? {
        let accepted = streams.filter { !$0.value.isDialled && $0.value.link != nil }
        let strangers = accepted.filter { $0.value.account == nil }
        if strangers.count > limits.maximumStrangerStreams { return oldestOfBusiestSource(strangers, above: 0) }
        guard countedStreams > limits.maximumStreams else { return nil }
        let byAccount = Dictionary(grouping: accepted) { $0.value.account }
        // The maximum does not depend on the order.
        let most = byAccount.filter { $0.key != nil }.values.map(\.count).max()
        return byAccount.filter { $0.key != nil && $0.value.count == most }.values.flatMap { $0 }
            .max { ($0.value.openedAt, $0.key) < ($1.value.openedAt, $1.key) }?.key
    }

    /// Whether to use the newer of two streams of a link. If both sides dialled at the same time, both choose the same.
    func prefers(_ new: StreamID, to current: StreamID, own: AgreementPublicKey) -> Bool {
        guard let newer = streams[new], let older = streams[current], let introduction = newer.introduction,
            let former = older.introduction
        else { return true }
        let areSimultaneous = older.openedAt.duration(to: newer.openedAt) < limits.streamHandshakeLimit
        return introduction.isPreferred(to: former, areSimultaneous: areSimultaneous, own: own)
    }

    // MARK: Frames

    mutating func receive(_ bytes: [UInt8], on id: StreamID) {
        streams[id]?.buffer.append(bytes)
    }

    /// The next whole frame.
    ///
    /// - Throws: `malformed` for a length that no handshake message has.
    mutating func nextFrame(on id: StreamID) throws(DropReasonError) -> [UInt8]? {
        let limit = streams[id]?.link == nil ? StreamFraming.maximumHandshakeFrameSize : .max
        return try streams[id]?.buffer.next(atMost: limit)
    }

    /// Keeps the beginning of a frame and sets a deadline for the rest.
    mutating func keepRest(of id: StreamID, at now: MonotonicInstant, out: inout Outbox) {
        guard streams[id]?.buffer.keepRest(at: now) ?? false else { return }
        // Without a link, the handshake's deadline counts.
        if streams[id]?.link != nil { schedule(id, out: &out) }
    }

    /// Decrypts a frame of an open stream.
    mutating func decrypt(
        _ frame: [UInt8], on id: StreamID, at now: MonotonicInstant
    ) throws(DropReasonError) -> [UInt8] {
        guard case .open(var session, let introduction)? = streams[id]?.phase else { throw DropReasonError(.malformed) }
        do {
            let plaintext = try session.open(frame)
            streams[id]?.phase = .open(session, introduction)
            streams[id]?.lastHeard = now
            return plaintext
        } catch {
            throw DropReasonError(.authenticationFailed)
        }
    }

    /// Encrypts the next frame of an open stream.
    mutating func seal(_ plaintext: [UInt8], on id: StreamID) -> [UInt8]? {
        guard case .open(var session, let introduction)? = streams[id]?.phase, let frame = session.seal(plaintext)
        else { return nil }
        streams[id]?.phase = .open(session, introduction)
        return frame
    }

    mutating func send(_ packet: LinkPacket, on id: StreamID, at now: MonotonicInstant, out: inout Outbox) {
        guard let frame = seal(packet.encoded(), on: id) else { return }
        streams[id]?.lastSent = now
        if packet.isUse { streams[id]?.lastMessage = now }
        out.send(.sendStream(id, frame))
    }

    mutating func noteMessage(on id: StreamID, at now: MonotonicInstant) { streams[id]?.lastMessage = now }

    mutating func setInterval(_ interval: Duration, of id: StreamID) { streams[id]?.peerInterval = interval }

    // MARK: Time and ends

    mutating func schedule(_ id: StreamID, out: inout Outbox) {
        out.timers.schedule(.stream(id), at: streams[id]?.nextDeadline(limits))
    }

    /// Checks later again whether a stream is used.
    mutating func postponeIdleCheck(of id: StreamID, at now: MonotonicInstant) {
        guard let end = streams[id]?.idleEnd(limits) else { return }
        streams[id]?.idleCheck = end > now ? end : now.advanced(by: limits.streamIdleLimit)
    }

    /// Sends nothing more on a stream. It is closed once the peer has finished too.
    ///
    /// - Returns: whether this side had not finished it before.
    mutating func finish(_ id: StreamID, at now: MonotonicInstant, out: inout Outbox) -> Bool {
        guard streams[id]?.hasSentFinish == false else { return false }
        send(.finish, on: id, at: now, out: &out)
        streams[id]?.hasSentFinish = true
        streams[id]?.deadline = now.advanced(by: Self.finishLimit)
        out.timers.schedule(.stream(id), at: streams[id]?.deadline)
        return true
    }

    /// Forgets a stream that is closed.
    mutating func remove(_ id: StreamID, out: inout Outbox) -> LinkStream? {
        out.timers.schedule(.stream(id), at: nil)
        return streams.removeValue(forKey: id)
    }

    /// Closes a stream, if it is not closed yet, and forgets it.
    mutating func discard(_ id: StreamID, out: inout Outbox) {
        if remove(id, out: &out) != nil { out.send(.closeStream(id)) }
    }

    /// Closes all matching streams that have no link.
    mutating func discardUnlinked(where isStray: (LinkStream) -> Bool, out: inout Outbox) {
        for id in keys {
            guard let stream = streams[id], stream.link == nil, isStray(stream) else { continue }
            discard(id, out: &out)
        }
    }
}
