import StreakGames
import Testing

/// Variations of real formats that are not in the corpus.
@Suite struct ShareVariationTests {
    private let reader = ShareReader()

    struct Variation: Sendable, CustomTestStringConvertible {
        let text: String
        /// `game puzzle score`, with `X` for a loss and `-` for values that are not printed.
        let expected: [String]
        var testDescription: String { text }

        /// What is read, in the form of `expected`.
        var read: [String] {
            ShareReader().read(text).shares.map { share in
                let puzzle = share.puzzle.map { "\($0)" } ?? "-"
                let score = share.isCompleted ? share.score.map { "\($0)" } ?? "-" : "X"
                return "\(share.game) \(puzzle) \(score)"
            }
        }

        init(_ text: String, _ expected: String...) {
            self.text = text
            self.expected = expected
        }
    }

    static let variations: [Variation] = [
        Variation("*Wordle 1,234 3/6*", "wordle 1234 3"),
        Variation("Wordle ١٬٢٣٤ ٣/٦", "wordle 1234 3"),
        Variation("**Daily Quordle 1402**\n6️⃣8️⃣\n5️⃣9️⃣", "quordle 1402 28"),
        Variation("_Daily Octordle #1402_\n4️⃣5️⃣\n6️⃣7️⃣\n8️⃣9️⃣\n🔟🕚\nScore: 60", "octordle 1402 60"),
        Variation("~Weekly Quordle Challenge 150~\n8️⃣9️⃣\n🟥6️⃣", "quordle-weekly 150 X"),
        Variation("Wordle 1.234 4/6*\r\n\r\n⬜🟨⬜⬜⬜", "wordle 1234 4"),
        Variation("Queens n.º 714 | 0:10 e impecável", "linkedin-queens 714 10"),
        Variation("Queens № 714 | 0:10", "linkedin-queens 714 10"),
        Variation("Pinpoint n° 714 | 2 essais\n1️⃣ | 5 %\n2️⃣ | correspondance à 100 % 📌", "linkedin-pinpoint 714 2"),
        Variation("Strands nº 629\n«El tema»\n🔵🔵💡🔵\n🟡💡🔵", "strands 629 2"),
        Variation("Joguei contexto.me #556 e consegui em 57 tentativas.", "contexto 556 57"),
        Variation(
            "#waffle1471 4/5\n🟩⭐🟩⭐🟩\n🔥 streak: 12\n🥈 #waffleelite\nwafflegame.net", "waffle 1471 4"),
        Variation(
            "Bandle #1489 x/6\nFound: 33/50 (66%)\nCurrent Streak: 2 (max 10)\n#Bandle #Heardle #Wordle",
            "bandle 1489 X"),
        Variation(
            "Wordle 1,234 3/6 🟩 Worldle #1402 2/6 (100%) Framed #1427 🎥 🟥 🟩 ⬛ ⬛ ⬛ ⬛", "wordle 1234 3",
            "worldle 1402 2", "framed 1427 2"),
        Variation("Wordle #1,234 X / 6", "wordle 1234 X"),
        Variation("Nerdle 801 2/6", "nerdle 801 2"),
        Variation("TimeGuessr #583 44 489/50 000", "timeguessr 583 44489"),
        Variation("TimeGuessr #583 900/50,000", "timeguessr 583 900"),
        Variation(
            "Pips #120\nEasy 🟢 0:22\nMedium 🟡 0:58\nHard 🔴 2:59", "pips-easy 120 22", "pips-medium 120 58",
            "pips-hard 120 179"),
        Variation("Pips #120 0:22 Easy 🟢", "pips-easy 120 22"),
        Variation(
            "Queens #714 | 0:10 👑 lnkd.in/queens. Tango #554 | 0:40 🌗 lnkd.in/tango. Zip #393 | 0:07 🏁",
            "linkedin-queens 714 10", "linkedin-tango 554 40", "linkedin-zip 393 7"),
        Variation("Queens #714\nZip #393 | 0:07 🏁\nlnkd.in/zip.", "linkedin-zip 393 7"),
        Variation("Queens nº 714\nTempo: 1:11", "linkedin-queens 714 71"),
        Variation("Queens nr. 714 | 1:11:01", "linkedin-queens 714 4261"),
        Variation("Pinpoint #522\n1 | 1% match\n2 | 82% match\n3 | 100% match 📌", "linkedin-pinpoint 522 3"),
        Variation("Pinpoint #559\n🤔 🤔 📌 ⬜ ⬜", "linkedin-pinpoint 559 3"),
        Variation(
            "Pinpoint #522 | 5 guesses\n1️⃣ | 1% match\n2️⃣ | 5% match\n3️⃣ | 8% match\n4️⃣ | 2% match\n5️⃣ | 9% match",
            "linkedin-pinpoint 522 X"),
        Variation("Connections\nPuzzle #603\n🟩🟩🟩🟩\nthe 🟨 one!\n🟨🟨🟨🟨\n🟪🟪🟪🟪\n🟦🟦🟦🟦", "connections 603 4"),
        Variation("Strands #629\n“It's 'that' day”\n☘️☘️💡☘️\n🌈☘️☘️", "strands 629 1"),
        Variation("Spelling Bee\nScore: 1,150\nRank: Genius", "spelling-bee - 1150"),
        Variation("I just hit Queen Bee on Spelling Bee.", "spelling-bee - -"),
        Variation("I solved the Saturday 7/4/2026 New York Times Mini Crossword in 1:02:03!", "nyt-mini - 3723"),
        Variation("Daily Octordle #1404\n4️⃣🟥\n6️⃣8️⃣\n9️⃣🔟\n🕚🕛\nScore: 74", "octordle 1404 X"),
        Variation("Spotle #710🎧\n\n⬜⬜🟩\n\nspotle.io", "spotle 710 3"),
        Variation("Betweenle 391 - 0/5:", "betweenle 391 X"),
        Variation("#Polygonle 617 🎯/6", "polygonle 617 1"),
        Variation("🇫🇷 TUSMO (@tusmo_xyz) #402 - 3/6", "tusmo 402 3"),
        Variation("Subwaydle 726 (Weekend Edition) 5/6", "subwaydle 726 5"),
        Variation("#travle #614 (3 away) (2 hints)\n🟧🟥", "travle 614 X"),
        Variation("I played contexto.me #556 and got it in 57 guesses. I almost gave up", "contexto 556 57"),
        Variation("I played contexto.me #556 but I gave up in 57 guesses and 3 hints.", "contexto 556 X"),
        Variation("Unzoomed #89 2/6 🔴🟢⚪️⚪️⚪️⚪️\n😂😂😂😂😂😂", "unzoomed 89 2"),
    ]

