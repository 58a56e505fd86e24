import NIOCore
import StreakEngine
import StreakLinks
import StreakWire
import Synchronization

/// One TCP connection, on its event loop.
///
/// It reads only as fast as the consumer takes. It closes in order: it delivers to the system what was sent, then tells
/// the peer that nothing follows, and closes the connection only when the peer has closed, too. A plain close would
/// lose what is queued here and, with unread input, also what is on its way.
final class StreamHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case connecting, open
        /// Delivers what was sent, and tells the consumer nothing.
        case draining
        case closed
    }

    let id: StreamID
    /// Whether the consumer has sent on it, or dialled it.
    private(set) var isClaimed: Bool
    let source: Endpoint?
    private let table: StreamTable
    private var phase = Phase.connecting
    private var context: ChannelHandlerContext?
    /// Handed over and not yet consumed.
    private var waitingByteCount = 0
    private var isPaused = false
    private var hasSent = false
    private var queuedByteCount = 0
    private var isInputClosed = false
    private var isOutputClosed = false
    /// What `checkProgress` saw last: bytes that the system has not taken.
    private var lastQueuedByteCount = -1
    private var idleRounds = 0

    init(id: StreamID, acceptedFrom source: Endpoint?, table: StreamTable) {
        self.id = id
        self.source = source
        self.table = table
        isClaimed = source == nil
    }

    // MARK: Commands

    /// Writes without flushing.
    func send(_ bytes: [UInt8]) {
        guard phase == .open, let context, !bytes.isEmpty else { return }
        if !isClaimed {
            isClaimed = true
            table.claimed(from: source)
            resumeIfConsumed()
        }
        hasSent = true
        count(queued: bytes.count)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in
            count(queued: -bytes.count)
            closeOutputIfDelivered()
        }
        context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
    }

    func flush() { context?.flush() }

    func consumed(_ count: Int) {
        waitingByteCount = max(0, waitingByteCount - count)
        resumeIfConsumed()
    }

    /// Reports nothing more, delivers what was sent, then closes.
    func closeSilently() {
        switch phase {
        case .connecting, .open: finish()
        case .draining, .closed: break
        }
    }

    /// Closes at once; what is not delivered is lost.
    func cutOff() {
        guard phase != .closed else { return }
        phase = .closed
        if let context {
            context.close(promise: nil)
        } else {
            table.ended(self)
        }
    }

    /// Called in every round of maintenance while draining.
    func checkProgress() {
        guard phase == .draining, let context else { return }
        // An option that every socket channel has; without an answer the stream counts as stuck.
        let queued = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? queuedByteCount
        idleRounds = queued == lastQueuedByteCount ? idleRounds + 1 : 0
        lastQueuedByteCount = queued
        if idleRounds >= table.limits.maximumIdleDrainingRounds { cutOff() }
    }

    func connectFailed() {
        if phase == .connecting { table.inlet.deliver(.streamFailed(id)) }
        phase = .closed
        table.ended(self)
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if phase == .closed { return context.close(promise: nil) }
        if context.channel.isActive { opened(context) }
    }

    func channelActive(context: ChannelHandlerContext) { opened(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase == .open else { return }
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        waitingByteCount += bytes.count
        table.inlet.deliver(.streamBytes(id, bytes))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard !isInputClosed else { return }
        isPaused = phase == .open && waitingByteCount >= maximumWaitingByteCount
        if !isPaused { context.read() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .some(.inputClosed) = event as? ChannelEvent else { return }
        isInputClosed = true
        switch phase {
        case .open:
            table.inlet.deliver(.streamClosed(id))
            finish()
        case .draining:
            if isOutputClosed { context.close(promise: nil) }
        case .connecting, .closed: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
        if phase == .open { table.inlet.deliver(.streamClosed(id)) }
        phase = .closed
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        // A connection that never opened is reported by the failed attempt, which comes later.
        guard phase != .connecting || source != nil else { return }
        phase = .closed
        table.ended(self)
    }

    // MARK: Steps

    private func opened(_ context: ChannelHandlerContext) {
        guard phase == .connecting else { return }
        phase = .open
        table.inlet.deliver(source.map { .streamAccepted(id, from: $0) } ?? .streamOpened(id))
        context.read()
    }

    private func finish() {
        guard hasSent, let context else { return cutOff() }
        phase = .draining
        table.beganDraining(id)
        guard phase == .draining else { return }
        context.flush()
        closeOutputIfDelivered()
        if isPaused && !isInputClosed && phase == .draining {
            isPaused = false
            context.read()
        }
    }

    private func closeOutputIfDelivered() {
        guard phase == .draining, queuedByteCount == 0, !isOutputClosed, let context else { return }
        isOutputClosed = true
        context.close(mode: isInputClosed ? .all : .output, promise: nil)
    }

    private var maximumWaitingByteCount: Int {
        isClaimed ? table.limits.maximumWaitingStreamBytes : table.limits.maximumWaitingUnclaimedBytes
    }

    private func resumeIfConsumed() {
        guard isPaused, waitingByteCount <= maximumWaitingByteCount / 2, let context else { return }
        isPaused = false
        context.read()
    }

    private func count(queued count: Int) {
        queuedByteCount += count
        table.counters.queuedStreamBytes.wrappingAdd(count, ordering: .relaxed)
    }
}
