import Hummingbird
import StreakGames
import StreakNode

/// The head of each page of numbers: the player's name, and links to the other pages.
struct NumbersHead: Sendable, Equatable {
    var heading: String
    var note: String
    var tabs: [TabView]
    /// Fields for forms that say whose numbers are shown.
    var group: String?
    var member: String?
    var playerHref: String?

    enum Page: String, CaseIterable {
        case numbers, streaks, achievements, recap

        var label: String {
            switch self {
            case .numbers: "Overview"
            case .streaks: "Streaks"
            case .achievements: "Achievements"
            case .recap: "Week"
            }
        }
    }

    init(_ page: Page, of name: String, note: String, fields: FormFields) {
        member = fields["member"]
        group = fields["group"]
        let (member, group) = (member, group)
        heading =
            switch page {
            case .recap: "The week"
            case _ where member != nil: "\(name): \(page.label.lowercased())"
            case .numbers: "Your numbers"
            case .streaks: "Your streaks"
            case .achievements: "Your achievements"
            }
        self.note = note
        tabs = Page.allCases.filter { $0 != .recap || member == nil }.map { each in
            TabView(
                label: each.label,
                href: PageLink("/\(each.rawValue)").adding("group", group).adding("member", member).text,
                current: each == page)
        }
        playerHref = member.map { PageLink("/player").adding("group", group).adding("user", $0).text }
    }
}

/// A labelled number.
struct FigureView: Sendable, Equatable {
    var term: String
    var value: String
    var note: String?
}

/// A game in a list, with one remark.
struct GameLine: Sendable, Equatable {
    var icon: String
    var name: String
    var value: String
    var note: String?
    var href: String
}

/// Statistics over a range, for one game or all.
struct NumbersView: Sendable {
    var head: NumbersHead
    var ranges: [TabView]
    var range: String
    var games: [OptionView]
    var from: String
    var to: String
    var today: String
    var hasResults: Bool
    var figures: [FigureView]
    var plots: [PlotView]
    var perGame: [GameLine]
    var hasPerGame: Bool
    var bests: [GameLine]
    var hasBests: Bool
    var coveredText: String?
    var exportHref: String?
}

extension Site {
    func showNumbers(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let fields = visit.fields
        var selection = BoardSelection(fields)
        if fields["range"] == nil, fields["from"] == nil { selection.range = "30d" }
        let (group, member) = (fields["group"], fields["member"])
        let report = try await node.call(
            StatisticsRequest.show(
                game: selection.game, range: selection.range, date: selection.date, group: group, member: member,
                plots: true))
        let games = try await catalogue().games
        let icons = Dictionary(games.map { ($0.id, $0.icon) }) { first, _ in first }
        let today = today
        func link(game: String?, range: String) -> String {
            PageLink("/numbers").adding("group", group).adding("member", member).adding("game", game)
                .adding("range", range).text
        }
        func line(_ count: GameCountReport) -> GameLine {
            GameLine(
                icon: icons[count.game] ?? "🧩", name: count.gameName,
                value: ResultView.grouped(count.count), note: nil,
                href: link(game: count.game, range: selection.range))
        }
        let period = selection.periodText(from: report.from, to: report.to, today: today)
        let named = [
            ("today", "Today"), ("7d", "7 days"), ("30d", "30 days"), ("90d", "90 days"), ("365d", "365 days"),
            ("all", "All time"),
        ]
        let isAll = selection.range == "all"
        let view = NumbersView(
            head: NumbersHead(
                .numbers, of: report.name, note: "\(report.gameName ?? "All games") · \(period)", fields: fields),
            ranges: named.map {
                TabView(
                    label: $0.1, href: link(game: selection.game, range: $0.0), current: $0.0 == selection.range)
            },
            range: selection.range,
            games: [OptionView(value: "", label: "All games", selected: report.game == nil)]
                + games.map { OptionView(value: $0.id, label: $0.name, selected: $0.id == report.game) },
            from: isAll ? "" : report.from, to: isAll ? "" : report.to, today: today.description,
            hasResults: report.played > 0, figures: Self.figures(report), plots: Self.plots(report),
            perGame: report.perGame.prefix(40).map(line), hasPerGame: report.game == nil && !report.perGame.isEmpty,
            bests: report.personalBests.prefix(20).map { best in
                GameLine(
                    icon: best.icon, name: best.gameName, value: best.label,
                    note: [
                        PuzzleDay(best.day)?.longText ?? best.day,
                        best.timesBeaten == 0
                            ? nil : best.timesBeaten == 1 ? "beaten once" : "beaten \(best.timesBeaten)×",
                    ].compactMap(\.self).joined(separator: ", "), href: link(game: best.game, range: "all"))
            }, hasBests: !report.personalBests.isEmpty, coveredText: Self.coveredText(report.coveredCount),
            exportHref: member != nil
                ? nil
                : PageLink("/exchange").adding("game", report.game).adding("from", isAll ? nil : report.from)
                    .adding("to", isAll ? nil : report.to).text)
        return page(.numbers, "numbers", title: view.head.heading, view, frame, visit)
    }

    /// “2 results are covered until you have played.”
    static func coveredText(_ count: Int) -> String? {
        count == 0
            ? nil
            : "\(count == 1 ? "1 result is" : "\(count) results are") covered until you have played, and left out here."
    }

    private static func figures(_ report: StatisticsReport) -> [FigureView] {
        func percent(_ value: Int?) -> String { value.map { "\($0) %" } ?? "–" }
        func counted(_ term: String, _ count: GameCountReport?) -> FigureView? {
            count.map { FigureView(term: term, value: String($0.count), note: $0.gameName) }
        }
        let figures: [FigureView?] = [
            FigureView(term: "Played", value: ResultView.grouped(report.played)),
            FigureView(
                term: "Solved", value: percent(report.completionRate), note: "\(report.completed) of \(report.played)"),
            FigureView(
                term: "Consistency", value: percent(report.consistency),
                note: report.activeDays == 1 ? "1 day played" : "\(report.activeDays) days played"),
            FigureView(term: "Streaks alive", value: String(report.activeStreaks)),
            counted("Longest of them", report.longestCurrent), counted("Longest ever", report.longestStreak),
            report.game == nil ? counted("Most played", report.mostPlayed) : nil,
            report.best.map {
                FigureView(
                    term: "Best result", value: $0.label,
                    note: report.game == nil ? $0.gameName : PuzzleDay($0.day)?.longText ?? $0.day)
            },
            report.busiestDay.map { day in
                FigureView(
                    term: "Busiest day", value: String(report.busiestCount ?? 0),
                    note: PuzzleDay(day)?.longText ?? day)
            },
            report.secondsPlayed > 0
                ? FigureView(
                    term: "On the clock", value: Elapsed.text(seconds: report.secondsPlayed)) : nil,
        ]
        return figures.compactMap(\.self)
    }

    /// A report's plots. Each deep dive comes first, with its averages.
    private static func plots(_ report: StatisticsReport) -> [PlotView] {
        report.plots.enumerated().map { index, plot in
            guard index < report.deepDives.count else { return PlotView(plot) }
            let dive = report.deepDives[index]
            return PlotView(
                plot,
                facts: [
                    PlotView.Fact(term: "Average", text: dive.averageLabel),
                    PlotView.Fact(term: "Best", text: dive.bestLabel),
                    PlotView.Fact(term: "Not solved", text: dive.failRate.map { "\($0) %" } ?? "–"),
                ])
        }
    }
}
