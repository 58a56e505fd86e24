public import Logging
import StreakInternet

/// How a node reaches others, and where it logs.
public struct NodeConfiguration: Sendable {
    /// `HOST:PORT` to serve on, for datagrams and streams alike; port 0 picks one.
    public var listen: String
    /// Whether the node opens sockets at all when it runs.
    public var usesNetwork: Bool
    /// Whether it looks for members on the local networks.
    public var usesLAN: Bool
    /// Addresses, as `HOST:PORT`, at which members may be found.
    public var peers: [String]
    /// How far the node goes for friends beyond the local network from now on: `on`, `off` or `lan-only`. Nil leaves the stored setting,
    /// which is `on` at first.
    public var internet: String?
    /// Names of this machine on the internet, as `HOST:PORT`: friends are told where they lead. More than `maximumAdvertised` are
    /// left out.
    public var advertised: [String] = []
    public static let maximumAdvertised = 6
    /// Whether routers are asked and names looked up at all, if the setting is `on`. Short commands end before a friend could come.
    public var usesInternet = true
    /// What the user's other machines call this one until the user names it; nil for no name.
    public var machineName: String?
    /// Where the node logs; nowhere by default.
    public var logger = Logger(label: "streakmesh.node") { _ in SwiftLogNoOpLogHandler() }
    /// The words of a command that opens the user’s page, for a click on a desktop notification; none if a click does nothing.
    /// A `streakmesh://` link to what it tells of may follow them.
    public var opening: [String] = []
    /// How many routers a knock passes: through those of a home and its provider, and not into another home (1–255).
    public var knockHopLimit: UInt8 = 5
    /// The BitTorrent DHT in which friends are found; another one in tests.
    var dht = DHTNetwork.mainline
    /// Nodes of it, as `HOST:PORT`, to begin with instead of the public ones, at most eight. Those of the test network 198.18.0.0/15 belong to
    /// no other.
    public var dhtNodes: [String] {
        get { dht.bootstrap }
        set {
            let isLab = !newValue.isEmpty && newValue.allSatisfy { $0.hasPrefix("198.18.") || $0.hasPrefix("198.19.") }
            dht = newValue.isEmpty ? .mainline : DHTNetwork(bootstrap: Array(newValue.prefix(8)), isLab: isLab)
        }
    }
    /// Whether the folder is a guest's, who has no links to anybody.
    var isGuest = false
    /// The wall clock, in milliseconds since 1970; nil for the machine's clock.
    var wall: (@Sendable () -> Int64)?
    /// How far monotonic time is ahead of the machine's, never decreasing; nil for zero.
    var lead: (@Sendable () -> Duration)?

    public init(listen: String, usesNetwork: Bool, usesLAN: Bool, peers: [String]) {
        self.listen = listen
        self.usesNetwork = usesNetwork
        self.usesLAN = usesLAN
        self.peers = peers
    }
}
