import StreakGames
import StreakScores
import Testing

@testable import StreakNode

/// Reminders of streaks at risk, by a clock that the tests set.
@Suite(.timeLimit(.minutes(10))) struct ReminderTests {
    /// A day, and the instant of a time on it in this machine's zone.
    private static let today = SystemClock().today

    private static func instant(_ time: String, on day: PuzzleDay = today) throws -> Int64 {
        let minute = try #require(TimeOfDay.minute(time))
        return try #require(SystemClock().calendar.instant(of: minute, on: day))
    }

    private static func reminders(
        _ node: MeshNode, _ change: ReminderChange? = nil
    ) async throws -> RemindersReport {
        try await node.call(change.map(ReminderRequest.change) ?? .show())
    }

    /// A running node without a network, whose clock stands at noon.
    private static func withNode(_ body: @Sendable (MeshNode, SettableClock) async throws -> Void) async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        let clock = SettableClock(try instant("12:00"))
        var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        configuration.wall = { clock.milliseconds }
        let node = try await MeshNode(opening: party.dataFolder("Ada"), configuration: configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            _ = try await node.ready()
            do {
                try await body(node, clock)
                await node.close()
            } catch {
                await node.close()
                throw error
            }
        }
    }

    private static func play(_ days: ClosedRange<Int>, on node: MeshNode) async throws {
        for ago in days {
            let request = ScoreRequest.record(
                game: "wordle", score: 3, isCompleted: true, seconds: nil,
                date: today.adding(days: -ago).description, groups: nil)
            _ = try await node.call(request)
        }
    }

    /// What the node reports when its loop turns.
    private static func told(by node: MeshNode) async -> [String] {
        let events = node.events()
        await node.turn()
        await node.close()
        var told: [String] = []
        for await event in events { if case .notice(let text) = event { told.append(text) } }
        return told
    }

    @Test func `a command is bounded, and has no end in its middle`() async throws {
        try await Self.withNode { node, _ in
            for command in [String(repeating: "x", count: 1_001), "true\0false"] {
                await #expect(throws: NodeFailure.limitReached(what: "bytes of a command", limit: 1_000)) {
                    _ = try await Self.reminders(node, ReminderChange(command: command))
                }
            }
            let longest = String(repeating: "x", count: 1_000)
            let report = try await Self.reminders(node, ReminderChange(command: longest))
            #expect(report.command == longest)
        }
    }

    @Test func `a reminder comes at the user's time, once`() async throws {
        try await Self.withNode { node, clock in
            try await Self.play(1...3, on: node)
            let report = try await Self.reminders(node, ReminderChange(on: true, time: "18:30", desktop: false))
            #expect(report.on && !report.smart && report.time == "18:30")
            #expect(report.next == Timestamp(seconds: try Self.instant("18:30")).text)
            #expect(report.text == "Keep your 3-day streak alive today: Wordle.")
            clock.set(try Self.instant("18:29"))
            await node.turn()
            #expect(try await Self.reminders(node).lastReminded == nil)
            let events = node.events()
            clock.set(try Self.instant("18:31"))
            await node.turn()
            #expect(try await Self.reminders(node).lastReminded == Self.today.description)
            clock.set(try Self.instant("18:40"))
            await node.turn()
            // A clock that is set back does not bring it again.
            clock.set(try Self.instant("18:20"))
            await node.turn()
            clock.set(try Self.instant("18:35"))
            await node.turn()
            await node.close()
            var told: [String] = []
            for await event in events { if case .notice(let text) = event { told.append(text) } }
            #expect(told == ["Keep your 3-day streak alive today: Wordle."])
        }
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            (ReminderChange(on: false), 1...3), (ReminderChange(on: true), 0...3),
            (ReminderChange(on: true, exclude: ["wordle"]), 1...3), (ReminderChange(on: true), 5...8),
        ] as [(ReminderChange, ClosedRange<Int>)])
    func `nothing is told where it is off, nothing is at risk, or the game is left out`(
        change: ReminderChange, days: ClosedRange<Int>
    ) async throws {
        try await Self.withNode { node, clock in
            try await Self.play(days, on: node)
            var change = change
            change.time = "18:30"
            change.desktop = false
            _ = try await Self.reminders(node, change)
            clock.set(try Self.instant("18:31"))
            #expect(await Self.told(by: node).isEmpty)
        }
    }

    @Test func `what was due while no node ran is not told later`() async throws {
        try await Self.withNode { node, clock in
            try await Self.play(1...3, on: node)
            clock.set(try Self.instant("19:00"))
            _ = try await Self.reminders(node, ReminderChange(on: true, time: "18:30", desktop: false))
            #expect(await Self.told(by: node).isEmpty)
        }
    }

    @Test(
        arguments: [
            ("18:30", "22:00-08:00", "18:30"), ("23:15", "22:00-08:00", "21:59"), ("06:15", "22:00-08:00", "08:00"),
            ("13:20", "13:00-15:00", "15:00"), ("15:00", "13:00-15:00", "15:00"), ("07:59", "", "07:59"),
        ])
    func `a time within the quiet hours moves out of them`(time: String, quiet: String, moved: String) async throws {
        try await NodeParty.alone { node, _ in
            let report = try await Self.reminders(node, ReminderChange(on: true, time: time, quiet: quiet))
            #expect(report.time == moved)
            #expect(report.fixedTime == time)
            #expect(report.quiet == (quiet.isEmpty ? nil : quiet))
        }
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [(4, nil, "19:00"), (5, "12:00-14:00", "11:30")] as [(Int, String?, String)])
    func `switched off or on, the time told is the one that is kept`(
        results: Int, window: String?, time: String
    ) async throws {
        try await Self.withNode { node, clock in
            clock.set(try Self.instant("13:10"))
            for game in ["wordle", "strands", "connections", "waffle", "worldle"].prefix(results) {
                let request = ScoreRequest.record(
                    game: game, score: 4, isCompleted: true, seconds: nil, date: nil, groups: nil)
                _ = try await node.call(request)
            }
            for isOn in [false, true, false] {
                let report = try await Self.reminders(node, ReminderChange(on: isOn, smart: true, desktop: false))
                #expect(report.on == isOn && report.smart)
                #expect(report.time == time)
                #expect(report.window == window)
                #expect((report.next != nil) == isOn)
            }
        }
    }

    @Test(arguments: ["24:00", "7", "7:5", "12:60", "-1:00", "ab:cd", "１２:００", ""])
    func `a time that is none is refused`(text: String) async throws {
        #expect(TimeOfDay.minute(text) == nil)
        _ = try await NodeParty.alone { node, _ in
            await #expect(throws: NodeFailure.self) {
                _ = try await Self.reminders(node, ReminderChange(time: text))
            }
        }
    }

    @Test(
        arguments: [
            "", "on fixed 07:05 quiet=22:00-08:00", "off smart 19:00", "on later 25:99 quiet=1-2 quiet=08:00-08:00",
            String(repeating: "on ", count: 400),
        ])
    func `choices survive being written and read`(text: String) {
        let choices = ReminderChoices(text: text)
        #expect(ReminderChoices(text: choices.text) == choices)
    }

    @Test(
        arguments: [
            "", "window=18:12/30 computed=2026-11-21 fired=2026-11-20", "window=23:1/2", "window=4:9/2",
            "window=4:1/0 fired=x", "window=99999999999999999999:1/2",
        ])
    func `what was computed survives being written and read, and nonsense is left out`(text: String) {
        let state = ReminderState(text: text)
        #expect(ReminderState(text: state.text) == state)
        #expect((state.window == nil) == !text.contains("18:12"))
    }
}

extension MeshNode {
    /// Makes the loop turn, as when its alarm rings.
    func turn() { loop.process() }
}
