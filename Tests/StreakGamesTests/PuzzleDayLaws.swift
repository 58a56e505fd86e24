import Foundation
import StreakGames
import Testing

@Suite struct PuzzleDayLaws {
    @Test func `every day of the range survives all its spellings`() {
        var expected = (year: 1900, month: 1, day: 1)
        var day = PuzzleDay.earliest
        var weekday = 1  // 1900-01-01 was a Monday.
        while true {
            let isRight =
                day.year == expected.year && day.month == expected.month && day.day == expected.day
                && day.weekday == weekday && PuzzleDay(year: day.year, month: day.month, day: day.day) == day
                && PuzzleDay(yyyymmdd: day.yyyymmdd) == day && PuzzleDay(day.description) == day
                && PuzzleDay(daysSinceEpoch: day.daysSinceEpoch) == day
            guard isRight else {
                Issue.record("\(day) is not \(expected)")
                return
            }
            guard day < .latest else { break }
            expected.day += 1
            if expected.day > day.lengthOfMonth { expected = (expected.year, expected.month + 1, 1) }
            if expected.month > 12 { expected = (expected.year + 1, 1, 1) }
            weekday = weekday % 7 + 1
            day = day.adding(days: 1)
        }
        #expect(day.description == "2200-12-31")
    }

    @Test(arguments: [
        ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2026-11-21", 20_778), ("2100-12-31", 47_846),
    ])
    func `days are counted from 1970`(text: String, days: Int) {
        #expect(PuzzleDay(text)?.daysSinceEpoch == days)
        #expect(PuzzleDay(daysSinceEpoch: days).description == text)
    }

    @Test(arguments: [
        "2025-02-29", "1900-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "2026-01-00", "1899-12-31",
        "2201-01-01", "2026-1-01", "2026/01/01", " 2026-01-01", "2026-01-01 ", "٢٠٢٦-٠١-٠١", "", "yyyy-MM-dd",
    ])
    func `what is not a day is refused`(text: String) {
        #expect(PuzzleDay(text) == nil)
    }

    @Test(arguments: ["2024-02-29", "2000-02-29", "2096-02-29"])
    func `leap days exist`(text: String) throws {
        let day = try #require(PuzzleDay(text))
        #expect(day.adding(days: 1).day == 1 && day.adding(days: 1).month == 3)
    }

    @Test(arguments: [
        ("2019-12-30", 2020, 1), ("2020-12-31", 2020, 53), ("2021-01-01", 2020, 53), ("2021-01-03", 2020, 53),
        ("2021-01-04", 2021, 1), ("2024-12-30", 2025, 1), ("2024-12-29", 2024, 52), ("2022-01-01", 2021, 52),
        ("2026-12-31", 2026, 53), ("2027-01-03", 2026, 53), ("2027-01-04", 2027, 1), ("2025-12-29", 2026, 1),
    ])
    func `weeks belong to the year of their Thursday`(text: String, year: Int, week: Int) throws {
        let day = try #require(PuzzleDay(text))
        #expect(day.isoWeek.year == year && day.isoWeek.week == week)
    }

    @Test func `weeks agree with the ISO calendar of Foundation`() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        for days in stride(from: -3_000, through: 40_000, by: 13) {
            let date = Date(timeIntervalSince1970: Double(days) * 86_400)
            let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
            let day = PuzzleDay(daysSinceEpoch: days)
            #expect(day.isoWeek.year == parts.yearForWeekOfYear && day.isoWeek.week == parts.weekOfYear, "\(day)")
        }
    }

    @Test func `distances add up and stay within the range`() throws {
        let first = try #require(PuzzleDay("2023-12-30"))
        let second = try #require(PuzzleDay("2024-03-01"))
        #expect(first.days(until: second) == 62)
        #expect(second.days(until: first) == -62)
        #expect(first.adding(days: 62) == second)
        #expect(first.adding(days: .max) == .latest)
        #expect(first.adding(days: .min) == .earliest)
        #expect(PuzzleDay(yyyymmdd: .max) == nil && PuzzleDay(yyyymmdd: .min) == nil)
        #expect(PuzzleDay(year: .max, month: 1, day: 1) == nil)
        #expect(PuzzleDay(year: 2026, month: .min, day: .max) == nil)
    }

    @Test func `a day is encoded as its text`() throws {
        let day = try #require(PuzzleDay("2026-11-21"))
        let data = try JSONEncoder().encode([day])
        #expect(String(bytes: data, encoding: .utf8) == "[\"2026-11-21\"]")
        #expect(try JSONDecoder().decode([PuzzleDay].self, from: data) == [day])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([PuzzleDay].self, from: Data("[\"2026-02-30\"]".utf8))
        }
    }

    @Test func `months, years and weeks begin where they should`() throws {
        let day = try #require(PuzzleDay("2026-11-21"))
        #expect(day.startOfMonth.description == "2026-11-01")
        #expect(day.startOfYear.description == "2026-01-01")
        #expect(day.startOfWeek.description == "2026-11-16")
    }
}
