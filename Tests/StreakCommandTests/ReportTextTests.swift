import ArgumentParser
import StreakGames
import StreakNode
import Testing

@testable import StreakNode
@testable import streakmesh

/// Answers as people read them.
@Suite struct ReportTextTests {
    private static func board(from: String, to: String, rows: [BoardRowReport] = []) -> BoardReport {
        BoardReport(
            group: "g", title: "Breakfast", from: from, to: to, game: nil, gameName: nil, metric: "points", ranked: 0,
            rows: rows, mine: nil, coveredCount: 0, partial: false, today: "2026-11-21", games: [])
    }

    @Test(arguments: [
        ("today", "2026-11-21", "2026-11-21", "today, 2026-11-21"), ("today", "2026-11-20", "2026-11-20", "2026-11-20"),
        ("all", "2026-11-21", "2026-11-21", "all time, 2026-11-21"),
        ("7d", "2026-11-15", "2026-11-21", "7 days, 2026-11-15 to 2026-11-21"),
        ("month", "2026-11-01", "2026-11-30", "month, 2026-11-01 to 2026-11-30"),
        ("2026-11-21..2026-11-21", "2026-11-21", "2026-11-21", "2026-11-21"),
    ])
    func `a board is headed with its range`(range: String, from: String, to: String, text: String) {
        #expect(Self.board(from: from, to: to).period(range) == text)
    }

    @Test(arguments: [(false, "late, played 1 of 3"), (true, "late")])
    func `a covered row does not tell how much was played`(isCovered: Bool, marks: String) {
        let row = BoardRowReport(
            rank: 1, tied: false, user: "ab", name: "Béla", me: false, value: 4, raw: nil, label: "4 pts", delta: nil,
            late: true, edited: false, covered: isCovered, played: 1, of: 3, perGame: [:])
        #expect(row.marks == marks)
    }

    @Test func `without an account the games are those of the catalogue`() {
        let report = GamesReport(Catalogue.standard.games)
        #expect(report.games.map(\.id) == Catalogue.standard.games.map(\.id.rawValue))
        #expect(report.games.contains { $0.favourite })
        #expect(report.games.allSatisfy { $0.definition == nil })
    }

    private static func status(members: Int, online: Int, peers: [String]) -> StatusReport {
        StatusReport(
            state: "live",
            groups: [GroupStatus(id: "g", title: "t", digest: "", records: 0, members: members, online: online)],
            peers: peers.map { PeerStatus(device: $0, user: nil, name: nil, state: "linked", via: nil, address: nil) },
            version: "", running: true, listen: nil, web: nil, lastSync: nil)
    }

    @Test(
        arguments: [
            (2, 1, [], [], true), (2, 2, ["a"], [], false), (2, 1, [], ["a"], false), (2, 1, ["a"], ["a"], true),
            (1, 1, [], [], false),
        ] as [(Int, Int, [String], [String], Bool)])
    func `leaving says when no friend has heard of it`(
        members: Int, online: Int, before: [String], after: [String], isUnheard: Bool
    ) {
        let departure = Departure(
            GroupReport(id: "g", title: "t", role: "left", members: 0, active: false),
            before: Self.status(members: members, online: online, peers: before),
            after: Self.status(members: members, online: 1, peers: after))
        #expect(departure.isUnheard == isUnheard)
        #expect(departure.lines(OutputStyle(usesColour: false)).count == (isUnheard ? 2 : 1))
    }

    @Test func `reminders are told without what is not set`() throws {
        var report = RemindersReport(
            on: true, smart: true, time: "19:00", fixedTime: "19:00", quiet: nil, window: nil, coverage: nil,
            computedOn: nil, lastReminded: nil, next: "2026-11-22T19:00:00Z", text: nil, desktop: true, command: nil,
            excluded: [], hours: [], plots: [])
        let command = try RemindersCommand.parse([])
        let lines = command.lines(for: report, style: OutputStyle(usesColour: false))
        #expect(
            lines == [
                "reminders      on", "time           19:00, by your habit", "you play most  too few results to say",
                "quiet          never", "desktop        on", "next           22 November 2026, 19:00 UTC",
                "Nothing is at risk now.",
            ])
        report.excluded = ["wordle"]
        report.command = "say"
        let more = command.lines(for: report, style: OutputStyle(usesColour: false))
        #expect(more.contains("not of         wordle") && more.contains("command        say"))
    }

    @Test(arguments: [
        (0, nil), (1, "1 at risk: play it today to keep it."), (2, "2 at risk: play them today to keep them."),
    ])
    func `streaks at risk are counted`(count: Int, text: String?) throws {
        let run = DayRunReport(current: 0, longest: 0, start: nil, last: nil)
        let streak = StreakReport(
            game: "wordle", gameName: "Wordle", icon: "🟩", current: 1, longest: 1, start: nil, lastPlayed: nil,
            freezes: 0, frozen: 0, open: true, atRisk: true, unit: "day")
        let report = StreaksReport(
            name: "Ada", date: "2026-11-21", overall: run, active: run, streaks: [streak],
            atRisk: Array(repeating: "wordle", count: count))
        let lines = try StreaksCommand.parse([]).lines(for: report, style: OutputStyle(usesColour: false))
        #expect(lines.last { $0.contains("play ") } == text)
    }
}
