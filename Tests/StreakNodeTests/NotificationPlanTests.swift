import StreakGames
import StreakMembership
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakNode

/// What is shown at once: a function of the feed, of what was looked at and told, of the choices and of the clock.
@Suite struct NotificationPlanTests {
    private static let (ada, ben) = (
        UserID(bytes: Bytes32(0, 0, 0, 1)), UserID(bytes: Bytes32(0, 0, 0, 2))
    )
    private static let day = PuzzleDay(daysSinceEpoch: 20_778)

    /// Unix seconds of a time of day, so many days later.
    private static func time(_ hour: Int, _ minute: Int = 0, day later: Int = 0) -> Int64 {
        Int64(day.daysSinceEpoch + later) * 86_400 + Int64(hour * 3_600 + minute * 60)
    }

    private static func entry(
        _ kind: NotificationKind?, _ number: Int, at time: Int64, by user: UserID? = ben
    ) -> ActivityEntry {
        var entry = ActivityEntry(.outcome, user, person: [], at: time, about: Array("\(number)".utf8))
        entry.notification = kind
        entry.words = "\(number)"
        return entry
    }

    private static func plan(
        at now: Int64, logs: [NotificationLog] = [], choices: String = "", look: ActivityLook = ActivityLook()
    ) -> NotificationPlan {
        NotificationPlan(
            me: ada, look: look, logs: logs, choices: NotificationChoices(text: choices), now: now,
            calendar: LocalCalendar(fixedOffset: 0))
    }

    /// The numbers of what is shown: one alone, several as a summary.
    private static func numbers(_ shown: [[ActivityEntry]]) -> [[String]] { shown.map { $0.map(\.words) } }

    private static func log(_ count: Int, on day: PuzzleDay = day) -> NotificationLog {
        NotificationLog().adding((0..<count).map { [entry(.answer, 1_000 + $0, at: 0)] }, on: day, at: 0)
    }

    // MARK: One at a time

    @Test(
        arguments: [
            // What comes together is told in the order of the kinds, three at most and the rest as one.
            (
                [.started, .climbed, .ending, .beaten, .answer, .message, .challenge], 0,
                [["6"], ["5"], ["4", "3", "2", "1", "0"]]
            ),
            ([.started, .challenge, .beaten], 0, [["1"], ["2"], ["0"]]), ([.beaten], 0, [["0"]]), ([], 0, []),
            ([.started, .challenge, .beaten], 1, [["1"], ["2", "0"]]), ([.started, .challenge], 1, [["1"], ["0"]]),
            ([.started, .challenge, .beaten], 2, [["1", "2", "0"]]), ([.challenge], 2, [["0"]]),
            ([.challenge, .challenge], 3, []),
        ] as [([NotificationKind], Int, [[String]])])
    func `three a day are told, the most important by themselves`(
        kinds: [NotificationKind], told: Int, shown: [[String]]
    ) {
        let entries = kinds.enumerated().map { Self.entry($1, $0, at: Self.time(12)) }
        let plan = Self.plan(at: Self.time(13), logs: told > 0 ? [Self.log(told)] : [])
        #expect(Self.numbers(plan.shown(of: entries)) == shown)
    }

    @Test(
        arguments: [
            // Between 22:00 and 08:00 nothing is shown.
            ("", 21, 59, [["0"], ["1"]]), ("", 22, 0, []), ("", 23, 0, []), ("quiet=none", 23, 0, [["0"], ["1"]]),
            ("quiet=12:00-22:00", 21, 59, []), ("quiet=12:00-22:00", 22, 0, [["0", "1"]]),
        ] as [(String, Int, Int, [[String]])])
    func `quiet hours hold back, and what they held back is one summary`(
        choices: String, hour: Int, minute: Int, shown: [[String]]
    ) {
        let entries = [Self.entry(.challenge, 0, at: Self.time(21)), Self.entry(.beaten, 1, at: Self.time(20))]
        #expect(Self.numbers(Self.plan(at: Self.time(hour, minute), choices: choices).shown(of: entries)) == shown)
    }

