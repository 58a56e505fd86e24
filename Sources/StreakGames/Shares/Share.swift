/// One result read from a pasted share text.
public struct Share: Sendable, Equatable {
    public var game: GameID
    /// The printed puzzle number.
    public var puzzle: Int?
    /// The raw result in the unit of the game's scoring model; `nil` for a loss or if none was printed.
    public var score: Int?
    /// The printed maximum, otherwise the catalogue's.
    public var maxAttempts: Int?
    /// `false` only if the share says that the puzzle was lost or given up.
    public var isCompleted: Bool
    /// The solve time in whole seconds, for games ranked by time.
    public var seconds: Int?
    /// The hints used, for games that print them.
    public var hints: Int?
    /// The puzzle's day: from its number if the epoch is known, else as printed; `nil` if neither is certain.
    public var day: PuzzleDay?
    /// Wordle's `*`.
    public var isHardMode: Bool
    /// The part of the paste this share was read from.
    public var text: String

    public init(
        game: GameID, puzzle: Int? = nil, score: Int? = nil, maxAttempts: Int? = nil, isCompleted: Bool = true,
        seconds: Int? = nil, hints: Int? = nil, day: PuzzleDay? = nil, isHardMode: Bool = false, text: String = ""
    ) {
        self.game = game
        self.puzzle = puzzle
        self.score = score
        self.maxAttempts = maxAttempts
        self.isCompleted = isCompleted
        self.seconds = seconds
        self.hints = hints
        self.day = day
        self.isHardMode = isHardMode
        self.text = text
    }
}

/// Why a text, or a part of it, contains no share.
public enum RefusalReason: Error, Sendable, Hashable {
    /// No known format. `nearest` is the game whose name or address the text mentions, if any.
    case notRecognised(nearest: GameID?)
    /// A score that this game cannot have, such as 7/6 or 1:75.
    case impossibleScore(GameID)
    /// The grid ends before the puzzle was won or lost.
    case unfinished(GameID)
    /// A header or address without a result.
    case missingScore(GameID)
    /// A printed date that does not exist.
    case impossibleDate(GameID)
    /// A number that overflows, is lower than the first puzzle's, or is beyond the year 2100.
    case numberTooLarge(GameID)
    /// A bonus, practice or archive round that is not the daily puzzle.
    case notTheDailyPuzzle(GameID)
    /// The text is longer than 65,536 UTF-8 bytes.
    case tooLong
    /// Only blanks and invisible characters.
    case empty

    /// The game that the text seems to be from.
    public var game: GameID? {
        switch self {
        case .notRecognised(let nearest): nearest
        case .impossibleScore(let game), .unfinished(let game), .missingScore(let game), .impossibleDate(let game),
            .numberTooLarge(let game), .notTheDailyPuzzle(let game):
            game
        case .tooLong, .empty: nil
        }
    }
}

/// A part of a paste that could not be read.
public struct Refusal: Sendable, Equatable {
    /// The beginning of the refused part, at most 80 characters.
    public var text: String
    public var reason: RefusalReason

    public init(text: String, reason: RefusalReason) {
        self.text = text
        self.reason = reason
    }
}

/// The contents of a paste.
public struct ShareReading: Sendable, Equatable {
    /// In text order.
    public var shares: [Share]
    /// In text order. Chat around shares is not refused. A text without a share has at least one refusal.
    public var refusals: [Refusal]

    public init(shares: [Share] = [], refusals: [Refusal] = []) {
        self.shares = shares
        self.refusals = refusals
    }
}
