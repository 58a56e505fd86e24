import StreakGames
import StreakScores
import Testing

@testable import StreakNode

/// Numbers of no single group: a user's own over all groups, boards over all groups, a guest's.
@Suite(.timeLimit(.minutes(10))) struct OwnNumbersTests {
    private static func streaks(_ node: MeshNode, group: String? = nil) async throws -> StreaksReport {
        try await node.call(
            StreaksRequest.show(date: nil, group: group, member: nil))
    }

    private static func rules(
        _ node: MeshNode, _ change: GroupSettingsChange = GroupSettingsChange()
    ) async throws -> GroupSettingsReport {
        try await node.call(GroupSettingsRequest.ownRules(change))
    }

    private static func board(_ node: MeshNode, _ request: BoardRequest) async throws -> BoardReport {
        try await node.call(request)
    }

    private static func coins(_ node: MeshNode, everyGroup: Bool = true, group: String? = nil) async throws -> [Int] {
        let request = BoardRequest(
            group: group, range: "all", metric: "coins", reveal: true, everyGroup: everyGroup)
        return try await board(node, request).rows.map(\.value)
    }

    /// Wordle of the last days, won.
    private static func play(_ ago: ClosedRange<Int>, on node: MeshNode, groups: [String]? = nil) async throws {
        for days in ago {
            let date = SystemClock().today.adding(days: -days).description
            let request = ScoreRequest.record(
                game: "wordle", score: 3, isCompleted: true, seconds: nil, date: date, groups: groups)
            _ = try await node.call(request)
        }
    }

    @Test func `all my results follow my own rules, whatever the groups decided`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let freezing = GroupSettingsChange(freezes: true)
            _ = try await node.call(
                GroupSettingsRequest.change(group: nil, freezing))
            // Ten days, one missed, one day: a freeze holds the run.
            try await Self.play(0...0, on: node)
            try await Self.play(2...11, on: node)
            #expect(try await Self.rules(node).freezes == false)
            #expect(try await Self.streaks(node, group: "Red").streaks.first?.current == 11)
            #expect(try await Self.streaks(node).streaks.first?.current == 1)
            let changed = try await Self.rules(
                node, GroupSettingsChange(missedDay: "zero", freezes: true, archiveDays: 7))
            #expect((changed.freezes, changed.archiveDays, changed.missedDay) == (true, 7, "zero"))
            // The archive rule leaves out what was recorded more than seven days late, so no freeze is earned.
            #expect(try await Self.streaks(node).streaks.first?.current == 1)
            _ = try await Self.rules(node, GroupSettingsChange(archiveDays: 0))
            #expect(try await Self.streaks(node).streaks.first?.current == 11)
            #expect(try await Self.streaks(node, group: "Red").streaks.first?.current == 11)
        }
    }

    @Test func `coins over all groups count the tiers of what all groups show together`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            _ = try await node.group(.create(title: "Blue"))
            try await Self.play(0...1, on: node, groups: ["Red"])
            try await Self.play(2...6, on: node, groups: ["Blue"])
            // Seven results with 4 points and 10 coins each. Streaks and days in a row of seven: silver twice; five
            // completed and seven active days: bronze twice.
            #expect(try await Self.coins(node) == [7 * 14 + 2 * (50 + 100) + 2 * 50])
            let own = try await node.call(
                AchievementsRequest.show(group: nil, member: nil))
            #expect(try await Self.coins(node) == [own.coins])
            #expect(try await Self.coins(node, everyGroup: false, group: "Red") == [2 * 14])
            #expect(try await Self.coins(node, everyGroup: false, group: "Blue") == [5 * 14 + 2 * 50 + 50])
        }
    }

    @Test func `an anonymous member is a row of its own in every group, a named one a single row`() async throws {
        try await NodeParty().running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            for title in ["Red", "Blue"] {
                _ = try await ada.group(.create(title: title))
                try await ben.join(try await ada.invite().link)
            }
            try await ben.add("Wordle 1,700 3/6", to: ["Red"])
            try await ben.add("Wordle 1,701 4/6", to: ["Blue"])
            let request = BoardRequest(range: "all", metric: "coins", reveal: true, everyGroup: true)
            // Each result's coins, and those of a first friend.
            try await ada.until { node in
                try await Self.board(node, request).rows.filter { !$0.me }.map(\.value) == [2 * 10 + 4 + 3 + 50]
            }
            _ = try await ben.privacy(.change(group: "Red", PrivacyChange(anonymous: true)))
            try await ada.until { node in
                try await Self.board(node, request).rows.filter { !$0.me }.map(\.value) == [14 + 50, 13 + 50]
            }
            _ = try await ben.privacy(.change(group: "Blue", PrivacyChange(anonymous: true)))
            try await ada.until { node in
                let rows = try await Self.board(node, request).rows.filter { !$0.me }
                return Set(rows.map(\.user)).count == 2 && rows.allSatisfy { $0.name.hasPrefix("Player#") }
            }
            let user = try await ben.call(ProfileRequest.whoami).user
            #expect(try await Self.board(ada, request).rows.allSatisfy { $0.me || $0.user != user })
        }
    }

    @Test func `nearby are those linked over the local network now, and this user`() async throws {
        try await NodeParty().running("Ada", "Ben", usesLAN: true) { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ada.add("Wordle 1,700 3/6")
            try await ben.join(try await ada.invite().link)
            try await ben.add("Wordle 1,700 4/6")
            let everybody = BoardRequest(range: "all", reveal: true)
            let nearby = BoardRequest(range: "all", reveal: true, nearby: true)
            try await ada.until { try await Self.board($0, everybody).ranked == 2 }
            // It depends on the machine's networks whether the address where they met is a local one.
            let links = try await ada.status().peers.map(\.via)
            let board = try await Self.board(ada, nearby)
            #expect(board.ranked == (links.contains("lan") ? 2 : 1))
            #expect(board.mine?.me == true)
            await ben.close()
            try await ada.until { try await $0.status().peers.isEmpty }
            let alone = try await Self.board(ada, nearby)
            #expect(alone.rows.map(\.me) == [true])
            #expect(try await Self.board(ada, everybody).ranked == 2)
        }
    }

    @Test func `a guest's numbers are the guest's alone`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            try await Self.play(0...3, on: node)
            _ = try await node.call(GuestRequest.start(name: "Gus"))
            try await node.add("Wordle 1,701 5/6")
            try await node.add("Wordle 1,702 X/6")
            let statistics = try await node.call(
                StatisticsRequest.show(game: nil, range: "all", date: nil, group: nil, member: nil))
            #expect((statistics.played, statistics.completed) == (2, 1))
            let streaks = try await Self.streaks(node)
            #expect(streaks.streaks.map(\.longest) == [1])
            let achievements = try await node.call(
                AchievementsRequest.show(group: nil, member: nil))
            #expect(achievements.coins == 12)
            _ = try await node.call(GuestRequest.stop(.keep))
            #expect(try await Self.streaks(node).streaks.map(\.longest) == [4])
        }
    }
}