    @Test(arguments: variations)
    func `a variation is read`(variation: Variation) {
        #expect(variation.read == variation.expected)
    }

    @Test(arguments: [
        "Zip #393 🏁\n8:01 AM", "Pips #46 Easy 🟢\nToday at 8:01 PM", "Tango #554 🌗\nAnna — Today at 8:01",
        "Episode 5 of The Bear at 8:30 🟩", "Framed 3 pictures 🟩 for my wall", "angle 45 3/4 inch",
        "Antiwordle #123 9 guesses", "Heardle 80s #12\n🔊🟩⬜⬜⬜⬜⬜", "Daily Quordle 1346\n1️⃣1️⃣\n1️⃣1️⃣", "Poeltl 400 - 3/8",
        "Semantle Junior #12\n✅ 11 Guesses", "Wordle Unlimited 3/6",
        "joguei term.ooo/2 #81 🔥 1\n4️⃣6️⃣", "#travle_usa #484 +3", "Hurdle 123 3/6",
        "Connections: Sports Edition\nPuzzle #12",
        "Daily Chill Quordle 12\n4️⃣5️⃣\n6️⃣7️⃣", "micro nerdlegame 12 3/6", "#GuessTheLogo #12\n\n🎮 🟥 🟩 ⬜ ⬜ ⬜ ⬜",
        "🕹️ Gamedle (Artwork mode): 27/01/2024 🟩⬜⬜⬜⬜⬜", "#deluxewaffle12 3/5", "Daily #5 standup at 9:30",
        "the tango 3 class is at 8:30", "let's zip 3 files in 0:45 seconds flat", "Spelling Bee was hard today",
        "🌎 Jun 11, 2026 is Earth day", "connections 5 people at 4/7", "see mini crossword results at 7:45",
    ])
    func `other games and chat are refused`(text: String) {
        let reading = reader.read(text)
        #expect(reading.shares.isEmpty)
        #expect(reading.refusals.count == 1)
    }

    @Test(arguments: [
        ("Wordle 1,685 3/6*", true), ("Wordle 1,685 X/6*", true), ("Wordle 1,685 3/6", false),
        ("*Wordle 1,685 3/6*", false), ("**Wordle 1,685 3/6***", true), ("Wordle 1,685 3/6\\*", true),
        ("Colorfle 767 (Hard mode) X/6", true),
    ])
    func `a star is hard mode unless it closes bold text`(text: String, isHardMode: Bool) {
        #expect(reader.read(text).shares.map(\.isHardMode) == [isHardMode])
    }

    @Test func `a share knows its own part of the paste`() {
        let reading = reader.read("hi!\nWordle 1,234 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n\nZip #393 | 0:07 🏁\nlnkd.in/zip.")
        #expect(reading.shares.map(\.text) == ["Wordle 1,234 2/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", "Zip #393 | 0:07 🏁"])
    }

    /// A time is at least a second in any notation: with `N` as 0 and as 1.
    @Test(arguments: [
        "Zip #393 | 0:0N 🏁", "Zip #393 | 0:00:0N", "Instant Nerdle #12 Ns", "Instant Nerdle #12 0m Ns",
        "I solved the 11/20/2026 New York Times Mini Crossword in 0:0N!",
    ])
    func `no time at all is no time`(text: String) {
        #expect(reader.read(text.replacing("Ns", with: "0s").replacing("0N", with: "00")).shares.isEmpty)
        let second = reader.read(text.replacing("Ns", with: "1s").replacing("0N", with: "01")).shares
        #expect(second.map(\.seconds) == [1])
    }
}
