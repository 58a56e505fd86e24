import Synchronization

/// A wall clock that moves when it is told to.
final class SettableClock: Sendable {
    private let seconds: Mutex<Int64>

    init(_ seconds: Int64) { self.seconds = Mutex(seconds) }

    func set(_ value: Int64) { seconds.withLock { $0 = value } }

    var milliseconds: Int64 { seconds.withLock { $0 * 1_000 } }
}

/// A wall clock that stands until it is told to hurry; from then on a minute passes with each reading.
final class HastyClock: Sendable {
    private let state: Mutex<(seconds: Int64, step: Int64)>

    init(_ seconds: Int64) { state = Mutex((seconds, 0)) }

    func hurry() { state.withLock { $0.step = 60 } }

    var milliseconds: Int64 {
        state.withLock {
            $0.seconds += $0.step
            return $0.seconds * 1_000
        }
    }
}

/// Monotonic time that jumps when it is told to, the same for all nodes of a test.
final class Leap: Sendable {
    private let total = Mutex(Duration.zero)

    var lead: Duration { total.withLock { $0 } }

    func take(_ duration: Duration) { total.withLock { $0 += duration } }
}
