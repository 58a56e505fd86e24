/// How one game's share is recognised and where its result stands. Data; see `ShareFormatTable`.
struct ShareFormat: Sendable {
    let game: GameID
    /// Any of these begins a share of the game.
    let heads: [SharePattern]
    let result: ResultFormat
    /// Whether a head alone says so little that chat might hold it; then a missing result is not worth a refusal.
    let isWeak: Bool

    init(_ game: StaticString, _ heads: [StaticString], _ result: ResultFormat, isWeak: Bool = false) {
        self.game = GameID(literal: game)
        self.heads = heads.map { SharePattern($0) }
        self.result = result
        self.isWeak = isWeak
    }
}

/// The families of share formats. One reader each; a game is a row of data.
enum ResultFormat: Sendable {
    /// The head says it all.
    case printed(range: ClosedRange<Int>? = nil)
    /// The first of these patterns found after the head.
    case phrase([SharePattern], range: ClosedRange<Int>? = nil)
    /// `3/6`.
    case fraction(FractionFormat)
    /// A row of squares; the score is the position of the green one.
    case row(RowFormat)
    /// A time behind the head.
    case time
    /// Quordle's and Octordle's boards: one number each, the sum counts.
    case boards(count: Int, highest: Int)
    /// Sedecordle's boards: two digits each, the highest counts.
    case pairedBoards(count: Int, highest: Int)
    /// Games with a format of their own.
    case connections, strands, spellingBee, pips, pinpoint, dordle, travle, globle, murdle, posterdle, dailyTens
    case weaver, tusmo, minuteCryptic
    /// A round that is not the daily puzzle.
    case notTheDailyPuzzle
}

/// What `n/M` means in a game.
struct FractionFormat: Sendable {
    enum Zero: Sendable { case impossible, win, loss }

    /// The M that may be printed; empty: any.
    var maxima: [Int]
    var zero: Zero = .impossible
    /// Printed before the fraction, for example `guesses:`.
    var label: SharePattern?
    /// The last row of the grid must hold this many of this mark, otherwise the puzzle was lost.
    var winningRow: (mark: Unicode.Scalar, count: Int)?
    /// The highest M that is printed, of games with points; `nil` where `maxima` says it.
    var mostPoints: Int?
}

/// What a row of squares means in a game.
struct RowFormat: Sendable {
    var width: Int
    /// Marks of tries that were not needed; a row that ends in one without a green mark is unfinished.
    var unused: [Unicode.Scalar] = ["⬜"]
    /// The row stands before the head.
    var isBefore = false
}

/// What a reader found.
struct ResultReading {
    var score: Int?
    var isCompleted = true
    var seconds: Int?
    var hints: Int?
    var maxAttempts: Int?
    var day: PuzzleDay?
    var isHardMode = false
    /// Set where one head holds results of several games.
    var game: GameID?
    /// Where the result ends in the text.
    var end: Int

    static func won(_ score: Int?, end: Int) -> ResultReading { ResultReading(score: score, end: end) }
    static func lost(end: Int) -> ResultReading { ResultReading(score: nil, isCompleted: false, end: end) }
}
