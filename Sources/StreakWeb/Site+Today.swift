import Hummingbird
import StreakGames
import StreakNode

/// The first room: paste, what I have today, how today stands.
struct TodayView: Sendable {
    struct Play: Sendable {
        var icon: String
        var name: String
        var href: String
    }

    var text: String
    var chosenDate: String?
    var maximum: String
    var dayTitle: String
    var outcome: OutcomeView?
    var results: [ResultView]
    var hasResults: Bool
    var play: [Play]
    var hasPlay: Bool
    var hasGroup: Bool
    var top: [RowView]
    var hasTop: Bool
    var coveredText: String?
    var boardHref: String
    var groupTitle: String
    var you: BoardView.You?
    var summary: String
}

extension Site {
    func showToday(_ visit: Visit) async throws -> Response {
        try await today(visit, text: visit.fields["text"] ?? "", date: nil, outcome: nil)
    }

    /// Records a pasted text; what was refused is shown beside it.
    func add(_ visit: Visit) async throws -> Response {
        let text = visit.fields["text"] ?? ""
        let date = visit.fields["date"]
        do {
            let report = try await node.call(
                .score(.add(text: text, date: date, replace: visit.fields.isSet("replace"), groups: nil)),
                returning: AddReport.self)
            guard report.refused.isEmpty, !report.added.isEmpty else {
                let left = report.added.isEmpty ? text : report.refused.map(\.text).joined(separator: "\n\n")
                return try await today(visit, text: left, date: date, outcome: report, status: .unprocessableContent)
            }
            return say(Self.confirmation(report), then: "/today", visit)
        } catch let failure as NodeFailure {
            return try await today(
                visit, text: text, date: date, outcome: nil, status: failure.httpStatus, problem: FailureView(failure))
        }
    }

    /// Shows what a text would record, storing nothing: a page, or only that part of it.
    func preview(_ visit: Visit) async throws -> Response {
        let text = visit.fields["text"] ?? ""
        let date = visit.fields["date"]
        let report = try await node.call(.score(.preview(text: text, date: date)), returning: AddReport.self)
        guard visit.fields.isSet("fragment") else {
            return try await today(visit, text: text, date: date, outcome: report, isPreview: true)
        }
        let outcome = try await outcome(report, isPreview: true, date: date)
        return .html(templates.render("outcome", outcome))
    }

    private func outcome(_ report: AddReport, isPreview: Bool, date: String?) async throws -> OutcomeView {
        let games = try await catalogue().games
        let groups = try await node.call(.group(.list), returning: GroupListReport.self).groups
        return OutcomeView(
            report, isPreview: isPreview, date: date,
            icons: Dictionary(games.map { ($0.id, $0.icon) }) { first, _ in first },
            titles: Dictionary(groups.map { ($0.id, $0.title) }) { first, _ in first })
    }

    private func today(
        _ visit: Visit, text: String, date: String?, outcome report: AddReport?, isPreview: Bool = false,
        status: HTTPResponse.Status = .ok, problem: FailureView? = nil
    ) async throws -> Response {
        let frame = try await frame()
        let games = try await catalogue()
        let group = frame.group(visit.fields)
        let board = try await todaysBoard(group)
        let day = board.flatMap { PuzzleDay($0.today) } ?? today
        let mine = try await node.call(
            .score(.results(game: nil, from: day.description, to: day.description)), returning: ResultsReport.self)
        let icons = Dictionary(games.games.map { ($0.id, $0.icon) }) { first, _ in first }
        let played = Set(mine.results.map(\.game))
        let play = games.games.filter { $0.favourite && $0.webURL != nil && !played.contains($0.id) }
        let selection = BoardSelection(group: group)
        let boardView = board.map { BoardView($0, selection: selection, catalogue: games) }
        var outcome: OutcomeView?
        if let report { outcome = try await self.outcome(report, isPreview: isPreview, date: date) }
        let top = boardView.map { Array(($0.podium + $0.rows).prefix(5)) } ?? []
        let view = TodayView(
            text: text, chosenDate: date, maximum: day.adding(days: 1).description, dayTitle: day.weekdayText,
            outcome: outcome, results: mine.results.map { ResultView($0, icon: icons[$0.game], group: group) },
            hasResults: !mine.results.isEmpty,
            play: play.prefix(8).map { TodayView.Play(icon: $0.icon, name: $0.name, href: $0.webURL ?? "") },
            hasPlay: !play.isEmpty, hasGroup: board != nil, top: top, hasTop: !top.isEmpty,
            coveredText: boardView?.coveredText, boardHref: selection.href, groupTitle: board?.title ?? "",
            you: boardView?.you, summary: boardView?.summary ?? "")
        return page(.today, "today", title: "Today", view, frame, visit, status: status, problem: problem)
    }

