public import StreakGames

extension RefusalReason {
    /// The stable word that stands for the reason in JSON (docs/cli.md).
    public var word: String {
        switch self {
        case .notRecognised: "notRecognised"
        case .impossibleScore: "impossibleScore"
        case .unfinished: "unfinished"
        case .missingScore: "missingScore"
        case .impossibleDate: "impossibleDate"
        case .numberTooLarge: "numberTooLarge"
        case .notTheDailyPuzzle: "notTheDailyPuzzle"
        case .tooLong: "tooLong"
        case .empty: "empty"
        }
    }
}
