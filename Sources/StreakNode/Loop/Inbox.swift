import StreakEngine
import StreakMembership
import StreakWire
import Synchronization

/// Collects what sockets receive for the node's loop, and sends out the node's events.
final class Inbox: Sendable {
    private struct State {
        var inputs: [NetworkInput] = []
        /// Friend codes that were worked out for the engine, one at a time.
        var codes: [(user: UserID, code: FriendCode?)] = []
        var isClosed = false
        var subscribers: [UInt64: AsyncStream<NodeEvent>.Continuation] = [:]
        var nextSubscriber: UInt64 = 0
    }

    /// How many events a slow reader may be behind. The oldest are dropped: any later event makes the reader look
    /// again.
    private static let maximumEvents = 1_024

    private let state = Mutex(State())
    private let waker: AsyncStream<Void>.Continuation
    /// One element for any number of inputs.
    let wakes: AsyncStream<Void>

    init() {
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of datagrams is limited where they are read.
    func put(_ input: NetworkInput) {
        state.withLock { $0.inputs.append(input) }
        waker.yield()
    }

    /// Adds a friend code for the engine, as it asked; nil if there was not enough memory.
    func put(_ code: FriendCode?, of user: UserID) {
        state.withLock { $0.codes.append((user, code)) }
        waker.yield()
    }

    /// Removes and returns all waiting codes.
    func takeCodes() -> [(user: UserID, code: FriendCode?)] {
        state.withLock { state in
            let codes = state.codes
            state.codes = []
            return codes
        }
    }

    func wake() { waker.yield() }

    /// Removes and returns all waiting inputs.
    func takeInputs() -> [NetworkInput] {
        state.withLock { state in
            let inputs = state.inputs
            state.inputs = []
            return inputs
        }
    }

    /// Puts inputs that were taken and not handled before those that have come since.
    func putBack(_ inputs: ArraySlice<NetworkInput>) {
        state.withLock { $0.inputs.insert(contentsOf: inputs, at: 0) }
    }

    // MARK: Events

    func subscribe() -> AsyncStream<NodeEvent> {
        let (stream, continuation) = AsyncStream<NodeEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.maximumEvents))
        let id = state.withLock { state -> UInt64? in
            guard !state.isClosed else { return nil }
            state.nextSubscriber += 1
            state.subscribers[state.nextSubscriber] = continuation
            return state.nextSubscriber
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.subscribers[id] = nil }
        }
        return stream
    }

    func publish(_ event: NodeEvent) {
        let subscribers = state.withLock { Array($0.subscribers.values) }
        for subscriber in subscribers { subscriber.yield(event) }
    }

    func close() {
        let subscribers = state.withLock { state in
            state.isClosed = true
            let all = Array(state.subscribers.values)
            state.subscribers = [:]
            return all
        }
        for subscriber in subscribers { subscriber.finish() }
        waker.finish()
    }
}
