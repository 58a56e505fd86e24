import StreakGames
import StreakScores
import Testing

@Suite struct BoardRangeTests {
    static let today = Fixture.day("2026-11-21")

    @Test(arguments: [
        ("today", "2026-11-21", "2026-11-21"), ("7d", "2026-11-15", "2026-11-21"), ("30d", "2026-10-23", "2026-11-21"),
        ("90d", "2026-08-24", "2026-11-21"), ("365d", "2025-11-22", "2026-11-21"), ("week", "2026-11-16", "2026-11-22"),
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

    @Test(arguments: BoardRange.names)
    func `a name is a range that writes itself so`(name: String) throws {
        #expect(try #require(BoardRange(name)).text == name)
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

    @Test(arguments: [
        ("2026-12-30", "2026-12-28", "2027-01-03", "Week 53 of 2026"),
        ("2027-01-01", "2026-12-28", "2027-01-03", "Week 53 of 2026"),
        ("2024-12-30", "2024-12-30", "2025-01-05", "Week 1 of 2025"),
        ("2021-01-03", "2020-12-28", "2021-01-03", "Week 53 of 2020"),
        ("2025-12-28", "2025-12-22", "2025-12-28", "Week 52 of 2025"),
        ("2024-02-29", "2024-02-26", "2024-03-03", "Week 9 of 2024"),
    ]) func `a week is the ISO week, also around New Year`(
        _ shown: String, _ from: String, _ to: String, _ label: String
    ) {
        let day = Fixture.day(shown)
        let span = BoardRange.week.span(around: day, today: .latest)
        #expect(span == DaySpan(from: Fixture.day(from), to: Fixture.day(to)))
        #expect(BoardRange.week.label(around: day, today: .latest) == label)
    }

    @Test func `weeks follow one another without a gap through 200 years`() throws {
        var page = BoardPage(range: .week, day: Fixture.day("1901-01-01"))
        while let next = page.next(today: Fixture.day("2100-12-31")) {
            let before = page.range.span(around: page.day, today: .latest)
            let after = next.range.span(around: next.day, today: .latest)
            try #require(before.to.adding(days: 1) == after.from)
            page = next
        }
        #expect(page.day.isoWeek == Fixture.day("2100-12-31").isoWeek)
    }

    @Test(arguments: [
        (BoardRange.day, "2026-11-21", "Today"), (.day, "2026-11-20", "Yesterday"),
        (.day, "2026-11-19", "Thu 19 Nov 2026"), (.rolling(7), "2026-11-21", "Last 7 days"),
        (.rolling(30), "2026-11-20", "30 days to 20 Nov 2026"), (.month, "2024-02-29", "February 2024"),
        (.year, "2024-12-30", "2024"), (.all, "2024-12-30", "All time"),
        (
            .custom(DaySpan(from: Fixture.day("2024-02-01"), to: Fixture.day("2024-02-29"))), "2026-11-21",
            "1 Feb 2024 – 29 Feb 2024"
        ),
    ]) func `a range has a name`(_ range: BoardRange, _ shown: String, _ label: String) {
        #expect(range.label(around: Fixture.day(shown), today: Self.today) == label)
    }

    @Test(arguments: [("2024-02-29", 29, 366), ("2100-02-28", 28, 365), ("2000-02-29", 29, 366)])
    func `leap days lie in their month and year`(_ shown: String, _ month: Int, _ year: Int) {
        let day = Fixture.day(shown)
        let spans = [BoardRange.month, .year].map { $0.span(around: day, today: .latest) }
        #expect(spans.map { $0.from.days(until: $0.to) + 1 } == [month, year])
    }
}
