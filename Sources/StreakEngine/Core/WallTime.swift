/// A reading of this machine's calendar clock. It may be wrong, or jump. It dates records and is compared with other
/// clocks; nothing is scheduled by it.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whole seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64 { milliseconds.quotientAndRemainder(dividingBy: 1_000).quotient }

    public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }
}
