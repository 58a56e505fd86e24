import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

extension MeshNode {
    fileprivate func notifications(_ change: NotificationChange? = nil) async throws -> NotificationsReport {
        try await call(change.map(NotificationRequest.change) ?? .show)
    }

    /// Records today's Wordle.
    fileprivate func play(_ score: Int) async throws {
        let today = try await board().today
        _ = try await call(
            ScoreRequest.record(
                game: "wordle", score: score, isCompleted: true, seconds: nil, date: today, groups: nil))
    }
}

/// What a node tells its user at once, outside of the page.
@Suite(.timeLimit(.minutes(5))) struct NotificationTests {
    /// At any hour, by a command that does nothing, and nothing of the week: that depends on the day of the test.
    private static let always = NotificationChange(
        off: ["started", "ending", "climbed"], quiet: "", desktop: false, command: "true")

    /// The next notice.
    private static func next(_ events: AsyncStream<NodeEvent>) async -> String? {
        for await case .notice(let text) in events { return text }
        return nil
    }

    private static func friends(
        _ names: [String] = ["Ada", "Bob"], lead: (@Sendable () -> Duration)? = nil,
        _ body: @Sendable ([MeshNode]) async throws -> Void
    ) async throws {
        try await NodeParty().running(names, lead: lead) { nodes in
            _ = try await nodes[0].group(.create(title: "Red"))
            let link = try await nodes[0].invite().link
            for node in nodes.dropFirst() { try await node.join(link) }
            try await nodes[0].play(3)
            for node in nodes {
                _ = try await node.notifications(Self.always)
                try await node.until { node in
                    let group: GroupID = try await node.group("Red")
                    guard await node.engine.state(of: group)?.members.count == names.count else { return false }
                    return try await node.board().rows.contains { $0.covered || $0.played > 0 }
                }
            }
            try await body(nodes)
        }
    }

    @Test func `a challenge and its outcome are told once each, and a beaten result besides`() async throws {
        try await Self.friends { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            let (adaEvents, bobEvents) = (ada.events(), bob.events())
            _ = try await ada.call(ChallengeRequest.make(ResultReference(game: "wordle"), to: "Bob"))
            #expect(await Self.next(bobEvents) == "Ada challenged you to beat 3 guesses in Wordle.")
            try await bob.play(2)
            #expect(await Self.next(adaEvents) == "Bob won against you in Wordle: 2 guesses against 3 guesses.")
            // It is told as an outcome, and the feed has that it was beaten, too.
            let feed = try await ada.call(FeedRequest.show(group: nil)).entries
            #expect(feed.contains { $0.kind == "beaten" && $0.text == "beat your 3 guesses in Wordle with 2 guesses" })
            let report = try await ada.notifications()
            #expect(report.shownToday == 1 && report.most == 3)
            let text = "Bob beat your 3 guesses in Wordle with 2 guesses."
            #expect(report.notices.contains { $0.kind == "beaten" && $0.text == text && !$0.seen })
        }
    }

    @Test func `a beaten result is told, unless its player is muted`() async throws {
        try await Self.friends(["Ada", "Bob", "Cleo"]) { nodes in
            let (ada, bob, cleo) = (nodes[0], nodes[1], nodes[2])
            _ = try await ada.call(MuteRequest.mute(user: "Cleo", group: nil))
            let events = ada.events()
            try await cleo.play(1)
            try await ada.until { try await $0.board().rows.count { $0.played > 0 } == 2 }
            try await bob.play(2)
            #expect(await Self.next(events) == "Bob beat your 3 guesses in Wordle with 2 guesses.")
            #expect(try await ada.notifications().shownToday == 1)
        }
    }

    @Test func `the bell counts what is new and leaves out what is covered, and a look empties it`() async throws {
        try await Self.friends { nodes in
            let bob = nodes[1]
            // Ada's result is covered for Bob, who has not played.
            let covered = try await bob.call(FeedRequest.show(group: nil))
            let hidden = covered.entries.count { $0.covered && $0.fresh }
            #expect(hidden == 1)
            let report = try await bob.notifications()
            #expect(report.fresh == covered.fresh - 1 && !report.notices.contains { $0.kind == "result" })
            let count = try await bob.call(NotificationRequest.count)
            #expect(!report.notices.isEmpty && count.notices.isEmpty && count.fresh == report.fresh)
            try await bob.play(4)
            let seen = try await bob.call(FeedRequest.show(group: nil))
            #expect(!seen.entries.contains(where: \.covered) && seen.fresh >= covered.fresh)
            #expect(try await bob.notifications().fresh == seen.fresh)
            _ = try await bob.call(FeedRequest.look(group: nil))
            let read = try await bob.notifications()
            #expect(read.fresh == 0 && read.notices.allSatisfy(\.seen))
        }
    }

    @Test func `a machine that can show nothing outside the page leaves the three of the day to others`() async throws {
        let lead = SettableClock(0)
        try await Self.friends(lead: { .milliseconds(lead.milliseconds) }) { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await bob.notifications(NotificationChange(command: ""))
            _ = try await ada.call(ChallengeRequest.make(ResultReference(game: "wordle"), to: "Bob"))
            try await bob.until { try await $0.notifications().notices.contains { $0.kind == "challenge" } }
            lead.set(3)
            await bob.process()
            try #require(try await bob.notifications().shownToday == 0)
            let events = bob.events()
            _ = try await bob.notifications(NotificationChange(command: "true"))
            #expect(await Self.next(events) == "Ada challenged you to beat 3 guesses in Wordle.")
            #expect(try await bob.notifications().shownToday == 1)
        }
    }

    @Test func `the feed says when six hours of an event are left, and who climbed on the board of the week`()
        async throws
    {
        let monday = PuzzleDay(daysSinceEpoch: 20_780)
        @Sendable func time(_ hour: Int, _ minute: Int, _ day: PuzzleDay) -> Int64 {
            Int64(day.daysSinceEpoch) * 86_400 + Int64(hour * 3_600 + minute * 60)
        }
        let clock = SettableClock(time(12, 0, monday.adding(days: -5)))
        let wall: @Sendable () -> Int64 = { clock.milliseconds }
        try await NodeParty().running(["Ada", "Bob"], walls: ["Ada": wall, "Bob": wall]) { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            @Sendable func texts(_ node: MeshNode, _ kind: String) async throws -> [String] {
                try await node.call(FeedRequest.show(group: nil)).entries.filter { $0.kind == kind }
                    .map { "\($0.name) \($0.text)" }
            }
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            for (day, scores) in [(monday.adding(days: -5), [3, 5]), (monday, [4, 2])] {
                clock.set(time(12, 0, day))
                for (node, score) in zip(nodes, scores) { try await node.play(score) }
                for node in nodes {
                    try await node.until { node in
                        try await node.call(BoardRequest(range: "today")).rows.count { $0.played > 0 } == 2
                    }
                }
                for kind in ["climbed", "eventEnding"] { #expect(try await texts(bob, kind).isEmpty) }
            }
            let end = monday.adding(days: 7)
            for (hour, minute, count) in [(5, 59, 0), (6, 0, 1), (11, 59, 1), (12, 0, 0)] {
                clock.set(time(hour, minute, end))
                let name = try await ada.call(EventRequest.show(date: monday.description, group: nil)).plan.name
                let text = "Red has only 6 hours left of \(name)"
                #expect(try await texts(bob, "eventEnding") == Array(repeating: text, count: count))
            }
            #expect(try await texts(bob, "climbed") == ["Red saw you climb 1 place, to #1 of week 48"])
            #expect(try await texts(ada, "climbed").isEmpty)
        }
    }

    @Test func `choices are kept, and a wrong one is refused`() async throws {
        try await NodeParty.alone { node, _ in
            let first = try await node.notifications()
            #expect(
                first.kinds.map(\.kind) == ["challenge", "message", "answer", "beaten", "ending", "climbed", "started"])
            #expect(first.kinds.allSatisfy(\.on) && first.quiet == "22:00-08:00" && first.shownToday == 0)
            let changed = try await node.notifications(
                NotificationChange(off: ["climbed"], quiet: "", desktop: false, command: "say"))
            #expect(changed.kinds.filter { !$0.on }.map(\.kind) == ["climbed"])
            #expect(changed.quiet == nil && !changed.desktop && changed.command == "say")
            let reminders = try await node.call(ReminderRequest.show())
            #expect(!reminders.desktop && reminders.command == "say" && reminders.quiet == nil)
            await #expect(throws: NodeFailure.self) {
                _ = try await node.notifications(NotificationChange(on: ["luck"]))
            }
        }
    }
}
