import Hummingbird
import StreakGames
import StreakNode

/// The weekly event of a group.
struct EventView: Sendable {
    struct Past: Sendable {
        var title: String
        var note: String
        var winners: [Site.ChampionsView.Period.Winner]
        var href: String
    }

    /// What may be chosen for the next week.
    struct Choice: Sendable {
        var rules: [OptionView]
        var games: [OptionView]
        var mayWithdraw: Bool
    }

    var groupTitle: String
    var group: String
    var weekText: String
    var icon: String
    var name: String
    var text: String
    var chosenText: String?
    var figures: [FigureView]
    /// Nil where no single game is meant, or once the event is over.
    var playHref: String?
    var playText: String
    var isOver: Bool
    var rows: [RowView]
    var hasRows: Bool
    var mine: RowView?
    var coveredText: String?
    var correctedText: String?
    var nextText: String
    var choice: Choice?
    var past: [Past]
    var hasPast: Bool
    /// To this week's event, where another is shown.
    var nowHref: String?
    var championsHref: String
}

extension Site {
    private static let rules = [
        ("points", "Most points"), ("double", "Double points for a game"), ("hard-mode", "Hard mode only"),
        ("most-games", "Most different games"), ("new-games", "Games nobody has played"),
    ]

    func showEvent(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        guard let group = frame.group(visit.fields) else {
            return page(.board, "board", title: "Weekly event", NoGroupView(lonelyText: frame.lonelyText), frame, visit)
        }
        let date = visit.fields["date"]
        let report = try await node.call(EventRequest.show(date: date, group: group))
        let games = report.mayChoose ? try await catalogue().games : []
        let (from, to) = (PuzzleDay(report.from), PuzzleDay(report.to))
        let link = PageLink("/event").adding("group", group)
        let view = EventView(
            groupTitle: report.title, group: group,
            weekText: from.map { "Week \($0.isoWeek.week), \($0.shortText) – \(to?.longText ?? "")" } ?? report.week,
            icon: report.plan.icon, name: report.plan.name, text: report.plan.text,
            chosenText: report.plan.chosenBy.map { "Chosen by \($0)" }, figures: Self.figures(report),
            playHref: report.over ? nil : Self.playHref(report.plan),
            playText: report.plan.gameName.map { "Play \($0) now" } ?? "Play now", isOver: report.over,
            rows: report.rows.map { RowView($0, in: report) }, hasRows: !report.rows.isEmpty,
            mine: report.mine.flatMap { $0.onlyMe ? RowView($0, in: report) : nil },
            coveredText: Self.coveredText(report.coveredCount),
            correctedText: report.corrected ? "Corrected: a result was changed after the event had ended." : nil,
            nextText: "\(report.next.icon) \(report.next.name)"
                + (report.next.chosenBy.map { ", chosen by \($0)" } ?? ""),
            choice: report.mayChoose ? Self.choice(report.next, games) : nil, past: Self.past(report, group),
            hasPast: !report.past.isEmpty,
            nowHref: report.over || date != nil ? link.text : nil,
            championsHref: PageLink("/champions").adding("group", group).text)
        return page(.board, "event", title: "Weekly event", view, frame, visit)
    }

    private static func figures(_ report: EventReport) -> [FigureView] {
        var figures: [FigureView] = []
        if let left = report.left { figures.append(FigureView(term: "Time left", value: left)) }
        let leaders = report.rows.filter { $0.rank == 1 }
        if let first = leaders.first {
            let name = first.me ? "You" : first.name
            figures.append(
                FigureView(
                    term: report.over ? "Winner" : "Leader",
                    value: leaders.count == 1 ? name : "\(name) and \(leaders.count - 1) more", note: first.label))
        }
        let mine = report.mine
        let rank = mine?.rank.map { "\(mine?.tied ?? false ? "=" : "")\($0) of \(report.ranked)" }
        figures.append(
            FigureView(
                term: "Your rank", value: rank ?? "–",
                note: mine?.onlyMe ?? false
                    ? "only you see this" : mine.map { coins($0) ?? $0.label } ?? "no result that counts"))
        return figures
    }

