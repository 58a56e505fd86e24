import StreakGames
import StreakRandom
import StreakScores
import Testing

/// How challenges end: case 36 of the product rules, and Protocol/records.md §3.9.
@Suite struct ChallengeTests {
    private static let day = PuzzleDay(daysSinceEpoch: 20_778)
    private static let made = Int64(20_778) * 86_400 + 8 * 3_600
    private static let end = day.endEverywhere

    private static func game(_ id: String) throws -> Game {
        try #require(GameID(id).flatMap { Catalogue.standard[$0] })
    }

    private static func result(_ score: Int?, at time: Int64 = made + 3_600) throws -> DailyScore {
        DailyScore(
            game: try #require(GameID("wordle")), day: day, score: score, maxAttempts: 6, isCompleted: score != nil,
            firstRecordedAt: time)
    }

    private static func outcome(
        _ target: Int?, _ result: DailyScore?, _ reply: ChallengeReply? = nil, isPersonal: Bool = true,
        lastFinal: PuzzleDay = day.adding(days: -1)
    ) throws -> ChallengeOutcome? {
        ChallengeTerms(madeAt: made, lastDay: day, isPersonal: isPersonal).outcome(
            target: try Self.result(target, at: made - 60), result: result, reply: reply, lastFinalDay: lastFinal,
            in: try game("wordle"))
    }

    private static let cases: [(Int?, Int?, ChallengeOutcome)] = [
        (3, 2, .won), (3, 4, .lost), (3, 3, .drawn), (3, nil, .lost), (nil, 6, .won), (nil, nil, .drawn),
    ]

    @Test(arguments: cases)
    func `the strictly better wins, and equal ones draw`(target: Int?, score: Int?, expected: ChallengeOutcome) throws {
        #expect(try Self.outcome(target, Self.result(score)) == expected)
    }

    @Test func `without a result it is open until its last day is over everywhere, then it has expired`() throws {
        #expect(try Self.outcome(3, nil) == .open)
        #expect(try Self.outcome(3, nil, lastFinal: Self.day) == .expired)
        #expect(try Self.outcome(3, Self.result(2, at: Self.end - 1), lastFinal: Self.day) == .won)
        #expect(try Self.outcome(3, Self.result(2, at: Self.end), lastFinal: Self.day) == .expired)
        #expect(PuzzleDay.lastFinal(at: Self.end - 1) < Self.day && PuzzleDay.lastFinal(at: Self.end) == Self.day)
    }

    @Test func `who had played before is not compared, as far as clocks agree`() throws {
        let slack = ChallengeTerms.clockDifference
        #expect(try Self.outcome(3, Self.result(2, at: Self.made - slack)) == .won)
        #expect(try Self.outcome(3, Self.result(2, at: Self.made - slack - 1)) == .playedBefore)
        #expect(try Self.outcome(3, Self.result(2, at: .min)) == .playedBefore)
        let accepted = ChallengeReply(accepts: true, at: Self.made + 60)
        #expect(try Self.outcome(3, Self.result(2, at: Self.made - slack - 1), accepted, isPersonal: false) == nil)
    }

    @Test func `a decline ends it before the puzzle is played, and not after`() throws {
        let played = try Self.result(4)
        let slack = ChallengeTerms.clockDifference
        func declined(_ time: Int64) -> ChallengeReply { ChallengeReply(accepts: false, at: time) }
        #expect(try Self.outcome(3, nil, declined(Self.made)) == .declined)
        #expect(try Self.outcome(3, nil, declined(Self.made), lastFinal: Self.day) == .declined)
        #expect(try Self.outcome(3, played, declined(played.firstRecordedAt)) == .declined)
        #expect(try Self.outcome(3, played, declined(played.firstRecordedAt + slack + 1)) == .lost)
    }

    @Test func `in a challenge to the group only those take part who accept before they play`() throws {
        let played = try Self.result(2)
        func reply(_ accepts: Bool, _ time: Int64) -> ChallengeReply { ChallengeReply(accepts: accepts, at: time) }
        #expect(try Self.outcome(3, played, isPersonal: false) == nil)
        #expect(try Self.outcome(3, nil, isPersonal: false) == nil)
        #expect(try Self.outcome(3, nil, reply(true, Self.made), isPersonal: false) == .open)
        #expect(try Self.outcome(3, played, reply(true, Self.made), isPersonal: false) == .won)
        #expect(try Self.outcome(3, played, reply(true, played.firstRecordedAt + 601), isPersonal: false) == nil)
        #expect(try Self.outcome(3, nil, reply(true, Self.made), isPersonal: false, lastFinal: Self.day) == .expired)
    }

    @Test func `an earlier high score can still be beaten by its own player`() throws {
        let game = Game(id: try #require(GameID("custom-blocks")), name: "Blocks", model: .highScore)
        func outcome(_ score: Int, at time: Int64) throws -> ChallengeOutcome? {
            ChallengeTerms(madeAt: Self.made, lastDay: Self.day, isPersonal: true).outcome(
                target: try Self.result(900, at: Self.made - 60), result: try Self.result(score, at: time), reply: nil,
                lastFinalDay: Self.day.adding(days: -1), in: game)
        }
        #expect(try outcome(950, at: Self.made - 9_000) == .open)
        #expect(try outcome(950, at: Self.made + 60) == .won)
        #expect(try outcome(850, at: Self.made + 60) == .lost)
    }

    @Test(arguments: [(-2, false), (-1, true), (0, true), (7, true), (8, true), (9, false)])
    func `the last day is neither over nor far away`(days: Int, isPossible: Bool) {
        // At 11:00 UTC the next day has begun at UTC+14, and the day before is not over at UTC−12.
        let terms = ChallengeTerms(
            madeAt: Int64(20_778) * 86_400 + 11 * 3_600, lastDay: Self.day.adding(days: days), isPersonal: true)
        #expect(terms.isPossible == isPossible)
    }

    @Test func `a win of the one is a loss of the other, whatever the results are`() throws {
        var chance = SplitMix64(seed: 36)
        for _ in 0..<500 {
            let scores = (0..<2).map { _ in Int.random(in: 0...7, using: &chance) }.map { $0 == 0 ? nil : $0 }
            let left = try Self.outcome(scores[0], Self.result(scores[1]))
            let right = try Self.outcome(scores[1], Self.result(scores[0]))
            let opposites: [ChallengeOutcome: ChallengeOutcome] = [.won: .lost, .lost: .won, .drawn: .drawn]
            #expect(left.flatMap { opposites[$0] } == right, "\(scores)")
            var tallies = (ChallengeTally(), ChallengeTally())
            if let left {
                tallies.0.add(left)
                tallies.1.add(left, isChallenger: true)
            }
            #expect(tallies.0.won == tallies.1.lost && tallies.0.lost == tallies.1.won)
            #expect(tallies.0.drawn == tallies.1.drawn && tallies.0.won + tallies.0.lost + tallies.0.drawn == 1)
        }
    }
}
