import StreakGames
import StreakScores

/// Minutes after midnight as people write them, `HH:mm`.
enum TimeOfDay {
    static func text(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minute / 60)):\(two(minute % 60))"
    }

    /// Nil for anything but a time from 00:00 to 23:59.
    static func minute(_ text: some StringProtocol) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
            parts.joined().utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
        else { return nil }
        return hour * 60 + minute
    }
}

/// The user's choices about reminders, in the private group's setting `reminders`: words such as `on smart 19:00
/// quiet=22:00-08:00`. Words of a later version are ignored.
struct ReminderChoices: Equatable {
    var isOn = false
    var isSmart = true
    /// The user's own time, minutes after midnight.
    var minute = 19 * 60
    var quiet: QuietHours?

    init(text: String) {
        for word in text.split(separator: " ").prefix(16) {
            switch word {
            case "on": isOn = true
            case "off": isOn = false
            case "smart": isSmart = true
            case "fixed": isSmart = false
            default:
                if let minute = TimeOfDay.minute(word) { self.minute = minute }
                if word.hasPrefix("quiet=") { quiet = QuietHours(word.dropFirst(6)) }
            }
        }
    }

    var text: String {
        let words = [isOn ? "on" : "off", isSmart ? "smart" : "fixed", TimeOfDay.text(minute)]
        return (words + (quiet.map { ["quiet=\($0.text)"] } ?? [])).joined(separator: " ")
    }

    /// - Throws: `NodeFailure.invalidTimes`.
    func changed(by change: ReminderChange) throws -> ReminderChoices {
        var choices = self
        choices.isOn = change.on ?? isOn
        choices.isSmart = change.smart ?? isSmart
        if let time = change.time {
            guard let minute = TimeOfDay.minute(time) else {
                throw NodeFailure.invalidTimes(
                    name: "The time", text: time, example: "19:00", reason: "it is a time of day from 00:00 to 23:59")
            }
            choices.minute = minute
            // A user who gives a time wants that time.
            choices.isSmart = change.smart ?? false
        }
        if let text = change.quiet { choices.quiet = try QuietHours.chosen(text) }
        return choices
    }

    /// The plan, moved out of the quiet hours within the same day: to their end or, if they last over midnight, to the
    /// minute before they begin.
    func outOfQuiet(_ plan: ReminderPlan) -> ReminderPlan {
        guard let quiet, quiet.contains(plan.minute) else { return plan }
        var moved = plan
        let isEvening = quiet.from > quiet.to && plan.minute >= quiet.from
        moved.fixedMinute = isEvening ? quiet.from - 1 : quiet.to
        moved.isSmart = false
        return moved
    }
}

/// The computed state of reminders, in the private group's setting `reminder-state`: words such as `window=18:12/30
/// computed=2026-11-21 fired=2026-11-20`.
struct ReminderState: Equatable {
    var window: PlayingWindow?
    var computedOn: PuzzleDay?
    /// The local day of the last reminder.
    var lastFired: PuzzleDay?

    init(window: PlayingWindow?, computedOn: PuzzleDay?, lastFired: PuzzleDay?) {
        self.window = window
        self.computedOn = computedOn
        self.lastFired = lastFired
    }

    init(text: String) {
        for word in text.split(separator: " ").prefix(16) {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "window": window = Self.window(parts[1])
            case "computed": computedOn = PuzzleDay(String(parts[1]))
            case "fired": lastFired = PuzzleDay(String(parts[1]))
            default: break
            }
        }
    }

    var text: String {
        let words = [
            window.map { "window=\($0.startHour):\($0.coverage.part)/\($0.coverage.whole)" },
            computedOn.map { "computed=\($0)" }, lastFired.map { "fired=\($0)" },
        ]
        return words.compactMap { $0 }.joined(separator: " ")
    }

    private static func window(_ text: Substring) -> PlayingWindow? {
        let numbers = text.split { $0 == ":" || $0 == "/" }.compactMap { Int($0) }
        guard numbers.count == 3, (0...22).contains(numbers[0]), (0...1_000_000).contains(numbers[1]),
            (1...1_000_000).contains(numbers[2]), numbers[1] <= numbers[2]
        else { return nil }
        return PlayingWindow(startHour: numbers[0], coverage: Proportion(numbers[1], of: numbers[2]))
    }
}
