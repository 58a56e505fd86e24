import NIOCore
import Synchronization

/// Limits the page's connections, so that opening many cannot exhaust descriptors or memory.
///
/// Every user of this machine can connect to the page, so first come, first served would let one of them block the
/// others. When the table is full, the oldest connection without a valid session is closed. Connections of this user's
/// browser stay.
final class ConnectionTable: Sendable {
    private struct Connection {
        let channel: any Channel
        let number: Int
        var isTrusted = false
    }

    private struct State {
        var connections: [ObjectIdentifier: Connection] = [:]
        var nextNumber = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = WebLimit.connections) { self.limit = limit }

    var count: Int { state.withLock(\.connections.count) }

    /// Takes a new connection. A full table closes its oldest untrusted one, which is the new one if all others are
    /// trusted.
    func opened(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        let ended = state.withLock { state -> (any Channel)? in
            state.connections[id] = Connection(channel: channel, number: state.nextNumber)
            state.nextNumber += 1
            guard state.connections.count > limit else { return nil }
            let waiting = state.connections.filter { !$0.value.isTrusted }
            guard let oldest = waiting.min(by: { $0.value.number < $1.value.number }) else { return nil }
            state.connections[oldest.key] = nil
            return oldest.value.channel
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(id) }
        ended?.close(promise: nil)
    }

    /// Marks a connection as trusted: a request on it showed a session, and its user is permitted.
    func trust(_ channel: any Channel) {
        state.withLock { $0.connections[ObjectIdentifier(channel)]?.isTrusted = true }
    }

    private func closed(_ id: ObjectIdentifier) {
        state.withLock { $0.connections[id] = nil }
    }
}

/// Registers a connection as soon as it is accepted, before anything is read from it.
final class ConnectionPlace: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    private let table: ConnectionTable

    init(in table: ConnectionTable) { self.table = table }

    func handlerAdded(context: ChannelHandlerContext) { table.opened(context.channel) }
}
