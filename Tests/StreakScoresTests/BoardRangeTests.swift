import StreakGames
import StreakScores
import Testing

@Suite struct BoardRangeTests {
    static let today = Fixture.day("2026-11-21")

    @Test(arguments: [
        ("today", "2026-11-21", "2026-11-21"), ("7d", "2026-11-15", "2026-11-21"), ("30d", "2026-10-23", "2026-11-21"),
        ("365d", "2025-11-22", "2026-11-21"), ("week", "2026-11-16", "2026-11-22"),
        ("month", "2026-11-01", "2026-11-30"), ("year", "2026-01-01", "2026-12-31"),
        ("all", "2024-02-03", "2026-11-21"),
        ("2026-02-01..2026-02-28", "2026-02-01", "2026-02-28"),
    ]) func `a range covers these days`(_ text: String, _ from: String, _ to: String) throws {
        let range = try #require(BoardRange(text))
        let known = DaySpan(from: Fixture.day("2024-02-03"), to: Fixture.day("2026-11-20"))
        let span = range.span(around: Self.today, today: Self.today, known: known)
        #expect(span == DaySpan(from: Fixture.day(from), to: Fixture.day(to)))
        #expect(range.text == text)
    }

    @Test(arguments: [
        "", "8d", "TODAY", "2026-02-30..2026-03-01", "2026-03-02..2026-03-01", "2026-03-01", "2026-03-01...2026-3-02",
        "2026-03-01--2026-03-02", "..", "2026-03-01..2026-03-02 ", "é026-03-01..2026-03-0",
    ]) func `anything else is no range`(_ text: String) {
        #expect(BoardRange(text) == nil)
    }

    @Test func `a shown day after today is today`() {
        let span = BoardRange.day.span(around: Self.today.adding(days: 5), today: Self.today)
        #expect(span == DaySpan(from: Self.today, to: Self.today))
    }

    @Test func `all time includes a friend already in tomorrow and nothing later`() {
        let known = DaySpan(from: Self.today, to: Self.today.adding(days: 9))
        #expect(
            BoardRange.all.span(around: Self.today, today: Self.today, known: known).to == Self.today.adding(days: 1))
    }

    @Test(arguments: [
        (BoardRange.day, "2026-11-20", "2026-11-19", "2026-11-21"),
        (.rolling(7), "2026-11-20", "2026-11-19", "2026-11-21"),
        (.week, "2026-11-11", "2026-11-04", "2026-11-18"), (.week, "2026-11-15", "2026-11-08", "2026-11-21"),
        (.month, "2026-10-31", "2026-09-30", "2026-11-21"), (.month, "2026-03-31", "2026-02-28", "2026-04-30"),
        (.year, "2025-12-05", "2024-12-05", "2026-11-21"), (.year, "2024-02-29", "2023-02-28", "2025-02-28"),
    ]) func `the pager moves by the range's own step`(
        _ range: BoardRange, _ shown: String, _ previous: String, _ next: String
    ) {
        let page = BoardPage(range: range, day: Fixture.day(shown))
        #expect(page.previous == BoardPage(range: range, day: Fixture.day(previous)))
        #expect(page.next(today: Self.today) == BoardPage(range: range, day: Fixture.day(next)))
    }

    @Test(arguments: [BoardRange.day, .rolling(30), .week, .month, .year, .all])
    func `the pager ends at today`(_ range: BoardRange) {
        #expect(BoardPage(range: range, day: Self.today).next(today: Self.today) == nil)
    }

    @Test func `a custom range moves by its own length and never past today`() {
        let span = DaySpan(from: Fixture.day("2026-11-11"), to: Fixture.day("2026-11-15"))
        let page = BoardPage(range: .custom(span), day: Self.today)
        let next = DaySpan(from: Fixture.day("2026-11-16"), to: Fixture.day("2026-11-20"))
        #expect(page.next(today: Self.today)?.range == .custom(next))
        #expect(page.next(today: Fixture.day("2026-11-15")) == nil)
        #expect(page.next(today: Self.today)?.previous == page)
    }

    @Test func `paging stops at the ends of the calendar`() {
        #expect(BoardPage(range: .day, day: .earliest).previous == nil)
        #expect(BoardPage(range: .month, day: .earliest).previous == nil)
        #expect(BoardPage(range: .day, day: .latest).next(today: .latest) == nil)
        let whole = BoardRange.custom(DaySpan(from: .earliest, to: .latest))
        #expect(BoardPage(range: whole, day: .latest).previous == nil)
        #expect(BoardPage(range: whole, day: .latest).next(today: .latest) == nil)
    }
}
