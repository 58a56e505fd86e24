import NIOCore
import NIOPosix
import StreakEngine
import StreakLinks
import StreakWire
import Synchronization

/// What is to be done with streams, in this order.
enum StreamCommand: Sendable {
    case open(StreamID, to: Endpoint)
    case send(StreamID, [UInt8])
    case close(StreamID)
    case consumed(StreamID, Int)
}

/// Has SwiftNIO close a connection that was just accepted.
private struct StreamRefused: Error {}

/// All TCP connections, on their event loop, to which this and its handlers are confined.
final class StreamTable {
    let eventLoop: any EventLoop
    let inlet: NetworkInlet
    let counters: NetworkCounters
    let limits: NetworkLimits
    private var handlers: [StreamID: StreamHandler] = [:]
    /// Those that `finish` was called for, the oldest first.
    private var draining: [StreamID] = []
    private var acceptedCount: UInt64 = 0
    /// Accepted streams on which nothing was sent yet, by source.
    private var unclaimed: [Bytes16: Int] = [:]
    private var unclaimedCount = 0
    /// Whether the table accepts and opens nothing more.
    private var isFinishing = false
    /// Made by `finish`, succeeds with the last stream's end.
    private var emptied: EventLoopPromise<Void>?

    init(eventLoop: any EventLoop, inlet: NetworkInlet, counters: NetworkCounters, limits: NetworkLimits) {
        self.eventLoop = eventLoop
        self.inlet = inlet
        self.counters = counters
        self.limits = limits
    }

    func perform(_ commands: [StreamCommand]) {
        var written: Set<StreamID> = []
        for command in commands {
            switch command {
            case .open(let id, let endpoint): open(id, to: endpoint)
            case .send(let id, let bytes):
                handlers[id]?.send(bytes)
                written.insert(id)
            case .close(let id): handlers[id]?.closeSilently()
            case .consumed(let id, let count): handlers[id]?.consumed(count)
            }
        }
        // One flush for all that was sent at once; the order among streams means nothing.
        for id in written { handlers[id]?.flush() }
    }

    /// Takes a connection, or throws to have it closed.
    func accept(_ channel: any Channel) throws {
        guard !isFinishing, unclaimedCount < limits.maximumUnclaimedStreams,
            let source = channel.remoteAddress.flatMap(Endpoint.init(_:)), inlet.admits(source),
            unclaimed[source.network, default: 0] < limits.maximumUnclaimedStreamsPerSource
        else {
            counters.refusedStreams.wrappingAdd(1, ordering: .relaxed)
            throw StreamRefused()
        }
        // Even: dialled ones are odd.
        acceptedCount += 1
        let handler = StreamHandler(id: StreamID(acceptedCount * 2), acceptedFrom: source, table: self)
        try channel.pipeline.syncOperations.addHandler(handler)
        handlers[handler.id] = handler
        unclaimedCount += 1
        unclaimed[source.network, default: 0] += 1
    }

    /// A stream from there has an answer, or has ended without one.
    func claimed(from source: Endpoint?) {
        guard let key = source?.network, let count = unclaimed[key] else { return }
        unclaimedCount -= 1
        unclaimed[key] = count == 1 ? nil : count - 1
    }

    func beganDraining(_ id: StreamID) {
        draining.append(id)
        if draining.count > limits.maximumDrainingStreams { handlers[draining.removeFirst()]?.cutOff() }
    }

    func ended(_ handler: StreamHandler) {
        guard handlers.removeValue(forKey: handler.id) != nil else { return }
        draining.removeAll { $0 == handler.id }
        if !handler.isClaimed { claimed(from: handler.source) }
        if handlers.isEmpty { emptied?.succeed() }
    }

    /// Cuts off closed streams that no longer deliver anything.
    func maintain() {
        for id in draining { handlers[id]?.checkProgress() }
    }

    /// Lets every stream deliver what was sent on it, accepts no new ones, and succeeds when all are closed.
    func finish() -> EventLoopFuture<Void> {
        isFinishing = true
        for handler in handlers.values { handler.closeSilently() }
        guard !handlers.isEmpty else { return eventLoop.makeSucceededVoidFuture() }
        let promise = eventLoop.makePromise(of: Void.self)
        emptied = promise
        return promise.futureResult
    }

    func cutOffAll() {
        for handler in handlers.values { handler.cutOff() }
    }

    private func open(_ id: StreamID, to endpoint: Endpoint) {
        guard !isFinishing, handlers[id] == nil else { return }
        guard endpoint.isUnicast, inlet.admits(endpoint) else { return inlet.deliver(.streamFailed(id)) }
        let handler = StreamHandler(id: id, acceptedFrom: nil, table: self)
        handlers[id] = handler
        let bound = NIOLoopBound(handler, eventLoop: eventLoop)
        ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(limits.connectTimeout))
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .connect(to: endpoint.socketAddress)
            .assumeIsolated()
            .whenFailure { _ in handler.connectFailed() }
    }
}
