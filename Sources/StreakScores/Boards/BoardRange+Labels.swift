public import StreakGames

extension BoardRange {
    /// The range in words: "Today", "Fri 20 Nov 2026", "Week 47 of 2026", "November 2026", "30 days to 20 Nov 2026",
    /// "All time".
    public func label(around shownDay: PuzzleDay, today: PuzzleDay) -> String {
        let shown = min(shownDay, today)
        switch self {
        case .day:
            if shown == today { return "Today" }
            if shown == today.adding(days: -1), shown != today { return "Yesterday" }
            return "\(Self.weekdays[shown.weekday - 1]) \(Self.date(shown))"
        case .rolling(let days):
            return shown == today ? "Last \(days) days" : "\(days) days to \(Self.date(shown))"
        case .week:
            return "Week \(shown.isoWeek.week) of \(shown.isoWeek.year)"
        case .month:
            return "\(Self.months[shown.month - 1]) \(shown.year)"
        case .year:
            return "\(shown.year)"
        case .all:
            return "All time"
        case .custom(let span):
            return span.from == span.to ? Self.date(span.from) : "\(Self.date(span.from)) – \(Self.date(span.to))"
        }
    }

    /// "20 Nov 2026"
    static func date(_ day: PuzzleDay) -> String {
        "\(day.day) \(months[day.month - 1].prefix(3)) \(day.year)"
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}
