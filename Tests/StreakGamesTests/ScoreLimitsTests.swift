import StreakGames
import Testing

@Suite struct ScoreLimitsTests {
    @Test(
        arguments: [
            ("wordle", nil, 1...6), ("bandle", nil, 1...6), ("bandle", 8, 1...8), ("bandle", 12, 1...8),
            ("connections", nil, 4...7), ("strands", nil, 0...10), ("quordle", nil, 10...36), ("thrice", nil, 0...15),
            ("maptap", nil, 0...1_000), ("timeguessr", nil, 0...50_000), ("timeguessr", 25_000, 0...25_000),
            ("betweenle", nil, 1...5), ("waffle", nil, 0...5), ("spelling-bee", nil, 0...5_000),
            ("globle", nil, 1...300),
            ("nyt-mini", nil, 1...359_999), ("pips-hard", nil, 1...359_999), ("minute-cryptic", nil, 0...100),
            ("semantle", nil, 1...1_000_000), ("sedecordle", nil, 16...21), ("foodguessr", nil, 0...15_000),
        ] as [(String, Int?, ClosedRange<Int>)])
    func `a game has these scores`(game: String, maximum: Int?, scores: ClosedRange<Int>) throws {
        let game = try #require(GameID(game).flatMap { Catalogue.standard[$0] })
        #expect(game.scores(of: maximum) == scores)
    }

    /// A table or a form may state exactly what a share may.
    @Test(arguments: [
        ("thrice", "Thrice Game #500 → % points", 15, 16),
        ("maptap", "www.maptap.gg Nov 3\nFinal score: %", 1_000, 1_001),
        ("timeguessr", "TimeGuessr #583 %/50,000", 50_000, 50_001), ("betweenle", "Betweenle 391 - %/5:", 5, 6),
        ("spelling-bee", "NYT Spelling Bee\nScore: %", 5_000, 5_001),
    ])
    func `a share at the limit is read and one beyond is refused`(game: String, text: String, most: Int, over: Int)
        throws
    {
        let game = try #require(GameID(game).flatMap { Catalogue.standard[$0] })
        let reader = ShareReader()
        #expect(game.scores().upperBound == most)
        #expect(reader.read(text.replacing("%", with: "\(most)")).shares.map(\.score) == [most])
        let refused = reader.read(text.replacing("%", with: "\(over)"))
        #expect(refused.shares.isEmpty && refused.refusals.map(\.reason) == [.impossibleScore(game.id)])
    }

    @Test func `every built-in game has limits, and every example is within them`() throws {
        for game in Catalogue.standard.games {
            #expect(game.scores().upperBound < Game.highestScore, "\(game.id)")
            #expect(game.best.map { !game.model.isLowerBetter || game.scores().lowerBound == $0 } ?? true, "\(game.id)")
        }
    }

    @Test func `a 0 is a loss where the game prints it so, and no game has a puzzle before its first`() throws {
        let games = Catalogue.standard.games
        #expect(games.filter(\.isLostWithNothing).map(\.id.rawValue) == ["betweenle"])
        for game in games {
            guard let epoch = game.epoch else {
                #expect(game.hasPuzzle(on: .earliest) && game.hasPuzzle(99_999) && !game.hasPuzzle(100_000))
                continue
            }
            #expect(game.hasPuzzle(on: epoch.day) && !game.hasPuzzle(on: epoch.day.adding(days: -1)))
            #expect(game.hasPuzzle(epoch.number) && !game.hasPuzzle(epoch.number - 1))
        }
    }
}
