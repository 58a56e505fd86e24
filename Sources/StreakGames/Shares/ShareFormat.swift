/// How one game's share is recognised, and where its result is. Data; see `ShareFormatTable`.
struct ShareFormat: Sendable {
    let game: GameID
    /// Any of these begins a share of the game.
    let heads: [SharePattern]
    let result: ResultFormat
    /// Whether the head alone might be ordinary chat. Then a missing result is not reported.
    let isWeak: Bool

    init(_ game: StaticString, _ heads: [StaticString], _ result: ResultFormat, isWeak: Bool = false) {
        self.game = GameID(literal: game)
        self.heads = heads.map { SharePattern($0) }
        self.result = result
        self.isWeak = isWeak
    }
}

/// The families of share formats, with one reader each. A game is a row of data.
enum ResultFormat: Sendable {
    /// The head contains everything.
    case printed(range: ClosedRange<Int>? = nil)
    /// The first of these patterns found after the head.
    case phrase([SharePattern], range: ClosedRange<Int>? = nil)
    /// `3/6`.
    case fraction(FractionFormat)
    /// A row of squares; the score is the position of the green one.
    case row(RowFormat)
    /// A time after the head.
    case time
    /// The boards of Quordle and Octordle: one number each; the sum counts.
    case boards(count: Int, highest: Int)
    /// The boards of Sedecordle: two digits each; the highest counts.
    case pairedBoards(count: Int, highest: Int)
    /// Games with a format of their own.
    case connections, strands, spellingBee, pips, pinpoint, dordle, travle, globle, murdle, posterdle, dailyTens
    case weaver, tusmo, minuteCryptic
    /// A round that is not the daily puzzle.
    case notTheDailyPuzzle
}

/// The meaning of `n/M` in a game.
struct FractionFormat: Sendable {
    enum Zero: Sendable { case impossible, win, loss }

    /// The M that may be printed; empty means any.
    var maxima: [Int]
    var zero: Zero = .impossible
    /// Printed before the fraction, for example `guesses:`.
    var label: SharePattern?
    /// The last row of the grid has this many of this mark, or the puzzle was lost.
    var winningRow: (mark: Unicode.Scalar, count: Int)?
    /// The highest printed M of games with points; `nil` if `maxima` lists them.
    var mostPoints: Int?
}

/// The meaning of a row of squares in a game.
struct RowFormat: Sendable {
    var width: Int
    /// Marks of unused tries. A row that ends in one without a green mark is unfinished.
    var unused: [Unicode.Scalar] = ["⬜"]
    /// The row comes before the head.
    var isBefore = false
}

/// The result that a reader found.
struct ResultReading {
    var score: Int?
    var isCompleted = true
    var seconds: Int?
    var hints: Int?
    var maxAttempts: Int?
    var day: PuzzleDay?
    var isHardMode = false
    /// Set if one head has results of several games.
    var game: GameID?
    /// Where the result ends in the text.
    var end: Int

    static func won(_ score: Int?, end: Int) -> ResultReading { ResultReading(score: score, end: end) }
    static func lost(end: Int) -> ResultReading { ResultReading(score: nil, isCompleted: false, end: end) }
}
