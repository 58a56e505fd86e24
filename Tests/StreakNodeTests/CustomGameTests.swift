import StreakGames
import Testing

@testable import StreakNode

/// Games that a group defines for itself.
@Suite(.timeLimit(.minutes(10))) struct CustomGameTests {
    private static func define(_ form: GameForm, on node: MeshNode, group: String? = nil) async throws -> GameReport {
        try await node.call(GameRequest.define(form, group: group))
    }

    private static func record(
        _ game: String, _ score: Int?, on node: MeshNode, replace: Bool = false
    ) async throws -> ResultReport {
        let request = ScoreRequest.record(
            game: game, score: score, isCompleted: true, seconds: nil, date: nil, groups: nil, replace: replace)
        return try #require(try await node.call(request).added.first)
    }

    private static func games(_ node: MeshNode) async throws -> [GameReport] {
        try await node.call(
            GamesRequest.list(search: nil, category: "custom", favouritesOnly: false, group: nil)
        ).games
    }

    private static func row(_ game: String, of node: MeshNode, range: String = "today") async throws -> BoardRowReport {
        let report = try await node.call(
            BoardRequest(game: game, range: range))
        let mine = report.rows.first { $0.me }
        return try #require(mine)
    }

    @Test func `a member's game is read from its pattern, ranked, listed and gone when it is removed`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Blocks"))
            let form = GameForm(name: "Block Blast", icon: "🧱", model: "highScore", pattern: "Block Blast {score} pts")
            let game = try await Self.define(form, on: node)
            #expect(game.id.hasPrefix("custom-block-blast-"))
            #expect(try await Self.games(node).map(\.id) == [game.id])
            #expect(game.mine)
            #expect(try await Self.games(node).map(\.mine) == [true])
            let added = try await node.add("Block Blast 1200 pts")
            #expect(added.added.first?.game == game.id)
            #expect(added.published.count == 1)
            #expect(try await Self.row("Block Blast", of: node).raw == 1_200)
            let removed = try await node.call(GamesRequest.remove(game: game.id, group: nil))
            #expect(removed.games.isEmpty)
            #expect(try await node.add("Block Blast 1300 pts").added.isEmpty)
            #expect(try await node.results().count == 1)
        }
    }

    @Test func `of a high score the better value of a day stands, and only an edit lowers it`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Blocks"))
            let game = try await Self.define(
                GameForm(name: "Block", model: "highScore", pattern: "Block {score}"), on: node)
            #expect(try await Self.record(game.id, 500, on: node).score == 500)
            let worse = try await Self.record(game.id, 300, on: node)
            #expect(worse.score == 500 && worse.unchanged)
            let pasted = try await node.add("Block 400")
            #expect(pasted.refused.isEmpty)
            #expect(pasted.added.first?.unchanged == true)
            let better = try #require(try await node.add("Block 700").added.first)
            #expect(better.score == 700 && better.replaced && !better.edited)
            let lowered = try await Self.record(game.id, 100, on: node, replace: true)
            #expect(lowered.score == 100 && lowered.edited)
            #expect(try await Self.row(game.id, of: node).raw == 100)
        }
    }

    @Test func `every log of a habit counts, a day's board adds them up, and undo takes one back`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Habits"))
            let game = try await Self.define(
                GameForm(name: "Water", model: "count", unit: "glasses", pattern: "Water"), on: node)
            for _ in 1...3 { _ = try await Self.record(game.id, nil, on: node) }
            _ = try await Self.record(game.id, 4, on: node)
            #expect(try await node.results().count == 4)
            #expect(try await Self.row(game.id, of: node).value == 7)
            #expect(try await Self.row(game.id, of: node, range: "week").value == 7)
            _ = try await node.call(UndoRequest.last)
            #expect(try await Self.row(game.id, of: node).value == 3)
            let log = try #require(try await node.results().first)
            let request = ScoreRequest.delete(game: game.id, date: log.day, puzzle: log.puzzle)
            _ = try await node.call(request)
            #expect(try await Self.row(game.id, of: node).value == 2)
        }
    }

    /// A habit named “Wordle” would take the game from everybody in the group.
    @Test(arguments: ["Wordle", "WORDLE", "nyt-mini", "walk"])
    func `a name that another game has is refused, and keeping one's own is not`(name: String) async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let walk = try await Self.define(GameForm(name: "Walk", model: "count"), on: node)
            do {
                _ = try await Self.define(GameForm(name: name, model: "count"), on: node)
                Issue.record("defined")
            } catch NodeFailure.invalidGame(let reason, let isPattern) {
                #expect(reason.contains("already") && !isPattern)
            }
            var form = try #require(walk.definition)
            form.icon = "🚶"
            #expect(try await Self.define(form, on: node).icon == "🚶")
            #expect(try await Self.record("wordle", 3, on: node).game == "wordle")
        }
    }

    @Test func `a wrong definition is distinguished from a wrong pattern`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            for (form, ofPattern) in [
                (GameForm(name: "A", model: "foo"), false), (GameForm(name: "", model: "count"), false),
                (GameForm(name: "A", model: "highScore", pattern: "Block {maximum}"), true),
                (GameForm(name: "A", model: "highScore", pattern: "Block {number}"), true),
            ] {
                do {
                    _ = try await Self.define(form, on: node)
                    Issue.record("defined")
                } catch NodeFailure.invalidGame(_, let isPattern) { #expect(isPattern == ofPattern, "\(form)") }
            }
        }
    }

    @Test func `a log's number is kept to delete it by, and shown nowhere`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            let run = try await Self.define(GameForm(name: "Run", model: "highScore", unit: "km"), on: node)
            let walk = try await Self.define(GameForm(name: "Walk", model: "count"), on: node)
            let log = try await Self.record(walk.id, nil, on: node)
            #expect(log.puzzle != nil && log.shownPuzzle == nil && log.shownPoints == nil && log.label == "1 log")
            let best = try await Self.record(run.id, 12_345, on: node)
            #expect(best.label == "12,345 km" && best.shownPoints == nil)
            let wordle = try await Self.record("wordle", 3, on: node)
            #expect(wordle.shownPuzzle == wordle.puzzle && wordle.puzzle != nil && wordle.shownPoints == 4)
            #expect(try await Self.record("spelling-bee", 5, on: node).shownPoints == nil)
        }
    }

    @Test func `a group's own game stays in that group`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            _ = try await node.group(.create(title: "Blue"))
            let game = try await Self.define(GameForm(name: "Chess", model: "highScore"), on: node, group: "Red")
            let result = try await Self.record(game.id, 9, on: node)
            let groups = try await node.call(GroupListRequest.all).groups
            let red = try #require(groups.first { $0.title == "Red" })
            #expect(result.score == 9)
            #expect(try await node.results().first?.groups == [red.id])
            // Blue is the active group: the game is found, changed and removed where it is.
            let shown = try await node.call(GameRequest.show(game: "che", group: nil))
            #expect(shown.groups == [red.id] && shown.definition == game.definition)
            var form = try #require(shown.definition)
            form.unit = "pieces"
            #expect(try await Self.define(form, on: node).definition?.unit == "pieces")
            _ = try await Self.define(GameForm(name: "Checkers", model: "highScore"), on: node, group: "Blue")
            await #expect(throws: NodeFailure.self) { try await node.call(GameRequest.show(game: "che", group: nil)) }
            #expect(try await node.call(GameRequest.show(game: "che", group: "Blue")).name == "Checkers")
            #expect(try await node.call(GameRequest.show(game: "che", group: "Red")).name == "Chess")
            for (name, reason) in [
                ("wordle", "“Wordle” is built in: it cannot be changed."),
                ("chess", "“Chess” is no game of this group."),
            ] {
                await #expect(throws: NodeFailure.invalidGame(reason: reason)) {
                    _ = try await node.call(GamesRequest.remove(game: name, group: "Blue"))
                }
            }
            #expect(try await node.call(GamesRequest.remove(game: "chess", group: nil)).games.isEmpty)
        }
    }

    @Test func `another member records the game, and cannot remove it`() async throws {
        try await NodeParty().running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Blocks"))
            let game = try await Self.define(
                GameForm(name: "Block", model: "highScore", pattern: "Block {score}"), on: ada)
            try await bob.join(try await ada.invite().link)
            try await bob.until { try await Self.games($0).count == 1 }
            #expect(try await Self.games(bob).map(\.mine) == [false])
            try await bob.add("Block 400")
            try await ada.until { try await $0.board().rows.contains { !$0.me && $0.played == 1 } }
            await #expect(throws: NodeFailure.gameOfAnother("Block")) {
                _ = try await bob.call(GamesRequest.remove(game: game.id, group: nil))
            }
            var form = try #require(game.definition)
            form.name = "Bob's"
            let changed = form
            await #expect(throws: NodeFailure.gameOfAnother("Block")) {
                _ = try await Self.define(changed, on: bob)
            }
            #expect(try await Self.games(ada).map(\.mine) == [true])
            #expect(try await Self.games(bob).map(\.mine) == [false])
            #expect(try await Self.define(changed, on: ada).name == "Bob's")
        }
    }

    @Test func `results keep their game's name, icon and scoring when it is removed or the group is left`() async throws
    {
        try await NodeParty.alone { node, party in
            _ = try await node.group(.create(title: "Red"))
            let form = GameForm(name: "Stairs", icon: "🪜", model: "lowerTimeSeconds", pattern: "Stairs {time}")
            let stairs = try await Self.define(form, on: node)
            let water = try await Self.define(GameForm(name: "Water", icon: "💧", model: "count"), on: node)
            try await node.add("Stairs 1:05")
            for _ in 1...9 { _ = try await Self.record(water.id, nil, on: node) }
            func check(_ node: MeshNode) async throws {
                let results = try await node.results()
                let timed = try #require(results.first { $0.game == stairs.id })
                #expect((timed.gameName, timed.label, timed.points) == ("Stairs", "1:05", 5))
                #expect(results.filter { $0.game == water.id }.map(\.label) == Array(repeating: "1 log", count: 9))
                let streaks = try await node.call(
                    StreaksRequest.show(date: nil, group: nil, member: nil))
                let icons = Dictionary(uniqueKeysWithValues: streaks.streaks.map { ($0.game, $0.icon) })
                #expect(icons == [stairs.id: "🪜", water.id: "💧"])
                let achievements = try await node.call(
                    AchievementsRequest.show(group: nil, member: nil))
                // Ten results with ten coins, five points for the time, seven for the habit's day; and bronze of
                // Game Collector and Perfectionist.
                #expect(achievements.coins == 100 + 5 + 7 + 50 + 50)
                #expect(try await Self.games(node).isEmpty)
            }
            _ = try await node.call(GamesRequest.remove(game: stairs.id, group: nil))
            #expect(try await Self.games(node).map(\.id) == [water.id])
            _ = try await node.group(.leave(group: "Red", erasing: false))
            try await check(node)
            await node.close()
            let again = try await party.open("Ada")
            try await check(again)
            let request = ScoreRequest.delete(game: stairs.id, date: SystemClock().today.description, puzzle: nil)
            #expect(
                try await again.call(request).added.map(\.gameName) == ["Stairs"])
            await again.close()
        }
    }

    @Test(
        arguments: [
            ("Block {score}", "Block 12", true), ("Block {score}", "Brick 12", false), ("{score", "12", nil),
        ] as [(String, String, Bool?)])
    func `a pattern is tried without storing anything`(pattern: String, text: String, matches: Bool?) async throws {
        try await NodeParty.alone { node, _ in
            let form = GameForm(name: "Block", model: "highScore", pattern: pattern)
            guard let matches else {
                await #expect(throws: NodeFailure.self) {
                    _ = try await node.call(PatternRequest.test(form, text: text))
                }
                return
            }
            let report = try await node.call(PatternRequest.test(form, text: text))
            #expect(report.matched == matches)
            #expect(report.score == (matches ? 12 : nil))
            #expect(matches == (report.message == nil))
        }
    }

    @Test func `favourites come first, and are remembered`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        for isFavourite in [true, false] {
            let node = try await party.open("Ada")
            let request = GameRequest.setFavourite(game: "waffle", isFavourite: isFavourite)
            #expect(try await node.call(request).favourite == isFavourite)
            await node.close()
            let again = try await party.open("Ada")
            let games = try await again.call(GamesRequest.list()).games
            #expect(games.first { $0.id == "waffle" }?.favourite == isFavourite)
            #expect(games.prefix(while: \.favourite).count == games.count(where: \.favourite))
            await again.close()
        }
    }
}
