import NIOCore
import NIOPosix
import StreakEngine
import StreakLinks
import StreakWire
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The sockets of a node: one port for datagrams and streams, and the discovery port. It knows nothing of the protocol.
///
/// Datagrams and beacons are sent by the calling thread; all else happens on one event loop of its own. Call `start` once
/// and, whatever came of it, `stop` once.
final class MeshNetwork: Sendable {
    private struct State {
        enum Phase { case idle, running, stopped }
        var phase = Phase.idle
        var port: UInt16 = 0
        var inlet: NetworkInlet?
        /// For datagrams: at most one of each address family.
        var mainSockets: [DatagramSocket] = []
        var discoverySockets: [DatagramSocket] = []
        var interfaces: [LocalInterface] = []
        var commands: [StreamCommand] = []
    }

    private let counters = NetworkCounters()
    private let configuration: NetworkConfiguration
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let eventLoop: any EventLoop
    private let state = Mutex(State())
    private let receiver: NIOLoopBoundBox<NetworkReceiver?>

    init(configuration: NetworkConfiguration) {
        self.configuration = configuration
        eventLoop = group.next()
        receiver = .makeEmptyBox(eventLoop: eventLoop)
    }

    // MARK: Life

    /// Binds and begins to receive; returns the port, the same for UDP and TCP. `receive` is called on the event loop, and
    /// must return at once. Throws `NetworkError`.
    func start(receive: @escaping @Sendable (NetworkInput) -> Void) async throws -> UInt16 {
        let inlet = NetworkInlet(
            limits: configuration.limits, isLocalOnly: configuration.isLocalOnly, deliver: receive)
        let wanted = try await listenEndpoints()
        try await eventLoop.submit { [self] in
            receiver.value = NetworkReceiver(
                eventLoop: eventLoop, inlet: inlet, counters: counters, limits: configuration.limits)
        }.get()
        let sockets = try await bind(wanted)
        let port = sockets[0].endpoint.port
        state.withLock { state in
            state.phase = .running
            state.port = port
            state.inlet = inlet
            state.mainSockets = sockets
        }
        try await eventLoop.submit { [self] in
            for socket in sockets {
                receiver.value?.read(socket, limit: inlet.datagrams) {
                    inlet.deliver(.datagram($0, from: $1), from: $1, of: inlet.datagrams)
                }
            }
            openDiscovery(inlet: inlet)
            refreshInterfaces(isFirst: true)
            let interval = TimeAmount(configuration.limits.maintenanceInterval)
            receiver.value?.maintenance = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) {
                [self] _ in
                receiver.value?.maintain()
                refreshInterfaces(isFirst: false)
            }
        }.get()
        return port
    }

    /// Delivers what was sent on streams, for two seconds at most, then closes everything. Nothing is received afterwards,
    /// and the port is free.
    func stop() async {
        let sockets = state.withLock { state in
            let sockets = state.mainSockets + state.discoverySockets
            state.phase = .stopped
            state.mainSockets = []
            state.discoverySockets = []
            return sockets
        }
        for socket in sockets { socket.close() }
        let timeout = configuration.limits.stopTimeout
        // Neither can fail: nobody else shuts the loop down, and closing reports no errors.
        try? await eventLoop.flatSubmit { [self] in
            performCommands()
            return receiver.value?.close(within: timeout) ?? eventLoop.makeSucceededVoidFuture()
        }.get()
        // The sockets are closed; a thread that will not end harms nobody.
        try? await group.shutdownGracefully()
    }

    /// The port listened at; 0 before `start`.
    var port: UInt16 { state.withLock { $0.port } }

    /// `HOST:PORT` as configured, with the port in use.
    var listenDescription: String {
        Self.description(host: configuration.listen.host, port: Int(port))
    }

    /// The addresses of this machine at which the node may be reached, with its port: loopback ones only if it listens
    /// there alone.
    var reachableEndpoints: [Endpoint] {
        let (interfaces, sockets, port) = state.withLock { ($0.interfaces, $0.mainSockets, $0.port) }
        return interfaces.filter { interface in
            sockets.contains { socket in
                Self.uses(socket, interface) && (!interface.address.isLoopback || !socket.endpoint.isWildcard)
            }
        }.map { $0.address.with(port: port) }
    }

    // MARK: Datagrams

    /// Sends at once or not at all: a datagram that the system does not take is lost and counted.
    func sendDatagram(_ bytes: [UInt8], to target: Endpoint, hopLimit: UInt8? = nil) {
        let (sockets, inlet) = state.withLock { ($0.mainSockets, $0.inlet) }
        guard inlet?.admits(target) ?? false,
            let socket = sockets.first(where: { ($0.endpoint.ipv4 != nil) == (target.ipv4 != nil) }),
            socket.send(bytes, to: target, hopLimit: hopLimit)
        else {
            counters.unsentDatagrams.wrappingAdd(1, ordering: .relaxed)
            return
        }
    }

    /// Sends a beacon from the port listened at: to one endpoint, or, without one, to the discovery port of everybody on
    /// the networks of every interface, by IPv4 and IPv6 multicast and by IPv4 broadcast.
    func sendBeacon(_ bytes: [UInt8], to target: Endpoint?) {
        if let target { return sendDatagram(bytes, to: target) }
        guard configuration.usesDiscovery else { return }
        let port = configuration.discoveryPort
        let (sockets, interfaces) = state.withLock { ($0.mainSockets, $0.interfaces) }
        for socket in sockets {
            var served: Set<UInt32> = []
            for interface in interfaces where Self.uses(socket, interface) {
                if interface.supportsMulticast, served.insert(interface.index).inserted {
                    if !socket.sendToGroup(bytes, port: port, on: interface) {
                        counters.unsentDatagrams.wrappingAdd(1, ordering: .relaxed)
                    }
                }
                if let address = interface.broadcastAddress {
                    // Many networks have none, or refuse it: multicast has gone out as well.
                    socket.broadcast(bytes, to: address, port: port)
                }
            }
        }
    }

    // MARK: Streams

    /// Connects; `streamOpened` or `streamFailed` follows. The number is odd and never used before.
    func openStream(_ id: StreamID, to endpoint: Endpoint) { perform(.open(id, to: endpoint)) }
    func sendStream(_ id: StreamID, _ bytes: [UInt8]) { perform(.send(id, bytes)) }
    /// Delivers what was sent, then closes. Inputs that are under way to the consumer may still name the stream.
    func closeStream(_ id: StreamID) { perform(.close(id)) }

    /// To be called for every input once it is handled: this is what keeps memory bounded.
    func consumed(_ input: NetworkInput) {
        switch input {
        case .datagram: consumedDatagram()
        case .beacon: state.withLock { $0.inlet }?.beacons.consume()
        case .streamBytes(let id, let bytes): consumed(id, bytes.count)
        case .streamAccepted, .streamOpened, .streamFailed, .streamClosed, .interfacesChanged, .routerSpoke,
            .upnpEnded, .namesFound, .peersFound, .dht:
            break
        }
    }

    func consumedDatagram() { state.withLock { $0.inlet }?.datagrams.consume() }
    func consumed(_ id: StreamID, _ count: Int) { perform(.consumed(id, count)) }

    // MARK: Counts

    /// Datagrams that were dropped because the consumer did not keep up, or because they were far too long.
    var droppedDatagramCount: Int { state.withLock { $0.inlet }?.datagrams.droppedCount ?? 0 }
    /// Datagrams and beacons that the system did not take, or that had no possible target.
    var unsentDatagramCount: Int { counters.unsentDatagrams.load(ordering: .relaxed) }
    /// Connections that were closed at once because too many were unclaimed.
    var refusedStreamCount: Int { counters.refusedStreams.load(ordering: .relaxed) }
    /// Bytes given to `sendStream` that the system has not taken yet, of all streams.
    var queuedStreamByteCount: Int { counters.queuedStreamBytes.load(ordering: .relaxed) }

    private func perform(_ command: StreamCommand) {
        let isFirst = state.withLock { state in
            guard state.phase == .running else { return false }
            state.commands.append(command)
            return state.commands.count == 1
        }
        // All that is added before the loop comes to it is performed in the same turn.
        if isFirst { eventLoop.execute { self.performCommands() } }
    }

    private func performCommands() {
        let commands = state.withLock { state in
            let commands = state.commands
            state.commands = []
            return commands
        }
        receiver.value?.streams.perform(commands)
    }
}

