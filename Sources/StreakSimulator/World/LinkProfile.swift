/// How the path from one node to another treats what is sent.
public struct LinkProfile: Sendable, Equatable {
    public var latency: Duration
    /// Additional latency, random for each datagram up to this.
    public var jitter: Duration = .zero
    /// The share of lost datagrams, 0 to 1. On streams, lost pieces arrive later.
    public var loss = 0.0
    public var duplication = 0.0
    /// The share of datagrams delayed so long that later ones overtake them.
    public var reordering = 0.0
    /// The share of datagrams with one changed byte.
    public var corruption = 0.0
    /// The share of datagrams without their end.
    public var truncation = 0.0
    /// The share of datagrams that somebody captures and sends again up to ten minutes later.
    public var replay = 0.0
    /// The share of stream pieces with one changed byte, as if past a checksum of 16 bits.
    public var streamCorruption = 0.0
    /// The share of stream pieces in which the stream breaks after the first part.
    public var streamBreakage = 0.0
    /// Larger datagrams are lost.
    public var maximumDatagramSize = 1_472
    public var blocksDatagrams = false
    public var blocksStreams = false

    public init(latency: Duration, jitter: Duration = .zero) {
        self.latency = latency
        self.jitter = jitter
    }

    /// A fast network without faults.
    public static let good = LinkProfile(latency: .milliseconds(1), jitter: .milliseconds(1))

    /// A wired local network: a switch's delay, no losses.
    public static let lan = LinkProfile(latency: .microseconds(200), jitter: .microseconds(300))

    /// Wireless at home: short waits for the channel, a few losses and repetitions.
    public static let wifi = LinkProfile(
        latency: .milliseconds(2), jitter: .milliseconds(15), loss: 0.02, duplication: 0.002, reordering: 0.01)

    /// A home line and the internet behind it.
    public static let dsl = LinkProfile(latency: .milliseconds(20), jitter: .milliseconds(10), loss: 0.005)

    /// A mobile network on the move.
    public static let mobile = LinkProfile(
        latency: .milliseconds(60), jitter: .milliseconds(120), loss: 0.03, duplication: 0.005, reordering: 0.05)

    /// A mobile network at the edge of its range.
    public static let slow = LinkProfile(latency: .milliseconds(300), jitter: .milliseconds(400), loss: 0.1)

    private init(
        latency: Duration, jitter: Duration, loss: Double, duplication: Double = 0, reordering: Double = 0
    ) {
        self.init(latency: latency, jitter: jitter)
        self.loss = loss
        self.duplication = duplication
        self.reordering = reordering
    }

    /// A network that loses, duplicates and reorders.
    public static func bad(loss: Double) -> LinkProfile {
        LinkProfile(
            latency: .milliseconds(5), jitter: .milliseconds(20), loss: loss, duplication: 0.1, reordering: 0.1)
    }

    /// This network, in addition with changed bytes, truncated datagrams and broken streams.
    public func damaging(_ share: Double) -> LinkProfile {
        var profile = self
        profile.corruption = share
        profile.truncation = share
        profile.streamCorruption = share
        profile.streamBreakage = share
        return profile
    }

    /// This network, with an attacker who replays datagrams.
    public func replaying(_ share: Double) -> LinkProfile {
        var profile = self
        profile.replay = share
        return profile
    }

    public static var withoutDatagrams: LinkProfile {
        var profile = good
        profile.blocksDatagrams = true
        return profile
    }

    public static var withoutStreams: LinkProfile {
        var profile = good
        profile.blocksStreams = true
        return profile
    }

    /// Nothing gets through.
    public static var silent: LinkProfile {
        var profile = withoutDatagrams
        profile.blocksStreams = true
        return profile
    }
}
