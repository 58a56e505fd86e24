import StreakGames
import StreakRandom
import Testing

@testable import StreakScores

/// Weekly events (Protocol/records.md §3.11).
@Suite struct EventTests {
    private static let monday = Fixture.day("2026-11-16")
    private static let players = ["ann", "bob", "cat"].map { Fixture.player($0) }

    private static func plan(_ rule: EventPlan.Rule, _ game: Game? = nil) throws -> EventPlan {
        try #require(EventPlan(rule, game: game?.id))
    }

    private static func event(_ rule: EventPlan.Rule = .points, _ game: Game? = nil) throws -> WeeklyEvent {
        WeeklyEvent(weekOf: monday.adding(days: 3), plan: try plan(rule, game))
    }

    private static func standings(
        _ event: WeeklyEvent, _ index: ScoreIndex, players: [Player] = players, viewer: String = "ann",
        today: PuzzleDay? = nil
    ) -> EventStandings {
        let day = today ?? event.span.to.adding(days: 30)
        let query = BoardQuery(
            from: day, to: day, viewer: Fixture.id(viewer), today: day, now: day.endEverywhere - 1,
            guardsSpoilers: today != nil)
        return index.standings(of: event, query, players: players, games: Fixture.game)
    }

    private static func lines(_ standings: EventStandings) -> [String] {
        standings.rows.map { "\($0.rank.map(String.init) ?? "–") \($0.name) \($0.value)" }
    }

    private static func solve(
        _ game: Game, _ day: PuzzleDay, _ score: Int, isHardMode: Bool = false, recorded: Int64 = 0, updated: Int64 = 0
    ) -> DailyScore {
        DailyScore(
            game: game.id, day: day, score: score, isHardMode: isHardMode, firstRecordedAt: recorded,
            updatedAt: updated)
    }

    // MARK: Rules

    @Test(
        arguments: [
            (EventPlan.Rule.points, nil, ["1 bob 7", "2 ann 5", "– cat 0"]),
            (.points, Fixture.wordle, ["1 ann 4", "2 bob 2", "– cat 0"]),
            (.double, Fixture.wordle, ["1 ann 9", "1 bob 9", "– cat 0"]),
            (.double, Fixture.heardle, ["1 bob 12", "2 ann 6", "– cat 0"]),
            (.hardMode, nil, ["1 ann 4"]), (.hardMode, Fixture.heardle, []),
            (.mostGames, nil, ["1 ann 2", "1 bob 2", "– cat 0"]),
            (.newGames, nil, ["1 ann 4", "2 bob 2", "– cat 0"]),
        ] as [(EventPlan.Rule, Game?, [String])])
    func `each rule counts what it says`(rule: EventPlan.Rule, game: Game?, expected: [String]) throws {
        let index = Fixture.index([
            ("ann", Self.solve(Fixture.wordle, Self.monday, 3, isHardMode: true)),
            ("ann", Fixture.solve(Fixture.heardle, Self.monday.adding(days: 1), 6)),
            ("ann", Fixture.solve(Fixture.wordle, Self.monday.adding(days: 7), 1)),
            ("bob", Fixture.solve(Fixture.wordle, Self.monday, 5)),
            ("bob", Fixture.solve(Fixture.heardle, Self.monday.adding(days: 6), 2)),
            ("bob", Fixture.solve(Fixture.heardle, Self.monday.adding(days: -1), 1)),
            ("cat", Fixture.loss(Fixture.wordle, Self.monday.adding(days: 2))),
        ])
        #expect(Self.lines(Self.standings(try Self.event(rule, game), index)) == expected)
    }

    @Test func `a plan has the game that its rule needs, and no other`() {
        let game = Fixture.wordle.id
        #expect(EventPlan(.double) == nil && EventPlan(.double, game: game) != nil)
        for rule in [EventPlan.Rule.mostGames, .newGames] {
            #expect(EventPlan(rule, game: game) == nil && EventPlan(rule) != nil)
        }
        for rule in [EventPlan.Rule.points, .hardMode] {
            #expect(EventPlan(rule, game: game) != nil && EventPlan(rule) != nil)
        }
        #expect(EventPlan.drawn.count == 16 && Set(EventPlan.drawn.map(\.rule)).count == 5)
        #expect(EventPlan.drawn.allSatisfy { EventPlan($0.rule, game: $0.game) == $0 })
    }

