public import Logging

/// How a node meets the world.
public struct NodeConfiguration: Sendable {
    /// `HOST:PORT` to serve on, for datagrams and streams alike; port 0 picks one.
    public var listen: String
    /// Whether the node opens sockets at all when it runs.
    public var usesNetwork: Bool
    /// Whether it looks for members on the local networks.
    public var usesLAN: Bool
    /// Addresses, as `HOST:PORT`, at which members may be found.
    public var peers: [String]
    /// Where the node says what it does; nowhere, unless set.
    public var logger = Logger(label: "streakmesh.node") { _ in SwiftLogNoOpLogHandler() }
    /// Whether a guest's folder is opened, who is linked to nobody.
    var isGuest = false
    /// What tells the time of day, in milliseconds since 1970; nil for the machine's clock.
    var wall: (@Sendable () -> Int64)?
    /// By how much the time since the start is ahead of the machine's, never less than before; nil for nothing.
    var lead: (@Sendable () -> Duration)?

    public init(listen: String, usesNetwork: Bool, usesLAN: Bool, peers: [String]) {
        self.listen = listen
        self.usesNetwork = usesNetwork
        self.usesLAN = usesLAN
        self.peers = peers
    }
}
