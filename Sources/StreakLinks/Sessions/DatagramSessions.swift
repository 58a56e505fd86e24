import StreakCrypto
import StreakWire

/// A message 1 with a valid tag, decoded.
struct AskedHandshake: Sendable {
    let initiation: HandshakeMessages.Initiation
    let key: LinkKey
    var handshake: NoiseHandshake
    let ownNonce: LinkNonce
    let peerNonce: LinkNonce
    /// Known immediately under an access key, only later under an invite's.
    let peer: AgreementPublicKey?

    func introduction(peer: AgreementPublicKey) -> Introduction {
        Introduction(peer: peer, key: key, ownNonce: ownNonce, peerNonce: peerNonce, isInitiator: false)
    }
}

/// A handshake answered over datagrams whose initiator is not confirmed yet.
struct Answer: Sendable {
    enum Phase: Sendable {
        /// XX: waits for message 3, which also reveals the peer.
        case awaitingFinal(NoiseHandshake, LinkKey, remoteIndex: UInt32)
        /// IK: the session exists, and any packet under it confirms it.
        case provisional(AgreementPublicKey)
    }

    /// How long an answer is kept.
    static let lifetime: Duration = .seconds(10)

    let tag: Bytes16
    /// The source of message 1. The response is repeated to nobody else.
    let source: Endpoint
    let response: [UInt8]
    let ownNonce: LinkNonce
    let peerNonce: LinkNonce
    let createdAt: MonotonicInstant
    let phase: Phase

    /// The session's peer, once known.
    var peer: AgreementPublicKey? {
        if case .provisional(let peer) = phase { peer } else { nil }
    }
}

/// Datagram sessions by their local index, and answered handshakes that may become sessions.
struct DatagramSessions: Sendable {
    /// What a tag says about an earlier message 1.
    enum Earlier {
        case none
        /// A repetition, because the response was lost.
        case answered([UInt8])
        case replayed
    }

    private var sessions: [UInt32: DatagramSession] = [:]
    private var answers: [UInt32: Answer] = [:]
    /// The index under which each message 1 was answered, by its tag, while its answer or session lives.
    private var answeredTags: [Bytes16: UInt32] = [:]
    /// Tags of answered messages 1 whose answer and session are gone.
    private var spentTags = SpentTags()

    /// Sessions, provisional ones included.
    var count: Int { sessions.count }
    var answerCount: Int { answers.count }
    var isEmpty: Bool { sessions.isEmpty && answers.isEmpty && answeredTags.isEmpty }

    subscript(index: UInt32) -> DatagramSession? { sessions[index] }

    func isFree(_ index: UInt32) -> Bool { sessions[index] == nil && answers[index] == nil }

    // MARK: Answers

    func earlier(_ tag: Bytes16, from source: Endpoint) -> Earlier {
        guard let index = answeredTags[tag] else { return spentTags.contains(tag) ? .replayed : .none }
        guard let answer = answers[index], answer.source == source else { return .replayed }
        return .answered(answer.response)
    }

    /// The nonce that an answer uses with a peer.
    func nonce(forPeer peer: AgreementPublicKey) -> LinkNonce? { firstAnswer { $0.peer == peer }?.ownNonce }

    /// The nonce that an answer uses with the sender of this one.
    func nonce(answering peerNonce: LinkNonce) -> LinkNonce? { firstAnswer { $0.peerNonce == peerNonce }?.ownNonce }

    private func firstAnswer(where isSought: (Answer) -> Bool) -> Answer? {
        answers.keys.sorted().lazy.compactMap { answers[$0] }.first(where: isSought)
    }

    /// Keeps an answer, and its session if message 1 revealed the peer.
    mutating func add(
        _ asked: AskedHandshake, from source: Endpoint, index: UInt32, response: [UInt8], limits: LinkLimits,
        at now: MonotonicInstant, out: inout Outbox
    ) throws(DropReasonError) {
        let phase: Answer.Phase
        if let peer = asked.peer {
            guard let keys = try? asked.handshake.transportKeys() else {
                // Only an incomplete handshake has no keys, and message 2 completes this one.
                throw DropReasonError(.handshakeFailed)
            }
            sessions[index] = DatagramSession(
                localIndex: index, remoteIndex: asked.initiation.senderIndex, keys: keys,
                introduction: asked.introduction(peer: peer), createdAt: now, answeredTag: asked.initiation.tag)
            phase = .provisional(peer)
        } else {
            phase = .awaitingFinal(asked.handshake, asked.key, remoteIndex: asked.initiation.senderIndex)
        }
        makeRoomForAnswer(to: asked.peer, limits: limits, out: &out)
        answers[index] = Answer(
            tag: asked.initiation.tag, source: source, response: response, ownNonce: asked.ownNonce,
            peerNonce: asked.peerNonce, createdAt: now, phase: phase)
        answeredTags[asked.initiation.tag] = index
        out.timers.schedule(.answer(index), at: now.advanced(by: Answer.lifetime))
    }

