import NIOCore
import NIOPosix
import StreakWire

/// Reads one UDP socket, on its event loop.
final class DatagramReader: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    /// Datagrams read in one turn, so that a flood does not delay streams for long.
    private static let datagramsPerTurn: UInt = 32

    private let maximumSize: Int
    private let limit: WaitingLimit
    private let receive: ([UInt8], Endpoint) -> Void

    private init(maximumSize: Int, limit: WaitingLimit, receive: @escaping ([UInt8], Endpoint) -> Void) {
        self.maximumSize = maximumSize
        self.limit = limit
        self.receive = receive
    }

    /// Reads until the channel is closed.
    static func open(
        _ socket: DatagramSocket, on eventLoop: any EventLoop, maximumSize: Int, limit: WaitingLimit,
        receive: @escaping @Sendable ([UInt8], Endpoint) -> Void
    ) -> EventLoopFuture<any Channel> {
        guard let descriptor = socket.duplicated() else {
            return eventLoop.makeFailedFuture(ChannelError.alreadyClosed)
        }
        return DatagramBootstrap(group: eventLoop)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: maximumSize + 1))
            .channelOption(.maxMessagesPerRead, value: datagramsPerTurn)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        DatagramReader(maximumSize: maximumSize, limit: limit, receive: receive))
                }
            }
            .withBoundSocket(descriptor)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard envelope.data.readableBytes <= maximumSize, let source = Endpoint(envelope.remoteAddress) else {
            limit.drop()
            return
        }
        guard limit.admits() else { return }
        receive(Array(envelope.data.readableBytesView), source)
    }

    /// An error concerns one datagram only. If the channel closes nevertheless, it is opened again.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
