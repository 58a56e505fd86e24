import StreakEngine
import StreakGames
import StreakMembership
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

extension MeshNode {
    fileprivate func event(_ date: String? = nil) async throws -> EventReport {
        try await call(EventRequest.show(date: date, group: nil))
    }

    fileprivate func choose(_ rule: String, _ game: String? = nil) async throws -> EventReport {
        try await call(EventRequest.choose(rule: rule, game: game, group: nil))
    }

    fileprivate func untilEvent(_ date: String? = nil, _ holds: @Sendable (EventReport) -> Bool) async throws {
        try await until { node in holds(try await node.event(date)) }
    }

    fileprivate func play(_ score: Int, on day: PuzzleDay, replace: Bool = false) async throws {
        _ = try await call(
            ScoreRequest.record(
                game: "wordle", score: score, isCompleted: true, seconds: nil, date: day.description, groups: nil,
                replace: replace))
    }

    /// What is told outside the page of the events that began, the newest first.
    fileprivate func told() -> [NotificationKind?] {
        services.activity.items(of: core.memberGroups).map(\.entry).filter { $0.kind == .event }.map(\.notification)
    }

    fileprivate func entries() async throws -> [FeedEntryReport] {
        try await call(FeedRequest.show(group: nil)).entries
    }
}

/// Weekly events on running nodes.
@Suite(.timeLimit(.minutes(5))) struct EventTests {
    /// The week that is to come; the clock begins on the Wednesday before it.
    private static let monday = PuzzleDay(daysSinceEpoch: 20_780)

    private static func noon(_ day: PuzzleDay) -> Int64 { Int64(day.daysSinceEpoch) * 86_400 + 43_200 }

    private static func friends(
        _ body: @Sendable (_ ada: MeshNode, _ bob: MeshNode, SettableClock) async throws -> Void
    ) async throws {
        let clock = SettableClock(noon(monday.adding(days: -5)))
        let wall: @Sendable () -> Int64 = { clock.milliseconds }
        try await NodeParty().running(["Ada", "Bob"], walls: ["Ada": wall, "Bob": wall]) { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            try await nodes[0].until { try await $0.members().contains { $0.name == "Bob" } }
            try await body(nodes[0], nodes[1], clock)
        }
    }

    @Test func `who was there before is told of an event that begins`() async throws {
        try await Self.friends { ada, bob, clock in
            for node in [ada, bob] { #expect(await node.told() == [nil]) }
            clock.set(Self.noon(Self.monday))
            for node in [ada, bob] { #expect(await node.told() == [.started, nil]) }
        }
    }

    @Test func `the owner and admins choose the next event, for as long as they are that`() async throws {
        try await Self.friends { ada, bob, _ in
            let chance = try await ada.event()
            #expect(try await bob.event().plan == chance.plan)
            #expect(chance.mayChoose && chance.next.chosenBy == nil && chance.nextWeek == "2026-W48")
            #expect(try await bob.event().mayChoose == false)
            await #expect(throws: NodeFailure.notAllowed(action: "choose the weekly event")) {
                try await bob.choose("points")
            }
            await #expect(throws: NodeFailure.futureDate(Self.monday.description)) {
                try await ada.event(Self.monday.description)
            }
            await #expect(throws: NodeFailure.self) { try await ada.choose("double") }
            await #expect(throws: NodeFailure.self) { try await ada.choose("most-games", "wordle") }
            #expect(try await ada.choose("double", "wordle").next.chosenBy == "Ada")
            try await bob.untilEvent { $0.next.name == "Double Wordle" && $0.next.chosenBy == "Ada" }

            _ = try await ada.call(MemberRequest.promote(group: nil, user: "Bob"))
            try await bob.untilEvent { $0.mayChoose }
            _ = try await bob.choose("hard-mode", "wordle")
            try await ada.untilEvent { $0.next.rule == "hard-mode" && $0.next.chosenBy == "Bob" }
            _ = try await ada.call(MemberRequest.demote(group: nil, user: "Bob"))
            for node in [ada, bob] { try await node.untilEvent { $0.next.chosenBy == "Ada" } }

            _ = try await ada.call(EventRequest.withdraw(group: nil))
            for node in [ada, bob] { try await node.untilEvent { $0.next == chance.next } }
            // This week's was never touched.
            #expect(try await ada.event().plan == chance.plan)
        }
    }

    @Test func `what ended before the group began is none of its news`() async throws {
        try await Self.friends { ada, _, clock in
            try await ada.play(3, on: Self.monday.adding(days: -9))
            func champions() async throws -> [String] {
                try await ada.entries().filter { $0.kind == "champion" }.map(\.text)
            }
            #expect(try await champions() == [])
            // The week in which it began is.
            try await ada.play(3, on: Self.monday.adding(days: -5))
            clock.set(Self.noon(Self.monday.adding(days: 2)))
            #expect(try await champions().count == 1)
        }
    }

    @Test func `an event is played, won, told, rewarded, and corrected`() async throws {
        try await Self.friends { ada, bob, clock in
            _ = try await ada.choose("double", "wordle")
            try await bob.untilEvent { $0.next.chosenBy == "Ada" }
            clock.set(Self.noon(Self.monday))
            #expect(try await bob.event().plan.name == "Double Wordle")
            try await ada.play(3, on: Self.monday)
            // Bob has not played yet.
            try await bob.untilEvent { $0.coveredCount == 1 }
            #expect(try await bob.event().rows.map(\.rank) == [nil])
            try await bob.play(4, on: Self.monday)
            for node in [ada, bob] {
                try await node.untilEvent { $0.rows.map(\.value) == [8, 6] && $0.coveredCount == 0 }
            }
            let running = try await bob.event()
            #expect(running.mine?.rank == 2 && running.left == "7d 0h 0m" && !running.over)
            #expect(running.rows.allSatisfy { $0.coins == nil && !$0.badge })
            let coins = try await bob.call(AchievementsRequest.show(group: "Red")).coins

            clock.set(Self.noon(Self.monday.adding(days: 7)))
            let date = Self.monday.description
            for node in [ada, bob] {
                let over = try await node.event(date)
                #expect(over.over && over.left == nil && !over.corrected)
                #expect(over.rows.map(\.name) == ["Ada", "Bob"] && over.rows.map(\.badge) == [true, false])
                #expect(over.rows.map(\.coins) == [1_000, 500])
                let feed = try await node.entries()
                let won = feed.filter { $0.kind == "eventWon" }
                #expect(won.map(\.text) == ["won the weekly event: Double Wordle, 8 pts"] && won.map(\.name) == ["Ada"])
                let text = "plays for Double Wordle this week, chosen by Ada"
                #expect(feed.contains { $0.kind == "event" && $0.text == text })
                #expect(feed.contains { $0.kind == "champion" && $0.name == "Ada" && $0.text.contains("week 48") })
            }
            #expect(try await bob.call(AchievementsRequest.show(group: "Red")).coins >= coins + 500)
            #expect(try await ada.call(AchievementsRequest.show(group: nil)).badges == 1)
            #expect(try await ada.event().past.map(\.winners).map { $0.map(\.name) } == [["Ada"]])

            // A later edit counts and is marked, a deletion takes the badge along, and a late paste changes nothing.
            try await bob.play(2, on: Self.monday, replace: true)
            for node in [ada, bob] {
                try await node.untilEvent(date) { $0.corrected && $0.rows.map(\.value) == [10, 8] }
                #expect(try await node.event(date).rows.first?.name == "Bob")
            }
            _ = try await bob.call(ScoreRequest.delete(game: "wordle", date: date, puzzle: nil))
            for node in [ada, bob] { try await node.untilEvent(date) { $0.rows.map(\.name) == ["Ada"] } }
            try await bob.play(1, on: Self.monday.adding(days: 1))
            try await ada.until { try await $0.board().rows.contains { $0.name == "Bob" && $0.played == 1 } }
            #expect(try await ada.event(date).rows.map(\.name) == ["Ada"])
        }
    }

    @Test(arguments: 1...6) func `events that are over are kept no longer than they are true`(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let (first, second) = (UserID(bytes: Bytes32(0, 0, 0, 1)), UserID(bytes: Bytes32(0, 0, 0, 2)))
        let games = ["wordle", "connections", "quordle"].compactMap { GameID($0) }
        let plans = [EventPlan(.points), EventPlan(.newGames), EventPlan(.mostGames), EventPlan(.newGames)]
        let events = plans.enumerated().compactMap { number, plan in
            plan.map { WeeklyEvent(weekOf: Self.monday.adding(days: -7 * number), plan: $0) }
        }
        let query = BoardQuery(
            from: Self.monday, to: Self.monday, viewer: PlayerID([]), today: Self.monday.adding(days: 20),
            now: Self.noon(Self.monday.adding(days: 20)), guardsSpoilers: false)
        let players = [first, second].map { Player(id: PlayerID($0.bytes.array), name: "x") }
        var view = GroupView()
        for step in 0..<120 {
            let day = Self.monday.adding(days: .random(in: -34...6, using: &chance))
            let score = DailyScore(
                game: games.randomElement(using: &chance) ?? games[0], day: day,
                score: .random(in: 1...6, using: &chance),
                firstRecordedAt: Self.noon(day) + .random(in: 0...900_000, using: &chance))
            let time = HybridTime(milliseconds: Int64(step), counter: 0)
            let user = Bool.random(using: &chance) ? first : second
            let isDeleted = Int.random(in: 0...3, using: &chance) == 0
            view.apply(
                MergedRecord(
                    key: RecordKey(user: user, kind: RecordKind.dailyScore.rawValue, subject: score.recordSubject),
                    value: isDeleted ? [] : score.recordValue(at: time), time: time))
            let kept = view.closedEvents(events, query, players: players) { Catalogue.standard[$0] }
            let made = events.map { event in
                view.index.standings(of: event, query, players: players) { Catalogue.standard[$0] }
            }
            #expect(kept == made, "seed \(seed), step \(step)")
        }
    }
}
