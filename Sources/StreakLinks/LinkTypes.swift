public import StreakCrypto
public import StreakWire

/// One authenticated peer device. The ID stays the same as long as any path to that device lives. A peer that
/// restarted, or came back after all paths had failed, gets a new link.
public struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
    public var description: String { "link \(number)" }
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One stream (TCP connection). `Links` numbers the streams it dials (odd), the shell those it accepts (even). No
/// number is used twice.
public struct StreamID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
    public var description: String { "stream \(number)" }
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One call of `Links.dial`.
public struct DialID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
    public var description: String { "dial \(number)" }
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// What two devices need to open a link. Both keys derive from one access key, one invite's seed or one friend code.
public struct LinkKey: Sendable, Equatable {
    /// The only kind of handshake it opens.
    public let handshake: HandshakeKind
    /// Mixed into the handshake.
    public let presharedKey: SymmetricKey
    /// Authenticates message 1 before any costly work.
    public let tagKey: SymmetricKey
    /// The caller's own name for this key. It comes back in events and is not read here.
    public let label: any Hashable & Sendable

    public init(
        handshake: HandshakeKind, presharedKey: SymmetricKey, tagKey: SymmetricKey, label: any Hashable & Sendable
    ) {
        self.handshake = handshake
        self.presharedKey = presharedKey
        self.tagKey = tagKey
        self.label = label
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.handshake == right.handshake && left.presharedKey == right.presharedKey && left.tagKey == right.tagKey
    }
}

/// What happened outside.
public enum LinkInput: Sendable {
    case datagramReceived([UInt8], from: Endpoint)
    case streamAccepted(StreamID, from: Endpoint)
    /// A stream that `openStream` asked for is connected.
    case streamOpened(StreamID)
    /// A stream that `openStream` asked for could not be connected.
    case streamFailed(StreamID)
    /// The other side, or the system, closed a stream. Not reported after `closeStream`.
    case streamClosed(StreamID)
    /// Bytes of a stream, in pieces of any size.
    case streamBytesReceived(StreamID, [UInt8])
    /// `nextDeadline` has passed.
    case deadlineReached
}

/// What the shell has to do, in this order.
public enum LinkOutput: Sendable, Equatable {
    /// The hop limit (IPv4: TTL) is for this datagram only; nil is the system's.
    case sendDatagram([UInt8], to: Endpoint, hopLimit: UInt8? = nil)
    case openStream(StreamID, to: Endpoint)
    case sendStream(StreamID, [UInt8])
    /// Flush what was sent, then close. Nothing about the stream is reported afterwards.
    case closeStream(StreamID)
}

/// What the engine has to know.
public enum LinkEvent: Sendable, Equatable {
    /// A peer is authenticated. `handshakeHash` is 32 bytes unique to this link, the same on both sides whatever
    /// handshakes and paths it has; proofs are bound to it. `isInitiator`: this side's handshake opened the link here.
    /// If both dialled at the same time it may be true on both sides, but it is never false on both.
    case opened(
        LinkID, peer: AgreementPublicKey, key: LinkKey, handshakeHash: [UInt8], isInitiator: Bool,
        endpoint: Endpoint)
    /// A path of a live link appeared, went or moved; `pathSummary` has the current state.
    case pathChanged(LinkID, via: LinkVia)
    case messageReceived(LinkID, [UInt8], via: LinkPath)
    /// The payload of the peer's keepalive. It is sent when the peer is idle and when a path opens.
    case keepaliveReceived(LinkID, [UInt8])
    /// The last event of a link. Undelivered messages are lost.
    case closed(LinkID, LinkCloseReason)
    /// The responder to a dial under a friend code has shown `credential` and proven its static key. This side has not
    /// revealed itself yet: `approve` continues, `refuse` ends the dial.
    case responderShown(DialID, peer: AgreementPublicKey, credential: [UInt8], key: LinkKey)
    /// This dial reached no peer that holds the key, neither by datagram nor by stream.
    case dialFailed(DialID, peer: AgreementPublicKey?, endpoint: Endpoint, reason: DialFailure)
    /// Something from outside was ignored.
    case dropped(DropReason)
}

/// How a dial sends its message 1 over datagrams.
public enum DialManner: Sendable {
    /// At once, and again and again (Protocol/links.md §2.5).
    case plain
    /// The same, but the first one with `LinkLimits.knockHopLimit`: it opens this side's router, and dies before it reaches the other
    /// side's, which might take it for somebody else's and give its port away.
    case quiet
    /// Once, with that hop limit or without one.
    case knock(isFull: Bool)
}

/// How a message arrived.
public enum LinkPath: Sendable, Equatable {
    /// Sent as `.rumour`, in one datagram. It may get lost or overtake others.
    case datagram
    case stream
    case reliableDatagram
}

/// Where the peer is, by its address.
public enum LinkVia: Sendable, Equatable {
    case lan, internet
}

/// How a message is to travel.
public enum Urgency: Sendable, Equatable {
    /// Immediately, in one datagram that may get lost, if there is a datagram path and the message fits. Otherwise as
    /// `.reliable`.
    case rumour
    /// In order and exactly once, as long as the link lives, over any paths.
    case reliable
}

