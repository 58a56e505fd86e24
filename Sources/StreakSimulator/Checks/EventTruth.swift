import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

extension Simulation {
    private static let plans = [
        EventPlan(.mostGames), EventPlan(.newGames), EventPlan(.double, game: GameID(literal: "wordle")),
        EventPlan(.hardMode), EventPlan(.points),
    ].compactMap(\.self)

    private func day(of node: Int) -> PuzzleDay {
        PuzzleDay(daysSinceEpoch: Int(wallTime(of: node).milliseconds / 86_400_000))
    }

    /// A node's user chooses for one of the next two weeks, or takes a choice back; or chooses for the week that has
    /// begun, as an honest program does not. Whether the user is an admin decides what counts.
    mutating func chooseEvent(by node: Int) {
        guard nodes[node].isHonest, let group = ground.group else { return }
        let week = random.number(below: 4)
        let day = day(of: node).adding(days: 7 * min(week, 2))
        let plan = Self.plans[random.number(below: Self.plans.count)]
        let choice = EventChoice(weekOf: day, plan)
        let content =
            random.number(below: 4) == 0
            ? RecordContent(withdrawing: choice.recordSubject, of: EventChoice.self) : RecordContent(choice)
        let id = nextCommand()
        // What comes too late changes nothing, so it need not stand.
        if week > 0 { ground.talk.wrote(content, by: node, command: id) }
        give(.command(id, .write([(group: group, drafts: [.content(content)])])), to: node)
    }

    /// Once all agree: they play for the same, stand the same, and no choice for the week that has begun counts.
    mutating func checkEvents() {
        guard let group = ground.group else { return }
        var first: (node: Int, lines: [String])?
        for node in activeMembers {
            guard let engine = nodes[node].engine, let state = engine.state(of: group) else { continue }
            let lines = Self.events(of: engine, state, in: group, around: day(of: activeMembers[0]))
            if let first, first.lines != lines {
                return fail("nodes \(first.node) and \(node) play for different events", .safety(.digestIsAmbiguous))
            }
            if first == nil { first = (node, lines) }
            guard lines.first == "nil" else {
                return fail("node \(node) follows a choice that came too late", .safety(.digestIsAmbiguous))
            }
        }
    }

    /// Who chose for the week that has begun; then plans and standings of four weeks.
    private static func events(
        of engine: MeshEngine, _ state: GroupState, in group: GroupID, around day: PuzzleDay
    ) -> [String] {
        var events = GroupEvents(admins: Set(state.members.filter { $0.role >= .admin }.map(\.user)))
        var index = ScoreIndex()
        for record in engine.mergedRecords(of: group) {
            if record.key.kind == EventChoice.kind { events.apply(record) }
            // Withdrawn, or of another version, it is no result.
            if record.key.kind == RecordKind.dailyScore.rawValue,
                let score = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time)
            {
                index.replace(score, of: PlayerID(record.key.user.bytes.array))
            }
        }
        let players = state.members.map { Player(id: PlayerID($0.user.bytes.array), name: $0.user.description) }
        let query = BoardQuery(
            from: day, to: day, viewer: PlayerID([]), today: day, now: WeeklyEvent.start(of: day),
            guardsSpoilers: false)
        let chooser = events.planned(weekOf: day, in: group).chooser
        return [chooser.map(\.description) ?? "nil"]
            + (-1...2).flatMap { week -> [String] in
                let event = events.planned(weekOf: day.adding(days: 7 * week), in: group).event
                let standings = index.standings(of: event, query, players: players) { Catalogue.standard[$0] }
                return ["\(event)"] + standings.rows.map { "\($0.rank ?? 0) \($0.name) \($0.value) \($0.results)" }
            }
    }
}
