/// How much costly work may be asked for: so much at once, and one more after every interval.
struct Allowance: Sendable {
    static let burst = 8
    static let interval: Duration = .seconds(20)

    private var tokens = Self.burst
    private var refilledAt: MonotonicInstant

    init(at now: MonotonicInstant) { refilledAt = now }

    /// Whether there is something left, of which this takes one.
    mutating func take(at now: MonotonicInstant) -> Bool {
        let gained = refilledAt.duration(to: now).nanoseconds / Self.interval.nanoseconds
        if gained > 0 {
            tokens = Int(min(Int64(Self.burst), Int64(tokens) + gained))
            refilledAt = now
        }
        guard tokens > 0 else { return false }
        tokens -= 1
        return true
    }
}
