/// How the way from one node to another treats what is sent.
public struct LinkProfile: Sendable, Equatable {
    public var latency: Duration
    /// At most this much more, at random for each datagram.
    public var jitter: Duration = .zero
    /// Shares of datagrams, 0 to 1; on streams what is lost comes later.
    public var loss = 0.0
    public var duplication = 0.0
    /// Datagrams held up so long that later ones overtake them.
    public var reordering = 0.0
    /// Datagrams of which one byte arrives as another.
    public var corruption = 0.0
    /// Datagrams of which the end is missing.
    public var truncation = 0.0
    /// Datagrams that somebody on the way keeps, and sends once more up to ten minutes later.
    public var replay = 0.0
    /// Pieces of a stream of which one byte arrives as another, as past a checksum of 16 bits.
    public var streamCorruption = 0.0
    /// Pieces of a stream after whose first part the stream ends.
    public var streamBreakage = 0.0
    /// Datagrams of more bytes vanish.
    public var maximumDatagramSize = 1_472
    public var blocksDatagrams = false
    public var blocksStreams = false

    public init(latency: Duration, jitter: Duration = .zero) {
        self.latency = latency
        self.jitter = jitter
    }

    /// A network as it should be.
    public static let good = LinkProfile(latency: .milliseconds(1), jitter: .milliseconds(1))

    /// A wired local network: a switch's delay, nothing lost.
    public static let lan = LinkProfile(latency: .microseconds(200), jitter: .microseconds(300))

    /// Wireless at home: short waits for the air, a few losses and repetitions.
    public static let wifi = LinkProfile(
        latency: .milliseconds(2), jitter: .milliseconds(15), loss: 0.02, duplication: 0.002, reordering: 0.01)

    /// A wire to the provider, and the internet behind it.
    public static let dsl = LinkProfile(latency: .milliseconds(20), jitter: .milliseconds(10), loss: 0.005)

    /// A mobile network on the move.
    public static let mobile = LinkProfile(
        latency: .milliseconds(60), jitter: .milliseconds(120), loss: 0.03, duplication: 0.005, reordering: 0.05)

    /// A mobile network at the edge of its reach.
    public static let slow = LinkProfile(latency: .milliseconds(300), jitter: .milliseconds(400), loss: 0.1)

    private init(
        latency: Duration, jitter: Duration, loss: Double, duplication: Double = 0, reordering: Double = 0
    ) {
        self.init(latency: latency, jitter: jitter)
        self.loss = loss
        self.duplication = duplication
        self.reordering = reordering
    }

    /// A network that loses, doubles and overtakes.
    public static func bad(loss: Double) -> LinkProfile {
        LinkProfile(
            latency: .milliseconds(5), jitter: .milliseconds(20), loss: loss, duplication: 0.1, reordering: 0.1)
    }

    /// This network, where on top of all else bytes change, ends are cut off and streams break; shares as above.
    public func damaging(_ share: Double) -> LinkProfile {
        var profile = self
        profile.corruption = share
        profile.truncation = share
        profile.streamCorruption = share
        profile.streamBreakage = share
        return profile
    }

    /// This network with somebody on the way who sends again what has passed.
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
