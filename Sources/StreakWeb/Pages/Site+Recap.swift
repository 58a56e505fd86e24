import Hummingbird
import StreakGames
import StreakNode

/// One ISO week: this user's and the group's.
struct RecapView: Sendable {
    struct Place: Sendable {
        var name: String
        var me: Bool
        var text: String
    }

    var head: NumbersHead
    var prevHref: String
    var nextHref: String?
    var figures: [FigureView]
    var hasResults: Bool
    var text: String?
    var groupTitle: String?
    var winners: [Place]
    var hasWinners: Bool
    var climbers: [Place]
    var hasClimbers: Bool
    var best: Place?
    var groupText: String?
    var coveredText: String?
    var championsHref: String
    /// Nil for a week in which nobody has played.
    var pictureHref: String?
}

extension Site {
    func showRecap(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = visit.fields["group"]
        let report = try await node.call(
            RecapRequest.show(date: visit.fields["date"], group: group))
        let monday = PuzzleDay(report.from) ?? today.startOfWeek
        let isCurrent = monday >= today.startOfWeek
        func link(_ day: PuzzleDay) -> String {
            PageLink("/recap").adding("group", group).adding("date", day.description).text
        }
        let sunday = monday.adding(days: 6)
        let view = RecapView(
            head: NumbersHead(
                .recap, of: "", note: "Week \(monday.isoWeek.week), \(monday.shortText) – \(sunday.longText)",
                fields: visit.fields),
            prevHref: link(monday.adding(days: -7)), nextHref: isCurrent ? nil : link(monday.adding(days: 7)),
            figures: Self.figures(report), hasResults: report.played > 0, text: report.text,
            groupTitle: report.groupTitle,
            winners: report.winners.map {
                RecapView.Place(name: $0.name, me: $0.me, text: $0.points == 1 ? "1 point" : "\($0.points) points")
            }, hasWinners: !report.winners.isEmpty,
            climbers: report.climbers.map {
                RecapView.Place(name: $0.name, me: $0.me, text: "from \($0.from) to \($0.to)")
            }, hasClimbers: !report.climbers.isEmpty,
            best: report.groupBest.map {
                RecapView.Place(
                    name: $0.name, me: $0.me,
                    text: "\($0.gameName): \($0.label), \(PuzzleDay($0.day)?.weekdayText ?? $0.day)")
            }, groupText: report.groupText, coveredText: Self.coveredText(report.coveredCount),
            championsHref: PageLink("/champions").adding("group", report.group).text,
            pictureHref: report.text == nil && report.groupText == nil
                ? nil : PictureChoice(.week).with { ($0.group, $0.date) = (group, visit.fields["date"]) }.href())
        return page(.numbers, "recap", title: view.head.note, view, frame, visit)
    }

    private static func figures(_ report: RecapReport) -> [FigureView] {
        let figures: [FigureView?] = [
            FigureView(term: "Played", value: String(report.played)),
            FigureView(
                term: "Solved", value: report.completionRate.map { "\($0) %" } ?? "–",
                note: "\(report.completed) of \(report.played)"),
            FigureView(term: "Points", value: String(report.points)),
            FigureView(term: "Days", value: "\(report.activeDays) of 7"),
            FigureView(term: "Average streak", value: Tenths.text(report.averageStreak)),
            report.longestStreak.map {
                FigureView(term: "Longest streak", value: String($0.count), note: $0.gameName)
            }, report.best.map { FigureView(term: "Best result", value: $0.label, note: $0.gameName) },
        ]
        return figures.compactMap(\.self)
    }

    // MARK: Champions

    /// “week 47” or “2026-10”, of a report’s `2026-W47` or `2026-10`.
    private static func periodText(_ period: String) -> String {
        period.split(separator: "W").dropFirst().first.map { "in week \($0)" } ?? "in \(period)"
    }

    struct ChampionsView: Sendable {
        struct Period: Sendable {
            struct Winner: Sendable {
                var name: String
                var me: Bool
                var avatar: AvatarView
                var href: String
            }

            var title: String
            var note: String
            var winners: [Winner]
            var href: String
        }

        var groupTitle: String
        var group: String
        var period: String
        var tabs: [TabView]
        var games: [OptionView]
        var periods: [Period]
        var hasPeriods: Bool
        var emptyText: String
        var wall: [Wall]
        var eventHref: String

        /// How often somebody was first.
        struct Wall: Sendable {
            var winner: Period.Winner
            var count: String
            var note: String
        }
    }

    /// The champions of every week or month that is over.
    func showChampions(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        guard let group = frame.group(visit.fields) else {
            return page(.board, "board", title: "Champions", NoGroupView(lonelyText: frame.lonelyText), frame, visit)
        }
        let period = visit.fields["period"] == "month" ? "month" : "week"
        let game = visit.fields["game"]
        let report = try await node.call(
            ChampionsRequest.show(period: period, game: game, group: group))
        let games = try await catalogue().games
        let periods = report.champions.prefix(100).map { each -> ChampionsView.Period in
            let first = PuzzleDay(each.from)
            let title =
                period == "month"
                ? first?.monthText : first.map { "Week \($0.isoWeek.week), \($0.shortText) \($0.year)" }
            var selection = BoardSelection(group: group, game: game, range: period)
            selection.date = each.from
            return ChampionsView.Period(
                title: title ?? each.period,
                note: "\(each.value == 1 ? "1 point" : "\(each.value) points"), \(each.ranked) ranked",
                winners: each.winners.map { ChampionsView.Period.Winner($0, group) }, href: selection.href)
        }
        let view = ChampionsView(
            groupTitle: report.title, group: group, period: period,
            tabs: [("week", "Weeks"), ("month", "Months")].map { each in
                TabView(
                    label: each.1,
                    href: PageLink("/champions").adding("group", group).adding("game", game).adding("period", each.0)
                        .text, current: each.0 == period)
            },
            games: [OptionView(value: "", label: "All games", selected: game == nil)]
                + games.map { OptionView(value: $0.id, label: $0.name, selected: $0.id == game) },
            periods: periods, hasPeriods: !periods.isEmpty, emptyText: "No \(period) with results is over yet.",
            wall: report.wall.prefix(100).map { wins in
                let unit = wins.count == 1 ? period : "\(period)s"
                let runs = [
                    wins.current > 1 ? "the last \(wins.current) in a row" : nil,
                    wins.longest > 1 && wins.longest > wins.current ? "longest run \(wins.longest)" : nil,
                ]
                let note = runs.compactMap(\.self).joined(separator: ", ")
                return ChampionsView.Wall(
                    winner: ChampionsView.Period.Winner(wins.winner, group), count: "\(wins.count) \(unit)",
                    note: note.isEmpty ? "last \(Self.periodText(wins.latest))" : note)
            }, eventHref: PageLink("/event").adding("group", group).text)
        return page(.board, "champions", title: "Champions", view, frame, visit)
    }
}
