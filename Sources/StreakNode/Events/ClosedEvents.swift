import StreakGames
import StreakScores

/// How the events of weeks that are over ended, each computed once until something changes that it depends on.
struct ClosedEvents: Sendable {
    private var known: [PuzzleDay: EventStandings] = [:]
    private var players: [Player] = []
    private var rules = BoardRules()

    mutating func reset() { known = [:] }

    /// Forgets everything if others take part, or by other rules.
    mutating func follow(players: [Player], rules: BoardRules) {
        let players = players.map { player in
            Player(id: player.id, name: player.name, isHidden: player.isHidden, memberSince: player.memberSince)
        }
        guard players != self.players || rules != self.rules else { return }
        (self.players, self.rules) = (players, rules)
        reset()
    }

    /// Forgets the events that a result of a day takes part in. A later event may depend on whether its game is new.
    mutating func resultChanged(on day: PuzzleDay) {
        guard !known.isEmpty else { return }
        known[day.startOfWeek] = nil
        for (monday, standings) in known where monday > day && standings.event.plan.rule == .newGames {
            known[monday] = nil
        }
    }

    mutating func standings(of event: WeeklyEvent, make: () -> EventStandings) -> EventStandings {
        if let made = known[event.monday], made.event == event { return made }
        let made = make()
        known[event.monday] = made
        return made
    }
}