    /// Drops the oldest answers. Replayed messages can thus delay a new handshake by at most one round trip.
    private mutating func makeRoomForAnswer(to peer: AgreementPublicKey?, limits: LinkLimits, out: inout Outbox) {
        if let peer {
            let same = answers.keys.filter { answers[$0]?.peer == peer }
            if same.count >= limits.maximumProvisionalSessionsPerPeer { discardOldestAnswer(of: same, out: &out) }
        }
        if answers.count >= limits.maximumProvisionalSessions {
            discardOldestAnswer(of: Array(answers.keys), out: &out)
        }
    }

    private mutating func discardOldestAnswer(of indices: [UInt32], out: inout Outbox) {
        let dated = indices.compactMap { index in answers[index].map { ($0.createdAt, index) } }
        if let oldest = dated.min(by: { $0 < $1 }) { discardAnswer(oldest.1, out: &out) }
    }

    /// Forgets an answer, and its session if that is still provisional.
    mutating func discardAnswer(_ index: UInt32, out: inout Outbox) {
        guard let answer = answers.removeValue(forKey: index) else { return }
        out.timers.schedule(.answer(index), at: nil)
        forget(tag: answer.tag)
        if sessions[index]?.link == nil { sessions[index] = nil }
    }

    /// Forgets all answers that match.
    mutating func discardAnswers(where isStray: (Answer) -> Bool, out: inout Outbox) {
        for index in answers.keys.sorted() where answers[index].map(isStray) ?? false {
            discardAnswer(index, out: &out)
        }
    }

    /// Marks a tag as spent: its message is not answered again.
    private mutating func forget(tag: Bytes16) {
        answeredTags[tag] = nil
        spentTags.insert(tag)
    }

    /// Reads a message 3 and makes the session. It proves that the initiator is present.
    mutating func receiveFinal(
        _ packet: [UInt8], own: AgreementPublicKey, at now: MonotonicInstant
    ) throws(DropReasonError) -> UInt32 {
        guard packet.count == HandshakeMessages.finalSize else { throw DropReasonError(.malformed) }
        let index = HandshakeMessages.index(in: packet, at: 1)
        guard let answer = answers[index], case .awaitingFinal(var handshake, let key, let remoteIndex) = answer.phase
        else { throw DropReasonError(sessions[index] == nil ? .unknownSession : .replayed) }
        let noise = Array(packet[HandshakeMessages.finalHeaderSize...])
        // A copy reads it, so that a stray message does not end the handshake.
        guard (try? handshake.readMessage(noise)) == [], let peer = handshake.remoteStaticKey, peer != own,
            let keys = try? handshake.transportKeys()
        else { throw DropReasonError(.handshakeFailed) }
        let introduction = Introduction(
            peer: peer, key: key, ownNonce: answer.ownNonce, peerNonce: answer.peerNonce, isInitiator: false)
        sessions[index] = DatagramSession(
            localIndex: index, remoteIndex: remoteIndex, keys: keys, introduction: introduction, createdAt: now,
            answeredTag: answer.tag)
        return index
    }

    // MARK: Sessions

    mutating func add(_ session: DatagramSession) { sessions[session.localIndex] = session }

    /// Marks a session as a link's, and removes its answer. The tag is remembered with the session.
    mutating func confirm(_ index: UInt32, out: inout Outbox) {
        if answers.removeValue(forKey: index) != nil { out.timers.schedule(.answer(index), at: nil) }
    }

    mutating func attach(_ index: UInt32, to link: LinkID, at now: MonotonicInstant) {
        sessions[index]?.link = link
        sessions[index]?.heardAt = now
    }

    mutating func noteHeard(_ index: UInt32, at now: MonotonicInstant) { sessions[index]?.heardAt = now }

    mutating func seal(_ plaintext: [UInt8], under index: UInt32) -> [UInt8]? { sessions[index]?.seal(plaintext) }

    /// Decrypts a packet under the session that it names.
    mutating func open(_ packet: [UInt8]) throws(DropReasonError) -> (index: UInt32, plaintext: [UInt8], isNewest: Bool)
    {
        guard packet.count > LinkPacket.datagramHeaderSize + NoiseCipher.overhead else {
            throw DropReasonError(.malformed)
        }
        let index = HandshakeMessages.index(in: packet, at: 1)
        let counter =
            UInt64(HandshakeMessages.index(in: packet, at: 5)) << 32
            | UInt64(HandshakeMessages.index(in: packet, at: 9))
        guard let opened = try sessions[index]?.open(packet, counter: counter) else {
            throw DropReasonError(.unknownSession)
        }
        return (index, opened.plaintext, opened.isNewest)
    }

    mutating func discard(_ index: UInt32) {
        guard let session = sessions.removeValue(forKey: index) else { return }
        if let tag = session.answeredTag { forget(tag: tag) }
    }

    /// Whether the peer has used a replaced session since a time, and recently.
    func isUsed(_ index: UInt32, since: MonotonicInstant, within grace: Duration, at now: MonotonicInstant) -> Bool {
        guard let heard = sessions[index]?.heardAt else { return false }
        return heard > since && heard.duration(to: now) < grace
    }
}
