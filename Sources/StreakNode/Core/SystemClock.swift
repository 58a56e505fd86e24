import StreakEngine
public import StreakGames
import StreakLinks
import StreakScores

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The machine's clocks, in the form that the engine takes.
struct SystemClock: Sendable {
    private let start = ContinuousClock.now
    /// Replaces the machine's wall clock.
    private let wall: (@Sendable () -> Int64)?
    /// How far monotonic time is ahead of the machine's.
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

    /// Today's date in the machine's time zone.
    var today: PuzzleDay { .onThisMachine(at: wallTime.seconds) }

    /// The machine's time zone.
    var calendar: LocalCalendar { .ofThisMachine }
}

extension LocalCalendar {
    fileprivate static var ofThisMachine: LocalCalendar {
        LocalCalendar { instant in
            var seconds = time_t(instant)
            var local = unsafe tm()
            unsafe localtime_r(&seconds, &local)
            return unsafe Int(local.tm_gmtoff)
        }
    }
}

extension PuzzleDay {
    /// The day in the machine's time zone at an instant, in seconds since 1970.
    public static func onThisMachine(at instant: Int64) -> PuzzleDay { LocalCalendar.ofThisMachine.day(at: instant) }
}
