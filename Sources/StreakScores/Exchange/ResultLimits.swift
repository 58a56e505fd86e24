public import StreakGames

/// The values a game's result can have, however it was entered: pasted, typed in or imported. Product rule 7.
public enum ResultLimits {
    /// The highest printed number of a game whose numbers cannot be turned into days.
    public static let highestNumber = 99_999
    /// 99:59:59.
    public static let longestTime = 359_999
    /// The highest score of a game without a maximum. Share texts know none above eight digits.
    public static let highestScore = 10_000_000
    /// The bytes of a game's name in a record.
    public static let maximumNameSize = 160

    private static let highestCount = 1_000
    private static let highestLog = Int(Int32.max)

    /// The first value of `result` that `game` cannot have, or `nil`. Days are judged by `PuzzleDay.furthest`.
    ///
    /// The result's own maximum counts, not the catalogue's: some games print another one each day.
    public static func violation(by result: DailyScore, in game: Game) -> ResultColumn? {
        if let most = result.maxAttempts, !(1...highestScore ~= most) { return .maxAttempts }
        if let score = result.score, !scores(of: result, in: game).contains(score) { return .score }
        if let seconds = result.seconds, !(0...longestTime ~= seconds) { return .seconds }
        if let hints = result.hints, !(0...highestCount ~= hints) { return .hints }
        if let mistakes = result.mistakes, !(0...highestCount ~= mistakes) { return .mistakes }
        if let puzzle = result.puzzle, !isPossible(puzzle, in: game) { return .puzzle }
        if result.isKeyedByPuzzle, result.puzzle == nil { return .puzzle }
        if let name = result.gameName, name.utf8.count > maximumNameSize { return .name }
        return nil
    }

    private static func scores(of result: DailyScore, in game: Game) -> ClosedRange<Int> {
        let quickest = game.model == .lowerTimeSeconds ? 1 : 0
        let least = result.isCompleted && game.model.isLowerBetter ? max(quickest, game.best ?? 0) : 0
        let most =
            switch game.model {
            case .lowerTimeSeconds: longestTime
            case .highScore, .count: RawResult.largest
            case .lowerAttempts, .lowerGuesses, .lowerHints, .higherIsBetter:
                result.maxAttempts ?? game.maxAttempts ?? highestScore
            }
        return least...max(least, most)
    }

    private static func isPossible(_ number: Int, in game: Game) -> Bool {
        // The number of a habit's log is made of its day and a random part.
        guard game.model != .count else { return 0...highestLog ~= number }
        guard let epoch = game.epoch else { return 0...highestNumber ~= number }
        return number >= epoch.number && game.day(ofPuzzle: number) != nil
    }
}
