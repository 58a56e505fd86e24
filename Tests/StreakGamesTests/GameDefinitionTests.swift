import StreakGames
import Testing

@Suite struct GameDefinitionTests {
    private static let id = GameID(literal: "custom-blocks-1")

    private static func define(
        id: GameID = Self.id, name: String = "Block Blast", icon: String = "🧱", model: ScoringModel = .highScore,
        maximum: Int? = nil, best: Int? = nil, unit: String? = nil, pattern: String? = nil
    ) throws(GameDefinitionFault) -> GameDefinition {
        try GameDefinition(
            id: id, name: name, icon: icon, model: model, maximum: maximum, best: best, unit: unit, pattern: pattern)
    }

    // MARK: Validation

    struct Refused: Sendable, CustomTestStringConvertible {
        let fault: GameDefinitionFault
        var id = GameDefinitionTests.id
        var name = "Block Blast"
        var icon = "🧱"
        var model = ScoringModel.highScore
        var maximum: Int?
        var best: Int?
        var unit: String?
        var pattern: String?
        var testDescription: String { "\(fault)" }
    }

    static let refused: [Refused] = [
        Refused(fault: .notACustomID, id: GameID(literal: "wordle")),
        Refused(fault: .notACustomID, id: GameID(literal: "custom-")),
        Refused(fault: .nameEmpty, name: " \n "),
        Refused(fault: .nameTooLong, name: String(repeating: "ä", count: 41)),
        Refused(fault: .nameTooLong, name: "a" + String(repeating: "\u{301}", count: 200)),
        Refused(fault: .nameTooLong, name: String(repeating: " ", count: 1_000_000)),
        Refused(fault: .nameNotText, name: "a\u{7}b"), Refused(fault: .nameNotText, name: "a\u{202E}b"),
        Refused(fault: .nameNotText, name: "a\nb"),
        Refused(fault: .iconNotOne, icon: ""), Refused(fault: .iconNotOne, icon: "🧱🧱"),
        Refused(fault: .iconNotOne, icon: "a" + String(repeating: "\u{301}", count: 40)),
        Refused(fault: .unitTooLong, unit: "kilometresperhour"), Refused(fault: .unitNotText, unit: "k\u{0}m"),
        Refused(fault: .maximumOutOfRange, maximum: 0), Refused(fault: .maximumOutOfRange, maximum: .max),
        Refused(fault: .maximumWithoutUse, model: .count, maximum: 5),
        Refused(fault: .maximumWithoutUse, model: .lowerTimeSeconds, maximum: 5),
        Refused(fault: .bestWithoutUse, best: 5), Refused(fault: .bestOutOfRange, model: .lowerAttempts, best: -1),
        Refused(fault: .bestOutOfRange, model: .lowerAttempts, maximum: 6, best: 7),
        Refused(fault: .pattern(.tooLong), pattern: String(repeating: "a", count: 201)),
        Refused(fault: .pattern(.beginsWithoutWord), pattern: "{score} points"),
        Refused(fault: .pattern(.beginsWithoutWord), pattern: "a {score}"),
        Refused(fault: .pattern(.openBrace), pattern: "Blocks {score"),
        Refused(fault: .pattern(.unknownField("{points}")), pattern: "Blocks {points}"),
        Refused(fault: .pattern(.fieldTwice("{score}")), pattern: "Blocks {score} {score}"),
        Refused(fault: .pattern(.fieldsTouch("{score}", "{max}")), pattern: "Blocks {score}{max}"),
        Refused(fault: .pattern(.endsInGap), pattern: "Blocks {score} {any}"),
        Refused(fault: .pattern(.tooManyFields), pattern: "ab{score}" + String(repeating: "x{any}", count: 12) + "x"),
        Refused(fault: .patternWithoutScore, pattern: "Blocks {number}"),
        Refused(fault: .patternWithoutScore, pattern: "Blocks {time}"),
        Refused(fault: .patternWithoutTime, model: .lowerTimeSeconds, pattern: "Blocks {number}"),
    ]

