import StreakGames

/// An instant in UTC, to the second, as reports write it.
public struct Timestamp: Equatable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public var seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    /// Reads `yyyy-MM-ddTHH:mm` with optional seconds, fraction and `Z`.
    public init?(_ text: String) {
        guard text.utf8.count <= 40, let day = PuzzleDay(String(text.prefix(10))) else { return nil }
        let rest = text.dropFirst(10)
        guard rest.first == "T" || rest.first == " " else { return nil }
        let fields = rest.dropFirst().prefix { $0.isASCII && ($0.isNumber || $0 == ":") }.split(separator: ":")
        guard (2...3).contains(fields.count) else { return nil }
        let numbers = fields.compactMap { Int64($0) }
        guard numbers.count == fields.count, (0...23).contains(numbers[0]), (0...59).contains(numbers[1]) else {
            return nil
        }
        let second = numbers.count == 3 ? min(numbers[2], 59) : 0
        seconds = Int64(day.daysSinceEpoch) * 86_400 + numbers[0] * 3_600 + numbers[1] * 60 + second
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }

    private var day: PuzzleDay { PuzzleDay(daysSinceEpoch: Int(seconds.floorDivided(by: 86_400))) }

    /// “28 November 2026, 09:14 UTC”.
    public var dateText: String {
        let time = (seconds % 86_400 + 86_400) % 86_400
        let hour = time / 3_600
        let minute = time / 60 % 60
        return "\(day.longText), \(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute) UTC"
    }

    /// “28 November 2026”, by UTC.
    var dayText: String { day.longText }

    /// How long ago or ahead this is, in words: “just now”, “5 min ago”, “in 3 days”.
    public func relativeText(to now: Int64) -> String {
        let (age, overflow) = now.subtractingReportingOverflow(seconds)
        guard !overflow else { return dateText }
        let span = age.magnitude
        if span < 60 { return age >= 0 ? "just now" : "in less than a minute" }
        let amount =
            switch span {
            case ..<3_600: "\(span / 60) min"
            case ..<86_400: "\(span / 3_600) h"
            case ..<172_800: "1 day"
            default: "\(span / 86_400) days"
            }
        return age >= 0 ? "\(amount) ago" : "in \(amount)"
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension PuzzleDay {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

    private var monthName: String { Self.months[month - 1] }

    /// “21 November 2026”.
    var longText: String { "\(day) \(monthName) \(year)" }
    /// “Saturday 21 November”.
    var weekdayText: String { "\(Self.weekdays[weekday - 1]) \(day) \(monthName)" }
    /// “21 Nov”.
    var shortText: String { "\(day) \(monthName.prefix(3))" }
    /// “November 2026”.
    var monthText: String { "\(monthName) \(year)" }

    /// The day some months on, moved back to the month's last day where it is shorter.
    func adding(months: Int) -> PuzzleDay {
        let count = year * 12 + month - 1 + months
        let first = PuzzleDay(year: count / 12, month: count % 12 + 1, day: 1)
        guard let first else { return months < 0 ? .earliest : .latest }
        return first.adding(days: min(day, first.lengthOfMonth) - 1)
    }
}