/// Why a link ended.
public enum LinkCloseReason: Sendable, Equatable {
    /// `close` was called here.
    case closedHere
    /// The peer closed it.
    case closedByPeer
    /// Nothing came for 1.8 of the peer's intervals, on any path.
    case timedOut
    /// The last path, a stream, was closed.
    case pathLost
    /// The peer lost its side of the link (for example in a restart) and opened a new one, which is reported next.
    case superseded
    /// The peer violated the protocol inside the encryption.
    case protocolViolation
    /// The session could not be renewed in time.
    case rekeyingFailed
}

/// Why a dial failed.
public enum DialFailure: Sendable, Equatable {
    /// Nobody answered in time: the peer is unreachable, or does not know the key.
    case unanswered
    /// An answer came from somebody who does not hold the expected keys.
    case handshakeFailed
    /// The limit of open links, dials or streams is reached.
    case tooMany
    /// This device itself answered.
    case ownDevice
}

/// Why something from outside was ignored.
public enum DropReason: Sendable, Equatable, CaseIterable {
    /// Its size or type does not exist in this protocol.
    case malformed
    case unsupportedVersion
    /// The source has sent too many messages without a valid tag.
    case rateLimited
    /// None of the keys made the tag.
    case invalidTag
    /// The tag was valid, the rest of the handshake was not.
    case handshakeFailed
    /// No handshake or session has this index.
    case unknownSession
    /// The packet's counter was seen before, or is older than the window.
    case replayed
    case authenticationFailed
    /// The limit of open links or streams is reached.
    case tooMany
}

/// Sizes and times that this implementation chooses. Tests use smaller ones.
public struct LinkLimits: Sendable {
    /// Peers with a live link.
    public var maximumLinks = 256
    /// Streams: those this side dialled, and those of members.
    public var maximumStreams = 64
    /// Additional accepted streams for links to strangers.
    public var maximumStrangerStreams = 16
    /// Streams of one link: the one in use, and unfinished ones.
    public var maximumStreamsPerLink = 4
    /// Accepted streams whose peer is not authenticated yet.
    public var maximumWaitingStreams = 64
    /// Of those, the most from one source address.
    public var maximumWaitingStreamsPerSource = 16
    /// Dials under way.
    public var maximumDials = 256
    /// Answered handshakes whose initiator is not confirmed yet. One more drops the oldest.
    public var maximumProvisionalSessions = 128
    public var maximumProvisionalSessionsPerPeer = 4
    /// The most bytes that wait for the peer's acknowledgement before `send` refuses.
    public var maximumQueuedByteCount = 16 << 20
    /// How long an accepted stream may take to show a valid tag, and a dialled one to get an answer.
    public var streamHandshakeLimit: Duration = .seconds(5)
    /// How long a stream may pause in the middle of a frame.
    public var streamStallLimit: Duration = .seconds(10)
    /// How long one frame may take to arrive: 64 KiB at 9 kbit/s.
    public var streamFrameLimit: Duration = .seconds(60)
    /// How long message 1 is repeated over UDP.
    public var datagramDialLimit: Duration = .seconds(5)
    /// The age at which a used session is renewed.
    public var rekeyAge: Duration = .seconds(120)
    /// How long a renewal may stay unanswered, and how long an older session outlives a newer one.
    public var rekeyGrace: Duration = .seconds(60)
    public var localKeepalive: Duration = .seconds(110)
    public var remoteKeepalive: Duration = .seconds(25)
    /// A stream without messages is closed after this time if datagrams work.
    public var streamIdleLimit: Duration = .seconds(300)
    /// How far a knock gets: through the routers of a home and of its provider, and not into the other home's.
    public var knockHopLimit: UInt8 = 5
    /// Messages without a valid tag, per source address.
    package var taglessMessages = TokenBucket.Limit(burst: 5, interval: .milliseconds(50))
    /// Handshakes under this device's friend code, per source address.
    package var friendHandshakes = TokenBucket.Limit(burst: 16, interval: .seconds(1))
    /// Source addresses that the two limits above remember.
    public var maximumLimitedSources = 1_024

    public init() {}

    /// The interval after which an idle path to `endpoint` carries a keepalive.
    func keepaliveInterval(to endpoint: Endpoint) -> Duration {
        endpoint.isLocal ? localKeepalive : remoteKeepalive
    }

    /// How long nothing comes over a path before it counts as dead, for a peer that sends keepalives at this interval.
    static func silence(at interval: Duration) -> Duration { interval * 9 / 5 }
}

/// Whom a link leads to, by the ledgers. It decides whose share its streams count against.
public enum LinkParty: Sendable, Equatable {
    /// Not a current member of any group: a newcomer, or the holder of an old key.
    case stranger
    case member(UserID)
}

/// The state of a link's paths.
public struct LinkPathSummary: Sendable, Equatable {
    public let via: LinkVia
    /// Where datagrams go, else the stream's other end. The port of a stream that the peer opened cannot be dialled.
    public let endpoint: Endpoint
    public let hasStream: Bool
    public let hasDatagrams: Bool
    /// When the peer was last heard on any path.
    public let lastHeard: MonotonicInstant
    /// When the peer is overdue, by the interval it announced.
    public let nextExpected: MonotonicInstant
    /// The smoothed round-trip time, once measured.
    public let roundTripTime: Duration?
}
