import StreakEngine
import StreakLinks
import StreakWire

/// What a router does with datagrams between the nodes behind it and the internet.
public struct Router: Sendable, Equatable {
    /// What others see as the source of a datagram that leaves.
    public enum Ports: Sendable, Equatable {
        /// The sender's own address and port. So does a firewall before global addresses, as with IPv6.
        case untouched
        /// The router's address and the sender's port, or a free port if that one is taken.
        case kept
        /// The router's address and another port, the same for every destination.
        case steady
        /// The router's address and another port for each destination ("symmetric NAT"). Then no third node can say where
        /// to send.
        case changing
    }

    public var ports: Ports
    /// Whether an unsolicited datagram reserves the port it came to for the router itself, as some routers do. A node
    /// behind it that later sends to the same remote endpoint then gets another port.
    public var takesUnsolicited = false
    /// Whether nodes behind it may ask for an open port, which lets everybody in.
    public var opensPorts = false
    /// Whether it says that it has opened a port, at a stranger's address, and opens none.
    public var liesAboutPorts = false
    /// How long a flow lasts after its last datagram. Linux: 30 s for one that was not answered.
    public var flowLifetime: Duration = .seconds(30)

    public init(
        _ ports: Ports, takesUnsolicited: Bool = false, opensPorts: Bool = false, flowLifetime: Duration = .seconds(30)
    ) {
        self.ports = ports
        self.takesUnsolicited = takesUnsolicited
        self.opensPorts = opensPorts
        self.flowLifetime = flowLifetime
    }

    public static let keepingPort = Router(.kept)
    public static let steadyPort = Router(.steady)
    public static let changingPort = Router(.changing)
    /// Keeps ports, and takes unsolicited datagrams for itself.
    public static let accepting = Router(.kept, takesUnsolicited: true)
    public static let firewall = Router(.untouched)
    public static let openingPorts = Router(.kept, opensPorts: true)
    public static let lying: Router = {
        var router = Router(.kept)
        router.liesAboutPorts = true
        return router
    }()
}

/// The flows through one router. Each flow is between a node inside and one outside. A datagram from outside passes if it
/// belongs to a flow, or goes to an open port. Datagrams in either direction keep their flow alive.
struct RouterTable: Sendable {
    private struct Pair: Hashable, Sendable {
        let near: Endpoint
        let remote: Endpoint
    }

    private struct Flow: Sendable {
        /// The near end as seen from outside.
        let outside: Endpoint
        var lastUsed: MonotonicInstant
    }

    let router: Router
    /// Its address outside. Without meaning for a router that leaves addresses untouched.
    private(set) var address: Bytes16
    /// By the node inside and the remote one.
    private var flows: [Pair: Flow] = [:]
    /// The node inside of each flow, by how the flow looks from outside.
    private var insides: [Pair: Endpoint] = [:]
    /// By target and sender of unsolicited datagrams: when the last one came.
    private var taken: [Pair: MonotonicInstant] = [:]
    private var openPorts: [Endpoint: Endpoint] = [:]
    private var steadyPorts: [Endpoint: UInt16] = [:]
    private var lastPort: UInt16 = 20_000
    /// Dead flows are removed when there are this many flows.
    private var sweepsAt = 64

    /// Flows alive, and dead ones that were not removed yet.
    var flowCount: Int { flows.count }

    init(_ router: Router, address: Bytes16) {
        self.router = router
        self.address = address
    }

    /// Forgets everything, open ports too, and gets another address.
    mutating func restart(at address: Bytes16) {
        self.address = address
        flows = [:]
        insides = [:]
        taken = [:]
        openPorts = [:]
        steadyPorts = [:]
    }

    // MARK: Outwards

    /// Lets a datagram out. Returns its source as seen outside.
    mutating func leave(from inside: Endpoint, to remote: Endpoint, at now: MonotonicInstant) -> Endpoint {
        sweepIfDue(at: now)
        let way = Pair(near: inside, remote: remote)
        if let flow = flows[way], isAlive(flow.lastUsed, at: now) {
            flows[way]?.lastUsed = now
            return flow.outside
        }
        forget(way)
        let outside = outside(of: inside, to: remote, at: now)
        begin(way, as: outside, at: now)
        return outside
    }

