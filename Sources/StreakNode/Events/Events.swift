import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// The weekly event of each group: how it stands, how earlier ones ended, and the choice of the next.
struct Events {
    let core: NodeCore
    let loop: NodeLoop
    let boards: Boards

    /// The most past events of one report.
    private static let maximumPast = 52

    // MARK: Choosing

    /// Chooses the plan of the first week that has not begun; nil leaves it to chance again.
    func choose(_ plan: EventPlan?, in group: GroupID) async throws -> EventReport {
        guard mayChoose(in: group) else { throw NodeFailure.notAllowed(action: "choose the weekly event") }
        try core.checkSharing(in: group)
        let monday = boards.currentMonday.adding(days: 7)
        let planned = boards.planned(weekOf: monday, in: group)
        let chosen = planned.chooser == nil ? nil : planned.event.plan
        if plan != chosen {
            let subject = EventChoice.recordSubject(of: monday)
            let content =
                plan.map { RecordContent(EventChoice(weekOf: monday, $0)) }
                ?? RecordContent(withdrawing: subject, of: EventChoice.self)
            try await loop.execute(.write([(group, [.content(content)])]))
        }
        return report(weekOf: boards.currentMonday, in: group)
    }

    func plan(_ rule: EventPlan.Rule, game selector: String?) throws -> EventPlan {
        try Argument.eventPlan(rule, game: selector.map { try core.game($0).id })
    }

    private func mayChoose(in group: GroupID) -> Bool {
        core.engine.state(of: group)?.role(of: core.identity.user).map { $0 >= .admin } ?? false
    }

    // MARK: Reports

    /// - Parameter date: a day of the week; nil for this week.
    /// - Throws: `futureDate` for a week to come.
    func show(date: String?, in group: GroupID) throws -> EventReport {
        let monday = try core.day(date)?.startOfWeek ?? boards.currentMonday
        guard monday <= boards.currentMonday else { throw NodeFailure.futureDate(monday.description) }
        return report(weekOf: monday, in: group)
    }

    private func report(weekOf monday: PuzzleDay, in group: GroupID) -> EventReport {
        let now = core.clock.wallTime.seconds
        let planned = boards.planned(weekOf: monday, in: group)
        let event = planned.event
        let standings = boards.standings(of: event, in: group)
        let next = boards.planned(weekOf: boards.currentMonday.adding(days: 7), in: group)
        let isOver = event.isOver(at: now)
        func row(_ row: EventStandings.Row) -> EventRowReport { report(of: row, in: event, isOver: isOver, group) }
        return EventReport(
            group: group.description, title: core.title(of: group), week: event.monday.isoWeek.text,
            from: event.span.from.description, to: event.span.to.description, rule: event.plan.rule.word,
            plan: report(of: planned, in: group),
            starts: Timestamp(seconds: event.start).text, ends: Timestamp(seconds: event.end).text, over: isOver,
            secondsLeft: max(event.end - now, 0), left: isOver ? nil : EventReport.left(event.end - now),
            rows: standings.rows.map(row), mine: standings.myRow.map(row), ranked: standings.rankedCount,
            coveredCount: standings.coveredCount, corrected: isOver && standings.isCorrected,
            nextWeek: next.event.monday.isoWeek.text, next: report(of: next, in: group),
            mayChoose: mayChoose(in: group),
            past: boards.closedEvents(in: group).prefix(Self.maximumPast).map { past($0, in: group) })
    }

    private func report(
        of row: EventStandings.Row, in event: WeeklyEvent, isOver: Bool, _ group: GroupID
    ) -> EventRowReport {
        EventRowReport(
            rank: row.rank, tied: row.isTied, user: shownID(of: row.player, in: group), name: row.name, me: row.isMe,
            value: row.value, label: event.plan.label(of: row.value), results: row.results,
            covered: row.coveredCount, corrected: isOver && row.isCorrected,
            coins: isOver && row.results > 0 && !row.isPrivate ? WeeklyEvent.reward(forRank: row.rank) : nil,
            badge: isOver && row.rank == 1, onlyMe: row.isPrivate)
    }

    private func past(_ standings: EventStandings, in group: GroupID) -> PastEventReport {
        let event = standings.event
        let plan = report(of: boards.planned(weekOf: event.monday, in: group), in: group)
        return PastEventReport(
            week: event.monday.isoWeek.text, from: event.span.from.description, to: event.span.to.description,
            name: plan.name, icon: plan.icon,
            winners: standings.leaders.map {
                ChampionsReport.Winner(user: shownID(of: $0.player, in: group), name: $0.name, me: $0.isMe)
            },
            label: standings.leaders.first.map { event.plan.label(of: $0.value) }, ranked: standings.rankedCount,
            corrected: standings.isCorrected)
    }

    private func shownID(of player: PlayerID, in group: GroupID) -> String {
        UserID(player.bytes).map { core.shownID(of: $0, in: group) } ?? ""
    }

    private func report(of planned: GroupEvents.Planned, in group: GroupID) -> EventPlanReport {
        let plan = planned.event.plan
        let game = plan.game.map { core.namedGame($0, in: group) }
        return EventPlanReport(
            rule: plan.rule.word, game: game?.id.rawValue, gameName: game?.name, icon: plan.icon(game),
            name: plan.name(game), text: plan.text(game), url: game.flatMap { $0.url.isEmpty ? nil : $0.url },
            chosenBy: planned.chooser.map { core.name(of: $0, in: group) },
            chosenAt: planned.chosenAt.map { Timestamp(seconds: $0.milliseconds / 1_000).text })
    }
}

extension EventPlan.Rule {
    /// As commands and reports write it.
    var word: String {
        switch self {
        case .points: "points"
        case .double: "double"
        case .hardMode: "hard-mode"
        case .mostGames: "most-games"
        case .newGames: "new-games"
        }
    }

    init?(word: String) {
        guard let rule = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = rule
    }
}

extension EventPlan {
    func icon(_ game: Game?) -> String {
        if let game { return game.emoji }
        return switch rule {
        case .points, .double: "🏁"
        case .hardMode: "💪"
        case .mostGames: "🎲"
        case .newGames: "🧭"
        }
    }

    /// “Double Wordle”.
    func name(_ game: Game?) -> String {
        switch rule {
        case .points: game.map { "Most points in \($0.name)" } ?? "Most points"
        case .double: "Double \(game?.name ?? "points")"
        case .hardMode: game.map { "\($0.name) in hard mode" } ?? "Hard mode only"
        case .mostGames: "Most games"
        case .newGames: "New ground"
        }
    }

    /// The rule in one sentence.
    func text(_ game: Game?) -> String {
        switch rule {
        case .points:
            game.map { "Only points in \($0.name) count." } ?? "The points of all games count."
        case .double: "The points of all games count, those of \(game?.name ?? "one") twice."
        case .hardMode: "Only points in hard mode count\(game.map { ", in \($0.name)" } ?? "")."
        case .mostGames: "Who solves the most different games is first."
        case .newGames: "Only games count that nobody here had played before this week."
        }
    }

    func label(of value: Int) -> String {
        rule == .mostGames ? (value == 1 ? "1 game" : "\(value) games") : Scoring.totalLabel(value)
    }
}
