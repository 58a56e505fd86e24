import Synchronization

/// A wall clock that moves when it is told to.
final class SettableClock: Sendable {
    private let seconds: Mutex<Int64>

    init(_ seconds: Int64) { self.seconds = Mutex(seconds) }

    func set(_ value: Int64) { seconds.withLock { $0 = value } }

    var milliseconds: Int64 { seconds.withLock { $0 * 1_000 } }
}