// MARK: - Binding

extension MeshNetwork {
    /// How often another free port is tried if the one the system chose for the first socket is taken for the others.
    private static let portAttempts = 32

    /// At most one of each address family.
    private func listenEndpoints() async throws -> [Endpoint] {
        let (host, port) = configuration.listen
        guard let port = UInt16(exactly: port) else { throw NetworkError.invalidAddress("\(host):\(port)") }
        let ipv4 = Endpoint(ipv4: 0, port: port)
        let ipv6 = Endpoint(address: Bytes16(0, 0), port: port)
        if host.isEmpty { return [ipv4, ipv6] }
        let endpoints = try await AddressResolution.endpoints(host: host, port: port)
        if endpoints.contains(where: \.isWildcard) { return [ipv4, ipv6] }
        return [endpoints.first { $0.ipv4 != nil }, endpoints.first { $0.ipv4 == nil }].compactMap(\.self)
    }

    private func bind(_ wanted: [Endpoint]) async throws -> [DatagramSocket] {
        var attempt = 1
        while true {
            do {
                return try await bindOnce(wanted)
            } catch NetworkError.addressInUse where configuration.listen.port == 0 && attempt < Self.portAttempts {
                attempt += 1
            }
        }
    }

    /// Binds all sockets, for datagrams and for streams, or none.
    private func bindOnce(_ wanted: [Endpoint]) async throws -> [DatagramSocket] {
        var sockets: [DatagramSocket] = []
        var failure: (any Error)?
        for endpoint in wanted {
            let endpoint = endpoint.port == 0 ? endpoint.with(port: sockets.first?.endpoint.port ?? 0) : endpoint
            do {
                let socket = try DatagramSocket(
                    boundTo: endpoint, sharesPort: false, bufferSize: configuration.limits.datagramBufferSize)
                try await listen(at: socket.endpoint)
                sockets.append(socket)
            } catch {
                failure = error
                // One address family suffices, as many machines lack the other; half a port does not.
                guard (error as? IOError)?.errnoCode != EADDRINUSE else { break }
            }
        }
        let isTaken = (failure as? IOError)?.errnoCode == EADDRINUSE
        if !isTaken && !sockets.isEmpty { return sockets }
        for socket in sockets { socket.close() }
        try await eventLoop.submit { [self] in receiver.value?.closeListeners() }.get()
        let name = Self.description(host: configuration.listen.host, port: configuration.listen.port)
        if isTaken { throw NetworkError.addressInUse(name) }
        throw NetworkError.cannotListen(name, reason: failure.map { "\($0)" } ?? "it has no address")
    }

