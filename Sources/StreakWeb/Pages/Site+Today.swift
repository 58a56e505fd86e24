import Hummingbird
import StreakGames
import StreakNode

/// The first page: the paste box, today's results, today's board.
struct TodayView: Sendable {
    struct Play: Sendable {
        var icon: String
        var name: String
        var href: String
    }

    struct Habit: Sendable {
        var id: String
        var icon: String
        var name: String
        var note: String?
    }

    var text: String
    var chosenDate: String?
    var share: ShareView?
    var guest: String?
    var maximum: String
    var dayTitle: String
    var outcome: OutcomeView?
    var results: [ResultView]
    var hasResults: Bool
    var play: [Play]
    var hasPlay: Bool
    /// “12 more” if the list is cut.
    var morePlay: String?
    /// Habits, logged by one press.
    var habits: [Habit]
    var hasHabits: Bool
    var atRisk: [StreaksView.Line]
    var hasAtRisk: Bool
    var fresh: [Site.AchievementsView.Unlock]
    var hasFresh: Bool
    var freshRest: String?
    var freshSummary: String?
    var hasGroup: Bool
    var lonelyText: String
    var top: [RowView]
    var hasTop: Bool
    var coveredText: String?
    var boardHref: String
    var groupTitle: String
    var summary: String
}

extension Site {
    func showToday(_ visit: Visit) async throws -> Response {
        try await today(visit, text: visit.fields["text"] ?? "", date: nil, outcome: nil)
    }

    static let todayForms: [Form] = [
        Form("/add", Site.add) { try await $0.todayAgain($1, $2) },
        Form("/preview", Site.preview) { try await $0.todayAgain($1, $2) },
        Form("/record", Site.record) { try await $0.recordForm($1, refusal: $2) },
        Form("/delete", Site.delete), Form("/undo", Site.undo), Form("/share", Site.share),
    ]

    private func todayAgain(_ visit: Visit, _ refusal: Refusal) async throws -> Response {
        try await today(
            visit, text: visit.fields.required("text"), date: visit.fields["date"], outcome: nil, refusal: refusal)
    }

    /// Records a pasted text. Refused results are shown beside it.
    private func add(_ visit: Visit) async throws -> Response {
        let (text, date) = (visit.fields.required("text"), visit.fields["date"])
        if let address = Self.addressOfLink(text) { return .seeOther(address) }
        let groups = ShareChoice(visit.fields).groups
        let report = try await node.call(
            ScoreRequest.add(
                text: text, date: date, replace: visit.fields.isSet("replace"), groups: groups,
                sharingOnly: groups != nil))
        if let address = Self.addressOfLink(in: text, without: report) { return .seeOther(address) }
        guard report.refused.isEmpty, !report.added.isEmpty else {
            let left = report.added.isEmpty ? text : report.refused.map(\.text).joined(separator: "\n\n")
            return try await today(visit, text: left, date: date, outcome: report, status: .unprocessableContent)
        }
        return say(try await confirmation(report), then: "/today", visit)
    }

    /// Shows what a text would record, and stores nothing. Renders a page or only that part of one.
    private func preview(_ visit: Visit) async throws -> Response {
        let text = visit.fields["text"] ?? ""
        let date = visit.fields["date"]
        if let address = Self.addressOfLink(text) { return .seeOther(address) }
        let report = try await node.call(ScoreRequest.preview(text: text, date: date))
        if let address = Self.addressOfLink(in: text, without: report) { return .seeOther(address) }
        guard visit.fields.isSet("fragment") else {
            return try await today(visit, text: text, date: date, outcome: report, isPreview: true)
        }
        let outcome = try await outcome(report, isPreview: true, date: date, ShareChoice(visit.fields))
        return .html(templates.render("outcome", outcome))
    }

    /// The groups chosen for a result typed in by hand: nil for every group that shares its game.
    private func targets(_ choice: ShareChoice, game: String) async throws -> [String]? {
        guard let groups = choice.groups, let game = try await catalogue().games.first(where: { $0.id == game }) else {
            return choice.groups
        }
        var sharing: [String] = []
        for group in groups where game.definition == nil || game.groups.contains(group) {
            let privacy = try await node.call(PrivacyRequest.show(group: group))
            if !privacy.unshared.contains(game.id) { sharing.append(group) }
        }
        return sharing
    }

