public import StreakGames

/// The first and the last day of a board, both inclusive.
public struct DaySpan: Hashable, Sendable {
    public var from: PuzzleDay
    public var to: PuzzleDay

    public init(from: PuzzleDay, to: PuzzleDay) {
        self.from = from
        self.to = to
    }
}

/// How many days around the shown day a board covers.
public enum BoardRange: Hashable, Sendable {
    case day
    /// This many days ending at the shown day, 2 or more: 7, 30, 90, 365.
    case rolling(Int)
    /// The ISO week of the shown day, Monday to Sunday.
    case week
    case month
    case year
    case all
    /// Inclusive. Does not depend on the shown day.
    case custom(DaySpan)

    /// The ranges that have a name, as `init(_:)` reads them. Any other range is written as two days.
    public static let names = ["today", "7d", "30d", "90d", "365d", "week", "month", "year", "all"]

    /// Reads one of `names`, or `yyyy-MM-dd..yyyy-MM-dd`. `nil` for anything else and for a range that ends before it
    /// begins.
    public init?(_ text: String) {
        switch text {
        case "today", "day": self = .day
        case "7d": self = .rolling(7)
        case "30d": self = .rolling(30)
        case "90d": self = .rolling(90)
        case "365d": self = .rolling(365)
        case "week": self = .week
        case "month": self = .month
        case "year": self = .year
        case "all": self = .all
        default:
            guard text.utf8.count == 22 else { return nil }
            let separator = text.utf8.index(text.utf8.startIndex, offsetBy: 10)
            let second = text.utf8.index(separator, offsetBy: 2)
            guard text.utf8[separator..<second].elementsEqual("..".utf8),
                let first = String(text.utf8[..<separator]), let last = String(text.utf8[second...]),
                let from = PuzzleDay(first), let to = PuzzleDay(last), from <= to
            else { return nil }
            self = .custom(DaySpan(from: from, to: to))
        }
    }

    /// The text that `init(_:)` reads.
    public var text: String {
        switch self {
        case .day: "today"
        case .rolling(let days): "\(days)d"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        case .all: "all"
        case .custom(let span): "\(span.from)..\(span.to)"
        }
    }

    /// The days of this range around `shownDay`, or around `today` if that is earlier.
    ///
    /// Calendar ranges go to their own end, so that friends for whom it is tomorrow already count. `known` is the span
    /// of all results. It bounds `all`, which without it is the shown day alone.
    public func span(around shownDay: PuzzleDay, today: PuzzleDay, known: DaySpan? = nil) -> DaySpan {
        let shown = min(shownDay, today)
        switch self {
        case .day:
            return DaySpan(from: shown, to: shown)
        case .rolling(let days):
            return DaySpan(from: shown.adding(days: 1 - max(days, 1)), to: shown)
        case .week:
            return DaySpan(from: shown.startOfWeek, to: shown.adding(days: 7 - shown.weekday))
        case .month:
            return DaySpan(from: shown.startOfMonth, to: shown.startOfMonth.adding(days: shown.lengthOfMonth - 1))
        case .year:
            return DaySpan(from: shown.startOfYear, to: PuzzleDay(year: shown.year, month: 12, day: 31) ?? shown)
        case .all:
            guard let known else { return DaySpan(from: today, to: today) }
            // A result is at most one day ahead of the viewer, at the date line.
            let last = min(max(known.to, today), today.adding(days: 1))
            return DaySpan(from: min(known.from, today), to: last)
        case .custom(let span):
            return span
        }
    }
}

/// A range and the day around which it is shown, for paging.
public struct BoardPage: Hashable, Sendable {
    public var range: BoardRange
    public var day: PuzzleDay

    public init(range: BoardRange, day: PuzzleDay) {
        self.range = range
        self.day = day
    }

    /// One step back: a day, or a week, month or year for calendar ranges. A custom range moves by its own length.
    /// `nil` if the range cannot be paged, and before 1900.
    public var previous: BoardPage? {
        let page: BoardPage
        switch range {
        case .all: return nil
        case .custom(let span): page = BoardPage(range: shifted(span, by: -1), day: day)
        case .day, .rolling, .week, .month, .year: page = BoardPage(range: range, day: moved(by: -1))
        }
        return page == self || page.isCollapsed(from: self) ? nil : page
    }

    /// One step forward; `nil` if that would begin after `today`. If a calendar range would end after `today` but
    /// contains it, the step shows `today`.
    public func next(today: PuzzleDay) -> BoardPage? {
        switch range {
        case .all:
            return nil
        case .custom(let span):
            let page = BoardPage(range: shifted(span, by: 1), day: day)
            guard case .custom(let moved) = page.range, moved.from <= today, !page.isCollapsed(from: self) else {
                return nil
            }
            return page
        case .day, .rolling, .week, .month, .year:
            let target = moved(by: 1)
            let begin = range.begin(around: target)
            guard target > day, begin <= today else { return nil }
            return BoardPage(range: range, day: min(target, today))
        }
    }

    private func moved(by steps: Int) -> PuzzleDay {
        switch range {
        case .week: day.adding(days: 7 * steps)
        case .month: day.adding(months: steps)
        case .year: day.adding(months: 12 * steps)
        case .day, .rolling, .all, .custom: day.adding(days: steps)
        }
    }

    private func shifted(_ span: DaySpan, by steps: Int) -> BoardRange {
        let length = span.from.days(until: span.to) + 1
        return .custom(DaySpan(from: span.from.adding(days: length * steps), to: span.to.adding(days: length * steps)))
    }

    /// Whether the end of the calendar made a custom range shorter.
    private func isCollapsed(from other: BoardPage) -> Bool {
        guard case .custom(let mine) = range, case .custom(let theirs) = other.range else { return false }
        return mine.from.days(until: mine.to) != theirs.from.days(until: theirs.to)
    }
}

extension BoardRange {
    /// The first day of the range around `day`, for calendar ranges, which must have come for the range to be shown.
    fileprivate func begin(around day: PuzzleDay) -> PuzzleDay {
        switch self {
        case .week: day.startOfWeek
        case .month: day.startOfMonth
        case .year: day.startOfYear
        case .day, .rolling, .all, .custom: day
        }
    }
}

extension PuzzleDay {
    /// The same day of another month. If that month is shorter, its last day. Stays within 1900…2200.
    func adding(months: Int) -> PuzzleDay {
        let total = year * 12 + month - 1 + months
        guard let first = PuzzleDay(year: total / 12, month: total % 12 + 1, day: 1) else { return self }
        return first.adding(days: min(day, first.lengthOfMonth) - 1)
    }
}