    static func coins(_ row: EventRowReport) -> String? {
        row.coins.map { "\(ResultView.grouped($0)) coins\(row.badge ? " and the badge" : "")" }
    }

    private static func playHref(_ plan: EventPlanReport) -> String? {
        guard plan.game != nil else { return "/today" }
        let url = plan.url ?? ""
        return url.hasPrefix("https://") || url.hasPrefix("http://") ? url : nil
    }

    private static func choice(_ next: EventPlanReport, _ games: [GameReport]) -> EventView.Choice {
        EventView.Choice(
            rules: rules.map { OptionView(value: $0.0, label: $0.1, selected: $0.0 == next.rule) },
            games: [OptionView(value: "", label: "All games", selected: next.game == nil)]
                + games.map { OptionView(value: $0.id, label: $0.name, selected: $0.id == next.game) },
            mayWithdraw: next.chosenBy != nil)
    }

    private static func past(_ report: EventReport, _ group: String) -> [EventView.Past] {
        report.past.map { event in
            let day = PuzzleDay(event.from)
            let marks = [event.label, event.corrected ? "corrected" : nil].compactMap(\.self)
            return EventView.Past(
                title: day.map { "Week \($0.isoWeek.week), \($0.shortText) \($0.year)" } ?? event.week,
                note: (["\(event.icon) \(event.name)"] + marks).joined(separator: ", "),
                winners: event.winners.map { ChampionsView.Period.Winner($0, group) },
                href: PageLink("/event").adding("group", group).adding("date", event.from).text)
        }
    }

    static let eventForms: [Form] = [
        Form(
            "/event/choose",
            { fields in
                let rule = fields.required("rule")
                let takesGame = rule != "most-games" && rule != "new-games"
                let game = fields["game"].flatMap { $0.isEmpty || !takesGame ? nil : $0 }
                return EventRequest.choose(rule: rule, game: game, group: fields["group"])
            }
        ) { (report: EventReport, _) in "Next week: \(report.next.name)." },
        Form("/event/withdraw", { EventRequest.withdraw(group: $0["group"]) }) { (report: EventReport, _) in
            "Next week is left to chance: \(report.next.name)."
        },
    ]
}

extension RowView {
    /// One member's line in an event.
    init(_ row: EventRowReport, in report: EventReport) {
        user = row.user
        href = PageLink("/player").adding("group", report.group).adding("user", row.user).text
        avatar = AvatarView(user: row.user, name: row.name)
        name = row.name
        me = row.me
        rank = row.rank.map { row.tied ? "=\($0)" : String($0) } ?? "–"
        place = row.rank ?? 0
        medal = row.rank.flatMap { [1: "gold", 2: "silver", 3: "bronze"][$0] }
        covered = row.results == 0 && row.covered > 0
        label = covered ? "Covered" : row.label
        (late, edited, delta) = (false, false, nil)
        let results = row.results == 1 ? "1 result" : "\(row.results) results"
        let parts = [
            covered ? nil : results, row.covered > 0 && !covered ? "\(row.covered) covered" : nil, Site.coins(row),
        ]
        detail = covered ? nil : parts.compactMap(\.self).joined(separator: ", ")
        marks = [
            row.badge ? "🏅 winner" : nil, row.corrected ? "corrected" : nil, row.onlyMe ? "only you see this" : nil,
        ].compactMap(\.self)
        let place = row.rank.map { row.tied ? "Tied for rank \($0)" : "Rank \($0)" }
        let who = row.me ? "\(row.name), you" : row.name
        let what = covered ? "results covered until you have played" : row.label
        sentence = ([place, who, what, detail].compactMap(\.self) + marks).joined(separator: ", ")
    }
}

extension Site.ChampionsView.Period.Winner {
    init(_ winner: ChampionsReport.Winner, _ group: String) {
        self.init(
            name: winner.name, me: winner.me, avatar: AvatarView(user: winner.user, name: winner.name),
            href: PageLink("/player").adding("group", group).adding("user", winner.user).text)
    }
}
