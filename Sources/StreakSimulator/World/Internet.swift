import StreakEngine
import StreakLinks
import StreakWire

/// The homes' routers, their addresses, and the way between them.
struct Internet: Sendable {
    /// The routers between a LAN and the internet, the innermost first: one, or two if the provider has one as well (carrier
    /// NAT). No two homes share a router.
    struct Home: Sendable {
        fileprivate(set) var routers: [RouterTable]

        /// Whether others see the nodes' own addresses.
        var hasGlobalAddresses: Bool { routers.allSatisfy { $0.router.ports == .untouched } }
        var outermostAddress: Bytes16? { hasGlobalAddresses ? nil : routers.last?.address }
    }

    /// A datagram on its way.
    struct Departure: Sendable, Equatable {
        /// The source that others see.
        let source: Endpoint
        /// How many more devices may pass it on. It must be 1 or more when it reaches the other home's first router.
        let hops: Int
    }

    /// The hop limit of an ordinary datagram.
    static let fullHopLimit = 64
    /// The number of routers between two homes' outermost ones. A knock's hop limit is smaller, so that it ends on the way.
    static let coreHops = 8

    /// The address of a stranger, which liars and lying routers give as a node's address.
    static let victim = Endpoint(ipv4: 0xC633_6401, port: 7_420)

    private(set) var homes: [Int: Home] = [:]
    private var homesByAddress: [Bytes16: Int] = [:]
    /// All addresses that homes and nodes had at any time.
    private var addressesEver: Set<Bytes16> = []
    private var addressCount: UInt32 = 0
    private var carrierAddressCount: UInt32 = 0

    // MARK: Homes

    /// Adds a home, unless there is one of that number.
    ///
    /// - Parameter routers: from the inside.
    mutating func addHome(_ number: Int, routers: [Router]) {
        guard homes[number] == nil else { return }
        homes[number] = Home(routers: [])
        for (index, router) in routers.enumerated() {
            let address = index == routers.count - 1 ? freshAddress() : freshCarrierAddress()
            homes[number]?.routers.append(RouterTable(router, address: address))
        }
        if let address = homes[number]?.outermostAddress { homesByAddress[address] = number }
    }

    /// Restarts a home's routers: they forget everything, and the outermost gets another address.
    mutating func restartHome(_ number: Int) {
        guard var home = homes[number] else { return }
        if let address = home.outermostAddress { homesByAddress[address] = nil }
        for index in home.routers.indices {
            let isOutermost = index == home.routers.count - 1
            home.routers[index].restart(at: isOutermost ? freshAddress() : home.routers[index].address)
        }
        homes[number] = home
        if let address = home.outermostAddress { homesByAddress[address] = number }
    }

    /// Notes that a node in a home with global addresses has this address.
    mutating func place(_ address: Bytes16, inHome number: Int) { homesByAddress[address] = number }

    mutating func remove(_ address: Bytes16) { homesByAddress[address] = nil }

    func outermostAddress(ofHome number: Int) -> Bytes16? { homes[number]?.outermostAddress }

    func home(at address: Bytes16) -> Int? { homesByAddress[address] }

    /// Whether an address is, or was, one of this network's.
    func hasHad(_ address: Bytes16) -> Bool { addressesEver.contains(address) }

    /// An IPv4 address that was never used. Each is in a /16 of its own, as if all homes had other providers.
    mutating func freshAddress() -> Bytes16 {
        addressCount += 1
        // 20.0.0.0 to 99.255.0.0: none is private or shared.
        let address = Endpoint(ipv4: 0x1400_0001 + (addressCount % (80 << 8)) << 16, port: 0).address
        addressesEver.insert(address)
        return address
    }

    /// An address of 100.64/10. Providers give these to homes that share one global address (RFC 6598).
    private mutating func freshCarrierAddress() -> Bytes16 {
        carrierAddressCount += 1
        return Endpoint(ipv4: 0x6440_0001 + carrierAddressCount, port: 0).address
    }

    /// A global IPv6 address of a prefix that was never used.
    mutating func freshPrefixAddress(of node: Int) -> Bytes16 {
        addressCount += 1
        let address = Bytes16(0x2001_0DB8_0000_0000 | UInt64(addressCount), UInt64(node + 1))
        addressesEver.insert(address)
        return address
    }

    // MARK: Datagrams

    /// Sends a datagram out of a home through its routers. Each router that it passes opens a flow. Nil if its hop limit ends
    /// before it has passed all of them.
    mutating func send(
        from inside: Endpoint, inHome number: Int?, to target: Endpoint, hopLimit: Int, at now: MonotonicInstant
    ) -> Departure? {
        var source = inside
        var hops = hopLimit
        if let number {
            for index in homes[number]?.routers.indices ?? 0..<0 {
                guard hops > 1 else { return nil }
                hops -= 1
                source = homes[number]?.routers[index].leave(from: source, to: target, at: now) ?? source
            }
        }
        hops -= Self.coreHops
        return hops >= 1 ? Departure(source: source, hops: hops) : nil
    }

    /// Lets a datagram into a home.
    ///
    /// - Returns: the node's own endpoint to which it goes; nil if a router keeps it out, or its hop limit ends on the way.
    mutating func receive(_ departure: Departure, to target: Endpoint, at now: MonotonicInstant) -> Endpoint? {
        guard let number = homesByAddress[target.address], let home = homes[number] else { return nil }
        var target = target
        var hops = departure.hops
        for index in home.routers.indices.reversed() {
            guard hops >= 1 else { return nil }
            let inside = homes[number]?.routers[index].enter(from: departure.source, to: target, at: now)
            guard let inside else { return nil }
            target = inside
            hops -= 1
        }
        return hops >= 1 ? target : nil
    }

    /// The endpoint at which others see a node in a home. If a router changes ports, every destination sees another one.
    mutating func outside(of inside: Endpoint, inHome number: Int) -> Endpoint {
        var outside = inside
        for index in homes[number]?.routers.indices ?? 0..<0 {
            outside = homes[number]?.routers[index].usualOutside(of: outside) ?? outside
        }
        return outside
    }

    // MARK: Open ports

    /// Asks the router next to a node for an open port.
    ///
    /// - Returns: the endpoint at which everybody can reach the node; nil if the router opens no ports, or if there is a second
    ///   router behind it.
    mutating func openPort(_ wanted: UInt16, for inside: Endpoint, inHome number: Int) -> Endpoint? {
        guard let outside = homes[number]?.routers[0].open(wanted, for: inside) else { return nil }
        return homes[number]?.routers.count == 1 ? outside : nil
    }

    /// The endpoint at which a home's router says that it has opened a port, if it lies.
    func claimedEndpoint(inHome number: Int) -> Endpoint? {
        homes[number]?.routers.first.flatMap { $0.router.liesAboutPorts ? Self.victim : nil }
    }

    /// Closes what is open for a node.
    mutating func closePorts(of inside: Endpoint, inHome number: Int) {
        homes[number]?.routers[0].closePorts(of: inside)
    }

    /// The node that a stream to an endpoint outside a home reaches.
    func inside(ofOpen target: Endpoint) -> Endpoint? {
        guard let number = homesByAddress[target.address], let home = homes[number] else { return nil }
        var inside: Endpoint? = target
        for router in home.routers.reversed() { inside = inside.flatMap { router.inside(ofOpen: $0) } }
        return inside
    }
}
