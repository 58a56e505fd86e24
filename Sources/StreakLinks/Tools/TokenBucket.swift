/// A rate limit: a burst at first, then a steady rate.
///
/// The bucket is stored as the instant at which it is full again (the virtual scheduling of ITU-T I.371, annex A), so
/// that no fraction of a token is lost.
package struct TokenBucket: Sendable {
    package struct Limit: Sendable, Equatable {
        /// Tokens that a full bucket holds.
        package let burst: Int
        /// The time in which one token comes back.
        package let interval: Duration

        package init(burst: Int, interval: Duration) {
            self.burst = burst
            self.interval = interval
        }
    }

    private let interval: Int64
    private let capacity: Int64
    private var fullAt: MonotonicInstant = .zero

    package init(_ limit: Limit) {
        interval = limit.interval.nanoseconds
        capacity = interval * Int64(limit.burst)
    }

    /// Whether there is a token. Takes none.
    package func admits(at now: MonotonicInstant) -> Bool { missing(at: now) + interval <= capacity }

    /// When a token will be there, if none is taken until then.
    package var nextAdmission: MonotonicInstant { fullAt.advanced(by: .nanoseconds(interval - capacity)) }

    /// Takes tokens, if there is one. Those that were not there have to come back first.
    package mutating func take(_ count: Int = 1, at now: MonotonicInstant) -> Bool {
        guard admits(at: now) else { return false }
        overdraw(count, at: now)
        return true
    }

    /// Takes tokens, or as many as are left.
    package mutating func charge(_ count: Int = 1, at now: MonotonicInstant) {
        let charged = interval * Int64(min(count, Int(capacity / interval)))
        fullAt = now.advanced(by: .nanoseconds(min(capacity, missing(at: now) + charged)))
    }

    /// Takes tokens whether they are there or not. Those that were not have to come back first.
    package mutating func overdraw(_ count: Int, at now: MonotonicInstant) {
        fullAt = now.advanced(by: .nanoseconds(missing(at: now) + interval * Int64(count)))
    }

    /// How many tokens there are; negative where more were taken.
    package func balance(at now: MonotonicInstant) -> Int {
        let left = capacity - missing(at: now)
        return Int(left >= 0 ? left / interval : -((interval - 1 - left) / interval))
    }

    /// Whether it is as good as a new one.
    package func isFull(at now: MonotonicInstant) -> Bool { missing(at: now) == 0 }

    /// The time until the bucket is full, in nanoseconds.
    private func missing(at now: MonotonicInstant) -> Int64 { max(0, now.duration(to: fullAt).nanoseconds) }
}
