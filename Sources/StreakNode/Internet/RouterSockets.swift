import NIOCore
import NIOPosix
import StreakInternet
import StreakLinks
import StreakWire
import Synchronization

/// The sockets through which one router is asked, and heard when it announces something.
final class RouterSockets: Sendable {
    /// Datagrams that may wait for the node; a router says a few in an hour.
    private static let maximumWaiting = 64
    private static let bufferSize: CInt = 64 << 10

    /// Who is told what comes in, on the event loop.
    private final class Listener: Sendable {
        private let hear: Mutex<@Sendable ([UInt8], Endpoint) -> Void>

        init(_ hear: @escaping @Sendable ([UInt8], Endpoint) -> Void) { self.hear = Mutex(hear) }

        func replace(by hear: @escaping @Sendable ([UInt8], Endpoint) -> Void) { self.hear.withLock { $0 = hear } }

        func receive(_ bytes: [UInt8], from source: Endpoint) { hear.withLock { $0 }(bytes, source) }
    }

    /// A mapper that has to do no more than end.
    private final class Ending: Sendable {
        private let mapper: Mutex<PortMapper>

        init(_ mapper: PortMapper) { self.mapper = Mutex(mapper) }

        func take(_ input: PortMapper.Input, at now: Duration) -> [PortMapper.Output] {
            mapper.withLock { $0.handle(input, at: now) }
        }
    }

    let line: PortMapper.Line
    private let eventLoop: any EventLoop
    private let socket: DatagramSocket
    /// Nil where another program has the port of announcements: then a restart of the router is seen at the next renewal.
    private let announcements: DatagramSocket?
    private let channels: [EventLoopFuture<any Channel>]
    private let listener: Listener
    private let limit = WaitingLimit(maximumWaiting)

    /// `hear` is called on an event loop, and `consumed` has to follow once a datagram is handled.
    ///
    /// - Throws: what the system says where it gives no socket at the line's address.
    init(_ line: PortMapper.Line, hearing hear: @escaping @Sendable ([UInt8], Endpoint) -> Void) throws {
        self.line = line
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let listener = Listener(hear)
        // The port is opened for the address from which it is asked for.
        socket = try DatagramSocket(
            boundTo: Endpoint(address: line.inside.address, port: 0), sharesPort: false, bufferSize: Self.bufferSize)
        let any = line.inside.ipv4 != nil ? Endpoint(ipv4: 0, port: 0) : Endpoint(address: Bytes16(0, 0), port: 0)
        // Where it is taken a restart is noticed later, as above.
        announcements = try? DatagramSocket(
            boundTo: any.with(port: PortMapper.announcementPort), sharesPort: true, bufferSize: Self.bufferSize)
        let limit = limit
        channels = [socket, announcements].compactMap(\.self).map { socket in
            DatagramReader.open(socket, on: eventLoop, maximumSize: PortMapper.maximumDatagramSize, limit: limit) {
                listener.receive($0, from: $1)
            }
        }
        (self.eventLoop, self.listener) = (eventLoop, listener)
    }

    /// What the system does not take is lost, as on any network.
    func send(_ bytes: [UInt8], to target: Endpoint) { socket.send(bytes, to: target) }

    /// There is room for one more.
    func consumed() { limit.consume() }

    func close() {
        socket.close()
        announcements?.close()
        for channel in channels { channel.whenSuccess { $0.close(promise: nil) } }
    }

    /// Has a mapper close what is open, waits for the router's word as long as the mapper does, and closes.
    ///
    /// The task may be cancelled already: this waits all the same.
    ///
    /// - Returns: what else is to be done about it.
    func end(_ mapper: PortMapper, at now: Duration) async -> [PortMapper.Output] {
        let ending = Ending(mapper)
        let done = eventLoop.makePromise(of: Void.self)
        listener.replace { [limit] bytes, source in
            limit.consume()
            // Nothing comes of it but the end.
            if ending.take(.datagramReceived(bytes, from: source), at: now).contains(.ended) { done.succeed() }
        }
        var others: [PortMapper.Output] = []
        for output in ending.take(.stopped, at: now) {
            switch output {
            case .send(let bytes, let target): send(bytes, to: target)
            case .ended: done.succeed()
            case .mapByUPnP, .unmapByUPnP, .changed: others.append(output)
            }
        }
        let limit = eventLoop.scheduleTask(in: .nanoseconds(PortMapper.patienceAtEnd.nanoseconds)) { done.succeed() }
        // It never fails.
        try? await done.futureResult.get()
        limit.cancel()
        close()
        return others
    }
}
