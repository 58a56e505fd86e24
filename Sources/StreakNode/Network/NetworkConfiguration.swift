import StreakEngine
import StreakInternet
import StreakLinks
import StreakWire

/// Where a node listens, and whether it looks for others on the local networks.
struct NetworkConfiguration: Sendable {
    /// The port, UDP and TCP, at which every node listens for beacons. A protocol constant: a node elsewhere is not found.
    static let defaultDiscoveryPort: UInt16 = 7421

    /// The IPv4 group that beacons are sent to, 239.255.74.20: in the local scope, which routers keep inside a site
    /// (RFC 2365 §6.1). A protocol constant.
    static let ipv4Group: UInt32 = 0xEFFF_4A14

    /// The IPv6 group that beacons are sent to, ff12::7374:7265:616b: transient, link-local scope (RFC 4291 §2.7), "streak"
    /// in ASCII. A protocol constant.
    static let ipv6Group = Bytes16(0xFF12_0000_0000_0000, 0x0000_7374_7265_616B)

    /// The host is an address or a name; `0.0.0.0`, `::` and the empty host stand for every address of this machine, IPv4
    /// and IPv6. Port 0 picks a free one.
    var listen: (host: String, port: Int)
    var usesDiscovery: Bool
    /// Whether nothing is taken from beyond this network, and nothing sent there.
    var isLocalOnly = false
    /// Tests choose another, so as not to hear real nodes.
    var discoveryPort: UInt16
    var limits: NetworkLimits

    init(
        listen: (host: String, port: Int), usesDiscovery: Bool = true,
        discoveryPort: UInt16 = NetworkConfiguration.defaultDiscoveryPort, limits: NetworkLimits = NetworkLimits()
    ) {
        self.listen = listen
        self.usesDiscovery = usesDiscovery
        self.discoveryPort = discoveryPort
        self.limits = limits
    }
}

/// Sizes and times that this implementation chooses, and tests shrink.
struct NetworkLimits: Sendable {
    /// Datagrams handed over and not yet consumed; more are dropped and counted.
    var maximumWaitingDatagrams = 4_096
    /// The same for beacons, apart, so that neither crowds out the other.
    var maximumWaitingBeacons = 256
    /// Longer datagrams are none of this protocol's (1,200 bytes at most), and are dropped.
    let maximumDatagramSize = 2_047
    /// Bytes of one stream handed over and not yet consumed; at more, reading pauses until half are consumed.
    var maximumWaitingStreamBytes = 1 << 20
    /// The same for an accepted stream on which nothing was sent yet.
    var maximumWaitingUnclaimedBytes = 16 << 10
    /// Accepted streams on which nothing was sent yet; more are closed at once. Twice what the engine lets wait, so that it is
    /// the engine that decides who gives way.
    var maximumUnclaimedStreams = 128
    /// Of those, what one source may have; again twice the engine's.
    var maximumUnclaimedStreamsPerSource = 32
    /// Closed streams that still deliver what was sent on them; beyond that the oldest are cut off.
    var maximumDrainingStreams = 64
    /// How long a closed stream may deliver nothing before it is cut off, in rounds of `maintenanceInterval`.
    var maximumIdleDrainingRounds = 6
    /// How often interfaces are looked over.
    var maintenanceInterval: Duration = .seconds(5)
    var connectTimeout: Duration = .seconds(5)
    /// How long `stop` waits for streams to deliver what was sent on them.
    var stopTimeout: Duration = .seconds(2)
    /// What the system is asked for, in bytes; it may give less.
    var datagramBufferSize: Int32 = 4 << 20

    init() {}
}

/// What the network reports.
///
/// The consumer must call `MeshNetwork.consumed` for each input. Otherwise datagrams are soon dropped, and streams
/// stop.
enum NetworkInput: Sendable, Equatable {
    case datagram([UInt8], from: Endpoint)
    /// A datagram to the discovery port.
    case beacon([UInt8], from: Endpoint)
    case streamAccepted(StreamID, from: Endpoint)
    /// A stream that `openStream` asked for is connected.
    case streamOpened(StreamID)
    /// A stream that `openStream` asked for could not be connected.
    case streamFailed(StreamID)
    case streamBytes(StreamID, [UInt8])
    /// The other side, or the system, closed a stream, after all its bytes. Not reported after `closeStream`.
    case streamClosed(StreamID)
    /// An address of this machine appeared or went.
    case interfacesChanged
    /// A datagram came to a port from which a router is asked, or to that of its announcements.
    case routerSpoke([UInt8], from: Endpoint, isIPv4: Bool)
    /// Where names lead that the user gave this machine, of those that could be looked up.
    case namesFound([String: [Endpoint]])
    /// The same of names of others.
    case peersFound([String: [Endpoint]])
    /// What became of asking a router by UPnP, which ports are open by it, and how the helper is.
    case upnpEnded(UPnPOutcome, [OpenedPort], HelperState, isIPv4: Bool)
    /// What came of asking the DHT.
    case dht(NoticeExchange.Answer)
}

/// Why the network cannot start, or an address cannot be used.
enum NetworkError: Error, Equatable {
    /// Another program, or another node, listens there. Nothing stays open.
    case addressInUse(String)
    /// The system refuses to listen there. Nothing stays open.
    case cannotListen(String, reason: String)
    /// Not of the form `HOST:PORT` or `[IPV6]:PORT`.
    case invalidAddress(String)
    /// The name has no address, or the name service does not answer.
    case unresolvedName(String, reason: String)
}
