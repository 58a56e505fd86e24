import StreakGames
public import StreakNode

/// Instants as people read them.
extension Timestamp {
    /// “28 November 2026, 09:14 UTC”.
    public var dateText: String {
        let time = secondOfDay
        let hour = time / 3_600
        let minute = time / 60 % 60
        return "\(day.longText), \(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute) UTC"
    }

    /// “28 November 2026”, by UTC.
    var dayText: String { day.longText }

    /// How long ago or ahead this is: “just now”, “5 min ago”, “in 3 days”. Past times count whole units gone by,
    /// future ones round to the nearest, so that a link made for a week says 7 days.
    public func relativeText(to now: Int64) -> String {
        let (age, overflow) = now.subtractingReportingOverflow(seconds)
        guard !overflow else { return dateText }
        guard age < 0 else { return age < 60 ? "just now" : "\(Self.amount(age.magnitude)) ago" }
        let span = age.magnitude
        if span < 60 { return "in less than a minute" }
        let unit: UInt64 =
            switch span {
            case ..<3_570: 60
            case ..<84_600: 3_600
            default: 86_400
            }
        return "in \(Self.amount((span + unit / 2) / unit * unit))"
    }

    /// How long ago this is, in seconds during the first minute: “12 s ago”, “3 min ago”.
    public func agoText(to now: Int64) -> String {
        let (age, overflow) = now.subtractingReportingOverflow(seconds)
        return !overflow && 0..<60 ~= age ? "\(age) s ago" : relativeText(to: now)
    }

    private static func amount(_ span: UInt64) -> String {
        switch span {
        case ..<3_600: "\(span / 60) min"
        case ..<86_400: "\(span / 3_600) h"
        case ..<172_800: "1 day"
        default: "\(span / 86_400) days"
        }
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

    /// The day some months later. In a shorter month, that month's last day.
    func adding(months: Int) -> PuzzleDay {
        let count = year * 12 + month - 1 + months
        let first = PuzzleDay(year: count / 12, month: count % 12 + 1, day: 1)
        guard let first else { return months < 0 ? .earliest : .latest }
        return first.adding(days: min(day, first.lengthOfMonth) - 1)
    }
}
