import StreakGames
import StreakScores
import Testing

@testable import StreakNode

/// What a user sends to people without StreakMesh, as the node makes it.
@Suite(.timeLimit(.minutes(10))) struct ShareTests {
    private static let today = SystemClock().today
    private static let green = "#3fa363"

    private static func wordle(_ ago: Int, _ guesses: String = "3", grid: Bool = true) throws -> String {
        let game = try #require(Catalogue.standard.games(matching: "wordle").first)
        let number = try #require(game.puzzle(on: today.adding(days: -ago)))
        let rows = Array(repeating: "⬛🟨⬛⬛⬛", count: (Int(guesses) ?? 7) - 1) + (guesses == "X" ? [] : ["🟩🟩🟩🟩🟩"])
        return "Wordle \(number) \(guesses)/6" + (grid ? "\n\n" + rows.joined(separator: "\n") : "")
    }

    private static func result(_ node: MeshNode, ago: Int = 0, drawn: Bool = true) async throws -> ShareReport {
        let day = today.adding(days: -ago).description
        return try await node.call(
            ShareRequest.result(game: "wordle", date: day, picture: drawn ? PictureStyle() : nil))
    }

    private static func week(_ node: MeshNode, alone: Bool = false) async throws -> ShareReport {
        try await node.call(ShareRequest.week(date: nil, group: nil, isAlone: alone, picture: PictureStyle()))
    }

    private static func squares(_ report: ShareReport) -> Int {
        (report.picture?.svg.split(separator: green).count ?? 1) - 1
    }

    @Test func `a share text tells of a loss, and of which day`() async throws {
        try await NodeParty.alone { node, _ in
            for (ago, score) in [(0, "4"), (1, "X"), (2, "4")] { try await node.add(try Self.wordle(ago, score)) }
            #expect(try await Self.result(node, drawn: false).text.contains("Solved today's Wordle"))
            let loss = try await Self.result(node, ago: 1, drawn: false).text
            #expect(loss.contains("No luck with Wordle") && !loss.contains("today") && loss.contains("X/6"))
            #expect(loss.contains("of \(Self.today.adding(days: -1).day) "))
            #expect(try await Self.result(node, ago: 2, drawn: false).text.contains("Solved Wordle"))
            #expect(try await Self.result(node, ago: 2, drawn: false).picture == nil)
            await #expect(throws: NodeFailure.self) { _ = try await Self.result(node, ago: 3) }
        }
    }

    @Test func `a picture has the grid that was pasted here, and none of another value`() async throws {
        try await NodeParty.alone { node, _ in
            try await node.add(try Self.wordle(0, "3"))
            let pasted = try await Self.result(node)
            #expect(Self.squares(pasted) == 5)
            #expect(pasted.picture?.width == 1_200 && pasted.picture?.height == 630)
            // An edit by hand has no grid, although the old text is still kept.
            _ = try await node.call(
                ScoreRequest.record(
                    game: "wordle", score: 4, isCompleted: true, seconds: nil, date: Self.today.description,
                    groups: nil,
                    replace: true))
            let edited = try await Self.result(node)
            #expect(Self.squares(edited) == 0 && edited.title == "Wordle: 4 guesses")
            try await node.add(try Self.wordle(1, grid: false))
            let bare = try await Self.result(node, ago: 1)
            #expect(Self.squares(bare) == 0)
        }
    }

    @Test func `the week shows nothing covered, nobody else's grid, and members as the group sees them`() async throws {
        try await NodeParty().running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            try await bob.add(try Self.wordle(0, "2"))
            try await ada.until { try await $0.board().rows.contains { $0.name == "Bob" && $0.played == 1 } }
            // Ada has not played it: Bob has no place yet.
            await #expect(throws: NodeFailure.nothingToShare(reason: "nobody has played in that week")) {
                _ = try await Self.week(ada)
            }
            await #expect(throws: NodeFailure.self) { _ = try await Self.result(ada) }
            _ = try await ada.privacy(.change(group: nil, PrivacyChange(alias: "Fox")))
            try await ada.add(try Self.wordle(0, "4", grid: false))
            let shown = try await Self.week(ada)
            let svg = try #require(shown.picture?.svg)
            #expect(svg.contains(">Bob<") && svg.contains(">Fox<") && svg.contains(">Red<"))
            #expect(!svg.contains("Ada") && !shown.text.contains("Ada") && !shown.description.contains("Ada"))
            #expect(Self.squares(shown) == 0)
            let alone = try await Self.week(ada, alone: true)
            #expect(alone.picture?.svg.contains(">Ada<") == true)
            #expect(!alone.text.contains("Bob") && alone.picture?.svg.contains("Bob") == false)
            // The result is Ada's, who shared no grid; Bob's stayed with Bob.
            let (hers, his) = (try await Self.result(ada), try await Self.result(bob))
            #expect(Self.squares(hers) == 0 && Self.squares(his) == 5)
        }
    }

    @Test func `streaks and achievements are shared once there are any`() async throws {
        try await NodeParty.alone { node, _ in
            func streak(_ game: String?) async throws -> ShareReport {
                try await node.call(
                    ShareRequest.streak(game: game, picture: PictureStyle(look: "dark", shape: "square")))
            }
            func achievement(_ text: String?) async throws -> ShareReport {
                try await node.call(ShareRequest.achievement(text, picture: PictureStyle()))
            }
            for game in [nil, "wordle"] {
                await #expect(throws: NodeFailure.self) { _ = try await streak(game) }
            }
            await #expect(throws: NodeFailure.self) { _ = try await achievement(nil) }
            for ago in 0..<3 { try await node.add(try Self.wordle(ago)) }
            #expect(try await streak(nil).text.contains("3 days in a row!"))
            let wordle = try await streak("wordle")
            #expect(wordle.title == "3 days in a row in Wordle" && wordle.picture?.height == 1_080)
            #expect(try await achievement("streak-master").title == "Streak Master: Bronze")
            #expect(try await achievement("streak-master/bronze").text.contains("Just unlocked Streak Master (Bronze)"))
            #expect(try await achievement(nil).picture != nil)
            await #expect(throws: NodeFailure.nothingToShare(reason: "you have not reached this achievement")) {
                _ = try await achievement("streak-master/gold")
            }
            for text in ["nothing", "", "streak-master/legendary/x"] {
                await #expect(
                    throws: NodeFailure.invalidSetting(
                        name: "achievement", values: Achievement.allCases.map(\.rawValue))
                ) { _ = try await achievement(text) }
            }
        }
    }

    @Test(arguments: [
        (PictureStyle(look: "pink"), NodeFailure.invalidSetting(name: "look", values: ["light", "dark"])),
        (PictureStyle(shape: "round"), .invalidSetting(name: "shape", values: ["wide", "square"])),
    ])
    func `a look or shape that does not exist is refused before anything else`(
        style: PictureStyle, failure: NodeFailure
    ) {
        #expect(throws: failure) { try ShareRequest.streak(game: nil, picture: style).checkArguments() }
    }

    // MARK: Templates

    @Test func `own templates are used, survive a restart, and go back`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        func text(_ node: MeshNode) async throws -> String { try await Self.result(node, drawn: false).text }
        let node = try await party.open("Ada")
        for ago in 0..<3 { try await node.add(try Self.wordle(ago)) }
        let changed = try await node.call(
            ShareTemplateRequest.change(kind: "solved", text: "{game}: {result}!\n{streak} in a row, {name}"))
        let solved = try #require(changed.templates.first { $0.kind == "solved" })
        #expect(solved.own && solved.example == "Wordle: 3 guesses!\n12 in a row, Ada")
        #expect(changed.templates.count == 5 && changed.templates.count(where: \.own) == 1)
        #expect(try await text(node) == "Wordle: 3 guesses!\n3 in a row, Ada")
        _ = try await node.call(ShareTemplateRequest.change(kind: "unlock", text: "Got {achievement}"))
        let reached = try await node.call(AchievementsRequest.show(group: nil)).latest
        #expect(reached.contains { $0.text == "Got Streak Master" })
        await node.close()
        let again = try await party.open("Ada")
        #expect(try await text(again) == "Wordle: 3 guesses!\n3 in a row, Ada")
        let reset = try await again.call(ShareTemplateRequest.change(kind: "solved", text: nil))
        #expect(reset.templates.count(where: \.own) == 1)
        #expect(try await text(again).contains("Solved today's Wordle"))
        await again.close()
    }

    @Test(
        arguments: [
            ("solved", ""), ("solved", " \n"), ("solved", "{tier}"), ("unlock", "{game}"), ("solved", "{nothing}"),
            ("solved", String(repeating: "x", count: 501)), ("solved", String(repeating: "👏", count: 400)),
            ("win", "x"),
        ])
    func `a template that cannot be one is refused`(kind: String, text: String) async throws {
        let request = ShareTemplateRequest.change(kind: kind, text: text)
        #expect(throws: NodeFailure.self) { try request.checkArguments() }
        try await NodeParty.alone { node, _ in
            await #expect(throws: NodeFailure.self) { _ = try await node.call(request) }
            let left = try await node.call(ShareTemplateRequest.list).templates
            #expect(left.allSatisfy { !$0.own })
        }
    }
}
