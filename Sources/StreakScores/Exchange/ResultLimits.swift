public import StreakGames

/// The possible values of a game's result, whether pasted, typed in or imported.
public enum ResultLimits {
    /// The longest name of a game in a record, in bytes.
    public static let maximumNameSize = 160

    private static let highestCount = 1_000
    private static let highestLog = Int(Int32.max)

    /// The first value of `result` that `game` cannot have, or `nil`. For an unknown game, a value that no game can
    /// have. The day is checked by `Game.hasPuzzle` and `PuzzleDay.furthest`.
    ///
    /// The result's own maximum counts, not the catalogue's: some games print a different one each day.
    public static func violation(by result: DailyScore, in game: Game?) -> ResultColumn? {
        if let most = result.maxAttempts, !(1...Game.highestScore ~= most) { return .maxAttempts }
        if game?.model == .count, !result.isCompleted { return .completed }
        if let score = result.score, !scores(of: result, in: game).contains(score) { return .score }
        if let seconds = result.seconds, !(0...Game.longestTime ~= seconds) { return .seconds }
        if let hints = result.hints, !(0...highestCount ~= hints) { return .hints }
        if let mistakes = result.mistakes, !(0...highestCount ~= mistakes) { return .mistakes }
        if let puzzle = result.puzzle, !isPossible(puzzle, in: game) { return .puzzle }
        if result.isKeyedByPuzzle, result.puzzle == nil { return .puzzle }
        if let name = result.gameName, name.utf8.count > maximumNameSize { return .name }
        return nil
    }

    private static func scores(of result: DailyScore, in game: Game?) -> ClosedRange<Int> {
        guard let game else { return 0...RawResult.largest }
        let range = game.scores(of: result.maxAttempts)
        // A lost puzzle may have a lower value than a solve.
        return result.isCompleted ? range : 0...range.upperBound
    }

    private static func isPossible(_ number: Int, in game: Game?) -> Bool {
        // The number of a habit's log combines its day and a random part. An unknown game may be a habit.
        guard let game, game.model != .count else { return 0...highestLog ~= number }
        return game.hasPuzzle(number)
    }
}