    // MARK: Time

    @Test func `an event begins on Monday and ends a week later at noon, both in UTC`() throws {
        let event = try Self.event()
        let midnight = Int64(Self.monday.daysSinceEpoch) * 86_400
        #expect(event.monday == Self.monday && event.start == midnight)
        #expect(event.end == midnight + 7 * 86_400 + 43_200)
        #expect(!event.isOver(at: event.end - 1) && event.isOver(at: event.end))
        #expect(WeeklyEvent.lastClosed(at: event.end - 1) == Self.monday.adding(days: -7))
        #expect(WeeklyEvent.lastClosed(at: event.end) == Self.monday)
        #expect(WeeklyEvent.lastClosed(at: event.end + 7 * 86_400 - 1) == Self.monday)
    }

    @Test func `a result counts if it was first recorded before the end, and an edit after it is told`() throws {
        let event = try Self.event()
        let index = Fixture.index([
            ("ann", Self.solve(Fixture.wordle, Self.monday, 3, recorded: event.end - 1, updated: event.end - 1)),
            ("bob", Self.solve(Fixture.wordle, Self.monday, 1, recorded: event.end, updated: event.end)),
            ("cat", Self.solve(Fixture.wordle, Self.monday, 2, recorded: event.start, updated: event.end)),
        ])
        let standings = Self.standings(event, index)
        #expect(Self.lines(standings) == ["1 cat 5", "2 ann 4"])
        #expect(standings.rows.map(\.isCorrected) == [true, false] && standings.isCorrected)
    }

