import StreakGames
import Testing

/// An unrecognised text names the most similar format; chat names none.
@Suite struct NearestFormatTests {
    private let reader = ShareReader()

    @Test(arguments: [
        ("Wordel 1,981 3/6", "wordle"), ("Wordle1981 3/6", "wordle"), ("wrdle 1981 4/6", "wordle"),
        ("Wordlle 1.981 X/6", "wordle"), ("Wodrle 1981 3/6", "wordle"), ("WORDLEE\n1,981\n3/6", "wordle"),
        ("Quordel 1346", "quordle"), ("Daily Quordel 1346\n6️⃣5️⃣\n9️⃣4️⃣", "quordle"),
        ("Quodle #1346", "quordle"), ("Conections Puzzle #5", "connections"),
        ("Conections\nPuzzle #603\n🟨🟨🟨🟨", "connections"), ("Connection puzzle #603", "connections"),
        ("Octordel #845\n8️⃣4️⃣", "octordle"), ("Strand #350\n🔵🔵🔵🟡", "strands"),
        ("Worlde 1,981 3/6", "wordle"), ("#Wordlle_ 1,981", "wordle"), ("Crosclimb #520 | 3:13", "linkedin-crossclimb"),
        ("Crossclimp #520 | 3:13", "linkedin-crossclimb"), ("Pinpiont #522 | 3 guesses", "linkedin-pinpoint"),
        ("Mini Soduku #142 | 0:39", "linkedin-minisudoku"), ("minisudoku #142 | 0:39", "linkedin-minisudoku"),
        ("Quens #161 | 0:58 👑", "linkedin-queens"), ("Tnago #554 | 0:40", "linkedin-tango"),
        ("Time Guesser #583 44,489/50,000", "timeguessr"), ("Guess the gaem #12 🟥🟩", "guess-the-game"),
        ("Immaculate Gird 411 7/9", "immaculate-grid"), ("hey look at this: wordel 1,981 3/6 lol", "wordle"),
        ("Spelling Be\nScore: 150", "spelling-bee"), ("Bandel #1489 3/6", "bandle"),
    ])
    func `a misspelt share names its game`(text: String, game: String) {
        let reading = reader.read(text)
        #expect(reading.shares.isEmpty)
        #expect(reading.refusals.map(\.reason) == [.notRecognised(nearest: GameID(game))])
        #expect(reading.refusals.first?.reason.suggestion()?.contains("Its share begins “") == true)
    }

    @Test(arguments: [
        "the world 8 billion strong", "she was a bundle of joy", "wordy as ever, see you at 9", "sip 3 beers",
        "watched episodes 3 and 4", "my angel turned 5 today", "the words count: 12", "quarrel over 2 seats",
        "meet at the border 7:45?", "call me on 555 0100", "strange: three of 400 left", "zap #4", "tips #46",
        "world cup 2026 final 3:2", "order 1234 has shipped", "I need 250 bundles", "what a great day",
    ])
    func `chat names no game`(text: String) {
        #expect(reader.read(text).refusals.map(\.reason) == [.notRecognised(nearest: nil)])
    }

    @Test func `a number or result near decides between a mention and a misspelling`() {
        #expect(nearest("let's zip through it: wordel 1,981 3/6") == "wordle")
        #expect(nearest("my Strands went wrong, but Quordel #1346 was fine") == "quordle")
        #expect(nearest("Wordle is fun, wordel too") == "wordle")
    }

    @Test func `the suggestion shows what the format looks like`() {
        #expect(
            reader.read("Wordel 1,981 3/6").refusals.first?.reason.suggestion()
                == "Did you mean Wordle? Its share begins “Wordle 1,981 3/6”.")
        #expect(
            RefusalReason.notRecognised(nearest: GameID("connections")).suggestion()
                == "Did you mean Connections? Its share begins “Connections Puzzle #603”.")
        #expect(RefusalReason.notRecognised(nearest: nil).suggestion() == nil)
        #expect(RefusalReason.empty.suggestion() == nil)
    }

    @Test(arguments: Catalogue.standard.games)
    func `the example of a game is a share of that game`(game: Game) throws {
        let example = try #require(Catalogue.shareExample(of: game.id))
        #expect(reader.read(example).shares.map(\.game) == [game.id])
        #expect(reader.read(example).refusals.isEmpty)
    }

    @Test func `misspellings are looked for only so far`() {
        let chat = String(repeating: "wordy 5 ", count: 1_000)
        #expect(nearest(chat + "Wordel 1,981 3/6") == nil)
    }

    private func nearest(_ text: String) -> String? {
        let reasons = reader.read(text).refusals.map(\.reason)
        guard case .notRecognised(let game)? = reasons.first else { return "recognised" }
        return game?.rawValue
    }
}
