import StreakGames
import StreakScores
import Testing

@Suite struct ReminderTests {
    static let today = Fixture.today
    static let utc = LocalCalendar(fixedOffset: 0)

    /// Central Europe in 2026: summer time from 29 March to 25 October, both at 01:00 UTC.
    static let berlin = LocalCalendar { instant in
        (1_774_746_000..<1_792_890_000).contains(instant) ? 7_200 : 3_600
    }
    /// Samoa skipped 30 December 2011 at 10:00 UTC.
    static let apia = LocalCalendar { $0 < 1_325_239_200 ? -36_000 : 50_400 }

    static func instant(_ day: String, _ hour: Int, _ minute: Int = 0) -> Int64 {
        Int64(Fixture.day(day).daysSinceEpoch) * 86_400 + Int64(hour * 3_600 + minute * 60)
    }

    /// One result a day, recorded at these hours UTC, the first today.
    static func recorded(at hours: [Int], daysAgo first: Int = 0) -> PlayerInsights {
        Fixture.insights(
            hours.enumerated().map { offset, hour in
                var result = Fixture.solve(Fixture.wordle, today.adding(days: -offset - first), 3)
                result.firstRecordedAt = Int64(result.day.daysSinceEpoch) * 86_400 + Int64(hour) * 3_600
                return result
            })
    }

    @Test(arguments: [
        // hours, start, coverage, reminder
        ([8, 8, 9, 20, 20], 8, 60, 450), ([20, 20, 20, 20, 21], 20, 100, 1_170), ([0, 0, 0, 0, 0], 0, 100, 360),
        ([23, 23, 23, 23, 23], 22, 100, 1_290), ([6, 6, 7, 7, 12], 6, 80, 360), ([8, 8, 20, 20, 12], 7, 40, 390),
    ]) func `the best two hours, the earliest of equals, half an hour before`(
        _ hours: [Int], _ start: Int, _ percent: Int, _ minute: Int
    ) {
        let window = Self.recorded(at: hours).playingHours(upTo: Self.today, in: Self.utc).window
        #expect(window?.startHour == start && window?.coverage.percent == percent)
        #expect(window?.reminderMinute == minute)
    }

    @Test func `fewer than five results suggest nothing`() {
        #expect(Self.recorded(at: [8, 8, 8, 8]).playingHours(upTo: Self.today, in: Self.utc).window == nil)
        #expect(PlayingHours(counts: []).window == nil && PlayingHours(counts: [-9, 9]).total == 9)
    }

    @Test func `the reminder keeps to 06:00–22:00`() {
        for start in 0...22 {
            let minute = PlayingWindow(startHour: start, coverage: Proportion(1, of: 1)).reminderMinute
            #expect(PlayingWindow.reminderMinutes.contains(minute))
        }
        #expect(PlayingWindow(startHour: 99, coverage: Proportion(1, of: 1)).endHour == 24)
    }

    @Test func `the last thirty days, solved, not late, by the local hour`() {
        #expect(Self.recorded(at: [8], daysAgo: 29).playingHours(upTo: Self.today, in: Self.utc).total == 1)
        #expect(Self.recorded(at: [8], daysAgo: 30).playingHours(upTo: Self.today, in: Self.utc).total == 0)
        #expect(Self.recorded(at: [8], daysAgo: -1).playingHours(upTo: Self.today, in: Self.utc).total == 0)
        var late = Fixture.solve(Fixture.wordle, Self.today.adding(days: -9), 3)
        late.firstRecordedAt = Self.instant("2026-11-21", 8)
        let lost = DailyScore(
            game: Fixture.mini.id, day: Self.today, isCompleted: false, firstRecordedAt: Self.instant("2026-11-21", 8))
        #expect(Fixture.insights([late, lost]).playingHours(upTo: Self.today, in: Self.utc).total == 0)
        let east = Self.recorded(at: [20]).playingHours(
            upTo: Self.today.adding(days: 1), in: LocalCalendar(fixedOffset: 46_800))
        #expect(east.counts[9] == 1 && east.total == 1)
    }

    @Test func `computed at most every two days`() {
        var plan = ReminderPlan(fixedMinute: 600)
        let morning = PlayingHours(counts: [0, 0, 0, 0, 0, 0, 0, 0, 9])
        let evening = PlayingHours(counts: Array(repeating: 0, count: 20) + [9])
        #expect(plan.minute == 600)
        #expect(plan.refresh(on: Self.today) { morning } && plan.minute == 390)
        #expect(!plan.refresh(on: Self.today) { evening } && !plan.refresh(on: Self.today.adding(days: 1)) { evening })
        #expect(plan.refresh(on: Self.today.adding(days: 2)) { evening } && plan.minute == 1_110)
        // After a clock is set back it recomputes, instead of waiting for years.
        #expect(plan.refresh(on: Self.today.adding(days: -30)) { morning } && plan.minute == 390)
        #expect(plan.refresh(on: Self.today) { PlayingHours(counts: []) } && plan.window == nil && plan.minute == 600)
        plan.isSmart = false
        #expect(!plan.refresh(on: Self.today.adding(days: 9)) { morning } && plan.minute == 600)
    }

