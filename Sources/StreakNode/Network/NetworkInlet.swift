import StreakWire
import Synchronization

/// Hands inputs to the consumer, and never more datagrams than it keeps up with.
final class NetworkInlet: Sendable {
    let deliver: @Sendable (NetworkInput) -> Void
    let datagrams: WaitingLimit
    let beacons: WaitingLimit
    private let isLocalOnly: Bool

    /// - Parameter isLocalOnly: whether nobody beyond this network is admitted.
    init(
        limits: NetworkLimits, isLocalOnly: Bool = false, deliver: @escaping @Sendable (NetworkInput) -> Void
    ) {
        self.deliver = deliver
        self.isLocalOnly = isLocalOnly
        datagrams = WaitingLimit(limits.maximumWaitingDatagrams)
        beacons = WaitingLimit(limits.maximumWaitingBeacons)
    }

    /// Whether this node has to do with anybody there: everything that is sent, dialled, received or accepted asks it.
    func admits(_ endpoint: Endpoint) -> Bool { !isLocalOnly || endpoint.isLocal }

    /// Hands over a datagram, or a beacon, unless its source is not admitted.
    func deliver(_ input: NetworkInput, from source: Endpoint, of limit: WaitingLimit) {
        if admits(source) { deliver(input) } else { limit.consume() }
    }
}

/// Counts what was handed over and not yet consumed, and what was dropped because that was too much.
final class WaitingLimit: Sendable {
    private let limit: Int
    private let waiting = Atomic(0)
    private let dropped = Atomic(0)

    init(_ limit: Int) { self.limit = limit }

    var droppedCount: Int { dropped.load(ordering: .relaxed) }

    /// Whether one more may be handed over; if not, it counts as dropped.
    func admits() -> Bool {
        if waiting.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        waiting.wrappingSubtract(1, ordering: .relaxed)
        drop()
        return false
    }

    func drop() { dropped.wrappingAdd(1, ordering: .relaxed) }

    func consume() { waiting.wrappingSubtract(1, ordering: .relaxed) }
}

/// What is counted on the event loop and read elsewhere; `MeshNetwork` says what each means.
final class NetworkCounters: Sendable {
    let refusedStreams = Atomic(0)
    let unsentDatagrams = Atomic(0)
    let queuedStreamBytes = Atomic(0)
}
