import Hummingbird
import NIOCore
import ServiceLifecycle
import StreakNode
import Synchronization

/// A message to an open page.
enum PageNotice: Sendable {
    /// Something on a page may have changed. `groups` are sorted; empty means all.
    case change(groups: [String])
    /// A sentence to show once.
    case message(String)
    /// No content: keeps the connection in use.
    case heartbeat
}

/// Turns the node's events into notices for open pages, and merges changes that come fast.
final class ChangeHub: Service {
    private struct State {
        var streams: [Int: AsyncStream<PageNotice>.Continuation] = [:]
        var nextID = 0
        var groups: Set<String> = []
        var concernsAll = false
        var isScheduled = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let events: @Sendable () -> AsyncStream<NodeEvent>
    private let eventLoop: any EventLoop

    init(events: @escaping @Sendable () -> AsyncStream<NodeEvent>, eventLoop: any EventLoop) {
        self.events = events
        self.eventLoop = eventLoop
    }

    /// A new stream of notices; nil if the limit is reached.
    func open() -> (id: Int, notices: AsyncStream<PageNotice>)? {
        // A page too slow to read loses notices. Its periodic check finds the changes.
        let (notices, continuation) = AsyncStream.makeStream(of: PageNotice.self, bufferingPolicy: .bufferingNewest(16))
        return state.withLock { state in
            guard !state.isClosed, state.streams.count < WebLimit.eventStreams else { return nil }
            let id = state.nextID
            state.nextID += 1
            state.streams[id] = continuation
            return (id, notices)
        }
    }

    func close(_ id: Int) {
        state.withLock { $0.streams.removeValue(forKey: id) }?.finish()
    }

    func run() async throws {
        let heartbeat = eventLoop.scheduleRepeatedTask(
            initialDelay: .seconds(WebLimit.heartbeatSeconds), delay: .seconds(WebLimit.heartbeatSeconds)
        ) { _ in self.send(.heartbeat) }
        for await event in events().cancelOnGracefulShutdown() { note(event) }
        // The end of the node's events does not end the page.
        try? await gracefulShutdown()  // throws only when cancelled, and then ends in the same way
        heartbeat.cancel()
        closeAll()
    }

    /// Takes one event. Pages hear of it when the collecting time is over.
    func note(_ event: NodeEvent) {
        switch event {
        case .changed(let group, _): schedule(group: group)
        case .peer, .groupsChanged: schedule(group: nil)
        // Back quotes mark commands in a terminal; a page has none.
        case .notice(let text): send(.message(text.filter { $0 != "`" }))
        }
    }

    private func schedule(group: String?) {
        let isFirst = state.withLock { state in
            if let group { state.groups.insert(group) } else { state.concernsAll = true }
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        guard isFirst else { return }
        eventLoop.scheduleTask(in: .milliseconds(WebLimit.coalescingMilliseconds)) { self.flush() }
    }

    private func flush() {
        let groups = state.withLock { state in
            let groups = state.concernsAll ? [] : state.groups.sorted()
            state.groups = []
            state.concernsAll = false
            state.isScheduled = false
            return groups
        }
        send(.change(groups: groups))
    }

    private func send(_ notice: PageNotice) {
        for continuation in state.withLock({ Array($0.streams.values) }) { continuation.yield(notice) }
    }

    private func closeAll() {
        let streams = state.withLock { state in
            state.isClosed = true
            defer { state.streams = [:] }
            return Array(state.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}

extension PageNotice {
    /// The notice as one server-sent event (HTML Standard §9.2.6). JSON text has no raw line breaks, so a text cannot
    /// end the event.
    var eventText: String {
        switch self {
        case .change(let groups):
            return "event: change\ndata: \(JSON(reflecting: groups).text)\n\n"
        case .message(let text):
            return "event: message\ndata: \(JSON.string(text).text)\n\n"
        case .heartbeat:
            return ": still here\n\n"
        }
    }
}