    private func outcome(
        _ report: AddReport, isPreview: Bool, date: String?, _ choice: ShareChoice
    ) async throws -> OutcomeView {
        let games = try await catalogue().games
        let groups = try await node.call(GroupListRequest.all).groups
        return OutcomeView(
            report, isPreview: isPreview, date: date,
            icons: Dictionary(games.map { ($0.id, $0.icon) }) { first, _ in first }, groups: groups, choice: choice)
    }

    /// The page, with the outcome of a text that was recorded or is previewed.
    func today(
        _ visit: Visit, text: String, date: String?, outcome report: AddReport?, isPreview: Bool = false,
        status: HTTPResponse.Status = .ok, refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame(staysOpen: true)
        guard !frame.isShutOut else { return page(.today, "shutout", title: "What now?", frame.profile, frame, visit) }
        let games = try await catalogue()
        let choice = ShareChoice(visit.fields)
        let group = frame.group(visit.fields)
        let board = try await todaysBoard(group, of: frame.current)
        let day = board.flatMap { PuzzleDay($0.today) } ?? today
        let mine = try await node.call(
            ResultsRequest.list(game: nil, from: day.description, to: day.description))
        let icons = Dictionary(games.games.map { ($0.id, $0.icon) }) { first, _ in first }
        let played = Set(mine.results.map(\.game))
        let play = games.games.filter { $0.favourite && $0.webURL != nil && !played.contains($0.id) }
        let selection = BoardSelection(group: group)
        let boardView = board.map { BoardView($0, selection: selection, catalogue: games) }
        var outcome: OutcomeView?
        if let report { outcome = try await self.outcome(report, isPreview: isPreview, date: date, choice) }
        // Every log is a result of its own.
        var logged: [String: Int] = [:]
        for result in mine.results { logged[result.game, default: 0] &+= result.score ?? 1 }
        let habits = games.games.filter { $0.model == "count" }.prefix(12).map { game in
            TodayView.Habit(
                id: game.id, icon: game.icon, name: game.name,
                note: logged[game.id].map { "\($0) today" })
        }
        let atRisk = try await streaksAtRisk()
        let fresh = try await freshUnlocks()
        let top = boardView.map { Array(($0.podium + $0.rows).prefix(5)) } ?? []
        let view = TodayView(
            text: text, chosenDate: date, share: ShareView(frame.groups, choice: choice), guest: frame.guest,
            maximum: day.adding(days: 1).description, dayTitle: day.weekdayText,
            outcome: outcome,
            results: mine.results.map {
                ResultView($0, icon: icons[$0.game], group: group, groups: frame.groups)
            },
            hasResults: !mine.results.isEmpty,
            play: play.prefix(8).map { TodayView.Play(icon: $0.icon, name: $0.name, href: $0.webURL ?? "") },
            hasPlay: !play.isEmpty, morePlay: play.count > 8 ? "\(play.count - 8) more" : nil, habits: habits,
            hasHabits: !habits.isEmpty, atRisk: atRisk,
            hasAtRisk: !atRisk.isEmpty, fresh: fresh.shown, hasFresh: !fresh.shown.isEmpty, freshRest: fresh.rest,
            freshSummary: fresh.summary,
            hasGroup: board != nil, lonelyText: frame.lonelyText, top: top, hasTop: !top.isEmpty,
            coveredText: boardView?.coveredText, boardHref: selection.href, groupTitle: board?.title ?? "",
            summary: boardView?.summary ?? "")
        return page(.today, "today", title: "Today", view, frame, visit, status: status, refusal: refusal)
    }

    /// Today's board of all games; nil if there is no group.
    private func todaysBoard(_ group: String?, of current: [GroupReport]) async throws -> BoardReport? {
        // The URL may name a group that this user has left.
        guard let group, current.contains(where: { $0.id == group }) else { return nil }
        return try await node.call(BoardRequest(group: group, range: "today"))
    }

