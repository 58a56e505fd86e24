import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// Weekly events, and what they earn.
extension Boards {
    /// The most weeks of a group's past whose events are looked at: about twenty years.
    private static let maximumWeeks = 1_000

    /// The Monday of this week, by UTC: events begin everywhere at once.
    var currentMonday: PuzzleDay {
        PuzzleDay(daysSinceEpoch: Int(clamping: core.clock.wallTime.seconds / 86_400)).startOfWeek
    }

    func planned(weekOf day: PuzzleDay, in group: GroupID) -> GroupEvents.Planned {
        (core.views[group]?.events ?? GroupEvents()).planned(weekOf: day, in: group)
    }

    /// How an event stands, as this user may see it.
    func standings(of event: WeeklyEvent, in group: GroupID) -> EventStandings {
        index(of: group).standings(of: event, boardQuery(event.span, in: group), players: players(of: group)) {
            core.knownGame($0, in: group)
        }
    }

    /// The first week that somebody of the group can have played in: nobody takes part before they were a member.
    private func firstMonday(of group: GroupID) -> PuzzleDay? {
        guard let first = index(of: group).span?.from,
            let since = (core.engine.state(of: group)?.members ?? []).map(\.admittedAt).min()
        else { return nil }
        return max(first, PuzzleDay(daysSinceEpoch: Int(clamping: since / 86_400))).startOfWeek
    }

    /// The events that are over and that somebody took part in, newest first.
    ///
    /// - Parameter since: only weeks that hold this day, or are later.
    func closedEvents(in group: GroupID, since: PuzzleDay = .earliest) -> [EventStandings] {
        let last = WeeklyEvent.lastClosed(at: core.clock.wallTime.seconds)
        guard let first = firstMonday(of: group) else { return [] }
        let from = max(first, since.startOfWeek)
        guard from <= last else { return [] }
        let weeks = min(from.days(until: last) / 7 + 1, Self.maximumWeeks)
        let events = (0..<weeks).map { planned(weekOf: last.adding(days: -7 * $0), in: group).event }
        var query = boardQuery(DaySpan(from: from, to: last), in: group)
        // Every day of these weeks is final.
        query.guardsSpoilers = false
        return core.closedEvents(events, query, players: players(of: group), in: group).filter { !$0.rows.isEmpty }
    }

    /// Dated coins that events earned the members of a group, each at the event's last day.
    func eventCoins(in group: GroupID) -> [PlayerID: DatedCoins] {
        var entries: [PlayerID: [DatedCoins.Entry]] = [:]
        for standings in closedEvents(in: group) {
            // In any order: each player has one reward a week.
            for (player, coins) in standings.rewards {
                entries[player, default: []].append(.init(day: standings.event.span.to, coins: coins))
            }
        }
        return entries.mapValues(DatedCoins.init)
    }

    /// The same for one user in several groups together.
    func eventCoins(of user: UserID, in groups: [GroupID]) -> DatedCoins {
        let player = PlayerID(user.bytes.array)
        return groups.reduce(.none) { sum, group in
            eventCoins(in: group)[player].map { sum.merged(with: $0) } ?? sum
        }
    }

    /// How many events a user has won in some groups.
    func eventsWon(by user: UserID, in groups: [GroupID]) -> Int {
        let player = PlayerID(user.bytes.array)
        return groups.reduce(0) { sum, group in
            sum + closedEvents(in: group).count { $0.leaders.contains { $0.player == player } }
        }
    }
}
