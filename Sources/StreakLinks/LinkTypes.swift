public import StreakCrypto
public import StreakWire

/// One authenticated peer device. It stays the same as long as any path to that device lives; a peer that restarted,
/// or came back after all paths had died, is a new link.
public struct LinkID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let number: UInt64
    public init(_ number: UInt64) { self.number = number }
    public var description: String { "link \(number)" }
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One stream (TCP connection). Dialled ones are numbered by `Links` (odd), accepted ones by the shell (even); no
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

/// What lets two devices open a link: both keys are derivations of one access key, one invite's seed or one friend code.
public struct LinkKey: Sendable, Equatable {
    /// The one handshake it opens.
    public let handshake: HandshakeKind
    /// Mixed into the handshake.
    public let presharedKey: SymmetricKey
    /// Authenticates the first message before any work is done on it.
    public let tagKey: SymmetricKey
    /// What it belongs to, in the words of the user of links: handed back in events, and never looked at here.
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
    /// Any piece of what a stream brought.
    case streamBytesReceived(StreamID, [UInt8])
    /// `nextDeadline` has passed.
    case deadlineReached
}

/// What has to be done outside, in this order.
public enum LinkOutput: Sendable, Equatable {
    case sendDatagram([UInt8], to: Endpoint)
    case openStream(StreamID, to: Endpoint)
    case sendStream(StreamID, [UInt8])
    /// Flush what was sent, then close. Nothing about the stream is reported afterwards.
    case closeStream(StreamID)
}

/// What the layer above has to know.
public enum LinkEvent: Sendable, Equatable {
    /// A peer is authenticated. `handshakeHash` is 32 bytes that only this link has, the same on both sides whatever
    /// handshakes and paths it consists of: what a proof is bound to. `isInitiator`: this side's handshake opened the
    /// link here; when both dialled at once it may be true on both sides, never false on both.
    case opened(
        LinkID, peer: AgreementPublicKey, key: LinkKey, handshakeHash: [UInt8], isInitiator: Bool,
        endpoint: Endpoint)
    /// A path of a live link appeared, went or moved; `pathSummary` tells what there is now.
    case pathChanged(LinkID, via: LinkVia)
    case messageReceived(LinkID, [UInt8], via: LinkPath)
    /// The peer's keepalive payload, sent when it has been idle and when a path opens.
    case keepaliveReceived(LinkID, [UInt8])
    /// The last event of a link. Messages not yet delivered are gone.
    case closed(LinkID, LinkCloseReason)
    /// The responder to a dial under a friend code has shown `credential` and the static key it holds. This side has
    /// not said yet who it is: `approve` goes on, `refuse` ends the dial.
    case responderShown(DialID, peer: AgreementPublicKey, credential: [UInt8], key: LinkKey)
    /// Neither a datagram nor a stream reached a peer that holds the key, by this dial.
    case dialFailed(DialID, peer: AgreementPublicKey?, endpoint: Endpoint, reason: DialFailure)
    /// Something from outside was ignored.
    case dropped(DropReason)
}

/// How a message came.
public enum LinkPath: Sendable, Equatable {
    /// Sent as `.rumour`, in one datagram: it may have been lost, and may overtake others.
    case datagram
    case stream
    case reliableDatagram
}

/// Where the peer is, judged by its address.
public enum LinkVia: Sendable, Equatable {
    case lan, internet
}

/// How a message is to travel.
public enum Urgency: Sendable, Equatable {
    /// At once, in one datagram if there is a datagram path and it fits; it may be lost. Otherwise as `.reliable`.
    case rumour
    /// In order, exactly once, as long as the link lives, whatever becomes of its paths.
    case reliable
}

/// Why a link ended.
public enum LinkCloseReason: Sendable, Equatable {
    /// `close` was called here.
    case closedHere
    /// The peer said so.
    case closedByPeer
    /// Three keepalives in a row did not come, on any path.
    case timedOut
    /// The last path, a stream, was closed.
    case pathLost
    /// The peer has lost its side of the link (it restarted, say) and opened a new one, which is reported next.
    case superseded
    /// The peer broke the protocol inside the encryption.
    case protocolViolation
    /// The session could not be renewed in time.
    case rekeyingFailed
}

