import StreakCrypto
import StreakWire

/// What one live peer is reached by, and what is on its way to it. Decides what to send; `Links` encrypts and sends
/// it.
struct Link: Sendable {
    /// Where datagrams go, and under which sessions.
    struct DatagramPath: Sendable {
        var endpoint: Endpoint
        /// The session packets are sent under.
        var current: UInt32
        /// Older ones, or the losers of a simultaneous dial, under which packets may still come.
        var draining: [UInt32] = []
        var drainingSince: MonotonicInstant
        var lastSent: MonotonicInstant
        var lastHeard: MonotonicInstant
        /// How often the peer says it sends when idle.
        var peerInterval: Duration
        var lastPing: MonotonicInstant?
        var probe: Probe?
        var hello: Hello?
        /// The session that was given up because its responder was not heard under it; one of `draining`.
        var abandoned: UInt32?
    }

    /// A ping to an address the peer seems to have moved to.
    struct Probe: Sendable {
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
        var nextAttempt: MonotonicInstant
    }

    /// The renewal under way.
    struct Rekeying: Sendable {
        let startedAt: MonotonicInstant
        /// Nil between two attempts.
        var dial: DialID?
        var nextAttempt: MonotonicInstant
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
    var datagrams: DatagramPath?
    /// The stream that messages are sent on.
    var stream: StreamID?
    var streamEndpoint: Endpoint
    /// When the peer was last heard on a stream.
    var streamHeard: MonotonicInstant
    /// Streams on which only what is under way is still received.
    var retiringStreams: [StreamID] = []
    var rekeying: Rekeying?
    /// The session was used past its age.
    var needsRekeying = false
    /// What keepalives carry, if not what they do on other links.
    var keepalivePayload: [UInt8]?
    var channel = ReliableChannel(maximumMessageSize: ChannelMessage.maximumSize)
    var sequencer = MessageSequencer()

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
    var sessions: [UInt32] { datagrams.map { [$0.current] + $0.draining } ?? [] }
    var streams: [StreamID] { (stream.map { [$0] } ?? []) + retiringStreams }

    var lastHeard: MonotonicInstant {
        guard let datagrams else { return streamHeard }
        return max(datagrams.lastHeard, streamHeard)
    }

    /// Everything that can go now: messages onto a path, fragments, acknowledgements.
    mutating func pump(at now: MonotonicInstant) -> [Dispatch] {
        var dispatches: [Dispatch] = []
        if let stream {
            // Datagrams seem to be lost for good, and a stream is there: wait no longer.
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
}