    @Test func `the next reminder is strictly later, once a day`() {
        let plan = ReminderPlan(isSmart: false, fixedMinute: 19 * 60)
        let due = Self.instant("2026-11-21", 19)
        #expect(plan.next(after: due - 1, in: Self.utc) == .init(instant: due, day: Self.today))
        #expect(plan.next(after: due, in: Self.utc)?.instant == due + 86_400)
        var fired = plan
        fired.lastFired = Self.today
        // After a flight west the same evening repeats, but the reminder does not.
        let west = LocalCalendar(fixedOffset: -36_000)
        #expect(fired.next(after: due + 3_600, in: west)?.day == Self.today.adding(days: 1))
        fired.lastFired = Self.today.adding(days: 400)
        #expect(fired.next(after: due, in: Self.utc)?.instant == due + 86_400)
        #expect(ReminderPlan(isOn: false).next(after: due, in: Self.utc) == nil)
    }

    @Test func `a skipped hour rolls forward to the jump`() {
        // 02:30 does not exist on 29 March 2026: at 02:00 it is 03:00, 01:00 UTC.
        let plan = ReminderPlan(isSmart: false, fixedMinute: 150)
        let jump = Self.instant("2026-03-29", 1)
        #expect(plan.next(after: jump - 7_200, in: Self.berlin) == .init(instant: jump, day: Fixture.day("2026-03-29")))
        #expect(plan.next(after: jump, in: Self.berlin)?.instant == Self.instant("2026-03-30", 0, 30))
    }

    @Test func `a doubled hour fires once, the first time`() {
        // 02:30 occurs twice on 25 October 2026: 00:30 and 01:30 UTC.
        let plan = ReminderPlan(isSmart: false, fixedMinute: 150)
        let first = Self.instant("2026-10-25", 0, 30)
        #expect(plan.next(after: first - 3_600, in: Self.berlin)?.instant == first)
        #expect(plan.next(after: first, in: Self.berlin)?.instant == Self.instant("2026-10-26", 1, 30))
    }

    @Test func `a day that a place skipped has no reminder`() {
        let plan = ReminderPlan(isSmart: false, fixedMinute: 600)
        let before = Self.instant("2011-12-29", 20)
        #expect(Self.apia.day(at: before) == Fixture.day("2011-12-29"))
        let next = plan.next(after: before, in: Self.apia)
        #expect(next?.day == Fixture.day("2011-12-31") && next?.instant == Self.instant("2011-12-30", 20))
    }

    @Test(arguments: [0, 3_600, -36_000, 50_400, 20_700]) func `a year of reminders, one a day`(_ offset: Int) {
        let calendar = offset == 0 ? Self.berlin : LocalCalendar(fixedOffset: offset)
        for minute in [0, 150, 719, 1_439] {
            let plan = ReminderPlan(isSmart: false, fixedMinute: minute)
            var instant = Self.instant("2026-01-01", 0)
            var last: PuzzleDay?
            for _ in 0..<365 {
                guard let next = plan.next(after: instant, in: calendar) else {
                    Issue.record("no next reminder")
                    return
                }
                #expect(calendar.day(at: next.instant) == next.day && calendar.minute(at: next.instant) >= minute)
                if let last { #expect(next.day == last.adding(days: 1)) }
                last = next.day
                instant = next.instant
            }
        }
    }

    @Test(
        arguments: [
            (0, nil), (1, "Keep your 2-day streak alive today: Wordle."),
            (2, "Keep your streaks alive today: Mini and Wordle."),
            (3, "Keep your streaks alive today: Mini, Spelling Bee and Wordle."),
            (4, "Keep your streaks alive today: Mini, Spelling Bee and 2 other games."),
            (5, "Keep your streaks alive today: Mini, Spelling Bee and 3 other games."),
        ] as [(Int, String?)]) func `names up to three games, silent without risk`(_ count: Int, _ text: String?)
    {
        let games = [Fixture.wordle, Fixture.mini, Fixture.bee, Fixture.strands, Fixture.waffle].prefix(count)
        let results = games.flatMap { game in
            [1, 2].map { Fixture.solve(game, Self.today.adding(days: -$0), 1) }
        }
        let atRisk = Fixture.insights(results).atRisk(on: Self.today)
        #expect(ReminderPlan.text(for: atRisk, games: Fixture.game) == text)
    }
}
