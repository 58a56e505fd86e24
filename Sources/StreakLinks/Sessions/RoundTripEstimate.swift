/// A smoothed round-trip time and the retransmission timeout that follows from it (RFC 6298).
struct RoundTripEstimate: Sendable, Equatable {
    /// Before the first measurement. RFC 6298 says 1 s; most of our paths are local, and a spurious repetition is
    /// cheap.
    static let initialTimeout: Duration = .milliseconds(300)
    /// Must exceed the longest delay of an acknowledgement.
    static let minimumTimeout: Duration = .milliseconds(50)
    static let maximumTimeout: Duration = .seconds(3)

    private(set) var smoothed: Duration?
    private var variation: Duration = .zero

    mutating func add(_ sample: Duration) {
        guard sample >= .zero else { return }
        guard let smoothed else {
            self.smoothed = sample
            variation = sample / 2
            return
        }
        let difference = sample > smoothed ? sample - smoothed : smoothed - sample
        variation = (variation * 3 + difference) / 4
        self.smoothed = (smoothed * 7 + sample) / 8
    }

    /// The timeout after `attempts` without an answer: doubled for each.
    func timeout(afterAttempts attempts: Int = 0) -> Duration {
        var timeout = Self.initialTimeout
        if let smoothed { timeout = smoothed + max(variation * 4, .milliseconds(10)) }
        timeout = max(timeout, Self.minimumTimeout)
        for _ in 0..<min(attempts, 8) where timeout < Self.maximumTimeout { timeout *= 2 }
        return min(timeout, Self.maximumTimeout)
    }
}
