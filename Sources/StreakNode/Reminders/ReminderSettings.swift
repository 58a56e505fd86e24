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
    /// From the first minute until the second; over midnight if the second is smaller.
    var quiet: (from: Int, to: Int)?

    init(text: String) {
        for word in text.split(separator: " ").prefix(16) {
            switch word {
            case "on": isOn = true
            case "off": isOn = false
            case "smart": isSmart = true
            case "fixed": isSmart = false
            default:
                if let minute = TimeOfDay.minute(word) { self.minute = minute }
                if word.hasPrefix("quiet=") { quiet = Self.quiet(word.dropFirst(6)) }
            }
        }
    }

    static func == (left: ReminderChoices, right: ReminderChoices) -> Bool { left.text == right.text }

    var text: String {
        let words = [isOn ? "on" : "off", isSmart ? "smart" : "fixed", TimeOfDay.text(minute)]
        return (words + (quietText.map { ["quiet=\($0)"] } ?? [])).joined(separator: " ")
    }

    var quietText: String? { quiet.map { "\(TimeOfDay.text($0.from))-\(TimeOfDay.text($0.to))" } }

    private static func quiet(_ text: some StringProtocol) -> (from: Int, to: Int)? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { TimeOfDay.minute($0) }
        guard ends.count == 2, let from = ends[0], let to = ends[1], from != to else { return nil }
        return (from, to)
    }

    /// Why quiet hours cannot be read.
    private static func quietFault(_ text: String) -> String {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { TimeOfDay.minute($0) }
        guard ends.count == 2 else { return "they are two times with a hyphen between" }
        guard ends[0] != nil, ends[1] != nil else { return "each end is a time of day from 00:00 to 23:59" }
        return "they begin and end at the same time"
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
        if let text = change.quiet {
            choices.quiet = Self.quiet(text)
            guard choices.quiet != nil || text.isEmpty else {
                throw NodeFailure.invalidTimes(
                    name: "Quiet hours", text: text, example: "22:00-08:00",
                    reason: Self.quietFault(text))
            }
        }
        return choices
    }

    func isQuiet(at minute: Int) -> Bool {
        guard let quiet else { return false }
        return quiet.from < quiet.to
            ? (quiet.from..<quiet.to).contains(minute) : minute >= quiet.from || minute < quiet.to
    }

    /// The plan, moved out of the quiet hours within the same day: to their end or, if they last over midnight, to the
    /// minute before they begin.
    func outOfQuiet(_ plan: ReminderPlan) -> ReminderPlan {
        guard let quiet, isQuiet(at: plan.minute) else { return plan }
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
