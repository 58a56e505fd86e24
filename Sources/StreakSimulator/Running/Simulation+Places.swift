import StreakEngine
import StreakLinks
import StreakMembership
import StreakWire

/// Where nodes are, and what their routers do.
extension Simulation {
    /// How long a router takes at most to open a port.
    static let mappingTime: Duration = .milliseconds(10)
    /// The longest time until a node notices that its router has forgotten its port: half of the lifetime that it asks for,
    /// which is an hour.
    static let mappingRenewal: Duration = .seconds(1_800)

    /// Makes a place for a node. Each inner address exists once, so that a datagram sent to it from another home reaches
    /// nobody.
    mutating func makeSite(of index: Int, at place: Scenario.Place) -> SimulatedNode.Site {
        let last = UInt32(index)
        let site: SimulatedNode.Site
        switch place {
        case .lan(let number):
            // Only beacons are limited to the LAN: addresses are reachable from everywhere.
            let endpoint = Endpoint(ipv4: 0x0A00_0001 + UInt32(number) << 16 + last, port: Self.port)
            site = SimulatedNode.Site(endpoint: endpoint, lan: number, home: nil)
        case .home(let number, let router, let carrier):
            network.internet.addHome(number, routers: [router] + (carrier.map { [$0] } ?? []))
            let inner = Endpoint(ipv4: 0xC0A8_0001 + UInt32(number) << 8 + last, port: Self.port)
            site = SimulatedNode.Site(
                endpoint: globalEndpoint(of: index, inHome: number) ?? inner, lan: 1_000 + number, home: number)
        case .internet:
            let endpoint = Endpoint(address: network.internet.freshAddress(), port: Self.port)
            site = SimulatedNode.Site(endpoint: endpoint, lan: 2_000 + index, home: nil)
        }
        nodeByEndpoint[site.endpoint] = index
        return site
    }

    /// An address of its own for a node in a home whose routers leave addresses untouched; nil in another home.
    private mutating func globalEndpoint(of index: Int, inHome number: Int) -> Endpoint? {
        guard network.internet.homes[number]?.hasGlobalAddresses ?? false else { return nil }
        let address = network.internet.freshPrefixAddress(of: index)
        network.internet.place(address, inHome: number)
        return Endpoint(address: address, port: Self.port)
    }

    /// Where others reach a node, or would if its router let them in.
    mutating func outsideEndpoint(of index: Int) -> Endpoint {
        guard let home = nodes[index].site.home else { return nodes[index].endpoint }
        return nodes[index].openEndpoint ?? network.internet.outside(of: nodes[index].endpoint, inHome: home)
    }

    /// Where everybody reaches a node; nil if a router is in the way.
    mutating func reachableEndpoint(of index: Int) -> Endpoint? {
        guard let home = nodes[index].site.home else { return nodes[index].endpoint }
        return network.internet.openPort(Self.port, for: nodes[index].endpoint, inHome: home)
    }

    /// Moves a node that is down to another place, for good.
    mutating func settle(_ index: Int, at place: Scenario.Place) {
        nodeByEndpoint[nodes[index].endpoint] = nil
        nodes[index].site = makeSite(of: index, at: place)
    }

    // MARK: Other addresses

    /// Gives nodes other addresses. In a home its routers restart, so every node there gets another one.
    mutating func changeAddresses(of indices: [Int]) {
        for home in Set(indices.compactMap { nodes[$0].site.home }).sorted() { restartRouters(ofHome: home) }
        for index in indices where nodes[index].site.home == nil {
            move(index, to: Endpoint(address: network.internet.freshAddress(), port: Self.port))
            breakStreams { _, near, far in near == index || far == index }
        }
    }

    private mutating func restartRouters(ofHome home: Int) {
        network.internet.restartHome(home)
        for index in nodes.indices where nodes[index].site.home == home {
            tell(index, "has a router that restarts")
            nodes[index].openEndpoint = nil
            giveOwnEndpoints(to: index)
            let old = nodes[index].endpoint.address
            if let endpoint = globalEndpoint(of: index, inHome: home) {
                network.internet.remove(old)
                move(index, to: endpoint)
            }
            askForPortSoon(index, within: Self.mappingRenewal)
        }
        breakStreams { simulation, near, far in
            let homes = [simulation.nodes[near].site.home, simulation.nodes[far].site.home]
            return homes[0] != homes[1] && homes.contains(home)
        }
    }

