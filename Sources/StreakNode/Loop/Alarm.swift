import NIOCore
import NIOPosix
import StreakLinks
import StreakWire

/// Wakes the node's loop when something is due next.
struct Alarm {
    private var deadline: MonotonicInstant?
    private var scheduled: Scheduled<Void>?

    mutating func set(for due: MonotonicInstant, at now: MonotonicInstant, waking inbox: Inbox) {
        // If it rings too early, the loop looks again then.
        if let deadline, scheduled != nil, deadline <= due, deadline > now { return }
        scheduled?.cancel()
        deadline = due
        let delay = max(1, now.duration(to: due).nanoseconds)
        scheduled = MultiThreadedEventLoopGroup.singleton.next().scheduleTask(in: .nanoseconds(delay)) { inbox.wake() }
    }

    mutating func cancel() {
        scheduled?.cancel()
        (scheduled, deadline) = (nil, nil)
    }
}