    @Test func `a result that is deleted counts no more, and one that is restored counts again`() throws {
        var index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.monday, 3)),
            ("bob", Fixture.solve(Fixture.wordle, Self.monday, 2)),
        ])
        let event = try Self.event()
        let before = Self.standings(event, index)
        let removed = index.remove(Fixture.solve(Fixture.wordle, Self.monday, 2).key, of: Fixture.id("bob"))
        let taken = try #require(removed)
        #expect(Self.lines(Self.standings(event, index)) == ["1 ann 4"])
        index.replace(taken, of: Fixture.id("bob"))
        #expect(Self.standings(event, index) == before)
    }

    @Test func `a late paste of an old day takes nobody's new game away`() throws {
        let event = try Self.event(.newGames)
        let old = Self.monday.adding(days: -20)
        func lines(recorded: Int64) -> [String] {
            Self.lines(
                Self.standings(
                    event,
                    Fixture.index([
                        ("ann", Fixture.solve(Fixture.wordle, Self.monday, 3)),
                        ("bob", Self.solve(Fixture.wordle, old, 3, recorded: recorded)),
                    ])))
        }
        #expect(lines(recorded: event.start - 1).isEmpty)
        #expect(lines(recorded: event.start) == ["1 ann 4"])
    }

    // MARK: People

    @Test func `who came after the week or is hidden takes no part, and the hidden one sees a row`() throws {
        let index = Fixture.index([
            ("ann", Fixture.solve(Fixture.wordle, Self.monday, 3)),
            ("bob", Fixture.solve(Fixture.wordle, Self.monday, 2)),
            ("cat", Fixture.solve(Fixture.wordle, Self.monday, 1)),
        ])
        func players(since: Int) -> [Player] {
            [
                Fixture.player("ann"), Fixture.player("bob", isHidden: true),
                Player(id: Fixture.id("cat"), name: "cat", memberSince: Self.monday.adding(days: since)),
            ]
        }
        let event = try Self.event()
        #expect(Self.lines(Self.standings(event, index, players: players(since: 7))) == ["1 ann 4"])
        #expect(Self.lines(Self.standings(event, index, players: players(since: 6))) == ["1 cat 6", "2 ann 4"])
        let mine = Self.standings(event, index, players: players(since: 7), viewer: "bob").myRow
        #expect(mine?.isPrivate == true && mine?.rank == nil && mine?.value == 5)
        #expect(Self.standings(event, index, players: players(since: 7)).myRow?.isPrivate == false)
        // Whom a hidden member's games are new to is no secret, either.
        let new = try Self.event(.newGames)
        var hidden = index
        hidden.replace(Fixture.solve(Fixture.wordle, Self.monday.adding(days: -3), 3), of: Fixture.id("bob"))
        #expect(Self.lines(Self.standings(new, hidden, players: players(since: 7))) == ["1 ann 4"])
    }

    @Test(arguments: EventPlan.Rule.allCases)
    func `nothing of what is covered shows`(rule: EventPlan.Rule) throws {
        let today = Self.monday.adding(days: 2)
        let event = try Self.event(rule, rule == .double ? Fixture.wordle : nil)
        func seen(_ score: DailyScore) -> EventStandings {
            Self.standings(
                event,
                Fixture.index([("bob", score), ("bob", Fixture.solve(Fixture.wordle, Self.monday, 2))]), today: today)
        }
        let good = seen(Self.solve(Fixture.wordle, today, 1, isHardMode: true))
        #expect(good == seen(Fixture.loss(Fixture.wordle, today)) && good.coveredCount == 1)
    }

    @Test func `the first gets most, equals get the same`() throws {
        let names = ["ann", "bob", "cat", "dan", "eve"]
        let index = Fixture.index(
            zip(names, [2, 2, 3, 4, 5]).map { ($0, Fixture.solve(Fixture.wordle, Self.monday, $1)) }
                + [("fay", Fixture.loss(Fixture.wordle, Self.monday))])
        let standings = Self.standings(
            try Self.event(), index, players: (names + ["fay", "gil"]).map { Fixture.player($0) })
        let coins = (names + ["fay", "gil"]).map { standings.rewards[Fixture.id($0)] }
        #expect(coins == [1_000, 1_000, 500, 250, 250, 250, nil])
        #expect(standings.leaders.map(\.name) == ["ann", "bob"] && standings.rankedCount == 5)
    }

    // MARK: Laws

    @Test(arguments: 1...8)
    func `standings follow from the standing results, whatever came before and in any order`(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let (index, left) = IncrementalLaws.history(&generator, changes: 900)
        var fresh = ScoreIndex()
        for game in IncrementalLaws.games { fresh.define(game) }
        let rest = left.sorted { $0.key < $1.key }.flatMap { player, scores in
            scores.sorted { $0.key < $1.key }.map { (player, $0.value) }
        }
        for (player, score) in rest.shuffled(using: &generator) { fresh.replace(score, of: player) }
        for week in 0...3 {
            for rule in EventPlan.Rule.allCases {
                let day = IncrementalLaws.today.adding(days: -7 * week)
                let event = WeeklyEvent(
                    weekOf: day, plan: try Self.plan(rule, rule == .double ? Fixture.wordle : nil))
                let players = IncrementalLaws.players
                let known = Self.standings(event, index, players: players)
                #expect(known == Self.standings(event, fresh, players: players.reversed()), "seed \(seed)")
                let counts = known.rows.map { Self.count($0.player, event, rest) }
                #expect(known.rows.map(\.results) == counts, "seed \(seed)")
            }
        }
    }

    /// How many results count, from the list of results.
    private static func count(_ player: PlayerID, _ event: WeeklyEvent, _ all: [(PlayerID, DailyScore)]) -> Int {
        let known = Set(all.filter { $0.1.day < event.monday && $0.1.firstRecordedAt < event.start }.map { $0.1.game })
        return all.count { owner, score in
            owner == player && score.day >= event.monday && score.day <= event.span.to
                && score.firstRecordedAt < event.end
                && (event.plan.rule != .hardMode || score.isHardMode)
                && (event.plan.rule != .newGames || !known.contains(score.game))
        }
    }
}
