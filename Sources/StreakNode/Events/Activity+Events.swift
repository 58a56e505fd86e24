import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What the feed tells of weekly events and champions.
extension Activity {
    /// So many seconds before an event's end the feed says so.
    private static let noticeBeforeEnd: Int64 = 6 * 3_600

    /// The entries of a group's events and champions during the last thirty days.
    func eventEntries(of group: GroupID) -> [ActivityEntry] {
        let since = core.clock.today.adding(days: -ActivityFeed.days)
        let start = WeeklyEvent.start(of: since)
        guard let first = (core.engine.state(of: group)?.members ?? []).map(\.admittedAt).min() else { return [] }
        // What ended before there was a group is none of its news.
        let ended = (endings(since: since, in: group) + champions(since: since, in: group)).filter { $0.at > first }
        return (beginnings(since: since, in: group, from: first) + ending(in: group, from: first) + ended)
            .filter { $0.at >= start }
    }

    /// An event whose plan changes after it has begun, by an admin whose clock lies, is told again: its entry has
    /// another name.
    ///
    /// - Parameter first: when the group began, in Unix seconds.
    private func beginnings(since: PuzzleDay, in group: GroupID, from first: Int64) -> [ActivityEntry] {
        let now = core.clock.wallTime.seconds
        let me = core.identity.user
        let joined = core.engine.state(of: group)?.members.first { $0.user == me }?.admittedAt ?? now
        let weeks = max(since.startOfWeek.days(until: boards.currentMonday) / 7, 0)
        return (0...weeks).compactMap { week in
            let planned = boards.planned(weekOf: boards.currentMonday.adding(days: -7 * week), in: group)
            // The group did not exist in that week.
            guard first < planned.event.end else { return nil }
            let plan = planned.event.plan
            let about =
                Self.about(planned.event, in: group) + EventChoice(weekOf: planned.event.monday, plan).recordValue
                + (planned.chooser?.bytes.array ?? [])
            let at = min(max(planned.event.start, first), now)
            var entry = ActivityEntry(.event, nil, person: [], at: at, about: about)
            let game = plan.game.map { core.namedGame($0, in: group) }
            let chooser = planned.chooser.map { ", chosen by \(core.name(of: $0, in: group))" } ?? ""
            (entry.words, entry.icon) = ("\(plan.name(game)) this week\(chooser)", plan.icon(game))
            // Who founds a group, or joins one, in the middle of a week knows of it.
            if week == 0, joined < planned.event.start { entry.notification = .started }
            return entry
        }
    }

    /// The event that ends within six hours, as long as it does.
    private func ending(in group: GroupID, from first: Int64) -> [ActivityEntry] {
        let event = boards.planned(weekOf: boards.currentMonday.adding(days: -7), in: group).event
        let now = core.clock.wallTime.seconds
        guard (event.end - Self.noticeBeforeEnd..<event.end).contains(now), first < event.end else { return [] }
        let game = event.plan.game.map { core.namedGame($0, in: group) }
        var entry = ActivityEntry(
            .eventEnding, nil, person: [], at: event.end - Self.noticeBeforeEnd, about: Self.about(event, in: group))
        (entry.words, entry.icon) = ("only 6 hours left of \(event.plan.name(game))", event.plan.icon(game))
        entry.notification = .ending
        return [entry]
    }

    private func endings(since: PuzzleDay, in group: GroupID) -> [ActivityEntry] {
        boards.closedEvents(in: group, since: since.adding(days: -1)).flatMap { standings in
            let event = standings.event
            let game = event.plan.game.map { core.namedGame($0, in: group) }
            return standings.leaders.compactMap { leader -> ActivityEntry? in
                guard let user = UserID(leader.player.bytes) else { return nil }
                var entry = ActivityEntry(
                    .eventWon, user, person: person(user, in: group), at: event.end,
                    about: Self.about(event, in: group))
                (entry.words, entry.icon) = ("\(event.plan.name(game)), \(event.plan.label(of: leader.value))", "🏅")
                return entry
            }
        }
    }

    private func champions(since: PuzzleDay, in group: GroupID) -> [ActivityEntry] {
        let today = core.clock.today
        let query = boards.boardQuery(DaySpan(from: today, to: today), in: group)
        let players = boards.players(of: group)
        return Champions.Period.allCases.flatMap { period in
            boards.index(of: group).champions(period, query: query, players: players, since: since.adding(days: -1)) {
                core.knownGame($0, in: group)
            }.flatMap { champions in
                champions.winners.compactMap { winner -> ActivityEntry? in
                    guard let user = UserID(winner.player.bytes) else { return nil }
                    let about = group.bytes.array + Array("\(period.rawValue) \(champions.span.from)".utf8)
                    var entry = ActivityEntry(
                        .champion, user, person: person(user, in: group), at: champions.span.to.endEverywhere,
                        about: about)
                    let title =
                        period == .week
                        ? "week \(champions.span.from.isoWeek.week)" : String(champions.span.from.description.prefix(7))
                    let verb = champions.winners.count > 1 ? "is one of the champions" : "is the champion"
                    (entry.words, entry.icon) = ("\(verb) of \(title): \(Scoring.totalLabel(champions.value))", "🏆")
                    return entry
                }
            }
        }
    }

    /// This user's rank on the board of the last week that is over, if it is better than the week before. All of these
    /// days are over everywhere, so nothing of them is covered.
    func climb(in group: GroupID) -> [ActivityEntry] {
        let lastDay = PuzzleDay.lastFinal(at: core.clock.wallTime.seconds)
        let monday = lastDay.adding(days: 1).startOfWeek.adding(days: -7)
        guard let now = rank(weekOf: monday, in: group), let before = rank(weekOf: monday.adding(days: -7), in: group),
            now < before
        else { return [] }
        let end = monday.adding(days: 6).endEverywhere
        var entry = ActivityEntry(
            .climbed, nil, person: [], at: end, about: group.bytes.array + Array("\(monday)".utf8))
        let places = before - now == 1 ? "1 place" : "\(before - now) places"
        (entry.words, entry.icon) = ("saw you climb \(places), to #\(now) of week \(monday.isoWeek.week)", "🧗")
        entry.notification = .climbed
        return [entry]
    }

    private func rank(weekOf monday: PuzzleDay, in group: GroupID) -> Int? {
        let query = boards.boardQuery(DaySpan(from: monday, to: monday.adding(days: 6)), in: group)
        return boards.index(of: group).board(query, players: boards.players(of: group)) {
            core.knownGame($0, in: group)
        }.myRow?.rank
    }

    private static func about(_ event: WeeklyEvent, in group: GroupID) -> [UInt8] {
        group.bytes.array + EventChoice.recordSubject(of: event.monday)
    }
}