    private mutating func move(_ index: Int, to endpoint: Endpoint) {
        nodeByEndpoint[nodes[index].endpoint] = nil
        nodeByEndpoint[endpoint] = index
        nodes[index].site.endpoint = endpoint
        give(.networkChanged(addresses: [endpoint]), to: index)
        giveOwnEndpoints(to: index)
        if nodes[index].isRunning { scheduleWitnesses(of: index, at: now.advanced(by: .seconds(1))) }
    }

    // MARK: Witnesses

    /// How often a node asks nodes of the DHT where they see it, as long as peers are too few to say.
    private static let witnessInterval: Duration = .seconds(600)
    /// How soon it asks again after a search: who looks for friends has often got another address.
    private static let shortestWitnessInterval: Duration = .seconds(30)

    mutating func scheduleWitnesses(of index: Int, at instant: MonotonicInstant) {
        nodes[index].witnessesDue = instant
        queue.add(.askWitnesses(index, life: nodes[index].life), at: instant)
    }

    mutating func askWitnessesSoon(_ index: Int) {
        let earliest = nodes[index].witnessesAskedAt.advanced(by: Self.shortestWitnessInterval)
        let instant = max(now, earliest)
        if instant < nodes[index].witnessesDue { scheduleWitnesses(of: index, at: instant) }
    }

    /// Has nodes of the DHT say where a node's datagrams come from.
    mutating func askWitnesses(_ index: Int) {
        // It was asked for at another time since.
        guard nodes[index].witnessesDue == now else { return }
        nodes[index].witnessesAskedAt = now
        scheduleWitnesses(of: index, at: now.advanced(by: Self.witnessInterval))
        guard network.dht.state.isHonest, nodes[index].ask({ $0.lacksWitnesses }) ?? false,
            nodes[index].internetSetting == .on
        else { return }
        for number in 0..<3 {
            // Each with another provider, far from all addresses of homes.
            let witness = Endpoint(ipv4: 0xC800_0001 + UInt32(number) << 16, port: 6_881)
            let departure = network.internet.send(
                from: nodes[index].endpoint, inHome: nodes[index].site.home, to: witness,
                hopLimit: Internet.fullHopLimit, at: now)
            guard let source = departure?.source, source.mayBeTold else { continue }
            give(.seenFromOutside(source, by: witness), to: index)
        }
    }

    // MARK: Open ports

    /// Has a node ask its router for an open port after a while, if it has a router.
    mutating func askForPortSoon(_ index: Int, within time: Duration) {
        guard nodes[index].isRunning, nodes[index].site.home != nil else { return }
        let instant = now.advanced(by: random.duration(from: .zero, to: time))
        queue.add(.askForPort(index, life: nodes[index].life), at: instant)
    }

    mutating func askForPort(_ index: Int) {
        guard nodes[index].site.home != nil else { return }
        nodes[index].openEndpoint = reachableEndpoint(of: index)
        if let endpoint = nodes[index].openEndpoint { tell(index, "has its router open \(endpoint)") }
        giveOwnEndpoints(to: index)
    }

    /// Tells a node its addresses, as its system and its router know them.
    mutating func giveOwnEndpoints(to index: Int) {
        let own = nodes[index].endpoint
        let endpoint = claimedEndpoint(of: index) ?? nodes[index].openEndpoint
        let mapped = endpoint.map { Whereabouts.Entry(source: .mapped, endpoint: $0) }
        let global = own.ipv4 == nil ? Whereabouts.Entry(source: .ipv6, endpoint: own) : nil
        give(.ownEndpointsFound([mapped, global].compactMap(\.self)), to: index)
    }

    /// Where a node's router says that it has opened a port for it, if it lies.
    func claimedEndpoint(of index: Int) -> Endpoint? {
        nodes[index].site.home.flatMap { network.internet.claimedEndpoint(inHome: $0) }
    }

    /// A node that stops in an orderly way has its port closed.
    mutating func closePorts(of index: Int) {
        nodes[index].openEndpoint = nil
        if let home = nodes[index].site.home {
            network.internet.closePorts(of: nodes[index].endpoint, inHome: home)
        }
    }
}