    /// Today's board of all games, or nil where there is no group to have one.
    private func todaysBoard(_ group: String?) async throws -> BoardReport? {
        guard let group else { return nil }
        return try await node.call(.board(BoardRequest(group: group, range: "today")), returning: BoardReport.self)
    }

    private static func confirmation(_ report: AddReport) -> String {
        guard let first = report.added.first, report.added.count == 1 else {
            return "Recorded \(report.added.count) results."
        }
        let name = "\(first.gameName)\(first.puzzle.map { " \(ResultView.grouped($0))" } ?? "")"
        return first.unchanged ? "\(name) was recorded already." : "Recorded \(name): \(first.label)."
    }

    // MARK: By hand

    struct RecordView: Sendable {
        var games: [OptionView]
        var game: String
        var date: String
        var maximum: String
        var score: String
        var time: String
        var failed: Bool
        var isEdit: Bool
        var gameTitle: String
    }

    func showRecord(_ visit: Visit) async throws -> Response { try await recordForm(visit) }

    private func recordForm(
        _ visit: Visit, status: HTTPResponse.Status = .ok, problem: FailureView? = nil
    ) async throws -> Response {
        let games = try await catalogue().games
        let chosen = visit.fields["game"] ?? ""
        let isEdit = visit.fields.isSet("edit")
        let view = RecordView(
            games: games.map { OptionView(value: $0.id, label: $0.name, selected: $0.id == chosen) }, game: chosen,
            date: visit.fields["date"] ?? today.description, maximum: today.adding(days: 1).description,
            score: visit.fields["score"] ?? "", time: visit.fields["time"] ?? "",
            failed: visit.fields.isSet("failed"), isEdit: isEdit,
            gameTitle: games.first { $0.id == chosen }?.name ?? chosen)
        return page(
            .history, "record", title: isEdit ? "Edit a result" : "Record by hand", view, try await frame(), visit,
            status: status, problem: problem)
    }

    func record(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        do {
            var seconds: Int?
            if let time = fields["time"] {
                guard let read = Self.seconds(time) else { throw NodeFailure.invalidScore(reason: "a time reads 1:05") }
                seconds = read
            }
            if let score = fields["score"], Int(score) == nil {
                throw NodeFailure.invalidScore(reason: "“\(score)” is not a whole number")
            }
            let report = try await node.call(
                .score(
                    .record(
                        game: fields["game"] ?? "", score: fields.number("score"), isCompleted: !fields.isSet("failed"),
                        seconds: seconds, date: fields["date"], groups: nil)), returning: AddReport.self)
            if let refusal = report.refused.first { throw NodeFailure.invalidScore(reason: refusal.message) }
            return say(Self.confirmation(report), then: fields.isSet("edit") ? "/history" : "/today", visit)
        } catch let failure as NodeFailure {
            return try await recordForm(visit, status: failure.httpStatus, problem: FailureView(failure))
        }
    }

    /// `m:ss`, `h:mm:ss` or seconds.
    private static func seconds(_ text: String) -> Int? {
        let parts = text.trimmingSpaces.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), parts.allSatisfy({ (1...4).contains($0.utf8.count) }) else { return nil }
        var total = 0
        for (index, part) in parts.enumerated() {
            guard let number = Int(part), number >= 0, index == 0 || number < 60 else { return nil }
            total = total * 60 + number
        }
        return total
    }
}
