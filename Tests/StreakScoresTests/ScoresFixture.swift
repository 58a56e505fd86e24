import StreakGames
import StreakScores

/// Games, players and short ways to write results, for all tests of this module.
enum Fixture {
    static let wordle = Game(
        id: GameID(literal: "wordle"), name: "Wordle", model: .lowerAttempts, maxAttempts: 6, best: 1,
        epoch: PuzzleEpoch(number: 0, day: day("2021-06-19")))
    static let mini = Game(id: GameID(literal: "nyt-mini"), name: "Mini", model: .lowerTimeSeconds)
    static let bee = Game(id: GameID(literal: "spelling-bee"), name: "Spelling Bee", model: .higherIsBetter)
    static let strands = Game(
        id: GameID(literal: "strands"), name: "Strands", model: .lowerHints, maxAttempts: 10, best: 0)
    static let quordle = Game(
        id: GameID(literal: "quordle"), name: "Quordle", model: .lowerAttempts, maxAttempts: 36, best: 10)
    static let octordle = Game(
        id: GameID(literal: "octordle"), name: "Octordle", model: .lowerAttempts, maxAttempts: 104, best: 36)
    static let waffle = Game(id: GameID(literal: "waffle"), name: "Waffle", model: .higherIsBetter, maxAttempts: 5)
    static let globle = Game(id: GameID(literal: "globle"), name: "Globle", model: .lowerGuesses, best: 1)
    static let travle = Game(id: GameID(literal: "travle"), name: "Travle", model: .lowerGuesses, best: 0)
    static let connections = Game(
        id: GameID(literal: "connections"), name: "Connections", model: .lowerAttempts, maxAttempts: 7, best: 4)
    static let heardle = Game(
        id: GameID(literal: "heardle"), name: "Heardle", model: .lowerAttempts, maxAttempts: 6, best: 1)
    static let weekly = Game(
        id: GameID(literal: "quordle-weekly"), name: "Quordle Weekly", model: .lowerAttempts, maxAttempts: 36,
        cadence: .weekly)
    static let blocks = Game(id: GameID(literal: "blocks"), name: "Blocks", model: .highScore)
    static let habit = Game(id: GameID(literal: "habit"), name: "Habit", model: .count)

    static let all = [
        wordle, mini, bee, strands, quordle, octordle, waffle, globle, travle, connections, heardle, weekly, blocks,
        habit,
    ]

    static func game(_ id: GameID) -> Game? {
        all.first { $0.id == id }
    }

    static func day(_ text: String) -> PuzzleDay {
        PuzzleDay(text) ?? .earliest
    }

    static func id(_ name: String) -> PlayerID {
        PlayerID(Array(name.utf8))
    }

    static func player(_ name: String, isHidden: Bool = false) -> Player {
        Player(id: id(name), name: name, isHidden: isHidden)
    }

    static func solve(_ game: Game, _ day: PuzzleDay, _ score: Int?, maxAttempts: Int? = nil) -> DailyScore {
        DailyScore(game: game.id, day: day, score: score, maxAttempts: maxAttempts)
    }

    static func loss(_ game: Game, _ day: PuzzleDay) -> DailyScore {
        DailyScore(game: game.id, day: day, isCompleted: false)
    }

    static func numbered(_ game: Game, _ puzzle: Int, _ day: PuzzleDay, _ score: Int) -> DailyScore {
        DailyScore(game: game.id, day: day, puzzle: puzzle, isKeyedByPuzzle: true, score: score)
    }

    static func index(_ results: [(String, DailyScore)]) -> ScoreIndex {
        var index = ScoreIndex()
        for (name, score) in results { index.replace(score, of: id(name)) }
        return index
    }
}
