import Hummingbird
import StreakGames
import StreakNode

/// This user's results, as a calendar and as a list.
struct HistoryView: Sendable {
    struct Day: Sendable {
        var title: String
        var results: [ResultView]
    }

    struct Cell: Sendable {
        /// Empty for cells before the first and after the last day of the month.
        var number: String
        var isDay: Bool
        var href: String
        /// 0…4: a class name. The number beside it says the same.
        var level: Int
        var label: String
        var today: Bool
    }

    struct Week: Sendable { var cells: [Cell] }

    var month: String
    var prevHref: String
    var nextHref: String?
    var weeks: [Week]
    var days: [Day]
    var hasDays: Bool
    var games: [OptionView]
    var monthKey: String
    var chosenDay: String?
    var chosenTitle: String
    var allHref: String
    var countText: String
    var backTo: String
}

extension Site {
    func showHistory(_ visit: Visit) async throws -> Response {
        let frame = try await frame(staysOpen: true)
        let today = today
        let chosen = visit.fields["date"].flatMap { PuzzleDay($0) }
        let month =
            visit.fields["month"].flatMap { PuzzleDay("\($0)-01") } ?? chosen?.startOfMonth ?? today.startOfMonth
        let last = month.adding(days: month.lengthOfMonth - 1)
        let game = visit.fields["game"]
        let report = try await node.call(
            ResultsRequest.list(game: game, from: month.description, to: last.description))
        let catalogue = try await catalogue()
        let games = catalogue.games
        let icons = Dictionary(games.map { ($0.id, $0.icon) }) { first, _ in first }
        let group = frame.active?.id
        var byDay: [String: [ResultView]] = [:]
        for result in report.results {
            byDay[result.day, default: []].append(
                ResultView(
                    result, icon: icons[result.game], group: group, groups: frame.groups))
        }
        func link(_ month: PuzzleDay) -> PageLink {
            PageLink("/history").adding("month", String(month.description.prefix(7))).adding("game", game)
        }
        let listed = byDay.keys.sorted(by: >).filter { chosen == nil || $0 == chosen?.description }
        let days = listed.map { day in
            HistoryView.Day(title: PuzzleDay(day)?.weekdayText ?? day, results: byDay[day] ?? [])
        }
        let count = days.reduce(0) { $0 + $1.results.count }
        let view = HistoryView(
            month: month.monthText, prevHref: link(month.adding(months: -1)).text,
            nextHref: month < today.startOfMonth ? link(month.adding(months: 1)).text : nil,
            weeks: Self.weeks(of: month, counts: byDay.mapValues(\.count), today: today) { day in
                link(month).adding("date", day.description).text
            },
            days: days, hasDays: !days.isEmpty,
            games: [OptionView(value: "", label: "All games", selected: game == nil)]
                + games.map { OptionView(value: $0.id, label: $0.name, selected: $0.id == game) },
            monthKey: String(month.description.prefix(7)), chosenDay: chosen?.description,
            chosenTitle: chosen?.longText ?? month.monthText, allHref: link(month).text,
            countText: count == 1 ? "1 result" : "\(count) results", backTo: visit.back)
        return page(.history, "history", title: "History", view, frame, visit)
    }

    private static func weeks(
        of month: PuzzleDay, counts: [String: Int], today: PuzzleDay, href: (PuzzleDay) -> String
    ) -> [HistoryView.Week] {
        var weeks: [HistoryView.Week] = []
        var day = month.startOfWeek
        let end = month.adding(days: month.lengthOfMonth)
        while day < end {
            let cells = (0..<7).map { offset -> HistoryView.Cell in
                let date = day.adding(days: offset)
                guard date >= month, date < end else {
                    return HistoryView.Cell(number: "", isDay: false, href: "", level: 0, label: "", today: false)
                }
                let count = counts[date.description] ?? 0
                let text = count == 0 ? "no results" : count == 1 ? "1 result" : "\(count) results"
                return HistoryView.Cell(
                    number: String(date.day), isDay: true, href: href(date),
                    level: count == 0 ? 0 : min(4, (count + 1) / 2), label: "\(date.longText), \(text)",
                    today: date == today)
            }
            weeks.append(HistoryView.Week(cells: cells))
            day = day.adding(days: 7)
        }
        return weeks
    }

    func delete(_ visit: Visit) async throws -> Response {
        let report = try await node.call(
            ScoreRequest.delete(
                game: visit.fields["game"] ?? "", date: visit.fields["day"] ?? "",
                puzzle: visit.fields.number("puzzle")
            ))
        guard let gone = report.added.first else { return .seeOther(visit.back) }
        return say("Deleted \(gone.gameName), \(gone.label).", canUndo: true, then: visit.back, visit)
    }

    /// Undoes the last change of results.
    func undo(_ visit: Visit) async throws -> Response {
        let report = try await node.call(UndoRequest.last)
        return say(Self.undoText(report), then: visit.back, visit)
    }

    /// Names up to three results, and counts more.
    static func undoText(_ report: UndoReport) -> String {
        let count = max(report.restoredCount, report.restored.count)
        let goneCount = max(report.withdrawnCount, report.withdrawn.count)
        let kept = [report.keptText].compactMap(\.self)
        guard count + goneCount > 3 else {
            let back = report.restored.map { "\($0.gameName), \($0.label), is back." }
            let gone = report.withdrawn.map { "\($0.gameName), \($0.label), is gone again." }
            return (back + gone + kept).joined(separator: " ")
        }
        func text(_ count: Int, _ one: String, _ many: String) -> String? {
            count == 0 ? nil : count == 1 ? "One result \(one)." : "\(ResultView.grouped(count)) results \(many)."
        }
        let parts = [
            text(count, "is back as it was", "are back as they were"),
            text(goneCount, "is gone again", "are gone again"),
        ]
        return (parts.compactMap(\.self) + kept).joined(separator: " ")
    }
}
