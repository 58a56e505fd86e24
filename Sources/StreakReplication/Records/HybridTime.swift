/// A reading of a hybrid logical clock: 48 bits of wall-clock milliseconds, then a 16-bit counter that orders readings
/// of one millisecond (Kulkarni et al., "Logical Physical Clocks", 2014).
public struct HybridTime: Hashable, Comparable, Sendable {
    public let rawValue: UInt64

    public static let zero = HybridTime(rawValue: 0)

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// `milliseconds` are since 1970; negative ones become 0, those beyond 48 bits the maximum.
    public init(milliseconds: Int64, counter: UInt16) {
        let clamped = UInt64(max(0, min(milliseconds, Int64(1) << 48 - 1)))
        rawValue = clamped << 16 | UInt64(counter)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64 { Int64(rawValue >> 16) }

    public static func < (left: HybridTime, right: HybridTime) -> Bool { left.rawValue < right.rawValue }
}

/// The clock of one feed. Its readings strictly increase, stay close to the wall clock, and never follow a reading that
/// is too far ahead.
public struct HybridClock: Sendable {
    /// The last reading returned or witnessed.
    public private(set) var latest: HybridTime

    /// How far ahead of the wall clock a reading may be before it is quarantined, in milliseconds: ten minutes.
    public static let maximumLead: Int64 = 600_000

    public init(latest: HybridTime = .zero) { self.latest = latest }

    /// A reading later than every earlier one.
    public mutating func next(wallMilliseconds: Int64) -> HybridTime {
        let wall = HybridTime(milliseconds: wallMilliseconds, counter: 0)
        latest = wall > latest ? wall : HybridTime(rawValue: latest.rawValue &+ 1)
        return latest
    }

    /// Advances to another device's reading, unless it is quarantined.
    public mutating func witness(_ time: HybridTime, wallMilliseconds: Int64) {
        guard time.milliseconds - Self.maximumLead <= wallMilliseconds else { return }
        latest = max(latest, time)
    }
}
