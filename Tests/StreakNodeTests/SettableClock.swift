import Synchronization

/// A wall clock that moves when it is told to.
final class SettableClock: Sendable {
    private let seconds: Mutex<Int64>

    init(_ seconds: Int64) { self.seconds = Mutex(seconds) }

    func set(_ value: Int64) { seconds.withLock { $0 = value } }

    var milliseconds: Int64 { seconds.withLock { $0 * 1_000 } }
}

/// Monotonic time that jumps when it is told to, the same for all nodes of a test.
final class Leap: Sendable {
    private let total = Mutex(Duration.zero)

    var lead: Duration { total.withLock { $0 } }

    func take(_ duration: Duration) { total.withLock { $0 += duration } }
}
