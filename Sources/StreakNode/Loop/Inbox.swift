import StreakEngine
import StreakMembership
import StreakWire
import Synchronization

/// Where sockets leave what they got for the node's loop, and where the node's events go out from.
final class Inbox: Sendable {
    private struct State {
        var inputs: [NetworkInput] = []
        /// Friend codes that were worked out for the engine, one at a time.
        var codes: [(user: UserID, code: FriendCode?)] = []
        var isClosed = false
        var subscribers: [UInt64: AsyncStream<NodeEvent>.Continuation] = [:]
        var nextSubscriber: UInt64 = 0
    }

    /// Events a slow reader may be behind; the oldest are dropped, for any later one makes a reader look anew.
    private static let maximumEvents = 1_024

    private let state = Mutex(State())
    private let waker: AsyncStream<Void>.Continuation
    /// One element for any number of inputs.
    let wakes: AsyncStream<Void>

    init() {
        (wakes, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Datagrams are bounded where they are read.
    func put(_ input: NetworkInput) {
        state.withLock { $0.inputs.append(input) }
        waker.yield()
    }

    /// Leaves a friend code that the engine has asked for; nil where there is not memory enough.
    func put(_ code: FriendCode?, of user: UserID) {
        state.withLock { $0.codes.append((user, code)) }
        waker.yield()
    }

    /// All codes that wait.
    func takeCodes() -> [(user: UserID, code: FriendCode?)] {
        state.withLock { state in
            let codes = state.codes
            state.codes = []
            return codes
        }
    }

    func wake() { waker.yield() }

    /// Everything that waits.
    func take() -> [NetworkInput] {
        state.withLock { state in
            let inputs = state.inputs
            state.inputs = []
            return inputs
        }
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
