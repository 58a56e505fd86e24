import StreakLinks
import Testing

@testable import StreakNode

@Suite struct AlarmTests {
    @Test(.timeLimit(.minutes(10)))
    func `an alarm that was cancelled rings when it is set again for later`() async {
        let inbox = Inbox()
        var alarm = Alarm()
        alarm.set(for: .zero.advanced(by: .milliseconds(10)), at: .zero, waking: inbox)
        alarm.cancel()
        alarm.set(for: .zero.advanced(by: .milliseconds(20)), at: .zero, waking: inbox)
        for await _ in inbox.wakes { break }
    }
}
