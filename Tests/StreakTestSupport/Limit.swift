import Dispatch
import Synchronization

/// Resumes a continuation once, with what happens or with nil when time is up.
final class Limit<Value: Sendable>: Sendable {
    private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>, after duration: Duration) {
        self.continuation = Mutex(continuation)
        DispatchQueue.global().asyncAfter(deadline: .now() + duration.dispatchInterval) { self.settle(nil) }
    }

    /// The first call counts.
    func settle(_ value: Value?) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: value)
    }
}

extension Duration {
    var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .milliseconds(Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