    @Test func `the night and what was too much become one summary in the morning, what is new stands alone`() {
        let entries = [
            Self.entry(.beaten, 0, at: Self.time(17)), Self.entry(.answer, 1, at: Self.time(23)),
            Self.entry(.started, 2, at: Self.time(7, 59, day: 1)), Self.entry(.climbed, 3, at: Self.time(8, 5, day: 1)),
        ]
        let logs = [Self.log(3)]
        #expect(Self.plan(at: Self.time(18), logs: logs).shown(of: entries).isEmpty)
        #expect(Self.plan(at: Self.time(7, day: 1), logs: logs).shown(of: entries).isEmpty)
        let morning = Self.plan(at: Self.time(8, 10, day: 1), logs: logs).shown(of: entries)
        #expect(Self.numbers(morning) == [["3"], ["1", "0", "2"]])
        #expect(
            NotificationPlan.summary(of: morning[1])
                == "News: 1 answer to a challenge, 1 result of yours beaten, 1 event that began.")
        // Without quiet hours the day begins at midnight.
        let night = Self.plan(at: Self.time(0, 1, day: 1), logs: logs, choices: "quiet=none")
            .shown(of: Array(entries.prefix(2)))
        #expect(Self.numbers(night) == [["1", "0"]])
    }

    @Test func `what is covered, looked at, told, one's own, switched off, of no kind or old is not told`() {
        let now = Self.time(13)
        let entry = Self.entry(.beaten, 0, at: Self.time(12))
        func isShown(
            _ entry: ActivityEntry, logs: [NotificationLog] = [], choices: String = "", look: ActivityLook = .init()
        ) -> Bool { !Self.plan(at: now, logs: logs, choices: choices, look: look).shown(of: [entry]).isEmpty }
        #expect(isShown(entry))
        var covered = entry
        covered.isCovered = true
        #expect(!isShown(covered))
        #expect(!isShown(entry, look: ActivityLook().looking(at: [entry.id], of: [entry])))
        #expect(!isShown(entry, logs: [NotificationLog().adding([[entry]], on: Self.day.adding(days: -1), at: 0)]))
        #expect(!isShown(Self.entry(.beaten, 0, at: Self.time(12), by: Self.ada)))
        #expect(isShown(Self.entry(.started, 0, at: Self.time(12), by: nil)))
        #expect(!isShown(entry, choices: "off=beaten") && isShown(entry, choices: "off=answer"))
        #expect(!isShown(Self.entry(nil, 0, at: Self.time(12))))
        #expect(isShown(Self.entry(.beaten, 0, at: now - 3 * 86_400 + 1)))
        #expect(!isShown(Self.entry(.beaten, 0, at: now - 3 * 86_400)))
    }

    @Test func `a flood of challenges is told once, though no log can name them all`() {
        let flood = (0..<500).map { Self.entry(.challenge, $0, at: Self.time(12) - Int64($0)) }
        let plan = Self.plan(at: Self.time(13))
        let shown = plan.shown(of: flood)
        #expect(shown.map(\.count) == [1, 1, 498])
        let log = NotificationLog().adding(shown, on: Self.day, at: plan.now)
        let friend = Self.entry(.answer, 1_000, at: Self.time(14, day: 1))
        for other in [log, NotificationLog(value: log.value) ?? NotificationLog()] {
            let next = Self.plan(at: Self.time(15, day: 1), logs: [NotificationLog(), other])
            #expect(Self.numbers(next.shown(of: flood + [friend])) == [["1000"]])
        }
        // A log that a clock wrote that was days ahead silences nothing.
        let ahead = NotificationLog().adding([flood], on: Self.day, at: Self.time(0, day: 9))
        #expect(Self.numbers(Self.plan(at: Self.time(15), logs: [ahead]).shown(of: [friend, flood[0]])).count == 2)
    }

    @Test func `what is covered changes neither a summary nor what is left for others`() {
        var entries = (0..<6).map { Self.entry(.beaten, $0, at: Self.time(12, $0)) }
        let plan = Self.plan(at: Self.time(13))
        entries[5].isCovered = true
        entries[0].isCovered = true
        let seen = entries.filter { !$0.isCovered }
        #expect(plan.shown(of: entries) == plan.shown(of: seen))
        #expect(Self.numbers(plan.shown(of: entries)) == [["4"], ["3"], ["2", "1"]])
        #expect(NotificationPlan.summary(of: plan.shown(of: entries)[2]) == "News: 2 results of yours beaten.")
    }

    @Test func `a summary counts messages, not how often a friend sat down to write them`() {
        var entries = [Self.entry(.message, 0, at: 1), Self.entry(.message, 1, at: 2), Self.entry(.answer, 2, at: 3)]
        entries[0].count = 4
        #expect(NotificationPlan.summary(of: entries) == "News: 5 messages, 1 answer to a challenge.")
        #expect(NotificationPlan.summary(of: Array(entries.dropFirst())) == "News: 1 message, 1 answer to a challenge.")
    }

    // MARK: What is kept

    @Test func `a log survives being written and read, keeps what it can hold, and counts its own day and the next`() {
        let log = Self.log(2)
        #expect(NotificationLog(value: log.value) == log)
        #expect(log.count(on: Self.day) == 2 && log.count(on: Self.day.adding(days: -1)) == 2)
        #expect(log.count(on: Self.day.adding(days: 1)) == 0 && log.count(on: Self.day.adding(days: -2)) == 0)
        let most = NotificationLog.maximumCount - log.ids.count
        let many = log.adding([(0..<most).map { Self.entry(.beaten, $0, at: 0) }], on: Self.day, at: 9)
        #expect(many.ids.count == NotificationLog.maximumCount && many.count(on: Self.day) == 3 && many.moment == 0)
        #expect(many.ids.last == Self.entry(.beaten, most - 1, at: 0).id)
        #expect(NotificationLog(value: many.value) == many && many.value.count <= Record.maximumValueSize)
        for value in [[], [1, 2, 3], [UInt8](repeating: 0, count: 8 * 131)] as [[UInt8]] {
            #expect(NotificationLog(value: value) == nil)
        }
        let full = many.adding([[Self.entry(.beaten, most, at: 12)]], on: Self.day.adding(days: 3), at: 9)
        #expect(full.ids.isEmpty && full.moment == 12 && NotificationLog(value: full.value) == full)
        let hostile = NotificationLog(value: [UInt8](repeating: 255, count: 24))
        #expect(hostile?.count(on: .latest) ?? 9 <= 3)
    }

    @Test(
        arguments: [
            ("", "quiet=22:00-08:00"), ("quiet=none off=beaten off=answer", "quiet=none off=answer off=beaten"),
            ("off=luck quiet=1-2 on later=3", "quiet=22:00-08:00"), ("quiet=13:00-15:30", "quiet=13:00-15:30"),
            (String(repeating: "off=beaten ", count: 400), "quiet=22:00-08:00 off=beaten"),
        ])
    func `choices survive being written and read, and words of a later version are ignored`(text: String, kept: String)
    {
        let choices = NotificationChoices(text: text)
        #expect(choices.text == kept && NotificationChoices(text: kept) == choices)
    }

    @Test func `choices are changed kind by kind`() throws {
        var choices = NotificationChoices(text: "")
        choices = try choices.changed(by: NotificationChange(off: ["started", "beaten"], quiet: "13:00-14:00"))
        #expect(choices.text == "quiet=13:00-14:00 off=beaten off=started")
        choices = try choices.changed(by: NotificationChange(on: ["beaten"], quiet: ""))
        #expect(choices.text == "quiet=none off=started")
        #expect(throws: NodeFailure.self) { try choices.changed(by: NotificationChange(off: ["luck"])) }
        #expect(throws: NodeFailure.self) { try choices.changed(by: NotificationChange(quiet: "25:00-08:00")) }
    }

    // MARK: Properties

    private static func someEntries(_ count: Int, _ chance: inout SplitMix64) -> [ActivityEntry] {
        (0..<count).map { number in
            var entry = Self.entry(
                NotificationKind.allCases.randomElement(using: &chance), number,
                at: time(.random(in: 0...23, using: &chance), .random(in: 0...59, using: &chance)))
            entry.isCovered = Int.random(in: 0...4, using: &chance) == 0
            return entry
        }
    }

    @Test(arguments: 0..<50 as Range<UInt64>) func `the order of arrival does not matter`(seed: UInt64) {
        var chance = SplitMix64(seed: seed)
        let entries = Self.someEntries(.random(in: 0...12, using: &chance), &chance)
        let logs = [Self.log(.random(in: 0...1, using: &chance)), Self.log(.random(in: 0...1, using: &chance))]
        let now = Self.time(.random(in: 0...23, using: &chance))
        let shown = Self.plan(at: now, logs: logs).shown(of: entries)
        #expect(Self.plan(at: now, logs: logs.reversed()).shown(of: entries.shuffled(using: &chance)) == shown)
    }

    /// Two machines of one user. Each knows of the other's log what had reached it when they were last linked.
    private struct Machines {
        var entries: [[ActivityEntry]] = [[], []]
        var logs: [NotificationLog] = [NotificationLog(), NotificationLog()]
        var known: [[NotificationLog]] = [
            [NotificationLog(), NotificationLog()], [NotificationLog(), NotificationLog()],
        ]

        mutating func link() {
            known = [logs, logs]
            let all = entries[0] + entries[1].filter { !entries[0].contains($0) }
            entries = [all, all]
        }

        mutating func look(_ machine: Int, at now: Int64) -> [[ActivityEntry]] {
            let plan = NotificationPlanTests.plan(at: now, logs: known[machine])
            let shown = plan.shown(of: entries[machine])
            guard !shown.isEmpty else { return [] }
            logs[machine] = logs[machine].adding(shown, on: plan.today, at: now)
            known[machine][machine] = logs[machine]
            return shown
        }
    }

    @Test(arguments: 0..<100 as Range<UInt64>)
    func `two linked machines show three a day together, each thing once, and nothing more after having been apart`(
        seed: UInt64
    ) {
        var chance = SplitMix64(seed: seed)
        var machines = Machines()
        var isLinked = Bool.random(using: &chance)
        var (counts, told, total): ([Int: Int], Set<UInt64>, Int) = ([:], [], 0)
        for step in 0..<72 {
            let (day, now) = (step / 24, Self.time(step % 24, day: step / 24))
            let number = 100 * step
            for offset in 0..<Int.random(in: 0...2, using: &chance) {
                let kind = NotificationKind.allCases.randomElement(using: &chance)
                let entry = Self.entry(kind, number + offset, at: now)
                machines.entries[Int.random(in: 0...1, using: &chance)].append(entry)
            }
            // Apart only on the first day.
            if day > 0 || Int.random(in: 0...3, using: &chance) == 0 { isLinked = true }
            for machine in [0, 1].shuffled(using: &chance) {
                if isLinked { machines.link() }
                let before = machines.known[machine].reduce(0) { $0 + $1.count(on: Self.day.adding(days: day)) }
                let shown = machines.look(machine, at: now)
                if isLinked {
                    #expect(shown.isEmpty || before + shown.count <= 3)
                    for entry in shown.joined() { #expect(!told.contains(entry.id)) }
                }
                counts[day, default: 0] += shown.count
                told.formUnion(shown.joined().map(\.id))
                total += shown.count
            }
        }
        #expect((counts[1] ?? 0) <= 3 && (counts[2] ?? 0) <= 3 && (counts[0] ?? 0) <= 6)
        #expect(total > 0)
    }
}
