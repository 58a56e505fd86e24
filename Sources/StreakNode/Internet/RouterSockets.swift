import NIOCore
import NIOPosix
import StreakInternet
import StreakLinks
import StreakWire

/// The sockets through which one router is asked, and heard when it announces something.
final class RouterSockets: Sendable {
    /// Datagrams that may wait for the node; a router says a few in an hour.
    private static let maximumWaiting = 64
    private static let bufferSize: CInt = 64 << 10

    let line: PortMapper.Line
    private let socket: DatagramSocket
    /// Nil where another program has the port of announcements: then a restart of the router is seen at the next renewal.
    private let announcements: DatagramSocket?
    private let channels: [EventLoopFuture<any Channel>]
    private let limit = WaitingLimit(maximumWaiting)

    /// `hear` is called on an event loop, and `consumed` has to follow once a datagram is handled.
    ///
    /// - Throws: what the system says where it gives no socket at the line's address.
    init(_ line: PortMapper.Line, hearing hear: @escaping @Sendable ([UInt8], Endpoint) -> Void) throws {
        self.line = line
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
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
                hear($0, $1)
            }
        }
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
}
