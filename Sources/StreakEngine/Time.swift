/// A point on the engine's own clock, which starts at zero, never goes back and says nothing about dates.
public struct MonotonicInstant: InstantProtocol, Sendable, CustomStringConvertible {
    /// Nanoseconds since the engine's clock started.
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

/// What the calendar clock of this machine says. It may be wrong or jump; it dates records and judges clocks, and
/// nothing is ever scheduled by it.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64 { milliseconds.quotientAndRemainder(dividingBy: 1_000).quotient }

    public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}
