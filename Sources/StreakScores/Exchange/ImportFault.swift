public import StreakGames

/// Why a file of results cannot be imported at all. Nothing of it is in the plan.
public enum ImportFault: Error, Sendable, Hashable {
    /// The file is larger than `ResultImport.maximumFileSize`.
    case tooLarge
    /// The file has more than `ResultImport.maximumRows` rows.
    case tooManyRows
    /// The file is empty.
    case empty
    /// The file is neither UTF-8 nor UTF-16 with a byte order mark. The user has to save it as UTF-8.
    case notUTF8
    /// JSON that begins like an exported chat, but is not one from Telegram.
    case notAChat
    /// The first line has no heading for this column. CSV needs a game, a date or a number, and a result.
    case missingColumn(ResultColumn)
    /// The quotation that begins in the row at `line` is never closed.
    case unclosedQuote(line: Int)
    /// The file begins with `{` or `[` but is not JSON from this line on, in this result if it is in one.
    case malformed(line: Int, element: Int? = nil)
    /// The file is JSON, but ends in the middle: in this line, and in this result if it is in one.
    case cutOff(line: Int, element: Int? = nil)
    /// JSON that is neither an array of objects nor an object with such an array as `results`.
    case noResults
    /// JSON whose `version` is not 1: a newer program wrote it.
    case unknownVersion
    /// The date in this line, for example 03/04/2026, may mean March or April, and no other line decides it. The caller
    /// can: `ResultImport.dateOrder`.
    case ambiguousDates(line: Int, element: Int? = nil)
    /// One line or JSON result has the day first, the other the month. The caller can decide.
    case contradictoryDates(dayFirst: Int, monthFirst: Int, areElements: Bool = false)
}

/// Why one row was refused. The other rows are accepted.
public enum ImportRefusal: Error, Sendable, Hashable {
    /// A cell longer than `ResultImport.maximumCellSize`, or a game's name longer than 160 bytes.
    case tooLong
    /// The row lacks this value.
    case missing(ResultColumn)
    /// This value cannot be read; with the beginning of its text.
    case unreadable(ResultColumn, String)
    /// There is no game with this name; `nearest` is the most similar one, if any.
    case unknownGame(String, nearest: GameID?)
    /// A value that this game cannot have, such as 7/6.
    case impossible(ResultColumn)
    /// The row states both this and its opposite, such as X/6 and completed.
    case contradictory(ResultColumn)
    /// The day has not begun anywhere on Earth.
    case future(PuzzleDay)
}