    /// What was recorded, and who has it now.
    private func confirmation(_ report: AddReport) async throws -> String {
        let groups = try await node.call(GroupListRequest.all).groups
        var text = "Recorded \(report.added.count) results."
        if let first = report.added.first, report.added.count == 1 {
            let name = "\(first.gameName)\(first.shownPuzzle.map { " \(ResultView.grouped($0))" } ?? "")"
            guard !first.unchanged else { return "\(name) was recorded already." }
            text = "Recorded \(name): \(first.label)."
        }
        guard groups.contains(where: \.isCurrent) else { return text }
        return OutcomeView.titles(of: report.published, groups).map { "\(text) Shared with \($0)." }
            ?? "\(text) Nobody else gets it."
    }

    // MARK: Sharing one result with more groups

    struct SharePageView: Sendable {
        var game: String
        var date: String
        var puzzle: Int?
        var title: String
        var note: String
        var share: ShareView?
    }

    func showShare(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let (game, date) = (visit.fields["game"] ?? "", visit.fields["date"] ?? "")
        let puzzle = visit.fields.number("puzzle")
        let report = try await node.call(
            ResultsRequest.list(game: game, from: date, to: date))
        guard let result = report.results.first(where: { $0.game == game && (puzzle ?? $0.puzzle) == $0.puzzle }) else {
            throw NodeFailure.noSuchResult(game: game, day: date)
        }
        let lacking = frame.groups.filter { !result.groups.contains($0.id) }
        let standing = OutcomeView.titles(of: result.groups, frame.groups)
        let view = SharePageView(
            game: game, date: date, puzzle: result.puzzle, title: "\(result.gameName): \(result.label)",
            note: standing.map { "Shared with \($0) so far." } ?? "Nobody else has it so far.",
            share: ShareView(lacking, choice: nil))
        return page(.history, "share", title: "Share a result", view, frame, visit)
    }

    private func share(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        // A box ticked here sends the result to that group, whatever else it gets.
        let report = try await node.call(
            ScoreRequest.publish(
                game: fields["game"] ?? "", date: fields["date"] ?? "", puzzle: fields.number("puzzle"),
                groups: ShareChoice(fields).ticked))
        let groups = try await node.call(GroupListRequest.all).groups
        let text = OutcomeView.titles(of: report.published, groups).map { "Shared with \($0)." }
        return say(text ?? "Nothing was shared: no group was chosen.", then: "/history", visit)
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
        var share: ShareView?
    }

    func showRecord(_ visit: Visit) async throws -> Response { try await recordForm(visit) }

    private func recordForm(
        _ visit: Visit, refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame()
        let games = try await catalogue().games
        let chosen = visit.fields["game"] ?? ""
        let isEdit = visit.fields.isSet("edit")
        let view = RecordView(
            games: games.map { OptionView(value: $0.id, label: $0.name, selected: $0.id == chosen) }, game: chosen,
            date: visit.fields["date"] ?? today.description, maximum: today.adding(days: 1).description,
            score: visit.fields["score"] ?? "", time: visit.fields["time"] ?? "",
            failed: visit.fields.isSet("failed"), isEdit: isEdit,
            gameTitle: games.first { $0.id == chosen }?.name ?? chosen,
            share: isEdit ? nil : ShareView(frame.groups, choice: ShareChoice(visit.fields)))
        return page(
            .history, "record", title: isEdit ? "Edit a result" : "Record by hand", view, frame, visit,
            refusal: refusal)
    }

    private func record(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        var seconds: Int?
        if let time = fields["time"] {
            guard let read = Self.seconds(time) else { throw NodeFailure.invalidScore(reason: "a time reads 1:05") }
            seconds = read
        }
        if let score = fields["score"], Int(score) == nil {
            throw NodeFailure.invalidScore(reason: "“\(score)” is not a whole number")
        }
        let report = try await node.call(
            ScoreRequest.record(
                game: fields.required("game"), score: fields.isSet("failed") ? nil : fields.number("score"),
                isCompleted: !fields.isSet("failed"), seconds: seconds, date: fields["date"],
                groups: try await targets(ShareChoice(fields), game: fields.required("game")),
                replace: fields.isSet("edit")))
        if let refusal = report.refused.first { throw NodeFailure.invalidScore(reason: refusal.message) }
        return say(try await confirmation(report), then: fields.isSet("edit") ? "/history" : "/today", visit)
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
