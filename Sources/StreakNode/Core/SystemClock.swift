import StreakEngine
import StreakGames
import StreakLinks
import StreakScores

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The machine's clocks, as the engine takes them.
struct SystemClock: Sendable {
    private let start = ContinuousClock.now
    /// What tells the time of day in the place of the machine's clock.
    private let wall: (@Sendable () -> Int64)?
    /// How far the time since the start is ahead of the machine's.
    private let lead: (@Sendable () -> Duration)?

    init(wall: (@Sendable () -> Int64)? = nil, lead: (@Sendable () -> Duration)? = nil) {
        self.wall = wall
        self.lead = lead
    }

    /// Time since this node started, suspended time included.
    var now: MonotonicInstant {
        MonotonicInstant.zero.advanced(by: start.duration(to: .now) + (lead?() ?? .zero))
    }

    var wallTime: WallTime {
        if let wall { return WallTime(milliseconds: wall()) }
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

    /// The calendar day it is here, in the machine's time zone.
    var today: PuzzleDay { calendar.day(at: wallTime.seconds) }

    /// The machine's time zone.
    var calendar: LocalCalendar {
        LocalCalendar { instant in
            var seconds = time_t(instant)
            var local = unsafe tm()
            unsafe localtime_r(&seconds, &local)
            return unsafe Int(local.tm_gmtoff)
        }
    }
}
