/// How the way from one node to another treats what is sent.
public struct LinkProfile: Sendable {
    public var latency: Duration
    /// At most this much more, at random for each datagram.
    public var jitter: Duration = .zero
    /// Shares of datagrams, 0 to 1; on streams what is lost comes later.
    public var loss = 0.0
    public var duplication = 0.0
    /// Datagrams held up so long that later ones overtake them.
    public var reordering = 0.0
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

    /// A network that loses, doubles and overtakes.
    public static func bad(loss: Double) -> LinkProfile {
        var profile = LinkProfile(latency: .milliseconds(5), jitter: .milliseconds(20))
        profile.loss = loss
        profile.duplication = 0.1
        profile.reordering = 0.1
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
}
