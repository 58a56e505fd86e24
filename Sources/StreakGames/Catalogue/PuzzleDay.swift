/// A calendar day without a time zone: the day of a puzzle, wherever it was played.
///
/// Proleptic Gregorian, 1900-01-01 … 2200-12-31. Arithmetic uses days, never seconds, so daylight saving cannot shift a
/// day.
public struct PuzzleDay: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let earliest = PuzzleDay(unchecked: -25_567)
    public static let latest = PuzzleDay(unchecked: 84_370)

    /// Days since 1970-01-01, negative before it.
    public let daysSinceEpoch: Int

    private init(unchecked days: Int) {
        daysSinceEpoch = days
    }

    /// Days outside 1900…2200 are moved to the nearest end of the range.
    public init(daysSinceEpoch: Int) {
        self.daysSinceEpoch = min(max(daysSinceEpoch, Self.earliest.daysSinceEpoch), Self.latest.daysSinceEpoch)
    }

    /// Returns `nil` for a date that does not exist, such as 30 February, or a year outside 1900…2200.
    public init?(year: Int, month: Int, day: Int) {
        guard 1900...2200 ~= year, 1...12 ~= month, day >= 1, day <= Self.length(ofMonth: month, year: year) else {
            return nil
        }
        // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", days_from_civil: years begin in March, so that
        // the leap day is the last day of a year.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        daysSinceEpoch = era * 146_097 + dayOfEra - 719_468
    }

    /// The day written as the decimal digits `yyyyMMdd`, for example 20261121.
    public init?(yyyymmdd: Int) {
        guard 19_000_101...22_001_231 ~= yyyymmdd else { return nil }
        self.init(year: yyyymmdd / 10_000, month: yyyymmdd / 100 % 100, day: yyyymmdd % 100)
    }

    /// The day written exactly as `yyyy-MM-dd` in ASCII.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count == 10 else { return nil }
        var packed = 0
        for (position, byte) in bytes.enumerated() {
            if position == 4 || position == 7 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
                packed = packed * 10 + Int(byte - UInt8(ascii: "0"))
            }
        }
        self.init(yyyymmdd: packed)
    }

    /// The day as the decimal digits `yyyyMMdd`.
    public var yyyymmdd: Int {
        let date = civil
        return date.year * 10_000 + date.month * 100 + date.day
    }

    public var year: Int { civil.year }
    public var month: Int { civil.month }
    public var day: Int { civil.day }

    /// ISO 8601: 1 is Monday, 7 is Sunday.
    public var weekday: Int {
        // 1970-01-01 was a Thursday.
        ((daysSinceEpoch + 3) % 7 + 7) % 7 + 1
    }

    /// The ISO 8601 week. Weeks begin on Monday and belong to the year of their Thursday.
    public var isoWeek: ISOWeek {
        let thursday = PuzzleDay(unchecked: daysSinceEpoch - weekday + 4)
        let year = thursday.year
        return ISOWeek(year: year, week: (thursday.daysSinceEpoch - Self.newYear(year)) / 7 + 1)
    }

    /// The number of days in this day's month, 28…31.
    public var lengthOfMonth: Int {
        let date = civil
        return Self.length(ofMonth: date.month, year: date.year)
    }

    /// The first day of this day's month.
    public var startOfMonth: PuzzleDay { PuzzleDay(unchecked: daysSinceEpoch - day + 1) }

    /// The first day of this day's year.
    public var startOfYear: PuzzleDay { PuzzleDay(unchecked: Self.newYear(year)) }

    /// The Monday of this day's ISO week, but not before the earliest day.
    public var startOfWeek: PuzzleDay { adding(days: 1 - weekday) }

    /// Moves by whole days; the result stays within 1900…2200.
    public func adding(days: Int) -> PuzzleDay {
        let (sum, overflow) = daysSinceEpoch.addingReportingOverflow(days)
        return overflow ? (days < 0 ? Self.earliest : Self.latest) : PuzzleDay(daysSinceEpoch: sum)
    }

    /// Whole days from this day to `other`; negative if `other` is earlier.
    public func days(until other: PuzzleDay) -> Int {
        other.daysSinceEpoch - daysSinceEpoch
    }

    /// `yyyy-MM-dd`.
    public var description: String {
        let date = civil
        let month = date.month < 10 ? "0\(date.month)" : "\(date.month)"
        let day = date.day < 10 ? "0\(date.day)" : "\(date.day)"
        return "\(date.year)-\(month)-\(day)"
    }

    public static func < (left: PuzzleDay, right: PuzzleDay) -> Bool {
        left.daysSinceEpoch < right.daysSinceEpoch
    }

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from the epoch to 1 January. Also for the years next to the range, which ISO weeks may reach.
    private static func newYear(_ year: Int) -> Int {
        let before = year - 1
        return before * 365 + before / 4 - before / 100 + before / 400 - 719_162
    }

    private var civil: (year: Int, month: Int, day: Int) {
        // Hinnant's civil_from_days. No day of the range is negative after the shift.
        let shifted = daysSinceEpoch + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

/// A week of the ISO 8601 calendar.
public struct ISOWeek: Hashable, Comparable, Sendable {
    /// The week's year, which differs from the calendar year around New Year.
    public let year: Int
    /// 1…53.
    public let week: Int

    public static func < (left: ISOWeek, right: ISOWeek) -> Bool {
        (left.year, left.week) < (right.year, right.week)
    }
}

extension PuzzleDay {
    /// The Monday of an ISO week; nil if the year is not 1900…2200 or has no such week.
    public static func monday(ofWeek week: Int, in year: Int) -> PuzzleDay? {
        guard (1...53).contains(week), let fourth = PuzzleDay(year: year, month: 1, day: 4) else { return nil }
        // The first week holds 4 January.
        let monday = fourth.adding(days: 7 * (week - 1) + 1 - fourth.weekday)
        return monday.weekday == 1 && monday.isoWeek == ISOWeek(year: year, week: week) ? monday : nil
    }
}

extension PuzzleDay: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let day = PuzzleDay(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a day written yyyy-MM-dd")
        }
        self = day
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