/// Why a dial came to nothing.
public enum DialFailure: Sendable, Equatable {
    /// Nobody answered in time: unreachable, or the key is not known there.
    case unanswered
    /// An answer came, but not from a holder of the expected keys.
    case handshakeFailed
    /// As many links, dials or streams are open as are allowed.
    case tooMany
    /// This device itself answered.
    case ownDevice
}

/// Why something from outside was ignored.
public enum DropReason: Sendable, Equatable, CaseIterable {
    /// Not the size or type of anything in this protocol.
    case malformed
    case unsupportedVersion
    /// The source has sent too many messages without a valid tag.
    case rateLimited
    /// The tag was made with none of the keys.
    case invalidTag
    /// The tag was right, the rest of the handshake was not.
    case handshakeFailed
    /// No handshake or session has this index.
    case unknownSession
    /// The packet's counter was seen before, or is older than the window.
    case replayed
    case authenticationFailed
    /// As many links or streams are open as are allowed.
    case tooMany
}

/// Sizes and times that this implementation chooses, and tests shrink.
public struct LinkLimits: Sendable {
    /// Peers with a live link.
    public var maximumLinks = 256
    /// Streams, dialled ones and those of members together.
    public var maximumStreams = 64
    /// Besides these, accepted streams of links to strangers.
    public var maximumStrangerStreams = 16
    /// Streams of one link: the one in use, and others that are not finished yet.
    public var maximumStreamsPerLink = 4
    /// Accepted streams whose peer is not authenticated yet.
    public var maximumWaitingStreams = 64
    /// Of those, what one source address may have.
    public var maximumWaitingStreamsPerSource = 16
    /// Dials under way.
    public var maximumDials = 256
    /// Handshakes answered, whose initiator has not yet shown that it is there; the oldest gives way.
    public var maximumProvisionalSessions = 128
    public var maximumProvisionalSessionsPerPeer = 4
    /// Bytes `send` takes before the peer has acknowledged earlier ones.
    public var maximumQueuedByteCount = 16 << 20
    /// How long an accepted stream may take to show a valid tag, and a dialled one to answer.
    public var streamHandshakeLimit: Duration = .seconds(5)
    /// How long a stream may stop in the middle of a frame.
    public var streamStallLimit: Duration = .seconds(10)
    /// How long one frame may take to come: 64 KiB at 9 kbit/s.
    public var streamFrameLimit: Duration = .seconds(60)
    /// How long message 1 is repeated over UDP.
    public var datagramDialLimit: Duration = .seconds(5)
    /// The age at which a used session is renewed.
    public var rekeyAge: Duration = .seconds(120)
    /// How long renewal may go unanswered, or an older session outlive a newer one.
    public var rekeyGrace: Duration = .seconds(60)
    public var localKeepalive: Duration = .seconds(110)
    public var remoteKeepalive: Duration = .seconds(25)
    /// A stream without messages is closed after this time if datagrams get through.
    public var streamIdleLimit: Duration = .seconds(300)
    /// Messages without a valid tag that one source address may send.
    package var taglessMessages = TokenBucket.Limit(burst: 5, interval: .milliseconds(50))
    /// Handshakes under this device's friend code that one source address may begin.
    package var friendHandshakes = TokenBucket.Limit(burst: 16, interval: .seconds(1))
    /// Source addresses remembered for these.
    public var maximumLimitedSources = 1_024

    public init() {}

    /// The interval after which an idle path to `endpoint` carries a keepalive.
    func keepaliveInterval(to endpoint: Endpoint) -> Duration {
        endpoint.isLocal ? localKeepalive : remoteKeepalive
    }
}

/// To whom a link leads, as the ledgers have it: whose places its streams take.
public enum LinkParty: Sendable, Equatable {
    /// No current member of any group: one who wants to be let in, or holds an old key.
    case stranger
    case member(UserID)
}

/// The state of a link's paths.
public struct LinkPathSummary: Sendable, Equatable {
    public let via: LinkVia
    /// Where datagrams go, or else where the stream ends; of a stream the peer opened that port takes no dials.
    public let endpoint: Endpoint
    public let hasStream: Bool
    public let hasDatagrams: Bool
    /// When the peer was last heard on any path.
    public let lastHeard: MonotonicInstant
    /// When the peer, by what it says of itself, says something at the latest.
    public let nextExpected: MonotonicInstant
    /// The smoothed round-trip time, once measured.
    public let roundTripTime: Duration?
}
