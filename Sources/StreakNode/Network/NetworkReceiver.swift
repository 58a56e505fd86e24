import NIOCore
import NIOPosix
import StreakWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// All that lets inputs in: listeners, readers of datagrams, streams. Confined to one event loop.
final class NetworkReceiver {
    /// A socket that is read for as long as the receiver lives.
    private struct Source {
        let socket: DatagramSocket
        let limit: WaitingLimit
        let receive: @Sendable ([UInt8], Endpoint) -> Void
        /// Nil while it is being opened.
        var channel: (any Channel)?
    }

    let streams: StreamTable
    var maintenance: RepeatedTask?
    private let eventLoop: any EventLoop
    private let limits: NetworkLimits
    private var sources: [Source] = []
    /// Nil while it is being opened again.
    private var listeners: [Endpoint: (any Channel)?] = [:]
    private var isClosing = false

    init(eventLoop: any EventLoop, inlet: NetworkInlet, counters: NetworkCounters, limits: NetworkLimits) {
        self.eventLoop = eventLoop
        self.limits = limits
        streams = StreamTable(eventLoop: eventLoop, inlet: inlet, counters: counters, limits: limits)
    }

    /// Accepts streams at an endpoint from now on.
    func listen(at endpoint: Endpoint) -> EventLoopFuture<Void> {
        let table = NIOLoopBound(streams, eventLoop: eventLoop)
        var bootstrap = ServerBootstrap(group: eventLoop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try table.value.accept(channel) }
            }
        if endpoint.ipv4 == nil {
            // The IPv4 side has a listener of its own.
            let option = ChannelOptions.Types.SocketOption(
                level: .ipv6, name: NIOBSDSocket.Option(rawValue: IPV6_V6ONLY))
            bootstrap = bootstrap.serverChannelOption(option, value: 1)
        }
        return bootstrap.bind(to: endpoint.socketAddress).assumeIsolated().map { [self] channel in
            listeners[endpoint] = channel
            if isClosing { channel.close(promise: nil) }
        }.nonisolated()
    }

    /// Stops accepting streams.
    func closeListeners() {
        for case .some(let channel) in listeners.values { channel.close(promise: nil) }
        listeners = [:]
    }

    /// Reads a socket from now on.
    func read(
        _ socket: DatagramSocket, limit: WaitingLimit, receive: @escaping @Sendable ([UInt8], Endpoint) -> Void
    ) {
        sources.append(Source(socket: socket, limit: limit, receive: receive))
        openReader(at: sources.count - 1)
    }

    /// Reopens what the system has closed, and cuts off streams that deliver nothing.
    func maintain() {
        guard !isClosing else { return }
        streams.maintain()
        for (index, source) in sources.enumerated() where source.channel?.isActive == false {
            openReader(at: index)
        }
        for case (let endpoint, .some(let channel)) in listeners where !channel.isActive {
            listeners[endpoint] = .some(nil)
            // If it fails now, the next round tries again.
            listen(at: endpoint).assumeIsolated().whenFailure { [self] _ in listeners[endpoint] = channel }
        }
    }

    /// Lets streams deliver what was sent on them for a while, then closes everything.
    func close(within timeout: Duration) -> EventLoopFuture<Void> {
        isClosing = true
        maintenance?.cancel()
        closeListeners()
        for source in sources { source.channel?.close(promise: nil) }
        let limit = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(timeout)) { [self] in streams.cutOffAll() }
        return streams.finish().assumeIsolated().map { limit.cancel() }.nonisolated()
    }

    private func openReader(at index: Int) {
        sources[index].channel = nil
        let source = sources[index]
        DatagramReader.open(
            source.socket, on: eventLoop, maximumSize: limits.maximumDatagramSize, limit: source.limit,
            receive: source.receive
        )
        .assumeIsolated()
        .whenSuccess { [self] channel in
            sources[index].channel = channel
            if isClosing { channel.close(promise: nil) }
        }
    }
}