    @Test(arguments: refused)
    func `a definition that cannot be is refused in a sentence`(row: Refused) {
        #expect(row.fault.description.hasSuffix("."))
        #expect(throws: row.fault) {
            try Self.define(
                id: row.id, name: row.name, icon: row.icon, model: row.model, maximum: row.maximum, best: row.best,
                unit: row.unit, pattern: row.pattern)
        }
    }

    @Test func `a definition becomes a game`() throws {
        let game = try Self.define(name: "  Läufe 🏃 ", icon: "🏴󠁧󠁢󠁥󠁮󠁧󠁿", model: .count, unit: " km ").game
        #expect(game.name == "Läufe 🏃" && game.emoji == "🏴󠁧󠁢󠁥󠁮󠁧󠁿" && game.unit == "km" && game.category == .custom)
        #expect(game.aggregation == .sum && game.model == .count && game.id.isCustom && game.epoch == nil)
        #expect(try Self.define().aggregation == .best)
        #expect(try Self.define(model: .lowerAttempts).aggregation == .sum)
        #expect(try Self.define(unit: " ", pattern: "  ").unit == nil)
        #expect(Catalogue.standard.games.allSatisfy { !$0.id.isCustom && $0.aggregation == nil })
    }

    @Test(arguments: [
        ("Block Blast", 48_879 as UInt16, "custom-block-blast-beef"),
        ("Läufe 🏃 am Abend!", 1, "custom-laufe-am-abe-0001"),
        ("🧱", 0, "custom-0000"), ("", .max, "custom-ffff"),
        ("a very long name with many words in it", .max, "custom-a-very-long-ffff"),
    ])
    func `an ID begins with the name`(name: String, tag: UInt16, stem: String) {
        #expect(GameDefinition.stem(of: name, tag: tag) == stem)
    }

    // MARK: Patterns

    @Test(arguments: [
        ("Block Blast {score}", "Block Blast 12,345", 12_345), ("Block Blast {score}", "block  blast\n12.345!", 12_345),
        ("Block Blast {any} Score: {score}", "Block Blast 🧱 new record!\nScore: 500 (best 900)", 500),
        ("Block Blast {any} Score: {score}", "Block Blast\nScore: 7", 7),
        ("Tetris #{number} {score}/{max}", "my Tetris #12 33/40 today", 33),
        ("Läufe: {score} km", "LAUFE: 12 km", 12), ("🧱🏆 {score}", "yay 🧱🏆 99", 99),
        ("Blocks (mode A) {score}", "Blocks (mode A) 5", 5), ("blocks*{score}", "Blocks*5", 5),
        ("Blocks {any} {any}= {score}", "Blocks 1 = x = 7", 7),
        ("Blocks level {any} score {score}", "Blocks level 3\nBlocks level 4 score 8", 8),
    ])
    func `a pattern reads a score`(pattern: String, text: String, score: Int) throws {
        guard case .matched(let share) = try Self.define(pattern: pattern).test(on: text) else {
            Issue.record("no match")
            return
        }
        #expect(share.score == score && share.isCompleted && share.game == Self.id)
    }

    @Test func `a pattern reads every field`() throws {
        let definition = try Self.define(
            model: .lowerAttempts, maximum: 6,
            pattern: "Foodle #{number} ({date}) {score}/{max} in {time} with {hints} hints")
        let text = "Foodle #1,234 (25/12/2025) 3/7 in 1:02 with 2 hints"
        #expect(
            definition.test(on: text)
                == .matched(
                    Share(
                        game: Self.id, puzzle: 1_234, score: 3, maxAttempts: 7, seconds: 62, hints: 2,
                        day: PuzzleDay("2025-12-25"), text: text)))
    }

    @Test func `an X is a loss where lower is better`() throws {
        let attempts = try Self.define(model: .lowerAttempts, maximum: 6, pattern: "Foodle {number} {score}/6")
        guard case .matched(let share) = attempts.test(on: "Foodle 12 X/6") else {
            Issue.record("no match")
            return
        }
        #expect(!share.isCompleted && share.score == nil && share.maxAttempts == 6)
        guard case .stopped = try Self.define(pattern: "Foodle {number} {score}/6").test(on: "Foodle 12 X/6") else {
            Issue.record("a high score cannot be lost")
            return
        }
    }

    @Test(arguments: [
        ("Foodle {score}/{max}", "Foodle 8/6", RefusalReason.impossibleScore(id)),
        ("Foodle {score}", "Foodle 7", .impossibleScore(id)), ("Foodle {score}", "Foodle 0", .impossibleScore(id)),
        ("Foodle {number}: {score}", "Foodle 100000: 3", .numberTooLarge(id)),
        ("Foodle {score}", "Foodle 99999999999999999999", .numberTooLarge(id)),
        ("Foodle {date} {score}", "Foodle 31.02.2026 3", .impossibleDate(id)),
        ("Foodle {score} {time}", "Foodle 3 1:75", .impossibleScore(id)),
    ])
    func `values that cannot be are refused`(pattern: String, text: String, reason: RefusalReason) throws {
        let definition = try Self.define(model: .lowerAttempts, maximum: 6, best: 1, pattern: pattern)
        #expect(definition.test(on: text) == .refused(reason))
        let reading = ShareReader(custom: [definition]).read(text)
        #expect(reading.shares.isEmpty && reading.refusals.map(\.reason) == [reason])
    }

    @Test(arguments: [
        ("Block Blast {score}", "nothing here", "", "Block", "nothing here"),
        ("Block Blast {score}", "my Block Party 12", "Block ", "Blast", "Party 12"),
        ("Block Blast {score} points", "Block Blast 12 stars", "Block Blast {score} ", "points", "stars"),
        ("Block Blast {score}", "Block Blast high", "Block Blast ", "{score}", "high"),
        ("Block Blast {any}Score {score}", "Block Blast so close", "Block Blast {any}", "Score", ""),
        ("Block Blast {score}", "Block Blast 12a", "Block Blast ", "{score}", "12a"),
    ])
    func `the tester says where a match stopped`(
        pattern: String, text: String, fitting: String, expected: String, found: String
    ) throws {
        guard case .stopped(let actual) = try Self.define(pattern: pattern).test(on: text) else {
            Issue.record("not stopped")
            return
        }
        #expect([actual.fitting, actual.expected, actual.found] == [fitting, expected, found])
        #expect(try Self.define().test(on: text) == .noPattern)
    }

    // MARK: Pastes

    @Test func `custom shares are read among built-in ones`() throws {
        let blocks = try Self.define(pattern: "Block Blast {score}")
        let runs = try Self.define(
            id: GameID(literal: "custom-runs-2"), name: "Runs", icon: "🏃", model: .count, pattern: "went running")
        let reader = ShareReader(custom: [runs, blocks])
        let reading = reader.read(
            """
            Block Blast 1,200
            Wordle 1,985 3/6

            ⬛⬛⬛🟨⬛
            🟩🟩🟩🟩🟩
            went running! Queens #714 | 0:10 👑
            Block Blast 1,300 and went running again
            """)
        #expect(
            reading.shares.map { "\($0.game) \($0.score ?? -1)" } == [
                "custom-blocks-1 1200", "wordle 3", "custom-runs-2 1", "linkedin-queens 10", "custom-blocks-1 1300",
                "custom-runs-2 1",
            ])
        #expect(reading.refusals.isEmpty)
        #expect(
            reader.catalogue[Self.id]?.name == "Block Blast"
                && reader.catalogue.games.count == Catalogue.standard.games.count + 2)
    }

    @Test func `no definition changes how built-in shares are read`() throws {
        let greedy = [
            "Wordle {score}", "Wordle {number} {score}/6", "Connections {any} {score}", "daily {any} {score}",
        ]
        let definitions = try greedy.enumerated().map { index, pattern in
            try Self.define(id: try #require(GameID("custom-x-\(index)")), pattern: pattern)
        }
        let plain = ShareReader()
        let custom = ShareReader(custom: definitions)
        for text in ["Wordle 1,985 3/6", "hi\nWordle 1,985 3/6\nwell", "Wordle 1,985 7/6"] {
            #expect(custom.read(text).shares.allSatisfy { !$0.game.isCustom }, "\(text)")
        }
        for sample in ShareSample.shares {
            let builtIn = custom.read(sample.text).shares.filter { !$0.game.isCustom }
            #expect(builtIn == plain.read(sample.text).shares, "\(sample.id)")
        }
    }

    @Test func `patterns made to hurt end`() throws {
        let slow = "aa{any}a{any}a{any}a{any}a{any}b {score}"
        let definitions = try (0..<GameDefinition.maximumCount).map { index in
            try Self.define(id: try #require(GameID("custom-x-\(index)")), pattern: slow)
        }
        let text = String(repeating: "aa ", count: 21_000)
        #expect(ShareReader(custom: definitions).read(text).shares.isEmpty)
        guard case .stopped = definitions[0].test(on: text) else {
            Issue.record("matched")
            return
        }
    }

    @Test func `a misspelt custom share names its game`() throws {
        let reader = ShareReader(custom: [try Self.define(pattern: "Block Blast {score}")])
        #expect(reader.read("Blok Blast 1,200").refusals.map(\.reason) == [.notRecognised(nearest: Self.id)])
        let reason = RefusalReason.notRecognised(nearest: Self.id)
        #expect(reason.suggestion(in: reader.catalogue) == "Did you mean Block Blast?")
    }
}
