import StreakGames
import Testing

@testable import StreakNode

/// Statistics, streaks, achievements, recaps and boards as the node answers them.
@Suite(.timeLimit(.minutes(10))) struct InsightTests {
    private static let today = SystemClock().today

    /// The share of a day's Wordle, `ago` days back from today.
    private static func wordle(_ ago: Int, _ guesses: String = "3") throws -> String {
        let game = try #require(Catalogue.standard.games(matching: "wordle").first)
        let number = try #require(game.puzzle(on: today.adding(days: -ago)))
        return "Wordle \(number) \(guesses)/6"
    }

    private static func statistics(_ node: MeshNode, member: String? = nil, range: String = "30d") async throws
        -> StatisticsReport
    {
        try await node.call(
            StatisticsRequest.show(game: nil, range: range, date: nil, group: nil, member: member, plots: true))
    }

    private static func streaks(_ node: MeshNode) async throws -> StreaksReport {
        try await node.call(StreaksRequest.show(date: nil, group: nil))
    }

    @Test func `streaks grow, are at risk until today is played, and shrink when a result is deleted`() async throws {
        try await NodeParty.alone { node, _ in
            for ago in 1...4 { try await node.add(try Self.wordle(ago)) }
            let before = try await Self.streaks(node)
            #expect(before.streaks.map(\.current) == [4])
            #expect(before.atRisk == ["wordle"])
            try await node.add(try Self.wordle(0))
            let after = try await Self.streaks(node)
            #expect(after.streaks.map(\.current) == [5] && after.atRisk.isEmpty)
            #expect(after.overall.current == 5)
            let gone = Self.today.adding(days: -2).description
            _ = try await node.call(
                ScoreRequest.delete(game: "wordle", date: gone, puzzle: nil))
            let last = try await Self.streaks(node)
            #expect(last.streaks.map(\.current) == [2] && last.streaks.map(\.longest) == [2])
        }
    }

    @Test func `statistics and achievements follow what is recorded`() async throws {
        try await NodeParty.alone { node, _ in
            for ago in 0..<5 { try await node.add(try Self.wordle(ago, ago == 0 ? "X" : "\(ago)")) }
            let report = try await Self.statistics(node)
            #expect(report.played == 5 && report.completed == 4 && report.completionRate == 80)
            #expect(report.personalBests.map(\.label) == ["1 guess"])
            #expect(report.plots.allSatisfy { $0.svg.hasPrefix("<svg") } && !report.plots.isEmpty)
            func achievements() async throws -> AchievementsReport {
                try await node.call(AchievementsRequest.show(group: nil))
            }
            let before = try await achievements()
            #expect(before.achievements.count == 10)
            #expect(before.fresh.contains { $0.achievement == "streak-master" && $0.tier.lowercased() == "bronze" })
            let tiers = before.achievements.flatMap(\.unlocks)
            #expect(before.fresh.count == tiers.count && tiers.count > 3)
            let worth = tiers.map { $0.tier.lowercased() == "bronze" ? 50 : 100 }.reduce(0, +)
            // Four solves of 6, 5, 4 and 3 points, and tiers of bronze and silver.
            #expect(before.coins == 4 * 10 + 18 + worth)
            let celebrated = try await node.call(AchievementsRequest.celebrate)
            #expect(celebrated.fresh.isEmpty)
            #expect(try await achievements().fresh.isEmpty)
        }
    }

    @Test func `a game's numbers are its own: the time on the clock, and since when`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            func statistics(_ game: String?, _ range: String) async throws -> StatisticsReport {
                try await node.call(
                    StatisticsRequest.show(game: game, range: range, date: nil, group: nil))
            }
            try await node.add(try Self.wordle(40))
            _ = try await node.call(
                ScoreRequest.record(
                    game: "nyt-mini", score: nil, isCompleted: true, seconds: 65,
                    date: Self.today.adding(days: -3).description, groups: nil))
            #expect(try await statistics("wordle", "all").secondsPlayed == 0)
            #expect(try await statistics("nyt-mini", "all").secondsPlayed == 65)
            #expect(try await statistics(nil, "all").secondsPlayed == 65)
            #expect(try await statistics("nyt-mini", "all").from == Self.today.adding(days: -3).description)
            #expect(try await statistics(nil, "all").from == Self.today.adding(days: -40).description)
            let board = try await node.call(
                BoardRequest(game: "nyt-mini", range: "all"))
            #expect(board.from == Self.today.adding(days: -3).description)
        }
    }

    @Test func `days that all lie ahead are refused`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let tomorrow = Self.today.adding(days: 1)
            let ahead = "\(tomorrow)..\(tomorrow.adding(days: 20))"
            await #expect(throws: NodeFailure.futureDate(tomorrow.description)) {
                _ = try await node.call(BoardRequest(range: ahead))
            }
            await #expect(throws: NodeFailure.futureDate(tomorrow.description)) {
                _ = try await Self.statistics(node, range: ahead)
            }
            let now = try await node.call(
                BoardRequest(range: "\(Self.today)..\(tomorrow)"))
            #expect(now.from == Self.today.description)
        }
    }

    @Test func `a recap tells of the week that holds the day`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            try await node.add(try Self.wordle(7))
            let day = Self.today.adding(days: -7)
            func recap(_ date: String?) async throws -> RecapReport {
                try await node.call(RecapRequest.show(date: date, group: nil))
            }
            let then = try await recap(day.description)
            #expect(then.played == 1 && then.from == day.startOfWeek.description && then.week.contains("-W"))
            #expect(then.winners.map(\.me) == [true])
            #expect(try await recap(nil).played == 0)
        }
    }

    @Test func `another's numbers leave out what is covered, and open when one has played`() async throws {
        try await NodeParty().running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            for ago in [0, 5] { try await bob.add(try Self.wordle(ago, "2")) }
            try await ada.until { try await $0.board().rows.contains { $0.name == "Bob" && $0.played == 2 } }
            let before = try await Self.statistics(ada, member: "Bob")
            #expect(before.name == "Bob" && before.played == 1 && before.coveredCount == 1)
            for ago in [0, 5] { try await ada.add(try Self.wordle(ago, "4")) }
            let after = try await Self.statistics(ada, member: "Bob")
            #expect(after.played == 2 && after.coveredCount == 0)
            let versus = try await ada.call(
                VersusRequest.show(user: "Bob", game: nil, range: nil, date: nil, group: nil))
            #expect(versus.common == 2 && versus.losses == 2 && versus.run == -2)
            #expect(versus.games.map(\.myAverage) == [4] && versus.games.map(\.theirAverageLabel) == ["2.0"])
            #expect(versus.plots.isEmpty)
        }
    }

    @Test func `a board of coins tells nothing of covered results of another day`() async throws {
        let day = PuzzleDay(daysSinceEpoch: 20_780)
        // Before noon, by UTC, yesterday is not over everywhere.
        let wall: @Sendable () -> Int64 = { (Int64(day.daysSinceEpoch) * 86_400 + 39_600) * 1_000 }
        try await NodeParty().running(["Ada", "Bob"], walls: ["Ada": wall, "Bob": wall]) { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            func play(_ node: MeshNode, _ game: String, _ ago: Int) async throws {
                _ = try await node.call(
                    ScoreRequest.record(
                        game: game, score: 4, isCompleted: true, seconds: nil,
                        date: day.adding(days: -ago).description, groups: nil, replace: false))
            }
            @Sendable func coins(reveal: Bool = false, everyGroup: Bool) async throws -> Int? {
                try await ada.call(
                    BoardRequest(range: "today", metric: "coins", reveal: reveal, everyGroup: everyGroup)
                ).rows.first { $0.name == "Bob" }?.value
            }
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            for ago in 3...5 { try await play(bob, "wordle", ago) }
            for node in [ada, bob] { try await play(node, "connections", 0) }
            try await ada.until { node in
                try await node.call(BoardRequest(range: "7d", reveal: true)).rows.contains {
                    $0.name == "Bob" && $0.played == 4
                }
            }
            let before = [try await coins(everyGroup: false), try await coins(everyGroup: true)]
            // Bob’s fifth solved puzzle would make today’s the one that earns a tier.
            try await play(bob, "wordle", 1)
            try await ada.until { try await $0.call(BoardRequest(range: "7d")).coveredCount == 1 }
            #expect([try await coins(everyGroup: false), try await coins(everyGroup: true)] == before)
            let all = [
                try await coins(reveal: true, everyGroup: false), try await coins(reveal: true, everyGroup: true),
            ]
            #expect(zip(all, before).allSatisfy { ($0 ?? 0) > ($1 ?? 0) })
            try await play(ada, "wordle", 1)
            #expect([try await coins(everyGroup: false), try await coins(everyGroup: true)] == all)
        }
    }

    @Test func `champions are those of weeks that are over`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            for ago in [0, 21] { try await node.add(try Self.wordle(ago)) }
            func champions(_ period: String) async throws -> [ChampionsReport.Period] {
                try await node.call(
                    ChampionsRequest.show(period: period, game: nil, group: nil)
                ).champions
            }
            let weeks = try await champions("week")
            #expect(weeks.map(\.from) == [Self.today.adding(days: -21).startOfWeek.description])
            #expect(weeks.first?.winners.map(\.name) == ["Ada"] && weeks.first?.value == 4)
            await #expect(throws: NodeFailure.self) { _ = try await champions("fortnight") }
        }
    }

    @Test func `a board over all groups has a person and each result once`() async throws {
        try await NodeParty.alone { node, _ in
            for title in ["Red", "Blue"] { _ = try await node.group(.create(title: title)) }
            try await node.add(try Self.wordle(1))
            try await node.add(try Self.wordle(2), to: ["Red"])
            var request = BoardRequest(range: "7d", everyGroup: true)
            let report = try await node.call(request)
            #expect(report.rows.map(\.played) == [2] && report.rows.map(\.value) == [8])
            try await node.add(try Self.wordle(3), to: ["Blue"])
            #expect(try await node.call(request).rows.map(\.played) == [3])
            request.region = "FR"
            #expect(try await node.call(request).rows.isEmpty)
            let privacy = PrivacyChange(region: "fr")
            _ = try await node.privacy(.change(group: "Red", privacy))
            #expect(try await node.call(request).rows.count == 1)
        }
    }

    @Test func `a group decides about missed days, freezes and old puzzles`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            func change(_ change: GroupSettingsChange) async throws -> GroupSettingsReport {
                try await node.call(
                    GroupSettingsRequest.change(group: nil, change))
            }
            let changed = try await change(
                GroupSettingsChange(missedDay: "worst+1", freezes: true, archiveDays: 7))
            #expect(changed.missedDay == "worst+1" && changed.freezes && changed.archiveDays == 7)
            // Recorded today, of a puzzle of last month: too late for this group.
            try await node.add(try Self.wordle(40))
            #expect(try await node.board().rows.allSatisfy { $0.played == 0 })
            let back = try await change(GroupSettingsChange(missedDay: "nothing", archiveDays: 0))
            #expect(back.missedDay == "nothing" && back.archiveDays == 0 && back.freezes)
            #expect(try await node.board().rows.map(\.played) == [1])
            await #expect(throws: NodeFailure.invalidSetting(name: "missed", values: ["nothing", "worst+1", "zero"])) {
                _ = try await change(GroupSettingsChange(missedDay: "double"))
            }
        }
    }

    @Test func `a board of coins counts the tiers reached`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            for ago in 1...3 { try await node.add(try Self.wordle(ago)) }
            let report = try await node.call(
                BoardRequest(range: "7d", metric: "coins"))
            // Three solves of 10 and 4; bronze for a streak of three and for three days in a row.
            #expect(report.rows.map(\.value) == [3 * 14 + 100])
        }
    }
}
