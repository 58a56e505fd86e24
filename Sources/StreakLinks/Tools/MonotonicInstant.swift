/// A point on a node's own clock, which starts at zero, never goes back, and has no relation to dates.
public struct MonotonicInstant: InstantProtocol, Sendable, CustomStringConvertible {
    /// Nanoseconds since that clock started.
    public let nanoseconds: Int64

    public static let zero = MonotonicInstant(nanoseconds: 0)

    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflowed) = nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return MonotonicInstant(nanoseconds: overflowed ? (duration < .zero ? .min : .max) : sum)
    }

    public func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds &- nanoseconds)
    }

    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    public var description: String { "\(Double(nanoseconds) / 1e9)s" }
}

extension Duration {
    /// Whole nanoseconds, clamped to what 64 bits hold (292 years).
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflowed) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflowed else { return seconds < 0 ? .min : .max }
        return scaled &+ attoseconds / 1_000_000_000
    }
}
