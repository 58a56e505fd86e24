import StreakGames
import Testing

/// Hostile pastes: none may trap, and none may become a score.
@Suite struct HostilePasteTests {
    private let reader = ShareReader()

    struct Paste: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        var testDescription: String { name }

        init(_ name: String, _ unit: String, times: Int = 0, before: String = "", after: String = "") {
            self.name = name
            let room = 65_536 - before.utf8.count - after.utf8.count
            text = before + String(repeating: unit, count: times > 0 ? times : room / unit.utf8.count) + after
        }
    }

    static let pastes: [Paste] = [
        Paste("squares", "🟩"), Paste("one letter", "a"), Paste("zero bytes", "\0"), Paste("blanks", " x"),
        Paste("heads", "Wordle 1 "), Paste("heads of every kind", "daily #1 quordle 2 pips #3 zip 4 strands #5 "),
        Paste("digits", "9", before: "Wordle ", after: " 3/6"), Paste("groups", "1,111,", before: "Wordle "),
        Paste("colons", ":"), Paste("codes", ":large_green_squar:"), Paste("colons and digits", "1:1:"),
        Paste("combining marks", "\u{301}", before: "Wordle 1,234 a"), Paste("key marks", "\u{20E3}"),
        Paste("direction marks", "\u{202E}\u{2066}", before: "Wordle "), Paste("brackets", "(", before: "#travle #1 "),
        Paste("sentences", "i solved the "), Paste("dates", "Murdle for 1/1/2024 "), Paste("globes", "🌎 "),
        Paste("fractions", "1/1/"), Paste("plus signs", "+", before: "#travle #484 "), Paste("bars", "|"),
        Paste("quotes", "\"", before: "Strands #350\n"), Paste("greater-than signs", "> "),
        Paste("keys", "1\u{FE0F}\u{20E3}", before: "Daily #359\n"), Paste("scores", "in 5 guesses "),
        Paste("gave up", "I gave up on "), Paste("mixed rows", "🟨🟩🟦🟪\n", before: "Connections\nPuzzle #690\n"),
        Paste("misspellings", "Wordel 1,981 "), Paste("misspelt words", "crosclimb crossclmb conections 300 "),
        Paste("words", "zq "), Paste("marks inside a name", "W\u{200B}o\u{301}rdle 1 "), Paste("lines", "a\n"),
        Paste("half sentences", "i just solved the today's "), Paste("half heads", "sumplete daily "),
        Paste("squares and words", "🟩 weaver #5 "), Paste("colours", "🟢🟡🔴", before: "Pips #46 "),
        Paste("listed", "stumped ", after: "listed game"), Paste("hearts", "❤️‍🔥"),
    ]

    @Test(arguments: pastes)
    func `a hostile paste gives no share`(paste: Paste) {
        #expect(paste.text.utf8.count <= ShareReader.maximumLength)
        let reading = reader.read(paste.text)
        #expect(reading.shares.isEmpty)
        #expect(!reading.refusals.isEmpty)
        #expect(reading.refusals.allSatisfy { $0.text.unicodeScalars.count <= 80 })
    }

    @Test func `one byte too many is refused whatever the text holds`() {
        let share = "Wordle 1,234 3/6\n"
        let fits = share + String(repeating: " ", count: ShareReader.maximumLength - share.utf8.count)
        #expect(reader.read(fits).shares.count == 1)
        #expect(reader.read(fits + " ").refusals.map(\.reason) == [.tooLong])
        #expect(reader.read(fits + " ").shares.isEmpty)
    }

    @Test func `every cut of every sample is read without a trap`() {
        for sample in ShareSample.all where sample.text.utf8.count < 1_000 {
            let scalars = Array(sample.text.unicodeScalars)
            for length in stride(from: 0, to: scalars.count, by: 5) {
                let head = String(String.UnicodeScalarView(scalars[..<length]))
                let tail = String(String.UnicodeScalarView(scalars[length...]))
                for reading in [reader.read(head), reader.read(tail), reader.read(tail + head)] {
                    guard reading.shares.isEmpty, reading.refusals.isEmpty else { continue }
                    Issue.record("neither shares nor refusals: \(sample.id), cut at \(length)")
                }
            }
        }
    }

    @Test(arguments: [
        ("Wordle 1,234 7/6", RefusalReason.impossibleScore(GameID(literal: "wordle"))),
        ("Wordle 1,234 3/", .missingScore(GameID(literal: "wordle"))),
        ("Wordle 99999999999999999999 3/6", .numberTooLarge(GameID(literal: "wordle"))),
        ("Wordle is fun", .notRecognised(nearest: GameID(literal: "wordle"))),
        ("https://www.nytimes.com/games/strands", .notRecognised(nearest: GameID(literal: "strands"))),
        ("just some chat", .notRecognised(nearest: nil)), (" \u{200B}\u{FEFF}\n", .empty), ("", .empty),
        ("Connections\nPuzzle #690\n🟨🟨🟨🟨\n🟩🟩🟩🟩", .unfinished(GameID(literal: "connections"))),
        ("Connections\nPuzzle #0\n🟨🟨🟨🟨", .unfinished(GameID(literal: "connections"))),
        (
            "I solved the 2/30/2025 New York Times Mini Crossword in 0:22!",
            .impossibleDate(GameID(literal: "nyt-mini"))
        ),
        ("Bonus Strands\nBonus June 8, 2026\n🔵🟡", .notTheDailyPuzzle(GameID(literal: "strands"))),
        ("Daily Sequence Quordle 12\n4️⃣5️⃣\n6️⃣7️⃣", .notTheDailyPuzzle(GameID(literal: "quordle"))),
        ("Queens #867 | 1:75 👑", .impossibleScore(GameID(literal: "linkedin-queens"))),
    ])
    func `a refusal says why`(text: String, reason: RefusalReason) {
        #expect(reader.read(text).refusals.map(\.reason) == [reason])
    }

    @Test func `a bad share beside a good one is refused, chat is not`() {
        let reading = reader.read(
            """
            Wordle 1,234 7/6
            can't believe Strands #350 was so easy, see you at 7:45
            Queens #854 | 0:11 👑
            """)
        #expect(reading.shares.map(\.game.rawValue) == ["linkedin-queens"])
        #expect(reading.refusals.map(\.reason) == [.impossibleScore(GameID(literal: "wordle"))])
    }
}