    private func listen(at endpoint: Endpoint) async throws {
        try await eventLoop.flatSubmit { [self] in
            receiver.value?.listen(at: endpoint) ?? eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
        }.get()
    }

    private static func description(host: String, port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

// MARK: - Interfaces and discovery

extension MeshNetwork {
    private static func uses(_ socket: DatagramSocket, _ interface: LocalInterface) -> Bool {
        guard (socket.endpoint.ipv4 != nil) == (interface.address.ipv4 != nil) else { return false }
        return socket.endpoint.isWildcard || socket.endpoint.address == interface.address.address
    }

    /// On the event loop. A node that cannot open the discovery port works, but is found by dialling only.
    private func openDiscovery(inlet: NetworkInlet) {
        guard configuration.usesDiscovery else { return }
        let port = configuration.discoveryPort
        let mains = state.withLock { $0.mainSockets }
        for main in mains {
            let any =
                main.endpoint.ipv4 != nil ? Endpoint(ipv4: 0, port: port) : Endpoint(address: Bytes16(0, 0), port: port)
            guard
                // Without it the node is found by dialling only.
                let socket = try? DatagramSocket(
                    boundTo: any, sharesPort: true, bufferSize: configuration.limits.datagramBufferSize / 16)
            else { continue }
            state.withLock { $0.discoverySockets.append(socket) }
            receiver.value?.read(socket, limit: inlet.beacons) { [self] bytes, source in
                // A node that listens on loopback only could not answer others.
                guard !isOwn(source), source.isLoopback || !main.endpoint.isLoopback else {
                    return inlet.beacons.consume()
                }
                inlet.deliver(.beacon(bytes, from: source), from: source, of: inlet.beacons)
            }
        }
    }

    /// Whether a beacon from there is one of this node's, come back.
    private func isOwn(_ source: Endpoint) -> Bool {
        state.withLock { state in
            source.port == state.port && state.interfaces.contains { $0.address.address == source.address }
        }
    }

    /// On the event loop, every few seconds.
    private func refreshInterfaces(isFirst: Bool) {
        // Where the interfaces cannot be read now, those known before go on being used.
        guard let found = try? LocalInterface.all() else { return }
        let (known, mains, discovery, inlet) = state.withLock { state in
            let known = state.interfaces
            state.interfaces = found
            return (known, state.mainSockets, state.discoverySockets, state.inlet)
        }
        guard found != known else { return }
        for socket in discovery {
            for interface in found where !known.contains(interface) && interface.supportsMulticast {
                let isUsed = mains.contains { Self.uses($0, interface) }
                guard isUsed, (socket.endpoint.ipv4 != nil) == (interface.address.ipv4 != nil) else { continue }
                socket.joinGroup(on: interface)
            }
        }
        if !isFirst { inlet?.deliver(.interfacesChanged) }
    }
}