    private mutating func begin(_ way: Pair, as outside: Endpoint, at now: MonotonicInstant) {
        flows[way] = Flow(outside: outside, lastUsed: now)
        insides[Pair(near: outside, remote: way.remote)] = way.near
    }

    private mutating func forget(_ way: Pair) {
        guard let flow = flows.removeValue(forKey: way) else { return }
        insides[Pair(near: flow.outside, remote: way.remote)] = nil
    }

    private mutating func outside(of inside: Endpoint, to remote: Endpoint, at now: MonotonicInstant) -> Endpoint {
        let outside = usualOutside(of: inside)
        guard router.ports != .untouched, !isFree(outside, for: remote, at: now) else { return outside }
        return Endpoint(address: address, port: freshPort())
    }

    /// How a node is seen from outside by every destination for which the port is free.
    mutating func usualOutside(of inside: Endpoint) -> Endpoint {
        switch router.ports {
        case .untouched: inside
        case .kept: Endpoint(address: address, port: inside.port)
        case .steady: Endpoint(address: address, port: steadyPort(of: inside))
        case .changing: Endpoint(address: address, port: freshPort())
        }
    }

    private func isFree(_ outside: Endpoint, for remote: Endpoint, at now: MonotonicInstant) -> Bool {
        let way = Pair(near: outside, remote: remote)
        if let last = taken[way], isAlive(last, at: now) { return false }
        guard let inside = insides[way], let flow = flows[Pair(near: inside, remote: remote)] else { return true }
        return !isAlive(flow.lastUsed, at: now)
    }

    private mutating func steadyPort(of inside: Endpoint) -> UInt16 {
        if let port = steadyPorts[inside] { return port }
        let port = freshPort()
        steadyPorts[inside] = port
        return port
    }

    private mutating func freshPort() -> UInt16 {
        lastPort = lastPort == .max ? 20_001 : lastPort + 1
        return lastPort
    }

    private func isAlive(_ lastUsed: MonotonicInstant, at now: MonotonicInstant) -> Bool {
        lastUsed.advanced(by: router.flowLifetime) >= now
    }

    private mutating func sweepIfDue(at now: MonotonicInstant) {
        guard flows.count + taken.count >= sweepsAt else { return }
        for (way, flow) in flows where !isAlive(flow.lastUsed, at: now) { forget(way) }
        taken = taken.filter { isAlive($0.value, at: now) }
        sweepsAt = max(64, 2 * (flows.count + taken.count))
    }

    // MARK: Inwards

    /// Takes a datagram from outside. Returns whom inside it goes to; nil if it is not let in.
    mutating func enter(from remote: Endpoint, to target: Endpoint, at now: MonotonicInstant) -> Endpoint? {
        let seen = Pair(near: target, remote: remote)
        if let inside = insides[seen], let flow = flows[Pair(near: inside, remote: remote)],
            isAlive(flow.lastUsed, at: now)
        {
            flows[Pair(near: inside, remote: remote)]?.lastUsed = now
            return inside
        }
        if let inside = openPorts[target] {
            let way = Pair(near: inside, remote: remote)
            if !(flows[way].map { isAlive($0.lastUsed, at: now) } ?? false) {
                // The answers leave from the open port.
                forget(way)
                begin(way, as: target, at: now)
            }
            return inside
        }
        if router.takesUnsolicited { taken[seen] = now }
        return nil
    }

    // MARK: Open ports

    /// Opens a port for a node that asks: the port it wants, or a free one if another node has that.
    ///
    /// - Returns: the endpoint at which everybody can reach the node; nil if the router opens no ports.
    mutating func open(_ wanted: UInt16, for inside: Endpoint) -> Endpoint? {
        guard router.opensPorts else { return nil }
        if router.ports == .untouched {
            openPorts[inside] = inside
            return inside
        }
        var outside = Endpoint(address: address, port: wanted)
        while let other = openPorts[outside], other != inside {
            outside = Endpoint(address: address, port: freshPort())
        }
        openPorts[outside] = inside
        return outside
    }

    mutating func closePorts(of inside: Endpoint) { openPorts = openPorts.filter { $0.value != inside } }

    /// The node for which a port is open.
    func inside(ofOpen outside: Endpoint) -> Endpoint? { openPorts[outside] }
}
