import StreakGames
import StreakScores
import Testing

@Suite struct ShareTemplateTests {
    static let today = Fixture.today
    static let solve = DailyScore(game: Fixture.wordle.id, day: today, puzzle: 1981, score: 3)

    @Test(arguments: [
        (ShareTemplate.Occasion.solved, "🧩 Solved today's Wordle #1981 with 3 guesses!\nCan you do better?"),
        (.personalBest, "🧩 New personal best in Wordle: 3 guesses!\nThink you can beat it?"),
        (.perfect, "⭐⭐⭐ Perfect: 3 guesses in Wordle #1981!"),
        (.lost, "🧩 No luck with today's Wordle #1981: 3 guesses.\nCan you do better?"),
    ]) func `a result in its template`(_ occasion: ShareTemplate.Occasion, _ text: String) {
        #expect(ShareTemplate.standard(occasion).text(for: Self.solve, in: Fixture.wordle) == text)
    }

    @Test(arguments: [
        (ShareTemplate.Occasion.solved, "🧩 Solved Wordle #1981 of 21 Nov 2026 with 3 guesses!\nCan you do better?"),
        (.personalBest, "🧩 New personal best in Wordle on 21 Nov 2026: 3 guesses!\nThink you can beat it?"),
        (.perfect, "⭐⭐⭐ Perfect: 3 guesses in Wordle #1981 on 21 Nov 2026!"),
        (.lost, "🧩 No luck with Wordle #1981 of 21 Nov 2026: 3 guesses.\nCan you do better?"),
    ]) func `a result of another day names it`(_ occasion: ShareTemplate.Occasion, _ text: String) {
        #expect(ShareTemplate.standard(occasion, isToday: false).text(for: Self.solve, in: Fixture.wordle) == text)
    }

    @Test func `an unlock in its template`() {
        let unlock = TierUnlock(AchievementTier(.gameCollector, .gold), on: Self.today)
        #expect(
            ShareTemplate.standard(.unlock).text(for: unlock)
                == "📚 Just unlocked Game Collector (Gold): 50 results!\nCan you beat that?")
    }

    @Test func `what has no value vanishes with the space before it`() {
        let score = Fixture.solve(Fixture.mini, Self.today, 42)
        #expect(
            ShareTemplate.standard(.solved).text(for: score, in: Fixture.mini)
                == "🧩 Solved today's Mini with 0:42!\nCan you do better?")
    }

    @Test func `every standard template is one an owner could write`() throws {
        for occasion in ShareTemplate.Occasion.allCases {
            let standard = ShareTemplate.standard(occasion)
            #expect(try ShareTemplate(occasion, standard.text) == standard)
            let all = occasion.placeholders.map { "{\($0.rawValue)}" }.joined(separator: " ")
            #expect(try ShareTemplate(occasion, all).text == all)
        }
    }

    @Test(
        arguments: [
            ("", .empty), (" \n\t", .empty), (String(repeating: "x", count: 501), .tooLong),
            (String(repeating: "👏", count: 326), .tooLong),
            ("{tier}", .unknownPlaceholder("tier")), ("a {nonsense} b", .unknownPlaceholder("nonsense")),
        ] as [(String, ShareTemplate.Refusal)]) func `a template is refused with its reason`(
            _ text: String, _ refusal: ShareTemplate.Refusal
        )
    {
        #expect(throws: refusal) { try ShareTemplate(.solved, text) }
    }

    @Test(arguments: ["{", "}", "{}", "{ game }", "{game", "{GAME}", "{{x} {"]) func `other braces are text`(
        _ text: String
    ) throws {
        let isPlace = text == "{{x} {"
        if isPlace {
            #expect(throws: ShareTemplate.Refusal.unknownPlaceholder("x")) { try ShareTemplate(.solved, text) }
        } else {
            #expect(try ShareTemplate(.solved, text).text(for: Self.solve, in: Fixture.wordle) == text)
        }
    }

    @Test func `a value is no template, has one line and an end`() throws {
        let template = try ShareTemplate(.solved, "{name}|{name}")
        #expect(template.filled([.name: "{game}\u{202E}\nx"]) == "{game} x|{game} x")
        let storm = "a" + String(repeating: "\u{0301}", count: 100_000)
        #expect(template.filled([.name: storm]).unicodeScalars.count <= 2 * ShareTemplate.maximumValueLength + 1)
        #expect(throws: ShareTemplate.Refusal.self) { try ShareTemplate(.solved, storm) }
    }

    @Test(arguments: [
        ([3, 4], 1, ShareTemplate.Occasion.perfect), ([3, 4], 2, .personalBest), ([3, 4], 3, .solved), ([], 3, .solved),
        ([2], 4, .solved),
    ]) func `the occasion of a result`(_ earlier: [Int], _ score: Int, _ occasion: ShareTemplate.Occasion) {
        let before = earlier.enumerated().map {
            Fixture.solve(Fixture.wordle, Self.today.adding(days: -1 - $0.offset), $0.element)
        }
        let mine = Fixture.solve(Fixture.wordle, Self.today, score)
        #expect(Fixture.insights(before + [mine]).occasion(of: mine) == occasion)
        let loss = Fixture.loss(Fixture.wordle, Self.today)
        #expect(Fixture.insights(before + [loss]).occasion(of: loss) == .lost)
    }
}
