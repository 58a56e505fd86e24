public import StreakGames

/// Converts instants to the days and minutes of one place, using only its offset from UTC at each instant.
public struct LocalCalendar: Sendable {
    /// The largest offset from UTC anywhere, in seconds.
    private static let furthest = 64_800

    private let utcOffset: @Sendable (Int64) -> Int

    /// `utcOffset` returns the seconds east of UTC at an instant in Unix seconds.
    public init(utcOffset: @escaping @Sendable (_ instant: Int64) -> Int) {
        self.utcOffset = utcOffset
    }

    /// A place that never changes its clocks.
    public init(fixedOffset seconds: Int) {
        self.init { _ in seconds }
    }

    public func day(at instant: Int64) -> PuzzleDay {
        PuzzleDay(daysSinceEpoch: Int(Self.floor(local(instant), 86_400)))
    }

    /// 0…1439.
    public func minute(at instant: Int64) -> Int {
        let seconds = local(instant)
        return Int(seconds - Self.floor(seconds, 86_400) * 86_400) / 60
    }

    /// 0…23.
    public func hour(at instant: Int64) -> Int { minute(at: instant) / 60 }

    /// The first instant of `day` at which the clocks show `minute` or later; `nil` for a day that this place skipped.
    ///
    /// If the clocks skip that time, the instant of the jump; if they show it twice, the first time.
    public func instant(of minute: Int, on day: PuzzleDay) -> Int64? {
        let shown = Int64(day.daysSinceEpoch) * 86_400 + Int64(min(max(minute, 0), 1_439)) * 60
        let before = offset(at: shown - 86_400)
        let after = offset(at: shown + 86_400)
        let matching = [shown - before, shown - after].filter { local($0) == shown }
        if let first = matching.min() { return first }
        // The clocks jump here: find the instant, to the second.
        var low = shown - max(before, after)
        var high = shown - min(before, after)
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if local(middle) >= shown { high = middle } else { low = middle }
        }
        let jump = local(low) >= shown ? low : high
        return self.day(at: jump) == day ? jump : nil
    }

    private func offset(at instant: Int64) -> Int64 {
        Int64(min(max(utcOffset(instant), -Self.furthest), Self.furthest))
    }

    private func local(_ instant: Int64) -> Int64 {
        // Clamped first, because a record may contain any number.
        let bounded = min(max(instant, -100_000_000_000), 100_000_000_000)
        return bounded + offset(at: bounded)
    }

    private static func floor(_ dividend: Int64, _ divisor: Int64) -> Int64 {
        let quotient = dividend / divisor
        return dividend % divisor < 0 ? quotient - 1 : quotient
    }
}
