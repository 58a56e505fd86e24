import StreakGames
import StreakRandom
import StreakScores

extension Fixture {
    /// The shown day of the tests in this folder.
    static let today = day("2026-11-21")

    /// This many days, ending on that day.
    static func last(_ days: Int) -> DaySpan { DaySpan(from: today.adding(days: 1 - days), to: today) }

    /// The insights about one player with these results.
    static func insights(_ results: [DailyScore], rules: StreakRules = StreakRules()) -> PlayerInsights {
        PlayerInsights(of: id("ann"), in: index(results.map { ("ann", $0) }), rules: rules, games: game)
    }

    /// Wordles solved in 3, this many days before today.
    static func wordles(_ daysAgo: [Int], lost: [Int] = []) -> [DailyScore] {
        daysAgo.map { solve(wordle, today.adding(days: -$0), 3) } + lost.map { loss(wordle, today.adding(days: -$0)) }
    }

    /// Random results of all games within the last `days` days, some for existing keys.
    static func history(_ count: Int, days: Int, _ generator: inout SplitMix64) -> [DailyScore] {
        (0..<count).map { _ in
            let game = all.randomElement(using: &generator) ?? wordle
            let day = today.adding(days: -Int.random(in: 0..<days, using: &generator))
            let isCompleted = Int.random(in: 0...5, using: &generator) > 0
            let number: Int? = game == heardle ? Int.random(in: 1...days, using: &generator) : nil
            let late = Int64.random(in: -2...12, using: &generator) * 86_400
            return DailyScore(
                game: game.id, day: day, puzzle: number, isKeyedByPuzzle: number != nil,
                score: isCompleted ? Int.random(in: 0...45, using: &generator) : nil, isCompleted: isCompleted,
                firstRecordedAt: day.endEverywhere + late)
        }
    }
}
