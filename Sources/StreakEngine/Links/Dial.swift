import StreakCrypto
import StreakWire

/// An attempt to reach a peer, over datagrams, a stream, or both.
struct Dial: Sendable {
    struct Target: Sendable {
        /// Nil when only the key of an invite or a friend code is known.
        let peer: AgreementPublicKey?
        let key: LinkKey
        let endpoint: Endpoint
        /// The link whose session this renews.
        let rekeys: LinkID?

        var handshake: HandshakeKind { HandshakeKind(key: key, knowsPeer: peer != nil) }
    }

    /// Message 1 over datagrams, and when it goes again.
    struct DatagramAttempt: Sendable {
        let handshake: NoiseHandshake
        let packet: [UInt8]
        let localIndex: UInt32
        let startedAt: MonotonicInstant
        var attempts = 1
        var nextAttempt: MonotonicInstant
    }

    /// 250 ms, doubled for each repetition.
    static let firstRepetition: Duration = .milliseconds(250)

    let id: DialID
    let target: Target
    let ownNonce: LinkNonce
    var datagram: DatagramAttempt?
    var stream: StreamID?
    var hasSucceeded = false
    /// Under a friend code: the responder that may hear who asks.
    var approved: AgreementPublicKey?
    /// Responses that wait for that approval.
    var heldResponse: [UInt8]?
    var heldFrame: (stream: StreamID, bytes: [UInt8])?
    var failure = DialFailure.unanswered

    var isOver: Bool { datagram == nil && stream == nil }
}

/// A handshake answered over datagrams whose initiator has not yet shown that it is there.
struct Answer: Sendable {
    enum Phase: Sendable {
        /// XX: message 3 is awaited, which also tells who asks.
        case awaitingFinal(NoiseHandshake, LinkKey, remoteIndex: UInt32)
        /// IK: the session exists; any packet under it will do.
        case provisional(AgreementPublicKey)
    }

    /// How long one is kept.
    static let lifetime: Duration = .seconds(10)

    let tag: Bytes16
    /// Who asked: nobody else is sent the response again.
    let source: Endpoint
    let response: [UInt8]
    let ownNonce: LinkNonce
    let peerNonce: LinkNonce
    let createdAt: MonotonicInstant
    let phase: Phase

    /// Whom the session is with, as far as that is known.
    var peer: AgreementPublicKey? {
        if case .provisional(let peer) = phase { peer } else { nil }
    }
}
